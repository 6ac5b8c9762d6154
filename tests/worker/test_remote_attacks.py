"""What an agent could do to the remote: nothing of it is in its reach, and nothing goes there that is refused."""

import os
import subprocess
from pathlib import Path

import pytest

from folkmoot.errors import MootError, Refused
from folkmoot.system.git import SystemGit
from folkmoot.wiring.boards import FileBoards
from folkmoot.wiring.running import _salvage, tools_of
from folkmoot.worker.git.remote.naming import folder_of, without_secret, words_without_secret
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


LED_ELSEWHERE = {
    "a hook": (["config", "core.hooksPath", "tools/hooks"], "tools/hooks/post-commit"),
    "settings": (["config", "include.path", "../etc/git.conf"], "etc/git.conf"),
}


@pytest.mark.attack(
    "board",
    "on one machine a change lands on the remote that the user's git on another machine runs, by settings of its own",
    "it does not come into the user's files there by itself: their branch stays, and they are told at what to look",
)
@pytest.mark.parametrize("what", LED_ELSEWHERE)
def test_what_runs_on_another_machine_does_not_come_there_by_itself(tmp_path: Path, what: str) -> None:
    shared = Shared(tmp_path)
    one, two = shared.machines
    settings, path = LED_ELSEWHERE[what]
    git(two.folder, *settings)
    shared.add("one", f"write {path} evil", "report done")
    one.run()
    assert shared.landed(path) == "evil" and (one.folder / path).exists(), one.words()
    before = git(two.folder, "rev-parse", "main")
    item = shared.add("two", "write fine.txt x", "report done")
    two.run()
    assert shared.show(item)["status"] == "done" and shared.landed("fine.txt") == "x"
    assert not (two.folder / path).exists() and git(two.folder, "rev-parse", "main") == before
    assert f"look first at {path}, which comes with it and is run or read by your own git" in two.words()


@pytest.mark.attack(
    "board",
    "somebody who may push to the remote puts a board there, with a flow that says what is run",
    "it does not come into the user's files by itself: their branch stays, and they are told at what to look",
)
@pytest.mark.parametrize("path", [".moot/flow.yaml", "sub/.MOOT/flow.yaml"])
def test_no_board_comes_by_itself_with_the_remote(tmp_path: Path, path: str) -> None:
    shared = Shared(tmp_path, machines=3)
    _, two, three = shared.machines
    (three.folder / path).parent.mkdir(parents=True, exist_ok=True)
    (three.folder / path).write_text("flow: theirs")
    git(three.folder, "add", "-f", path)
    git(three.folder, "commit", "-q", "-m", "theirs")
    git(three.folder, "push", "-q", "origin", "HEAD:main")
    item = shared.add("one", "write fine.txt x", "report done")
    two.run()
    assert shared.show(item)["status"] == "done" and shared.landed("fine.txt") == "x"
    assert not (two.folder / path).exists()
    assert f"look first at {path}, which comes with it and belongs to" in two.words()


HOSTILE = {
    "git's folder": (b"40000", b".git"),
    "git's folder in other letters": (b"40000", b".GIT"),
    "git's folder by its short name": (b"40000", b"git~1"),
    "the folder above": (b"40000", b".."),
    "a name with a path in it": (b"100755", b".git/hooks/post-commit"),
    "a link for submodules": (b"120000", b".gitmodules"),
}


