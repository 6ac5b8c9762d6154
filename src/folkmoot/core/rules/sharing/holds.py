"""Holds: a path belongs to one item, run or person at a time; locks and owned files are one idea (R-20)."""

from collections.abc import Iterable
from typing import Any

from folkmoot.core.commands import Actor, LockPaths, UnlockPaths, WidenRun
from folkmoot.core.enums import ASKING, ENDED, ONE_SHOT_KINDS
from folkmoot.core.explain import time_of_day
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.records import Hold
from folkmoot.core.rules.children.counting import count_said
from folkmoot.core.rules.questions import ask
from folkmoot.core.rules.sharing.paths import bad_path, meeting, normal_path, overlap
from folkmoot.core.rules.sharing.widening import DENY, beyond
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.ways import Way
from folkmoot.errors import Invalid, Refused

LOCK_SECONDS = 1800.0
LOCK_SECONDS_MAX = 7 * 86_400.0
PATHS_MAX = 200
# All in all: every claim looks at each path that is held, and each event of an item's files tells all of them.
HELD_MAX, HELD_CHARACTERS_MAX = 1_000, 50_000
BESIDE = " beside "  # in the name of the hold of a landing that another one takes along; no branch is called so
LEAVES = ("failed", "incomplete", "released")  # ends of a run after which another goes on with the same work


def in_the_way(
    paths: Iterable[str], holds: Iterable[Hold], item: str | None, waiters: Iterable[str] = ()
) -> list[Hold]:
    """The holds of others that keep an item off these paths.

    A holder that waits for this item, and has no run of its own, keeps it out of nothing: both would wait for ever.
    """
    meets, waiting = meeting(paths), set(waiters)
    return [
        hold
        for hold in holds
        if (hold.item is None or (hold.item != item and hold.item not in waiting)) and meets(hold.path)
    ]


def held_by(hold: Hold) -> str:
    """Who has a path, and until when, as whoever is kept out is told."""
    until = f"at {time_of_day(hold.expires_at)} at the latest" if hold.expires_at else "when its run ends"
    until = "when that item lands, ends or waits for a person" if hold.item and not hold.run else until
    return f"{hold.path} is held by {hold.owner}{f' for item {hold.item}' if hold.item else ''}; it is free {until}"


def held_details(hold: Hold) -> dict[str, Any]:
    """The same as data."""
    whose = {"path": hold.path, "owner": hold.owner, "item": hold.item, "run": hold.run}
    return {"held": held_by(hold), **whose, "expires_at": hold.expires_at}


def take_paths(case: Case, owner: str) -> None:
    """A writing run begins: the item holds what it declared, from now until it ends or gives way."""
    item = case.item
    missing = [path for path in item.files if path not in item.holds]
    if not missing:
        return
    rows = [_row(case, f"item:{item.id}:{path}", path, owner, item.id, None, None) for path in missing]
    context = {"paths": missing, "by": owner}
    case.emit("paths_held", context, item={"holds": [*item.holds, *missing]}, holds=rows)


def needless(item: Item) -> list[str]:
    """The paths it holds and need not: it has ended, or waits for a person; or a person took them out of its files."""
    if item.status in ENDED or item.status in ASKING:
        return item.holds
    return [path for path in item.holds if path not in item.files] if item.status != "running" else []


def give_up_paths(case: Case, paths: list[str]) -> None:
    """Others may have them."""
    item = case.item
    rows = [(f"item:{item.id}:{path}", {"held": False}) for path in paths]
    left = [path for path in item.holds if path not in paths]
    case.emit("paths_released", {"paths": paths}, item={"holds": left}, holds=rows)


def end_locks(case: Case, run: str) -> None:
    """Locks of a run end with it (R-27)."""
    mine = [hold for hold in case.holds.values() if hold.run == run and hold.held]
    if mine:
        rows = [(hold.id, {"held": False}) for hold in mine]
        case.emit("paths_released", {"paths": [hold.path for hold in mine]}, holds=rows)


def branch_of(flow: Flow, item: Item) -> str:
    """The branch the item's work is for: that of its parent or of who sent for it, or the flow's target."""
    return f"item {item.asker}" if item.asker else flow.target


