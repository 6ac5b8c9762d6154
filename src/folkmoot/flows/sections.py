"""The smaller sections of a flow file: gates, messages, limits and questions. Those about running agents are in
`running`."""

from typing import Any, get_args

from folkmoot.core.flow import LEASE_MAX, Clone, Gate, Limits, MessageRule, Notice, QuestionPolicy, SecretPolicy
from folkmoot.core.rules.sharing.paths import bad_path
from folkmoot.flows import keys
from folkmoot.flows.agents import TIMEOUT_RANGE
from folkmoot.flows.faults import Path, shown
from folkmoot.flows.fields import COUNT_MAX, Entries, Fields
from folkmoot.flows.source import Entry, Mapping, Node, is_null

DAY = 86_400.0
SPAN_LIMITS = {
    "lease": (1.0, LEASE_MAX),
    "timeout": TIMEOUT_RANGE,
    "silence": (1.0, 7 * DAY),
    "after_report": (1.0, DAY),
    "starve": (1.0, 30 * DAY),
    "window": (1.0, 7 * DAY),
}
HIGHEST = {"change_bytes": 1_000_000_000_000}
LIMIT_KEYS = list(keys.LIMITS)
# What a run may use up; less than the least and nothing could run at all.
SIZE_LIMITS = {"memory": (16 << 20, 64 << 40), "disk": (1 << 20, 64 << 40)}
COUNT_LIMITS = [key for key in LIMIT_KEYS if key not in {*SPAN_LIMITS, *SIZE_LIMITS}]
LEAST = {"processes": 8, "open_files": 64}
LIFTED = {*SIZE_LIMITS, *LEAST}  # `null` takes these limits away
DEADLINE_RANGE = (1.0, 365 * DAY)
GATE_KEYS = list(keys.GATE)
MESSAGE_KEYS = list(keys.MESSAGE)
QUESTION_KEYS = list(keys.QUESTIONS)
CLONE_KEYS = list(keys.CLONE)
SECRET_KEYS = list(keys.SECRETS)
PORTS_MAX = 100
MIRROR_KEYS = list(keys.MIRROR)


def read_limits(fields: Fields, entries: Entries) -> Limits:
    path = ("limits",)
    given: dict[str, Any] = {}
    for key, entry in _section(fields, entries, "limits", LIMIT_KEYS).items():
        if key in SPAN_LIMITS:
            given[key] = fields.span(entry.value, (*path, key), *SPAN_LIMITS[key])
        elif key in SIZE_LIMITS:
            given[key] = fields.size(entry.value, (*path, key), *SIZE_LIMITS[key])
        else:
            given[key] = fields.count(entry.value, (*path, key), HIGHEST.get(key, COUNT_MAX), low=LEAST.get(key, 1))
    lifted = _lifted(entries["limits"].value) if "limits" in entries else {}
    return Limits(**{key: value for key, value in given.items() if value is not None} | lifted)


def _lifted(node: Node) -> dict[str, Any]:
    """The limits that are said to be none."""
    entries = node.entries if isinstance(node, Mapping) else {}
    return {key: None for key, entry in entries.items() if key in LIFTED and is_null(entry.value)}


def read_reasons(fields: Fields, entries: Entries) -> dict[str, str]:
    reasons = {}
    for reason, entry in _named(fields, entries, "reasons", "a reason").items():
        fields.findings.remember(("reasons", reason), entry.place)
        column = fields.name(entry.value, ("reasons", reason), "the column's name")
        if column is not None:
            reasons[reason] = column
    return reasons


def read_questions(fields: Fields, entries: Entries) -> QuestionPolicy:
    path = ("questions",)
    given = _section(fields, entries, "questions", QUESTION_KEYS)
    pause_all, deadline, critical = given.get("pause_all"), given.get("deadline"), given.get("critical")
    notice = given.get("notice")
    told = fields.choice(notice.value, (*path, "notice"), "the notice", get_args(Notice)) if notice else None
    return QuestionPolicy(
        notice=told or "plain",
        pause_all=bool(pause_all and fields.boolean(pause_all.value, (*path, "pause_all"))),
        deadline=fields.span(deadline.value, (*path, "deadline"), *DEADLINE_RANGE) if deadline else None,
        critical=bool(critical and fields.boolean(critical.value, (*path, "critical"))),
    )


