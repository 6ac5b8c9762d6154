"""What the words of an ATTEMPT block say about it: that it worked, was the same again, or only a typo (E-02, E-06); and
whom the words around the blocks ask for."""

import re
from collections.abc import Iterator, Sequence

from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.phrases.denials import behind_no, is_denied
from folkmoot.core.vocabulary.phrases.nothings import says_nothing

WORDS_MAX = 300
_WORD = pattern(r"[^\W_]+")
_PARTS = pattern(r"[:;,.()\[\]–—\n]|\s-\s")
_CLAUSE = pattern(r"[:;,.(–—\n]|\s-\s")
_SHOWN = pattern(r"```.*?```|~~~.*?~~~|^[ \t]*[>|][^\n]*", re.DOTALL | re.MULTILINE)  # a log, a quotation


def _one_of(words: str) -> str:
    return f"(?:{'|'.join(words.split())})"


_OPENING = _one_of("it this that everything problem issue now finally is was has all the tests? checks? are were full")
_SUCCESS = _one_of(
    "success successful successfully succeeded succeeds worked works working solved fixed resolved passed pass passes"
    " passing green done completed? ok okay"
)
# "3 of 5 tests pass" and "works on Linux" may be half of it: only who says `all` has said all.
_WORKED = pattern(
    f"(?:{_OPENING} |all (?:of )?(?:the )?\\d+ )*{_SUCCESS}(?: (?:now|fully|completely|at last))?"
    r"(?: (?:on|for|with|in) (?:all|every|each)(?: \w+){1,3})?"
)
_IT_WORKED = pattern(
    f"\\b{_one_of('approach attempt way version fix it this that everything one tests? checks? problem issue task')}"
    f"(?: {_one_of('is was are were has have been now finally all at last three two four')})*"
    f" {_one_of('worked works succeeded succeeds pass passed passes passing green solved fixed resolved done')}"
    r"\b|\btask completed?\b|\b(?:fixed|solved|resolved|mended) it\b"
)
_ANSWER = _one_of("answer reply response advice results? guidance")
# What is still to come; with more words behind it, it may have ended all the same.
_UNENDED = pattern(
    f"(?:{_one_of('it is still currently')} )*(?:pending|in progress|ongoing|planned|todo|tbd|not yet"
    f"|not(?: yet)? {_one_of('tried run started tested attempted')}(?: yet)?"
    f"|to be {_one_of('tried done run tested determined confirmed')}"
    rf"|(?:{_one_of('asked requested delegated')}(?: \w+){{0,4}} )?(?:await\w*|waiting (?:for|on))(?: \w+){{0,4}}"
    rf" (?:{_ANSWER}|experts?)|pending(?: the)?(?: \w+)? experts?(?: s)?(?: {_ANSWER})?"
    r"|delegated(?: to(?: the| an)?(?: \w+)? experts?)?)"
)
_TITLE = pattern(r"(?:\d{1,6}\W{1,3})?(?:self[\s-]?solve|expert delegation)\W{0,5}(.*)", re.IGNORECASE)
_SENTENCES = pattern(r"[.!;:\n]")
TEXT_MAX = 20_000
_DECISION = _one_of("clarifications? guidance intervention decisions? answers?")
# Code, too, "needs user input" and "requires a person id": what is wanted of somebody is named, or it is escalated.
_ASKS_PERSON = pattern(
    rf"\b(?:(?:seek|need|request|requir)\w*(?: (?:a|an|the))? (?:divine(?: {_DECISION})?"
    rf"|(?:human|person|user)(?: s)? {_DECISION})"
    rf"|(?:await\w*|wait\w* (?:for|on))(?: (?:a|an|the))? (?:divine|human|person)(?: s)? {_DECISION}"
    rf"|escalat\w*(?: \w+){{0,2}} to(?: (?:a|an|the))? {_one_of('divine human person user')}"
    rf"|divine {_DECISION}(?: (?:is|was|now))* {_one_of('needed required necessary requested')}"
    rf"|mandatory escalation|escalation(?: is)? {_one_of('mandatory required needed divine')})\b"
)
_NO = ("", "no", "not", "none", "nothing", "never")
_NOT_NEEDED = pattern(r"(?: (?:is|was))? (?:no|n a|not (?:needed|required|necessary))(?: (?:yet|here|now|at all))?")
# The document's field for it, at the start of a line; what is asked stands behind it or below it.
_QUESTION = pattern(
    r"^[\W_]{0,9}(?:(?:specific|open|unresolved|pending(?: divine)?)[ _])?questions?[\W_]{0,5}:\W{0,9}(\w.*)",
    re.IGNORECASE | re.MULTILINE,
)
# A signal that begins a line, and is not what a sentence is about.
_SIGNALLED = pattern(
    r"^[\W_]{0,9}(SEEKING_DIVINE_CLARIFICATION|EXPERT_UNSUCCESSFUL|TASK_INCOMPLETE)[*_`]{0,3}\s{0,3}(?:[:.–—-]\s?(.*))?$",
    re.IGNORECASE | re.MULTILINE,
)
# The name of what is true or false: `needs_human_review`, `escalate`, `requires_escalation`.
_PERSON_WANTED = pattern(
    r"(?:.* )?(?:escalate|(?:needs?|requires?) (?:escalation|(?:a )?(?:human|person))"
    r"|(?:human|manual) (?:review|approval|decision|input|intervention))(?: (?:needed|required|to human|to a human))?"
)
# What takes a success back in the words behind it.
_TAKEN_BACK = pattern(
    rf"\b{_one_of('but however except still not no fail fails failed failing failures? red unless only partial')}\b"
    rf"|\b{_one_of('partially partly almost nearly although though until broken breaks wrong slower missing')}\b"
    rf"|\b{_one_of('didn doesn isn wasn')} t\b"
)
_LEAD = (
    f"(?:{_one_of('it this that there is s was were are i we just only merely basically essentially')} "
    f"|{_one_of('really still simply exactly actually')} )*"
)
_BEFORE = (
    r"(?:before|above|earlier|previously|the last time|last time|attempt \d+|(?:no )?\d+"
    r"|(?:the )?(?:previous|last|first|second|third|other)(?: (?:one|attempt|time|approach))?)"
)
_THING = _one_of("approach method strategy tool thing idea way one attempt command code fix change tests?")
_SAME = (
    f"{_LEAD}(?:the |a |an )?"
    f"(?:{_one_of('same identical unchanged retry retries retried retrying repeat repeated rerun reran')}"
    "|re (?:run|ran|running|try|tried|trying))"
    f"(?: (?:the )?(?:same )?{_THING}| (?:the )?same| it)?(?: (?:as|of|to|from) {_BEFORE})?"
    "(?: (?:once more|again|retried|repeated|rerun|(?:tried|run|done) (?:again|once more)))?"
)
_AGAIN = (
    "(?:try|tried|trying|run|ran|do|did)(?: (?:it|that|the same|the same thing|the same approach|the tests?))?"
    " (?:again|once more)"
    "|(?:a |the )?(?:second|third|another|new) (?:try|attempt|go|run) (?:of|at|with)"
    " (?:it|the same(?: \\w+)?|attempt \\d+)"
)
_NO_OTHER = (
    f"{_LEAD}(?:not|isn t|wasn t|no|hardly|barely)(?: (?:really|real|very|much|any))?"
    f" {_one_of('different difference differing new other')}"
    f"(?: (?:approach|method|idea))?(?: at all)?(?: (?:from|than|to) {_BEFORE})?"
    "|(?:it )?(?:does not|doesn t|did not|didn t) differ(?: at all)?(?: from .{0,60})?"
)
_NOT_OTHER = f"{_NO_OTHER}|nothing(?: (?:new|different|changed|else|really|much))?|it isn t|it is not|it s not"
# Of the approach as a whole: the same tool or idea may be used in another way.
_SAME_APPROACH = (
    f"{_LEAD}(?:the )?same (?:approach|method|strategy|way|thing)(?: (?:as|of|to|from) {_BEFORE})?"
    f"|(?:re (?:run|ran|try|tried)|rerun|reran|retry|retried)(?: (?:of )?(?:it|that|the same(?: {_THING})?|{_BEFORE}))?"
    f"|{_AGAIN}"
)
_DENIED_FIRST = re.compile(f"{_NO_OTHER}|{_SAME_APPROACH}")
_YET_OTHER = re.compile(rf"\b{_one_of('but however except although though yet instead another other different new')}\b")
_TYPO = (
    f"{_LEAD}(?:{_one_of('fix fixed fixing fixes correct corrected correcting corrects mended removed')} )?"
    "(?:a |the |some |one |my |two )?(?:small |stupid |silly )?"
    "(?:(?:spelling )?typos?|spelling(?: mistakes?| errors?)?|misspellings?)"
    "(?: (?:is |was |were |are )?(?:fix|fixed|fixes|corrected|only))?(?: (?:in|of|from) .{0,60})?"
)
_BETWEEN = f"(?: {_one_of('with but and except only just for after minus plus')})* "
_AS_BEFORE = pattern(
    f"(?:{_SAME}|{_AGAIN}|{_NOT_OTHER})(?:{_BETWEEN}{_TYPO})?|{_TYPO}(?:{_BETWEEN}(?:{_SAME}|{_AGAIN}))?"
)
_TYPO_ONLY = pattern(_TYPO)
# Beside "why different" these say that nothing is. A field that was left empty, or `n/a`, says nothing: what was tried
# decides then.
_NOT_AT_ALL = frozenset({"no", "none", "nothing", "not", "no difference"})


