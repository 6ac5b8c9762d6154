"""Stop and go, and a pool whose runs cannot work now: each begins no runs until it is over.

A pool pauses for one cause. `quota`: until its reset. `outage`: its provider does not answer; it is tried again soon,
then less often. `environment`: it is not signed in, or its client cannot run here; no time mends that, so a person is
asked, and it waits for the answer.
"""

from typing import Any, assert_never

from msgspec.structs import replace

from folkmoot.core.commands import CloseQuestion, PauseRun, RaiseQuestion, ResumeBoard, StopBoard, StopRun
from folkmoot.core.enums import ONE_SHOT_KINDS, PoolCause
from folkmoot.core.records import Pause
from folkmoot.core.report import Report
from folkmoot.core.rules.claims import end_run, fence
from folkmoot.core.rules.failures import passing_fault, record_attempts
from folkmoot.core.rules.movement import again
from folkmoot.core.rules.questions import ask
from folkmoot.core.rules.running.budgets import ALL, POOL, ended_by, gate_pool, in_force
from folkmoot.core.rules.running.work import partial_work
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.lines import nth_time
from folkmoot.core.vocabulary.ways import CANCEL, Way
from folkmoot.errors import Invalid

QUOTA_SECONDS, QUOTA_SECONDS_MAX = 300.0, 3_600.0  # also the longest that words alone can cause
QUOTA_SECONDS_LONGEST = 7 * 86_400.0
LONG_SECONDS = 6 * 3_600.0  # a longer pause asks a person
PAUSES_MAX = 3  # in a row for the same cause; the third asks a person
OUTAGE_SECONDS, OUTAGE_GROWS, OUTAGE_SECONDS_MAX = 10.0, 3.0, 300.0
OUTAGES_MAX, HANGS_MAX = 3, 1  # that one effort meets, each while its pool had worked: one more is the item's own
GO, WAIT = Way("try it now", "go", says="yes"), Way("wait until then", "wait", says="no")
RETRY, REST = Way("retry", "go", says="yes"), Way("park these items", "park", says="no")


def stop(case: Case, command: StopBoard) -> None:
    """A board that is paused already may yet be told to end what runs."""
    held = in_force(case.pauses.values(), case.now).get(ALL)
    if held is not None and (held.now or not command.now):
        return
    row: dict[str, Any] = {"on": True, "until": None, "why": command.why or (held.why if held else "")}
    row |= {"now": command.now, "by": case.actor.name, "at": case.situation.at}
    case.emit("board_stopped", {"why": command.why, **({"now": True} if command.now else {})}, pauses=(ALL, row))


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


def end_unasked(case: Case) -> None:
    """A pool that pauses without an end does so while a person is asked: whatever closes the question lets it go on."""
    if case.pauses:
        closed = {name for name, question in case.questions.items() if question.state != "open"}
        _go_on(case, [one for one in case.pauses.values() if one.on and one.until is None and one.question in closed])


def _go_on(case: Case, pauses: list[Pause]) -> None:
    over = [(pause.id, {"on": False, "in_a_row": 0}) for pause in pauses]
    if over:
        case.emit("board_resumed", {"pauses": [pause_id for pause_id, _ in over]}, pauses=over)
    for pause in pauses:
        if pause.question and pause.asks:
            why = f"{pause.id.removeprefix(POOL)} is tried again"
            case.tell(pause.asks, CloseQuestion(question=pause.question, why=why))


def pause_run(case: Case, command: PauseRun) -> None:
    """Nobody's fault: nothing is counted, and the pool waits for what its cause says."""
    run = fence(case)
    pool = run.pool or run.agent
    cause: PoolCause = "environment" if command.login else command.cause
    told = {"why": command.why, "pool": pool, "cause": cause, "lacks": lacks(cause, command.login)}
    before = case.pauses.get(POOL + pool)
    shared = before is not None and before.id in in_force([before], case.now)
    works = not shared and not (before is not None and before.in_a_row and before.cause == cause)
    # What only this item meets, time after time, while others work, is not its provider's.
    own = cause == "outage" and works and case.item.effort.outages >= (HANGS_MAX if command.hung else OUTAGES_MAX)
    if run.gate and cause == "outage":
        _later(case, command, told)
        return
    if run.gate or own:
        _own_fault(case, command, cause, told)
        return
    work, fields = partial_work(case, command.work)
    if cause == "outage" and works:
        fields["effort"] = replace(case.item.effort, outages=case.item.effort.outages + 1)
    end_run(case, "run_paused", "released", told, outcome="released", cause=cause, work=work, item=fields)
    why = f"{pool} {lacks(cause, command.login)}"
    again(case, "item_ready", {"why": why}, because=_told(pool, command, cause))
    _pause_pool(case, pool, command, cause, before if before is not None else Pause(id=POOL + pool, on=False), shared)


