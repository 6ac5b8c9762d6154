"""A home whose settings are links into the project, as with a repository of dotfiles: no change comes behind them."""

import os
from pathlib import Path

import pytest

from tests.some import some
from tests.worker.yard import ACTOR, Yard, git

FLOW = """
flow: homes
start: dev
limits: {slots: 2, lease: 60s, timeout: 30s, silence: 20s, executions: 2}
columns: {dev: {agents: [dev], next: done}}
agents: {dev: {run: {command: ACTOR}, write: any}}
clients: {mine: {command: [mine], files: [~/.mine/settings]}}
"""
RUNS = "printf '[core]\\n\\tfsmonitor = touch pwned; false\\n'"

# What stands in the home, where it leads to in the project, and what a change makes there.
GIT = {
    "a folder of git's settings": (".config/git", "tools", "tools/config"),
    "settings of git that are not there yet": (".config/git/config", "gitsettings", "gitsettings"),
    "settings in the home that are not there yet": (".gitconfig", "gitsettings", "gitsettings"),
    "settings of ssh": (".ssh", "tools", "tools/config"),
    "a file that ssh includes": (".ssh/config.d", "tools", "tools/work"),
    "a link below ssh's folder": (".ssh/config.d/work", "tools/work", "tools/work"),
    "settings of gpg": (".gnupg", "tools", "tools/gpg-agent.conf"),
}
CLIENTS = {
    "a client's folder": (".claude", "tools", "tools/settings.json"),
    "a client's settings": (".codex/config.toml", "tools/codex.toml", "tools/codex.toml"),
    "a folder in a client's": (".claude/hooks", "tools", "tools/start.sh"),
    "servers of a client": (".claude.json", "claude.json", "claude.json"),
    "a client's folder elsewhere": (".config/opencode", "tools", "tools/config.json"),
    "what the flow gives to runs": (".mine/settings", "tools/mine", "tools/mine"),
}

# What the user's own settings of ssh say, with the project for PROJECT, and what a change then makes there.
SSH = {
    "a file that is included": ("Include PROJECT/tools/ssh\n", "tools/ssh"),
    "files by a pattern": ('Host a\n\tinclude = "PROJECT/tools/*.conf"\n', "tools/new.conf"),
    "a program": ("Host *\n  ProxyCommand PROJECT/tools/through %h %p\n", "tools/through"),
    "a program under a condition": ('Match exec "PROJECT/tools/is-away"\n', "tools/is-away"),
}


def made(folder: Path, monkeypatch: pytest.MonkeyPatch, link: str, leads_to: str) -> Yard:
    home = folder / "home"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    flow = FLOW.replace("ACTOR", str(ACTOR))
    yard = Yard(folder / "yard", flow=flow, files={"tools/ignore": "*.o\n", "other/a.txt": "a\n"})
    (home / link).parent.mkdir(parents=True, exist_ok=True)
    os.symlink(yard.folder / leads_to, home / link)
    return yard


def refused(yard: Yard, path: str, why: str) -> None:
    before = git(yard.folder, "ls-tree", "-r", "main", "--", path)
    evil = yard.add("evil", f"shell {RUNS} > {path}", "report done")
    good = yard.add("good", "write other/a.txt good", "report done")
    yard.run()
    assert why in str(yard.show(evil)["runs"][-1])
    assert git(yard.folder, "ls-tree", "-r", "main", "--", path) == before
    assert yard.status(good) == "done" and yard.landed("other/a.txt") == "good"


@pytest.mark.attack(
    "board",
    "settings of git or ssh in the user's home are links into the project, there or not yet, and a change writes there",
    "it is refused: what git and its ssh read below the home counts, wherever links lead, and before it is made",
)
@pytest.mark.parametrize("what", some(GIT, ["a folder of git's settings", "settings of ssh"]))
def test_no_change_comes_behind_a_link_of_git_in_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    link, leads_to, path = GIT[what]
    yard = made(tmp_path, monkeypatch, link, leads_to)
    refused(yard, path, "is run or read by your own git")
    yard.close()


@pytest.mark.attack(
    "board",
    "the user's own settings of ssh include files of the project, or name a program of it, and a change writes there",
    "it is refused: git's own ssh reads and runs it at the next fetch; one that is not there yet counts too",
)
@pytest.mark.parametrize("what", some(SSH, ["a file that is included", "files by a pattern"]))
def test_no_change_comes_where_settings_of_ssh_lead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    words, path = SSH[what]
    yard = made(tmp_path, monkeypatch, ".unused", "tools")
    settings = tmp_path / "home/.ssh/config"
    settings.parent.mkdir()
    settings.write_text(words.replace("PROJECT", str(yard.folder)))
    refused(yard, path, "is run or read by your own git")
    yard.close()


def test_the_settings_that_git_gives_to_ssh_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    yard = made(tmp_path, monkeypatch, ".unused", "tools")
    (tmp_path / "ssh-of-work").write_text(f"Include {yard.folder}/tools/ssh\n")
    git(yard.folder, "config", "core.sshCommand", f"ssh -F {tmp_path}/ssh-of-work")
    refused(yard, "tools/ssh", "is run or read by your own git")
    yard.close()


def test_links_behind_linked_folders_are_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where one repository of dotfiles holds links into another."""
    yard = made(tmp_path, monkeypatch, ".unused", "tools")
    (tmp_path / "others").mkdir()
    os.symlink(yard.folder / "tools/start.sh", tmp_path / "others/start.sh")
    (tmp_path / "home/.claude").mkdir()
    os.symlink(tmp_path / "others", tmp_path / "home/.claude/hooks")
    refused(yard, "tools/start.sh", "is where a client that plays your agents finds settings")
    yard.close()


@pytest.mark.attack(
    "board",
    "the user's own settings of a client are links into the project, and a change writes there hooks or another server",
    "it is refused: they run in the user's own sessions, and what they set passes into every later run",
)
@pytest.mark.parametrize("what", some(CLIENTS, ["a client's folder", "a client's settings"]))
def test_no_change_comes_behind_a_link_of_a_client_in_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    link, leads_to, path = CLIENTS[what]
    yard = made(tmp_path, monkeypatch, link, leads_to)
    refused(yard, path, "is where a client that plays your agents finds settings")
    yard.close()


def test_a_home_that_is_the_project_gets_no_settings_of_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    yard = Yard(tmp_path / "yard", flow=FLOW.replace("ACTOR", str(ACTOR)), files={"other/a.txt": "a\n"})
    monkeypatch.setenv("HOME", str(yard.folder))
    refused(yard, ".gitconfig", "is run or read by your own git")
    yard.close()
