"""The documents' words for why a run failed, is stuck or needs a person, written once: readers translate with them."""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from msgspec import Struct

from folkmoot.core.enums import ReportedCause
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.phrases.denials import is_denied, says_nothing, without_unticked

# Every word that is understood as a cause. Case, signs between words, and `CamelCase` make no difference.
CAUSE_WORDS: dict[ReportedCause, tuple[str, ...]] = {
    "capability": ("capability", "lack of capability"),
    "transient": (
        "transient",
        "transient error",
        "recoverable",
        "recoverable error",
        "network error",
        "crash",
        "retryable",
        "retryable error",
    ),
    "environment": ("environment", "environment error"),
    "quota": ("quota", "quota exceeded", "rate limit", "rate limited"),
    "timeout": ("timeout", "timed out"),
    "protocol": ("protocol", "protocol error"),
    "requirement": (
        *("requirement", "requirements", "ambiguous acceptance criteria", "ambiguous acceptance criterion"),
        *("acceptance criteria ambiguous", "acceptance criteria are ambiguous", "ambiguous requirement"),
        *("ambiguous requirements", "unclear requirement", "unclear requirements", "missing requirement"),
        *("missing requirements", "contradictory requirements", "spec ambiguity", "ambiguous spec", "ambiguity"),
        *("lies in what the quest asks for",),
    ),
    "size": (
        *("size", "too large", "task too large", "task is too large", "too complex", "task too complex"),
        *("task complexity", "task complexity failure", "task complexity exceeds agent capability"),
        *("context exhaustion", "context exhausted", "exhausted context", "context window exhausted"),
        *(
            "context window approaching limits",
            "context window approaching limit",
            "context window is approaching limits",
        ),
        *("approaching context limits", "context limit reached", "context limits", "context limit"),
        *("unexpected dependencies discovered", "unexpected dependency discovered", "unexpected dependencies"),
        *("unexpected dependency", "repeated failure cycles", "repeated failure cycle"),
    ),
    "conflict": ("conflict", "merge conflict", "landing conflict"),
    "integration": (
        *("integration", "integration conflict", "integration conflicts", "integration conflict detected"),
        *("integration conflicts detected", "incompatible assumptions"),
        *("lies in how the quest was split", "lies in how it was split", "lies in the split"),
    ),
    "fatal": (
        *("unrecoverable", "unrecoverable error", "non recoverable", "non recoverable error", "not recoverable"),
        *("fatal", "fatal error", "6 total failed attempts", "six total failed attempts", "6 failed attempts"),
        *("3 expert unsuccessful", "three expert unsuccessful", "all experts failed", "exhausted all options"),
        *("circular dependency", "circular dependencies", "circular dependency detected"),
        *("circular dependencies detected",),
    ),
}
# The reasons that the documents name: known in every flow, whether or not a column there can help.
REASONS = ("concurrency", "security", "performance", "architecture", "unknown")
# How a message says its verdict on the work.
APPROVED = frozenset(
    {"approved", "approve", "lgtm", "passed", "done", "complete", "completed", "ok", "no_changes_requested"}
)
REFUSED = frozenset(
    {
        *("changes_requested", "changes_needed", "changes_required", "requires_changes", "needs_changes"),
        *("needs_fixes", "needs_work", "needs_revision", "rejected", "failed"),
    }
)
# Of these some only say that an agent has done its task: on the work that it looked at they are no verdict.
ENDINGS = frozenset({"done", "complete", "completed", "finished", "task_complete", "task_completed", "all_done"})
FIXED = frozenset({"fixes_applied", "fixed"})
SECURITY_WORDS = ("security", "security concern", "security concerns", "security issue", "security risk")
# How the names of columns and states of an item begin, and the outcome that brings it there.
_PLACES = {
    "ready": "`done` moves it forward, `disputed` back to whoever made what is wrong",
    "needs": "`stuck` with a reason brings it to who can help, `asks` to a person",
    "human": "`asks` with a question puts it before a person",
    "blocked": "`stuck` with a reason brings it to who can answer",
    "dispute": "`disputed` with a comment brings it there",
    "awaiting": "`asks` puts its question before a person",
    "in": "`incomplete` leaves it where it is, `done` moves it forward",  # in progress, in review
}
# Without spaces, so that FATALERROR is found too.
_CAUSES = {phrase.replace(" ", ""): cause for cause, phrases in CAUSE_WORDS.items() for phrase in phrases}
_TELLING = sorted(
    (
        phrase
        for cause in ("size", "integration", "fatal", "requirement")
        for phrase in CAUSE_WORDS[cause]
        if " " in phrase
    ),
    key=len,
    reverse=True,
)
# These mean a kind of failure only if they are about the work itself: `payload too large` is about a payload.
_OF_WORK = ("too large", "too complex")
_OF_DATA = pattern(
    r"\b(?:payload|request|file|body|response|image|upload|entity|bundle|header|message|query|input|output|buffer|value"
    r"|number|integer|string|token|cookie|packet|http|413|regex|index|row|column|table|blob|archive|log|url|field|attachment"
    r")s?(?: (?:is|was|are|were|becomes|became|gets|got|far|much|way|entity))*\Z"
)
# A context that comes to its end, however that is put: the brief itself says that it runs low.
_CONTEXT = (
    r"(?:run|runs|ran|running) (?:out of|low on) (?:the |my )?context"
    r"|context(?: window)?(?: is| was| has)? (?:(?:run|runs|ran|running) (?:out|low)"
    r"|(?:approaching|nearing|near|at|reached)(?: its| the)? limits?)"
)
# A step that has the work itself split, as an order or as what should be: `re-decompose the quest`, `Split: model`.
_WORK = (
    r"(?:(?:the|this|that|my|our|its|whole|entire|rest|of|remaining) )*(?:it|tasks?|quest|work|item|story|this|rest)"
)
_SPLIT = r"(?:re ?)?(?:split(?:ting)?|decompos(?:e|ed|ing|ition)|divid(?:e|ed|ing))(?: up| off)?"
_BREAK = rf"(?:break|breaking|broken)(?: {_WORK})? (?:up|down|apart)"
_SHALL = r"(?:should|must|has to|have to|needs? to|can|could|may)(?: \w+)? be"
_STEPS = pattern(r"[.;!?\n]+(?=\s|\Z)|(?<=\w): ")
_SPLITS = pattern(
    r"(?:(?:please|i|we|recommend(?:ed|ation)?|suggest(?:ed|ion)?|consider|next|step|pathseeker|to|should|must|then"
    r"|a|an|fresh|new|needs?|have|has|let|\d{1,3}) )*"
    rf"(?:{_SPLIT}(?:\Z| (?:{_WORK}|into)\b)|{_BREAK}\b|re ?decompos\w*\b"
    r"|(?:re ?)?(?:spawn|run|start|call|dispatch)(?: (?:a|the|fresh|new))* pathseeker\b"
    rf"|(?:{_WORK} )?{_SHALL} (?:{_SPLIT}|{_BREAK})\b|{_WORK} needs? (?:\w+ )?(?:re ?)?decomposition\b)"
)
_CAMEL = pattern(r"(?<=[a-z])(?=[A-Z])")
_WORD = pattern(r"[^\W_]+")
_NUMBERED = pattern(r"(?<!\s)\s*\d{1,3}[.)]\s+")  # from the first space on: else each of many is tried
_CUT = pattern(r"[:;,.(–—\n]|\s-\s")
_SENTENCES = pattern(r"\.(?=\s|$)|[;:!?\n()–—]|\s-\s")
_DENY = ("!", "~", "¬", "≠")
TEXT_MAX = 20_000
WORD_MAX = 200


