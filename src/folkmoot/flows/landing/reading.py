"""What a flow file says about landing: on a branch, or by a pull request."""

import re
from typing import Any, get_args

from folkmoot.core.enums import ForgeKind
from folkmoot.core.flow import Land
from folkmoot.flows import keys
from folkmoot.flows.faults import shown
from folkmoot.flows.fields import Entries, Fields
from folkmoot.flows.running import is_branch, remote_named
from folkmoot.flows.source import Node

LAND_KEYS = list(keys.LAND)
MODES = ["branch", "pr"]
CHECKS = ["required"]
MERGES = ["never", "when_green"]
ITEM = "{item}"  # in the name of a branch: the item's number
REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}(?:/[A-Za-z0-9_.-]{1,100}){1,20}")
# Without a name and a password, a query or a part behind #. Only on this machine it may be without encryption.
HOST = r"(?:[A-Za-z0-9.-]+|\[[0-9a-fA-F:.]+\])(?::[0-9]{1,5})?"
API = re.compile(
    rf"https://{HOST}(?:/[^\s?#@]*)?|http://(?:127\.0\.0\.1|localhost|\[::1\])(?::[0-9]{{1,5}})?(?:/[^\s?#@]*)?"
)
BATCH_MAX = 100  # all of them land in one transaction, while nobody else can write
FORGES = list(get_args(ForgeKind))
ONLY_PR = ("branch", "draft", "checks", "merge", "forge", "command", "repository", "api", "remote")
NOT_COMMAND = ("forge", "repository", "api")


def read_land(fields: Fields, entries: Entries) -> Land:
    if "land" not in entries:
        return Land()
    section = fields.section(entries["land"].value, ("land",), LAND_KEYS)
    given: dict[str, Any] = {}
    for key, entry in section.items():
        value = _value(fields, key, entry.value)
        if value is not None:
            given[key] = value
    land = Land(**given)
    beside = [key for key in ONLY_PR if key in section]
    if land.mode == "branch" and beside and not fields.findings.is_faulty("land"):
        what = f"{beside[0]} is for pull requests, and work lands on the branch itself"
        fields.findings.fault(("land", beside[0]), what, "add mode: pr, or remove it", section[beside[0]].key_place)
    if beside := [key for key in NOT_COMMAND if key in section and land.command]:
        what = f"{beside[0]} says which forge is asked, and the command says that"
        fields.findings.fault(("land", beside[0]), what, "remove one of the two", section[beside[0]].key_place)
    if land.mode == "pr" and "batch" in section and not fields.findings.is_faulty("land"):
        what = "each pull request is of one item, and people merge them one by one"
        fields.findings.fault(("land", "batch"), what, "remove batch, or mode: pr", section["batch"].key_place)
    return land


def _value(fields: Fields, key: str, node: Node) -> Any:
    path = ("land", key)
    if key == "mode":
        return fields.choice(node, path, "the way to land", MODES)
    if key == "checks":
        return fields.choice(node, path, "which checks count", CHECKS)
    if key == "merge":
        return fields.choice(node, path, "who merges", MERGES)
    if key == "forge":
        return fields.choice(node, path, "what the forge speaks", FORGES)
    if key == "command":
        return fields.command(node, path, needed=True)
    if key == "batch":
        return fields.count(node, path, BATCH_MAX)
    if key == "draft":
        return fields.boolean(node, path)
    if key == "remote":
        return remote_named(fields, node, path)
    text = fields.text(node, path, f"the {key}")
    if text is None:
        return None
    if key == "branch" and (text.count(ITEM) != 1 or not is_branch(text.replace(ITEM, "1"))):
        advice = "write a name with {item} in it, like moot/{item}"
        fields.findings.fault(path, f"{shown(text)} is no branch for each item", advice, node.place)
    elif key == "repository" and not REPOSITORY.fullmatch(text):
        fields.findings.fault(path, f"{shown(text)} is no repository", "write OWNER/NAME", node.place)
    elif key == "api" and not API.fullmatch(text):
        advice = "write one like https://github.example.org/api/v3; without https only on this machine"
        fields.findings.fault(path, f"{shown(text)} is no address of a forge", advice, node.place)
    else:
        return text
    return None
