"""What stands inside of the fields of a question or of an ATTEMPT block: code, a log, a form, words about an attempt.
None of it is the agent's report, and none of it ends the block."""

from dataclasses import dataclass, field

from folkmoot.reports.asking.attempt_lines import attempt_in, has_fields
from folkmoot.reports.asking.question_lines import OF_QUESTIONS, QUESTION_LABELS, ends_block, goes_on_below
from folkmoot.reports.loose.names import label_in
from folkmoot.reports.page import SPOKEN, Line, Page
from folkmoot.reports.signals import SEEKING, SIGNALS_MAX, attempts, signal_in
from folkmoot.reports.status import read_status

_STATUS = {"status": "status"}
_MARKS = ("```", "~~~")
_YAML = ("yaml", "yml")
_BULLETS = ("-", "*", "+", "•")


@dataclass(slots=True)
class Background:
    """The numbers of such lines; and fences below the last field, which may hold the report instead."""

    lines: set[int] = field(default_factory=set)
    behind: list[set[int]] = field(default_factory=list)

    def unheard(self, heard: set[int]) -> set[int]:
        """With the fences below a last field in which nothing was heard."""
        return self.lines.union(*(fence for fence in self.behind if not fence & heard))


def background(page: Page) -> Background:
    """That of every question and every ATTEMPT block in the text, which from now on counts as told by others."""
    found = Background(lines=_of_blocks(page))
    starts = [
        line.number
        for line in page.lines
        if not line.quoted and _asks(line) and (line.fence is None or page.fences[line.fence].language in SPOKEN)
    ]
    for start in starts[-SIGNALS_MAX:]:
        if start not in found.lines:
            _look(page, start, found)
    for number in found.lines & {line.number for line in page.lines}:
        page.lines[number].quoted = True
    return found


def _of_blocks(page: Page) -> set[int]:
    """The fences in the fields of ATTEMPT blocks, with their marks."""
    if not page.fences:
        return set()
    inside = {number for block in attempts(page.lines) for number in block.lines}
    held: set[int] = set()
    for fence in page.fences:
        if fence.before in inside:
            own = {fence.before, *(line.number for line in page.inside(fence))}
            held |= {*own, max(own) + 1}
    return held


def _asks(line: Line) -> bool:
    signal = signal_in(line)
    return signal is not None and signal.group(1).upper() == SEEKING


def _look(page: Page, start: int, found: Background) -> None:
    """The block that begins here. What stands between two of its fields is certainly inside of the first."""
    label, fence = -1, page.lines[start].fence
    below: list[Line] = []  # what stands below the last field that was found
    points: bool | None = None  # are the fields points of a list? Else a point is none of them
    known: set[str] = set()
    for line in page.lines[start + 1 :]:
        words = line.text.strip()
        if fence is not None and line.fence != fence:
            break
        told = line.quoted or line.fence != fence or words.startswith(_MARKS)
        name = None if told else label_in(words, QUESTION_LABELS)
        points = words[:1] in _BULLETS if points is None and name is not None else points
        name = None if words[:1] in _BULLETS and not points else name
        if name is not None and name[0] in OF_QUESTIONS:
            found.lines |= {one.number for one in below if not one.quoted}
            label, below = line.number, []
            known.add(name[0])
        elif not told and name is None and _ends(page, line, label, known):
            break
        elif name is None and label >= 0:
            below.append(line)
    if label >= 0:
        _look_behind(page, label, below, found)


def _ends(page: Page, line: Line, label: int, known: set[str]) -> bool:
    words = line.text.strip()
    if attempt_in(words) is not None:
        return has_fields(page.lines, line.number)
    if ends_block(words):
        return True
    if words.startswith("#"):
        return not goes_on_below(page.lines, line.number, line.fence, known)
    before = page.lines[line.number - 1].text
    # In the middle of a field a signal is only told of, if more fields of the block follow.
    return signal_in(line, before) is not None and (label < 0 or not before.strip() or line.number == label + 1)


def _look_behind(page: Page, label: int, below: list[Line], found: Background) -> None:
    """Below the last field the agent's report may follow: a form that can be read, a fence with a report in it."""
    plain = [line for line in below if line.fence == page.lines[label].fence and not line.quoted]
    ends = next((place for place, line in enumerate(plain) if signal_in(line) is not None), len(plain))
    plain = plain[:ends]
    found.lines |= {line.number for line in plain if attempt_in(line.text.strip()) is not None}
    stated = [label_in(words, _STATUS) for line in plain if (words := line.text.strip())[:1].isalpha()]
    told = [name[1] for name in stated if name is not None and name[1]]
    if told and all(read_status([(0, words)]).outcome is None for words in told):
        found.lines |= {line.number for line in plain if not line.text.strip().startswith(_MARKS)}
    last = plain[-1].number if plain else label
    gap = next((line.number for line in plain if not line.text.strip()), last)  # what stands above is surely inside
    for fence in page.fences:
        if label < fence.before <= last:
            own = {fence.before, *(line.number for line in page.inside(fence))}
            own.add(max(own) + 1)
            spoken = fence.language in SPOKEN or fence.language in _YAML
            if spoken and gap < fence.before:
                found.behind.append(own)
            else:
                found.lines |= own
