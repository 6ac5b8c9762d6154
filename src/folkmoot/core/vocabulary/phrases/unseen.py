"""Words by which whoever looks at work says that the look itself is not over: "review the remaining two files"."""

from collections.abc import Iterable

from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.phrases.undone import SENTENCE_MAX, TEXT_MAX
from folkmoot.core.vocabulary.words import plain

_LOOK = (
    r"(?:re ?)?(?:review|look(?: (?:at|over|through|into))?|go through|read|inspect|examine|check|verify|audit|test|run"
    r"|assess|probe|cover|analy[sz]e)"
)
_LOOKING = (
    r"(?:review(?:ing)?|look(?:ing)?(?: (?:at|over|through|into))?|reading|inspecti(?:on|ng)|examining|checking|audit"
    r"(?:ing)?|testing|tests? run|running|pass)"
)
_LOOKED = r"(?:reviewed|looked (?:at|over|through|into)|gone through|inspected|examined|audited)"
# Of these words it is also said that the work does not do so: "the error is not checked".
_LOOKED_AT_LAST = rf"(?:{_LOOKED}|read|checked|verified|tested|run|covered|assessed)"
_REST = r"(?:remaining|remainder|rest|leftover|unread|unreviewed|(?:other|second) half|(?:is|are|what s|still) left)"
_MINE = r"(?:(?:i|we|then|next|still|please|to|will|ll|must|should|need|needs|have|has|left|me) ){0,6}"
_ALL = r"(?:files?|parts?|modules?|handlers?|callers?|diff|changes?|code|work|review|look|tests|suite)"
_LEFT = pattern(
    # A step that begins with a look at the rest of it, or the rest by itself.
    rf"{_MINE}{_LOOK}\b.{{0,80}}\b{_REST}\b"
    rf"|{_MINE}(?:continue|finish|complete|resume|go on|carry on)(?: with)?(?: (?:the|my|this|its|a))?(?: \w+)?"
    rf" {_LOOKING}\b"
    rf"|remaining(?: {_ALL}\b| {_LOOK}\b)|the rest of the {_ALL}\Z"
    # Anywhere in a sentence: what nobody has looked at yet.
    rf"|.{{0,120}}\b(?:not reviewed|unreviewed)\b"
    rf"|.{{0,120}}\b(?:not yet|yet to be|still to be|(?:remains?|left) to be) {_LOOKED_AT_LAST}\b"
    rf"|.{{0,120}}\b(?:still(?: have| need)?|left|remains?|remaining|yet|more \w+) to {_LOOK}\b"
    rf"|.{{0,120}}\b(?:i|we) (?:have not|haven t|ve not)(?: \w+)? {_LOOKED_AT_LAST}\b"
    r"|.{0,120}\b(?:i|we) (?:did not|didn t|could not|couldn t) (?:get to|reach|finish|look at|get (?:a)?round to)\b"
    r"|.{0,120}\bran out of (?:context|time|tokens|budget)\b"
    # How much of it has been looked at.
    rf"|.{{0,120}}\b(?:{_LOOKED_AT_LAST}|went through)(?: (?:only|just|about|so far|the))*"
    r" (?:half|part|some|(?:one|two|three|\d+) (?:out )?of|first (?:half|part|few|one of|two|three|\d+))\b"
    r"|(?:only |about )?(?:half|part) of (?:it|them)\Z"
)
_NONE = pattern(r"\b(?:nothing|none|no|if|would)\b")
# A look that follows a fix is the next one.
_LATER = pattern(r"\b(?:after|once|when|until|fix|fixed|fixes|mended|again)\b")
_SENTENCES = pattern(r"(?:[.;!?](?=\s|$)|\n)")


def left_to_see(texts: Iterable[str | None]) -> str | None:
    """The first sentence that says what of the work is still to be looked at."""
    for text in texts:
        for sentence in _SENTENCES.split(text[:TEXT_MAX]) if text else ():
            words = plain(sentence[:SENTENCE_MAX])
            if _LEFT.match(words) and not (_NONE.search(words) or _LATER.search(words)):
                return " ".join(sentence.split())
    return None
