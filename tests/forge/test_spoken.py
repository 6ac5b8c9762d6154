"""Any other forge: a command of the user's that speaks JSON."""

import json
import os
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from folkmoot.core.proposals.proposal import Proposal
from folkmoot.errors import Refused
from folkmoot.system.forge import spoken
from folkmoot.system.forge.spoken import Spoken
from folkmoot.wiring.forge.forges import Forges
from folkmoot.wiring.trust import Outside
from folkmoot.worker.forge.port import OWN, ForgeAway, ForgeLimited, ForgeRefused, Wish
from tests.forge.github import TOKEN, git
from tests.forge.workshop import Workshop
from tests.some import some

SPEAKER = str(Path(__file__).with_name("speaker.py"))
PULL = Proposal(number=1, url="https://forge/1", branch="moot/1", commit="c1")
WISH = Wish(branch="moot/1", base="main", title="One", body="text", draft=True)


class Script:
    """The folder of a forge that is a script."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.command = [sys.executable, SPEAKER, str(folder)]
        folder.mkdir(parents=True, exist_ok=True)
        self.write({"pulls": {}, "checks": {}, "required": ["unit"]})

    def read(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads((self.folder / "forge.json").read_text())
        return told

    def write(self, kept: dict[str, Any]) -> None:
        (self.folder / "forge.json").write_text(json.dumps(kept))

    def says(self, text: str, code: int = 0) -> None:
        self.write({**self.read(), "says": text, "code": code})

    def check(self, commit: str, state: str, words: str = "") -> None:
        kept = self.read()
        kept["checks"][commit] = {"unit": {"state": state, "words": words}}
        self.write(kept)


@pytest.fixture
def script(tmp_path: Path) -> Script:
    return Script(tmp_path / "hub")


def port(script: Script) -> Spoken:
    return Spoken(script.command, str(script.folder), os.environ)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workshop]:
    command = json.dumps([sys.executable, SPEAKER, str(tmp_path / "hub")])
    made = Workshop(tmp_path, forge=f"command: {command}", land="merge: when_green, draft: false")
    Script(tmp_path / "hub")
    yield made
    made.close()


def test_propose_red_findings_fix_green_merged_landed_by_a_script(shop: Workshop, tmp_path: Path) -> None:
    script = Script(tmp_path / "hub")
    fix = "shell test -f one.txt && echo mended > one.txt || echo made > one.txt"
    item = shop.add("One", fix, "report done")
    shop.work()
    proposal = shop.item(item).proposal
    assert proposal is not None and (proposal.number, proposal.url) == (1, "https://forge/1"), shop.words()
    script.check(proposal.commit, "failure", "1 failed")
    shop.work()
    assert shop.item(item).span.reds == {"done": 1} and len(script.read()["pulls"]) == 1
    second = git(shop.hub.repository, "rev-parse", f"moot/{item}")
    assert second != proposal.commit and git(shop.hub.repository, "show", f"{second}:one.txt") == "mended"
    script.check(second, "success")
    shop.work()
    row = shop.item(item)
    assert (row.status, row.landed) == ("done", second) and shop.main("one.txt") == "mended"
    assert shop.hub.asked == [] and "a secret" not in shop.words()
    told = [event["event"] for event in shop.board.log(item=item)]
    assert told.count("work_landed") == 1
    for folder, _, files in os.walk(shop.folder):
        assert not [name for name in files if TOKEN.encode() in Path(folder, name).read_bytes()]


@pytest.mark.attack(
    "gates",
    "a command that speaks to the forge does not tell where the target branch is, or whether it told all that was said",
    "nothing is merged by moot: what is not told is not known",
)
@pytest.mark.parametrize("missing", ["base", "all_said"])
def test_nothing_is_merged_by_what_is_not_told(shop: Workshop, tmp_path: Path, missing: str) -> None:
    script = Script(tmp_path / "hub")
    script.write({**script.read(), "without": [missing]})
    item = shop.add("One", "write one.txt made", "report done")
    shop.work()
    proposal = shop.item(item).proposal
    assert proposal is not None
    shop.hub.push("main", "two.txt", "theirs\n")
    script.check(proposal.commit, "success")
    shop.look()
    shop.look()
    assert script.read()["pulls"]["1"]["state"] == "open" and shop.item(item).status == "proving"


@pytest.mark.attack(
    "target",
    "a forge tells of a commit by what git would take for an option, or for a name",
    "git is not asked for it: it is said that this is no commit",
)
@pytest.mark.parametrize(
    ("field", "told"),
    some(
        product(["commit", "base", "merged"], ["--upload-pack=x", "main", "a" * 39]),
        [("commit", "--upload-pack=x"), ("base", "main"), ("merged", "a" * 39)],
    ),
)
def test_what_is_no_commit_is_not_given_to_git(shop: Workshop, tmp_path: Path, field: str, told: str) -> None:
    script = Script(tmp_path / "hub")
    item = shop.add("One", "write one.txt made", "report done")
    shop.work()
    script.write({**script.read(), "shows": {field: told, "state": "merged"}})
    shop.look()
    assert "a commit that is none" in shop.words() and shop.item(item).status == "proving"


@pytest.mark.parametrize(
    ("said", "code", "why"),
    [
        ("", 3, "no JSON and ends with 3"),
        ("sorry", 0, "no JSON"),
        ("[1]", 0, "no good form"),
        ('{"proposals": {"1": {"state": "asleep", "commit": "c1"}}}', 0, "no good form"),
        ('{"error": "tired", "why": "x"}', 0, "an error that is none"),
        ('{"error": "away", "why": "no network"}', 0, "no network"),
    ],
)
def test_what_is_no_answer_is_a_forge_that_is_away(script: Script, said: str, code: int, why: str) -> None:
    script.says(said, code)
    with pytest.raises(ForgeAway, match=why):
        port(script).state([PULL], "main")


def test_a_command_that_does_not_end_or_is_not_there_is_away(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spoken, "SECONDS", 0.3)
    with pytest.raises(ForgeAway, match="in time"):
        Spoken(["/bin/sleep", "60"], str(script.folder), {}).propose(WISH)
    with pytest.raises(ForgeAway, match="cannot be started"):
        Spoken(["/nowhere/forge"], str(script.folder), {}).propose(WISH)


def test_it_refuses_and_asks_for_a_rest_in_its_own_words(script: Script) -> None:
    script.says('{"error": "refused", "why": "no such branch"}')
    with pytest.raises(ForgeRefused, match="no such branch"):
        port(script).propose(WISH)
    script.says('{"error": "limited", "why": "too often", "seconds": 90}')
    with pytest.raises(ForgeLimited) as limited:
        port(script).propose(WISH)
    assert limited.value.seconds == 90
    script.says('{"error": "limited", "seconds": 1e300}')
    with pytest.raises(ForgeLimited) as limited:
        port(script).propose(WISH)
    assert limited.value.seconds == 3_600


def test_that_it_landed_is_gits_word_and_nobody_is_passed_over_for_a_mark(script: Script) -> None:
    said = [
        {"id": "1", "by": "ann", "text": f"ours {OWN}", "may": True},
        {"id": "2", "by": "ann", "text": "a\u0000b", "may": True},
    ]
    picture = {"state": "merged", "commit": "c1", "merged": "m1", "holds": True, "said": said}
    script.says(json.dumps({"proposals": {"1": picture, "9": picture}, "rests": 30}))
    forge = port(script)
    found = forge.state([PULL], "main")
    assert list(found) == [1] and not found[1].holds and forge.rests == 30
    assert [(one.own, one.text) for one in found[1].said] == [(False, f"ours {OWN}"), (False, "ab")]


def test_a_command_that_agents_could_change_is_refused(tmp_path: Path) -> None:
    shop = Workshop(tmp_path)
    flow = shop.application.queries.flow()
    (shop.folder / "forge.sh").write_text("#!/bin/sh")
    for command in (["./forge.sh"], [str(shop.folder / "forge.sh")], [sys.executable, "forge.sh"]):
        with pytest.raises(Refused, match="outside of the sandbox") as refused:
            Forges(shop.home, Outside(shop.home))(with_command(flow, command))
        assert "land: command" in refused.value.message
    with pytest.raises(Refused, match="is not installed"):
        Forges(shop.home, Outside(shop.home))(with_command(flow, ["no-such-program-anywhere"]))
    shop.close()


def with_command(flow: Any, command: list[str]) -> Any:
    return replace(flow, land=replace(flow.land, command=command))