def landing_bar(flow: Flow, item: Item) -> str:
    """What keeps the item from landing while another lands there."""
    return f"landing:{branch_of(flow, item)}"


def taken_branches(holds: Iterable[Hold]) -> set[str]:
    """By the same names."""
    return {_landing_bar(hold) for hold in holds if is_landing(hold)}


def is_landing(hold: Hold) -> bool:
    return hold.id.startswith("landing:")


def _landing_bar(hold: Hold) -> str:
    return hold.id.partition(BESIDE)[0]


def landings_there(case: Case) -> list[Hold]:
    """Who is landing on the branch that the item's work is for: one at a time (R-19), or several by one move. The one
    that has the branch comes first, as long as it is at work."""
    bar = landing_bar(case.flow, case.item)
    there = [hold for hold in case.holds.values() if hold.held and is_landing(hold) and _landing_bar(hold) == bar]
    return sorted(there, key=lambda hold: hold.id != bar)


def take_branch(case: Case, beside: str | None = None) -> None:
    """The landing has its branch for itself, until its run ends. Each of several that land by one move holds it: the
    last of them may be about to move it when the first has ended."""
    assert case.run is not None
    branch = branch_of(case.flow, case.item)
    # No run may change anything below this folder, so that it stands in nobody else's way.
    path = f".git/refs/heads/{branch.replace(' ', '-')}"
    name = landing_bar(case.flow, case.item) + (f"{BESIDE}{case.item.id}" if beside else "")
    row = _row(case, name, path, case.run.agent, case.item.id, case.run.id, None)
    case.emit("paths_held", {"paths": [path], "by": case.run.agent}, holds=row)


def widen(case: Case, command: WidenRun) -> None:
    """The run asks for more files: it gets them if nobody else holds them; it never waits."""
    assert case.run is not None
    item = case.item
    paths = _checked(command.paths)
    if item.kind in ("expert", "sub"):
        words = "an item of kind {kind} writes nothing"
        raise Refused("may_not_widen", words, "say in the report what is needed", item.kind)
    by_hand = case.run.person is not None  # nobody else need be asked
    wanted = [] if by_hand else beyond(case.flow, item.files, paths)
    others = in_the_way(paths, case.holds.values(), item.id, case.situation.waiters)
    if others and item.files and not wanted and not by_hand:
        _wait_for_paths(case, paths, others[0])
        return
    _refuse_if_held(case, paths, item.id)
    if wanted:
        _ask_for(case, wanted)
        return
    files = list(dict.fromkeys([*item.files, *paths]))
    missing = [path for path in paths if path not in item.holds]
    if files == item.files and not missing and not item.wanted:
        return  # it has them already
    _check_room(files, f"item {item.id}")
    rows = [_row(case, f"item:{item.id}:{path}", path, case.run.agent, item.id, None, None) for path in missing]
    fields: dict[str, Any] = {"files": files, "holds": [*item.holds, *missing]}
    new = [path for path in files if path not in item.files]
    if new and item.files and not by_hand:
        fields["widened"] = [*item.widened, *new]
    if item.wanted:
        fields["wanted"] = [path for path in item.wanted if path not in paths]
    case.emit("paths_held", {"paths": paths, "by": case.run.agent, "widened": True}, item=fields, holds=rows)


def _wait_for_paths(case: Case, paths: list[str], hold: Hold) -> None:
    """The run does not get them, and its item does not ask for them again and again: if this run leaves the work, the
    next one begins when they are free, and has them."""
    wanted = list(dict.fromkeys([*case.item.wanted, *paths]))
    _check_room([*case.item.files, *wanted], f"item {case.item.id}")
    hint = "go on without it, or report incomplete: the item's next run begins when it is free, and may change it"
    case.refusal = Refused("path_held", "{held}", hint, **held_details(hold))
    if wanted != case.item.wanted:
        context = {"paths": paths, "by": case.run.agent if case.run else "", "why": held_by(hold)}
        case.emit("paths_wanted", context, item={"wanted": wanted})


