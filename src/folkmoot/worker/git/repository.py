"""The engine's own bare repository, beside the user's: everything but the landing itself happens in it.

The user's repository is only read, by fetch. Agents never get to write here: their clones borrow its objects.
"""

import copy
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, field

from folkmoot.core.rules.running.names import parts
from folkmoot.core.work import LINK, Touched
from folkmoot.errors import Refused, Unavailable
from folkmoot.worker.git.harvest.blobs import contents
from folkmoot.worker.git.harvest.bounds import MERGE_SECONDS
from folkmoot.worker.git.harvest.known import Known
from folkmoot.worker.git.harvest.never import Told, never
from folkmoot.worker.git.places import Place, excluded_by, find, write
from folkmoot.worker.git.refs import copy_of, keep_all, make_way, put_beside, put_copy
from folkmoot.worker.git.target import branches_of
from folkmoot.worker.git.words import CUT_HERE, Author, readable
from folkmoot.worker.git.words import message as worded
from folkmoot.worker.ports import Bounds, Git, Ran
from folkmoot.worker.removing import maker

if TYPE_CHECKING:
    from folkmoot.worker.git.remote.remote import Remote

FETCH = ("--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance", "--update-shallow")
DIFF = ("diff-tree", "-r", "--no-renames", "--no-abbrev", "--no-ext-diff", "--no-textconv", "--ignore-submodules=none")
PATHS_AT_ONCE = 50  # a diff is asked for in parts, so that a huge one is never held whole
TRIES = 3

# Left behind by tools and meant by nobody. A .gitignore of the user's is stronger, either way.
BY_PRODUCTS = ["__pycache__/", "*.pyc", ".pytest_cache/", ".mypy_cache/", ".ruff_cache/", ".venv/", "node_modules/"]

# The strongest attributes there are: nothing a work tree says hides a change, or turns a file into something else.
ATTRIBUTES = "* !diff -filter -ident -working-tree-encoding\n"

# A file in the engine's repository: it holds nothing of the user's but what the target reaches.
REACHED = "only-what-is-reached"

CREATED, MODIFIED, DELETED = "created", "modified", "deleted"


class Merged(Struct, frozen=True):
    """What came of a merge. With conflicts there is no commit, and the tree has both sides marked in its files."""

    commit: str | None = None
    tree: str | None = None
    conflicts: list[str] = field(default_factory=list)
    forward: bool = False  # one of the two already held the other: no commit was needed


class Change(Struct, frozen=True):
    """One line of a raw diff."""

    path: bytes
    status: str
    old_mode: str
    mode: str
    old: str
    new: str


