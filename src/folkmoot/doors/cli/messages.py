"""The message protocol: what agents hand to each other, in the envelope of the contract."""

import click

from folkmoot.api.requests import AcceptMessage, CompleteMessage, ListMessages, RejectMessage, Show, ShowFlow
from folkmoot.api.views import MessageView
from folkmoot.core.enums import MESSAGE_STATUSES
from folkmoot.core.records import ORCHESTRATOR
from folkmoot.core.vocabulary.roles import correspondent
from folkmoot.doors.cli import render
from folkmoot.doors.cli.session import Session, common, in_run, keyed, number_of, print_json, read_text
from folkmoot.doors.message_command import order_to_dispatch
from folkmoot.errors import Invalid


@click.command("send")
@click.argument("file", required=False)
@click.option("--to", metavar="A", help="For whom it is, if the message does not say.")
@click.option("--schema", is_flag=True, help="Print the envelope's JSON Schema, and send nothing.")
@in_run
@keyed
@click.pass_obj
def send_command(session: Session, file: str | None, to: str | None, schema: bool) -> None:
    """Send a message: an envelope as JSON.

    For agents that hand work to each other by name. FILE holds it; - reads standard input. from, to and type are
    needed, the rest is filled in; the flow says who may send which type to whom. from may also be said by --as, and is
    a run's own agent inside of a run.

    context.item binds it to an item. Without one a task_handoff or task_assignment from outside of a run is new work,
    and makes an item; any other is about the item its sender works on, or the only one there is. Else an escalation
    or clarification_request asks you, and what is left waits on the board for its receiver.

    \b
    Examples:
      moot send handoff.json
      moot send - --as planner --to builder < handoff.json
      moot send --schema

    Exit codes: 1 if the flow does not allow it, 2 if it is no envelope.

    See also: moot messages, moot accept, moot dispatch.
    """
    from folkmoot.doors.message_command import order_to_send
    from folkmoot.reports.envelope import envelope_schema, read_message

    if schema:
        print_json(envelope_schema())
        return
    if file is None:
        raise Invalid("bad_usage", "send needs a FILE with the message", "see: moot send --help")
    said = read_message(read_text(file), sender=session.name, to=to, in_run=session.run is not None)
    _say(session, session.ask(order_to_send(said)), "sent")


@click.command("messages")
@click.option("--to", metavar="A", help="Only for this agent.")
@click.option("--status", type=click.Choice(MESSAGE_STATUSES), help="Only in this state.")
@click.option("--item", metavar="ID", help="Only about this item.")
@common
@click.pass_obj
def messages_command(session: Session, to: str | None, status: str | None, item: str | None) -> None:
    """Show messages, in the order they were sent.

    \b
    Examples:
      moot messages
      moot messages --to builder --status pending
      moot messages --item 7 --json

    See also: moot send, moot accept, moot reject.
    """
    flow = session.ask(ShowFlow())
    to = correspondent(flow, to) if to else None
    view = session.ask(ListMessages(to=to, status=status, item=number_of(item) if item else None))
    if not view.messages and to != ORCHESTRATOR:
        from folkmoot.doors.cli.completion.nearest import known_agent

        known_agent(to, flow)
    session.answer(view, lambda: render.messages.messages(view.messages, chosen=bool(to or status or item)))


@click.command("accept")
@click.argument("message", metavar="MSG")
@in_run
@keyed
@click.pass_obj
def accept_command(session: Session, message: str) -> None:
    """Accept a pending message as its receiver. A claim does so by itself.

    Only its receiver accepts: a run of that agent, or whoever says --as AGENT.

    \b
    Examples:
      moot accept 6f1c2a4e-0b7d-4c3f-9a51-2d8e7b60c9f4 --as builder
      moot accept 6f1c2a4e-0b7d-4c3f-9a51-2d8e7b60c9f4 --as builder --json

    Exit codes: 1 if it is no longer pending or for somebody else, 2 if there is no such message.

    See also: moot messages, moot complete, moot reject.
    """
    view = session.ask(AcceptMessage(message=message))
    _say(session, view, "accepted")


@click.command("complete")
@click.argument("message", metavar="MSG")
@in_run
@keyed
@click.pass_obj
def complete_command(session: Session, message: str) -> None:
    """Say that what a message asked for is done. The end of its stage does so by itself.

    A message is completed only after its receiver has accepted it.

    \b
    Examples:
      moot complete 6f1c2a4e-0b7d-4c3f-9a51-2d8e7b60c9f4
      moot complete 6f1c2a4e-0b7d-4c3f-9a51-2d8e7b60c9f4 --as builder

    Exit codes: 1 if it is not accepted yet or ended already, 2 if there is no such message.

    See also: moot messages, moot accept.
    """
    view = session.ask(CompleteMessage(message=message))
    _say(session, view, "completed")


@click.command("reject")
@click.argument("message", metavar="MSG")
@click.option("--why", required=True, metavar="T", help="The reason; the sender sees it.")
@in_run
@keyed
@click.pass_obj
def reject_command(session: Session, message: str, why: str) -> None:
    """Refuse a message. By a run this is its report: it disputes what it was handed.

    Outside of a run it is the receiver's objection: a comment on the item, and where the item waits for that receiver
    a dispute, which goes to the stage that made the work.

    \b
    Examples:
      moot reject 6f1c2a4e-0b7d-4c3f-9a51-2d8e7b60c9f4 --why "No limits named"
      moot reject 6f1c2a4e-0b7d-4c3f-9a51-2d8e7b60c9f4 --why "Not mine" --json

    Exit codes: 1 if it has ended already, 2 if there is no such message.

    See also: moot messages, moot accept.
    """
    if not why.strip():
        raise Invalid("bad_usage", "--why is empty", "say what is wrong with it")
    view = session.ask(RejectMessage(message=message, why=why))
    _say(session, view, "rejected")


@click.command("dispatch")
@click.argument("agent")
@click.argument("task")
@click.option("--purpose", default="fix", show_default=True, metavar="P", help="Why: fix, question or test_failure.")
@in_run
@keyed
@click.pass_obj
def dispatch_command(session: Session, agent: str, task: str, purpose: str) -> None:
    """Give another agent a small thing to do, and go on.

    For simple fixes, questions and test failures. Inside a run, what comes of it is in the item's next brief.
    Coordination, conflicts and the state of the board are for the rules: report. TASK may be - for standard input, and
    may be what dispatch_agent takes: {"agent": …, "task": …}.

    \b
    Examples:
      moot dispatch dev-agent "Fix the missing check in feature.go:42"
      moot dispatch dev-agent "Is the limit 10 or 20 MB?" --purpose question

    Exit codes: 1 if the flow does not allow it, 2 if there is no such agent.

    See also: moot send, moot report.
    """
    view = session.ask(order_to_dispatch(agent, read_text(task) if task == "-" else task, purpose))
    session.answer(view, lambda: render.item.added(view, f"for {agent}"))


def _say(session: Session, view: MessageView, done: str) -> None:
    def words() -> None:
        render.messages.told(view, done)
        if done == "sent":
            _tell_questions(session, view)

    session.answer(view, words)


def _tell_questions(session: Session, view: MessageView) -> None:
    """An escalation is a question: whoever looks at this screen should see it."""
    if view.type == "escalation" and view.status == "pending" and view.item:
        from folkmoot.doors.cli.render.questions import requested

        item = session.ask(Show(item=view.item))
        for question in [q for q in item.questions if q.state == "open"][-1:]:
            requested(session.ask, question, view.sender)
