"""Stop and go, and a pool that has no quota left: each begins no runs until it is over."""

from typing import Any

from folkmoot.core.commands import PauseRun, ResumeBoard, StopBoard
from folkmoot.core.report import Report
from folkmoot.core.rules.claims import end_run, fence
from folkmoot.core.rules.failures import passing_fault
from folkmoot.core.rules.movement import again
from folkmoot.core.rules.questions import ask
from folkmoot.core.rules.running.limits import ALL, POOL, in_force
from folkmoot.core.rules.running.work import judge_work, keep
from folkmoot.core.situation import Case
from folkmoot.core.work import Work

QUOTA_SECONDS, QUOTA_SECONDS_MAX = 300.0, 3_600.0
QUOTA_SECONDS_LONGEST = 7 * 86_400.0
PAUSES_MAX = 3


def stop(case: Case, command: StopBoard) -> None:
    if ALL in in_force(case.pauses.values(), case.now):
        return
    row = {"on": True, "until": None, "why": command.why, "by": case.speaker.name, "at": case.situation.at}
    case.emit("board_stopped", {"why": command.why}, pauses=(ALL, row))


def resume(case: Case, command: ResumeBoard) -> None:
    """Everything that was paused may begin again, a pool whose quota was not there included: a person says so."""
    over = [(pause.id, {"on": False, "in_a_row": 0}) for pause in in_force(case.pauses.values(), case.now).values()]
    if over:
        case.emit("board_resumed", {"pauses": [pause_id for pause_id, _ in over]}, pauses=over)


def pause_run(case: Case, command: PauseRun) -> None:
    """Nobody's fault: nothing is counted. The pool waits; a third time with no run in between a person hears of it."""
    run = fence(case)
    pool = run.pool or run.agent
    if run.gate:
        end_run(case, "run_paused", "released", {"why": command.why, "pool": pool}, outcome="released", cause="quota")
        passing_fault(case, "quota", command.why)
        return
    before = case.pauses.get(POOL + pool)
    # Several runs that meet the same empty pool at once are one pause, not several in a row.
    shared = before is not None and before.on and before.until is not None and before.until > case.now
    count = (before.in_a_row if before else 0) + (not shared)
    guess = min(QUOTA_SECONDS * 2 ** max(0, min(count, 10) - 1), QUOTA_SECONDS_MAX)
    seconds = command.seconds if command.seconds is not None else guess
    seconds = max(1.0, min(seconds, QUOTA_SECONDS_LONGEST))
    if shared and before is not None and before.until is not None:
        seconds = max(seconds if command.seconds is not None else 0.0, before.until - case.now)
    work, fields = _partial(case, command.work)
    end_run(
        case,
        "run_paused",
        "released",
        {"why": command.why, "pool": pool},
        outcome="released",
        cause="quota",
        work=work,
        item=fields,
    )
    row = {
        "on": True,
        "until": case.now + seconds,
        "ends_at": case.situation.at + round(seconds * 1000),
        "why": command.why,
        "by": run.agent,
        "in_a_row": count,
        "at": case.situation.at,
    }
    case.emit(
        "pool_paused", {"pool": pool, "seconds": round(seconds, 1), "why": command.why}, pauses=(POOL + pool, row)
    )
    again(case, "item_ready", {"why": f"{pool} has no quota left"}, because=f"{pool} has no quota left: {command.why}")
    if count >= PAUSES_MAX and not shared:
        ask(case, "budget", f"{pool} had no quota {count} times in a row: {command.why}. Should it be tried again?")


def _partial(case: Case, work: Work | None) -> tuple[Work | None, dict[str, Any]]:
    """What it had made by then is kept, if it may make it at all."""
    if work is None:
        return None, {}
    judged = judge_work(case, Report(outcome="incomplete"), None, work)
    return judged.work, keep(case, judged.work) if judged.taken and judged.work else {}
