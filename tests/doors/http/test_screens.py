"""A screen on the wall: a browser that only looks, signed in by somebody who may do more."""

from pathlib import Path

from folkmoot.core.access.tokens import Seal, sealed, unsealed
from tests.doors.http.served import Served, served


def screen_of(server: Served, token: str = "") -> dict[str, str]:
    """The cookie that the browser of a screen has, and the page that it asks from."""
    path = server.post("login_code", token, observer=True).json["path"]
    signed = server.send("GET", path, token=None)
    assert signed.status == 303, signed
    return {"Cookie": signed.headers["set-cookie"].partition(";")[0], "Origin": f"http://{server.host}"}


def test_a_screen_sees_the_board_and_changes_nothing(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        screen = screen_of(server)
        assert server.get("board", None, screen).status == 200
        assert server.get("figures", None, screen).status == 200
        assert server.get("me", None, screen).json["role"] == "observer"
        for call in ("add", "pause", "login_code"):
            refused = server.post(call, None, screen, **({"title": "Hello"} if call == "add" else {}))
            assert refused.code == "not_for_role", call
        assert server.get("tokens", None, screen).code == "not_for_role"
        assert server.get("me").json["role"] == "owner", "whoever made the link is what they were"


def test_a_screen_goes_dark_with_the_token_it_was_made_by(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        screen = screen_of(server, server.token("bob"))
        assert server.get("board", None, screen).status == 200
        server.revoke("bob")
        assert server.get("board", None, screen).code == "bad_token"


def test_an_observer_makes_no_links(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        assert server.post("login_code", server.token("eve", "observer"), observer=True).code == "not_for_role"


def test_the_seal_of_a_screen_is_not_that_of_a_browser() -> None:
    key = b"k" * 32
    token = sealed(key, Seal("viewer", "abc", 7))
    assert unsealed(key, token) == Seal("viewer", "abc", 7)
    assert unsealed(key, token.replace("viewer", "browser")) is None
