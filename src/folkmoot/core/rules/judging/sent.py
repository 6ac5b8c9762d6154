"""What a run has sent about the work it looks at is part of what it says: findings, tests, a verdict (R-22, R-26)."""

from collections.abc import Iterable

from msgspec import Struct, field
from msgspec.structs import replace

from folkmoot.core.enums import FINDING_KINDS, SEVERITIES, FindingKind
from folkmoot.core.records import Message, Run
from folkmoot.core.report import Finding, Report, Tests
from folkmoot.core.rules.messages.enclosed import enclosed
from folkmoot.core.rules.messages.kinds import against_end
from folkmoot.core.rules.movement import stage_of
from folkmoot.core.rules.sharing.findings import identity, remarks
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.lines import number_in
from folkmoot.core.vocabulary.phrases.flags import counts_problems
from folkmoot.core.vocabulary.phrases.nothings import says_nothing
from folkmoot.core.vocabulary.phrases.tallies import COUNTED, counted, tally, told_under
from folkmoot.core.vocabulary.problems import finding_told, is_over, problem_itself, problems_in
from folkmoot.core.vocabulary.words import approves, plain, verdict_of

# What each of the documents' messages about the work is about.
SUBJECTS: dict[str, FindingKind] = {
    "completion": "review",
    "fix_request": "review",
    "review_findings": "review",
    "security_issues": "security",
    "test_failures": "test",
    "test_results": "test",
}
_TELLS_END = ("completion", "test_results")  # in these a payload says how something went
_OF_ENVELOPE = frozenset({"context", "files", "tasks"})
# Lists in which a message tells of the work, and not of what is wrong with it.
_OF_WORK = _OF_ENVELOPE | {
    *("spec", "specs", "constraints", "artifacts", "test", "tests", "commit", "commits", "commands", "tags", "lessons"),
    *("passed", "passing", "approved", "reviewed", "checked", "done", "good", "options", "questions"),
}


class Sent(Struct, frozen=True):
    """What the messages of one run say together."""

    findings: list[Finding] = field(default_factory=list)
    tests: Tests | None = None
    words: str = ""
    refusal: str | None = None  # the type of the message that asks for changes, if one does
    issues: int = 0  # how many it has counted
    approved: bool = False  # has one of them approved the work?


_NOTHING_SENT = Sent()


def sent_by_run(case: Case, said: Report) -> Sent:
    """What still holds of what the run has sent: who approves later takes back what it sent before on the same.

    So do tests that the report counts, if none of them failed.
    """
    if not (case.messages or said.messages):
        return _NOTHING_SENT
    known = sorted((one for one in case.messages.values() if _is_of_run(case, one)), key=lambda message: message.at)
    sent = [*known, *(one for one in enclosed(case, said) if one.type in SUBJECTS)]
    approved = {SUBJECTS[message.type]: at for at, message in enumerate(sent) if _verdict(message) is True}
    return _together([one for at, one in enumerate(sent) if at >= approved.get(SUBJECTS[one.type], 0)], said)


def _together(messages: list[Message], said: Report) -> Sent:
    if said.tests is not None and said.tests.total and not said.tests.failed:
        messages = [message for message in messages if SUBJECTS[message.type] != "test"]
    counted = [tests for message in messages if (tests := _tests(message)) is not None]
    return Sent(
        findings=[finding for message in messages for finding in _issues(message)] or _as_counted(messages, said),
        tests=max(counted, key=lambda tests: tests.failed, default=None),
        words=next((text for message in messages for text in _words(message)), ""),
        refusal=next((message.type for message in messages if _verdict(message) is False), None),
        approved=any(_verdict(message) is True for message in messages),
        issues=max(map(_counted, messages), default=0),
    )


def with_sent(case: Case, said: Report) -> Report:
    """The report with what its run has sent. The same finding, sent and reported, is one."""
    sent = sent_by_run(case, said)
    if sent is _NOTHING_SENT:
        return said
    findings, tests = united(said.findings, sent.findings), said.tests or sent.tests
    asks = said.outcome == "changes_requested" or (said.outcome == "done" and sent.refusal is not None)
    summary = said.summary or (sent.words if asks and not said.findings else "")
    extra = {"issues": sent.issues, **said.extra} if sent.issues else said.extra
    return (
        said
        if (findings, tests, summary, extra) == (said.findings, said.tests, said.summary, said.extra)
        else replace(said, findings=findings, tests=tests, summary=summary, extra=extra)
    )


def with_unheard(case: Case, said: Report) -> Report:
    """The verdict with what earlier runs of the same look have found, that ended without one: `incomplete`, `failed`,
    `asks`. It stands beside the verdict, and is weighed with it."""
    if not case.item.findings:
        return said
    stage = stage_of(case)
    left = [replace(finding, unheard=None) for finding in case.item.findings if finding.unheard == stage]
    if not left or said.outcome not in ("done", "changes_requested"):
        return said
    return replace(said, findings=united(said.findings, remarks(left, False)))


def unfinished_by(case: Case) -> str | None:
    """What the run's own last completion says against the end of its phase, if it does."""
    if not case.messages:
        return None
    told = [m for m in case.messages.values() if _is_of_run(case, m) and m.type == "completion"]
    return against_end(sorted(told, key=lambda message: message.at)[-1].payload) if told else None


def united(reported: list[Finding], sent: list[Finding]) -> list[Finding]:
    """What a run reported and sent, each once. Two that were sent of one place are two: each is what one of the
    reported repeats, or one more."""
    found = list(reported)
    taken: dict[int, Finding] = {}  # which of the reported was sent as what
    for finding in sent:
        same = [at for at, known in enumerate(found) if _is_said(known, finding)]
        at = next(iter(same), None)
        if at is None:
            free = (at for at in range(len(reported)) if at not in taken and _is_same(found[at], finding))
            at = next(free, None)
        if at is None:
            found.append(finding)
        else:
            taken.setdefault(at, finding)
            found[at] = _filled(found[at], finding)
    return found


