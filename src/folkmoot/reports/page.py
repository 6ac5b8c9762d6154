"""The text of an agent as lines: what it says itself, what stands in fences, and what it only quotes.

Every step looks at each line a fixed number of times, so a hostile text costs no more than a long one.
"""

import re
from dataclasses import dataclass, field

from folkmoot.core.vocabulary.patterns import pattern

# Letters that nobody sees: they must not hide a word from us, nor one part of a word from another.
_UNSEEN = pattern("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufe0e\ufe0f]")
_JOINERS = pattern("[\u200c\u200d]+")
_SPACES = pattern("[\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\v\f\x85]")
# The quotation marks of JSON are its own.
_JSON_LINE = pattern(r'[{}\[\]]|"[^"]{0,80}"\s{0,3}:')
_ESCAPED = pattern(r"\\.")

# In these an agent writes what it says; in a fence of another language it shows code.
SPOKEN = {"", "json", "jsonc", "json5", "markdown", "md", "text", "txt", "plain", "plaintext", "report", "output"}
# Between such tags agents repeat what they were told.
_TOLD = ("instructions", "example", "examples", "template", "prompt", "quote", "blockquote", "format", "system")
_TAG = pattern(r"<(/?)([a-z]{1,20})>", re.IGNORECASE)

# A line that ends with a colon and holds one of these shows what a report would look like.
_SHOWS = (
    *("for example", "for instance", "e.g.", "an example", "example:"),
    *("instructions say", "instructions said", "instructions tell", "instructions read", "instructions are"),
    *("instructions were", "the format is", "expected format", "the template", "the prompt"),
    *("look like", "looks like", "would report", "would say", "would have"),
    *("should say", "should end", "should signal", "must say", "must end", "must signal"),
    *("to end with", "if i had", "if it had", "not a report", "never report", "not report"),
    # What others said, which the agent answers.
    *("reviewer said", "reviewer sent", "reviewer found", "tester said", "tester sent", "tester found"),
    "fixed the following",
)
# In the last sentence these do so too, unless it says that what follows is the agent's own.
_MAY_SHOW = (
    *("such as", "instructed to", "asked to", "asked me to", "told to", "told me to", "supposed to"),
    *("when done", "when finished", "when complete", "once done", "once finished", "rather than", "instead of"),
)
# "Here is what I received:", and nothing more of the agent's own behind it.
_GIVEN = pattern(r"\b(?:sent me|i (?:was|have been|'ve been) given|i (?:have |'ve )?(?:received|got))\b[^,;.!?]{0,60}$")
_GETS = ("sent me", " given", "received", "got")
# "The author's report said:", "The file notes.txt contains:": whose words follow is said, and they are not the agent's.
_OTHERS = pattern(
    r"\b(?:author|coder|developer|implementer|maker|builder|codeweaver|fixer"
    r"|(?:previous|earlier|last) (?:run|agent|report)"
    r"|the (?:file|script|program|test|log|output|commit|diff|work))\b[^,;!?]{0,60}\b"
    r"(?:said|says|wrote|writes|reported|claimed|claims|printed|prints|contains|holds|reads|read|ended with|ends with)$"
)
_SAYS = ("said", "says", "wrote", "writes", "reported", "claim", "print", "contains", "holds", "read", "with")
_OWN = pattern(
    r"\b(?:my|our|i report|i have (?:done|fixed|found)|the (?:report|result|outcome)s?|here (?:is|are) the"
    r"|this is (?:the|how|what)|it ended|how it (?:went|ended)|reports?:|results?:|outcome:|status:|summary:)\b"
    r"|\b(?:report|result|outcome|status|summary):?$"
)
# `content: |` in YAML: the words are the indented lines below it, whatever they look like.
_BLOCK = pattern(r"""\s*(?:-\s+)*["']?[A-Za-z_][\w -]{0,29}["']?\s{0,3}:\s+[|>][-+1-9]{0,2}\s*(?:#.*)?""")
_INDENT = pattern(r"\s*(?:-\s+)*")
_SENTENCE = pattern(r"(?<!e\.g)(?<!i\.e)(?<=[.!?;])\s+")
# "tester → implementer:" tells what others said to each other.
_TELLS = pattern(r"([a-z][\w'’-]{0,40})\s?(?:→|->|⇒|=>)\s?([a-z][\w\s*'’-]{0,40}):[\s*_]{0,4}$")
_ARROWS = ("→", "->", "⇒", "=>")
# Whom every agent of the documents answers to: under such a heading it may speak itself.
_COORDINATORS = ("dispatcher", "orchestrator", "coordinator", "questmaestro", "pipeline skill", "user")


