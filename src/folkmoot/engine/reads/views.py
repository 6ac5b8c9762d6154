"""Rows as the answers of the contract. Nothing is decided here."""

from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Protocol

from msgspec import UNSET
from msgspec.structs import asdict, replace

from folkmoot.api.views import (
    ArtifactView,
    AttemptView,
    Change,
    ClaimView,
    CommentView,
    ContractView,
    Data,
    Dispatched,
    Dropped,
    HoldView,
    ItemView,
    LessonView,
    MessageView,
    OptionView,
    OutputView,
    PauseView,
    PendingQuestion,
    QuestionView,
    RunView,
    SentenceView,
    Tracking,
)
from folkmoot.core.commands import Command, OfferReport, ReportRun
from folkmoot.core.explain import tier, why
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item, Sentence
from folkmoot.core.order import actor, iteration
from folkmoot.core.records import Attempt, Comment, Hold, Lesson, Message, Option, Pause, Question, Run
from folkmoot.core.report import Statement
from folkmoot.core.rules.asking.reasons import reason_does
from folkmoot.core.rules.judging.carrying import acted_of, kept_of
from folkmoot.core.rules.running.budgets import POOL, in_force
from folkmoot.core.rules.running.joining import runs_on
from folkmoot.core.rules.running.spending import money_of, token_sum
from folkmoot.core.rules.sharing.findings import named
from folkmoot.core.vocabulary.ways import does
from folkmoot.engine.moment import Moment


@lru_cache(1024)
def moment_text(milliseconds: int | None) -> str | None:
    """Kept, because answers name the same moments again and again."""
    if milliseconds is None:
        return None
    seconds, rest = divmod(milliseconds, 1000)
    return f"{_second_text(seconds)}.{rest:03d}Z"


