"""A report that says two things which cannot both hold: asked back while its run lives, and at its end read strictly.

Which fields can say so beside which outcome is in `carrying`.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from folkmoot.core.report import SIGNALS, WORDS_BESIDE, AskedQuestion, Delegation, Report
from folkmoot.core.rules.children.help import experts_left
from folkmoot.core.rules.judging.against.agreed import left_of_agreed
from folkmoot.core.rules.judging.against.checkers import Contradiction, of_who_goes_on, sending_for
from folkmoot.core.rules.judging.against.deciding import as_told, of_other_ends, of_undecided
from folkmoot.core.rules.judging.against.inside import left_inside
from folkmoot.core.rules.judging.against.own_words import (
    in_parts,
    red_check,
    red_unseen,
    weight_in_words,
    words_against,
)
from folkmoot.core.rules.judging.carrying import (
    PERMISSION,
    UNSPEAKABLE,
    against,
    may_say,
    own_word,
    shortly,
    words_of_end,
)
from folkmoot.core.rules.judging.sent import sent_by_run
from folkmoot.core.rules.messages.enclosed import enclosed
from folkmoot.core.rules.messages.kinds import FIX_TYPES
from folkmoot.core.rules.movement import stage_of
from folkmoot.core.rules.sharing.findings import GRAVE, against_done, remarks
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.phrases.undone import (
    left_open,
    said_undone,
    said_wrong,
    says_no_success,
    still_red,
    still_to_make,
)
from folkmoot.core.vocabulary.tries import (
    asks_person,
    escalates,
    labelled_question,
    names_one_of,
    signalled,
    wants_person,
)
from folkmoot.core.vocabulary.triggers import SECURITY, left_in, stated_in, told_in, trigger_in
from folkmoot.core.vocabulary.words import approves, is_approval, is_rejection, is_security, only_ends, says_fixed

# Whoever only answers another is read by whoever asked: all that it says is told there.
ANSWERS = ("expert", "sub", "dispatch")
# How a run has ended that signals so in a field of its report, and beside which outcomes that is something else.
SIGNALLED = {
    "SEEKING_DIVINE_CLARIFICATION": ("asks", ("done", "failed", "stuck")),
    "EXPERT_UNSUCCESSFUL": ("failed", ("done",)),
    "TASK_INCOMPLETE": ("incomplete", ("done",)),
}
# By which message a run takes back what it has sent; else by another of the same type.
_TAKES_BACK = {"fix_request": "completion", "test_failures": "test_results"}
# Messages that are verdicts by themselves: with an empty list they say that nothing was found.
VERDICT_MESSAGES = ("review_findings", "security_issues", "test_failures", "test_results")


def contradictions(case: Case, said: Report) -> Iterator[Contradiction]:
    """What speaks against the outcome, the gravest first."""
    unfinished = said.outcome in ("failed", "incomplete") or _next(case, said)
    if unfinished and case.item.kind not in ANSWERS:
        yield from _asked_in_words(case, said)
    else:
        yield from _signalled(case, said)
    checks = case.flow.checks(stage_of(case))
    if checks and case.item.kind not in ANSWERS:
        yield from of_who_goes_on(case, said)
    if said.outcome == "failed" and said.cause in (None, "capability") and not said.implied and _may(case, "asks"):
        flag = _person_wanted(said) if said.question is None else None
        if flag is not None:
            question = AskedQuestion(question=_around(said)[1] or flag)
            yield Contradiction(_asking_in_words(flag), "asks", adds={"question": question, "cause": None})
    if said.outcome != "done" or case.item.kind in ANSWERS:
        yield from of_other_ends(said, checks) if case.item.kind not in ANSWERS else ()
        return
    refusal = sent_by_run(case, said).refusal if checks else None
    if refusal is not None and _approves(said):
        yield _refusing(case, said, refusal)
    grave = against_done(said.findings, None) if checks else None
    if grave is not None and any(says_fixed(word) for word in words_of_end(said)):
        words = f"{grave}: which holds? Give each that is mended a `status` of fixed; for what is open report "
        yield Contradiction(f"{words}changes_requested (needs_fixes)", "changes_requested")
    yield from (*_left_before(case, said), *left_of_agreed(case, said)) if checks else ()
    found = against(said, judges=checks) or red_check(said, case.flow.gates) or (in_parts(said) if checks else None)
    if found is not None:
        open_ones = "report how it ended (failed, blocked, incomplete)"
        if checks:
            open_ones = "report changes_requested (needs_fixes) with each in `findings`; a remark goes there too, "
            open_ones += "with a severity of low or medium"
        words = f"{found}: which holds? If something is open, {open_ones}; if nothing is, leave that out"
        yield Contradiction(words, "changes_requested" if checks else None)
    elif undecided := of_undecided(said, checks):
        yield undecided
    in_words = list(_in_words(case, said, checks))
    yield from in_words
    if not in_words and found is None and against_done(said.findings, said.tests) is None:
        told = weight_in_words(said) or (words_against(said) if checks else None)
        if told is not None:
            yield Contradiction(told, "changes_requested" if checks else None)
    if said.question is not None and said.question.blocking and said.question.question.strip():
        yield _asking(case, said.question.question)
    asked = _question_beside(said) if said.question is None and _may(case, "asks") else None
    if asked is not None:
        question = AskedQuestion(question=asked, context=_around(said)[1] or None)
        yield Contradiction(_asking_in_words(asked), "asks", adds={"question": question})
    yield from _triggered(case, said, checks)
    tasks = len(said.tasks)
    if tasks and _may(case, "split"):
        words = (
            f"it names {tasks} task{'s' if tasks > 1 else ''}: which holds? To have them made report split; what only "
        )
        yield Contradiction(f"{words}should follow some day goes into `next_steps`", "split")
    if said.delegate and _may(case, "delegates"):
        words = f"it asks for help ({said.delegate[0].task[:80]}): which holds? To wait for the help report delegates"
        yield Contradiction(f"{words}; else leave it out", "delegates")
    elif said.delegate and checks:
        yield sending_for(said)


def _left_before(case: Case, said: Report) -> Iterator[Contradiction]:
    """It approves, and is silent about what an earlier run of the same look has found: nobody but who looks can say
    whether that is over, so it is asked before its word is turned round (R-22)."""
    stage = stage_of(case)
    left = remarks([replace(one, unheard=None) for one in case.item.findings if one.unheard == stage], False)
    silent = [one for one in left if one in said.findings]
    told = [one for one in said.findings if one not in silent]
    grave = next((one for one in silent if against_done([one], None)), None)
    if grave is None or against_done(told, said.tests):
        return
    place = f" ({grave.file}{f':{grave.line}' if grave.line else ''})" if grave.file else ""
    words = f"this look has found {shortly(grave.issue or grave.category or '')!r}{place} before, and now approves: "
    words += "which holds? If that is open report changes_requested; if not, name it in `findings` with a `status` of "
    yield Contradiction(f"{words}fixed, its place and why", "changes_requested")


def _next(case: Case, said: Report) -> str | None:
    """The expert who is asked at once because the agent is stuck."""
    return next(iter(experts_left(case, case.run.agent)), None) if said.outcome == "stuck" and case.run else None


def _signalled(case: Case, said: Report) -> Iterator[Contradiction]:
    """A signal in a field says how it ended, as the outcome does."""
    for text in filter(None, (said.summary, said.reason, said.blockers)):
        name = signalled(text)
        ending, beside = SIGNALLED[name] if name else ("", ())
        if said.outcome not in beside or said.question is not None:
            continue
        words = f"its words signal {name}: which holds? If that does report {ending}; else leave it out"
        adds = {"question": AskedQuestion(question=text)} if ending == "asks" else {}
        can = ending not in PERMISSION or _may(case, ending)
        yield Contradiction(words, ending if can else None, adds=adds)
        return
    if said.outcome == "done" and case.item.kind == "expert" and says_no_success(said.summary):
        words = f"its words say {shortly(said.summary)!r}: which holds? Without advice report EXPERT_UNSUCCESSFUL "
        yield Contradiction(f"{words}(failed); with some, say what to do", "failed")


def _asked_in_words(case: Case, said: Report) -> Iterator[Contradiction]:
    """`failed` says that another try begins, and `incomplete` that a fresh run does. Whoever asks for a person or for
    an expert in words around them has said how it is to go on, and the next try must not begin unheard. A trigger
    among the words, or a question in its field, asks a person by itself."""
    if said.cause not in (None, "capability") or said.escalation_reason or said.question is not None:
        return
    looked_at, whole = ("\n".join(filter(None, (part, *said.next_steps))) for part in _around(said))
    asked = asks_person(looked_at) if _may(case, "asks") else None
    if asked is not None:
        question = AskedQuestion(question=whole)
        yield Contradiction(_asking_in_words(asked), "asks", adds={"question": question, "cause": None})
        return
    left = experts_left(case, case.run.agent) if case.run and _may(case, "delegates") else []
    named = names_one_of(looked_at, left)
    if named is not None and named[0] != _next(case, said):
        expert, told = named
        words = f"it names {expert} in words ({shortly(told)!r}): which holds? To have that expert asked report "
        words += f"delegates{' behind the blocks' if said.attempts else ''}; else leave that out"
        adds = {"delegate": [Delegation(to=expert, task=whole)], "cause": None}
        yield Contradiction(words, "delegates", adds=adds)


def _around(said: Report) -> tuple[str, str]:
    """The words in which somebody may be asked for, and all that whoever is asked should read."""
    open_ones = [one.approach for one in said.attempts if one.kind == "expert_delegation" and not one.outcome]
    beside = [said.blockers, said.extra.get(WORDS_BESIDE), *open_ones]
    parts = beside, beside
    if not said.implied:
        own = [f"{name}: {value}" for name, value in _own_fields(said).items()]
        told = (text.removeprefix(f"{WORDS_BESIDE}: ") for text in told_in(said))
        parts = [said.reason, *told], [said.summary, said.reason, *beside, *own]
    looked_at, whole = (
        "\n".join(text for text in part if isinstance(text, str) and text not in SIGNALS) for part in parts
    )
    return looked_at, whole


def _question_beside(said: Report) -> str | None:
    """A question to a person below a label of its own. Other words beside `done` may tell of work that asks people."""
    if not said.extra:
        return None
    for name, value in _own_fields(said).items():
        if escalates(name, value) or (asks_person(f"{name}: it") and asks_person(f"{name}: {value}")):
            return f"{name}: {value}"
    beside = said.extra.get(WORDS_BESIDE)
    return _person_wanted(said) or (labelled_question(beside) if isinstance(beside, str) else None)


def _person_wanted(said: Report) -> str | None:
    """That a person is wanted, said as something that holds: `escalate: true`."""
    fields = _own_fields(said).items()
    return next((f"{name}: {value}" for name, value in fields if wants_person(name, value)), None)


def _own_fields(said: Report) -> dict[str, str]:
    """Its own words by their names; a list of texts as lines, and that something holds as a word."""
    found: dict[str, str] = {}
    for name, value in said.extra.items():
        told = "\n".join(value) if isinstance(value, list) and all(isinstance(one, str) for one in value) else value
        told = "yes" if value is True else told
        if name != WORDS_BESIDE and isinstance(told, str) and told:
            found[name] = told
    return found


def _asking_in_words(asked: str) -> str:
    words = f"it asks a person in words ({shortly(asked)!r}): which holds? To wait for the answer report asks, or "
    return (
        f"{words}write SEEKING_DIVINE_CLARIFICATION on a line of its own with a Question below it; else leave that out"
    )


def _in_words(case: Case, said: Report, checks: bool) -> Iterator[Contradiction]:
    """Plain words that say the opposite: blockers are what keeps work from being done; and what stands beside the
    report, or in it, may say that it is not done, or that a check is red."""
    stricter = "changes_requested" if checks else "incomplete"
    if said.blockers:
        words = (
            f"it names a blocker ({shortly(said.blockers)!r}): which holds? If that keeps it from being done report "
        )
        words += "stuck or failed (blocked); what is only left for others goes into `next_steps` (recommendations)"
        yield Contradiction(words, "stuck")
    beside = said.extra.get(WORDS_BESIDE)
    told = said_undone(said.summary, plainly=True)
    if told is None and isinstance(beside, str):
        told = said_undone(beside) or still_red(beside)
    if told is None and said.extra:
        fields = (f"{name}: {value}" for name, value in _own_fields(said).items() if left_open(name, value))
        told = next(fields, None)
    told = told or (left_inside(said) if said.extra else None)
    told = told or next(filter(None, map(still_to_make, said.next_steps)), None)
    told = told or (said_wrong(said.summary) or red_unseen(case, said) if not checks else None)
    if told is not None:
        words = f"its words say {shortly(told)!r}: which holds? If it is not done report how it ended; if it is, say so"
        yield Contradiction(f"{words} in the words, too", stricter)


def _approves(said: Report) -> bool:
    """In a word of its own; `done` alone is the board's, and weighed with what was sent (R-22)."""
    said_so = True in (said.extra.get("approval"), said.extra.get("approved"))
    return said_so or any(approves(word) for word in words_of_end(said))