def read_secrets(fields: Fields, entries: Entries) -> SecretPolicy:
    given = _section(fields, entries, "secrets", SECRET_KEYS).get("allow")
    return SecretPolicy(allow=_paths(fields, given, ("secrets", "allow"), "tests/keys/"))


def read_clone(fields: Fields, entries: Entries) -> Clone:
    given = _section(fields, entries, "clone", CLONE_KEYS)
    setup, ports, teardown = given.get("setup"), given.get("ports"), given.get("teardown")
    return Clone(
        setup=fields.commands(setup.value, ("clone", "setup")) if setup else [],
        setup_from=_paths(fields, given.get("setup_from"), ("clone", "setup_from"), "package-lock.json"),
        teardown=fields.commands(teardown.value, ("clone", "teardown")) if teardown else [],
        ports=(ports and fields.count(ports.value, ("clone", "ports"), PORTS_MAX)) or Clone().ports,
    )


def _paths(fields: Fields, given: Entry | None, path: Path, such_as: str) -> list[str]:
    found = []
    for item in fields.items(given.value, path) if given else []:
        written = fields.text(item, path, "the path")
        why = bad_path(written) if written is not None else None
        if why is not None:
            fields.findings.fault(path, f"{shown(written or '')} is no path here: {why}", f"like {such_as}", item.place)
        elif written is not None:
            found.append(written)
    return found


def read_gates(fields: Fields, entries: Entries) -> dict[str, Gate]:
    gates = {}
    for name, entry in _named(fields, entries, "gates", "a gate").items():
        path = ("gates", name)
        given = fields.section(entry.value, path, GATE_KEYS)
        run, setup, timeout, network = (given.get(key) for key in ("run", "setup", "timeout", "network"))
        gates[name] = Gate(
            name=name,
            run=fields.command(run.value, (*path, "run")) if run else [],
            setup=fields.commands(setup.value, (*path, "setup")) if setup else [],
            timeout=fields.span(timeout.value, (*path, "timeout"), *TIMEOUT_RANGE) if timeout else None,
            network=fields.boolean(network.value, (*path, "network")) is not False if network else True,
            needs=fields.names(given, (*path, "needs"), "the label", or_one=True),
        )
    return gates


def read_messages(fields: Fields, entries: Entries) -> dict[str, MessageRule]:
    rules = {}
    for name, entry in _named(fields, entries, "messages", "a type of message").items():
        path = ("messages", name)
        given = fields.section(entry.value, path, MESSAGE_KEYS)
        senders = fields.names(given, (*path, "from"), "the sender's name", or_one=True)
        receivers = fields.names(given, (*path, "to"), "the receiver's name", or_one=True)
        if not (senders and receivers) and not fields.findings.is_faulty(*path):
            who = "send" if not senders else "get"
            advice = "write {from: [agent], to: [agent]}; `any` and `orchestrator` are known too"
            fields.findings.fault(path, f"nobody may {who} this message", advice)
        rules[name] = MessageRule(senders=senders, receivers=receivers)
    return rules


def read_mirror(fields: Fields, entries: Entries) -> dict[str, Any]:
    """The fields of the flow that say where the board is shown as files, and whose word those are."""
    path, given = ("mirror",), _section(fields, entries, "mirror", MIRROR_KEYS)
    folder, visible = given.get("dir"), given.get("visible")
    home = "the project's folder"
    return {
        "mirror": fields.inner_path(folder.value, (*path, "dir"), "the folder", home, ".claude") if folder else None,
        "mirror_people": fields.names(given, (*path, "people"), "the person's name", or_one=True),
        "mirror_shown": bool(visible and fields.boolean(visible.value, (*path, "visible"))),
    }


def _section(fields: Fields, entries: Entries, key: str, known: list[str]) -> Entries:
    return fields.section(entries[key].value, (key,), known) if key in entries else {}


def _named(fields: Fields, entries: Entries, key: str, what: str) -> Entries:
    return fields.named(entries[key].value, (key,), what) if key in entries else {}
