"""Plain words beside a `done` that say the opposite: "the task is NOT complete", "two tests are red" (R-32).

An agent tells how it went before it says how it ended: "three tests failed, so I mended the parser; all pass now" is
no contradiction. So only what holds at the end counts, and nothing that a later sentence takes back.
"""

import re
from collections.abc import Iterable

from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.phrases.denials import behind_no, is_denied, without_unticked
from folkmoot.core.vocabulary.phrases.nothings import says_nothing
from folkmoot.core.vocabulary.phrases.reds import ONLY_IF, said_red
from folkmoot.core.vocabulary.words import plain, verdict_of

TEXT_MAX = 20_000
SENTENCE_MAX = 200
_DONE = r"(?:complete|completed|done|finished|ready)"
_HOW = r"(?: (?:yet|fully|really|quite|all|been|completely|be|entirely))*"
_NOT = (
    rf"(?:not|never|n t|isn t|aren t|cannot be|far from){_HOW} {_DONE}"
    r"|(?:is|are|s|remains?|still|stays?|left)(?: \w+)? (?:incomplete|unfinished|half (?:done|finished))"
)
_UNDONE = pattern(rf"\b(?:{_NOT})\b")
# Whoever has stopped on the way says so of itself, and not of a part.
_GAVE_UP = pattern(
    r"(?:\w+ ){0,3}(?:(?:i|we) (?:(?:could|can|did) ?(?:not|n t)|(?:was|were|am|are) unable to) (?:finish|complete)"
    r"|(?:i|we) (?:am|are|m|re)(?: still| now| currently)? (?:blocked|stuck)"
    r"|ran out of (?:context|time|tokens)|(?:i|we) (?:have )?stopped (?:half ?way|in the middle|before the end)"
    r"|(?:i|we) (?:am|are|m|re|was|were) running (?:out of|low on) (?:context|time|tokens)"
    r"|(?:i|we) (?:(?:did not|didn t) have(?: the| enough)? time|(?:had|have) no time(?: left)?) (?:to|for)"
    r"|(?:i|we) (?:did not|didn t) (?:get (?:a)?round to|manage to|get to (?!the\b))"
    r"|(?:half|part|some) of (?:it|(?:the|this|my) (?:task|work|quest|job)) (?:is|was) (?:done|finished|complete))\b"
)
# A part that is half there now is not done, whatever it is; that such parts are handled may be the work itself.
_HALF = pattern(
    r"(?:is|are|s|remains?|stays?)(?: (?:still|only|just|now))* (?:half|partly|partially)"
    r" (?:written|implemented|built|finished|done|complete|completed|migrated|working)"
)
_OF_SUCH = {"that", "which", "who", "whose", "where", "any", "every", "each"}
# The last that is said, behind a "but": what could not be done.
_BUT_NOT = pattern(
    r"\b(?:but|however|although|though|except that)\b,?\s((?:[^.;!?\n]|\.(?=\S)){0,120}?"
    r"\b(?:could(?: not|n't) be|(?:i|we) (?:could(?: not|n't)|(?:was|were) (?:unable|not able) to|failed to)"
    r"(?! (?:find|reproduce|break|see|detect|spot)\b)) \w+(?:[^.;!?\n]|\.(?=\S)){0,80})[.!]?\s*\Z",
    re.IGNORECASE,
)
_MAKE = r"to be (?:implemented|written|finished|completed|done|built|fixed|added)\b"
_STILL_TO_MAKE = pattern(
    rf"\b(?:still|yet) (?:has|have|needs?) {_MAKE}"
    rf"|\b(?:has|have|needs?) {_MAKE}[^.;\n]{{0,80}}\bbefore (?:this|it|the \w+) (?:works?|is|are|can)\b",
    re.IGNORECASE,
)
_BLOCKED = pattern(
    r"^[\s>*_`#-]{0,8}(?:still |currently )?blocked[*_`]{0,3}\s{0,3}(?::|\b(?:by|on|because)\b)[*_`\s]{0,4}"
    r"(\S.{0,300})",
    re.IGNORECASE | re.MULTILINE,
)
# What it is about, where it is the work itself; or nothing stands before it. Word by word: were "is" also "i" and "s",
# there would be more ways to read a few letters than anybody can try.
_WORK = pattern(
    r"(?:(?:but|however|note|warning|still|yet|so|and|sadly|unfortunately|the|this|that|my|our|whole|it|task|work|quest"
    r"|item|job|feature|implementation|assignment|everything|all|is|s|are|was|remains?|i|am|m|we|re|have|has)(?: |\Z))*"
)
# A whole sentence that says that it did not come out.
_IS_NOT = r"(?:(?:is|are|was|were|could|can|have|has)(?: still)? not|isn t|aren t|wasn t|weren t|couldn t|cannot)"
_MET = "(?:met|satisfied|fulfilled|verified)"
_CANNOT = "(?:i|we)(?: (?:was|were|am|are|still))* (?:unable to|not able to|could not|couldn t|cannot|can t|failed to)"
_NO_SUCCESS = pattern(
    r"(?:(?:but|however|note|warning|still|yet|sadly|unfortunately|so far|in the end|the) )*(?:"
    r"(?:(?:one|some|several|most|two|three|\d+) of (?:the )?)?acceptance criteri(?:a|on)(?: \d+)?"
    rf" {_IS_NOT}(?: (?:yet|fully|all|be|been))* {_MET}(?: yet)?"
    rf"|not all (?:of )?(?:the )?acceptance criteria (?:are|were|could be|can be|have been) {_MET}"
    rf"|{_CANNOT} (?:make|get)\b.{{1,60}} (?:pass|work|green|run|compile|build)"
    rf"|{_CANNOT} (?:solve|fix|finish|complete|implement) (?:it|this|that|the (?:task|problem|issue|bug|work|feature))"
    rf"|{_CANNOT} find (?:a|any) (?:way|solution|fix)"
    rf"|{_CANNOT} (?:verify|check|confirm|meet|satisfy)(?: \w+){{0,3}} acceptance criteri(?:a|on)(?: \d+)?(?: yet)?"
    r"|no (?:working )?solution(?: (?:was|has been|could be))? found"
    r"|(?:nothing|none of (?:them|it|(?:the|my) (?:approaches|attempts)))(?: has)? worked(?: so far| yet)?"
    r"|(?:it|this)(?: still)? (?:does not|doesn t) work(?: yet)?)"
)
_WRONG = pattern(
    r"(?:the |this |that )?(?:\w+ ){0,2}?(?:tests?|design|architecture|story|spec)(?: \w+){0,6}? (?:is|are)(?: still)?"
    r" (?:wrong|incorrect)"
)
# Whoever is only asked for advice has none.
_NO_IDEA = pattern(
    r"(?:(?:even )?(?:after|despite|having) .{1,160}? (?=i |we |it |no )|unfortunately |sadly |so far |in the end )?"
    r"(?:(?:(?:i|we) have |sorry )?no (?:idea|clue|advice|answer)(?: .{1,40})?"
    rf"|{_CANNOT} (?:help|say|tell)(?: .{{1,40}})?"
    rf"|(?:{_CANNOT}|(?:i|we) (?:have|ve) (?:been unable to|not been able to|failed to))"
    r" (?:find|see|determine|identify|pin down|establish)(?: out)? (?:the|a|any|its) (?:root )?"
    r"(?:cause|reason|problem|error|answer)(?: (?:of|for|behind) .{1,60})?"
    r"|no (?:root )?(?:cause|reason|answer) (?:was |has been |could be )?(?:found|determined|identified)"
    r"|(?:i|we)(?: have)? found no (?:root )?(?:cause|reason|answer|solution|fault)(?: (?:of|for|behind) .{1,60})?"
    r"|(?:i|we) (?:do not|don t) know(?: .{1,40})?)(?: (?:so far|yet|at all|with certainty|either))?"
)
# Without one of these no phrase above can stand in a text, and most texts have none. `nT` is "n t" as well.
_MAY_BE_UNDONE = pattern(
    r"not|never|n[\W_]+t|far|blocked|stuck|incomplete|unfinished|half|unable|ran|stopped|part|some|failed|solution|worked"
    r"|running|no time"
)
# What came after it: another way was found.
_WENT_ON = pattern(r"\b(?:so (?:i|we|it)|instead|then|therefore|eventually|finally)\b", re.IGNORECASE)
# Names under which a dialect says what keeps it from being done.
_LEFT = pattern(
    "remaining(?: (?:work|tasks?|steps?|items?|criteria|requirements?))?|left to do|still to do|not done|unfinished"
    "|outstanding|blockers?|left out|omitted"
    "|(?:missing|skipped|pending) (?:criteria|requirements?|features?|items?|tasks?|work)"
    "|to ?dos?|(?:not|not yet|un) ?implemented|unresolved|unfixed|not (?:yet )?(?:fixed|healed|mended|resolved)"
    "|still open|open (?:items?|points?|tasks?|work)"
)
_TICKED = pattern(r"^\s{0,8}(?:[-*+]\s{1,3})?(?:\[[xX✓✔]\]|[✅☑✓✔]).*$", re.MULTILINE)
# It is not about now, or only about a case.
_ELSEWHERE = {
    *(
        "if",
        "when",
        "whether",
        "until",
        "unless",
        "once",
        "before",
        "previously",
        "earlier",
        "would",
        "could",
        "should",
    ),
    *("no", "nothing", "was", "were", "had", "returns", "return", "shows", "show", "says", "message", "error"),
}
_WHOLE = pattern(r"\.(?=\s|$)|[;:!?\n]")
_SENTENCES = pattern(r"\.(?=\s|$)|[;:!?\n()–—,]|\s-\s|\b(?:but|and|so)\b", re.IGNORECASE)
_GREEN = pattern(
    r"\b(?:pass(?:es|ing|ed)?|green|succeeds?|fixed|mended|resolved|works?|working)\b(?!.*\b(?:not|no|except)\b)"
)
# What it says of a check holds for the red one too: it is of the same, or of all of them.
_OF_ALL = {"all", "everything", "now", "it", "they", "them", "both", "fixed", "mended", "resolved"}
_OF_NONE = {"is", "are", "red", "the", "still", "a", "one", "some"}
_PAST = pattern(r"\b(?:failed|was|were|had|been|broken)\b")
_NOW = pattern(r"\b(?:still|remains?|is|are|stays?|currently|now)\b")
# A verdict under its own name, beside it or below it: `**Approval:** false`, a heading `Verdict` over its word.
_VERDICT = pattern(
    r"^[\s#>*_`+-]{0,12}(?:(?:final|overall|review|reviewer|my) )?"
    r"((?:(?:verdict|approval|decision)[*_` ]{0,4}[:=\n]|approved[*_` ]{0,4}[:=])[*_`\s]{0,12}(\S[^\n]{0,200}))",
    re.IGNORECASE | re.MULTILINE,
)
_HELD_UP = pattern(
    r"\b(?:must|needs? to|has to|have to)\b[^;\n]{1,160}\bbefore (?:this|it|we) (?:can|may|should)"
    r" (?:go on|proceed|land|merge|be merged|continue|ship)\b",
    re.IGNORECASE,
)
_CLAUSE = pattern(r"[:;,.!(–—]|\s-\s")
_GIVEN = {"yes", "true", "granted", "given"}
_WITHHELD = {
    *("no", "false", "denied", "withheld", "refused", "pending", "not yet", "not approved", "not granted", "not given"),
    *("request changes", "requesting changes", "reject", "blocked", "do not merge", "not ready"),
}
# A verdict of a few words that is none of those, and yet does not give it.
_POOR = pattern(
    r"(?:needs?|requires?) (?!no\b|nothing\b)\w+.*|(?:not|cannot|never) (?!bad\b|applicable\b|needed\b|required\b)\w+.*"
    r"|un(?:safe|acceptable|fit|ready|finished|satisfactory|approved)\b.*|insecure|inadequate|insufficient|vulnerable"
    r"|exploitable|bad|poor|negative|no go|(?:send|sent|goes|go) (?:it )?back\b.*|revise|rework|(?:on )?hold|block"
    r"|fix first"
)
POOR_WORDS = 5
_CONDITION = pattern(
    r"conditional|(?:yes|true|approved?|granted|given|ok|lgtm)(?: but)?(?: only)?"
    r" (?:once|until|unless|pending|conditional|provided|if|subject to)\b"
)