@dataclass(slots=True)
class Line:
    number: int
    text: str
    quoted: bool = False  # told by others: body text at most
    fence: int | None = None  # which fence it stands in
    valued: bool = False  # words of a value in YAML: a fence or a quotation in it is part of the value


@dataclass(slots=True)
class Fence:
    number: int
    language: str
    before: int  # the number of its opening line


@dataclass(slots=True)
class Page:
    lines: list[Line]
    fences: list[Fence] = field(default_factory=list)
    end: int = 0  # the last line that says something; a closing fence does not
    speakers: frozenset[str] = frozenset()  # whoever says something under a heading like "tester → dispatcher:"

    def inside(self, fence: Fence) -> list[Line]:
        """The lines of a fence as a text of its own."""
        found = []
        for number in range(fence.before + 1, len(self.lines)):
            line = self.lines[number]
            if line.fence != fence.number:
                break
            found.append(Line(line.number, line.text, line.quoted, valued=line.valued))
        return found

    def only_shows(self, number: int) -> bool:
        """Does the last thing said before this line say that what follows is an illustration?"""
        for line in reversed(self.lines[max(0, number - 4) : number]):
            words = line.text.strip()
            if words and not _fence_mark(words):
                return is_showing(words, self.speakers) if words.rstrip("*_ ").endswith(":") else False
        return False


def is_showing(words: str, speakers: frozenset[str] = frozenset()) -> bool:
    """Is it certain that what follows these words is an illustration, or said by others? Else it is read."""
    lower = words[-300:].lower().rstrip("*_ ")
    tells = _TELLS.search(lower) if any(sign in lower for sign in _ARROWS) else None
    if tells is not None:
        return len(speakers) > 1 or not tells.group(2).strip("*_ ").startswith(_COORDINATORS)
    if any(phrase in lower for phrase in _SHOWS):
        return True
    # Looking for the words first keeps the patterns away from every other line.
    if not any(phrase in lower for phrase in (*_MAY_SHOW, *_GETS, *_SAYS)):
        return False
    last = _SENTENCE.split(lower)[-1].rstrip(": ")
    if lower.endswith(":") and _OTHERS.search(last) is not None:
        return True
    may = any(phrase in last for phrase in _MAY_SHOW) or _GIVEN.search(last) is not None
    return may and _OWN.search(last) is None


