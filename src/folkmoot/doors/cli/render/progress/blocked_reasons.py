"""What is ready and yet begins no run here: who cannot be started, what is paused, who must be claimed for."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from folkmoot.api.call import Ask
from folkmoot.api.metrics import Metrics
from folkmoot.api.pages import LostWork
from folkmoot.api.requests import ListQuestions, ShowBlocked
from folkmoot.api.views import Blocked, LiveRun, PauseView
from folkmoot.core.rules.running.pauses import lacks
from folkmoot.doors.cli.render.page import one_line, short_run, when, zone_of
from folkmoot.engine.reads.blocked import DAY, POOL, STOPPED

IDS_MAX = 5
REASONS_MAX = 4


class Beside(Struct, frozen=True):
    """What is not on an item itself, and yet tells how it stands."""

    pauses: list[PauseView]
    kept: list[str]  # its runs that told nothing, and whose work is kept
    aside: str | None  # the branch on which landed work waits to be merged
    in_the_way: list[str]  # the user's files that keep it there
    measured: Metrics  # what it took
    lost: LostWork | None = None  # it landed, and its branch does not have it any more


def blocked_words(one: Blocked) -> str:
    """The reason as a sentence: who is not started, and what waits."""
    waits = f"; {ids(one.items)} {'waits' if len(one.items) == 1 else 'wait'}" if one.items else ""
    names = ", ".join(map(one_line, one.agents))
    if one.why == "unable":
        return f"{one_line(one.reason)}, so nobody starts {names}{waits}"
    if one.why == "no_run":
        return f"nothing says how {names} {'is' if len(one.agents) == 1 else 'are'} run{waits}"
    if one.why in ("resting", "held", "label"):
        return reason_words(one)
    return f"{reason_words(one)}{waits}"


def run_command(labels: Iterable[str]) -> str:
    """What starts a worker with the labels that are needed."""
    return " ".join(["moot run", *(f"--label {one_line(label)}" for label in labels)])


def reason_words(one: Blocked) -> str:
    """Why nothing begins, and until when that is so."""
    until = f" until {when(one.until)}" if one.until else ""
    match one.why:
        case "paused" if one.pause is not None:
            return pause_words(one.pause)
        case "resting":
            return f"{ids(one.items)} {'rests' if len(one.items) == 1 else 'rest'}{until} after a failure"
        case "held":
            return f"{ids(one.items)} {'waits' if len(one.items) == 1 else 'wait'}: {one_line(one.reason)}"
        case "starts":
            return f"{', '.join(map(one_line, one.agents))} may begin no other run{until}"
        case "label":
            return f"{ids(one.items)} {'waits' if len(one.items) == 1 else 'wait'} for {one_line(one.reason)}"
    return one_line(one.reason)


def lease_words(run: LiveRun) -> str:
    """A run of somebody else: when its item is given to another, unless it goes on."""
    until = f", its lease until {when(run.lease_expires_at)}" if run.lease_expires_at else ""
    return one_line(f"#{run.item} is held by {run.agent} ({short_run(run.run)}){until}")


def idle_words(ask: Ask, unable: Mapping[str, str], only: Sequence[str]) -> str:
    """What a worker waits for that has nothing to do, and until when; empty where nothing is left to do."""
    view = ask(ShowBlocked(unable=dict(unable), only=list(only)))
    told = [blocked_words(one) for one in view.blocked]
    told += [lease_words(run) for run in view.runs]
    asked = ask(ListQuestions()).questions
    told += [f"{', '.join(one.id for one in asked[:IDS_MAX])} for you"] if asked else []
    more = f" · and {len(told) - REASONS_MAX} more" if len(told) > REASONS_MAX else ""
    return "waiting: " + " · ".join(told[:REASONS_MAX]) + more if told else ""


def ids(items: list[str]) -> str:
    more = f" and {len(items) - IDS_MAX} more" if len(items) > IDS_MAX else ""
    return ", ".join(f"#{item}" for item in items[:IDS_MAX]) + more


def pause_words(pause: PauseView) -> str:
    """What begins no runs, and until or since when. Days of budgets are those of UTC, so there the zone is said."""
    names = {STOPPED: "the board is paused", DAY: f"{pause.why}: no agent begins"}
    words = names.get(pause.what) or f"{pause.what.removeprefix(POOL)} {lacks(pause.cause or 'quota', pause.login)}"
    by = f" by {pause.by}" if pause.what == STOPPED else ""
    zone = f" {zone_of(pause.until)}" if pause.what == DAY and pause.until else ""
    end = f" until {when(pause.until)}{zone}" if pause.until else f" since {when(pause.since)}{by}"
    return one_line(words) + end
