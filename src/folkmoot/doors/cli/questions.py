"""Threads and questions."""

import click
from msgspec import UNSET

from folkmoot.api.pages import Comments
from folkmoot.api.requests import AddComment, AnswerQuestion, ListComments, Show, ShowEscalations, ShowInbox
from folkmoot.doors.cli import render
from folkmoot.doors.cli.session import Number, Session, common, in_run, keyed, number_of, print_json
from folkmoot.errors import Invalid, NothingToDo


@click.command("comment")
@click.argument("item")
@click.argument("text")
@click.option("--artifact", metavar="A", help="The artifact it is about, by its name.")
@click.option("--target", metavar="T", help="The section or test it is about.")
@click.option("--parent", metavar="C", help="The comment it replies to.")
@click.option("--resolve", type=click.Choice(["accepted", "rejected"]), help="Resolve the thread of --parent.")
@in_run
@keyed
@click.pass_obj
def comment_command(
    session: Session,
    item: str,
    text: str,
    artifact: str | None,
    target: str | None,
    parent: str | None,
    resolve: str | None,
) -> None:
    """Comment on an item, or reply to a comment.

    Whoever works on the item next is told. A comment on an artifact reaches whoever works with it. A running agent
    hears it as it hears `moot say`; where its work would end the item unheard, it goes again.

    \b
    Examples:
      moot comment 7 "The limit is 20 MB, not 10"
      moot comment 7 "Not covered" --artifact specs/upload.md --target Limits
      moot comment 7 "Agreed" --parent c001 --resolve accepted

    See also: moot comments, moot show.
    """
    about = {"artifact": artifact, "target": target, "parent": parent, "resolution": resolve}
    view = session.ask(AddComment(item=number_of(item), content=text, **about))
    session.answer(Comments(comments=view.comments), lambda: render.questions.comments(view.comments[-1:]))


@click.command("comments")
@click.argument("item")
@click.option("--after", metavar="C", help="Only comments after this one: the next page.")
@click.option(
    "--limit", type=Number(1, 10_000), default=1000, show_default=True, metavar="N", help="At most this many."
)
@common
@click.pass_obj
def comments_command(session: Session, item: str, after: str | None, limit: int) -> None:
    """Show the threads of an item.

    The oldest first. Where there are more than --limit, the JSON has `next`: the --after of the next page.

    \b
    Examples:
      moot comments 7
      moot comments 7 --json
      moot comments 7 --after c001 --limit 50

    See also: moot comment, moot show.
    """
    found = session.ask(ListComments(item=number_of(item))).comments
    known = {comment.id: place for place, comment in enumerate(found, start=1)}
    if after is not None and after.strip().lower() not in known:
        words = "item {item} has no comment {after!r}"
        raise Invalid("bad_cursor", words, "see those that it has: moot comments {item}", number_of(item), after)
    begin = known[after.strip().lower()] if after is not None else 0
    page = found[begin : begin + limit]
    following = page[-1].id if begin + limit < len(found) else None
    session.answer(Comments(comments=page, next=following or UNSET), lambda: render.questions.comments(page))
    if following and not session.json:
        render.page.more(f"moot comments {number_of(item)} --after {following}")


@click.command("inbox")
@click.option("--document", is_flag=True, help="As JSON: escalation_tracking and pending_divine_questions.")
@common
@click.pass_obj
def inbox_command(session: Session, document: bool) -> None:
    """Show what agents ask you, oldest first. Exit 3 if nothing is there.

    Each question comes with what is needed to decide it, its options, and the command that answers it. Below them are
    the messages that are about no item and that nobody has taken up yet. With --document it is one JSON document, also
    if nothing is open: what was tried on each item, and what is asked.

    \b
    Examples:
      moot inbox
      moot inbox --json
      moot inbox --document

    See also: moot answer, moot show.
    """
    ask = session.ask
    if document:
        print_json(ask(ShowEscalations()))
        return
    view = ask(ShowInbox())
    if not view.questions and not view.messages:
        raise NothingToDo("no_question", "no question is open", "see what is going on: moot board")

    def words() -> None:
        from folkmoot.doors.cli.render.questions import inbox

        asking = {question.task_id for question in view.questions}
        inbox(view.questions, {item: ask(Show(item=item)) for item in asking}, view.messages)

    session.answer(view, words)


@click.command("answer")
@click.argument("question")
@click.argument("answer")
@click.argument("more", required=False, default="")
@click.option("--text", is_flag=True, help="ANSWER is words, also where it looks like an option.")
@click.option("--to", metavar="COLUMN", help="Where the item goes on, if not where it came from.")
@keyed
@click.pass_obj
def answer_command(session: Session, question: str, answer: str, more: str, text: bool, to: str | None) -> None:
    """Answer a question by an option's number or words.

    The beginning of an option's words will do, if no other begins so. The item is free to go on, and its next agent is
    told; MORE is for that agent too. Where options decide, other words are refused and the options shown; --to COLUMN
    decides as well. An agent's own question takes any words.

    \b
    Examples:
      moot answer q3 2
      moot answer q3 "fix it" "and keep the old API"
      moot answer q3 --text 8080
      moot answer q3 "The story must say so" --to stories

    Exit codes: 1 if the rules refuse it, 2 if there is no such question, option or column.

    See also: moot inbox, moot move.
    """
    view = session.ask(AnswerQuestion(question=question, answer=answer, more=more, text=text, to=to))
    session.answer(view, lambda: render.ends.answered(session.ask, view, question))
