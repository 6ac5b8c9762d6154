"""Which lines of a text are YAML: fenced or bare, and what a mapping holds that is nobody's report."""

import re
from typing import Any

import yaml

from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.reports.canonical import Faulty
from folkmoot.reports.loose.names import is_known, known_name
from folkmoot.reports.page import Fence, Line, Page

_LANGUAGES = {"yaml", "yml", ""}
# A name as YAML may have it: in any case, in quotation marks, with a space before the colon.
_KEY = pattern(r"""(["']?)([A-Za-z_][A-Za-z_ -]{1,29}?)\1\s{0,3}:(?:\s+(.*))?""")
_PLAIN = pattern(r"[a-z_]{2,30}")
_NESTED = pattern(r"""(?:\s+|-\s+)(?:-\s+)?["']?[A-Za-z_][\w -]{0,30}["']?\s{0,3}:(?:\s.*)?""")
_POINT = pattern(r"-\s+id\s{0,3}:\s*\S.*")
_BOX = pattern(r"[\[(]\s{0,3}[xX✓✔_~-]?\s{0,3}[\])]")
_HEAD = pattern(r"(?:#{1,6}\s*|\*\*)(Artifact|Metadata):(?:\*\*)?\s*(\S(?:.*\S)?)\s*", re.IGNORECASE)
ENDS = {"outcome", "status"}
# Other words for how it ended: they are no fields, and must not be lost beside one.
_SAYS_END = {"outcome", "result", "state"}
# What the disputes document keeps on an item, and no agent reports.
OF_ITEM = {"issue", "failure_count", "failure_history", "dispute_rounds", "dispute_agents", "flag"}
_OF_COMMENT = ("author", "content", "target", "resolution")
_TIME, _TEXT, _NOTHING = (f"tag:yaml.org,2002:{name}" for name in ("timestamp", "str", "null"))
# Names under which words stand, and such under which names do.
_SPOKEN = ("content", "summary", "comment", "reason", "blockers", "question")
_NAMED = ("target", "artifact", "author", "parent", "id", "escalation_reason")


# Notes that the disputes document prints itself.
_PRINTED = pattern(r"specific test/section|reply to|issue metadata|(?:and|or): .*", re.IGNORECASE)


class _Loader(yaml.SafeLoader):
    """Plain values only: a time stays the text it is, no name stands twice, and nothing stands for something else."""

    def __init__(self, text: str) -> None:
        self.noted: dict[int, str] = {}  # what stands behind a `#`, by its line
        super().__init__(text)

    def scan_to_next_token(self) -> None:
        """As YAML has it: past spaces, notes and line ends. The notes are kept, since YAML drops them."""
        if self.index == 0 and self.peek() == "\ufeff":
            self.forward()
        while True:
            while self.peek() == " ":
                self.forward()
            if self.peek() == "#":
                line, said = self.line, []
                while self.peek() not in "\0\r\n\x85\u2028\u2029":
                    said.append(self.peek())
                    self.forward()
                self.noted[line] = "".join(said).strip("# \t")
            if not self.scan_line_break():  # type: ignore[no-untyped-call]
                return
            if not self.flow_level:
                self.allow_simple_key = True

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.events.AliasEvent):
            raise yaml.YAMLError("an alias is not read here")
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        names = [str(key.value) for key, _ in node.value]
        twice = next((name for name in names if names.count(name) > 1), None) if len(names) < 200 else None
        if twice is not None:
            raise yaml.YAMLError(f"{twice} stands twice")
        for name, value in node.value:
            if isinstance(value, yaml.ScalarNode) and value.style is None and value.tag != _NOTHING:
                self._keep_words(str(name.value).lower(), value)
        return super().construct_mapping(node, deep)

    @staticmethod
    def _keep_words(name: str, value: Any) -> None:
        """Where words belong, `No` and `3.10` are words; and what would be cut off as a note may be some of them."""
        if name in (*_SPOKEN, *_NAMED):
            value.tag = _TEXT
        behind = value.end_mark.buffer[value.end_mark.pointer :].partition("\n")[0].rstrip("\0")
        if name in _SPOKEN and behind.strip().startswith("#"):
            raise yaml.YAMLError(f"{name} would end before {behind.strip()[:40]!r}: put the words in quotation marks")


