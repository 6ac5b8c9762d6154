"""Everything an agent can plant for git to run: none of it runs in the engine, whatever the engine does.

Each vector is shown to be live by a person's git in the same place, where that can be shown at all.
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from folkmoot.worker.git.repository import Repository
from tests.some import some
from tests.worker.git.ground import CLEAN, Ground, plain, put

Plant = Callable[["Field"], None]
VECTORS: dict[str, tuple[Plant, bool]] = {}


class Field:
    """Where things are planted: the workspace of a run, and around it."""

    def __init__(self, ground: Ground, workspace: Path, evil: Path) -> None:
        self.ground, self.workspace, self.evil = ground, workspace, evil
        self.git_dir = workspace / ".git"

    def config(self, text: str, file: str = ".git/config") -> None:
        with (self.workspace / file).open("a") as out:
            out.write(text.replace("EVIL", str(self.evil)) + "\n")

    def hook(self, folder: Path, *names: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for name in names:
            shutil.copy(self.evil, folder / name)

    def evil_repository(self, where: Path) -> None:
        """A repository of the agent's whose configuration runs something at every turn."""
        where.mkdir(parents=True)
        plain(where, "init", "-q", ".")
        with (where / ".git/config").open("a") as out:
            out.write(f"[core]\nfsmonitor = {self.evil}\n")
        self.hook(where / ".git/hooks", *HOOKS)


HOOKS = [
    *("pre-commit", "post-commit", "commit-msg", "post-checkout", "post-merge", "post-index-change", "pre-push"),
    *("reference-transaction", "fsmonitor-watchman", "post-rewrite", "pre-auto-gc", "pre-receive", "post-update"),
]


def vector(name: str, live: bool = True) -> Callable[[Plant], Plant]:
    """`live`: a person's git in the same workspace would run it."""

    def note(plant: Plant) -> Plant:
        VECTORS[name] = (plant, live)
        return plant

    return note


@vector("core.fsmonitor in .git/config")
def _(field: Field) -> None:
    field.config("[core]\nfsmonitor = EVIL")


@vector("hooks in .git/hooks")
def _(field: Field) -> None:
    field.hook(field.git_dir / "hooks", *HOOKS)


@vector("core.hooksPath into the work tree")
def _(field: Field) -> None:
    field.hook(field.workspace / "tools", *HOOKS)
    field.config("[core]\nhooksPath = tools")


@vector("filter.clean by .gitattributes")
def _(field: Field) -> None:
    field.config('[filter "x"]\nclean = EVIL\nrequired = true')
    put(field.workspace, {".gitattributes": "* filter=x\n"})


@vector("filter.smudge by .gitattributes")
def _(field: Field) -> None:
    field.config('[filter "x"]\nsmudge = EVIL')
    put(field.workspace, {".gitattributes": "* filter=x\n"})


@vector("filter.process by .gitattributes")
def _(field: Field) -> None:
    field.config('[filter "x"]\nprocess = EVIL')
    put(field.workspace, {".gitattributes": "* filter=x\n"})


@vector("a filter by .git/info/attributes")
def _(field: Field) -> None:
    field.config('[filter "x"]\nclean = EVIL')
    put(field.git_dir, {"info/attributes": "* filter=x\n"})


@vector("core.attributesFile")
def _(field: Field) -> None:
    put(field.workspace, {"attributes": "* filter=x\n"})
    field.config(f'[core]\nattributesFile = {field.workspace}/attributes\n[filter "x"]\nclean = EVIL')


@vector("textconv")
def _(field: Field) -> None:
    field.config('[diff "x"]\ntextconv = EVIL')
    put(field.workspace, {".gitattributes": "* diff=x\n"})


@vector("an external diff for all files")
def _(field: Field) -> None:
    field.config("[diff]\nexternal = EVIL")


