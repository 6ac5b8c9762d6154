"""A user's repository in a temporary folder, and everything of ours that works on it."""

import os
import subprocess
import time
from pathlib import Path

from folkmoot.core.flow import Limits
from folkmoot.core.work import Work
from folkmoot.system.git import SystemGit
from folkmoot.worker.git.clone import Clones
from folkmoot.worker.git.harvest.bounds import allowed
from folkmoot.worker.git.landing import Landing
from folkmoot.worker.git.repository import Repository
from folkmoot.worker.git.salvage import Salvage
from folkmoot.worker.git.words import Author
from folkmoot.worker.ports import Paths

ANN = Author("Ann Agent", "ann@example.com")
CLEAN = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_AUTHOR_NAME": "User",
    "GIT_AUTHOR_EMAIL": "user@example.com",
    "GIT_COMMITTER_NAME": "User",
    "GIT_COMMITTER_EMAIL": "user@example.com",
}


def plain(where: Path, *args: str, check: bool = True, env: dict[str, str] | None = None) -> str:
    """Git as a person runs it."""
    done = subprocess.run(
        ["git", *args],
        cwd=where,
        env=CLEAN | (env or {}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert not check or done.returncode == 0, f"git {args}: {done.stderr}"
    return done.stdout.strip()


def no_pause(seconds: float) -> None:
    """Tests do not wait."""


class Ground:
    """`user` is what the person has; the rest is ours."""

    def __init__(self, top: Path, files: dict[str, str] | None = None, form: str = "sha1", root: Path | None = None):
        self.user = top / "user"
        self.git = SystemGit()
        self.limits = Limits()
        if root is None:
            self.user.mkdir(parents=True)
            plain(self.user, "init", "-q", "-b", "main", f"--object-format={form}")
            if files is None:
                files = {"a.txt": "one\n", "src/b.txt": "two\n", ".gitignore": "*.log\n.moot/\n"}
            if files:
                self.person_commits(files)
        self.root = root or self.user
        self.home = self.root / ".moot"
        self.open()

    def open(self) -> None:
        self.repository = Repository.open(self.git, str(self.root), str(self.home), "main")
        self.clones = Clones(self.repository)
        self.landing = Landing(self.repository, no_pause)
        self.salvage = Salvage(self.repository)

    def person_commits(self, files: dict[str, str], where: Path | None = None) -> str:
        where = where or self.user
        put(where, files)
        plain(where, "add", "-A")
        plain(where, "commit", "-qm", "by hand")
        return plain(where, "rev-parse", "HEAD")

    def paths(self, run: str) -> Paths:
        root = self.home / "runs" / run
        return Paths(
            root=str(root), workspace=str(root / "workspace"), home=str(root / "home"), spool=str(root / "spool")
        )

    def make(self, run: str = "r1", commit: str | None = "tip", item: str = "X1") -> Path:
        base = self.repository.tip() if commit == "tip" else commit
        self.clones.make(self.paths(run), base, item, ANN)
        return Path(self.paths(run).workspace)

    def snapshot(self, run: str = "r1", base: str | None = "tip") -> Work:
        work = self.snapshot_or_none(run, base)
        assert work is not None
        return work

    def snapshot_or_none(self, run: str = "r1", base: str | None = "tip") -> Work | None:
        base = self.repository.tip() if base == "tip" else base
        ref = self.repository.run_ref(run)
        return self.clones.snapshot(self.paths(run), base, "The work", ANN, ref, allowed(self.limits, time.monotonic))

    def worked(self, files: dict[str, str], run: str = "r1", base: str | None = "tip") -> str:
        """The commit of a run that wrote these files."""
        base = self.repository.tip() if base == "tip" else base
        put(self.make(run, base), files)
        commit = self.snapshot(run, base).commit
        assert commit
        return commit

    def tip(self, branch: str = "main") -> str:
        return plain(self.root, "rev-parse", "--verify", "-q", f"refs/heads/{branch}", check=False)


def put(where: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (where / name).parent.mkdir(parents=True, exist_ok=True)
        (where / name).write_text(text, "utf-8")