def with_wanted(item: Item, outcome: str | None) -> dict[str, Any]:
    """What changes when a run ends that was refused paths: work that is left needs them, so it waits for them."""
    if not item.wanted:
        return {}
    if outcome not in LEAVES:
        return {"wanted": []}
    new = [path for path in dict.fromkeys(item.wanted) if path not in item.files]
    return {"wanted": [], "files": [*item.files, *new], "widened": [*item.widened, *new]}


def _ask_for(case: Case, paths: list[str]) -> None:
    """A person is asked once about these paths, and the run goes on without them: whoever spoke for it is told so."""
    item, names = case.item, ", ".join(paths)
    denied = [path for path in paths if path in item.denied]
    if case.flow.widen == DENY or denied or item.kind in ONE_SHOT_KINDS:
        why = f"a person said no to {denied[0]}" if denied else "the flow lets no run take them by itself"
        words = "item {item} does not get {names}: {why}"
        raise Refused("may_not_widen", words, "say in the report what is needed", item.id, names, why)
    if any(question.state == "open" and set(paths) <= set(question.paths) for question in case.questions.values()):
        return
    counted = count_said(case, "questions", names)
    case.emit("paths_wanted", {"paths": paths, "by": case.actor.name, "why": "a person is asked"}, **counted)
    ways = Way("yes, it may change them", "give", says="yes"), Way("no", "keep", says="no")
    words = f"{case.actor.name} wants to change {names}, which item {item.id} was not given. May it?"
    told = f"the item: {item.title}; its files: {', '.join(item.files) or 'none were named'}"
    ask(case, "decision", words, *ways, context=told, blocking=False, paths=paths)


def lock(case: Case, command: LockPaths) -> None:
    """A person's lock always expires; a run's ends with the run too. Taking one's own again makes it last longer, and
    never shorter: who wants that gives it up first."""
    paths = _checked(command.paths)
    if not 1 <= command.seconds <= LOCK_SECONDS_MAX:
        words = "a lock for {seconds:g}s is not possible"
        raise Invalid("bad_lock", words, "between 1s and {days:.0f} days", command.seconds, LOCK_SECONDS_MAX / 86400)
    run = case.voice
    owner = run.agent if run else case.actor.name
    mine = _prefix(case)
    others = [hold for hold in case.holds.values() if not _is_lock_of(case, hold)]
    _refuse_if_held(case, paths, run.item if run else None, others)
    own = [hold.path for hold in case.holds.values() if hold.held and hold.id.startswith(mine)]
    _check_room(list(dict.fromkeys([*own, *paths])), owner)
    rows = [
        _row(case, f"{mine}{path}", path, owner, run.item if run else None, run.id if run else None, command.seconds)
        for path in paths
    ]
    rows = [_renewed(case.holds.get(hold), hold, fields) for hold, fields in rows]
    context = {"paths": paths, "by": owner, "seconds": command.seconds, "never_shorter": True}
    case.emit("paths_held", context, holds=rows)


