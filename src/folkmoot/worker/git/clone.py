"""A clone for each run, and what came of it.

The agent gets a repository that works. The engine never reads it: it keeps an index of its own beside the workspace
and looks at the files alone, with its own repository. So whatever an agent does to its `.git` changes nothing here.
"""

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import msgspec
from msgspec import Struct

from folkmoot.core.decoding import reader
from folkmoot.core.rules.running.names import in_git
from folkmoot.core.work import LINK, SUBMODULE, Touched, Work
from folkmoot.errors import Unavailable
from folkmoot.worker.git.change import Span, lines
from folkmoot.worker.git.elsewhere.modules import Modules
from folkmoot.worker.git.elsewhere.modules import noted as noted_modules
from folkmoot.worker.git.harvest.bounds import FILES_A_SECOND, PROJECT_SECONDS_MAX, Allowed, Foreign, Overdue
from folkmoot.worker.git.harvest.measuring import entries_of, is_folder, measured
from folkmoot.worker.git.harvest.rules import heavy
from folkmoot.worker.git.looking import RULE_NAMES, RULES, behind_link, oddities, open_file
from folkmoot.worker.git.places import write
from folkmoot.worker.git.repository import CREATED, MODIFIED, Repository
from folkmoot.worker.git.restoring import put_back, renew, settle
from folkmoot.worker.git.words import Author, configured, quoted, readable
from folkmoot.worker.ports import Bounds, Paths, Ran
from folkmoot.worker.removing import maker, remove_tree
from folkmoot.worker.setups.included import noted

NOT_FOR_GIT = (b"Ignoring path", b"Invalid path", b"Permission denied")  # the path's own fault, not the disk's
BRANCH = "moot"  # an item's branch in its clone is moot/<item>


class Made(Struct, frozen=True):
    """What the engine remembers of a clone, outside of it."""

    device: int
    inode: int
    item: str


