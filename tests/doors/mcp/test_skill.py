"""SKILL.md: short, true of the commands, and put where each client looks."""

import os
import re
from pathlib import Path

import click
import pytest
import yaml

from folkmoot.doors.cli.main import moot as moot_group
from folkmoot.doors.cli.serving.mcp import CLIENTS
from tests.doors.conftest import Moot
from tests.doors.mcp.test_words import tokens
from tests.shape.test_docs import fault, moot_commands

TOKENS_MAX = 600


def test_it_is_short_and_has_the_head_that_clients_read(moot: Moot) -> None:
    text = moot("skill").out
    assert tokens(text) <= TOKENS_MAX, round(tokens(text))
    _, head, body = text.split("---\n", 2)
    said = yaml.safe_load(head)
    assert said.keys() == {"name", "description"} and said["name"] == "folkmoot" and len(said["description"]) < 500
    assert body.strip().startswith("# ")


def test_every_command_in_it_is_one_that_there_is(moot: Moot) -> None:
    shown = [words for code in re.findall(r"`([^`]*moot [^`]*)`", moot("skill").out) for words in moot_commands(code)]
    assert len(shown) >= 10
    wrong = [(words, why) for words in shown if (why := fault(["1" if w == "N" else w for w in words]))]
    assert not wrong
    assert isinstance(moot_group, click.Group)


@pytest.mark.parametrize("client", CLIENTS)
def test_it_is_put_where_the_client_looks(moot: Moot, client: str) -> None:
    text = moot("skill").out
    here = Path(moot.json("skill", "--install", client)["file"])
    users = Path(moot.json("skill", "--install", client, "--user")["file"])
    assert here.read_text("utf-8") == users.read_text("utf-8") == text
    assert here.is_relative_to(moot.folder) and users.is_relative_to(os.environ["HOME"])
    assert here.parts[-3:] == ("skills", "folkmoot", "SKILL.md")


LINKS = [".claude", ".claude/skills", ".claude/skills/folkmoot/SKILL.md"]


@pytest.mark.attack(
    "tree",
    "a link lands where `moot skill --install` or `moot mcp --write` puts a file, and leads to one of the user's",
    "that is left as it is, and the link is named",
)
@pytest.mark.parametrize(
    ("link", "inside"), [*((link, inside) for link in LINKS for inside in (True, False)), (".mcp.json", False)]
)
def test_nothing_is_written_through_a_link_of_the_project(
    moot: Moot, link: str, inside: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    theirs = (moot.folder if inside else tmp_path_factory.mktemp("theirs")) / ".env"
    if link.endswith((".md", ".json")):
        theirs.write_text("{}")
    else:
        theirs.mkdir()
    (moot.folder / link).parent.mkdir(parents=True, exist_ok=True)
    (moot.folder / link).symlink_to(theirs)
    words = ["mcp", "--config", "claude", "--write"] if link == ".mcp.json" else ["skill", "--install"]
    assert "a link leads from there to" in " ".join(moot(*words, code=1).err.split())
    assert theirs.read_text() == "{}" if theirs.is_file() else not os.listdir(theirs)


def test_alone_it_is_for_claude(moot: Moot) -> None:
    assert ".claude/skills/folkmoot/SKILL.md: written" in moot("skill", "--install").out


def test_an_agent_that_does_as_it_says_claims_comments_and_reports(moot: Moot) -> None:
    moot("add", "One", "--column", "dev")
    claim = moot.json("claim", "dev-agent", "--item", "1")
    run, token = claim["run"], str(claim["token"])
    moot("comment", "1", "begun", "--run", run, "--token", token)
    moot("ask", "Which limit?", "--option", "10 MB", "--option", "20 MB", "--run", run, "--token", token)
    moot("report", run, "--token", token, "-", stdin='{"outcome": "done", "summary": "..."}')
    assert moot.json("show", "1")["runs"][0]["outcome"] == "done"