class Meaning(Struct, frozen=True):
    """What a word of an agent says: a cause, or a reason that names who can help."""

    cause: ReportedCause | None = None
    reason: str | None = None


def plain(words: str) -> str:
    """The bare words, so that `Context Exhaustion`, CONTEXT_EXHAUSTION and ContextExhaustion are the same."""
    return " ".join(_WORD.findall(_CAMEL.sub(" ", words[:WORD_MAX]))).casefold()


def meaning_of(words: str | None) -> Meaning | None:
    """What a cause or reason means, whole or by what stands before a colon; None if nobody knows it."""
    if not words:
        return None
    for head in _heads(words):
        joined = head.replace(" ", "")
        if joined in _CAUSES:
            return Meaning(cause=_CAUSES[joined])
        if head in SECURITY_WORDS:
            return Meaning(reason="security")
        if head in REASONS:
            return Meaning(reason=head)
    return None


def is_only_word(words: str | None) -> bool:
    """Is it the name of a cause or reason and nothing more? `FatalError: cannot be built` says what happened."""
    return meaning_of(words) is not None and meaning_of(plain(words or "")) is not None


def known_reason(reasons: Mapping[str, str], words: str | None) -> str | None:
    """The flow's own spelling of a reason, by its name or the column that it leads to; else one of the documents'."""
    if not words:
        return None
    for head in _heads(words):
        for wanted in (head, "security" if head in SECURITY_WORDS else head):
            for name, column in reasons.items():
                if wanted in (plain(name), plain(column)):
                    return name
            if wanted in REASONS:
                return wanted
    return None


