"""`moot output`: what an agent printed, as a person reads it."""

import click

from folkmoot.api.pages import RunText
from folkmoot.api.requests import ReadOutput
from folkmoot.doors.cli.session import Session, common, plain
from folkmoot.errors import Invalid

DIFF = 1_000_000  # from this part on it is the change of the run


@click.command("output")
@click.argument("item_or_run", metavar="ITEM|RUN")
@click.option("--follow", is_flag=True, help="Go on until the run has ended.")
@click.option("--raw", is_flag=True, help="The stream as the client printed it.")
@click.option("--diff", "diff", is_flag=True, help="What the run changed, instead of what it printed.")
@click.option("--prompt", "prompt", is_flag=True, help="What the agent was told, instead of what it printed.")
@common
@click.pass_obj
def output_command(session: Session, item_or_run: str, follow: bool, raw: bool, diff: bool, prompt: bool) -> None:
    """Show what an agent said and did.

    Its words, its tools in a line each, and its errors. Of an ITEM it is the latest run; `moot show ITEM` names the
    others, `moot board` those at work. The beginning of a run's id is enough. What setup and gates printed is shown as
    it is. The store keeps the beginning and the end.

    \b
    Examples:
      moot output 7
      moot output 7 --follow
      moot output r3f9a2c41b7d0 --raw
      moot output 7 --prompt

    Exit codes: 2 if there is no such run, or several begin so.

    See also: moot diff, moot show, moot salvage.
    """
    from folkmoot.doors.cli.render.seen.output import print_output, print_raw, text_of

    if prompt and (follow or raw or diff):
        raise click.UsageError("--prompt shows what the run began with: give it alone")
    view = session.ask(ReadOutput(run=item_or_run, prompt=prompt))
    parts = [part for part in view.parts if (part.part >= DIFF) == (diff or prompt)]
    if prompt and not parts:
        words = "nothing is kept of what run {run} was told: only a worker keeps it"
        raise Invalid("no_prompt", words, "what a person or an agent of its own claims, `<show>` tells it", view.run)
    if session.json:
        text = "".join(part.text for part in parts)
        transcript = session.boards.transcript(session.board, view.agent, view.model)
        said = [] if diff or prompt else [*transcript.feed(text), *transcript.finish()]
        answer = RunText(
            run=view.run, agent=view.agent, model=view.model, item=view.item, live=view.live, text=text, said=said
        )
        session.answer(answer, lambda: None)
    elif prompt:
        click.echo(plain("".join(part.text for part in parts)), color=False)
    elif diff:
        text_of(parts)
    elif raw:
        print_raw(session, view, follow)
    else:
        print_output(session, view, follow)