def _refusing(case: Case, said: Report, refusal: str) -> Contradiction:
    """It approves, and asks for a fix: in the same text, or by what its run has sent before."""
    inside = any(message.type == refusal for message in enclosed(case, said))
    words = f"it {'holds' if inside else 'has sent'} a {refusal}: which holds? To have it changed report "
    words += "changes_requested (needs_fixes); to approve it, "
    again = _TAKES_BACK.get(refusal, refusal)  # of the same subject, and the flow lets whoever sent the one send it
    word = "passed" if again == "test_results" else "approved"
    words += "leave the message out" if inside else f"first send a {again} whose payload.status is {word}"
    return Contradiction(words, "changes_requested")


def fault_of_no_verdict(case: Case, said: Report) -> str | None:
    """Whoever looks at work has to say what it is like: that its own task is over is no verdict.

    Where the flow gives it a message by which it asks for changes, "completed" is the word of those who make; and
    who says that fixes were applied has told of its own work in any flow. What it sent or found is a verdict.
    """
    if said.outcome != "done" or case.item.kind in ANSWERS or not case.flow.checks(stage_of(case)):
        return None
    words, agent = words_of_end(said), case.run.agent if case.run else ""
    ends = any(only_ends(word) for word in words) or said.extra.get("type") == "completion"
    fixed = any(says_fixed(word) for word in words)
    if (
        said.extra.get("type") in VERDICT_MESSAGES
        or not ends
        or _approves(said)
        or not (fixed or _asks_by_message(case, agent))
    ):
        return None
    sent, green = sent_by_run(case, said), said.tests is not None and said.tests.total and not said.tests.failed
    if sent.refusal or sent.approved or green or against_done(said.findings, said.tests):
        return None
    word = next((repr(word) for word in words if only_ends(word)), "a completion")
    return (
        f"{word} says that the task is over, and nothing about the work that was looked at: report approved, or "
        "needs_fixes with what must change"
    )


