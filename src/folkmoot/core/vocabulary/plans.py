"""How a split says its tasks: every name of a field of a task and of the split, and the words for an order. Once, here.

Case, signs between words and `camelCase` make no difference. What is in none of these tables is told to the task's
agent; a name that smells of an order and is not known is asked back, since guessing would let tasks run at once.
"""

import re
from itertools import pairwise
from typing import Any

from folkmoot.core.vocabulary.lines import is_misspelt
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.words import plain

# Field of a task -> the names by which it is said. Where several of one field stand in a task, all of them are meant.
TASK_NAMES: dict[str, tuple[str, ...]] = {
    "title": ("title", "task", "name", "action", "observable action"),
    "body": ("body", "description", "details", "detail", "summary", "instructions", "notes"),
    "key": ("key", "id", "task id", "task key"),
    "agent": ("agent", "agent type", "role", "assignee", "assigned to", "assigned agent"),
    "files": (
        *("files", "file", "path", "paths", "files created", "files modified", "files to create", "files to modify"),
        *("files to change", "new files", "owned files", "file ownership", "owns", "assigned files", "target files"),
        *("test files", "test file", "implementation files", "implementation file", "source files", "source file"),
        *("exclusive files", "files to write", "files to edit", "files to update", "files to touch", "writes"),
    ),
    "after": (
        *("after", "dependencies", "dependency", "depends", "depends on", "dependent on", "requires", "needs"),
        *("blocked by", "blockers", "prerequisites", "prerequisite", "prereqs", "prerequisite tasks", "requires tasks"),
        *("waits for", "wait for", "run after", "runs after", "comes after", "predecessors", "previous tasks"),
    ),
    "before": (
        *("before", "blocks", "blocking", "required by", "needed by", "dependents", "run before", "runs before"),
        *("comes before", "successors"),
    ),
    "alone": (
        *("parallel", "in parallel", "parallelizable", "can run in parallel", "run in parallel", "parallel safe"),
        *("execution", "execution mode", "execution strategy", "execution type", "concurrent", "concurrency"),
        *("sequential", "exclusive", "serial", "parallelism"),
    ),
    "rank": (
        *("order", "execution order", "step", "sequence", "sequence number", "wave", "batch", "position", "phase"),
        *("stage", "run order", "execution phase", "execution step", "execution group", "order number"),
    ),
    "contracts": (
        *("contracts", "contract", "interfaces", "interface", "interface contracts", "shared types", "shared type"),
        *("shared interfaces", "shared contracts", "types"),
    ),
    "spec": ("spec", "specification"),
    "constraints": ("constraints", "constraint", "rules", "requirements", "acceptance criteria"),
}
# What a split says beside its tasks.
SPLIT_NAMES: dict[str, tuple[str, ...]] = {
    "tasks": (
        *("tasks", "task decomposition", "decomposition", "subtasks", "sub tasks", "task list", "task breakdown"),
        *("decomposed tasks", "implementation tasks"),
    ),
    "contracts": (
        *("contracts", "shared types", "interface contracts", "shared interfaces", "shared contracts", "interfaces"),
        *("shared dependencies",),
    ),
    "points": ("integration points",),
    "owners": ("file ownership", "ownership", "owned files", "assigned files", "file assignments", "file owners"),
    "needs": ("dependencies", "depends on", "task dependencies", "dependency graph", "dependency map", "after"),
    "sequence": (
        *("execution order", "order", "sequence", "run order", "task order", "phases", "stages", "waves", "batches"),
        *("parallel groups", "execution groups", "execution plan", "execution phases", "schedule", "dependency chain"),
        *("dependency chains", "execution", "execution mode", "execution strategy", "execution sequence"),
        *("dependency order", "dependency sequence"),
    ),
    "alone": TASK_NAMES["alone"],
}
# What a split is made of, before anybody has made tasks of it.
_ACTIONS = frozenset(("observable actions", "observable atomic actions", "atomic actions"))
_FIELDS = {name: field for field, names in TASK_NAMES.items() for name in names}
_BESIDE = {name: field for field, names in reversed(SPLIT_NAMES.items()) for name in names}
_SMELLS = pattern(
    r"depend|after|before|order|parallel|block|requir(?!ement)|sequen|prereq|concurr|simultan|serial|exclusiv"
    r"|conflicts? with"
)
_UNWRITTEN = pattern(
    r"\b(read|reads|readonly|reference|references|forbidden|not|never|avoid|exclude|excluded|untouched|off limits)\b"
)
# Numbered names that lists of other things have: what stands below them is no task.
NO_TASKS = frozenset(
    (
        *("issue", "finding", "bug", "case", "step", "phase", "stage", "wave", "batch", "round", "attempt", "error"),
        *("failure", "file", "note", "question", "option", "comment", "line", "lesson", "vulnerability", "risk"),
        *("result", "example", "group", "test"),
    )
)
_NUMBERED = pattern(r"([A-Za-z][\w -]{0,60}?)([-_ #]{0,3})(\d{1,4})")
_RECOMMENDED = ("suggested", "recommended", "proposed", "possible", "new")
_IN_TURN = frozenset(
    [
        "sequential",
        "sequentially",
        "serial",
        "serially",
        "in order",
        "in sequence",
        "one after the other",
        "one after another",
        "one by one",
        "one at a time",
        "exclusive",
        "alone",
        "not parallel",
        "no parallel",
        "in turn",
        "in this order",
        "as listed",
        "no",
        "false",
        "not in parallel",
        "ordered",
        "never",
    ]
)
_AT_ONCE = frozenset(
    [
        "parallel",
        "in parallel",
        "concurrent",
        "concurrently",
        "at once",
        "at the same time",
        "independent",
        "independently",
        "any order",
        "any",
        "simultaneous",
        "simultaneously",
        "all at once",
        "yes",
        "true",
        "parallelizable",
        "safe",
        "unordered",
        "no order",
    ]
)
_NOTHING = frozenset(("", "none", "no", "n a", "na", "null", "nil", "no dependencies", "independent"))
_OF_A_KIND = frozenset(("phase", "stage", "step", "execution phase", "position"))
_NUMBER = pattern(r"(?:(?:phase|stage|step|wave|batch|group|order|number|no|round) )?(\d{1,4})(?:st|nd|rd|th)?")
_TURNED = frozenset(("sequential", "exclusive", "serial"))  # names of which `true` says that it is alone
_TRUTH = {"yes": True, "true": True, "no": False, "false": False, "never": False}
_STEPS = pattern(r"\s{0,3}(?:→|⇒|->|=>|>|,?\s\bthen\b|;|\n|\bfollowed by\b|\bbefore\b)\s{0,3}")
# In running words: a name of less letters may be any word, and longer texts are not searched.
NAME_MIN = 3
WORDS_MAX = 20_000
NEAR = 120  # letters before a name in which a word for an order belongs to it
_DIGIT = pattern(r"\d")
_SENTENCES = pattern(r"[.;!?](?=\s|$)|\n")
_ORDER_WORDS = (
    r"(?:depend(?:s|ing|ent)? (?:up)?on|after|before|block(?:s|ed by|ing)|requir(?:es?|ing)"
    r"|needs?|wait(?:s|ing)? (?:for|on|until)|then|followed by|follows|prior to|precedes?|first and"
    r"|(?:build|rel|sit)(?:s|y|ies) (?:up)?on|building on|relying on|once(?! (?:by|per|and|a|in)\b)"
    r"|(?:start|begin|run|go)(?:s|ed)? (?:until|unless|when))"
)
_ORDER = pattern(rf"\b{_ORDER_WORDS}\b|\bonce\b|\bwhen\b|\buntil\b|→|⇒|->|=>", re.IGNORECASE)
# Few words may stand between it and the second task, and no comma: that begins another statement.
_BETWEEN_TASKS = pattern(rf"(?:\b{_ORDER_WORDS}\b|→|⇒|->|=>)(?:\s+[^\s,]+){{0,5}}[\s`'\"(:]*$", re.IGNORECASE)
_BEFORE_BOTH = pattern(
    r"\b(?:after|once|when|before|until)(?:\s+(?:the|task|tasks|agent|of))*[\s`'\"(]*$", re.IGNORECASE
)
# "Not until" is no denial: it says the order.
_NOT_UNTIL = pattern(r"\b(?:not|n't|never)\b[^.;]{0,40}\b(?:until|unless|before)\b", re.IGNORECASE)
_MARKS = "*_`#>-•|+ \t"
# All of them, one behind the other; where files are shared they come so anyway.
_TURNS = r"one (?:after (?:the other|another)|by one|at a time)|sequentially|in sequence|in this order"
_ALL_IN_TURN = pattern(rf"\b(?:{_TURNS})\b", re.IGNORECASE)
# The same of tasks that a sentence names; `sequential` of their execution, and not of ids.
_IN_TURN_SAID = pattern(rf"\b(?:{_TURNS}|sequential(?! (?!execution|order|runs?)\w))\b", re.IGNORECASE)
_OF_THE_TASKS = pattern(r"\b(?:tasks?|these|them|they|both|all|everything)\b", re.IGNORECASE)
# One task before all others: `do a first`, `start with a`.
_FIRST = pattern(
    r"\b(?:do|run|start|begin|build|implement|finish|complete|land|come|comes|goes|go|done|is|be)\b[^,]*\bfirst$"
    r"|\b(?:start|begin) with\b",
    re.IGNORECASE,
)
# "In parallel, then …" says an order of those and what comes behind them.
_AT_ONCE_THEN = pattern(r"^[^,;.]*\bparallel\b[^,;.]*,\s*(?=(?:and )?then\b|followed by\b|before\b)", re.IGNORECASE)
_WHERE_SHARED = pattern(r"\b(?:shared?|same|common)\b", re.IGNORECASE)
# A task that is not to be done any more: `cancel b`, `b is obsolete`.
_CALL_OFF = pattern(
    r"(?<!not )(?<!n't )(?<!never )\b(?:cancel|drop|remove|skip|abandon)\s+(?:the\s+)?(?:tasks?\s+)?[`'\"(]*$",
    re.IGNORECASE,
)
_CALLED_OFF = pattern(
    r"[`'\")]*\s+(?:is|are|was|has been|should be|must be|can be|will be)\s+(?:now\s+)?"
    r"(?:cancel|dropped|removed|obsolete|abandoned|skipped|superseded|(?:no longer|not) (?:needed|necessary|wanted))",
    re.IGNORECASE,
)
_DENIED = pattern(r"\bnot?\b|n't\b|\bnever\b|\bneither\b|\bindependent|\bwithout\b|\bparallel\b", re.IGNORECASE)
_AND = pattern(r"\s{0,3}(?:,|;|&|\+|\band\b)\s{0,3}")