def _is_said(one: Finding, other: Finding) -> bool:
    """The very same words of the same place."""
    words = {one.issue, *one.wordings} & {other.issue, *other.wordings}
    return bool(words) and identity(replace(one, kind="")) == identity(replace(other, kind=""))


def _is_same(one: Finding, other: Finding) -> bool:
    """Whatever kind each was told as: the same place, or the same test or words and nothing that the two say apart."""
    if identity(replace(one, kind="")) == identity(replace(other, kind="")):
        return True
    said = ((one.file, other.file), (one.line, other.line), (one.test, other.test))
    if any(known and told and known != told for known, told in said):
        return False
    alike = " ".join(one.issue.casefold().split()) == " ".join(other.issue.casefold().split())
    return bool(one.test and other.test) or (alike and bool(one.issue.strip()))


def _filled(known: Finding, sent: Finding) -> Finding:
    """One finding that was told twice: the graver of the two, with whatever either says of it."""
    told = {
        name: getattr(known, name) or getattr(sent, name) for name in ("issue", "recommendation", "test", "exploit")
    }
    place, other = (sent, known) if sent.file and not known.file else (known, sent)
    words = dict.fromkeys([*known.wordings, sent.issue, *sent.wordings])
    return replace(
        known,
        **told,
        wordings=[one for one in words if one and one != told["issue"]],
        kind=known.kind if known.kind != FINDING_KINDS[0] else sent.kind,
        severity=min(known.severity, sent.severity, key=_gravity),
        category=known.category or sent.category,
        file=place.file,
        line=place.line if place.line is not None else other.line if other.file in (None, place.file) else None,
    )


def _gravity(severity: str) -> int:
    return SEVERITIES.index(severity) if severity in SEVERITIES else len(SEVERITIES)


def _is_of_run(case: Case, message: Message) -> bool:
    run = case.run
    if run is None or message.type not in SUBJECTS or message.status == "rejected":
        return False
    return message.run == run.id or _is_of_look(case, run, message)


def _is_of_look(case: Case, run: Run, message: Message) -> bool:
    """Sent in the agent's name outside of any run, about what it looks at, and nobody else has taken it up since."""
    if message.run is not None or message.sender != run.agent or message.item is None:
        return False
    about = case.item.parent if case.item.kind == "part" else case.item.id
    waits = message.status == "pending" or (message.status == "accepted" and message.stage == stage_of(case))
    return message.item == about and waits and case.flow.checks(stage_of(case))


def _verdict(message: Message) -> bool | None:
    """What it would mean as a report. True: approved. False: it asks for changes. None: neither."""
    payload, tests = message.payload, _tests(message)
    told = [word for word in (verdict_of(payload.get("status")), payload.get("approval")) if isinstance(word, bool)]
    if told and message.type == "completion" and all(told):
        # That a phase is over says nothing good or bad of the work.
        return True if approves(payload.get("status")) or payload.get("approval") is True else None
    if told:
        return all(told)
    asks = message.type == "fix_request" or any(_issues(message)) or (tests is not None and tests.failed > 0)
    return False if asks else None


def _tests(message: Message) -> Tests | None:
    for name in ("summary", "tests"):
        value = message.payload.get(name)
        if (counts := tally(value)) is not None:
            return counts
        if isinstance(value, str) and (told := counted(value)) is not None:
            return told
    told = told_under(message.payload)
    told = told or tally({name: message.payload[name] for name in COUNTED if name in message.payload})
    failed = number_in(message.payload.get("failures")) if SUBJECTS[message.type] == "test" else None
    return told or (Tests(failed=failed) if failed else None)


def _counted(message: Message) -> int:
    """How many problems it counts, and need not tell; tests are counted by themselves."""
    fields = message.payload.items() if SUBJECTS[message.type] != "test" else ()
    return max((number_in(value) or 0 for name, value in fields if counts_problems(name)), default=0)


def _issues(message: Message) -> Iterable[Finding]:
    """What it lists under whichever name. Nobody is there who could be asked back: a severity that nobody knows is
    medium, and stays as the category."""
    own = problem_itself(message.payload) if message.type not in _TELLS_END else None
    if own is not None:
        yield finding_told(own, SUBJECTS[message.type], None).finding
    for listed in problems_in(message.payload, _OF_ENVELOPE):
        for part, severity in listed.parts:
            if isinstance(part, str | dict) and part:
                yield finding_told(part, listed.kind or SUBJECTS[message.type], severity).finding


def _as_counted(messages: list[Message], said: Report) -> list[Finding]:
    """The issues of a `fix_request` that lists them under a name of its own: the one list of texts in it that is as
    long as the number of issues that the report names."""
    number = number_in(said.extra.get("issues"))
    payloads = [message.payload for message in messages if message.type == "fix_request"] if number else []
    lists = [texts for payload in payloads for name, value in payload.items() if (texts := _texts(name, value))]
    fits = [texts for texts in lists if len(texts) == number]
    return [finding_told(text, "review", None).finding for text in fits[0]] if len(fits) == 1 else []


def _texts(name: str, value: object) -> list[str]:
    if {*plain(name).split()} & _OF_WORK or is_over(name) or not isinstance(value, list):
        return []
    return value if all(isinstance(one, str) and not says_nothing(one) for one in value) else []


def _words(message: Message) -> Iterable[str]:
    for name in ("summary", "description", "details", "issues"):
        value = message.payload.get(name)
        if isinstance(value, str) and value.strip():
            yield value.strip()
