"""The one door to the rules: a situation and a command give events, or a refusal. Nothing is changed here."""

from collections.abc import Callable
from typing import Any

from folkmoot.core import commands
from folkmoot.core.commands import Command
from folkmoot.core.proposals import orders
from folkmoot.core.rules import answers, claims, dependencies, manual, outcomes
from folkmoot.core.rules.asking import parking
from folkmoot.core.rules.asking.sending_back import send_back
from folkmoot.core.rules.children import agreeing, counting, making, reopening, tasks
from folkmoot.core.rules.children import orders as below
from folkmoot.core.rules.judging.weighing import weigh
from folkmoot.core.rules.messages import asking, life, sending, writing
from folkmoot.core.rules.running import budgets, hearing, landing, pauses, proposing, tracking, work
from folkmoot.core.rules.settling import settle
from folkmoot.core.rules.sharing import holds, mirrored
from folkmoot.core.situation import Case, Situation
from folkmoot.errors import Refused

Rule = Callable[[Case, Any], None]

# What only a person may do; a run that tries is refused, whatever its token (an agent cannot answer for a human).
FOR_PEOPLE = (
    commands.MoveItem,
    commands.SendBack,
    commands.EditItem,
    commands.ParkItem,
    commands.UnparkItem,
    commands.CancelItem,
    commands.ReopenItem,
    commands.AnswerQuestion,
    commands.StopBoard,
    commands.ResumeBoard,
    commands.SettleLanding,
    orders.SeeProposal,
    orders.SeeIssue,
    orders.NoteIssue,
    orders.TellMerge,
    orders.PausePool,
    commands.TakeOver,
    commands.EndRun,
    commands.SayToAgent,
)


def decide(situation: Situation, command: Command) -> Case:
    """Run the rule for a command. The case holds the events; the same situation always gives the same ones."""
    case = Case(situation)
    actor = situation.actor
    if isinstance(command, FOR_PEOPLE) and not actor.may_decide:
        name, who = type(command).__name__, f"files of {actor.name}" if actor.file else "runs"
        words = "{name} is for people, not for {who}"
        raise Refused("only_people", words, "report asks, and a person will decide", name, who)
    carry_out(case, command)
    claims.keep_alive(case)
    if isinstance(command, commands.ReportRun) and case.refusal is None:
        case.note_weighed(weigh(case, command, carry_out))
    elif isinstance(command, commands.OfferReport) and case.refusal is None:
        case.weighed = _would_act(situation, command)
    return case


def _would_act(situation: Situation, command: commands.OfferReport) -> dict[str, str]:
    """Which statements of a report will act once the run has ended, as far as can be said before."""
    case, ended = Case(situation), commands.ReportRun(report=command.report)
    carry_out(case, ended)
    return weigh(case, ended, carry_out)


def carry_out(case: Case, command: Command) -> None:
    """Run the rule, then see to it that somebody will act on the item, whichever way it went."""
    before = case.item
    RULES[type(command)](case, command)
    settle(case)
    pauses.end_unasked(case)
    # A flow that has no messages any more leaves none open that were sent before it.
    if (case.flow.messages or case.messages) and case.has_item and case.item is not before:
        life.end_stages(case, before, command)
        writing.hand_over(case, before, command)
        asking.close_escalations(case)
        if case.flow.messages:
            asking.tell_escalations(case)


def _of_run(rule: Rule) -> Rule:
    """A rule that a person or a run may use; a run must show its token first (R-27)."""

    def fenced(case: Case, command: Any) -> None:
        if not case.actor.is_person:
            claims.fence(case)
        rule(case, command)

    return fenced


def _widen(case: Case, command: commands.WidenRun) -> None:
    claims.fence(case)
    holds.widen(case, command)


RULES: dict[type[Command], Rule] = {
    commands.ReportRun: outcomes.report,
    commands.OfferReport: outcomes.offer,
    commands.ClaimItem: claims.claim,
    commands.RenewRun: lambda case, command: claims.renew(case, command.usage, command.windows),
    commands.NoteSetup: claims.note_setup,
    commands.ReleaseRun: claims.release,
    commands.TakeOver: claims.take_over,
    commands.EndRun: claims.end_by_hand,
    commands.SayToAgent: hearing.say,
    commands.HearPeople: lambda case, command: hearing.hear(case, claims.fence(case), command),
    commands.LapseRun: claims.lapse,
    commands.WidenRun: _widen,
    commands.AskPerson: manual.ask_person,
    commands.PauseRun: pauses.pause_run,
    commands.StopRun: pauses.stop_run,
    commands.StopBoard: pauses.stop,
    commands.ResumeBoard: pauses.resume,
    commands.WeighDay: budgets.weigh_day,
    commands.RecordLanding: landing.record,
    commands.SettleLanding: landing.settle_landing,
    orders.RecordProposal: proposing.record,
    orders.MeetOthersWork: proposing.meet,
    orders.SeeProposal: proposing.see,
    orders.TellMerge: proposing.tell_merge,
    orders.PausePool: proposing.pause,
    orders.SeeIssue: tracking.see_issue,
    orders.NoteIssue: tracking.note_issue,
    commands.KeepWork: work.keep_child_work,
    commands.PassDeadline: answers.pass_deadline,
    commands.AddItem: manual.add,
    commands.MoveItem: manual.move,
    commands.SendBack: send_back,
    commands.EditItem: manual.edit,
    commands.ParkItem: parking.park,
    commands.UnparkItem: parking.unpark,
    commands.CancelItem: manual.cancel,
    commands.ReopenItem: manual.reopen,
    commands.AddComment: manual.comment,
    commands.AnswerQuestion: answers.answer,
    commands.DispatchAgent: making.dispatch,
    commands.LockPaths: _of_run(holds.lock),
    commands.UnlockPaths: _of_run(holds.unlock),
    commands.SendMessage: _of_run(sending.send),
    commands.AcceptMessage: _of_run(life.accept),
    commands.CompleteMessage: _of_run(life.complete),
    commands.RejectMessage: _of_run(life.reject),
    commands.MakeItem: making.make,
    below.AskForMore: counting.ask_for_more,
    commands.SettleDependency: dependencies.settle_dependency,
    commands.AwaitChild: dependencies.await_child,
    commands.KeepOutput: dependencies.keep_output,
    commands.NoteDispatch: dependencies.note_dispatch,
    commands.RaiseQuestion: dependencies.raise_question,
    commands.CloseQuestion: dependencies.close_question,
    commands.ReopenChild: reopening.reopen_child,
    below.AgreeContracts: agreeing.contracts_agreed_elsewhere,
    below.ReviewConflict: tasks.review_conflict,
    below.EndReview: tasks.go_on_after_review,
    commands.SettleItem: lambda case, command: None,  # every command ends by settling; this one does nothing else
    commands.RankItem: dependencies.rank,
    commands.RaiseConflict: mirrored.raise_conflict,
}
