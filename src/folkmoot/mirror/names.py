"""The names of the mirror's files. They come only from what was checked: uuids, numbers, paths inside the project."""

import re
from functools import lru_cache

from folkmoot.core.rules.running.names import in_board, in_git, parts, touches
from folkmoot.core.rules.sharing.paths import bad_path, normal_path

STATE, EVENTS = "state.json", "events.jsonl"
HANDOFFS, KANBAN, QUESTS, INBOX, REJECTED, ARCHIVE = "handoffs", "kanban", "quests", "inbox", "rejected", "events"
STATUSES = ("pending", "accepted", "completed", "rejected")
STAGES = tuple(f"{HANDOFFS}/{status}" for status in STATUSES)
META = ".meta.yaml"
MARK = ".moot-mirror"  # says that the folder is one
IGNORE = ".gitignore"
BEGINS, ENDS = ".moot-", ".tmp"  # around the name of a file that is being written beside its place
RESERVED = frozenset({STATE, EVENTS, HANDOFFS, KANBAN, QUESTS, INBOX, REJECTED, ARCHIVE})
PART_BYTES_MAX = 255 - len(META)
UUID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
HANDOFF = re.compile(rf"handoff-({UUID.pattern})\.json")
NUMBER = re.compile(r"[1-9][0-9]{0,17}")
# What editors and careful writers leave beside a file while they write it.
PASSING = re.compile(r"\..*|.*(~|\.tmp|\.swp|\.swx|\.part|\.new|\.lock|\.bak)", re.DOTALL)


def handoff_path(message: str, status: str) -> str | None:
    """None for an id that is no uuid: no file is named after it."""
    if not UUID.fullmatch(message) or status not in STATUSES:
        return None
    return f"{HANDOFFS}/{status}/handoff-{message}.json"


def is_sent(path: str) -> bool:
    """Is it the file of a message that is only being sent, or lies among them where none belongs?"""
    return path.startswith(f"{HANDOFFS}/") and not path.startswith(STAGES[1:])


def item_path(item: str) -> str | None:
    return f"{KANBAN}/{item}.yaml" if NUMBER.fullmatch(item) else None


def quest_path(item: str) -> str | None:
    return f"{QUESTS}/{item}.json" if NUMBER.fullmatch(item) else None


def archive_path(number: int) -> str:
    return f"{ARCHIVE}/{number:06d}.jsonl"


@lru_cache(4096)
def meta_path(artifact: str) -> str | None:
    """The file beside an artifact: tests/a.md has tests/a.meta.yaml. None where no file may be named so."""
    if bad_path(artifact) or artifact.strip().endswith(("/", "\\")):
        return None
    path = normal_path(artifact)
    parts = path.split("/")
    if in_git(path) or in_board(path) or parts[0].casefold() in RESERVED:
        return None
    if any(len(part.encode("utf-8", "replace")) > PART_BYTES_MAX or part.startswith("-") for part in parts):
        return None
    if any("\ud800" <= letter <= "\udfff" for letter in path):
        return None
    return f"{path.removesuffix('.md') if parts[-1] != '.md' else path}{META}"


def item_of(path: str) -> str | None:
    """The item whose file this is, in kanban/ or quests/."""
    folder, _, name = path.partition("/")
    stem, _, suffix = name.partition(".")
    fits = (folder, suffix) in ((KANBAN, "yaml"), (QUESTS, "json")) and NUMBER.fullmatch(stem)
    return stem if fits else None


def is_passing(name: str) -> bool:
    """Is it a file that somebody is only writing, or an editor's own?"""
    return PASSING.fullmatch(name) is not None


def is_of_mirror(folder: str, path: str) -> bool:
    """Is a path of the project, or what is in it, a file of the mirror in this folder?"""
    folder = "" if folder in ("", ".") else f"{folder.strip('/')}/"
    if not path.startswith(folder):
        return False
    inside, name = path.removeprefix(folder), path.rpartition("/")[2]
    own = {*RESERVED, MARK, IGNORE} if folder else {*RESERVED, MARK}  # that of the project itself is the user's
    return inside.partition("/")[0] in own or inside.endswith(META) or (name.startswith(BEGINS) and name.endswith(ENDS))


def in_mirror(folder: str, path: str) -> bool:
    """Would a file at a path of the project be one of the mirror in this folder, however a file system spells it, or
    stand in the way to that?"""
    above, steps = parts(folder), parts(path)
    inside = steps[len(above) :]
    if steps[: len(above)] != above or not inside:
        return bool(above) and touches(path, [above])
    return is_of_mirror("/".join(above), "/".join(steps))


def ignore_rules(folder: str) -> list[str]:
    """The mirror's files as git's rules for what it passes over, from the folder on that holds it."""
    above = "/" if folder in ("", ".") else f"/{folder.strip('/')}/"
    folders = (ARCHIVE, HANDOFFS, KANBAN, QUESTS, INBOX, REJECTED)
    below = f"{above}**/" if folder not in ("", ".") else ""
    beside = [f"{below}*{META}", f"{below}{BEGINS}*{ENDS}"]
    return [*(f"{above}{name}" for name in (STATE, EVENTS, MARK)), *(f"{above}{name}/" for name in folders), *beside]