def fault_of_verdict_word(case: Case, said: Report) -> str | None:
    """Only whoever looks at work approves it: from those who make it, the word may be meant for another run."""
    word = next((word for word in words_of_end(said) if is_approval(word)), None)
    if word is None or said.outcome != "done" or case.item.kind in ANSWERS or case.item.kind == "part":
        return None
    stage = stage_of(case)
    looks = next((name for name in case.flow.columns if case.flow.checks(name)), None)
    if looks is None or case.flow.checks(stage):
        return None
    own = "fixes_applied" if case.item.returns_to else "completed"
    return f"{word!r} is the word of whoever looks at the work, as in {looks}, and this is {stage}: report {own}"


def fault_of_rejection(case: Case, said: Report) -> str | None:
    """From those who make the work, `rejected` may refuse what they were handed or told to mend, or ask that others
    change something first. The one goes back to whoever handed it over, the other to whoever made the work."""
    word = next((word for word in words_of_end(said) if is_rejection(word)), None)
    stage = stage_of(case)
    if word is None or said.outcome != "changes_requested" or case.item.kind in ANSWERS or case.flow.checks(stage):
        return None
    words = f"{word!r} is a verdict on work that was looked at, and this is {stage}: which holds? To refuse what was "
    words += "handed over, or what was found, report disputed with what is wrong with it in a comment; to have others "
    return f"{words}change something first report changes_requested (needs_fixes) with what"


