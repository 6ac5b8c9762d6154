"""Who asks GitHub as an App: a token of its installation, for one repository, made anew before its hour is over.

The App's key stays in its file: `openssl` signs with it, so that it is in no memory of ours and in no argument.
"""

import base64
import json
import os
import stat
import subprocess
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from urllib.parse import quote

from folkmoot.errors import Refused
from folkmoot.system.forge.graph import in_good_form
from folkmoot.system.forge.http import Http
from folkmoot.system.forge.token import APP_KEY_VARIABLE, APP_VARIABLE, SECONDS, without_tokens
from folkmoot.worker.forge.port import ForgeRefused

EARLY_SECONDS = 300.0  # before a token ends another is asked for: a question may take a while
SIGNED_SECONDS = 540  # GitHub takes no word of an App that holds for more than ten minutes
SKEW_SECONDS = 60  # its clock may be behind ours
HINT = f"{APP_VARIABLE} is the App's id, and {APP_KEY_VARIABLE} the path of its private key"


class AppToken:
    """`find` is where a program is; `in_reach` says whether a change of a run can come to a path."""

    def __init__(
        self,
        env: Mapping[str, str],
        find: Callable[[str], str | None],
        api: str,
        repository: str,
        in_reach: Callable[[str], bool],
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._env, self._find, self._in_reach, self._wall = env, find, in_reach, wall
        self._app = env.get(APP_VARIABLE, "").strip()
        self._key = env.get(APP_KEY_VARIABLE, "").strip()
        self._repository = repository
        self._http = Http(api, self._signed, wall, sign_in=HINT)
        self._known, self._ends = "", 0.0

    def __call__(self, anew: bool = False) -> str:
        if anew or self._wall() > self._ends - EARLY_SECONDS:
            self._known, self._ends = self._of_installation()
        return self._known

    def check(self) -> None:
        """Refused where the App could not even ask. GitHub is not asked."""
        self._signed()

    @in_good_form()
    def _of_installation(self) -> tuple[str, float]:
        try:
            place = self._http.get(f"/repos/{quote(self._repository)}/installation")
            name = self._repository.partition("/")[2]
            told = self._http.send(
                "POST", f"/app/installations/{int(place['id'])}/access_tokens", {"repositories": [name]}
            )
        except ForgeRefused as error:
            raise self._missing(f"GitHub gives it no token for {self._repository}: {error.message}") from error
        return str(told["token"]), datetime.fromisoformat(told["expires_at"]).timestamp()

    def _signed(self, anew: bool = False) -> str:
        """Who the App is, in its own words and signed."""
        now = int(self._wall())
        says = {"iat": now - SKEW_SECONDS, "exp": now + SIGNED_SECONDS, "iss": self._app}
        said = b".".join(_in_url(json.dumps(part).encode()) for part in ({"alg": "RS256", "typ": "JWT"}, says))
        return (said + b"." + _in_url(self._signature(said))).decode("ascii")

    def _signature(self, said: bytes) -> bytes:
        openssl, key = self._find("openssl"), self._safe_key()
        if openssl is None:
            raise self._missing("openssl, which signs with the App's key, is not installed")
        try:
            ran = subprocess.run(
                [openssl, "dgst", "-sha256", "-sign", key, "-passin", "pass:"],
                input=said,
                env=without_tokens(self._env),
                capture_output=True,
                timeout=SECONDS,
                check=False,
                cwd="/",
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise self._missing("openssl does not answer") from error
        if ran.returncode or not ran.stdout:
            raise self._missing(f"{key} holds no private key that openssl can sign with")
        return ran.stdout

    def _safe_key(self) -> str:
        if not (self._app and self._key):
            raise self._missing("only one of the two is set")
        if not os.path.isabs(self._key):
            raise self._missing(f"{self._key} is no full path")
        if self._in_reach(self._key):
            raise self._missing(f"{self._key} leads into the project, where agents read it: put it somewhere else")
        try:
            mode = os.stat(self._key).st_mode
        except OSError as error:
            raise self._missing(f"{self._key} cannot be read: {error.strerror}") from error
        if not stat.S_ISREG(mode) or mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise self._missing(f"{self._key} is no file of yours alone: chmod 600 {self._key}")
        return self._key

    def _missing(self, why: str) -> Refused:
        return Refused("no_forge_token", "nobody asks the forge as the App {app}: {why}", HINT, self._app, why)


def _in_url(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")
