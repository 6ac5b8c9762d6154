"""`moot export --html`: one file with the board in it, out of which nothing that was written on the board can break."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import pytest

from folkmoot.doors.web import saved
from folkmoot.errors import Unavailable
from folkmoot.wiring.looking import saving
from tests.doors.conftest import Moot

HOSTILE = "</script><script>alert(1)</script><!-- \u2028\u2029 &lt; ]]>"


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page that is small and needs no build."""
    folder = tmp_path / "built"
    folder.mkdir()
    (folder / saved.SCRIPT).write_text("document.title = 'it ran'")
    (folder / saved.STYLE).write_text("body { margin: 0 }")
    (tmp_path / saved.PAGE).write_text(files(saved.__package__).joinpath(saved.PAGE).read_text())
    monkeypatch.setattr(saved, "files", lambda package: tmp_path)
    return folder


def data_of(page: str) -> dict[str, object]:
    found = re.search(r'<script type="application/json" id="saved">(.*?)</script>', page, re.S)
    assert found
    answer: dict[str, object] = json.loads(found[1])
    return answer


def test_data_is_the_same_and_ends_no_element() -> None:
    text = saved.as_data(json.dumps({"title": HOSTILE}, ensure_ascii=False))
    assert json.loads(text) == {"title": HOSTILE}
    assert not set("<>&\u2028\u2029") & set(text)


def test_the_policy_names_the_one_script_and_the_one_sheet(built: Path) -> None:
    page = saved.saved_page(f"The board {HOSTILE}", json.dumps({"title": HOSTILE}))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy and "default-src 'none'" in policy[1] and "unsafe" not in policy[1]
    for tag, kind in (("script", "script-src"), ("style", "style-src")):
        inside = re.search(rf"<{tag}>(.*?)</{tag}>", page, re.S)
        assert inside
        digest = b64encode(sha256(inside[1].encode()).digest()).decode()
        assert f"{kind} 'sha256-{digest}'" in policy[1]
    assert page.count("<script") == 2 and page.count("</script>") == 2
    assert data_of(page) == {"title": HOSTILE}


@pytest.mark.parametrize("evil", ["let a = '</SCRIPT>'", "let a = '<!--'"])
def test_a_script_that_could_not_stand_there_is_refused(built: Path, evil: str) -> None:
    (built / saved.SCRIPT).write_text(evil)
    with pytest.raises(Unavailable, match="cannot stand in one file"):
        saved.saved_page("x", "{}")


def test_a_board_becomes_a_page_with_its_story_and_its_way(nowhere: Moot, built: Path) -> None:
    nowhere("init")
    flow = nowhere.folder / ".moot" / "flow.yaml"
    flow.write_text(
        f"{flow.read_text()}\nclone: {{setup: [[started-so]]}}\n".replace(
            "  coder:\n", "  coder:\n    run: {command: [started-so]}\n"
        )
    )
    nowhere("apply")
    nowhere("add", f"Greet {HOSTILE}")
    nowhere("add", "Another")
    nowhere.work("coder", summary="Said hello")
    told = nowhere.json("export", "--html", "board.html")
    assert (told["items"], told["item"], told["left_out"]) == (2, None, [])
    page = (nowhere.folder / "board.html").read_text("utf-8")
    found = data_of(page)
    answers, steps = found["answers"], found["steps"]
    assert isinstance(answers, dict) and isinstance(steps, list)
    assert answers["show"]["1"]["title"].startswith("Greet </script>")
    assert answers["me"]["role"] == "observer" and answers["me"]["name"] == ""
    assert {step["item"] for step in steps} == {"1", "2"} and "agent_completed" in {e["event"] for e in answers["log"]}
    assert answers["flow"].get("clients", {}) == {}
    assert "started-so" not in page, "how agents are started is no part of it"
    assert nowhere("export", "--html", "board.html", "--json", code=1).error["code"] == "file_exists"


def test_of_one_item_nothing_of_the_others_is_told(nowhere: Moot, built: Path) -> None:
    nowhere("init")
    nowhere("add", "Mine")
    nowhere("add", "A secret plan")
    nowhere.work("coder")
    assert nowhere.json("export", "--html", "mine.html", "1")["items"] == 1
    page = (nowhere.folder / "mine.html").read_text("utf-8")
    assert "Mine" in page and "A secret plan" not in page
    assert nowhere("export", "--html", "none.html", "9", "--json", code=2).error["code"] == "unknown_item"
    assert not (nowhere.folder / "none.html").exists()


def test_secrets_of_this_machine_are_taken_out(nowhere: Moot, built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "sk-live-4f9a8b7c6d5e4f3a2b1c")
    nowhere("init")
    nowhere("add", "Rotate sk-live-4f9a8b7c6d5e4f3a2b1c soon")
    nowhere("export", "--html", "board.html")
    assert "4f9a8b7c6d5e" not in (nowhere.folder / "board.html").read_text("utf-8")


def test_without_the_built_page_it_says_what_to_do(
    nowhere: Moot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved, "files", lambda package: tmp_path / "nowhere")
    nowhere("init")
    assert nowhere("export", "--html", "board.html", "--json", code=4).error["code"] == "not_built"


def test_what_there_is_no_room_for_is_named(nowhere: Moot, built: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saving, "STORIES_MAX", 1)
    monkeypatch.setattr(saving, "EVENTS_MAX", 2)
    nowhere("init")
    nowhere("add", "One")
    nowhere("add", "Two")
    left_out = nowhere.json("export", "--html", "board.html")["left_out"]
    assert any("stories of 1 older items" in words for words in left_out)
    assert any("events of the log" in words for words in left_out)