def worked(outcome: str | None) -> bool:
    """Does an attempt's outcome say that it succeeded, and take nothing back?"""
    words = _SHOWN.sub("", (outcome or "")[:TEXT_MAX])[:WORDS_MAX]
    head, rest = _plain(_CLAUSE.split(words.strip(), maxsplit=1)[0]), _plain(words)
    return bool(head) and _WORKED.fullmatch(head) is not None and not _TAKEN_BACK.search(rest)


def is_told(approach: str | None, outcome: str | None, summary: str) -> bool:
    """Did somebody tell of this attempt? Else the summary of a failed run stands for it, whatever that says: "done: a
    parser; left: its tests" has failed."""
    return approach is not None or outcome != summary


def unended(outcome: str | None) -> bool:
    """Does an attempt's outcome say that it has none yet?"""
    words = _SHOWN.sub("", (outcome or "")[:TEXT_MAX])
    return len(words) < WORDS_MAX and _UNENDED.fullmatch(_plain(words)) is not None


def is_titled_success(title: str) -> bool:
    """Does the title of an ATTEMPT block say, behind whose it was, that it worked?"""
    found = _TITLE.fullmatch(title)
    return found is not None and (worked(found.group(1)) or title.endswith(("✅", "✓", "✔")))


def claims_success(text: str | None) -> bool:
    """Does one of the sentences say that it works now, and nothing behind it takes that back?"""
    for sentence in _SENTENCES.split((text or "")[:TEXT_MAX]):
        words = _plain(sentence)
        if len(words) < WORDS_MAX and (
            worked(sentence) or (_IT_WORKED.search(words) and not _TAKEN_BACK.search(words))
        ):
            return True
    return False