def _later(case: Case, command: PauseRun, told: dict[str, Any]) -> None:
    """A gate or a landing has no pool: its item alone is tried again, after pauses as a pool's would be."""
    end_run(case, "run_paused", "released", told, outcome="released", cause="outage")
    effort = replace(case.item.effort, outages=case.item.effort.outages + 1)
    wake_at = case.now + _seconds(command, "outage", effort.outages)
    again(case, "item_ready", {"why": command.why}, because=command.why, effort=effort, wake_at=wake_at)


def _own_fault(case: Case, command: PauseRun, cause: PoolCause, told: dict[str, Any]) -> None:
    gate = case.run is not None and case.run.gate
    if gate or not command.hung:
        end_run(case, "run_paused", "released", told, outcome="released", cause=cause)
        passing_fault(case, cause, command.why)
    else:
        end_run(case, "run_paused", "released", told, outcome="failed", cause="timeout")
        record_attempts(case, Report.failed(command.why, cause="timeout"), "timeout")


def _pause_pool(case: Case, pool: str, command: PauseRun, cause: PoolCause, before: Pause, shared: bool) -> None:
    # Several runs that meet the same thing at once are one pause, not several in a row.
    count = before.in_a_row + 1 if before.cause == cause and not shared else 1
    until = _until(case, command, cause, count, before if shared else None)
    goes_on = shared and before.until == until  # the longer pause, and its cause, hold
    kept = before if goes_on else None
    asked, asks = (before.question, before.asks) if before.question in case.situation.asked else (None, None)
    if asked and asks and until is None and before.until is not None:
        case.tell(asks, CloseQuestion(question=asked, why=f"{pool} {lacks(cause, command.login)}"))
        asked = asks = None  # a person may have chosen there to wait for an end that there is not
    if asked is None and not (goes_on and until is None):
        asked, asks = _ask_about(case, pool, command, cause, until, count if not shared else 0)
    row = {
        "on": True,
        "until": until,
        "ends_at": None if until is None else case.situation.at + round((until - case.now) * 1000),
        "why": kept.why if kept else command.why,
        "by": case.run.agent if case.run else "",
        "in_a_row": kept.in_a_row if kept else count,
        "cause": kept.cause if kept else cause,
        "login": kept.login if kept else command.login,
        "question": asked,
        "asks": asks,
        "at": case.situation.at,
    }
    seconds = None if until is None else round(until - case.now, 1)
    how = "until a person answers" if seconds is None else f"for {seconds:.0f}s"
    context = {"pool": pool, "seconds": seconds, "how": how, "why": command.why, "shown": command.shown, "cause": cause}
    case.emit("pool_paused", context, pauses=(POOL + pool, row))


def shut_gate(case: Case, gate: str, why: str, words: str, *ways: Way, context: str) -> None:
    """No item can be proved by this gate now, whoever worked on it: one question is asked, and all wait for it."""
    pool = gate_pool(gate)
    if POOL + pool in in_force(case.pauses.values(), case.now):
        return
    number, before = case.situation.in_pool + 1, set(case.questions)
    wait = f" {number} items wait for it." if number > 1 else ""
    ask(case, "decision", f"{words.rstrip('.')}.{wait}" if wait else words, *ways, context=context)
    asked = next((one for one in case.questions if one not in before), None)
    if asked is None:
        return
    row: dict[str, Any] = {"on": True, "until": None, "why": why, "by": gate, "in_a_row": 1, "cause": "environment"}
    row |= {"question": asked, "asks": case.item.id, "at": case.situation.at}
    told = {"pool": pool, "seconds": None, "how": "until a person answers", "why": why, "cause": "environment"}
    case.emit("pool_paused", told, pauses=(POOL + pool, row))