def clean(text: str) -> str:
    """The text without letters that nobody sees, with one kind of line end and one kind of space."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.isascii():
        return text.replace("\v", " ").replace("\f", " ")
    return _SPACES.sub(" ", _JOINERS.sub(_joiner, _UNSEEN.sub("", text)))


def _joiner(found: re.Match[str]) -> str:
    """Joiners belong into some scripts and emoji, never beside a plain letter."""
    before = found.string[found.start() - 1] if found.start() else "a"
    after = found.string[found.end()] if found.end() < len(found.string) else "a"
    return "" if before.isascii() or after.isascii() else found.group()


def read_page(text: str) -> Page:
    """The lines of a cleaned text, each with where it stands."""
    page = Page([Line(number, words) for number, words in enumerate(text.split("\n"))])
    page.end = max((line.number for line in page.lines if line.text.strip(" `~\t")), default=0)
    ends = (line.text[-300:].lower().rstrip("*_ ") for line in page.lines)
    told = (_TELLS.search(end) for end in ends if end.endswith(":") and any(sign in end for sign in _ARROWS))
    page.speakers = frozenset(found.group(1) for found in told if found)
    _mark_values(page.lines)
    _mark_fences(page)
    _mark_quotes(page.lines)
    _mark_between(page.lines)
    return page


def _mark_values(lines: list[Line]) -> None:
    """The words below `content: |`: indented more than the name that they belong to."""
    place = 0
    while place < len(lines):
        words = lines[place].text
        place += 1
        if words.rstrip()[-1:] not in ("|", ">", "-", "+", *"123456789") and "#" not in words:
            continue
        if _BLOCK.fullmatch(words) is None:
            continue
        found = _INDENT.match(words)
        margin = " " * (found.end() + 1 if found else 1)
        while place < len(lines) and (lines[place].text.startswith(margin) or not lines[place].text.strip()):
            lines[place].valued = True
            place += 1


def _fence_mark(words: str) -> tuple[str, int, str] | None:
    """Its sign, its length and what stands behind it, if the line begins or ends a fence."""
    words = words.lstrip()
    sign = words[:1]
    if sign not in ("`", "~"):
        return None
    length = len(words) - len(words.lstrip(sign))
    rest = words[length:].strip()
    return (sign, length, rest) if length >= 3 and "`" not in rest else None


def _mark_fences(page: Page) -> None:
    """A fence that nobody closes is no fence: it must not hide the rest of the text. One with a language always begins,
    since whoever writes one inside another does not count the signs. In a value of YAML it is part of the value."""
    marks = [_fence_mark(line.text) if not line.valued else None for line in page.lines]
    longest = {"`": 0, "~": 0}
    can_close: list[int] = [0] * len(marks)  # the longest closing mark after this line, of its own sign
    for number in range(len(marks) - 1, -1, -1):
        mark = marks[number]
        if mark is not None:
            can_close[number] = longest[mark[0]]
            if not mark[2]:
                longest[mark[0]] = max(longest[mark[0]], mark[1])
    opened: tuple[str, int, str] | None = None
    for line, mark in zip(page.lines, marks, strict=True):
        same = mark is not None and opened is not None and mark[0] == opened[0] and mark[1] >= opened[1]
        if opened is not None and not (same and mark is not None and mark[2]):
            if same:
                opened = None
            else:
                line.fence = page.fences[-1].number
        elif mark is not None and can_close[line.number] >= mark[1]:
            opened = mark
            language = mark[2].split()[0].lower().strip("{}.") if mark[2].split() else ""
            page.fences.append(Fence(len(page.fences), language, line.number))


def _mark_quotes(lines: list[Line]) -> None:
    """Lines behind `>`, and all that stands between a quotation mark and the one that closes it lines later."""
    uneven = []
    for line in lines:
        words = line.text.lstrip()
        if words.startswith((">", "|")):
            line.quoted = True  # a table is never a report either
        elif not _JSON_LINE.match(words) and _quote_signs(line.text) % 2:
            uneven.append(line.number)
    place = 0
    while place + 1 < len(uneven):
        first, last = uneven[place], uneven[place + 1]
        together = lines[first].fence == lines[last].fence
        if not (together and _opens(lines[first].text) and _closes(lines[last].text)):
            place += 1
            continue
        start = first if lines[first].text.lstrip()[:1] in '"“' else first + 1
        for line in lines[start : last + 1]:
            line.quoted = True
        place += 2


def _quote_signs(words: str) -> int:
    if "\\" in words:
        words = _ESCAPED.sub("", words)
    return words.count('"') + words.count("“") + words.count("”")


def _opens(words: str) -> bool:
    place = max(words.rfind('"'), words.rfind("“"))
    return place >= 0 and (place == 0 or words[place - 1] in " (:") and not words[place + 1 : place + 2].isspace()


def _closes(words: str) -> bool:
    places = [place for place in (words.find('"'), words.find("”")) if place >= 0]
    return bool(places) and words[min(places) + 1 : min(places) + 2] in ("", " ", ".", ",", ";", ")", "!", "?")


def _mark_between(lines: list[Line]) -> None:
    """What stands in a comment of the markup, or between tags of what was told; unclosed ones hide nothing."""
    endings: dict[str, int] = {}
    marks: list[tuple[str, str]] = []
    for line in lines:
        marks.append(_begin_and_end(line.text.strip()))
        if marks[-1][1]:
            endings[marks[-1][1]] = line.number
    until = ""
    for line, (begins, ends) in zip(lines, marks, strict=True):
        if until:
            line.quoted = True
            until = "" if ends == until else until
        elif begins and begins == ends:
            line.quoted = True
        elif begins and endings.get(begins, -1) > line.number:
            line.quoted, until = True, begins


def _begin_and_end(words: str) -> tuple[str, str]:
    begins = ends = ""
    if "<" not in words and "-->" not in words:
        return begins, ends
    if words.startswith("<!--"):
        begins = "--"
    if "-->" in words:
        ends = "--"
    tag = _TAG.match(words)
    if tag and tag.group(2).lower() in _TOLD:
        name = tag.group(2).lower()
        if tag.group(1):
            ends = name
        else:
            begins = name
            ends = name if words.lower().endswith(f"</{name}>") else ends
    return begins, ends