class Clones:
    """Makes workspaces below `.moot/runs/`, and takes in what was done in them."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self._spares = os.path.join(repository.home, "spares")
        self.modules = Modules(repository)

    # Making

    def make(
        self, paths: Paths, commit: str | None, item: str, author: Author, refs: Mapping[str, str] | None = None
    ) -> None:
        """A workspace with a commit checked out on the item's branch. `refs` are further refs the agent can see."""
        os.makedirs(paths.root, exist_ok=True)
        if commit is None or not self.take_spare(paths, commit):
            os.mkdir(paths.workspace)
            if commit is not None:
                self._fill(paths.workspace, index_of(paths), commit)
        _note(paths, item)
        self._dress(paths, commit, item, author, refs or {})
        self.modules.fill(paths, commit)

    def put_back(
        self, paths: Paths, commit: str | None, author: Author, bounds: Bounds, obeyed: Sequence[str]
    ) -> list[str]:
        """Make it again what `make` made, but for what git does not track, and is not `obeyed`."""
        if why := self.lost(paths):
            raise Unavailable("setup_failed", "after setup {why}", "", why)
        item = self._made(paths).item
        renew(paths, bounds)
        _note(paths, item)
        dress = partial(self._dress, paths, commit, item, author, {})
        changed = put_back(self.repository.within(bounds), paths, index_of(paths), dress, obeyed)
        self.modules.put_back(paths)
        return changed

    def untracked(self, paths: Paths) -> list[str]:
        """What git does not track in a clone: files, and folders (they end with a slash) as a whole."""
        flags = ("-z", "--others", "--directory")
        said = self.repository("ls-files", *flags, work_tree=paths.workspace, index=index_of(paths)).out
        return [os.fsdecode(name) for name in said.split(b"\0") if name]

    def inputs(self, commit: str | None, names: Sequence[str]) -> list[str]:
        """Files and folders of a commit, each with what git calls its content; what is not there is left out. A link
        says where its content is, and not which: with one it is the whole commit that counts."""
        asked = sorted({name.rstrip("/") for name in names})
        if not commit:
            return []
        steps = {"/".join(name.split("/")[:end]) for name in asked for end in range(1, name.count("/") + 1)}
        look = ("ls-tree", "-z", "--full-tree", commit, "--")
        found = [readable(line) for line in self.repository(*look, *asked).out.split(b"\0") if line]
        all_of_it = self.repository("ls-tree", "-r", *look[1:], *asked).out.split(b"\0")
        above = self.repository(*look, *sorted(steps)).out.split(b"\0") if steps else []
        is_link = any(line.startswith(LINK.encode()) for line in (*all_of_it, *above))
        return [*found, self.repository.tree_of(commit)] if is_link else found

    def settle(self, paths: Paths, obeyed: Sequence[str]) -> None:
        settle(self.repository, paths, index_of(paths), obeyed)

    def _fill(self, folder: str, index: str, commit: str) -> None:
        self.repository("read-tree", "-m", "-u", commit, work_tree=folder, index=index)

    def _dress(self, paths: Paths, commit: str | None, item: str, author: Author, refs: Mapping[str, str]) -> None:
        """Give the agent a repository of its own, written file by file: no git runs to make it."""
        git_dir = os.path.join(paths.workspace, ".git")
        for folder in ("objects/info", "objects/pack", "refs/heads", "refs/tags", "info", "hooks"):
            os.makedirs(os.path.join(git_dir, folder))
        branch = f"refs/heads/{BRANCH}/{item}"
        all_refs = dict(refs) | ({branch: commit} if commit else {})
        objects = os.path.join(self.repository.git_dir, "objects")
        files = {
            "HEAD": f"ref: {branch}\n",
            "config": self._config(author),
            "objects/info/alternates": f"{quoted(objects)}\n",
            "packed-refs": "".join(f"{held} {ref}\n" for ref, held in sorted(all_refs.items())),
            "info/exclude": self.repository.ignored(),
            "description": f"The clone of a run on {item}.\n",
        }
        for name, text in files.items():
            with open(os.path.join(git_dir, name), "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(text)
        if os.path.exists(index_of(paths)):
            # With its time: git takes files as changed that are as young as the index.
            shutil.copy2(index_of(paths), os.path.join(git_dir, "index"))

    def _config(self, author: Author) -> str:
        core = [f"repositoryformatversion = {self.repository.version}", "bare = false", "filemode = true"]
        who = [f"name = {configured(author.name)}", f"email = {configured(author.email)}"]
        rest = ["[gc]", "auto = 0", "[commit]", "gpgsign = false", "[advice]", "detachedHead = false"]
        lines = ["[core]", *core, "logallrefupdates = true", "[user]", *who, *rest, *self.repository.extensions]
        return "\n".join([*lines, ""])

    # Spares: clones made ahead, while no slot waits for them

    def prepare_spare(self, commit: str) -> None:
        """Check out a commit ahead. Any number may be prepared; each is taken once."""
        os.makedirs(self._spares, exist_ok=True)
        aside = tempfile.mkdtemp(prefix=f".making-{maker(self.repository.home)}-", dir=self._spares)
        workspace = os.path.join(aside, "workspace")
        os.mkdir(workspace)
        self._fill(workspace, os.path.join(aside, "index"), commit)
        write(os.path.join(aside, "commit"), commit)
        os.rename(aside, os.path.join(self._spares, os.path.basename(aside).removeprefix(".making-")))

    def spares(self) -> list[str]:
        """The names of the clones that are ready."""
        there = os.listdir(self._spares) if os.path.isdir(self._spares) else []
        return sorted(name for name in there if not name.startswith("."))

    def take_spare(self, paths: Paths, commit: str) -> bool:
        """Make a spare the workspace of a run, moved to the wanted commit. False: there is none."""
        mine = os.path.join(paths.root, "spare")
        for name in self.spares():
            with contextlib.suppress(FileNotFoundError):  # another worker was quicker
                os.rename(os.path.join(self._spares, name), mine)
                break
        else:
            return False
        with open(os.path.join(mine, "commit"), encoding="ascii") as file:
            old = file.read()
        os.rename(os.path.join(mine, "workspace"), paths.workspace)
        os.rename(os.path.join(mine, "index"), index_of(paths))
        shutil.rmtree(mine)
        if old != commit:
            self.repository("read-tree", "-m", "-u", old, commit, work_tree=paths.workspace, index=index_of(paths))
        return True

    def drop_spares(self) -> None:
        """Throw away all spares, also those that a crash left half made: nobody ever worked in them."""
        shutil.rmtree(self._spares, ignore_errors=True)

    # Taking in

    def lost(self, paths: Paths) -> str:
        """Why there is nothing to take in; empty if the workspace is the folder that was made."""
        try:
            there = os.lstat(paths.workspace)
        except FileNotFoundError:
            return "the workspace is gone"
        made = self._made(paths)
        if not stat.S_ISDIR(there.st_mode) or (there.st_dev, there.st_ino) != (made.device, made.inode):
            return "the workspace was replaced by something else"
        return ""

    def _made(self, paths: Paths) -> Made:
        try:
            with open(os.path.join(paths.root, "made"), "rb") as file:
                made: Made = reader(Made)(file.read())
                return made
        except (FileNotFoundError, msgspec.DecodeError) as error:
            words = "{path} holds no clone that was made here: {why}"
            raise Unavailable("no_clone", words, "", paths.root, str(error)) from error

    def snapshot(
        self,
        paths: Paths,
        base: str | None,
        message: str,
        author: Author,
        ref: str | None,
        allowed: Allowed,
    ) -> Work | None:
        """What the workspace holds now, as one commit on `base`, kept under `ref`. None: `lost` says why.

        Nothing changed: the commit is `base` itself. Raises Overdue or TooMuch where it is more than is `allowed`.
        """
        bound = Clones(self.repository.within(allowed.bounds))
        bound.modules.known(self.modules)
        return bound._snapshot(paths, base, message, author, ref, allowed)

    def _snapshot(
        self, paths: Paths, base: str | None, message: str, author: Author, ref: str | None, allowed: Allowed
    ) -> Work | None:
        if self.lost(paths):
            return None
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{index_of(paths)}.lock")  # of our own git, in a worker that was killed: nobody else is here
        allowed.bounds.more(min(PROJECT_SECONDS_MAX, entries_of(index_of(paths)) / FILES_A_SECOND))
        self._look_into_links(paths, base)
        odd, size = self._stage(paths, allowed)
        tree = self.repository("write-tree", work_tree=paths.workspace, index=index_of(paths)).out.decode().strip()
        unchanged = tree == (self.repository.tree_of(base) if base else self.repository.empty_tree())
        if unchanged:
            return Work(base=base, commit=base, tree=tree, touched=odd)
        run = os.path.basename(os.path.normpath(paths.root))
        trailers = {"Moot-Item": self._made(paths).item, "Moot-Run": run}
        commit = self.repository.commit(tree, [base] if base else [], message, author, trailers=trailers)
        if ref:
            self.repository.keep(ref, commit)
        touched = [*self.repository.touched(base, commit), *odd]
        counted = [one for one in lines(self.repository, Span(base, commit)).values() if one[0] is not None]
        added, removed = sum(one[0] or 0 for one in counted), sum(one[1] or 0 for one in counted)
        return Work(base=base, commit=commit, tree=tree, touched=touched, bytes=size, added=added, removed=removed)

    def _look_into_links(self, paths: Paths, base: str | None) -> None:
        """Where the project holds another repository, a clone has an empty folder. Git does not look into it, so what
        was put there would be thrown away in silence."""
        if base is None:
            return
        filled = self.modules.check(paths)
        for path in self.modules.links(base).keys() - filled:
            folder = os.path.join(paths.workspace, path)
            if behind_link(paths.workspace, path, {}) or not is_folder(os.fsencode(folder)):
                continue
            there = os.listdir(folder)
            if there and ".git" not in there:  # with one it is a repository: what became of that is looked at below
                raise Foreign(
                    "foreign_files",
                    (
                        "it put files into {path}, which is another repository (a submodule): no commit here can hold "
                        "them"
                    ),
                    "",
                    path,
                )

    def _stage(self, paths: Paths, allowed: Allowed) -> tuple[list[Touched], int]:
        """Bring the engine's index up to what the files are; tell what could not be taken for a file, and how many
        bytes were taken in."""
        index, top = index_of(paths), os.fsencode(paths.workspace)
        found = self._found(paths, allowed)
        ignored = self._ignored(paths, list(found))
        own = {one.path for one in noted_modules(paths)}
        odd = {path: (CREATED, mode) for path, mode in found.items() if path not in ignored and path not in own}
        flags = ("-z", "-t", "--others", "--modified", "--deleted", "--exclude-standard")
        listed = self.repository("ls-files", *flags, work_tree=paths.workspace, index=index).out
        users = noted(paths)  # never a part of a change, whatever ignore rules say of them by now
        lines = [(line[:1], line[2:].rstrip(b"/")) for line in listed.split(b"\0") if line and line[2:] not in users]
        size = measured(top, {name for _, name in lines}, allowed)
        folders = {name for _, name in lines if is_folder(os.path.join(top, name))}
        modules = self._modules(paths, [name for tag, name in lines if tag == b"C" and name in folders])
        wanted, beyond = set(), set()
        seen: dict[str, bool] = {}
        for tag, name in lines:
            path = os.fsdecode(name)
            allowed.bounds.left()
            if in_git(path):
                odd[path] = (CREATED, SUBMODULE)
            elif name in modules or (tag == b"?" and name in folders):
                odd[path] = (MODIFIED if name in modules else CREATED, SUBMODULE)
            elif behind_link(paths.workspace, path, seen):
                beyond.add(name)
            else:
                wanted.add(name)
                with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                    open_file(os.path.join(paths.workspace, path))
        if self._update(paths, sorted(beyond), "--force-remove").code:
            raise Unavailable("git_failed", "{paths} could not be taken out of the index.", "", sorted(beyond)[:3])
        refused = self._take(paths, sorted(wanted))
        odd |= {os.fsdecode(name): (CREATED, SUBMODULE) for name in refused}
        touched = [Touched(readable(os.fsencode(path)), how, mode) for path, (how, mode) in sorted(odd.items())]
        return touched, size

    def _found(self, paths: Paths, allowed: Allowed) -> dict[str, str]:
        """What is no file of the project; and nothing is left that git would wait for, or read for hours."""
        top, found = paths.workspace, dict(oddities(paths.workspace, allowed.bounds))
        rules = [path for path, mode in found.items() if mode == RULES]
        why = heavy(top, rules, allowed.bounds, lambda: self._known_rules(paths), self.repository.form)
        if why:
            raise Overdue("too_slow", "git would be slow with it: {why}", "", why)
        found = {path: mode for path, mode in found.items() if mode != RULES}
        for path in found:
            # A pipe where git looks for rules: git would wait for somebody to write into it. There is nothing in it.
            if os.path.basename(path) in RULE_NAMES and not is_folder(os.fsencode(os.path.join(top, path))):
                os.unlink(os.path.join(top, path))
        return found

    def _known_rules(self, paths: Paths) -> dict[str, str]:
        """The blobs of the files with rules for git that were there before."""
        said = self.repository("ls-files", "-z", "-s", index=index_of(paths)).out
        lines = [line.partition(b"\t") for line in said.split(b"\0") if line]
        ends = tuple(name.encode() for name in RULE_NAMES)
        return {os.fsdecode(path): facts.split(b" ")[1].decode() for facts, _, path in lines if path.endswith(ends)}

    def _modules(self, paths: Paths, names: list[bytes]) -> set[bytes]:
        """Those of these that the base knows as repositories of their own."""
        if not names:
            return set()
        said = self.repository("ls-files", "-z", "-s", "--", *map(os.fsdecode, names), index=index_of(paths)).out
        lines = [line.partition(b"\t") for line in said.split(b"\0")]
        return {name for facts, _, name in lines if facts.startswith(SUBMODULE.encode())}

    def _ignored(self, paths: Paths, found: list[str]) -> set[str]:
        if not found:
            return set()
        # This command knows no literal paths; with a dot in front nothing in them means anything.
        ran = self.repository(
            "check-ignore",
            *("-z", "--stdin", "--no-index"),
            work_tree=paths.workspace,
            index=index_of(paths),
            stdin=b"".join(b"./" + os.fsencode(path) + b"\0" for path in found),
            check=False,
            env={"GIT_LITERAL_PATHSPECS": "0"},
        )
        if ran.code not in (0, 1):
            raise Unavailable("git_failed", "What is ignored cannot be told: {why}", "", ran.words)
        return {os.fsdecode(name.removeprefix(b"./")) for name in ran.out.split(b"\0") if name}

    def _take(self, paths: Paths, names: list[bytes]) -> list[bytes]:
        """Put files into the index as they are, or out of it if they are gone; gives back what git will not take."""
        ran = self._update(paths, names, "--add", "--remove", "--replace")
        refused = any(words in ran.err for words in NOT_FOR_GIT)
        if ran.code == 0 and not refused:
            return []
        if len(names) > 1:
            half = len(names) // 2
            return self._take(paths, names[:half]) + self._take(paths, names[half:])
        if refused:
            return names
        raise Unavailable("git_failed", "{path} could not be taken in: {why}", "", readable(names[0]), ran.words)

    def _update(self, paths: Paths, names: list[bytes], *flags: str) -> Ran:
        if not names:
            return Ran(0)
        files = b"".join(name + b"\0" for name in names)
        return self.repository(
            "update-index",
            *(*flags, "-z", "--stdin"),
            work_tree=paths.workspace,
            index=index_of(paths),
            stdin=files,
            check=False,
        )

    def remove(self, paths: Paths, stopped: Callable[[], bool] = lambda: False) -> None:
        """Delete the workspace and the engine's index of it. Only once what it holds is kept, or is nothing."""
        # First it is no clone any more: half of one, left by a worker that died here, would look like work.
        for name in ("made", "index"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(paths.root, name))
        with contextlib.suppress(FileNotFoundError):
            if stat.S_ISDIR(os.lstat(paths.workspace).st_mode):
                remove_tree(paths.workspace, stopped)
            else:
                os.unlink(paths.workspace)


def _note(paths: Paths, item: str) -> None:
    there = os.lstat(paths.workspace)
    made = Made(there.st_dev, there.st_ino, item)
    write(os.path.join(paths.root, "made"), msgspec.json.encode(made).decode())


def index_of(paths: Paths) -> str:
    return os.path.join(paths.root, "index")