_MERGED = r"(?:merged?|shipp?(?:ed)?|released?|land(?:ed)?|deploy(?:ed)?|approved?)"
# What whoever has made it is still to do, by its role or by the key of its task: `builder-2 must …`.
_MUST = (
    r"(?:the )?(?:(?:implementer|codeweaver)s?(?:[- ]?\d{1,3})?|[a-z]{4,30}-\d{1,3})"
    r" (?:must|has to|have to|needs? to) (?!not\b)\w+"
)
_WANTS_CHANGES = pattern(
    r"(\bno |\bnot |\bnothing |\bnone |n't )?(?:\bany )?"
    r"\b(?:changes? (?:are |is )?(?:needed|requested|required|necessary)"
    r"|needs? (?:changes|fixes|fixing)|(?:must|has to|have to|needs? to) be (?:fixed|changed)|must[- ]fix\b"
    rf"|(?:must|should|can|do|would)(?: ?not|n't|'t) (?:be )?{_MERGED}\b|request(?:ing)? changes"
    r"|(?:fix|change|address|resolve|handle|add|mend|correct)\b(?:[^.;!?\n]|\.(?=\S)){1,80}\bbefore "
    r"(?:(?:the|this|it|we|you) )?(?:is )?(?:merg|releas|shipp?|land|deploy|approv)(?:e|ed|ing|al)?\b"
    r"|back to (?:the )?(?:implementer|author|developer)\b"
    rf"|{_MUST}"
    r"|changes_requested|not approved)",
    re.IGNORECASE,
)

