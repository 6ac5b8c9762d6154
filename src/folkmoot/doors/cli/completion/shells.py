"""The shells: what each of them tells about its line, and how it wants to be answered."""

import sys
from typing import TYPE_CHECKING

import click
from click.shell_completion import BashComplete, CompletionItem, FishComplete, ShellComplete, ZshComplete

from folkmoot.doors.cli.completion import VARIABLE
from folkmoot.doors.cli.completion.values import fit

if TYPE_CHECKING:
    from folkmoot.doors.cli.session import Session

# Older ones have no `nosort`. What the command says to a person has no place in the middle of a line.
BASH = """\
%(complete_func)s() {
    local IFS=$'\\n'
    local response completion type value

    response=$(env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD="$COMP_CWORD" \
%(complete_var)s=bash_complete "$1" 2>/dev/null)

    COMPREPLY=()
    for completion in $response; do
        IFS=',' read -r type value <<< "$completion"
        if [[ $type == dir ]]; then
            compopt -o dirnames
        elif [[ $type == file ]]; then
            compopt -o default
        elif [[ $type == plain ]]; then
            COMPREPLY+=("$value")
        fi
    done
}

complete -o nosort -F %(complete_func)s %(prog_name)s 2>/dev/null || complete -F %(complete_func)s %(prog_name)s
"""
FISH = """\
function %(complete_func)s
    set -l response (env %(complete_var)s=fish_complete COMP_WORDS=(commandline -cp) \
COMP_CWORD=(commandline -t) %(prog_name)s 2>/dev/null)
    for completion in $response
        set -l metadata (string split -m 1 "," -- $completion)
        if test $metadata[1] = "dir"
            __fish_complete_directories $metadata[2]
        else if test $metadata[1] = "file"
            __fish_complete_path $metadata[2]
        else if test $metadata[1] = "plain"
            echo $metadata[2]
        end
    end
end

complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
"""


class Bash(BashComplete):
    source_template = BASH

    def source(self) -> str:
        return self.source_template % self.source_vars()

    def get_completion_args(self) -> tuple[list[str], str]:
        """Bash makes three words of `--column=dev`."""
        args, incomplete = super().get_completion_args()
        return [word for word in args if word != "="], incomplete


class _Whole(ShellComplete):
    """For shells that leave `--column=dev` one word: the answer is all of it."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        found = super().get_completions(args, incomplete)
        option, sign, _ = incomplete.partition("=")
        if sign and option.startswith("--"):
            for item in found:
                item.value = f"{option}={item.value}"
        return found


class Zsh(_Whole, ZshComplete):
    pass


class Fish(_Whole, FishComplete):
    source_template = FISH


SHELLS: dict[str, type[ShellComplete]] = {"bash": Bash, "zsh": Zsh, "fish": Fish}


def script(cli: click.Command, shell: str) -> str:
    return SHELLS[shell](cli, {}, "moot", VARIABLE).source()


def complete(cli: click.Command, asked: str, session: "Session") -> int:
    """Say what could stand next; nothing where there is no board, or no sense in the line."""
    shell, _, kind = asked.partition("_")
    if shell not in SHELLS or kind != "complete":
        return 0
    try:
        found = SHELLS[shell](fit(cli), {"obj": session}, "moot", VARIABLE).complete()
    except (Exception, KeyboardInterrupt):
        # The user is in the middle of a line: whatever is wrong will be said when it is entered, not across it.
        return 0
    if found:
        sys.stdout.buffer.write(f"{found}\n".encode())
    return 0