def task_field(name: str) -> str | None:
    """Which field of a task a name says; None if none."""
    return _FIELDS.get(plain(name))


def split_field(name: str) -> str | None:
    """What a split says of all its tasks under this name; None if it is none of the known ones."""
    return _BESIDE.get(plain(name))


def is_way_to_split(name: str, value: Any) -> bool:
    """Does a field of a run that ended without success list tasks, and so say how its task could be split?"""
    bare = plain(name)
    first, _, rest = bare.partition(" ")
    bare = rest if first in _RECOMMENDED else bare
    named = split_field(bare) == "tasks" or bare in ("split", "breakdown", "task split")
    parts = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return named and any(isinstance(part, dict | list) or not says_nothing(part) for part in parts)


def names_chains(name: str) -> bool:
    """Does it name several lines of tasks, each for itself?"""
    return plain(name).split()[-1:] == ["chains"]


def names_line(name: str) -> bool:
    """Does it say that tasks come one behind the other, and not that some run at once?"""
    return bool({"order", "sequence", "chain", "chains"} & set(plain(name).split()))


def names_actions(name: str) -> bool:
    """Does it list what users will be able to do, each of which is a task?"""
    return plain(name) in _ACTIONS


def says_unwritten(name: str) -> bool:
    """Does a name for some of a task's files say that it leaves them as they are?"""
    return _UNWRITTEN.search(plain(name)) is not None