@vector("an external diff by .gitattributes")
def _(field: Field) -> None:
    field.config('[diff "x"]\ncommand = EVIL')
    put(field.workspace, {".gitattributes": "* diff=x\n"})


@vector("a merge driver by .gitattributes")
def _(field: Field) -> None:
    field.config('[merge "x"]\ndriver = EVIL %A')
    put(field.workspace, {".gitattributes": "* merge=x\n"})


@vector("include.path")
def _(field: Field) -> None:
    put(field.workspace, {"more.cfg": f"[core]\nfsmonitor = {field.evil}\n"})
    field.config(f"[include]\npath = {field.workspace}/more.cfg")


@vector("a configuration per work tree")
def _(field: Field) -> None:
    plain(field.workspace, "config", "core.repositoryformatversion", "1")
    field.config("[extensions]\nworktreeConfig = true")
    field.config("[core]\nfsmonitor = EVIL", ".git/config.worktree")


@vector("a .git file that leads elsewhere")
def _(field: Field) -> None:
    field.evil_repository(field.evil.parent / "other")
    shutil.rmtree(field.git_dir)
    field.git_dir.write_text(f"gitdir: {field.evil.parent}/other/.git\n")


@vector("a .git link that leads elsewhere")
def _(field: Field) -> None:
    field.evil_repository(field.evil.parent / "other")
    shutil.rmtree(field.git_dir)
    field.git_dir.symlink_to(field.evil.parent / "other/.git")


@vector("a commondir that leads elsewhere")
def _(field: Field) -> None:
    field.evil_repository(field.evil.parent / "other")
    put(field.git_dir, {"commondir": f"{field.evil.parent}/other/.git\n"})


@vector("core.worktree that leads elsewhere", live=False)
def _(field: Field) -> None:
    field.evil_repository(field.evil.parent / "other")
    field.config(f"[core]\nworktree = {field.evil.parent}/other")


@vector("a signing program")
def _(field: Field) -> None:
    field.config("[gpg]\nprogram = EVIL\n[commit]\ngpgSign = true\n[user]\nsigningKey = x")


@vector("an editor")
def _(field: Field) -> None:
    field.config("[core]\neditor = EVIL\n[sequence]\neditor = EVIL")


@vector("a pager", live=False)  # only where there is a terminal
def _(field: Field) -> None:
    field.config("[core]\npager = EVIL\n[pager]\ndiff = EVIL\nlog = EVIL\nstatus = EVIL")


@vector("a remote that is a command")
def _(field: Field) -> None:
    field.config('[remote "origin"]\nurl = ext::EVIL x\nfetch = +refs/*:refs/*\n[protocol "ext"]\nallow = always')


@vector("a remote with an upload-pack of its own")
def _(field: Field) -> None:
    field.config(f'[remote "origin"]\nurl = {field.ground.user}\nuploadpack = EVIL\nfetch = +refs/*:refs/x/*')


@vector("an ssh command and a credential helper")
def _(field: Field) -> None:
    field.config("[core]\nsshCommand = EVIL\naskPass = EVIL\n[credential]\nhelper = EVIL")
    field.config('[remote "origin"]\nurl = ssh://nowhere.invalid/x')


@vector("a partial clone that fetches what is missing", live=False)
def _(field: Field) -> None:
    field.config('[remote "origin"]\nurl = ext::EVIL x\npromisor = true\n[extensions]\npartialClone = origin')
    shutil.rmtree(field.git_dir / "objects")
    (field.git_dir / "objects").mkdir()


@vector("alternates with a command that lists their refs", live=False)
def _(field: Field) -> None:
    field.evil_repository(field.evil.parent / "other")
    put(field.git_dir, {"objects/info/alternates": f"{field.evil.parent}/other/.git/objects\n"})
    field.config("[core]\nalternateRefsCommand = EVIL")