def _asks_by_message(case: Case, agent: str) -> bool:
    return any(agent in rule.senders for kind, rule in case.flow.messages.items() if kind in FIX_TYPES)


def _asking(case: Case, question: str) -> Contradiction:
    words = f"it asks a person: {' '.join(question.split())[:120]!r}: which holds? "
    if not _may(case, "asks"):
        return Contradiction(f"{words}This agent may not ask: say what is open in `next_steps`, or report stuck", None)
    ways = "To wait for the answer report asks; to go on without it give the question `blocking` false"
    return Contradiction(words + ways, "asks")


def _triggered(case: Case, said: Report, checks: bool) -> Iterator[Contradiction]:
    """A situation in which a person must be asked is not over by `done` (E-05)."""
    concern = stated_in(said, SECURITY) if not is_security(said.escalation_reason) else None
    if concern is None and not checks:  # whoever checks has weighed what it found
        found = [one.issue for one in said.findings if one.severity not in GRAVE and one.fixed is None]
        concern = next((one for one in found if (told := trigger_in([one])) and told.meaning == SECURITY), None)
    if concern is not None:
        yield _concerned(case, concern)
    left = left_in(said) if said.question is None and _may(case, "asks") else None
    if left is not None:
        words = (
            f"it says {shortly(left)!r}, which only a person can decide: which holds? To ask, report asks or signal "
        )
        words += "SEEKING_DIVINE_CLARIFICATION with a Question; if it is cleared up, say in the words that it is"
        yield Contradiction(words, "asks", adds={"question": AskedQuestion(question=left, context=_around(said)[1])})


