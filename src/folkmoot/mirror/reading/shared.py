"""The shared state as somebody wrote it back: what it wants beyond what was read, or why that cannot be taken."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from folkmoot.core.rules.sharing.holds import LOCK_SECONDS
from folkmoot.core.vocabulary.words import only_ends, plain
from folkmoot.errors import Refused, unknown_agent
from folkmoot.mirror.reading.forms import Lock, SharedState

ACTIVE, COMPLETED, IDLE = "active", "completed", "idle"
_EDITABLE = "locks, and agents.NAME.status (active, completed)"
_PRINTED = ("last_handoff", "current_agent", "iteration")
_HOW_ELSE = f"{ACTIVE} begins, {COMPLETED} ends its run; how else it ended says a report in inbox/, such as "


def changed_by_hand(state: SharedState, shown: dict[str, Any] | None) -> list[str]:
    """The fields that follow from what happened, and say something else than was read; who does not say what it has
    read is not held to it."""
    if state.version is None or shown is None:
        return []
    return [name for name, value in state.others.items() if name in shown and not says_same(name, value, shown[name])]


def added_by_hand(state: SharedState, shown: dict[str, Any]) -> list[str]:
    """The fields that the file has never had: nobody reads what stands there, and it is written over."""
    return [name for name, value in state.others.items() if name not in shown and value not in (None, "", [], {})]


def says_same(name: str, value: Any, board: Any) -> bool:
    """Does a field say what the board has, also in the form that the handoff document prints?"""
    if name == "current_workflow" and isinstance(value, dict) and isinstance(board, dict):
        return all(part in board and _bare(said) == _bare(board[part]) for part, said in value.items())
    return value == board or (name in _PRINTED and _bare(value) == _bare(board))


def _bare(value: Any) -> Any:
    """`handoff-<uuid>` and `workflow-<id>` without the word before the name; a number in quotes is one."""
    if not isinstance(value, str):
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    for before in ("handoff-", "workflow-"):
        value = value.removeprefix(before)
    return value.removesuffix(".json").casefold()


def not_editable(fields: list[str], added: list[str], taken: list[str]) -> Refused:
    """Each is said back by itself; what else the file changes was taken."""
    words = "{said}; taken of the same file: {taken}" if taken else "{said}"
    told = [f"{name}: it follows from what happened, and is not changed by hand" for name in fields]
    told += [f"{name[:80]}: nobody reads that here; say it in a message, a comment or a report" for name in added]
    said = "; ".join(told)
    return Refused(
        "not_editable", words, "what can be changed: {known}; an answer goes into inbox/", said, _EDITABLE, taken=taken
    )


def wanted_status(name: str, said: dict[str, Any], shown: dict[str, Any] | None, agents: Iterable[str]) -> str | None:
    """What an agent says of itself: that it is active or has completed; None where it says nothing new. Refused if it
    says what the state cannot take."""
    before = ((shown or {}).get("agents") or {}).get(name)
    status = said.get("status")
    beside = [key for key in said if key not in ("status", "last_active") and said[key] != (before or {}).get(key)]
    if beside:
        words = "agents: {name}: {beside}: an agent has a status here, and nothing beside it"
        hint = _HOW_ELSE + '{"agent": "{name}", "status": …}'
        raise Refused("bad_status", words, hint, name, ", ".join(beside)[:80])
    if before is not None and status == before["status"]:
        return status if status in (ACTIVE, COMPLETED) else None
    if name not in agents:
        raise unknown_agent(name[:80], agents)
    word = plain(status) if isinstance(status, str) else ""
    if word == ACTIVE:
        return ACTIVE
    if only_ends(word):
        return COMPLETED
    if word == IDLE and (before is None or before["status"] != ACTIVE):
        return None
    words = "agents: {name}: {status!r:.60} is no status that a file can give"
    raise Refused(
        "bad_status", words, _HOW_ELSE + '{"agent": "{name}", "status": "failed", "error": "…"}', name, status
    )


def seconds_left(lock: Lock, wall: int) -> float:
    """How long a lock shall still last, at most as long as it says; half an hour where it does not. Not above zero: it
    has expired, and is none."""
    begins, ends = _moment(lock.acquired), _moment(lock.expires)
    if ends is None:
        return LOCK_SECONDS
    left = ends - wall / 1000
    return min(left, ends - begins) if begins is not None else left


def _moment(text: str | None) -> float | None:
    try:
        told = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return (told if told.tzinfo else told.replace(tzinfo=UTC)).timestamp()


def status_in(shown: dict[str, Any] | None, agent: str) -> str | None:
    """What the state that was read said of an agent; None: nobody knows any more."""
    known = ((shown or {}).get("agents") or {}).get(agent)
    status: str | None = known["status"] if known is not None else None
    return status