_FIX = pattern(
    rf"\W{{0,4}}(?:{_MUST}"
    # Whoever is named before it: `Spiritmender should fix the test`; "this should fix it" tells of what was done.
    r"|(?:the )?(?!(?:it|this|that|these|which)\b)[\w-]{2,40} (?:must|should|has to|have to|needs? to) (?:fix|mend)\b"
    r"|(?:the )?(?:implementer|developer|author)?(?: (?:must|should|has to|needs to))?\W{0,4}"
    r"(?:please )?(?:to )?(?:fix|mend|correct|repair)\b)",
    re.IGNORECASE,
)
_SOME_DAY = pattern(
    r"\b(?:later|follow[- ]?up|optional(?:ly)?|nice to have|some day|someday|next|future|separate(?:ly)?|eventually|if"
    r"|when|once|could|consider|nothing|another|fixed|already)\b",
    re.IGNORECASE,
)


def wants_changes(text: str) -> str | None:
    """The first words that ask for a change, or say that the work is not to go on, and are not taken back."""
    text = without_unticked(text[:TEXT_MAX]).replace("’", "'")
    for found in _WANTS_CHANGES.finditer(text):
        behind = re.split(r"[.;!?\n]", text[found.end() : found.end() + SENTENCE_MAX])[0]
        if not found.group(1) and not is_denied("", plain(behind)):
            return " ".join(found.group().split())
    return None