def verdict_of(word: object) -> bool | None:
    """True: approved. False: changes are asked for. None: it is neither of these words."""
    known = _joined(word)
    return True if known in APPROVED else False if known in REFUSED else None


def approves(word: object) -> bool:
    """Does it say that the work is good, and not only that somebody has done something?"""
    return verdict_of(word) is True and _joined(word) not in ENDINGS


def is_approval(word: object) -> bool:
    """Is it the very word of approval? `passed` and `ok` are said of one's own work too."""
    return _joined(word) in ("approved", "approve", "lgtm")


def is_rejection(word: object) -> bool:
    """Is it the very word of refusing? `needs_fixes` says besides that something must change."""
    return _joined(word) in ("rejected", "not_approved")


def only_ends(word: object) -> bool:
    """Does it say that a task is over, and nothing about the work?"""
    return _joined(word) in ENDINGS | FIXED


def says_fixed(word: object) -> bool:
    """Does it say that something was mended? That is the word of whoever mends, and of nobody who looks."""
    return _joined(word) in FIXED


def _joined(word: object) -> str:
    """Without its signs, unless one of them denies the word or doubts it: `!approved`, `~~approved~~`, `approved?`."""
    if not isinstance(word, str) or word.lstrip(" `\"'*_").startswith(_DENY) or "?" in word:
        return ""
    return plain(word).replace(" ", "_")


def place_said(word: object) -> str:
    """What to tell whoever writes where an item goes, such as `ready-for-dev`, where an outcome belongs; or nothing."""
    said = plain(word).split() if isinstance(word, str) else []
    first = "human" if said[:2] == ["needs", "human"] else said[0] if said else ""
    return f"; where an item goes follows from its outcome: {_PLACES[first]}" if first in _PLACES else ""


def is_security(words: str | None) -> bool:
    return words is not None and plain(words) in SECURITY_WORDS


def meaning_in(texts: Iterable[str | None]) -> Meaning | None:
    """The first of the documents' kinds of failure that a text names, where it does not say that there is none."""
    for text in texts:
        for sentence in _SENTENCES.split(without_unticked((text or "")[:TEXT_MAX])):
            told = plain(sentence) if len(sentence) <= WORD_MAX else ""
            found = _telling().search(told) if told else None
            if found is None or is_denied(told[: found.start()], told[found.end() :]):
                continue
            if found.group(1) in _OF_WORK and _OF_DATA.search(told[: found.start()].strip()):
                continue
            phrase = found.group(1)
            return (
                Meaning(reason="security")
                if phrase in SECURITY_WORDS
                else Meaning(cause=_CAUSES.get(phrase.replace(" ", ""), "size"))
            )
    return None


def asks_to_split(steps: Iterable[str]) -> bool:
    """Does one of the steps that a failed run recommends say that its task is to be split?"""
    sentences = (sentence for step in steps for sentence in _STEPS.split(step[:TEXT_MAX]))
    return any(_SPLITS.match(plain(sentence)) for sentence in sentences if len(sentence) <= WORD_MAX)


def _heads(words: str) -> list[str]:
    words = _NUMBERED.sub("", words, count=1)
    cut = _CUT.split(words, maxsplit=1)
    heads = (plain(words), "" if len(cut) > 1 and says_nothing(plain(cut[1])) else plain(cut[0]))
    return [head for head in dict.fromkeys(heads) if head]


@lru_cache(1)
def _telling() -> re.Pattern[str]:
    phrases = [*_TELLING, *(words for words in SECURITY_WORDS if " " in words)]
    return re.compile(rf"\b({'|'.join(re.escape(phrase) for phrase in phrases)}|{_CONTEXT})\b")
