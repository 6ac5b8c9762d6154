"""By what a check says that it could not be made: its program, its script or its target is not there.

Such a check says nothing about the work. Programs end with 126 or 127 for it, or with words of their own.
"""

import re

from folkmoot.core.vocabulary.cause_line import cause_line
from folkmoot.core.vocabulary.patterns import pattern

CODES = (126, 127)  # of a shell: it cannot be run, it is not there
_LINES_MAX = 2_000
_SAID = pattern(
    r"^make(?:\[\d+\])?: (?:\*\*\* (?:No rule to make target|No targets specified)|.{1,200}Error 12[67]$)"
    r"|^npm (?:ERR!|error) Missing script: |^npm (?:ERR!|error) enoent .{0,40}package\.json|ERR_PNPM_NO_SCRIPT"
    r"|^error Command \"[^\"]{1,80}\" not found\.|^error: Script not found "
    r"|^\S{0,200}python[\d.]{0,6}: (?:can't open file |No module named )"
    r"|^(?:\S{0,100}/)?(?:ba|da|z|k)?sh: (?:\d+: )?(?:cannot|can't) open "
    r"|^ERROR: file or directory not found: |^error: could not find `Cargo\.toml`|^error: no such command: `"
    r"|^go: (?:go\.mod file not found|cannot find main module)"
    r"|^error: (?:No justfile found|Justfile does not contain recipe)",
    re.IGNORECASE,
)


def not_there(code: int | None, output: str) -> str | None:
    """The line that says what a check could not find, if that is why it ended; None: it was made."""
    if code in CODES:
        return cause_line(output) or f"exit {code}"
    if not code:
        return None
    lines = (line.strip() for line in output[-100_000:].splitlines()[-_LINES_MAX:])
    return next((line[:200] for line in lines if _SAID.search(line)), None)
