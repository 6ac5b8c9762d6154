"""The fields of a question, and which lines end its block."""

from collections.abc import Collection, Sequence

from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.reports.asking.attempt_lines import MARKUP, attempt_in
from folkmoot.reports.loose.names import label_in
from folkmoot.reports.page import Line

QUESTION_LABELS = {
    "task": "Task",
    "agent": "Agent",
    "question": "question",
    "context": "context",
    "options considered": "options",
    "options": "options",
    "attempts made": "attempts",
    "what would help": "help",
    "help needed": "help",
    "reason": "reason",
    "trigger": "reason",
}

OF_QUESTIONS = ("question", "context", "options", "attempts", "help")  # fields that no other signal has
# What the board and its coordinator print: with such a line another block begins, whoever wrote it down.
_NOTICES = frozenset({"DIVINE RESPONSE", "DIVINE CLARIFICATION REQUESTED", "DIVINE GUIDANCE DELIVERED"})
_OPTION = pattern(r"#{1,6}\s{1,3}[*_`]{0,3}(?:option\s{1,3})?(?:\d{1,3}|[A-Za-z])[*_`]{0,3}\s?[:.)–—-]", 2)


def ends_block(words: str) -> bool:
    """A rule, a brace, a notice or the next ATTEMPT: what follows is no part of this."""
    if words.startswith(("---", "===", "***", "{", "```", "~~~")) or attempt_in(words) is not None:
        return True
    return words.strip(MARKUP + ":") in _NOTICES


def goes_on_below(lines: Sequence[Line], place: int, fence: int | None, known: Collection[str]) -> bool:
    """Is this heading in the middle of a question: an option's, or with a field below it that is not there yet?"""
    if "options" in known and _OPTION.match(lines[place].text.strip()):
        return True
    for line in lines[place + 1 :]:
        words = line.text.strip()
        if line.quoted or line.fence != fence or words.startswith("```"):
            continue
        if ends_block(words):
            return False
        name = label_in(words, QUESTION_LABELS)
        if name is not None and name[0] in OF_QUESTIONS:
            return name[0] not in known
    return False
