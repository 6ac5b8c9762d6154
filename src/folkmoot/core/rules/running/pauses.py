"""Stop and go, and a pool that has no quota left: each begins no runs until it is over."""

from typing import Any

from folkmoot.core.commands import PauseRun, ResumeBoard, StopBoard
from folkmoot.core.enums import ONE_SHOT_KINDS, Cause
from folkmoot.core.records import Pause
from folkmoot.core.report import Report
from folkmoot.core.rules.claims import end_run, fence
from folkmoot.core.rules.failures import passing_fault
from folkmoot.core.rules.movement import again
from folkmoot.core.rules.questions import ask
from folkmoot.core.rules.running.budgets import ALL, POOL, in_force
from folkmoot.core.rules.running.work import judge_work, keep
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.ways import Way
from folkmoot.core.work import Work
from folkmoot.errors import Invalid

QUOTA_SECONDS, QUOTA_SECONDS_MAX = 300.0, 3_600.0  # also the longest that words alone can cause
QUOTA_SECONDS_LONGEST = 7 * 86_400.0
LONG_SECONDS = 6 * 3_600.0  # a longer pause asks a person
PAUSES_MAX = 3
GO, WAIT = Way("try it now", "go", says="yes"), Way("wait until then", "wait", says="no")


def stop(case: Case, command: StopBoard) -> None:
    if ALL in in_force(case.pauses.values(), case.now):
        return
    row = {"on": True, "until": None, "why": command.why, "by": case.actor.name, "at": case.situation.at}
    case.emit("board_stopped", {"why": command.why}, pauses=(ALL, row))


def resume(case: Case, command: ResumeBoard) -> None:
    """What was paused may begin again: everything, a pool whose quota was not there included, or one pool."""
    held = in_force(case.pauses.values(), case.now)
    if command.pool is not None and POOL + command.pool not in held:
        names = [name.removeprefix(POOL) for name in held if name.startswith(POOL)]
        hint = "paused are: {known}" if names else "no pool is; see: <board>"
        raise Invalid("not_paused", "the pool {pool!r} is not paused", hint, pool=command.pool, known=names)
    _go_on(case, [pause for name, pause in held.items() if command.pool is None or name == POOL + command.pool])


def go_on(case: Case, question: str) -> None:
    """A person has said in an answer that the pool is to be tried now."""
    held = in_force(case.pauses.values(), case.now)
    _go_on(case, [pause for pause in held.values() if pause.question == question])


def _go_on(case: Case, pauses: list[Pause]) -> None:
    over = [(pause.id, {"on": False, "in_a_row": 0}) for pause in pauses]
    if over:
        case.emit("board_resumed", {"pauses": [pause_id for pause_id, _ in over]}, pauses=over)


def pause_run(case: Case, command: PauseRun) -> None:
    """Nobody's fault: nothing is counted. The pool waits; a third time with no run in between a person hears of it, and
    of a pause of many hours at once."""
    run = fence(case)
    pool = run.pool or run.agent
    cause: Cause = "environment" if command.login else "quota"
    told = {"why": command.why, "pool": pool}
    if run.gate:
        end_run(case, "run_paused", "released", told, outcome="released", cause=cause)
        passing_fault(case, cause, command.why)
        return
    before = case.pauses.get(POOL + pool)
    # Several runs that meet the same empty pool at once are one pause, not several in a row.
    shared = before is not None and before.on and before.until is not None and before.until > case.now
    count = (before.in_a_row if before else 0) + (not shared)
    seconds = _seconds(command, count)
    if shared and before is not None and before.until is not None:
        seconds = max(seconds if command.seconds is not None else 0.0, before.until - case.now)
    work, fields = _partial(case, command.work)
    end_run(case, "run_paused", "released", told, outcome="released", cause=cause, work=work, item=fields)
    lacks = "has no login" if command.login else "has no quota left"
    again(case, "item_ready", {"why": f"{pool} {lacks}"}, because=f"{pool} {lacks}: {command.why}")
    asked = before.question if before else None
    if asked not in case.situation.asked:
        asked = _ask_about(case, pool, command, seconds, count if not shared else 0)
    row = {
        "on": True,
        "until": case.now + seconds,
        "ends_at": case.situation.at + round(seconds * 1000),
        "why": command.why,
        "by": run.agent,
        "in_a_row": count,
        "login": command.login,
        "question": asked,
        "at": case.situation.at,
    }
    context = {"pool": pool, "seconds": round(seconds, 1), "why": command.why, "shown": command.shown}
    case.emit("pool_paused", context, pauses=(POOL + pool, row))


def _seconds(command: PauseRun, count: int) -> float:
    """As long as the client's event says. An agent can write any words: for them alone it is an hour at most."""
    if command.seconds is None:
        return min(QUOTA_SECONDS * 2.0 ** max(0, min(count, 10) - 1), QUOTA_SECONDS_MAX)
    return max(1.0, min(command.seconds, QUOTA_SECONDS_LONGEST if command.shown else QUOTA_SECONDS_MAX))


def _ask_about(case: Case, pool: str, command: PauseRun, seconds: float, count: int) -> str | None:
    """One question for a pool, whichever item meets it. Of a long pause it is only told: the item goes on by itself."""
    lacks = "had no login" if command.login else "had no quota"
    if count >= PAUSES_MAX:
        words = f"{pool} {lacks} {count} times in a row: {command.why}. Should it be tried again?"
    elif seconds > LONG_SECONDS and case.item.kind not in ONE_SHOT_KINDS:
        words = f"{pool} {lacks} and pauses for {seconds / 3600:.0f} hours: {command.why}. Should it be tried now?"
    else:
        return None
    before = set(case.questions)
    help = f"It goes on by itself when the pause is over; before that with: moot resume {pool}"
    ask(case, "budget", words, GO, WAIT, context=command.why, help=help, blocking=count >= PAUSES_MAX)
    return next((one for one in case.questions if one not in before), None)


def _partial(case: Case, work: Work | None) -> tuple[Work | None, dict[str, Any]]:
    """What it had made by then is kept, if it may make it at all."""
    if work is None:
        return None, {}
    judged = judge_work(case, Report(outcome="incomplete"), None, work)
    return judged.work, keep(case, judged.work) if judged.taken and judged.work else {}
