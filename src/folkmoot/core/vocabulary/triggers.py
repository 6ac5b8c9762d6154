"""The situations in which nobody tries again and a person is asked at once, in the words of agents (E-05).

The escalation document lists five: six failed attempts, three experts who could not help, a circular dependency, a
security concern, ambiguous acceptance criteria. Whoever states one of them means it, whatever cause stands beside it.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from folkmoot.core.report import Report
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.phrases.denials import is_denied, says_nothing, without_unticked
from folkmoot.core.vocabulary.words import Meaning, plain

FATAL, REQUIREMENT, SECURITY = Meaning(cause="fatal"), Meaning(cause="requirement"), Meaning(reason="security")
TEXT_MAX = 20_000
SENTENCE_MAX = 200
_CRITERIA = "acceptance criteri(?:a|on)"
_UNCLEAR = "(?:ambiguous|unclear|not clear|contradictory|conflicting|vague|undefined|not defined|missing)"
# "It is unclear what the criteria mean", "I cannot tell how …": the question stands between the two.
_ASKED = "(?:what|which|how|whether|who|when|if)"
_CANNOT = "(?:do not|does not|cannot|can not|could not|did not|don t|doesn t|can t|couldn t|didn t|unable to)"
_RISK = "(?:issue|risk|problem|vulnerability|hole|breach)"
_GRAVE = "(?:a |possible |potential |serious |critical |severe )*"
# Work may be about a security issue, or check for vulnerabilities: only who says that there is one states it.
_THERE_IS = f"(?:(?<!.)|there (?:is|was)|this is|it is|found|introduces|contains|opens|has) ?{_GRAVE}"
_OF_TOOLS = r"(?! (?:scan|check|report|test|database|list|tool|assess)\w*)"
_JUDGED = r"(?:human|person)(?: being)? (?:must|should|has to|needs to|ought to)|human judge?ment"
_SECRET = "(?:credential|secret|password|private key|api key|signing key|access token|key|token)s?"
_LEAKED = "(?:leaked|exposed|compromised|stolen)"
_BARE = "in (?:plain ?text|clear ?text|the clear)"
_IN_GIT = "committed (?:in|to|into) (?:the |our |this |a )?(?:\\w+ )?(?:repository|repo|git)"
_ON = "(?:depends? on|requires?|imports?)"
_SAID = (
    ("(?:6|six)(?: total| distinct)?(?: failed attempts| attempts(?: have| all)* failed)", FATAL),
    (
        "(?:3|three|all|all three)(?: of the)? experts?(?: were| have| are| was| has| all)* (?:unsuccessful|failed)",
        FATAL,
    ),
    # The document's own word anywhere.
    (f"security concerns?|{_THERE_IS}security {_RISK}|security {_RISK} .{{0,60}}?(?:{_JUDGED})", SECURITY),
    (f"{_THERE_IS}vulnerability{_OF_TOOLS}", SECURITY),
    (f"{_SECRET}(?: \\w+){{0,3}}? (?:has|have|was|were|is|are|got)(?: been)? {_LEAKED}|leaked {_SECRET}", SECURITY),
    (f"{_SECRET}(?: \\w+){{0,3}}? (?:is|are)(?: (?!not|never|no)\\w+)? {_BARE}", SECURITY),
    (f"{_SECRET}(?: \\w+){{0,3}}? (?:is|are|has been|have been) {_IN_GIT}", SECURITY),
    (r"(?:circular|cyclic|cyclical)(?: \w+)? dependenc(?:y|ies)|dependency (?:cycle|circle|loop)s?", FATAL),
    ("(?:circular|cyclic) imports? detected|depend on each other", FATAL),
    ("(?:imports?|dependency|dependencies|references?) (?:is|are|was|were) (?:circular|cyclic)", FATAL),
    (rf"(\w+(?: \w+)?) {_ON} (\w+(?: \w+)?)(?: (?:and|while|but|which|in turn))* (?:\2 )?{_ON} \1", FATAL),
    ("exhausted all options|(?:requires|needs) human judge?ment", FATAL),
    (f"{_UNCLEAR} (?:(?:in|by|from) the )?{_CRITERIA}", REQUIREMENT),
    (f"{_CRITERIA} can be read in (?:two|several|different|many) ways", REQUIREMENT),
    (f"{_CRITERIA}(?: is| are| was| were| remain| seem)?(?: too| very| still)? {_UNCLEAR}", REQUIREMENT),
    (f"{_UNCLEAR}(?: to (?:me|us))? {_ASKED}(?: \\w+){{0,3}}? {_CRITERIA}", REQUIREMENT),
    (f"{_CANNOT} (?:know|tell|see|understand|make out) (?:{_ASKED} )?(?:\\w+ ){{0,3}}?{_CRITERIA}", REQUIREMENT),
    (f"{_CRITERIA} {_CANNOT} (?:say|tell|state|define|specify) {_ASKED}", REQUIREMENT),
    (f"{_CRITERIA} (?:contradict|conflict)(?: with)?(?: each other| one another| themselves)?", REQUIREMENT),
)
_FOUND = [(pattern(rf"\b(?:{words})\b"), meaning) for words, meaning in _SAID]
_ANY = pattern(rf"\b(?:{'|'.join(words for words, _ in _SAID)})\b")
# Without one of these nothing above is said, and most texts have none.
_MAY_STATE = pattern(
    "attempts|expert|security|vulnerability|leaked|exposed|compromised|stolen|circular|cyclic|depend|require|import"
    "|exhausted|human|criteri|plain|clear|committed"
)
_SENTENCES = pattern(r"\.(?=\s|$)|[;:!?\n()–—|]|\s-\s")
# "Reason: 'fast' has no number" below the line that names a trigger tells what it is about.
_BRACKETED = pattern(r"\([^()\n]{0,100}\)([^.;:!?\n()|]*)")
_LABEL = pattern(r"[*_`#>\s-]*(?:reason|why|because|details?|context|explanation|description)[*_`]*\s*:\s*", re.I)
_EMPTY_LINES = pattern(r"\n[^\S\n]*(?=\n)")
_MARKS = " \t*_`#>-–—:;.|"
# Who goes through the document's list marks each of its triggers, and a cross says no there.
_CROSSES, _TICKS = "❌✗✘✖", "✅✓✔☑"
_MARKED = pattern(rf"[:|–—-][^\S\n]*[{_CROSSES}{_TICKS}]|[{_CROSSES}{_TICKS}][^\S\n|]*$")
_CROSSED = pattern(rf"[{_CROSSES}]([^\n|]*)\|?[^\S\n]*$")
_SAYS_SO = frozenset({"", "yes", "true", "it applies", "applies"})
_AS_PRINTED = pattern(r"(?:6|six) total failed attempts|circular dependency(?: detected)?")
_CLEARED = pattern(
    r"\b(?:clarified|cleared (?:(?:it|this|that|them) )?up|settled|resolved|answered|no longer|agreed (?:on|with)"
    r"|(?:guidance|answer|response)(?: of (?:a|the) \w+)? (?:is|was|says|said|tells|told))\b",
    re.I,
)
# Under these names a dialect says what the work is, and not how it went.
_ABOUT_WORK = frozenset(
    {"task", "title", "item", "issue", "agent", "expert", "spec", "goal", "scope", "description", "type", "context"}
)


class Trigger(Struct, frozen=True):
    meaning: Meaning
    words: str  # what it is about, as it was said; nothing where only its name was
    name: str = ""  # the sentence that states it


def trigger_in(texts: Iterable[str | None]) -> Trigger | None:
    """The first stated trigger, or None. Who says that there is none, or no longer, states none."""
    return next(triggers_in(texts), None)


def triggers_in(texts: Iterable[str | None]) -> Iterator[Trigger]:
    for text in filter(None, texts):
        if not _MAY_STATE.search(text[:TEXT_MAX].casefold()):
            continue
        words = _EMPTY_LINES.sub("\n", _without_crossed(without_unticked(text[:TEXT_MAX])))
        start = 0
        marks = [*_SENTENCES.finditer(words)]
        for mark, following in zip([*marks, None], [*marks[1:], None, None], strict=False):
            end = mark.start() if mark else len(words)
            sentence = words[start:end]
            behind = words[mark.end() : following.start() if following else len(words)] if mark else ""
            meaning = _stated(plain(sentence)) if len(sentence) <= SENTENCE_MAX else None
            if meaning is not None and not any(says_nothing(plain(told)) for told in _said_of(words, end, behind)):
                yield Trigger(meaning, _about(words, start, end), sentence.strip(_MARKS))
            start = mark.end() if mark else end


def _without_crossed(text: str) -> str:
    """Without the triggers that a list of them crosses out. Where only one is marked, the list may be of checks, and a
    cross says that one failed; whoever writes more behind it tells what is so."""
    if not any(mark in text for mark in _CROSSES):
        return text
    lines = text.splitlines()
    marked = {place for place, line in enumerate(lines) if _MARKED.search(line) and _ANY.search(plain(line))}
    if len(marked) < 2:
        return text
    crossed = {place: _CROSSED.search(lines[place]) for place in marked}
    no = {place for place, found in crossed.items() if found and (not plain(found[1]) or says_nothing(plain(found[1])))}
    return "\n".join(line for place, line in enumerate(lines) if place not in no)


def _said_of(text: str, end: int, behind: str) -> list[str]:
    """What stands behind a name up to the next mark, and behind its brackets; in a table all other cells of its row."""
    if text[end : end + 1] == "|":
        return text[end:].partition("\n")[0].split("|")
    bracketed = _BRACKETED.match(text, end)
    return [behind, bracketed[1]] if bracketed else [behind]


def _about(text: str, start: int, end: int) -> str:
    """What is said of it: behind its name, on the next line, or in the sentence that names it."""
    line_end = text.find("\n", end)
    rest = text[end : line_end if line_end >= 0 else len(text)].strip(_MARKS)
    marked = rest != (rest := rest.strip(_CROSSES + _TICKS + _MARKS)) or plain(rest) in _SAYS_SO - {""}
    if marked and plain(rest) in _SAYS_SO:
        return text[start:end].strip(_MARKS)  # a mark, or a yes, says that it is so, and not what
    if rest:
        return (
            rest if text[end : end + 1] == ":" else text[start : line_end if line_end >= 0 else len(text)].strip(_MARKS)
        )
    below = text[line_end + 1 :].lstrip().partition("\n")[0] if line_end >= 0 else ""
    label = _LABEL.match(below)
    heads = text[:start].rpartition("\n")[2].lstrip().startswith("#") or text[start:end].lstrip().startswith("#")
    if label is not None or heads or text[end : end + 1] == ":":
        return below[label.end() if label else 0 :].strip(_MARKS)
    own = plain(text[start:end])
    return "" if any(phrase.fullmatch(own) for phrase, _ in _FOUND) else text[start:end].strip(_MARKS)


def told_in(said: Report) -> list[str]:
    """All the words of a report in which a trigger may be stated, what its dialect says beyond our fields with them."""
    return [text for text in (said.blockers, said.summary, *_own_words(said)) if text]


def stated_in(said: Report, meaning: Meaning) -> str | None:
    """The words of such a trigger, as far as the report says what it is about; None if it states none."""
    texts = [said.reason, *told_in(said), *(one.outcome for one in said.attempts)]
    found = [one.words for one in triggers_in(texts) if one.meaning == meaning]
    return next((words for words in found if words), "") if found else None


def named_in(said: Report, meaning: Meaning) -> str | None:
    """The words that name such a trigger; None if the report states none."""
    return next((one.name for one in triggers_in([said.reason, *told_in(said)]) if one.meaning == meaning), None)


def left_in(said: Report) -> str | None:
    """The words of a report in which a trigger is left that only a person can end; None if there is none.

    What the work was about may be a circle as well: only who names it as the document does, on a line or behind a
    label of its own, states it. That criteria are unclear is not what work is about, but it may be cleared up.
    """
    texts = [*filter(None, (said.reason,)), *told_in(said)]
    if not any(_CLEARED.search(text[:TEXT_MAX]) for text in texts):
        unclear = stated_in(said, REQUIREMENT)
        if unclear is not None:
            return unclear or "ambiguous acceptance criteria"
    likely = (text[:TEXT_MAX] for text in texts if _MAY_STATE.search(text[:TEXT_MAX].casefold()))
    for line in (line for text in likely for line in text.splitlines()):
        parts = (plain(part).removeprefix("x ") for part in line.split(":"))
        if any(_AS_PRINTED.fullmatch(part) for part in parts) and trigger_in([line]) is not None:
            return line.strip(_MARKS)
    return None


def _own_words(said: Report) -> Iterator[str]:
    for name, value in said.extra.items():
        if plain(name) in _ABOUT_WORK or isinstance(value, dict) or value in (None, "", []):
            continue
        words = ", ".join(_texts(value)) if isinstance(value, list) else str(value)
        if words:
            yield f"{name}: {words}"


def _texts(values: list[Any]) -> Iterator[str]:
    return (value for value in values if isinstance(value, str))


def _stated(words: str) -> Meaning | None:
    if not _ANY.search(words):
        return None
    for phrase, meaning in _FOUND:
        found = phrase.search(words)
        if found is None or is_denied(words[: found.start()], words[found.end() :]):
            continue
        if meaning != REQUIREMENT or not _CLEARED.search(words):  # criteria that were unclear may be so no more
            return meaning
    return None