@pytest.mark.attack(
    "board",
    "somebody who may push to the remote puts a tree there that git itself would not make: `.GIT`, `git~1`, `..`",
    "nothing of it is written anywhere; a person is asked, in git's words",
)
@pytest.mark.parametrize("what", HOSTILE)
def test_a_tree_that_git_would_not_make_is_checked_out_nowhere(tmp_path: Path, what: str) -> None:
    shared = Shared(tmp_path, machines=2)
    one, two = shared.machines

    def kept(kind: str, data: bytes) -> bytes:
        made = ["git", "hash-object", "-t", kind, "-w", "--literally", "--stdin"]
        return subprocess.run(made, cwd=two.folder, input=data, capture_output=True, check=True).stdout.strip()

    def entry(mode: bytes, name: bytes, held: bytes) -> bytes:
        return mode + b" " + name + b"\0" + bytes.fromhex(held.decode())

    mode, name = HOSTILE[what]
    evil = kept("blob", b"#!/bin/sh\n")
    held = evil
    if mode == b"40000":
        held = kept("tree", entry(b"40000", b"hooks", kept("tree", entry(b"100755", b"post-commit", evil))))
    top = kept("tree", entry(mode, name, held) + entry(b"100644", b"README.md", evil)).decode()
    commit = git(two.folder, "commit-tree", top, "-p", "HEAD", "-m", "x").strip()
    git(two.folder, "push", "-q", "origin", f"{commit}:refs/heads/main")
    item = shared.add("one", "write fine.txt x", "report done")
    one.run()
    shown = shared.show(item)
    assert shown["status"] == "awaiting-divine-guidance" and "invalid path" in str(shown["why"])
    assert git(one.folder, "status", "--porcelain", "--untracked-files=no") == ""
    found = [str(path) for path in tmp_path.rglob("post-commit")] + [*tmp_path.rglob(".gitmodules")]
    assert found == [], "it was written"


ADDRESSES = {
    "https://ann:secret@host/x.git": "https://host/x.git",
    "https://secret@host/x.git": "https://host/x.git",
    "https://ann:se@cret@host/x@2": "https://host/x@2",
    "ssh://ann:se@cret@host:22/x": "ssh://host:22/x",
    "https://ann:se/cret@host/x": "https://host/x",
    "https://ann:secret@host?x": "https://host?x",
    "ann:se@cret@host:x": "host:x",
    "git@host:x@2": "git@host:x@2",
    "https://host:8080/x@2": "https://host:8080/x@2",
    "https://[::1]/x@2": "https://[::1]/x@2",
    "/a/b@c": "/a/b@c",
}


@pytest.mark.parametrize("place", ADDRESSES)
def test_an_address_is_shown_without_what_opens_it(place: str) -> None:
    assert without_secret(place) == ADDRESSES[place]
    told = words_without_secret(f"fatal: unable to access '{place}': no", place)
    assert told == f"fatal: unable to access '{ADDRESSES[place]}': no"


@pytest.mark.attack(
    "secrets",
    "the address of the remote has a password with an @ in it, of which git itself shows the end",
    "no message of ours has a part of it",
)
def test_no_part_of_a_password_of_the_remote_is_told(tmp_path: Path) -> None:
    shared = Shared(tmp_path, machines=1)
    one = shared.machines[0]
    git(one.folder, "config", "remote.origin.url", "https://ann:se@cret@127.0.0.1:1/x.git")
    with pytest.raises(MootError) as refused:
        one.run()
    told = str(refused.value) + repr(refused.value.details) + refused.value.remedy
    assert "127.0.0.1:1/x.git" in told and "cret" not in told and "se@" not in told


def test_what_else_is_said_on_the_way_to_the_remote_is_no_ref(tmp_path: Path) -> None:
    shared = Shared(tmp_path, machines=1)
    one = shared.machines[0]
    real = SystemGit()._found()
    talks = tmp_path / "git"
    talks.write_text(
        f"#!/bin/sh\ncase \"$*\" in *ls-remote*) printf 'welcome\\na\\tb\\tc\\nno\\trefs/heads/main\\n';; esac\n"
        f'exec {real} "$@"\n'
    )
    talks.chmod(0o755)
    with tools_of(one.application, one.home, print) as tools:
        assert isinstance(tools.workspaces, GitWorkspaces)
        repository = tools.workspaces.repository
        remote = repository.remote_now()
        assert remote is not None
        remote._repository.git = SystemGit(str(talks))
        assert remote.where("main") == git(shared.remote, "rev-parse", "main").strip()
        assert remote.listed("refs/heads/") == {"main": remote.where("main")}