def is_fix(step: str) -> bool:
    """Is the next step to mend something, and not some day?"""
    return _FIX.match(step) is not None and not _SOME_DAY.search(step)


def is_for(step: str, names: Iterable[str]) -> bool:
    """Is the next step something for one of these, who is named at its beginning, and not some day?"""
    words = plain(step[:SENTENCE_MAX]).removeprefix("the ")
    left = next((words.removeprefix(f"{plain(name)} ") for name in names if words.startswith(f"{plain(name)} ")), "")
    return bool(left) and not says_nothing(left) and not _SOME_DAY.search(step)


# The same in a sentence: `Approved, provided that the name is changed`.
_GIVEN_IF = pattern(
    r"(?:^|[.;]\s)[\s#>*_`+-]{0,12}((?:approved?|lgtm)\b[\s,:;(–—-]{1,4}(?:but |only ){0,2}"
    r"(?:once|until|unless|pending|provided|if|subject to|on (?:the )?condition|conditional)\b[^\n]{0,200})",
    re.IGNORECASE | re.MULTILINE,
)
# The condition first: `Once both are fixed this is approved`. What was mended before is told in the past, and is none.
_IF_FIRST = pattern(
    r"(?:^|[.;]\s)[\s#>*_`+-]{0,12}((?:once|if|when|after|as soon as|provided(?: that)?)\b[^.;!?\n]{1,120}?"
    r"\b(?:is|are|gets?) (?:fixed|addressed|resolved|mended|repaired|corrected|handled)\b"
    r"[\s,:–—-]{1,4}(?:then )?(?:this |it |that |i |the (?:change|work|code|branch|pr|pull request) )?"
    r"(?:(?:is|will be|would be|can be|may be|will|would|can) )?approved?\b)(?=\W{0,3}(?:$|[.:;!(–—]))",
    re.IGNORECASE | re.MULTILINE,
)


