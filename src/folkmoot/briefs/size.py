"""Makes a brief fit: each part has its share of the room, the most useful of each stays, and what is left out is said.

Room that one part does not need goes to those that were cut, in the order of their use.
"""

from typing import TYPE_CHECKING, Any

import msgspec

from folkmoot.briefs.quote import reports_of
from folkmoot.core.enums import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Callable

View = dict[str, Any]

BRIEF_SIZE = 60_000  # bytes of JSON, so never more characters
TEXT_MIN = 80  # a text is not cut to less while there is another way
ENTRY_SHARES = 6  # an entry of a list may take this part of its list's room before its own texts are cut

# What a brief is made of, the most useful first, and its share of the room.
SHARES = {
    "task": 20,
    "instructions": 24,
    "responses": 8,
    "asked": 4,
    "said": 6,
    "told": 4,
    "dropped": 2,
    "guidance": 8,
    "disputes": 3,
    "constraints": 10,
    "findings": 14,
    "remarks": 4,
    "advice": 5,
    "heals": 8,
    "previous": 7,
    "attempts": 9,
    "outputs": 14,
    "comments": 10,
    "projectContext": 12,
    "messages": 4,
    "artifacts": 3,
    "lessons": 5,
    "reasons": 3,
}
# Of these the newest stand last.
NEWEST_LAST = (
    "responses",
    "asked",
    "said",
    "guidance",
    "heals",
    "attempts",
    "comments",
    "disputes",
    "messages",
    "artifacts",
)
# Of these every entry is needed, so each has the same room; of the others the more useful have more.
ALIKE = ("responses", "disputes", "outputs")
SEE = {"comments": "moot comments {id}", "lessons": "moot lessons"}


def fitted(brief: View, size: int) -> View:
    """The brief itself if it fits into so many bytes of JSON, else one that does."""
    if _size(brief) <= size:
        return brief
    parts = [name for name in SHARES if brief.get(name)]
    fixed = _size({name: value for name, value in brief.items() if name not in parts})
    room = max(size - fixed - 100 * len(parts), 0)  # a line about what is left out takes room as well
    whole = sum(SHARES.values())
    shares = {name: room * SHARES[name] // whole for name in parts}
    made = {name: _cut(brief, name, shares[name]) for name in parts}
    left = room - sum(_size(made[name]) for name in parts)
    for name in parts:
        if left > 0 and _size(brief[name]) > shares[name]:
            before = _size(made[name])
            made[name] = _cut(brief, name, before + left)
            left -= _size(made[name]) - before
    return {**brief, **made, "left_out": _left_out(brief, made)}


def _left_out(brief: View, made: View) -> list[View]:
    """What is missing, part by part, and where it can be seen; added to what was missing before."""
    known = {one["what"]: one for one in brief["left_out"]}
    task = brief["task"]["id"]
    for name, part in made.items():
        if part == brief[name]:
            continue
        one = {"what": name, "count": 0, "see": SEE.get(name, "moot show {id} --json").format(id=task)}
        if name == "outputs":
            before = known[name]["see"].split("; ") if name in known else []
            named = dict.fromkeys([*before, *_reports_of(brief[name], part).split("; ")])
            one["see"] = "; ".join(see for see in named if see) or one["see"]
        if isinstance(part, list):
            one["count"] = len(brief[name]) - len(part) + known.get(name, one)["count"]
        known[name] = one
    return [known[name] for name in SHARES if name in known]


def _reports_of(outputs: list[View], told: list[View]) -> str:
    """The commands that print what is missing of outputs: each child's runs have their reports whole."""
    whole = {one["item"] for one in told if one in outputs}
    return reports_of([one["item"] for one in outputs if one["item"] not in whole])


def _cut(brief: View, name: str, size: int) -> Any:
    value = brief[name]
    if _size(value) <= size:
        return value
    if not isinstance(value, list):
        return shrunk(value, size)
    chosen: dict[int, Any] = {}
    room = size - 2
    alike = room // len(value) - 1
    for place in _by_use(brief, name):
        entry = shrunk(value[place], alike if name in ALIKE else max(room // ENTRY_SHARES, alike))
        if _size(entry) + 1 > room:
            break
        chosen[place] = entry
        room -= _size(entry) + 1
    return [chosen[place] for place in sorted(chosen)]


def _by_use(brief: View, name: str) -> list[int]:
    """The places of a list's entries, the most useful first."""
    value = brief[name]
    places = list(range(len(value)))
    if name in NEWEST_LAST:
        places.reverse()
    keys: dict[str, Callable[[int], int]] = {
        "findings": lambda place: _severity(value[place]),
        "remarks": lambda place: _severity(value[place]),
        "comments": lambda place: _closeness(brief, value[place]),
    }
    return sorted(places, key=keys[name]) if name in keys else places


def _severity(finding: View) -> int:
    severity = finding.get("severity")
    return SEVERITIES.index(severity) if severity in SEVERITIES else len(SEVERITIES)


def _closeness(brief: View, comment: View) -> int:
    """What belongs to a dispute that this run must settle comes first, then what is open."""
    threads = {dispute["thread"] for dispute in brief["disputes"]}
    if comment["id"] in threads or comment["parent"] in threads:
        return 0
    return 1 if comment["status"] == "open" else 2


def shrunk(value: Any, size: int) -> Any:
    """The value with its texts cut in the middle and its lists at the end, until it fits or nothing is left to cut."""
    made, text, entries = value, max(size, 1), 256
    while _size(made) > size and text + entries > 2:
        # Texts first; when they are short already, the lists.
        if text > TEXT_MIN or entries == 1:
            text = max(text * 2 // 3, 1)
        else:
            entries //= 2
        made = _limited(value, text, entries)
    return made


def _limited(value: Any, text: int, entries: int) -> Any:
    if isinstance(value, str):
        return cut_text(value, text)
    if isinstance(value, list | tuple):
        kept = [_limited(part, text, entries) for part in value[:entries]]
        return [*kept, f"… and {len(value) - entries} more"] if len(value) > entries else kept
    if isinstance(value, dict):
        # The names a brief itself gives stay; a long dict is somebody's own.
        names = list(value)[: max(entries, 24)]
        made = {cut_text(name, max(text, TEXT_MIN)): _limited(value[name], text, entries) for name in names}
        return {**made, "…": f"and {len(value) - len(names)} more"} if len(value) > len(names) else made
    return value


def cut_text(text: str, size: int) -> str:
    """A long text without its middle, and with a mark that says how much is missing there."""
    if len(text) <= size:
        return text
    mark = f" […{len(text) - size} characters left out…] "
    kept = max(size - len(mark), 0)
    head = kept * 2 // 3
    if not kept:
        return text[: max(size - 1, 0)] + "…"
    return text[:head] + mark + text[len(text) - (kept - head) :]


def _size(value: Any) -> int:
    return len(msgspec.json.encode(value))
