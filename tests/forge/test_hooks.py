"""A forge calls a server of the board: the call wakes whoever asks the forge, and is believed in nothing else."""

import hashlib
import hmac
import json
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from folkmoot.doors.http import guard
from folkmoot.doors.http.hooks import check_signed
from folkmoot.doors.http.problems import Wrong
from folkmoot.errors import Invalid
from folkmoot.system.forge.token import HOOK_VARIABLE
from folkmoot.wiring.forge import beside, hooks
from folkmoot.wiring.forge.hooks import KNOWN, WOKEN, noted, secret_of
from folkmoot.wiring.running import tools_of
from folkmoot.worker.forge import watching
from tests.doors.http.served import Heard, Served, served
from tests.forge.workshop import Workshop

SECRET = "a-secret-of-the-forge-and-this-server"
PATH = "/hooks/forge"
BODY = json.dumps({"action": "completed", "check_run": {"id": 1}}).encode()


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    monkeypatch.setenv(HOOK_VARIABLE, SECRET)
    monkeypatch.setattr(guard, "STRANGERS", (1e6, 1e6))  # all of them come from here
    with served(tmp_path / "board") as made:
        yield made


def signature(body: bytes, secret: str = SECRET) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def call(server: Served, body: bytes = BODY, name: str = "d1", **headers: Any) -> Heard:
    given = {"X-GitHub-Delivery": name, "X-Hub-Signature-256": signature(body), "X-GitHub-Event": "check_run"}
    shown = {**given, **{key.replace("_", "-"): value for key, value in headers.items()}}
    return server.send("POST", PATH, body, token=None, headers={key: value for key, value in shown.items() if value})


def woken(server: Served) -> bool:
    return os.path.exists(os.path.join(server.board.board_dir, WOKEN))


def test_a_signed_call_wakes_once_and_a_replayed_one_is_refused(server: Served) -> None:
    assert not woken(server)
    assert call(server).status == 202 and woken(server)
    os.unlink(os.path.join(server.board.board_dir, WOKEN))
    again = call(server)
    assert (again.status, again.code) == (409, "replayed")
    assert call(server, name="d2").code == "replayed", "the same body under another name"
    other = json.dumps({"action": "created"}).encode()
    assert call(server, other).code == "replayed", "another body under the same name"
    assert not woken(server)
    assert call(server, other, name="d3").status == 202 and woken(server)


@pytest.mark.parametrize(
    "headers",
    [
        {"X_Hub_Signature_256": ""},
        {"X_Hub_Signature_256": "sha256="},
        {"X_Hub_Signature_256": signature(BODY, "another-secret-of-somebody")},
        {"X_Hub_Signature_256": signature(BODY + b" ")},
        {"X_Hub_Signature_256": signature(BODY).upper()},
        {"X_Hub_Signature_256": signature(BODY).removeprefix("sha256=")},
        {"X_Hub_Signature_256": "sha1=" + hmac.new(SECRET.encode(), BODY, hashlib.sha1).hexdigest()},
        {"X_Hub_Signature_256": "sha256=\xff"},
        {"X_GitHub_Delivery": ""},
        {"X_GitHub_Delivery": "d" * 201},
        {"X_Hub_Signature_256": "", "X_Gitlab_Token": "another-secret-of-somebody"},
        {"X_Hub_Signature_256": "", "X_Gitlab_Token": SECRET, "X_GitHub_Delivery": ""},
    ],
)
def test_a_wrong_signature_is_refused_and_wakes_nobody(server: Served, headers: dict[str, Any]) -> None:
    refused = call(server, **headers)
    assert (refused.status, refused.code) == (401, "bad_signature"), refused.body
    assert not woken(server) and SECRET.encode() not in refused.body
    assert call(server).status == 202, "what was refused is not known again"


