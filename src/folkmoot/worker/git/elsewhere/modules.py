"""Submodules in a clone: filled from what the user has fetched, without a network. They are there to be used: a change
in one is a change of another repository, and refused."""

import os
import shutil
from contextlib import suppress

import msgspec
from msgspec import Struct

from folkmoot.core.decoding import reader
from folkmoot.core.work import SUBMODULE
from folkmoot.worker.git.elsewhere.findings import module_of
from folkmoot.worker.git.harvest.bounds import Foreign
from folkmoot.worker.git.harvest.measuring import is_folder
from folkmoot.worker.git.looking import behind_link, found_at
from folkmoot.worker.git.places import write
from folkmoot.worker.git.repository import Repository
from folkmoot.worker.git.words import configured, quoted, readable
from folkmoot.worker.ports import Paths
from folkmoot.worker.removing import remove_tree

NOTED = "modules"  # in a run's folder, where no process of the run comes
KEPT = "refs/moot/modules/"
LINKS_KEPT = 50


class Module(Struct, frozen=True):
    path: str
    commit: str
    index: str  # the engine's own, in the run's folder
    left: list[str] = []  # what setup has put there


class Modules:
    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self._links: dict[str, dict[str, str]] = {}  # of the last commits

    def links(self, commit: str | None) -> dict[str, str]:
        """Where a commit has repositories of their own, and at which commit each."""
        if commit is None:
            return {}
        if commit not in self._links:
            said = self.repository("ls-tree", "-r", "-z", commit).out
            self._links = dict(list(self._links.items())[-LINKS_KEPT:])
            lines = [line.partition(b"\t") for line in said.split(b"\0") if line.startswith(SUBMODULE.encode())]
            self._links[commit] = {os.fsdecode(path): facts.split(b" ")[2].decode() for facts, _, path in lines}
        return self._links[commit]

    def known(self, other: "Modules") -> None:
        """What another has found out already."""
        self._links = other._links

    def fill(self, paths: Paths, commit: str | None) -> None:
        """Those that are in the user's tree; the others are empty folders."""
        if commit is None or not self.repository.told_of(
            commit, "--", ".gitmodules", by=("ls-tree", "-z", "--full-tree")
        ):
            return
        filled = []
        for number, (path, at) in enumerate(self.links(commit).items()):
            folder = os.path.join(paths.workspace, path)
            source = module_of(self.repository.user, path)
            if not source or behind_link(paths.workspace, path, {}) or not is_folder(os.fsencode(folder)):
                continue
            if self._brought(source, at):
                one = Module(path, at, f"module{number}")
                self.repository("read-tree", "-m", "-u", at, work_tree=folder, index=_index(paths, one))
                self._dress(paths, one)
                filled.append(one)
        if filled:
            _note(paths, filled)

    def _brought(self, source: str, commit: str) -> bool:
        """Have its objects here, where clones find them; False where the user has not fetched that commit."""
        if self.repository("cat-file", "-e", f"{commit}^{{commit}}", check=False).code == 0:
            return True
        fetch = self.repository._fetch
        ran = fetch(self.repository.git_dir, source, f"{commit}:{KEPT}{commit}", checked=False, check=False)
        return ran.code == 0

    def _dress(self, paths: Paths, one: Module) -> None:
        """A repository of its own for the agent, as its clone has one; no git runs to make it."""
        own = os.path.join(paths.workspace, ".git", "modules", one.path)
        for folder in ("objects/info", "refs/heads"):
            os.makedirs(os.path.join(own, folder))
        tree = os.path.relpath(os.path.join(paths.workspace, one.path), own)
        version = f"repositoryformatversion = {self.repository.version}"
        core = ["[core]", version, "bare = false", f"worktree = {configured(tree)}", *self.repository.extensions]
        objects = os.path.join(self.repository.git_dir, "objects")
        files = {
            os.path.join(own, "HEAD"): f"{one.commit}\n",
            os.path.join(own, "config"): "\n".join([*core, ""]),
            os.path.join(own, "objects/info/alternates"): f"{quoted(objects)}\n",
            os.path.join(paths.workspace, one.path, ".git"): f"gitdir: {os.path.relpath(own, _at(paths, one))}\n",
        }
        for name, text in files.items():
            with open(name, "x", encoding="utf-8", errors="surrogateescape") as file:
                file.write(text)
        shutil.copy2(_index(paths, one), os.path.join(own, "index"))

    def put_back(self, paths: Paths) -> None:
        """After setup: what is tracked in them, and their repositories, are again what `fill` made."""
        again = []
        for one in noted(paths):
            if behind_link(paths.workspace, one.path, {}):
                continue
            os.makedirs(_at(paths, one), exist_ok=True)
            _away(os.path.join(paths.workspace, ".git", "modules", one.path))
            _away(os.path.join(_at(paths, one), ".git"))
            listed = self._git(paths, one, "ls-files", "-z")
            for path in listed:
                with suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
                    os.unlink(os.path.join(_at(paths, one), path))
            self._git(paths, one, "checkout-index", "-q", "-f", "-u", "-a")
            self._dress(paths, one)
            again.append(Module(one.path, one.commit, one.index, self._changed(paths, one)))
        if again:
            _note(paths, again)

    def left(self, paths: Paths) -> bool:
        """Has setup put anything there?"""
        return any(one.left for one in noted(paths))

    def check(self, paths: Paths) -> set[str]:
        """Refuse a change in one of them: no commit here can hold it. Gives where they are."""
        modules = noted(paths)
        for one in modules:
            if behind_link(paths.workspace, one.path, {}) or not is_folder(os.fsencode(_at(paths, one))):
                continue  # that the folder went, or became something else, is seen as any change
            changed = [name for name in self._changed(paths, one) if name not in one.left]
            if changed:
                words = "it changed {file} in {path}, another repository (a submodule): no commit here can hold it"
                raise Foreign("foreign_files", words, "", readable(os.fsencode(changed[0])), one.path)
        return {one.path for one in modules}

    def _changed(self, paths: Paths, one: Module) -> list[str]:
        return self._git(paths, one, "ls-files", "-z", "--others", "--modified", "--deleted", "--exclude-standard")

    def _git(self, paths: Paths, one: Module, *args: str) -> list[str]:
        said = self.repository(*args, work_tree=_at(paths, one), index=_index(paths, one)).out
        return [os.fsdecode(name) for name in said.split(b"\0") if name]


def noted(paths: Paths) -> list[Module]:
    with suppress(FileNotFoundError, msgspec.DecodeError), open(os.path.join(paths.root, NOTED), "rb") as file:
        found: list[Module] = reader(list[Module])(file.read())
        return found
    return []


def _note(paths: Paths, modules: list[Module]) -> None:
    write(os.path.join(paths.root, NOTED), msgspec.json.encode(modules).decode())


def _at(paths: Paths, one: Module) -> str:
    return os.path.join(paths.workspace, one.path)


def _index(paths: Paths, one: Module) -> str:
    return os.path.join(paths.root, one.index)


def _away(path: str) -> None:
    there = found_at(os.fsencode(path))
    if there is None:
        return
    if is_folder(os.fsencode(path)):
        remove_tree(path)
    else:
        os.unlink(path)