def verdict_named(line: str) -> bool | None:
    """What a line says under the name of a verdict: given, or withheld; None if it is no such line, or not clear."""
    found = _VERDICT.match(line)
    return _given(found.group(2)) if found else None


def said_refused(text: str) -> str | None:
    """The first verdict in a text, under its own name, that is withheld or has a condition; or that the work must not
    go on as it is."""
    told = without_unticked(text[:TEXT_MAX])
    found = [one.group(1) for one in _VERDICT.finditer(told) if _given(one.group(2)) is False]
    found += [one.group(1) for given_if in (_GIVEN_IF, _IF_FIRST) for one in given_if.finditer(told)]
    found += [one.group() for one in _HELD_UP.finditer(told)]
    return " ".join(found[0].split()) if found else None


def _given(words: str) -> bool | None:
    bare = plain(words).removeprefix("x ")
    if bare in _GIVEN or verdict_of(bare):
        return True
    head = plain(_CLAUSE.split(words)[0]).removeprefix("x ")
    poor = len(head.split()) <= POOR_WORDS and _POOR.fullmatch(head) is not None and not says_nothing(head)
    refused = poor or head in _WITHHELD or verdict_of(head) is False or _CONDITION.match(bare) is not None
    return False if refused else None


def said_undone(text: str, *, plainly: bool = False) -> str | None:
    """The first words that say that the work is not done; `plainly`: only of the work itself, and not of a part."""
    if not (_MAY_BE_UNDONE.search(text[-TEXT_MAX:].casefold()) or "nT" in text):
        return None
    blocked = next((one for one in _BLOCKED.finditer(text[-TEXT_MAX:]) if not says_nothing(one.group(1))), None)
    if blocked is not None:
        return " ".join(blocked.group().split())
    but_not = _BUT_NOT.search(text[-TEXT_MAX:].replace("’", "'"))
    if but_not is not None and not (_ELSEWHERE - {"could", "was", "were"}) & set(plain(but_not.group(1)).split()):
        return " ".join(but_not.group(1).split())
    sentences = [(sentence, plain(sentence)) for sentence in _sentences(text)]
    failed = {place for place, (_, words) in enumerate(sentences) if _NO_SUCCESS.fullmatch(words)}
    greens = [place for place, (_, words) in enumerate(sentences) if place not in failed and _GREEN.search(words)]
    went_on = max((found.start() for found in _WENT_ON.finditer(text)), default=-1) if failed else -1
    for place, (sentence, words) in enumerate(sentences):
        if _GAVE_UP.match(words) and not ONLY_IF & set(words.split()):
            return " ".join(sentence.split())
        if place in failed and not (greens and place < greens[-1]) and text.rfind(sentence) > went_on:
            return " ".join(sentence.split())
        half = _HALF.search(words)
        if half is not None and half.end() == len(words) and not (_ELSEWHERE | _OF_SUCH) & set(words.split()):
            return " ".join(sentence.split())
        found = _UNDONE.search(words)
        if found is None:
            continue
        before = words[: found.start()].strip()
        if _ELSEWHERE & set(before.split()) or (plainly and not _WORK.fullmatch(before)):
            continue
        if plainly and words[found.end() :].strip() and not before:
            continue  # "not ready for IPv6" is about something else
        return " ".join(sentence.split())
    return None


