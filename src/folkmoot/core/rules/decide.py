"""The one door to the rules: a situation and a command give events, or a refusal. Nothing is changed here."""

from folkmoot.core import commands
from folkmoot.core.commands import Command
from folkmoot.core.rules import answers, claims, dependencies, hands, outcomes
from folkmoot.core.rules.movement import settle
from folkmoot.core.situation import Case, Situation
from folkmoot.errors import Refused

# What only a person may do; a run that tries is refused, whatever its token (an agent cannot answer for a human).
FOR_PEOPLE = (commands.MoveItem, commands.EditItem, commands.CancelItem, commands.ReopenItem, commands.AnswerQuestion)


def decide(situation: Situation, command: Command) -> Case:
    """Run the rule for a command. The case holds the events; the same situation always gives the same ones."""
    case = Case(situation)
    if isinstance(command, FOR_PEOPLE) and not situation.speaker.is_person:
        name = type(command).__name__
        raise Refused("only_people", f"{name} is for people, not for runs", "report asks, and a person will decide")
    carry_out(case, command)
    return case


def carry_out(case: Case, command: Command) -> None:
    """Run the rule, then see to it that somebody will act on the item, whichever way it went."""
    _apply(case, command)
    settle(case)


def _apply(case: Case, command: Command) -> None:
    match command:
        case commands.ReportRun():
            outcomes.report(case, command)
        case commands.ClaimItem():
            claims.claim(case, command)
        case commands.RenewRun():
            claims.renew(case)
        case commands.ReleaseRun():
            claims.release(case)
        case commands.LapseRun():
            claims.lapse(case)
        case commands.PassDeadline():
            answers.pass_deadline(case, command)
        case commands.AddItem():
            hands.add(case, command)
        case commands.MoveItem():
            hands.move(case, command)
        case commands.EditItem():
            hands.edit(case, command)
        case commands.CancelItem():
            hands.cancel(case, command)
        case commands.ReopenItem():
            hands.reopen(case, command)
        case commands.AddComment():
            hands.comment(case, command)
        case commands.AnswerQuestion():
            answers.answer(case, command)
        case commands.SettleDependency():
            dependencies.settle_dependency(case, command)
        case commands.AwaitChild():
            dependencies.await_child(case, command)
        case commands.SettleItem():
            pass  # every command ends by settling the item; this one does nothing else
        case commands.RankItem():
            dependencies.rank(case, command)
        case _:
            raise AssertionError(f"no rule for {type(command).__name__}")