def asks_person(text: str) -> str | None:
    """The words by which a text asks a person without the signal for it, or None."""
    labelled = labelled_question(text)
    if labelled is not None:
        return labelled
    for sentence, words in _sentences(text):
        found = _ASKS_PERSON.search(words)
        behind = words[found.end() :] if found is not None else ""
        if found is not None and not (_NOT_NEEDED.fullmatch(behind) or is_denied(words[: found.start()], behind)):
            return sentence
    return None


def wants_person(name: str, value: str) -> bool:
    """Is it said to be so that a person is wanted, under a name for that?"""
    return _plain(value) in ("yes", "true", "required", "needed") and (
        _PERSON_WANTED.fullmatch(_plain(name.replace("_", " "))) is not None and not is_denied(_plain(name), "")
    )


def escalates(name: str, value: str) -> bool:
    """Does a field of that name say something that is no plain no?"""
    first = _plain(value).partition(" ")[0]
    return _plain(name) in ("escalation", "escalations") and first not in _NO and not says_nothing(value)


def labelled_question(text: str) -> str | None:
    """The first `Question: …` that asks something, or None."""
    found = _QUESTION.finditer(text[:TEXT_MAX])
    return next((one.group(0).strip() for one in found if not says_nothing(one.group(1))), None)


def signalled(text: str) -> str | None:
    """The first signal that a line of the text is, unless it is denied there."""
    if "_" not in text:
        return None
    found = _SIGNALLED.finditer(text[:TEXT_MAX])
    return next((one.group(1).upper() for one in found if behind_no(one.group(2) or "") is None), None)


def names_one_of(text: str, names: Sequence[str]) -> tuple[str, str] | None:
    """The first of the names that a text says, unless it is denied, and the sentence with it."""
    for sentence, words in _sentences(text):
        for name in names:
            before, found, behind = f" {words} ".partition(f" {_plain(name)} ")
            if found and not is_denied(before, behind):
                return name, sentence
    return None


def _sentences(text: str) -> Iterator[tuple[str, str]]:
    for sentence in re.split(r"[.!;](?=\s|$)|\n", text[:TEXT_MAX]):
        yield sentence.strip(), _plain(sentence)


def is_same_again(approach: str | None) -> bool:
    """Do the words say that it is the approach before once more, in whole or in each of their parts?"""
    words = _plain(approach)
    if not words or len(words) >= WORDS_MAX:
        return False
    parts = [part for part in (_plain(part) for part in _PARTS.split(approach or "")) if part]
    return _AS_BEFORE.fullmatch(words) is not None or all(_AS_BEFORE.fullmatch(part) for part in parts)


def without_again(approach: str) -> str:
    """The approach without the parts that only say that it is made again: `Retried: …`, `… (typo fixed)`."""
    parts = [part for part in _PARTS.split(approach) if _plain(part)] if len(approach) < WORDS_MAX else []
    left = [part for part in parts if _AS_BEFORE.fullmatch(_plain(part)) is None]
    return " ".join(left) if left and len(left) < len(parts) else approach


def is_typo_fix(approach: str | None) -> bool:
    """Is the whole approach that a typo was mended?"""
    words = _plain(approach)
    return bool(words) and len(words) < WORDS_MAX and _TYPO_ONLY.fullmatch(words) is not None


def denies_difference(why_different: str | None) -> bool:
    """Does "Why Different" say that it is not? Where nobody said anything, nothing is denied."""
    if why_different is None or _plain(why_different) in _NOT_AT_ALL or is_same_again(why_different):
        return why_different is not None
    head, *rest = _PARTS.split(why_different.strip()[:WORDS_MAX], maxsplit=1)
    return _DENIED_FIRST.fullmatch(_plain(head)) is not None and not _YET_OTHER.search(_plain("".join(rest)))


def _plain(text: str | None) -> str:
    return " ".join(_WORD.findall((text or "").casefold()))
