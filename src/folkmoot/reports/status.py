"""The words and boxes under Status: exactly one outcome, or what keeps them from saying one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from folkmoot.core.enums import Outcome
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.phrases.denials import behind_no
from folkmoot.core.vocabulary.phrases.reds import said_failed
from folkmoot.core.vocabulary.words import place_said
from folkmoot.reports.canonical import shown

TICKS = "✓✔✅☑🗸"
# An empty box, and signs that some read as "yes" and some as "no": neither is a tick.
_EMPTY = "☐□◻⬜▢❌✗✘☒❎✖"
_BOX = pattern(rf"\[\s{{0,3}}([xX{TICKS}_~-]?)\s{{0,3}}\]|\(\s{{0,3}}([ xX{TICKS}])\s{{0,3}}\)|([{TICKS}{_EMPTY}])")
_STRUCK = pattern(rf"(?:(?:{_BOX.pattern})\s{{0,3}})?~~[^~\n]{{0,300}}~~")
_NOISE = " \t-–—*_•·+.:;,!`'\"()=>#🟢🎉🏁"
_DENIED = pattern(r"[^\w!¬≠]{0,20}[!¬≠]")  # `!approved`

BOXES = "Complete, Needs follow-up, Blocked"
WORDS: dict[str, Outcome] = {
    "complete": "done",
    "completed": "done",
    "done": "done",
    "finished": "done",
    "approved": "done",
    "task complete": "done",
    "task completed": "done",
    "completed successfully": "done",
    "successfully completed": "done",
    "all done": "done",
    "fixes applied": "done",
    "needs follow up": "incomplete",
    "needs followup": "incomplete",
    "need follow up": "incomplete",
    "follow up needed": "incomplete",
    "incomplete": "incomplete",
    "not complete": "incomplete",
    "not completed": "incomplete",
    "not done": "incomplete",
    "not finished": "incomplete",
    "partial": "incomplete",
    "partially complete": "incomplete",
    "partially done": "incomplete",
    "in progress": "incomplete",
    "blocked": "stuck",
    "stuck": "stuck",
    "failed": "failed",
    "changes requested": "changes_requested",
    "changes needed": "changes_requested",
    "needs changes": "changes_requested",
    "needs fixes": "changes_requested",
    "not approved": "changes_requested",
    "rejected": "changes_requested",
}
_LONGEST_FIRST = sorted(WORDS, key=len, reverse=True)
_WITH_OBJECT = {
    "blocked",
    "stuck",
    "needs follow up",
    "needs followup",
    "follow up needed",
    "needs changes",
    "needs fixes",
}
_HYPHEN = pattern(r"(?<=\w)[-‐‑_](?=\w)")
_CHARS_MAX = 300
_LINES_MAX = 200
_LINE_CHARS_MAX = 2000
# Behind "Complete" these take back what it says.
_HEDGES = pattern(
    r"\b(but|except|however|although|though|not|never|partial\w*|almost|nearly|mostly|pending|incomplete|blocked|fail\w*"
    r"|unless|until|if|when|once|after|remain\w*|todo|untested|unverified|broken|cannot|can't|won't|isn't|aren't|didn't"
    r"|doesn't|needs|awaiting|waiting|soon|will|would|should|maybe|probably|n't|false|no longer|yet|wrong)\b"
)
# In a sentence of its own behind the box only these do: "if", "when" and "not" may be about anything there.
_TAKES_BACK = pattern(
    r"\b(?:except (?:for|that|the)|not (?:yet|complete\w*|done|finished|ready|tested|run|verified)|incomplete|blocked"
    r"|partial(?:ly)?|untested|unverified|todo|(?:is|are|was|were) (?:still )?missing|must (?:still|first)"
    r"|still (?:missing|to do|open|broken|needs?)|remains? (?:to|open|undone))\b"
)
_HARMLESS = pattern(r"\b(0|zero|no|none|nothing)( tests?| checks?)? ?(fail\w*|remain\w*|blocked|broken|pending)\b")


@dataclass(slots=True)
class Piece:
    ticked: bool | None  # None: there is no box
    outcome: Outcome | None
    words: str
    rest: str
    hedged: bool
    drawn: bool = False  # a sign like ✅, which may also adorn something else


@dataclass(slots=True)
class Status:
    """What Status says: an outcome with what is said behind it, or a fault."""

    outcome: Outcome | None = None
    rest: str = ""
    fault: str = ""
    boxes: bool = False
    line: int = -1
    word: str = ""  # where no box was ticked: the known word itself
    more: list[tuple[int, str]] = field(default_factory=list)  # the other lines of the section, as they stand


def read_status(lines: list[tuple[int, str]]) -> Status:
    """The one outcome in these lines. Boxes decide if there are any; else a line that begins with a known word."""
    said = _read(lines)
    if said.outcome is None:
        return said
    said.more = _beside(lines, said.line)
    taken_back = next((words for words in _until_rule(said.more) if _takes_back(words)), None)
    if said.outcome == "done" and taken_back is not None:
        words = f"Status: it says complete, and then {shown(taken_back.strip())}, which is not clear beside it"
        return Status(fault=f"{words}; say one of {BOXES}", boxes=said.boxes)
    return said


def _beside(lines: list[tuple[int, str]], line: int) -> list[tuple[int, str]]:
    """What stands around the line that says it: neither a box, nor a word for an outcome right beside the boxes."""
    found, over = [], False
    for number, words in lines[:_LINES_MAX]:
        here = _pieces(words) if len(words) <= _LINE_CHARS_MAX else []
        says = any(piece.outcome and (piece.ticked is not None or not over) for piece in here)
        over = over or (number > line and bool(words.strip()) and not says)
        if number != line and words.strip() and not says:
            found.append((number, words))
    return [*found, *((number, words) for number, words in lines[_LINES_MAX:] if words.strip())]


def _until_rule(lines: list[tuple[int, str]]) -> Iterator[str]:
    for _, words in lines:
        if len(words.strip()) >= 3 and not words.strip(" -=*_"):
            return
        yield words


def _takes_back(words: str) -> bool:
    lower = words[:_CHARS_MAX].lower().replace("’", "'")
    return bool(_TAKES_BACK.search(_HARMLESS.sub(" ", lower))) or said_failed([words]) is not None


def _read(lines: list[tuple[int, str]]) -> Status:
    pieces: list[tuple[int, Piece]] = []
    first, blank = -1, False
    for number, words in lines[:_LINES_MAX]:
        if len(words) > _LINE_CHARS_MAX:
            return Status(fault="Status: a line of it is too long to be one")
        here = _pieces(words)
        says = any(piece.outcome or piece.ticked is not None for piece in here)
        if words.strip() and blank and first >= 0 and not says:
            break  # a paragraph of other words: the status is over
        blank = not words.strip()
        first = number if first < 0 and not blank else first
        pieces += [(number, piece) for piece in here]
    boxes = any(piece.ticked is not None for _, piece in pieces)
    ticked = [(number, piece) for number, piece in pieces if piece.ticked]
    plain = [(number, piece) for number, piece in pieces if piece.ticked is None and piece.outcome]
    # Words without a box count in the first line, and beside boxes; further down they are part of a sentence.
    beside = {first, *(number for number, piece in pieces if piece.ticked is not None)}
    chosen = ticked or [(number, piece) for number, piece in plain if number in beside]
    if not chosen:
        fault = f"Status: no box is ticked, of {BOXES}" if boxes else f"Status: it says none of {BOXES}"
        place = pieces[0][1].words.strip() if pieces and not boxes else ""
        if place_said(place):
            # Whoever writes a column's name has the item in mind, and no form with boxes.
            fault = f"status: {shown(place)} is no outcome{place_said(place)}"
        return Status(fault=fault, boxes=boxes)
    if any(piece.outcome for _, piece in chosen):
        chosen = [(number, piece) for number, piece in chosen if piece.outcome or not piece.drawn]
    unclear = [piece for _, piece in chosen if piece.outcome is None or piece.hedged]
    if unclear:
        return Status(fault=f"Status: {shown(unclear[0].words.strip())} is not clear; say one of {BOXES}", boxes=boxes)
    outcomes = {piece.outcome for _, piece in chosen}
    denied = {piece.outcome for _, piece in pieces if piece.ticked is False}
    other = {piece.outcome for _, piece in plain}
    if len(outcomes | other) > 1 or outcomes & denied:
        told = ", ".join(dict.fromkeys(shown(piece.words.strip()) for _, piece in [*chosen, *plain]))
        return Status(fault=f"Status: it says several things at once: {told}", boxes=boxes)
    number, piece = chosen[0]
    word = "" if boxes or piece.drawn else _known_word(piece.words)
    return Status(outcome=piece.outcome, rest=piece.rest, boxes=boxes, line=number, word=word)


def _known_word(words: str) -> str:
    plain = " ".join(_HYPHEN.sub(" ", words.lower()).strip(_NOISE).split())
    return next((word for word in _LONGEST_FIRST if plain == word or plain.startswith(f"{word} ")), "")


def _pieces(words: str) -> list[Piece]:
    """The alternatives on one line, each with its box: before the words, or behind them."""
    found: list[Piece] = []
    for part in re.split(r"\s/\s|\s?\|\s?", _unstruck(words)):
        marks = list(_BOX.finditer(part))
        if not marks:
            if part.strip(_NOISE):
                found.append(_piece(None, part))
            continue
        leading = not part[: marks[0].start()].strip(_NOISE)
        edges = [mark.start() for mark in marks[1:]] + [len(part)] if leading else [mark.start() for mark in marks]
        begins = [mark.end() for mark in marks] if leading else [0, *(mark.end() for mark in marks[:-1])]
        for mark, begin, end in zip(marks, begins, edges, strict=True):
            found.append(_piece(_ticked(mark), part[begin:end], mark.group(3) is not None))
        tail = "" if leading else part[marks[-1].end() :]
        if tail.strip(_NOISE) and found:
            found[-1] = _piece(found[-1].ticked, f"{found[-1].words} - {tail}", found[-1].drawn)
    return _joined(found)


def _joined(pieces: list[Piece]) -> list[Piece]:
    """`[x] ✅ Complete`: a box with no words is one with the next."""
    found: list[Piece] = []
    for piece in pieces:
        if found and found[-1].ticked is not None and not found[-1].words.strip(_NOISE):
            both = found[-1].ticked if found[-1].ticked == piece.ticked or piece.ticked is None else False
            found[-1] = _piece(both, piece.words, found[-1].drawn and piece.drawn)
        else:
            found.append(piece)
    return found


def _ticked(mark: re.Match[str]) -> bool:
    if mark.group(3) is not None:
        return mark.group(3) in TICKS
    inner = (mark.group(1) if mark.group(1) is not None else mark.group(2) or "").strip()
    return inner in ("x", "X") or (len(inner) == 1 and inner in TICKS)


def _unstruck(words: str) -> str:
    """Without what is struck through, and without the box of it."""
    return _STRUCK.sub(" ", words) if "~~" in words else words


def _piece(ticked: bool | None, words: str, drawn: bool = False) -> Piece:
    bare = " ".join(words.replace("*", "").replace("`", "").split()).strip(_NOISE)
    lower = _HYPHEN.sub(" ", bare[:_CHARS_MAX].lower().replace("’", "'"))
    for phrase in _LONGEST_FIRST if _DENIED.match(words) is None else ():
        if not lower.startswith(phrase) or _goes_on(lower, phrase):
            continue
        rest = lower[len(phrase) :]
        behind = bare[len(phrase) :].strip(_NOISE)
        if behind_no(behind) == "" and behind:
            # `Blocked: no`: it is not so. A box that is ticked beside it is not clear.
            return Piece(ticked or False, WORDS[phrase], words, behind, bool(ticked), drawn)
        takes_back = _HEDGES.search(_HARMLESS.sub(" ", rest)) or "?" in rest or "%" in rest or len(bare) > _CHARS_MAX
        hedged = WORDS[phrase] == "done" and bool(takes_back)
        return Piece(ticked, WORDS[phrase], words, behind, hedged, drawn)
    return Piece(ticked, None, words, "", False, drawn)


def is_hedged(words: str) -> bool:
    """Do words behind "complete" take it back, or leave it open?"""
    lower = words[:_CHARS_MAX].lower().replace("’", "'")
    return bool(_HEDGES.search(_HARMLESS.sub(" ", lower)) or "?" in lower or "%" in lower)


def _goes_on(words: str, phrase: str) -> bool:
    """Do the words run on, as in "complete except"? A separator ends them; being blocked always has an object."""
    after = words[len(phrase) : len(phrase) + 2]
    if phrase in _WITH_OBJECT:
        return after[:1].isalnum()
    return after[:1].isalnum() or after[:1] == "'" or (after[:1] == " " and after[1:].isalnum())