def test_gitlab_shows_the_secret_and_names_its_delivery(server: Served) -> None:
    given = {"X-Gitlab-Token": SECRET, "X-Gitlab-Event-UUID": "u1", "X-Hub-Signature-256": "", "X-GitHub-Delivery": ""}
    shown: dict[str, Any] = {name.replace("-", "_"): value for name, value in given.items()}
    assert call(server, **shown).status == 202 and woken(server)
    assert call(server, b"{}", **shown).code == "replayed"


def test_a_call_is_bounded_is_json_and_is_a_post(server: Served) -> None:
    large = b'"' + b"x" * guard.BODY_BYTES_MAX + b'"'
    assert call(server, large).status == 413
    form = call(server, Content_Type="application/x-www-form-urlencoded")
    assert form.code == "bad_media"
    assert server.send("GET", PATH, token=None).status == 405
    assert not woken(server)


def test_what_came_before_a_restart_is_known_after_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOOK_VARIABLE, SECRET)
    with served(tmp_path / "board") as first:
        assert call(first).status == 202
    with served(tmp_path / "board") as second:
        assert call(second).code == "replayed"


def test_without_a_secret_nobody_calls_and_a_short_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(HOOK_VARIABLE, raising=False)
    with served(tmp_path / "board") as server:
        assert call(server).code == "no_route" and not woken(server)
    with pytest.raises(Invalid, match="too short"):
        secret_of({HOOK_VARIABLE: "short"})


def test_a_stranger_is_slowed_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(HOOK_VARIABLE, SECRET)
    monkeypatch.setattr(guard, "STRANGERS", (0.001, 3.0))
    with served(tmp_path / "board") as server:
        tried = [call(server, X_Hub_Signature_256="sha256=no").status for _ in range(5)]
        assert tried == [401, 401, 401, 429, 429]
        assert call(server).status == 202, "the forge itself is let in"


def test_what_is_known_is_bounded_and_a_torn_end_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooks, "KNOWN_MAX", 8)
    home = str(tmp_path)
    assert all(noted(home, [f"d{number}", f"body {number}"]) for number in range(20))
    assert not noted(home, ["d19", "body x"]) and not noted(home, ["x", "body 19"])
    path = tmp_path / KNOWN
    assert path.stat().st_size <= 8 * 32
    path.write_bytes(path.read_bytes() + b"torn")
    assert not noted(home, ["d19"]) and noted(home, ["d20"]) and not noted(home, ["d20"])


def test_the_signature_is_of_exactly_the_bytes() -> None:
    """The example of GitHub's own documentation."""
    headers = {
        "x-hub-signature-256": "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
        "x-github-delivery": "72d3162e",
    }
    assert check_signed(headers, b"Hello, World!", "It's a Secret to Everybody")[0] == "72d3162e"
    with pytest.raises(Wrong):
        check_signed(headers, b"Hello, World", "It's a Secret to Everybody")


def test_a_call_brings_the_picture_from_the_forge_and_many_calls_are_one_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A merge is seen at once where it would be seen after a minute; what the call said was not looked at."""
    monkeypatch.setattr(watching, "CALLED_SECONDS", 2.0)
    shop = Workshop(tmp_path)
    item = shop.add("One", "write one.txt made", "report done")
    shop.work()
    with tools_of(shop.application, shop.home, shop.told.append) as tools, beside.watched(tools):
        asked = len(shop.hub.asked)
        for number in range(20):
            assert noted(shop.home, [f"early {number}"])
            hooks.wake(shop.home)
        merged = shop.hub.merge(shop.pull(item))
        wait_for(lambda: shop.item(item).status == "done", shop)
        assert shop.item(item).landed == merged
        assert [path for _, path, _ in shop.hub.asked[asked:]].count("/graphql") <= 2
    shop.close()


def wait_for(what: Any, shop: Workshop) -> None:
    until = time.monotonic() + 50.0
    while not what():
        assert time.monotonic() < until, shop.words()
        threading.Event().wait(0.05)
