"""The command that prints a shell's script."""

import click

from folkmoot.doors.cli.completion.shells import SHELLS, script
from folkmoot.doors.cli.session import Session, common


@click.command("completion")
@click.argument("shell", type=click.Choice(list(SHELLS)))
@common
@click.pass_context
def completion_command(context: click.Context, shell: str) -> None:
    """Print the script that lets a shell complete `moot`.

    Commands and options, and from the board you are in: items, columns, agents, questions and runs. Put the line for
    your shell where it is read when the shell starts, and open a new one. Nothing is ever written by completing.

    \b
    Examples:
      moot completion bash
      moot completion zsh
      moot completion fish

    \b
    Install it:
      bash  echo 'eval "$(moot completion bash)"' >> ~/.bashrc
      zsh   echo 'eval "$(moot completion zsh)"' >> ~/.zshrc
      fish  moot completion fish > ~/.config/fish/completions/moot.fish

    zsh needs `autoload -U compinit && compinit` before it.

    See also: moot init.
    """
    session: Session = context.obj
    text = script(context.find_root().command, shell)
    session.answer({"shell": shell, "script": text}, lambda: click.echo(text, nl=False))