def smells_of_order(name: str) -> bool:
    bare = plain(name)
    return _SMELLS.search(bare) is not None or is_misspelt(bare, *TASK_NAMES["after"], *TASK_NAMES["before"])


def labelled_order(line: str) -> tuple[str, str] | None:
    """The label of a line that says in which order tasks come (`Order: …`, `Phase 2: …`, the head of a table), and what
    stands behind it; None if it has no such label."""
    if any(task_field(cell) in ("after", "before", "rank") for cell in line.strip().strip("|").split("|")[1:]):
        return line.strip(), ""
    label, _, behind = (part.strip(_MARKS) for part in line.partition(":"))
    says = split_field(label) in ("needs", "sequence", "alone") or (rank_of(label) is not None and behind)
    return (label, behind) if ":" in line and says else None


def numbered(name: str) -> str | None:
    """The name before a number, as in `builder-2`, if it is one that a list of tasks may have; else None."""
    found = _NUMBERED.fullmatch(name.strip())
    word = found.group(1).strip(" -_") if found else ""
    return None if not word or plain(word).split(" ")[-1] in NO_TASKS else word


def says_nothing(value: Any) -> bool:
    """Is it no statement at all: empty, or "none"?"""
    return value is None or value in ([], {}) or (isinstance(value, str) and plain(value) in _NOTHING)