def stop_run(case: Case, command: StopRun) -> None:
    """A budget is used up: nobody has failed. What it made stays on the item's branch; of the item's own budget a
    person is asked, and the day's begins anew by itself."""
    run = fence(case)
    spent = ended_by(case)
    why = spent or "it was stopped for a budget that has been raised since"
    work, fields = partial_work(case, command.work)
    told = {"why": why, "raised": not spent}
    end_run(case, "run_stopped", "released", told, outcome="released", work=work, item=fields)
    kept = "what it made is kept" if work is not None and work.commit is not None else "it had made nothing yet"
    again(case, "item_ready", {"why": why}, because=f"{why} while {run.agent} worked on it; {kept}")


def lacks(cause: PoolCause, login: bool = False) -> str:
    """What is the matter with a pool."""
    match cause:
        case "quota":
            return "has no quota"
        case "outage":
            return "gets no answer from its provider"
        case "environment":
            return "is not signed in" if login else "cannot run here"
        case _:
            assert_never(cause)


def _told(pool: str, command: PauseRun, cause: PoolCause) -> str:
    """What its client shows, as a sentence that says of whom."""
    return command.why if pool in command.why else f"{pool} {lacks(cause, command.login)}: {command.why}"


def _until(case: Case, command: PauseRun, cause: PoolCause, count: int, held: Pause | None) -> float | None:
    """When the pool is tried again; None: when a person says so. A pause that is in force ends no sooner."""
    if cause == "environment" or (held is not None and held.until is None):
        return None
    if held is not None and held.until is not None:
        told = _seconds(command, cause, count) if command.seconds is not None else 0.0
        return max(case.now + told, held.until)
    return case.now + _seconds(command, cause, count)


def _seconds(command: PauseRun, cause: PoolCause, count: int) -> float:
    """As long as the client's event says. An agent can write any words: for them alone it is an hour at most."""
    if command.seconds is not None:
        return max(1.0, min(command.seconds, QUOTA_SECONDS_LONGEST if command.shown else QUOTA_SECONDS_MAX))
    if cause == "outage":
        return min(OUTAGE_SECONDS * OUTAGE_GROWS ** min(count - 1, 10), OUTAGE_SECONDS_MAX)
    return min(QUOTA_SECONDS * 2.0 ** max(0, min(count, 10) - 1), QUOTA_SECONDS_MAX)


def _ask_about(
    case: Case, pool: str, command: PauseRun, cause: PoolCause, until: float | None, count: int
) -> tuple[str | None, str | None]:
    """One question for a pool, whichever item meets it, and the item that asks it. What time mends is only told: the
    items go on by themselves."""
    what = _told(pool, command, cause)
    goes_on = f"It goes on by itself; whoever resumes {pool} lets it go on before that"
    blocking = cause == "quota" and count >= PAUSES_MAX
    if until is None:
        number = case.situation.in_pool + 1  # this one too
        wait = f"{number} item{'s' if number > 1 else ''} of {pool} wait{'' if number > 1 else 's'}"
        words = f"{what}. {wait}. {'Sign in, then' if command.login else 'When that is mended,'} answer: retry"
        raised = RaiseQuestion(kind="decision", question=words, part="", ways=[RETRY, REST, CANCEL])
    elif count >= PAUSES_MAX:
        words = f"{what}. {pool} pauses for that reason{nth_time(count)} in a row. Should it be tried now?"
        raised = RaiseQuestion(kind="budget", question=words, part="", help=goes_on, ways=[GO, WAIT])
    elif until - case.now > LONG_SECONDS:
        words = f"{what}. {pool} pauses for {(until - case.now) / 3600:.0f} hours. Should it be tried now?"
        raised = RaiseQuestion(kind="budget", question=words, part="", help=goes_on, ways=[GO, WAIT])
    else:
        return None, None
    item = case.item
    if item.kind in ONE_SHOT_KINDS and item.parent:
        case.tell(item.parent, replace(raised, context=command.why, blocking=False, pool=pool))
        return None, None  # its parent asks, and says so then
    before, part = set(case.questions), item.agent if item.kind in ONE_SHOT_KINDS else None
    ways, told = raised.ways, raised.question
    ask(case, raised.kind, told, *ways, context=command.why, help=raised.help, blocking=blocking, part=part)
    return next((one for one in case.questions if one not in before), None), item.id
