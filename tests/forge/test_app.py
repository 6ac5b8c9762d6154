"""Who asks as a GitHub App: its key signs, and its installation's token lasts for an hour."""

import base64
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from folkmoot.errors import Refused
from folkmoot.system.forge.app import AppToken
from folkmoot.system.forge.token import APP_KEY_VARIABLE, APP_VARIABLE, VARIABLE
from folkmoot.system.sandbox import never_shown
from folkmoot.worker.forge.port import ForgeAway
from tests.forge.github import REPO, TOKEN, GitHub
from tests.forge.workshop import Workshop

APP = "Iv23scripted"
OPENSSL = shutil.which("openssl")
pytestmark = pytest.mark.skipif(OPENSSL is None, reason="openssl is not installed")


class AppHub(GitHub):
    """It knows one App by its public key, and forgets its tokens when their time is over."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.key = folder / "app.pem"
        made = [str(OPENSSL), "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", str(self.key)]
        subprocess.run(made, check=True, capture_output=True)
        self.key.chmod(0o600)
        self._public = folder / "app.pub"
        told = [str(OPENSSL), "pkey", "-in", str(self.key), "-pubout", "-out", str(self._public)]
        subprocess.run(told, check=True, capture_output=True)
        self.is_installed = True
        self.lasts = 3_600.0
        self.given: dict[str, float] = {}
        self.wanted: list[Any] = []

    def _guarded(self, method: str, path: str, body: Any, headers: Any) -> tuple[int, Any, dict[str, str]]:
        said = str(headers.get("Authorization") or "").removeprefix("Bearer ")
        if path == f"/repos/{REPO}/installation" or path.startswith("/app/"):
            if not self._is_app(said):
                return 401, {"message": "A JSON web token could not be decoded"}, {}
            return *self._installation(method, path, body), {}
        if self.given.get(said, 0) < time.time():
            return 401, {"message": "Bad credentials"}, {}
        headers.replace_header("Authorization", f"Bearer {TOKEN}")
        return super()._guarded(method, path, body, headers)

    def _installation(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        if not self.is_installed:
            return 404, {"message": "Not Found"}
        if method == "GET":
            return 200, {"id": 77, "app_slug": "moot"}
        assert path == "/app/installations/77/access_tokens"
        self.wanted.append(body)
        token = f"ghs_{len(self.given)}"
        self.given[token] = time.time() + self.lasts
        ends = datetime.fromtimestamp(time.time() + self.lasts, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return 201, {"token": token, "expires_at": ends}

    def _is_app(self, said: str) -> bool:
        head, claims, signature = (_out_of_url(part) for part in said.split("."))
        told = json.loads(claims)
        kept = self.repository / "signature"
        kept.write_bytes(signature)
        ran = subprocess.run(
            [str(OPENSSL), "dgst", "-sha256", "-verify", str(self._public), "-signature", str(kept)],
            input=said.rpartition(".")[0].encode(),
            capture_output=True,
            check=False,
        )
        holds = told["iat"] <= time.time() < told["exp"] <= told["iat"] + 600
        return ran.returncode == 0 and holds and told["iss"] == APP and json.loads(head)["alg"] == "RS256"


def _out_of_url(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[AppHub]:
    made = AppHub(tmp_path / "hub")
    yield made
    made.close()


def token_of(hub: AppHub, key: str | None = None, find: Callable[[str], str | None] = shutil.which) -> AppToken:
    env = {APP_VARIABLE: APP, APP_KEY_VARIABLE: str(hub.key) if key is None else key}
    return AppToken(env, find, hub.address, REPO, lambda path: path.startswith(str(hub.repository)))


def test_a_token_is_for_one_repository_and_kept(hub: AppHub) -> None:
    token = token_of(hub)
    assert [token(), token()] == ["ghs_0", "ghs_0"] and hub.wanted == [{"repositories": ["shop"]}]
    assert token(True) == "ghs_1", "GitHub does not take it any more"


def test_shortly_before_its_end_another_is_asked_for(hub: AppHub) -> None:
    hub.lasts = 200.0
    token = token_of(hub)
    assert [token(), token()] == ["ghs_0", "ghs_1"]


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("no key", "only one of the two is set"),
        ("relative", "is no full path"),
        ("missing", "cannot be read"),
        ("open to others", "chmod 600"),
        ("no key in it", "no private key"),
        ("in reach", "leads into the project"),
        ("no openssl", "openssl.* is not installed"),
    ],
)
def test_what_is_wrong_with_the_key_is_said_before_anybody_is_asked(hub: AppHub, case: str, words: str) -> None:
    key = str(hub.key)
    if case == "open to others":
        hub.key.chmod(0o644)
    elif case == "no key in it":
        hub.key.write_text("nothing")
    elif case == "in reach":
        key = str(hub.repository / "HEAD")
    elif case in ("relative", "missing", "no key"):
        key = {"relative": "app.pem", "missing": "/nowhere/app.pem", "no key": ""}[case]
    find: Callable[[str], str | None] = (lambda name: None) if case == "no openssl" else shutil.which
    with pytest.raises(Refused, match=words):
        token_of(hub, key, find).check()
    assert not hub.asked


def test_an_app_that_is_not_installed_there_is_told_so_and_a_forge_that_is_away_is_away(hub: AppHub) -> None:
    token_of(hub).check()
    assert not hub.asked, "a look costs nothing"
    hub.is_installed = False
    with pytest.raises(Refused, match=f"no token for {REPO}: the forge answers 404"):
        token_of(hub)()
    hub.is_down = True
    with pytest.raises(ForgeAway):
        token_of(hub)()


def test_the_key_is_in_no_box(hub: AppHub) -> None:
    assert os.path.realpath(hub.key) in never_shown({APP_KEY_VARIABLE: str(hub.key)})


def test_an_app_proposes_and_lands_also_when_its_tokens_end_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Workshop(tmp_path, hub=AppHub)
    assert isinstance(shop.hub, AppHub)
    monkeypatch.delenv(VARIABLE)
    monkeypatch.setenv(APP_VARIABLE, APP)
    monkeypatch.setenv(APP_KEY_VARIABLE, str(shop.hub.key))
    item = shop.add("One", "write one.txt 1", "report done")
    shop.work()
    number = shop.pull(item)
    assert shop.hub.pulls[number].draft, shop.words()
    shop.hub.given.clear()  # all of them have ended
    shop.hub.green(number)
    shop.hub.merge(number)
    shop.work()
    assert shop.board.show(item)["status"] == "done", shop.words()
    assert shop.main("one.txt") == "1"
    shop.close()