def is_only_a_word(name: str, value: Any) -> bool:
    """A phase or stage that has a name and no number says what kind of work it is, and no order."""
    return plain(name) in _OF_A_KIND and isinstance(value, str) and rank_of(value) is None


def is_alone(name: str, value: Any) -> bool | None:
    """Does this say that a task, or each task of a split, runs by itself? None if it says neither."""
    if isinstance(value, bool):
        turned = plain(name) in _TURNED
        return value if turned else not value
    word = plain(value) if isinstance(value, str) else ""
    if plain(name) in _TURNED and word in _TRUTH:
        return _TRUTH[word]
    return True if word in _IN_TURN else False if word in _AT_ONCE else None


def rank_of(value: Any) -> int | None:
    """A place in an order: `2`, `"2"`, `"phase 2"`."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    found = _NUMBER.fullmatch(plain(value)) if isinstance(value, str) else None
    return int(found.group(1)) if found else None


def steps_in(words: str) -> list[str]:
    """What a text puts one behind the other: `a -> b`, `a, then b`."""
    return [part.strip(" ,.") for part in _STEPS.split(words) if part.strip(" ,.")]


def several_in(words: str) -> list[str]:
    """What a text names side by side: `a, b and c`."""
    return [part.strip() for part in _AND.split(words) if part.strip()]


class Named:
    """The names of tasks, to be found in running words; made once for all texts of a report."""

    def __init__(self, names: dict[str, str]) -> None:
        """`names`: each name of a task, and its key."""
        spelled = {_spelling(name): key for name, key in names.items() if len(name) >= NAME_MIN or _DIGIT.search(name)}
        longest = sorted((one for one in spelled if one), key=len, reverse=True)
        self._keys = [spelled[one] for one in longest]
        either = "|".join(f"({one})" for one in longest) or "(?!)"  # nothing has no name
        self._named = re.compile(rf"(?<!\w)(?<!\w-)(?:{either})(?!\w|-\w)", re.IGNORECASE)

    def orders_in(self, words: str) -> list[tuple[str, str]]:
        """The pairs of tasks that a text names with a word for an order between them (`b depends on a`, `a, then b`),
        or before the first (`after a is done, run b`): as they stand in it."""
        if len(set(self._keys)) < 2 or len(words) > WORDS_MAX or not _ORDER.search(words):
            return []
        found = []
        for sentence in _SENTENCES.split(words):
            for one, other in pairwise(self._named.finditer(sentence)):
                between, before = sentence[one.end() : other.start()][-NEAR:], sentence[: one.start()][-NEAR:]
                said = _BETWEEN_TASKS.search(between) or _BEFORE_BOTH.search(before)
                if said and not _is_denied(_AT_ONCE_THEN.sub("", between)):
                    found.append((self._key(one), self._key(other)))
        return found

    def in_turn(self, words: str) -> list[tuple[str, str]]:
        """The pairs of tasks of which a sentence says that they do not run at once, and not which is the first."""
        if len(words) > WORDS_MAX or not _IN_TURN_SAID.search(words):
            return []
        said = (one for one in _SENTENCES.split(words) if _IN_TURN_SAID.search(one) and not _DENIED.search(one))
        keys = (dict.fromkeys(self._key(spot) for spot in self._named.finditer(sentence)) for sentence in said)
        return [pair for named in keys for pair in pairwise(named)]

    def named_after(self, words: str) -> list[str]:
        """The tasks that a task's own words put before or behind it: `wait for a`, `runs after a`."""
        if len(words) > WORDS_MAX or not _ORDER.search(words):
            return []
        spots = ((sentence, spot) for sentence in _SENTENCES.split(words) for spot in self._named.finditer(sentence))
        before = ((sentence[: spot.start()][-NEAR:], spot) for sentence, spot in spots)
        return [self._key(spot) for said, spot in before if _BETWEEN_TASKS.search(said) and not _is_denied(said)]

    def called_off(self, words: str) -> list[str]:
        """The tasks of which a text says that they are not to be done any more."""
        spots = self._named.finditer(words) if len(words) <= WORDS_MAX else ()
        said = ((words[: spot.start()][-NEAR:], words[spot.end() :], self._key(spot)) for spot in spots)
        return [key for before, behind, key in said if _CALL_OFF.search(before) or _CALLED_OFF.match(behind)]

    def order_of_all(self, words: str) -> str | None:
        """The first words that put all tasks, or those of a list, in an order: below a label, or in a sentence."""
        ranks: dict[int, str] = {}
        for line in words.splitlines() if len(words) <= WORDS_MAX else ():
            label, behind = labelled_order(line) or ("", "")
            rank, names = rank_of(label), self._named.search(behind)
            if rank is not None and names:
                ranks[rank] = line.strip()
            alone = is_alone(label, behind) if split_field(label) in ("alone", "sequence") else None
            if label and rank is None and alone is not False and (not behind or alone or names):
                return line.strip()
            sentences = _SENTENCES.split(line)
            in_turn = next((one for one in sentences if _puts_all_in_turn(one) or self._puts_first(one)), None)
            if in_turn is not None:
                return in_turn.strip()
        return "; ".join(ranks.values()) if len(ranks) > 1 else None

    def _puts_first(self, sentence: str) -> bool:
        """Does it put the one task that it names before all others?"""
        said = _FIRST.search(sentence.strip()) and not _DENIED.search(sentence)
        return bool(said) and len({self._key(spot) for spot in self._named.finditer(sentence)}) == 1

    def _key(self, spot: re.Match[str]) -> str:
        return self._keys[(spot.lastindex or 1) - 1]


def _puts_all_in_turn(sentence: str) -> bool:
    said = _ALL_IN_TURN.search(sentence) and _OF_THE_TASKS.search(sentence)
    return bool(said) and not (_DENIED.search(sentence) or _WHERE_SHARED.search(sentence))


def _is_denied(words: str) -> bool:
    return _DENIED.search(_NOT_UNTIL.sub("", words)) is not None


def _spelling(name: str) -> str:
    """A name in any spelling: `codeweaver-2` is also `codeweaver 2`."""
    return r"[\s_-]?".join(re.escape(part) for part in re.split(r"[\s_-]+", name.strip()) if part)
