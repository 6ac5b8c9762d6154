"""Who asks the forge: by a variable of the environment, or as `gh` is signed in.

It is kept in this process alone: in no file, in no argument, and in no environment of a run.
"""

import subprocess
from collections.abc import Callable, Mapping

from folkmoot.errors import Refused

VARIABLE = "MOOT_GITHUB_TOKEN"  # no client can pass on what begins with MOOT_
SECONDS = 20.0
HOOK_VARIABLE = "MOOT_WEBHOOK_SECRET"  # of `moot serve`: what a forge signs its calls with
OURS = frozenset({VARIABLE, HOOK_VARIABLE})  # what no program gets that is started here, whoever wrote it
HOSTS = {"api.github.com": "github.com"}


def without_tokens(env: Mapping[str, str]) -> dict[str, str]:
    """The user's environment, for a program of theirs that has nothing to do with the forge."""
    return {name: value for name, value in env.items() if name not in OURS}


class Token:
    """`find` is where a program is; `host` is the forge's, as `gh` knows it."""

    def __init__(self, env: Mapping[str, str], find: Callable[[str], str | None], host: str) -> None:
        self._env = env
        self._find = find
        self._host = HOSTS.get(host, host)
        self._known = ""

    def __call__(self, anew: bool = False) -> str:
        if anew or not self._known:
            self._known = self._env.get(VARIABLE, "").strip() or self._of_gh()
        return self._known

    def _of_gh(self) -> str:
        program = self._find("gh")
        if program is None:
            raise self._missing("gh is not installed")
        try:
            ran = subprocess.run(
                [program, "auth", "token", "--hostname", self._host],
                env=dict(self._env),
                capture_output=True,
                stdin=subprocess.DEVNULL,
                timeout=SECONDS,
                check=False,
                cwd="/",
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise self._missing("gh does not answer") from error
        found = ran.stdout.decode("ascii", "replace").strip()
        if ran.returncode or not found or any(letter.isspace() for letter in found):
            raise self._missing(f"gh is not signed in to {self._host}")
        return found

    def _missing(self, why: str) -> Refused:
        words = "nothing says who asks the forge {host}: {variable} is not set, and {why}"
        hint = "set {variable} where agents are run, or sign in: gh auth login"
        return Refused("no_forge_token", words, hint, self._host, VARIABLE, why)
