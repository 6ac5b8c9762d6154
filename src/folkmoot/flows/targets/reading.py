"""What a flow file says about notices: a command alone, or a list of targets."""

import re
from typing import Any

from folkmoot.core.flow import Client
from folkmoot.core.notices.targets import TOPICS, USUAL, Target, Topic, is_address, minutes_of
from folkmoot.flows import keys
from folkmoot.flows.faults import Findings, Path, shown
from folkmoot.flows.fields import Entries, Fields
from folkmoot.flows.running import VARIABLE
from folkmoot.flows.source import Mapping, Node, Sequence

NOTIFY_KEYS = list(keys.NOTIFY)
WAYS = NOTIFY_KEYS[:5]
TARGETS_MAX = 8
# A host, or an address of IPv6 in brackets, and a port: what of it is before an `@` would be a name and a password.
ADDRESS = re.compile(r"https?://(?:[^\s/?#@:\[\]]+|\[[0-9a-fA-F:.]+\])(?::(?P<port>[0-9]{1,5}))?(?:[/?][^\s#]*)?")
PASSWORD = re.compile(r"https?://[^/?#]*@")


def read_notify(fields: Fields, entries: Entries) -> dict[str, Any]:
    """The fields of the flow that say who is told."""
    path = ("notify",)
    if "notify" not in entries:
        return {}
    node = entries["notify"].value
    if isinstance(node, Mapping):
        advice = "write a list of targets: [{slack: SLACK_URL}]"
        fields.findings.fault(path, "a single target stands where a list belongs", advice, node.place)
        return {}
    if not isinstance(node, Sequence) or not any(isinstance(item, Mapping) for item in node.items):
        return {"notify": fields.command(node, path)}
    if len(node.items) > TARGETS_MAX:
        fields.findings.fault(path, f"{len(node.items)} targets are too many", f"keep {TARGETS_MAX}", node.place)
        return {}
    made = [_target(fields, item, (*path, str(number))) for number, item in enumerate(node.items, start=1)]
    return {"notices": [target for target in made if target is not None]}


def _target(fields: Fields, node: Node, path: Path) -> Target | None:
    given = fields.section(node, path, NOTIFY_KEYS)
    ways = [way for way in WAYS if way in given]
    values: dict[str, Any] = {}
    if "command" in given:
        values["command"] = fields.command(given["command"].value, (*path, "command"), needed=True)
    if "desktop" in given and fields.boolean(given["desktop"].value, (*path, "desktop")) is not False:
        values["desktop"] = True
    elif "desktop" in given:
        ways.remove("desktop")  # `desktop: false` says that it is none
    for key in ("webhook", "slack", "discord", "secret"):
        if key in given:
            values[key] = _place(fields, given[key].value, (*path, key), or_address=key == "webhook")
    values["on"] = _topics(fields, given, (*path, "on"))
    values["quiet"] = _quiet(fields, given["quiet"].value, (*path, "quiet")) if "quiet" in given else None
    if fields.findings.is_faulty(*path):
        return None
    if len(ways) != 1:
        what = f"it says {' and '.join(ways)}" if ways else "it does not say where to"
        fields.findings.fault(path, what, f"keep one of {', '.join(WAYS)}", node.place)
    elif ("webhook" in given) != ("secret" in given):
        what = "a webhook is signed, and no secret is named" if "webhook" in given else "only a webhook is signed"
        advice = "add secret: VARIABLE" if "webhook" in given else "remove secret"
        fields.findings.fault(path, what, advice, node.place)
    return None if fields.findings.is_faulty(*path) else Target(**values)


def _place(fields: Fields, node: Node, path: Path, *, or_address: bool) -> str | None:
    """The name of a variable. What it holds is secret, and the flow is kept with the board."""
    text = fields.text(node, path, "the variable's name")
    if text is None or VARIABLE.fullmatch(text):
        return text
    if not is_address(text) or not or_address:
        what = "an address is secret here" if is_address(text) else f"{shown(text)} is no variable of the environment"
        advice = "put it into a variable of the environment, and write its name, like SLACK_URL"
        fields.findings.fault(path, what, advice, node.place)
        return None
    found = ADDRESS.fullmatch(text)
    if PASSWORD.match(text):
        advice = "put the whole address into a variable, and write its name"
        fields.findings.fault(path, "a password in an address is stored with the flow", advice, node.place)
    elif found is None or not 0 < int(found["port"] or 80) < 65_536:
        fields.findings.fault(path, "this is no address", "write one like https://example.org/hook", node.place)
    else:
        return text
    return None


def _topics(fields: Fields, given: Entries, path: Path) -> list[Topic]:
    if "on" not in given:
        return list(USUAL)
    node = given["on"].value
    found = [fields.choice(item, path, "what is told", TOPICS) for item in fields.items(node, path)]
    if not found and not fields.findings.is_faulty(*path):
        fields.findings.fault(path, "nothing would be told", f"name some of {', '.join(TOPICS)}", node.place)
    return list(dict.fromkeys(topic for topic in found if topic is not None))


def _quiet(fields: Fields, node: Node, path: Path) -> str | None:
    text = fields.text(node, path, "the time")
    if text is not None and minutes_of(text) is None:
        advice = 'write from when to when, like "22:00-07:00"'
        fields.findings.fault(path, f"{shown(text)} is no time of the day", advice, node.place)
    return text


def check_kept_apart(targets: list[Target], clients: dict[str, Client], findings: Findings) -> None:
    """What opens a target is nobody's but the worker's: no run gets it."""
    passed_on = {name: client for client, known in clients.items() for name in known.env}
    for number, target in enumerate(targets, start=1):
        for name in target.variables:
            if name in passed_on:
                what = f"{name} is a secret of this target, and passes into every run of {passed_on[name]}"
                findings.fault(("notify", str(number)), what, f"remove it from clients.{passed_on[name]}.env")