class Repository:
    """`.moot/repo.git`, and the way to the user's repository."""

    def __init__(self, git: Git, user: Place, home: str, target: str, form: str, engines: Sequence[str] = ()) -> None:
        self.git = git
        self._passed_over: Sequence[str] = ()
        self.engines = [parts(path) for path in engines]
        self.told: Told = lambda: lambda path: None
        self.user, self.home = user, os.path.abspath(home)
        self.target = target
        self.git_dir = os.path.join(self.home, "repo.git")
        self.form = form  # sha1 or sha256
        self.none = "0" * (64 if form == "sha256" else 40)
        self._seen: dict[str, str] = {}  # refs of the user's that are fetched, as they were
        self.remote_now: Callable[[], Remote | None] = lambda: None  # where machines share commits, and land
        self.base_now: Callable[[], Remote | None] = lambda: None  # whose target branch work is for
        self.proposes: Callable[[], bool] = lambda: False  # is work pushed to a forge before a person has seen it?
        self._empty = ""
        self.known = Known()
        self._bounds: Bounds | None = None

    def local(self) -> "Repository":
        """The same without the remote: for the user's own branches and trees."""
        own = copy.copy(self)
        own.remote_now, own.base_now = lambda: None, lambda: None
        return own

    def within(self, bounds: Bounds) -> "Repository":
        """The same repository, for work on what an agent left: every git of it ends when these bounds do."""
        bound = copy.copy(self)
        bound._bounds = bounds
        return bound

    @classmethod
    def open(
        cls, git: Git, root: str, home: str, target: str, engines: Sequence[str] = (), passed_over: Sequence[str] = ()
    ) -> "Repository":
        """The engine's repository for the user's; made if it is missing. `engines` are paths in the user's tree from
        which moot itself is run; `passed_over` are ignore rules of the board's own."""
        user = find(root)
        if user is None:
            raise Refused("no_repository", "There is no git repository in {root}.", "Make one with `git init`.", root)
        if git("check-ref-format", f"refs/heads/{target}", git_dir=user.common, check=False).code:
            raise Refused("bad_target", "{target!r} cannot be the name of a branch.", "Name another `target`.", target)
        form = git("rev-parse", "--show-object-format", git_dir=user.common).out.decode().strip()
        repository = cls(git, user, home, target, form, engines)
        repository._passed_over = passed_over
        repository._make()
        repository._write("info/exclude", repository.ignored())
        return repository

    def _make(self) -> None:
        if os.path.isdir(self.git_dir):
            there = self.git("rev-parse", "--show-object-format", git_dir=self.git_dir).out.decode().strip()
            if there != self.form:
                words = "{git_dir} holds {there} objects, but the repository it is for now has {form}."
                hint = "Move it away: a new one is made."
                raise Unavailable("repository_in_the_way", words, hint, self.git_dir, there, self.form)
            self._leave_out_others()
            return
        os.makedirs(self.home, exist_ok=True)
        aside = tempfile.mkdtemp(prefix=f"repo.git.{maker(self.home)}-", dir=self.home)
        try:
            # Whole before it has its name: a crash leaves nothing that looks like a repository.
            self.git("init", "--quiet", "--bare", "--template=", f"--object-format={self.form}", git_dir=aside)
            os.makedirs(os.path.join(aside, "info"), exist_ok=True)
            write(os.path.join(aside, REACHED), "")
            write(os.path.join(aside, "config"), self.config())
            write(os.path.join(aside, "info", "attributes"), ATTRIBUTES)
            os.rename(aside, self.git_dir)
        except OSError:
            # Somebody else made it in the meantime, which is as good.
            if not os.path.isdir(self.git_dir):
                raise
        finally:
            shutil.rmtree(aside, ignore_errors=True)

    def _leave_out_others(self) -> None:
        """Once, in a repository of an older version, which linked the user's packs whole: with what was stashed or
        staged, and branches that are nobody's business. What no ref of ours reaches goes; loose objects are ours."""
        mark = os.path.join(self.git_dir, REACHED)
        if not os.path.exists(mark):
            self.git("-c", "repack.writeBitmaps=false", "repack", "-a", "-d", "-q", "-n", git_dir=self.git_dir)
            write(mark, "")

    def config(self) -> str:
        lines = ["[core]", "bare = true", "logallrefupdates = false", f"repositoryformatversion = {self.version}"]
        return "\n".join([*lines, "[gc]\nauto = 0\n[uploadpack]\nallowAnySHA1InWant = true", *self.extensions, ""])

    @property
    def version(self) -> int:
        return 1 if self.form == "sha256" else 0

    @property
    def extensions(self) -> list[str]:
        return ["[extensions]", "objectformat = sha256"] if self.form == "sha256" else []

    def ignored(self) -> str:
        """By-products, the board's own files, and what the user excludes in the repository but not in its tree."""
        return "\n".join([*BY_PRODUCTS, *self._passed_over, *excluded_by(self.user), ""])

    def __call__(
        self,
        *args: str,
        work_tree: str | None = None,
        index: str | None = None,
        stdin: bytes = b"",
        check: bool = True,
        env: Mapping[str, str] | None = None,
        timeout: float = 600.0,
    ) -> Ran:
        """Run git in the engine's repository, whose configuration is what we wrote, whoever else wrote there."""
        self._write("config", self.config())
        self._write("info/attributes", ATTRIBUTES)
        return self.git(
            *args,
            git_dir=self.git_dir,
            work_tree=work_tree,
            index=index,
            stdin=stdin,
            check=check,
            env=env,
            timeout=timeout,
            bounds=self._bounds,
        )

    def _write(self, name: str, text: str) -> None:
        file = os.path.join(self.git_dir, name)
        try:
            with open(file, encoding="utf-8", errors="surrogateescape") as there:
                if there.read() == text:
                    return
        except FileNotFoundError:
            os.makedirs(os.path.dirname(file), exist_ok=True)
        write(file, text)

    # The user's branches

    def tip(self, target: str | None = None) -> str | None:
        """What the next landing builds on: the target branch, and work of ours on `moot/<target>` that it has not had.

        Where both moved on, it is their merge. None: the branch has no commit yet.
        """
        target = target or self.target
        return self.tip_of(target, self.fetched(target))

    def tip_of(self, target: str, theirs: Mapping[str, str]) -> str | None:
        main, aside = theirs.get(target), theirs.get(f"moot/{target}")
        if aside is None or main is None or aside == main or self.contains(main, aside):
            return main or aside
        if self.contains(aside, main):
            return aside
        return self.merge(main, aside, f"Merge moot/{target} into {target}", dated=True).commit or main

    def fetched(self, target: str) -> dict[str, str]:
        """The commits of the target branch and of what we put on `moot/<target>`, now; their objects are here."""
        if (remote := self.base_now()) is not None:
            return remote.branches(target)
        for left in reversed(range(TRIES)):
            there = branches_of(self.git, self.user, target)
            theirs = self._without_others(target, there)
            missing = [name for name, commit in theirs.items() if self._seen.get(name) != commit]
            missing = [name for name in missing if theirs[name] == there[name]]
            if not missing:
                return theirs
            specs = [f"+refs/heads/{name}:{copy_of(name)}" for name in missing]
            # The user's own objects were good enough for the user: old ones often would not pass a check.
            ran = self._fetch(self.git_dir, self.user.common, *specs, checked=False, check=left == 0)
            if ran.code:
                for name in missing:
                    make_way(self, copy_of(name))
            if ran.code == 0 and branches_of(self.git, self.user, target) == there:
                self._seen |= {name: theirs[name] for name in missing}
                return theirs
        raise Unavailable("branch_unsteady", "The branch {target} kept moving while it was read.", "Try again.", target)

    def _without_others(self, target: str, there: dict[str, str]) -> dict[str, str]:
        aside = f"moot/{target}"
        if aside not in there:
            return there
        ours = put_beside(self, target, there.get(target), there[aside])
        found = {name: commit for name, commit in there.items() if name != aside}
        return {**found, aside: ours} if ours else found

    def saw(self, branch: str, commit: str, *over: str) -> None:
        """A branch of the user's was moved to a commit of ours: nothing is to be fetched. `over`: refs to drop."""
        if put_copy(self, branch, commit, *over):
            self._seen[branch] = commit

    def give(self, commit: str) -> None:
        """Bring a commit's objects into the user's repository. No branch moves."""
        if self.git("cat-file", "-e", f"{commit}^{{commit}}", git_dir=self.user.common, check=False).code == 0:
            return
        ran = self._fetch(self.user.common, self.git_dir, commit, checked=True, check=False)
        if ran.code:
            words, why = "{commit} could not be brought into {repository}: {why}", ran.words[-500:]
            if "fsck" in ran.words or "error in " in ran.words:
                raise Refused("unsafe_change", "Git refuses this change as unsafe: {why}", "", why)
            raise Unavailable("git_failed", words, "", commit, self.user.common, why)

    def _fetch(self, into: str, source: str, *specs: str, checked: bool, check: bool) -> Ran:
        flags = () if checked else ("-c", "fetch.fsckObjects=false", "-c", "transfer.fsckObjects=false")
        return self.git(*flags, "fetch", *FETCH, source, *specs, git_dir=into, check=check)

    # Commits

    def keep(self, ref: str, commit: str) -> None:
        """Keep a commit under a ref, so that nothing ever collects it."""
        keep_all(self, {ref: commit})

    @staticmethod
    def item_ref(item: str) -> str:
        return f"refs/moot/items/{item}"

    @staticmethod
    def run_ref(run: str) -> str:
        return f"refs/moot/runs/{run}"

    def kept(self, ref: str) -> str | None:
        return self("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}", check=False).out.decode().strip() or None

    def contains(self, tip: str, commit: str) -> bool:
        """Is a commit the tip itself or one of those it was built on?"""
        if self.known.holds(tip, commit):
            return True
        ran = self("merge-base", "--is-ancestor", commit, tip, check=False)
        if ran.code == 0:
            self.known.keep_held(tip, commit)
        elif ran.code != 1:
            words = ran.words
            raise Unavailable("git_failed", "{commit} and {tip} cannot be compared: {words}", "", commit, tip, words)
        return ran.code == 0

    def fork(self, one: str | None, other: str) -> str | None:
        """The youngest commit that both were built on; None if there is none."""
        if one is None:
            return None
        return self("merge-base", one, other, check=False).out.decode().strip() or None

    def told_of(self, *ids: str, by: Sequence[str]) -> bytes:
        """What git tells of objects that are named by their ids."""
        return self.known.once((*by, *ids), lambda: self(*by, *ids).out)

    def tree_of(self, commit: str) -> str:
        asked = ("rev-parse", "--verify", f"{commit}^{{tree}}")
        return self.known.once(("tree", commit), lambda: self(*asked).out.decode().strip())

    def empty_tree(self) -> str:
        if not self._empty:
            self._empty = self("hash-object", "-t", "tree", "-w", "--stdin").out.decode().strip()
        return self._empty

    def commit(
        self,
        tree: str,
        parents: Sequence[str],
        message: str,
        author: Author | None = None,
        date: str = "",
        trailers: Mapping[str, str] | None = None,
    ) -> str:
        """Make a commit. The one place where words of agents and people become a part of a history."""
        env = author.env() if author else {}
        env |= {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date} if date else {}
        flags = [part for parent in parents for part in ("-p", parent)]
        words = worded(message, trailers or {}, self.proposes()).encode("utf-8", "replace")
        made = self("commit-tree", tree, *flags, stdin=words, env=env).out.decode().strip()
        self.known.keep(("tree", made), tree)
        self.known.keep_held(made, *parents)
        return made

    def merge(
        self, ours: str | None, theirs: str, message: str, author: Author | None = None, dated: bool = False
    ) -> Merged:
        """Merge without any work tree. `dated`: with the time of the younger side, so that it comes out alike."""
        shared = self("merge-base", ours, theirs, check=False).out.decode().strip() if ours else ""
        if ours is None or shared == ours:
            self.known.keep_held(theirs, *filter(None, [ours]))
            return Merged(theirs, self.tree_of(theirs), forward=True)
        if shared == theirs:
            return Merged(ours, self.tree_of(ours), forward=True)
        flags = ("--write-tree", "-z", "--name-only", "--no-messages", "--allow-unrelated-histories")
        ran = self("merge-tree", *flags, ours, theirs, check=False, timeout=MERGE_SECONDS)
        if ran.code not in (0, 1):
            words = ran.words
            raise Unavailable("git_failed", "{ours} and {theirs} could not be merged: {words}", "", ours, theirs, words)
        tree, *conflicts = [readable(part) for part in ran.out.split(b"\0") if part]
        if ran.code:
            return Merged(tree=tree, conflicts=sorted(set(conflicts)))
        times = self("show", "--no-patch", "--format=%ct", ours, theirs).out.split() if dated else []
        date = f"{max(map(int, times))} +0000" if dated else ""
        return Merged(self.commit(tree, [ours, theirs], message, author, date), tree)

    # What changed

    def changes(self, base: str | None, commit: str | None) -> list[Change]:
        old, new = base or self.empty_tree(), commit or self.empty_tree()
        fields = self.told_of(old, new, by=(*DIFF, "--raw", "-z")).split(b"\0")
        found = []
        for line, path in zip(fields[::2], fields[1::2], strict=False):
            old_mode, mode, before, after, status = line.decode().removeprefix(":").split(" ")
            found.append(Change(path, status[0], old_mode, mode, before, after))
        return found

    def touched(self, base: str | None, commit: str) -> list[Touched]:
        """What differs between two commits, path by path; renames are a path gone and a path that came."""
        changes = self.changes(base, commit)
        links = contents(self, [change.new for change in changes if change.mode == LINK])
        leads = {blob: readable(data) for blob, data in links}
        kinds = never(self, base, commit, changes, leads)
        found = []
        for change in changes:
            how = {"A": CREATED, "D": DELETED}.get(change.status, MODIFIED)
            mode = change.old_mode if how == DELETED else change.mode
            kind = kinds.get(change.path, mode)
            link = leads.get(change.new) if mode == LINK else None
            found.append(Touched(readable(change.path), how, kind, link))
        return found

    def diff(self, base: str | None, commit: str, cap: int) -> str:
        """The change as text, cut at `cap` bytes. A file that is too large to be compared is named."""
        paths = [os.fsdecode(change.path) for change in self.changes(base, commit)]
        said = b""
        for first in range(0, len(paths), PATHS_AT_ONCE):
            part = paths[first : first + PATHS_AT_ONCE]
            flags = ("-c", "core.bigFileThreshold=1m", *DIFF, "-p", "--no-color")
            said += self(*flags, base or self.empty_tree(), commit, "--", *part).out
            if len(said) > cap:
                cut = said[: said.rfind(b"\n", 0, cap) + 1].decode("utf-8", "replace")
                return f"{cut}{CUT_HERE} the whole change touches {len(paths)} files\n"
        return said.decode("utf-8", "replace")