@lru_cache(64)
def _second_text(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


class Rows(Protocol):
    """As much of a reading as an item's view needs."""

    def item(self, item: str) -> Item | None: ...
    def children(self, item: str) -> list[str]: ...
    def runs(self, item: str) -> list[Run]: ...
    def attempts(self, item: str) -> list[Attempt]: ...
    def comments(self, item: str) -> list[Comment]: ...
    def questions(self, item: str) -> list[Question]: ...


def item_view(reading: Rows, item: Item, flow: Flow, moment: Moment) -> ItemView:
    """The whole item, as `show --json` gives it. What cannot exist yet is not looked for."""
    questions = reading.questions(item.id) if item.span.questions or item.clarifications or item.open_questions else []
    runs = reading.runs(item.id) if item.token else []
    whole = (reading.item(item.parent or "") if item.kind == "part" else None) or item
    return ItemView(
        **summary_fields(item, flow, moment, questions),
        body=item.body,
        type=item.type,
        files=item.files,
        children=reading.children(item.id),
        dispatched=[Dispatched(item=child, agent=agent) for child, agent in item.sent.items()],
        dispatched_by=item.dispatched_by,
        contracts=[ContractView(name=name, text=text) for name, text in item.contracts.items()],
        integration_points=item.integration_points,
        spec=item.spec,
        constraints=item.constraints,
        purpose=item.purpose,
        outputs=[OutputView(**asdict(output), item=child) for child, output in item.outputs.items()],
        tests=item.tests,
        holds=item.holds,
        failure_history=history_views(reading, item),
        incomplete_count=item.effort.incompletes,
        escalation_reason=item.escalation_reason,
        escalation_tracking=tracking_view(item),
        flag=item.flag,
        told=item.told,
        dropped=[Dropped(agent=agent, files=files) for agent, files in item.dropped.items()],
        iteration=iteration(flow, whole),
        max_rounds=flow.limits.feedback_rounds,
        artifacts=[ArtifactView(name=name, **asdict(made)) for name, made in item.artifacts.items()],
        comments=comment_views(reading, item),
        findings=named(item.findings),
        questions=[question_view(question) for question in questions],
        guidance=item.guidance,
        said=[sentence_view(one) for one in item.said],
        runs=[run_view(run, flow) for run in runs],
        head=item.head,
        branch=f"refs/moot/items/{item.id}" if item.head else None,
        proposal=item.proposal,
        issue=item.issue.link if item.issue else None,
        landed=item.landed,
        landed_on=item.landed_on,
        evidence=item.proofs or item.evidence,
        version=item.version,
        created_at=moment_text(item.created_at),
        updated_at=moment_text(item.updated_at),
    )


def summary_fields(item: Item, flow: Flow, moment: Moment, questions: list[Question]) -> dict[str, Any]:
    """The fields that the short form and the whole have in common."""
    dispute = item.dispute
    return {
        "id": item.id,
        "title": item.title,
        "column": item.column,
        "status": item.status,
        "priority": item.priority,
        "tags": item.tags,
        "needs": item.needs,
        "runs_on": runs_on(flow, item),
        "after": item.after,
        "waits_for": item.waits_for,
        "kind": item.kind,
        "parent": item.parent,
        "agent": item.agent,
        "watcher": _watcher(item, flow),
        "taken": item.taken,
        "blocked_by": None,
        "pause": round(item.wake_at - moment.now, 1) if item.wake_at > moment.now else None,
        "failure_count": item.failure_count,
        "dispute_rounds": dispute.rounds if dispute else 0,
        "dispute_agents": dispute.agents if dispute else [],
        "escalation_tier": tier(flow, item),
        "cost_usd": item.cost_usd or None,
        "why": why(flow, item, moment.now, questions),
    }


def _watcher(item: Item, flow: Flow) -> str | None:
    """Whose turn it is: an agent, or the gate that must prove the work."""
    if item.status == "proving" and item.is_proposed and flow.proposes:
        return None  # people, on the forge
    if item.column not in flow.columns:
        return None
    if item.status == "proving" and item.proving:
        return item.proving.left[0]
    return actor(flow, item) or flow.watcher(item.column)


def tracking_view(item: Item) -> Tracking:
    span = item.span
    return Tracking(
        self_solve_attempts=span.self_solve_attempts,
        expert_attempts=span.expert_attempts,
        total_attempts=span.attempts,
        experts_tried=span.experts_tried,
        last_attempt_type=item.last_attempt_type,
        last_attempt_outcome=item.last_attempt_outcome,
        divine_clarifications_received=item.clarifications,
    )


def history_views(reading: Rows, item: Item) -> list[AttemptView]:
    return [attempt_view(attempt) for attempt in reading.attempts(item.id)] if item.attempt_count else []


def comment_views(reading: Rows, item: Item) -> list[CommentView]:
    return [comment_view(comment) for comment in reading.comments(item.id)] if item.comment_count else []


def attempt_view(attempt: Attempt) -> AttemptView:
    return AttemptView(
        attempt=attempt.number,
        kind=attempt.kind,
        model=attempt.model,
        agent=attempt.agent,
        cause=attempt.cause,
        reason=attempt.reason,
        approach=attempt.approach,
        outcome=attempt.outcome,
        why_different=attempt.why_different,
        counted=attempt.counted,
        ground=attempt.ground,
        run=attempt.run,
    )


def comment_view(comment: Comment) -> CommentView:
    return CommentView(
        id=comment.id,
        author=comment.author,
        timestamp=moment_text(comment.at),
        artifact=comment.artifact,
        target=comment.target,
        content=comment.content,
        parent=comment.parent,
        status=comment.status,
        resolution=comment.resolution,
    )


def sentence_view(sentence: Sentence) -> SentenceView:
    return SentenceView(
        number=sentence.number,
        text=sentence.text,
        by=sentence.by,
        timestamp=moment_text(sentence.at),
        heard=sentence.heard,
    )


def question_view(question: Question) -> QuestionView:
    return QuestionView(
        id=question.id,
        task_id=question.item,
        agent_id=question.agent,
        kind=question.kind,
        question=question.question,
        context=question.context,
        help=question.help,
        options=[_option_view(option) for option in question.options],
        takes="option" if question.decides else "words",
        blocking=question.blocking,
        default=question.default,
        state=question.state,
        answer=question.answer,
        answered_by=question.answered_by,
        requested_at=moment_text(question.at),
    )


def _option_view(option: Option) -> OptionView:
    return OptionView(
        option=option.option,
        why_insufficient=option.why_insufficient,
        to=option.to,
        effect=option.effect,
        does=does(option),
    )


def pending_view(question: Question) -> PendingQuestion:
    """An open question in the shape of the escalation document, with the id by which it is answered."""
    return PendingQuestion(
        id=question.id,
        task_id=question.item,
        agent_id=question.agent,
        question=question.question,
        context=question.context,
        options=[option.option for option in question.options],
        requested_at=moment_text(question.at),
    )


def answer_view(
    reading: Rows, command: Command, item: Item, flow: Flow, moment: Moment, weighed: dict[str, str] | None = None
) -> ItemView:
    """The item after a command. After a report it also says which statements `acted`, which were `kept` without effect,
    and what its reason will do; after an offered one which would act, and which would be kept."""
    view = item_view(reading, item, flow, moment)
    if isinstance(command, ReportRun):
        own = next((run for run in reversed(view.runs) if run.run == item.last_run), None)
        does_then = reason_does(flow, item, own.agent, own.report) if own is not None and own.report else ""
        return replace(view, acted=own.acted if own else [], kept=own.kept if own else [], reason_does=does_then)
    if isinstance(command, OfferReport):
        said, agent = command.report, view.runs[-1].agent if view.runs else ""
        return replace(view, acted=acted_of(said, weighed), kept=kept_of(said, agent, flow, weighed))
    return view


def run_view(run: Run, flow: Flow | None = None) -> RunView:
    return RunView(
        run=run.id,
        token=run.token,
        agent=run.agent,
        column=run.column,
        model=run.model,
        person=run.person,
        cloned=run.cloned,
        worker=run.worker,
        started_at=moment_text(run.started_at),
        ended_at=moment_text(run.ended_at),
        end=run.end,
        outcome=run.outcome,
        cause=run.cause,
        cost_usd=money_of(run),
        tokens=token_sum(run),
        setup_seconds=run.setup_seconds,
        setup_kept=run.setup_kept,
        gate=run.gate,
        sandboxed=run.sandboxed,
        commit=run.work.commit if run.work else None,
        ref=f"refs/moot/runs/{run.id}" if run.work and run.work.commit else None,
        changed=[Change(path=one.path, how=one.how) for one in run.work.touched] if run.work else [],
        dropped=run.work is not None and run.work.dropped,
        report=run.report,
        refused=run.refused,
        refused_for=run.refused_for,
        acted=acted_of(run.report, run.weighed) if run.report else [],
        kept=_kept(run, flow),
    )


def _kept(run: Run, flow: Flow | None) -> list[Statement]:
    if run.report is None or (run.gate and run.weighed is None):  # of a gate, an older board did not ask
        return []
    return kept_of(run.report, run.agent, flow, run.weighed)


def message_view(message: Message, note: str | None = None) -> MessageView:
    """The envelope of the documents; `note` says where the board counts otherwise."""
    return MessageView(
        schema_version=message.schema_version,
        message_id=message.id,
        timestamp=message.sent_at or moment_text(message.at),
        sender=message.sender,
        to=message.to,
        type=message.type,
        priority=message.priority,
        payload=message.payload,
        context=message.context,
        status=message.status,
        item=message.item,
        run=message.run,
        why=message.why,
        note=note or UNSET,
    )


def hold_views(holds: list[Hold]) -> list[HoldView]:
    return [
        HoldView(
            resource=hold.path,
            agent=hold.owner,
            item=hold.item,
            run=hold.run,
            acquired=moment_text(hold.acquired_at),
            expires=moment_text(hold.expires_at),
        )
        for hold in holds
    ]


def pause_views(pauses: list[Pause], moment: Moment) -> list[PauseView]:
    """What begins no runs now, and until when."""
    return [
        PauseView(
            what=name,
            until=moment_text(one.ends_at),
            why=one.why,
            by=one.by,
            since=moment_text(one.at),
            cause=one.cause if name.startswith(POOL) else None,
            login=one.login,
            now=one.now,
            question=one.question if one.until is None else None,
        )
        for name, one in in_force(pauses, moment.now).items()
    ]


def lesson_view(lesson: Lesson) -> LessonView:
    return LessonView(
        id=lesson.id,
        text=lesson.text,
        agent=lesson.agent,
        item=lesson.item,
        run=lesson.run,
        files=lesson.files,
        timestamp=moment_text(lesson.at),
    )


def claim_view(run: Run, item: ItemView | None, brief: Data, moment: Moment) -> ClaimView:
    return ClaimView(
        run=run.id,
        token=run.token,
        agent=run.agent,
        model=run.model,
        lease_expires_at=moment_text(moment.at + round((run.lease_until - moment.now) * 1000)),
        workspace=None,
        item=item,
        brief=brief,
    )