_Loader.yaml_implicit_resolvers = {
    sign: [(tag, pattern) for tag, pattern in known if tag != _TIME]
    for sign, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def load(text: str) -> tuple[Any, dict[int, str]]:
    """What the YAML says, and the notes in it by their line; Faulty if it is none."""
    try:
        loader = _Loader(text)
        try:
            said = loader.get_single_data()
        finally:
            loader.dispose()
        return said, {line: words for line, words in loader.noted.items() if words and not _PRINTED.fullmatch(words)}
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise Faulty([f"the comments are no YAML: {' '.join(str(error).split())[:200]}"]) from error


def blocks(page: Page) -> list[list[Line]]:
    """Every block that can be a report in YAML, or add to one."""
    if is_whole(page):
        return _files(page.lines)
    found = []
    for fence in page.fences:
        if fence.language not in _LANGUAGES or page.only_shows(fence.before):
            continue
        lines = [line for line in page.inside(fence) if not line.quoted or line.valued]
        ends = bool(fence.language) and any(_name(line.text) in ENDS for line in lines)
        if ends or any(_begins(lines, place) for place in range(len(lines))):
            found.append([*_heads_above(page, fence), *lines])
    place = 0
    while place < len(page.lines):
        if page.lines[place].fence is not None or not _begins(page.lines, place):
            place += 1
            continue
        start, end = _start(page.lines, place), _end(page.lines, place)
        if not page.only_shows(start) and not _is_in_sentence(page.lines, place, end):
            found.append(page.lines[start:end])
        place = end
    return [part for lines in found for part in _files(lines)]


def is_whole(page: Page) -> bool:
    """Is the whole text one mapping in YAML, and meant as a report or as part of one?"""
    lines = [line.text.rstrip() for line in page.lines if line.text.strip()]
    names = [name for line in lines if (name := _name(line))]
    # `Status:` may be a form's, which says it in boxes and sentences.
    meant = len(names) > 1 and ("status" in names or "outcome" in [_known(name) for name in names])
    if page.fences or not (meant or any(_is_noted(name) for name in names)):
        return False
    if not all(line.startswith((" ", "- ", "# ")) or _name(line) for line in lines):
        return False
    try:
        # What is wrong with its values is told by who reads it.
        return isinstance(yaml.compose("\n".join(line.text for line in page.lines), _Loader), yaml.MappingNode)
    except (yaml.YAMLError, ValueError, RecursionError):
        return False


def nested_ends(page: Page) -> set[int]:
    """The lines in which a part of a mapping says how that part ended: never the run itself."""
    found: set[int] = set()
    outer = -1  # the indentation below which the mapping is over
    for place, line in enumerate(page.lines):
        words = line.text
        indent = len(words) - len(words.lstrip(" \t-"))
        if not words.strip():
            continue
        if outer >= 0 and indent > outer:
            if _known(_name(words.lstrip(" \t-"))) in ENDS:
                found.add(line.number)
            continue
        opens = _value(words) == "" and (_PLAIN.fullmatch(_name(words) or "") or _is_noted(_name(words) or ""))
        outer = 0 if opens and _holds_mapping(page.lines, place) else -1
    return found


def head_of(words: str) -> tuple[str, str] | None:
    """`# Artifact: tests/a.md`: which of the two heads of a file of comments it is, and the path that it names."""
    found = _HEAD.fullmatch(words)
    return (found.group(1).capitalize(), found.group(2).strip("`\"'")) if found else None


def _heads_above(page: Page, fence: Fence) -> list[Line]:
    """What stands right above a fence and says which artifact it is about."""
    above = []
    for line in reversed(page.lines[max(0, fence.before - 6) : fence.before]):
        if line.fence is not None or line.quoted or (line.text.strip() and head_of(line.text) is None):
            break
        above += [line] if line.text.strip() else []
    return above[::-1]


def _files(lines: list[Line]) -> list[list[Line]]:
    """One block for each file of comments: another artifact, or another list, begins the next."""
    parts: list[list[Line]] = [[]]
    listed = False  # has this part its comments?
    for line in lines:
        words = line.text.rstrip()
        head, begins = head_of(words) is not None, _known(_name(words)) == "comments"
        if listed and (head or begins):
            parts.append([])
            listed = False
        parts[-1].append(line)
        listed = listed or begins
    return parts


def _name(words: str) -> str | None:
    """The name that a line without indentation gives its value, as it is written; None if it is no such line."""
    found = _KEY.fullmatch(words.rstrip())
    if found is None or (" " in found.group(2) and not is_known(_known(found.group(2)))):
        return None  # several words that are no name of ours begin a sentence
    return found.group(2)


def _known(name: str | None) -> str:
    return known_name(name or "", OF_ITEM)


def _value(words: str) -> str | None:
    found = _KEY.fullmatch(words.rstrip())
    return (found.group(3) or "").partition("#")[0].strip() if found else None


def _is_noted(name: str) -> bool:
    """Does a part of the disputes document stand under this name, or under one that is nearly its name?"""
    known = _known(name)
    return known in OF_ITEM or known == "escalation_reason" or known.lower().endswith(("comment", "comments"))


def _holds_mapping(lines: list[Line], place: int) -> bool:
    """Does a mapping, or a list of them, stand below this line?"""
    below = next((line.text for line in lines[place + 1 : place + 4] if line.text.strip(" #")), "")
    return _NESTED.fullmatch(below.rstrip()) is not None


def _begins(lines: list[Line], place: int) -> bool:
    line = lines[place]
    words = line.text.rstrip()
    name, value = _name(words), _value(words)
    if line.quoted or (name is None and not _POINT.fullmatch(words)):
        return False
    if name is None or name == "comments":
        return name is None or value == "" or (value or "").startswith(("[{", "{"))
    if _known(name) == "escalation_reason":
        return bool(value)
    if name in _OF_COMMENT:  # a comment by itself, under no name
        near = [_name(line.text) for line in lines[max(0, place - 1) : place + 2]]
        return len([one for one in near if one in _OF_COMMENT]) > 1
    return _is_noted(name) and value == "" and _holds_mapping(lines, place)


def _is_beside(words: str, near: bool) -> bool:
    """Is it another name of the same mapping? Further away only what says how it ended, or nearly that."""
    name = _name(words.rstrip().removeprefix("- "))
    if name is None or _BOX.search(words):
        return False
    known = _known(name)
    if known == "status" and not _value(words):
        return False  # a form's, with its boxes below
    if not near or words.startswith("- "):
        return known.lower() in _SAYS_END
    return _PLAIN.fullmatch(name) is not None or is_known(known) or known.lower() in _SAYS_END | OF_ITEM


def _start(lines: list[Line], place: int) -> int:
    """The first line of the block: other names above it, and what says which artifact it is about."""
    start = place
    for number in range(place - 1, -1, -1):
        line, words = lines[number], lines[number].text.rstrip()
        if line.fence is not None or line.quoted:
            break
        if head_of(words) or _is_beside(words, near=start == number + 1):
            start = number
        elif words or start - number > 2:
            break
    return start


def _end(lines: list[Line], place: int) -> int:
    """Behind its last line: indented, a point of its list, another name, or empty between such lines."""
    end = place + 1
    for number in range(place + 1, len(lines)):
        words = lines[number].text
        if not words.strip():
            continue
        inside = words.startswith((" ", "\t", "- ")) or (words.startswith("#") and not words.startswith("##"))
        if lines[number].fence is not None or not (inside or _is_beside(words, near=number == end)):
            break
        end = number + 1
    return end


def _is_in_sentence(lines: list[Line], place: int, end: int) -> bool:
    """A reason with words right behind it is part of what they say, and may be what is no longer so."""
    if _known(_name(lines[place].text)) != "escalation_reason" or end != place + 1 or end >= len(lines):
        return False
    return bool(lines[end].text.strip()) and lines[end].fence is None and not lines[end].text.startswith(("`", "{"))
