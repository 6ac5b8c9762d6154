"""What an agent could do to the remote: nothing of it is in its reach, and nothing goes there that is refused."""

import os
from pathlib import Path

import pytest

from folkmoot.errors import Refused
from folkmoot.wiring.boards import FileBoards
from folkmoot.wiring.running import _salvage, tools_of
from folkmoot.worker.git.remote.naming import folder_of
from folkmoot.worker.workspaces import GitWorkspaces
from tests.worker.machines import Shared
from tests.worker.yard import git

REFUSED = {
    "a board": "write .moot/board.db x",
    "a part of git": "shell mkdir -p sub && printf 'gitdir: /' > sub/.git",
    "a link that leads out": "shell ln -s /etc/passwd out",
    "a name of moot's": "write .moot-mirror x",
    "a secret": "shell printf -- '-----BEGIN RSA PRIVATE %s-----\nMIIEow\n' KEY > id; head -c 99 /dev/zero > z",
}


def kept_there(shared: Shared) -> str:
    return git(shared.remote, "for-each-ref", "--format=%(refname)", "refs/moot")


@pytest.mark.attack(
    "target",
    "a run leaves what the board refuses: a secret, a board, a part of git, a link that leads out",
    "nothing of it is pushed to the remote, not even as work that did not land",
)
@pytest.mark.parametrize("what", REFUSED)
def test_nothing_is_pushed_that_the_board_would_refuse(tmp_path: Path, what: str) -> None:
    shared = Shared(tmp_path, machines=1)
    before = git(shared.remote, "rev-parse", "main")
    item = shared.add("one", REFUSED[what], "write fine.txt x", "report done")
    shared.machines[0].run()
    assert shared.show(item)["status"] != "done"
    assert git(shared.remote, "rev-parse", "main") == before
    assert kept_there(shared) == ""


@pytest.mark.attack(
    "login",
    "a run looks for what opens the git remote: ssh keys, the agent's socket, `.netrc`, variables",
    "they are out of sight, and so is a remote that lies on this machine",
)
def test_no_run_sees_the_remote_or_what_opens_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "id_ed25519").write_text("a private key")
    (home / ".netrc").write_text("machine git.example password secret")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("SSH_AUTH_SOCK", str(home / "agent.sock"))
    monkeypatch.setenv("GIT_SSH_COMMAND", "ssh -i /somewhere/key")
    shared = Shared(tmp_path / "shared", machines=1)
    look = f"cat {home}/.ssh/id_ed25519 {home}/.netrc; ls {shared.remote}; git remote -v; env | grep -E 'SSH|GIT'"
    item = shared.add("one", f"shell ({look}) > seen.txt 2>&1; true", "report done")
    shared.machines[0].run()
    shown = shared.show(item)
    assert shown["runs"][0]["sandboxed"], "there is no sandbox here"
    seen = shared.landed("seen.txt")
    assert "private key" not in seen and "secret" not in seen
    assert "agent.sock" not in seen and "somewhere" not in seen
    assert "refs" not in seen and str(shared.remote) + ":" not in seen.replace(f"'{shared.remote}':", "")


@pytest.mark.attack(
    "target",
    "somebody who may push to the remote puts another commit in the place of a run's work",
    "`moot salvage` gives what was made here: what the remote has under its name does not replace it",
)
def test_the_remote_replaces_no_work_that_was_made_here(tmp_path: Path) -> None:
    shared = Shared(tmp_path, machines=2)
    one, two = shared.machines
    shared.add("one", "write fine.txt x", "exit 3")
    one.run()
    run, kept = next((found.run, found.commit) for found in _salvage(one.application, one.home).unlanded())
    ref = f"refs/moot/runs/{run}"
    for message in ("another", "and another"):
        git(two.folder, "commit", "-q", "--allow-empty", "-m", message)
        git(two.folder, "push", "-q", "-f", "origin", f"HEAD:{ref}")
        theirs = git(shared.remote, "rev-parse", ref).strip()
        found = {found.run: found.commit for found in _salvage(one.application, one.home).unlanded()}
        assert found[run] == kept != theirs
        elsewhere = {found.run: found.commit for found in _salvage(two.application, two.home).unlanded()}
        assert elsewhere[run] == theirs, "the work of other machines is brought as it is now"


@pytest.mark.attack(
    "login",
    "a run looks for a remote on this machine that the user has named as `file://localhost/…`, or with %xx",
    "it is out of sight by the path that git finds it at, however it is written",
)
@pytest.mark.parametrize("written", ["file://{}", "file://localhost{}", "file://{}%2egit"])
def test_a_remote_on_this_machine_is_known_by_its_path(tmp_path: Path, written: str) -> None:
    shared = Shared(tmp_path / "a b", machines=1)
    one = shared.machines[0]
    path = str(shared.remote)
    url = written.format(path.removesuffix(".git") if "%2e" in written else path).replace("a b", "a%20b")
    git(one.folder, "config", "remote.origin.url", url)
    with tools_of(one.application, one.home, print) as tools:
        assert isinstance(tools.workspaces, GitWorkspaces)
        remote = tools.workspaces.repository.remote_now()
        assert remote is not None and folder_of(remote.place) == path
        assert remote.where("main") == git(shared.remote, "rev-parse", "main").strip()


@pytest.mark.attack("target", "a run pushes to the git remote from its clone", "it cannot reach it")
def test_an_agent_cannot_push_by_its_clone(tmp_path: Path) -> None:
    shared = Shared(tmp_path, machines=1)
    before = git(shared.remote, "rev-parse", "main")
    push = f"git commit -aqm x --allow-empty; git push {shared.remote} HEAD:refs/heads/main HEAD:refs/heads/mine"
    shared.add("one", f"shell {push}", "exit 3")
    shared.machines[0].run()
    assert git(shared.remote, "rev-parse", "main") == before
    assert git(shared.remote, "branch", "--list", "mine") == ""


def test_a_remote_over_ssh_is_spoken_to_by_ssh_alone_and_asks_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a program in the place of ssh, which notes its words and carries them out here."""
    shared = Shared(tmp_path, machines=1)
    ssh, noted = tmp_path / "ssh", tmp_path / "noted"
    ssh.write_text(f'#!/bin/sh\necho "$@" >> {noted}\nfor last; do :; done\nexec /bin/sh -c "$last"\n')
    ssh.chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(ssh))
    one = shared.machines[0]
    git(one.folder, "remote", "set-url", "origin", f"ssh://git@far.example{shared.remote}")
    item = shared.add("one", "write one.txt made", "report done")
    one.run()
    assert shared.show(item)["status"] == "done", (shared.show(item)["why"], one.words())
    assert shared.landed("one.txt") == "made"
    said = noted.read_text()
    assert f"git-upload-pack '{shared.remote}'" in said and f"git-receive-pack '{shared.remote}'" in said
    assert os.sep + "bin" not in said, "the other machine has a git of its own"


@pytest.mark.attack("start", "the address of the remote names a program (`ext::`)", "it is refused, and not run")
def test_a_program_in_the_place_of_a_remote_is_not_run(tmp_path: Path) -> None:
    shared = Shared(tmp_path, machines=1)
    one, mark = shared.machines[0], tmp_path / "ran"
    git(one.folder, "config", "remote.origin.url", f"ext::sh -c 'touch {mark}'")
    with pytest.raises(Refused) as refused:
        FileBoards().check(one.home, None)
    assert refused.value.code == "no_remote"
    with pytest.raises(Refused):
        one.run()
    assert not mark.exists()