def _concerned(case: Case, concern: str) -> Contradiction:
    """A security concern in plain words goes to a person whatever stands beside it (E-05), unless it was met."""
    told = f": {' '.join(concern.split())[:120]!r}" if concern else ""
    words = f"it names a security concern{told}: which holds? To put it before a person "
    words += "signal SEEKING_DIVINE_CLARIFICATION with a Question, or " if _may(case, "asks") else ""
    words += "add the escalation_reason security; if it is met, say in the words that it was resolved"
    return Contradiction(words, None, "security")


def _may(case: Case, outcome: str) -> bool:
    agent = case.run.agent if case.run else ""
    assert outcome in PERMISSION
    return outcome not in UNSPEAKABLE.get(case.item.kind, ()) and may_say(case.flow, agent, outcome)


def fault_of_contradiction(case: Case, said: Report) -> str | None:
    found = [one.words for one in contradictions(case, said)]
    return f"it says {own_word(said)}, and {'; and '.join(found)}" if found else None


def settled(case: Case, said: Report) -> Report:
    """The last word of a process: of two statements the stricter holds, and the other is kept beside it."""
    found = list(contradictions(case, said))
    if found and all(one.told for one in found) and not case.flow.checks(stage_of(case)):
        return as_told(said)
    stricter = next((one for one in found if one.reading), None)
    reason = next((one.reason for one in found if one.reason), None)
    said = replace(said, escalation_reason=reason) if reason else said
    return replace(said, outcome=stricter.reading, **stricter.adds) if stricter else said