def _renewed(known: Hold | None, hold: str, fields: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """One's own lock, taken again while it holds: it is as old as it was, and ends no sooner."""
    if known is None or not known.held or known.until is None:
        return hold, fields
    fields["acquired_at"] = known.acquired_at
    if known.until > fields["until"]:
        fields |= {"until": known.until, "expires_at": known.expires_at}
    return hold, fields


def note_on_lock(holds: Iterable[Hold], command: LockPaths | UnlockPaths, actor: Actor, now: float) -> str | None:
    """What is told to whoever wants a lock of its own for a shorter time than it has it."""
    if not isinstance(command, LockPaths):
        return None
    paths, ends = {normal_path(path) for path in command.paths}, now + command.seconds
    mine = [hold for hold in holds if hold.path in paths and hold.until is not None and hold.until > ends]
    mine = [hold for hold in mine if (hold.run == actor.run if actor.run else hold.owner == actor.name)]
    names = ", ".join(hold.path for hold in mine if actor.run or hold.item is None)
    return f"{names}: locked for longer already, and stays so until it is over or unlocked" if names else None


def unlock(case: Case, command: UnlockPaths) -> None:
    """Only one's own; what an item declared is not unlocked by hand."""
    mine = _prefix(case)
    paths = _checked(command.paths)
    rows = []
    for path in paths:
        hold = case.holds.get(f"{mine}{path}")
        if hold is None or not hold.held:
            other = next((h for h in case.holds.values() if overlap([path], [h.path])), None)
            by_run = f", by its run {other.run}" if other and other.run else ""
            holds = f"{other.path} is held by {other.owner}{by_run}" if other else "nobody holds it"
            words = "{actor} has no lock on {path!r}: {holds}"
            raise Refused("not_yours", words, "see: <locks>", case.actor.name, path, holds)
        rows.append((hold.id, {"held": False}))
    case.emit("paths_released", {"paths": paths, "by": case.actor.name}, holds=rows)


def pass_on(case: Case, agent: str, paths: list[str], seconds: float) -> None:
    """A person decides whose a lock is: others' locks end, and it begins. What an item has for its work is not taken
    from under its run."""
    paths = _checked(paths)
    mine = _prefix_of(agent)
    others = [h for h in in_the_way(paths, case.holds.values(), None) if h.held and not h.id.startswith(mine)]
    _refuse_if_held(case, paths, None, [hold for hold in others if hold.item is not None and hold.run is None])
    if others:
        ended = {"paths": [hold.path for hold in others], "by": case.actor.name}
        case.emit("paths_released", ended, holds=[(hold.id, {"held": False}) for hold in others])
    rows = [_row(case, f"{mine}{path}", path, agent, None, None, seconds) for path in paths]
    case.emit("paths_held", {"paths": paths, "by": agent, "seconds": seconds}, holds=rows)


def _is_lock_of(case: Case, hold: Hold) -> bool:
    """The actor's own: a run's by its id, a person's by the name."""
    if case.voice:
        return hold.run == case.voice.id
    return hold.item is None and hold.owner == case.actor.name


def _prefix(case: Case) -> str:
    return f"run:{case.voice.id}:" if case.voice else _prefix_of(case.actor.name)


def _prefix_of(name: str) -> str:
    # A colon in a name must not make it another one's: `a` on `b:x` is not `a:b` on `x`.
    return f"person:{name.replace('%', '%25').replace(':', '%3A')}:"


def _checked(paths: list[str]) -> list[str]:
    if not paths or len(paths) > PATHS_MAX:
        raise Invalid("bad_path", "1 to {limit} paths can be named at once", "name the files or folders", PATHS_MAX)
    for path in paths:
        if bad_path(path):
            words = "{path!r} cannot be held: {why}"
            raise Invalid("bad_path", words, "like src/auth/reset.py or src/auth/", path[:80], bad_path(path))
    return list(dict.fromkeys(normal_path(path) for path in paths))


def _check_room(paths: list[str], whose: str) -> None:
    """Refuse what would make the board slow for everybody."""
    if len(paths) > HELD_MAX or sum(map(len, paths)) > HELD_CHARACTERS_MAX:
        words = "{whose} would have {count} paths; {limit} with {characters} characters are the most"
        hint = "name the folders they are in"
        raise Refused("too_many_paths", words, hint, whose, len(paths), HELD_MAX, HELD_CHARACTERS_MAX)


def _refuse_if_held(case: Case, paths: list[str], item: str | None, holds: list[Hold] | None = None) -> None:
    for hold in in_the_way(paths, case.holds.values() if holds is None else holds, item, case.situation.waiters):
        whose = f"item {hold.item}" if hold.item else hold.owner
        hint = "wait for {whose}, or work on something else; see: <locks>"
        raise Refused("path_held", "{held}", hint, whose, **held_details(hold))


def _row(
    case: Case, hold: str, path: str, owner: str, item: str | None, run: str | None, seconds: float | None
) -> tuple[str, dict[str, Any]]:
    at, now = case.situation.at, case.now
    fields: dict[str, Any] = {"path": path, "owner": owner, "item": item, "run": run, "held": True, "acquired_at": at}
    fields["until"] = None if seconds is None else now + seconds
    fields["expires_at"] = None if seconds is None else at + round(seconds * 1000)
    return hold, fields


def wants_paths(item: Item, write: str) -> bool:
    return bool(item.files) and write != "none"