@vector("a submodule with a command for an address and for an update", live=False)
def _(field: Field) -> None:
    put(field.workspace, {".gitmodules": '[submodule "s"]\npath = s\nurl = ext::x\n'})
    field.config('[submodule "s"]\nactive = true\nurl = ext::EVIL x\nupdate = !EVIL')
    (field.workspace / "s").mkdir()


@vector("a repository inside, with a command of its own", live=False)
def _(field: Field) -> None:
    field.evil_repository(field.workspace / "inner")
    put(field.workspace, {"inner/x.txt": "x"})
    plain(field.workspace / "inner", "add", "x.txt", env={"GIT_CONFIG_COUNT": "0"}, check=False)
    field.evil.parent.joinpath("marker").unlink(missing_ok=True)


@vector("a bare repository inside", live=False)
def _(field: Field) -> None:
    plain(field.workspace, "init", "-q", "--bare", "bare")
    field.config("[core]\nfsmonitor = EVIL\nbare = false\nworktree = ..", "bare/config")


@vector("an alias, a trailer and a maintenance task", live=False)
def _(field: Field) -> None:
    field.config("[alias]\nread-tree = !EVIL\nls-files = !EVIL\ndiff-tree = !EVIL")
    field.config('[trailer "x"]\ncommand = EVIL\ncmd = EVIL\n[gc]\nauto = 1\n[maintenance]\nauto = true')


@vector("the engine's own configuration", live=False)
def _(field: Field) -> None:
    ours = Path(field.ground.repository.git_dir)
    text = f'[core]\nfsmonitor = {field.evil}\n[filter "x"]\nclean = {field.evil}\nsmudge = {field.evil}\n'
    (ours / "config").write_text((ours / "config").read_text() + text + f"[diff]\nexternal = {field.evil}\n")
    put(ours, {"info/attributes": "* filter=x\n"})
    field.hook(ours / "hooks", *HOOKS)


@vector("configuration in the home of whoever runs the engine")
def _(field: Field) -> None:
    home = field.evil.parent / "home"
    put(home, {".gitconfig": f"[core]\nfsmonitor = {field.evil}\n[diff]\nexternal = {field.evil}\n"})
    os.environ["HOME"] = str(home)


@vector("variables in the engine's environment")
def _(field: Field) -> None:
    evil = str(field.evil)
    os.environ |= {"GIT_EXTERNAL_DIFF": evil, "GIT_SSH_COMMAND": evil, "GIT_PAGER": evil, "GIT_EDITOR": evil}
    os.environ |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": evil}
    os.environ |= {"GIT_DIR": str(field.git_dir), "GIT_EXEC_PATH": str(field.evil.parent)}


@vector("the user's own filters, named by the agent", live=False)
def _(field: Field) -> None:
    with (field.ground.user / ".git/config").open("a") as out:
        out.write(f'[filter "lfs"]\nclean = {field.evil}\nsmudge = {field.evil}\n[diff "l"]\ntextconv = {field.evil}\n')
    put(field.workspace, {".gitattributes": "* filter=lfs diff=l\n"})


@vector("the user's own hooks and monitor", live=False)
def _(field: Field) -> None:
    field.hook(field.ground.user / ".git/hooks", *HOOKS)
    plain(field.ground.user, "config", "core.fsmonitor", str(field.evil))
    plain(field.ground.user, "config", "diff.external", str(field.evil))


