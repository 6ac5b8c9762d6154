"""What a digest says, part by part, before it has a form. Every form says the same."""

from msgspec import Struct, field

from folkmoot.api.pages import LostWork
from folkmoot.api.summary.digest import Digest, DigestItem
from folkmoot.core.rules.running.spending import at_least
from folkmoot.doors.cli.render.page import count, one_line, when
from folkmoot.doors.cli.render.plot.usage import money, short, time
from folkmoot.doors.cli.render.progress import lost
from folkmoot.doors.cli.render.progress.blocked_reasons import pause_words

SHOWN_MAX = 20


class Line(Struct, frozen=True):
    """One thing: its name, what is said of it, and beside that what is worth less."""

    name: str
    words: str
    more: str = ""
    below: list[str] = field(default_factory=list)


class Part(Struct, frozen=True):
    title: str
    mood: str  # bad, good, care, quiet
    lines: list[Line]
    left_out: int = 0
    command: str = ""  # that shows more


def head(view: Digest) -> str:
    return f"{one_line(view.flow)}: since {when(view.since)}"


def summary(view: Digest) -> str:
    """All of it in one sentence."""
    told = [
        f"{len(view.landed)} landed",
        f"{len(view.lost)} lost since" if view.lost else "",
        f"{count(len(view.questions), 'question')} for you",
        f"{count(view.total.runs, 'run')}" + (f" ({view.failed} failed)" if view.failed else ""),
        money(view.total) if view.total.runs else "",
    ]
    return ", ".join(part for part in told if part)


def is_empty(view: Digest) -> bool:
    return not (
        view.lost or view.landed or view.done or view.cancelled or view.questions or view.total.runs or view.lessons
    )


def parts(view: Digest) -> list[Part]:
    gone = {one.item for one in view.lost}
    made = [
        _part(lost.TITLE, "bad", [_lost(one) for one in view.lost], "moot doctor"),
        _asked(view),
        _part(
            "Landed", "good", [_item(item) for item in view.landed if item.item not in gone], "moot list --status done"
        ),
        _part("Done, with nothing to land", "good", [_item(item) for item in view.done], "moot list --status done"),
        _part("Given up", "quiet", [_item(item) for item in view.cancelled], "moot list --status cancelled"),
        _part("Paused", "care", [Line("", one_line(pause_words(pause))) for pause in view.pauses], "moot board"),
        _cost(view),
        _part(
            "Learned",
            "quiet",
            [Line(f"#{one.item}", one_line(one.text), one.agent) for one in view.lessons],
            "moot lessons",
        ),
        _part(
            "Now",
            "quiet",
            [Line("", " · ".join(f"{n} {word}" for word, n in view.counts.items()))] if view.counts else [],
            "",
        ),
    ]
    return [part for part in made if part.lines]


def _part(title: str, mood: str, lines: list[Line], command: str) -> Part:
    return Part(title, mood, lines[:SHOWN_MAX], max(len(lines) - SHOWN_MAX, 0), command)


def _asked(view: Digest) -> Part:
    lines = [
        Line(f"#{asked.task_id}", one_line(asked.question), asked.id, [one_line(one.option) for one in asked.options])
        for asked in view.questions
    ]
    return _part("Waits for you", "care", lines, "moot inbox")


def _lost(one: LostWork) -> Line:
    below = [f"{words}{command}" for words, command in lost.ways(one)]
    return Line(f"#{one.item}", one_line(one.title), lost.gone(one), below)


def _item(item: DigestItem) -> Line:
    told = [
        f"on {one_line(item.branch)} {(item.commit or '')[:8]}".rstrip() if item.branch else one_line(item.why),
        at_least(item.cost_usd, item.unpriced) if item.cost_usd is not None else "",
    ]
    return Line(f"#{item.item}", one_line(item.title), ", ".join(part for part in told if part))


def _cost(view: Digest) -> Part:
    if not view.total.runs:
        return Part("Cost", "quiet", [])
    tokens = view.total.input_tokens + view.total.output_tokens
    told = [money(view.total), f"{short(tokens)} tokens" if tokens else "", f"{time(view.total.seconds)} of work"]
    whole = Line("in all", ", ".join(part for part in told if part), count(view.total.runs, "run"))
    each = [
        Line(one_line(line.title), f"{money(line)}, {time(line.seconds)}", count(line.runs, "run"))
        for line in view.agents
        if len(view.agents) > 1
    ]
    return _part("Cost", "quiet", [whole, *each], "moot usage")
