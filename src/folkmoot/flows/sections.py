"""The smaller sections of a flow file: gates, messages, limits and questions, and what concerns running agents."""

import re
from typing import Any

from folkmoot.core.flow import (
    LEASE_MAX,
    RUNG_ESCALATE,
    Budget,
    Client,
    Gate,
    Limits,
    MessageRule,
    Model,
    Pool,
    QuestionPolicy,
)
from folkmoot.flows.agents import TIMEOUT_RANGE
from folkmoot.flows.faults import shown
from folkmoot.flows.fields import TEXT_MAX, Entries, Fields
from folkmoot.flows.source import is_empty

DAY = 86_400.0
COUNT_LIMITS = ["slots", "attempts", "own_attempts", "executions", "dispute_rounds", "disputes", "feedback_rounds"]
COUNT_LIMITS += ["repeats", "splits", "runs"]
SPAN_LIMITS = {
    "lease": (1.0, LEASE_MAX),
    "timeout": TIMEOUT_RANGE,
    "silence": (1.0, 7 * DAY),
    "starve": (1.0, 30 * DAY),
}
DEADLINE_RANGE = (1.0, 365 * DAY)
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}")
BRANCH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]*")
# Read and checked, so that a flow can be written whole; what would use them is not there.
UNUSED = ["models", "pools", "clients", "notify", "budget", "target", "mirror"]


def warn_of_unused(fields: Fields, entries: Entries) -> None:
    for key in UNUSED:
        if key in entries and not is_empty(entries[key].value):
            advice = "it may stay: later versions will read it"
            fields.findings.warn((key,), "nothing reads this yet: accepted and not used yet", advice)


def read_limits(fields: Fields, entries: Entries) -> Limits:
    path = ("limits",)
    given: dict[str, Any] = {}
    for key, entry in _section(fields, entries, "limits", [*COUNT_LIMITS, *SPAN_LIMITS]).items():
        if key in SPAN_LIMITS:
            given[key] = fields.span(entry.value, (*path, key), *SPAN_LIMITS[key])
        else:
            given[key] = fields.count(entry.value, (*path, key))
    return Limits(**{key: value for key, value in given.items() if value is not None})


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
    given = _section(fields, entries, "questions", ["pause_all", "deadline"])
    pause_all, deadline = given.get("pause_all"), given.get("deadline")
    return QuestionPolicy(
        pause_all=bool(pause_all and fields.boolean(pause_all.value, (*path, "pause_all"))),
        deadline=fields.span(deadline.value, (*path, "deadline"), *DEADLINE_RANGE) if deadline else None,
    )


def read_gates(fields: Fields, entries: Entries) -> dict[str, Gate]:
    gates = {}
    for name, entry in _named(fields, entries, "gates", "a gate").items():
        path = ("gates", name)
        given = fields.section(entry.value, path, ["run", "timeout"])
        run, timeout = given.get("run"), given.get("timeout")
        gates[name] = Gate(
            name=name,
            run=fields.command(run.value, (*path, "run")) if run else [],
            timeout=fields.span(timeout.value, (*path, "timeout"), *TIMEOUT_RANGE) if timeout else None,
        )
    return gates


def read_messages(fields: Fields, entries: Entries) -> dict[str, MessageRule]:
    rules = {}
    for name, entry in _named(fields, entries, "messages", "a type of message").items():
        path = ("messages", name)
        given = fields.section(entry.value, path, ["from", "to"])
        senders = fields.names(given, (*path, "from"), "the sender's name", or_one=True)
        receivers = fields.names(given, (*path, "to"), "the receiver's name", or_one=True)
        if not (senders and receivers) and not fields.findings.is_faulty(*path):
            who = "send" if not senders else "get"
            advice = "write {from: [agent], to: [agent]}; `any` and `orchestrator` are known too"
            fields.findings.fault(path, f"nobody may {who} this message", advice)
        rules[name] = MessageRule(senders=senders, receivers=receivers)
    return rules


def read_models(fields: Fields, entries: Entries) -> dict[str, Model]:
    if "models" not in entries:
        return {}
    models = {}
    for name, entry in fields.entries(entries["models"].value, ("models",)).items():
        path = ("models", name)
        fields.findings.remember(path, entry.key_place)
        if len(name) > TEXT_MAX or not name.isprintable():
            advice = f"write one line of at most {TEXT_MAX} printable characters"
            fields.findings.fault(path, "this is no name for a model", advice, entry.key_place)
        if name == RUNG_ESCALATE:
            fields.findings.fault(path, "this word ends a ladder and is no model", "remove it", entry.key_place)
        given = fields.section(entry.value, path, ["client", "id", "pool"])
        identity = given.get("id")
        models[name] = Model(
            client=fields.given_name(given, (*path, "client"), "the client's name"),
            id=fields.text(identity.value, (*path, "id"), "the model's id") if identity else None,
            pool=fields.given_name(given, (*path, "pool"), "the pool's name"),
        )
    return models


def read_pools(fields: Fields, entries: Entries) -> dict[str, Pool]:
    pools = {}
    for name, entry in _named(fields, entries, "pools", "a pool").items():
        given = fields.section(entry.value, ("pools", name), ["slots"])
        slots = fields.count(given["slots"].value, ("pools", name, "slots")) if "slots" in given else None
        pools[name] = Pool(slots=slots)
    return pools


def read_clients(fields: Fields, entries: Entries) -> dict[str, Client]:
    clients = {}
    for name, entry in _named(fields, entries, "clients", "a client").items():
        path = ("clients", name)
        given = fields.section(entry.value, path, ["env", "files"])
        read = {}
        for key in given:
            texts = [
                fields.text(item, (*path, key), "the name") for item in fields.items(given[key].value, (*path, key))
            ]
            read[key] = [text for text in texts if text is not None]
        for variable in read.get("env", []):
            if not VARIABLE.fullmatch(variable):
                advice = "write its name only, like ANTHROPIC_API_KEY"
                fields.findings.fault((*path, "env"), f"{shown(variable)} is no variable of the environment", advice)
        clients[name] = Client(**read)
    return clients


def read_budget(fields: Fields, entries: Entries) -> Budget:
    given = _section(fields, entries, "budget", ["item_usd", "day_usd"])
    return Budget(**{key: fields.amount(entry.value, ("budget", key)) for key, entry in given.items()})


def read_target(fields: Fields, entries: Entries) -> str:
    if "target" not in entries:
        return "main"
    node = entries["target"].value
    branch = fields.text(node, ("target",), "the branch")
    if branch is not None and (not BRANCH.fullmatch(branch) or ".." in branch or branch.endswith(("/", ".", ".lock"))):
        fields.findings.fault(("target",), f"{shown(branch)} is no branch", "write its name, like main", node.place)
    return branch or "main"


def read_mirror(fields: Fields, entries: Entries) -> str | None:
    given = _section(fields, entries, "mirror", ["dir"])
    if "dir" not in given:
        return None
    return fields.inner_path(given["dir"].value, ("mirror", "dir"), "the folder", "the project's folder", ".claude")


def read_notify(fields: Fields, entries: Entries) -> list[str]:
    return fields.command(entries["notify"].value, ("notify",)) if "notify" in entries else []


def _section(fields: Fields, entries: Entries, key: str, known: list[str]) -> Entries:
    return fields.section(entries[key].value, (key,), known) if key in entries else {}


def _named(fields: Fields, entries: Entries, key: str, what: str) -> Entries:
    return fields.named(entries[key].value, (key,), what) if key in entries else {}