@pytest.fixture
def field(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Field:
    for name in ("HOME", "GIT_DIR", "GIT_EXEC_PATH", "GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_PAGER", "GIT_EDITOR"):
        monkeypatch.setenv(name, os.environ.get(name, ""))  # put back afterwards, whatever is planted
        if name != "HOME":
            monkeypatch.delenv(name)
    for name in ("GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_CONFIG_VALUE_0"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    evil = tmp_path / "evil"
    evil.write_text(f'#!/bin/sh\necho "$0 $*" >> {tmp_path}/marker\n[ -n "$1" ] || cat\nexit 0\n')
    evil.chmod(0o755)
    ground = Ground(tmp_path)
    return Field(ground, ground.make(), evil)


def engine_at_work(ground: Ground) -> None:
    """Everything the engine ever does with what a run left behind."""
    repository = ground.repository
    base = repository.tip()
    assert base
    work = ground.snapshot(base=base)
    assert work.commit and {touched.path for touched in work.touched} >= {"a.txt", "mine.txt"}
    repository.touched(base, work.commit)
    assert "+theirs" in repository.diff(base, work.commit, 100_000)
    ground.clones.prepare_spare(base)
    other = ground.worked({"a.txt": "another\n", "other.txt": "o\n"}, "r2", base)
    assert repository.merge(other, work.commit, "m").conflicts == ["a.txt"]
    third = ground.worked({"third.txt": "t\n"}, "r3", base)
    merged = repository.merge(third, work.commit, "m")
    assert merged.commit
    ground.make("r4", merged.commit)
    # A person who looks at the clone's history is not the engine, so the landing is what remains.
    moved = ground.landing.move("main", base, merged.commit)
    assert ground.tip(moved.branch) == merged.commit
    ground.landing.finish_checkout("main", base, merged.commit)
    ground.salvage.unlanded()
    ground.salvage.bring_back("r2")
    Repository.open(ground.git, str(ground.root), str(ground.home), "main")


def person_at_work(workspace: Path) -> None:
    """What somebody does who trusts a clone."""
    names = [name for name in os.environ if name.startswith("GIT_CONFIG_") or name in ("HOME", "GIT_EXTERNAL_DIFF")]
    env = {name: os.environ[name] for name in names}
    env.setdefault("GIT_CONFIG_GLOBAL", str(Path(os.environ.get("HOME", "/")) / ".gitconfig"))
    for args in (
        ["status"],
        ["diff", "HEAD"],
        ["add", "-A"],
        ["commit", "-qm", "x"],
        ["commit", "--amend"],
        ["log", "-p", "-1"],
        ["checkout", "-q", "-b", "side", "HEAD~1"],
        ["checkout", "-q", "-"],
        ["fetch", "-q"],
    ):
        plain(workspace, *args, check=False, env=env)
    # Both sides change the same file, which is what asks a merge driver.
    for branch, text in (("left", "l\n"), ("right", "r\n")):
        plain(workspace, "checkout", "-q", "-f", "-B", branch, "moot/X1", check=False)
        put(workspace, {"a.txt": text})
        plain(workspace, "commit", "-qam", branch, check=False)
    plain(workspace, "merge", "-q", "left", check=False, env=CLEAN)


@pytest.mark.ledger("R-19", "Q-03")
@pytest.mark.parametrize(
    "name",
    some(
        VECTORS,
        [
            "core.fsmonitor in .git/config",
            "hooks in .git/hooks",
            "filter.clean by .gitattributes",
            "filter.smudge by .gitattributes",
            "an external diff for all files",
            "a merge driver by .gitattributes",
            "a .git file that leads elsewhere",
            "a remote that is a command",
            "alternates with a command that lists their refs",
            "a repository inside, with a command of its own",
            "the engine's own configuration",
            "variables in the engine's environment",
            "the user's own filters, named by the agent",
            "the user's own hooks and monitor",
        ],
    ),
)
def test_nothing_that_was_planted_runs(field: Field, name: str) -> None:
    plant, live = VECTORS[name]
    put(field.workspace, {"a.txt": "theirs\n", "mine.txt": "m\n"})
    plant(field)
    marker = field.evil.parent / "marker"
    marker.unlink(missing_ok=True)
    engine_at_work(field.ground)
    assert not marker.exists(), marker.read_text()
    if live:
        person_at_work(field.workspace)
        assert marker.exists(), "this vector proves nothing: nobody would have run it"


def test_there_are_enough_of_them() -> None:
    assert len(VECTORS) >= 30 and sum(live for _, live in VECTORS.values()) >= 20