def still_to_make(step: str) -> str | None:
    """What a next step says is still to be made before the work is what it says; None if it is for some day."""
    found = _STILL_TO_MAKE.search(step[:SENTENCE_MAX])
    return " ".join(step.split()) if found is not None and not _SOME_DAY.search(step) else None


def said_wrong(text: str) -> str | None:
    """The sentence that says of what others made that it is wrong as it stands: a dispute in words."""
    told = ((sentence, plain(sentence)) for sentence in _sentences(text))
    return next((" ".join(one.split()) for one, words in told if _WRONG.fullmatch(words)), None)


def says_no_success(text: str) -> bool:
    """Do all of the words say that nothing came out, so that there is nothing else for whoever asked?"""
    told = [one for one in _WHOLE.split(text[-TEXT_MAX:]) if one.strip() and len(one) <= SENTENCE_MAX] if text else []
    return bool(told) and all(_is_none(plain(one)) or all(map(_is_none, map(plain, _sentences(one)))) for one in told)


def _is_none(words: str) -> bool:
    return _NO_SUCCESS.fullmatch(words) is not None or _NO_IDEA.fullmatch(words) is not None


def left_open(name: str, value: str) -> bool:
    """Does a field of a dialect's own say that something is left, or that an acceptance criterion is not met?"""
    bare = plain(name)
    if "acceptance criteri" in bare:
        return without_unticked(value) != value or behind_no(value) is not None
    return _LEFT.fullmatch(bare) is not None and not says_nothing(without_ticked(value).strip())


def without_ticked(text: str) -> str:
    """The text without the lines that somebody has ticked."""
    return _TICKED.sub("", text)


def still_red(text: str, gate: str = "") -> str | None:
    """The first words that say that a check is red now, if nothing behind them says that it is green again."""
    sentences = _sentences(text)
    for place, sentence in enumerate(sentences):
        told = said_red([sentence], gate)
        if told is None:
            continue
        words = plain(sentence)
        if ONLY_IF & set(words.split()) or (_PAST.search(words) and not _NOW.search(words)):
            continue
        about = set(words.split()) - _OF_NONE | _OF_ALL
        later = (plain(one) for one in sentences[place + 1 :])
        if not any(_GREEN.search(one) and about & set(one.split()) for one in later):
            return told
    return None


def _sentences(text: str) -> list[str]:
    parts = _SENTENCES.split(text[-TEXT_MAX:]) if text else []
    return [part for part in parts if part.strip() and len(part) <= SENTENCE_MAX]
