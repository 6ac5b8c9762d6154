"""Who asks the forge: by a variable of the environment, or as `gh` is signed in; as an App, by `app.py`.

It is kept in this process alone: in no file, in no argument, and in no environment of a run.
"""

import subprocess
from collections.abc import Callable, Mapping
from typing import NamedTuple

from folkmoot.errors import Refused

VARIABLE = "MOOT_GITHUB_TOKEN"  # no client can pass on what begins with MOOT_
SECONDS = 20.0
HOOK_VARIABLE = "MOOT_WEBHOOK_SECRET"  # of `moot serve`: what a forge signs its calls with
GITLAB_VARIABLE = "MOOT_GITLAB_TOKEN"
APP_VARIABLE, APP_KEY_VARIABLE = "MOOT_GITHUB_APP", "MOOT_GITHUB_APP_KEY"
# What no program gets that is started here, whoever wrote it.
OURS = frozenset({VARIABLE, GITLAB_VARIABLE, HOOK_VARIABLE, APP_VARIABLE, APP_KEY_VARIABLE})
HOSTS = {"api.github.com": "github.com"}


def without_tokens(env: Mapping[str, str]) -> dict[str, str]:
    """The user's environment, for a program of theirs that has nothing to do with the forge."""
    return {name: value for name, value in env.items() if name not in OURS}


class Login(NamedTuple):
    """How a forge's own program says who is signed in; before all that, a variable says it."""

    public: str
    variable: str
    program: str
    asked: tuple[str, ...]
    sign_in: str

    @property
    def hint(self) -> str:
        return f"set {self.variable} where agents are run, or sign in: {self.sign_in}"


GITHUB = Login("github.com", VARIABLE, "gh", ("auth", "token", "--hostname"), "gh auth login")
GITLAB = Login("gitlab.com", GITLAB_VARIABLE, "glab", ("config", "get", "token", "--host"), "glab auth login")


class Token:
    """`find` is where a program is; `host` is the forge's, as its program knows it. The variable is for that forge only
    where it `is_meant`: it names no host, and an address that came with a clone may be anybody's."""

    def __init__(
        self,
        env: Mapping[str, str],
        find: Callable[[str], str | None],
        host: str,
        login: Login = GITHUB,
        *,
        is_meant: bool = True,
    ) -> None:
        self._is_meant = is_meant
        self._login = login
        self._env = env
        self._find = find
        self._host = HOSTS.get(host, host)
        self._known = ""

    def __call__(self, anew: bool = False) -> str:
        if anew or not self._known:
            self._known = (self._of_variable() if self._is_meant else "") or self._of_program()
        return self._known

    def _of_variable(self) -> str:
        return self._env.get(self._login.variable, "").strip()

    def check(self) -> None:
        """Refused where nothing says who asks."""
        self()

    def _of_program(self) -> str:
        program, name = self._find(self._login.program), self._login.program
        if program is None:
            raise self._missing(f"{name} is not installed")
        try:
            ran = subprocess.run(
                [program, *self._login.asked, self._host],
                env=without_tokens(self._env),
                capture_output=True,
                stdin=subprocess.DEVNULL,
                timeout=SECONDS,
                check=False,
                cwd="/",
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise self._missing(f"{name} does not answer") from error
        found = ran.stdout.decode("ascii", "replace").strip()
        if ran.returncode or not found or any(letter.isspace() for letter in found):
            raise self._missing(f"{name} is not signed in to {self._host}")
        return found

    def _missing(self, why: str) -> Refused:
        is_set, variable = bool(self._of_variable()), self._login.variable
        if is_set:
            words = "nothing says who asks the forge {host}: {variable} is for {public}, and {why}"
            hint = "sign in there: {sign_in} --hostname {host}; or name the forge below `land` in the flow: `api: https://…`"
            more = {"public": self._login.public, "sign_in": self._login.sign_in}
            return Refused("no_forge_token", words, hint, self._host, variable, why, **more)
        words = "nothing says who asks the forge {host}: {variable} is not set, and {why}"
        return Refused("no_forge_token", words, self._login.hint, self._host, variable, why)
