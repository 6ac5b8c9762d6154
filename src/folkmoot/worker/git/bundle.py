"""The engine's repository in one file, and back: for backups."""

import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence

from folkmoot.errors import Unavailable
from folkmoot.worker.git.places import write
from folkmoot.worker.git.repository import Repository
from folkmoot.worker.ports import Git
from folkmoot.worker.removing import maker

PATIENCE = 3600.0  # seconds: a long history takes its time
REFS = "refs/moot/"
SHALLOW = "shallow"
ASIDE = "refs/moot/set-aside"
COMMIT = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")


def form_of(git: Git, git_dir: str) -> str:
    """How the repository names its objects: sha1 or sha256."""
    return git("rev-parse", "--show-object-format", git_dir=git_dir).out.decode().strip()


def pack(git: Git, git_dir: str, file: str, heads: Mapping[str, str]) -> tuple[int, list[str]]:
    """Write all refs and the items' commits, with everything they lead to, into one file.

    The commits by their own names: a ref may have gone on, or back, since the rows were read. How many refs there were,
    since with none there is no file; and the items whose commit is not in it.
    """
    if not _refs(git, git_dir):
        return 0, list(heads)
    gone = missing(git, git_dir, heads)
    named = "".join(f"{commit}\n" for commit in sorted({heads[item] for item in heads if item not in gone})).encode()
    everything = ("--all", "--stdin")
    file = os.path.abspath(file)
    git("bundle", "create", "--quiet", file, *everything, git_dir=git_dir, stdin=named, timeout=PATIENCE)
    return len(_listed(git, git_dir, file)), gone


def shallow_of(git_dir: str) -> list[str]:
    """Where the history was cut off on purpose; a bundle does not tell."""
    try:
        with open(os.path.join(git_dir, SHALLOW), encoding="ascii") as file:
            return file.read().split()
    except FileNotFoundError:
        return []


def is_whole(git: Git, git_dir: str) -> bool:
    """Whether it is a repository, and not a folder where one was to be."""
    return git("rev-parse", "--git-dir", git_dir=git_dir, check=False).code == 0


def unpack(git: Git, git_dir: str, file: str, form: str, shallow: Sequence[str]) -> dict[str, str]:
    """Bring in the objects that a bundle holds; gives where its refs were. No ref is moved: see `hold`."""
    if not os.path.isdir(git_dir):
        _make(git, git_dir, form)
    there = form_of(git, git_dir)
    if there != form:
        words = "{git_dir} holds {there} objects, and those of the backup are {form}"
        raise Unavailable("repository_in_the_way", words, "move it away, then repeat", git_dir, there, form)
    file = os.path.abspath(file)
    _cut_off(git, git_dir, shallow)
    # The user's own objects were good enough for the user: old ones often would not pass a check.
    unchecked = ("-c", "fetch.fsckObjects=false", "-c", "transfer.fsckObjects=false")
    git(*unchecked, "bundle", "unbundle", file, git_dir=git_dir, timeout=PATIENCE)
    return {ref: commit for ref, commit in _listed(git, git_dir, file).items() if ref.startswith(REFS)}


def hold(git: Git, git_dir: str, refs: Mapping[str, str], heads: Mapping[str, str], mark: str) -> list[str]:
    """Let refs be where a bundle had them, and those of items where their rows say. Others stay as they are.

    A ref that was elsewhere is kept under `mark`. Gives the items whose commit is not there.
    """
    gone = missing(git, git_dir, heads)
    of_items = {Repository.item_ref(item): head for item, head in heads.items() if item not in gone}
    _set(git, git_dir, {**refs, **of_items}, mark)
    return gone


def missing(git: Git, git_dir: str, heads: Mapping[str, str]) -> list[str]:
    """The items whose commit the repository does not have."""
    if not os.path.isdir(git_dir):
        return list(heads)
    # A backup may come from anywhere: what is no name of a commit is not asked for.
    plain = [item for item, head in heads.items() if item.isdecimal() and COMMIT.fullmatch(head)]
    asked = "".join(f"{heads[item]}\n" for item in plain).encode()
    said = git("cat-file", "--batch-check=%(objecttype)", git_dir=git_dir, stdin=asked).out.decode().splitlines()
    there = {item for item, found in zip(plain, said, strict=True) if found == "commit"}
    return [item for item in heads if item not in there]


def _make(git: Git, git_dir: str, form: str) -> None:
    """Whole before it has its name: a crash leaves nothing that looks like a repository."""
    above, name = os.path.split(os.path.abspath(git_dir))
    unfinished = tempfile.mkdtemp(prefix=f"{name}.{maker(above)}-", dir=above)
    try:
        git("init", "--quiet", "--bare", "--template=", f"--object-format={form}", git_dir=unfinished)
        os.chmod(unfinished, 0o755)
        os.rename(unfinished, git_dir)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _listed(git: Git, git_dir: str, file: str) -> dict[str, str]:
    said = git("bundle", "list-heads", file, git_dir=git_dir).out.decode("utf-8", "surrogateescape")
    return {ref: commit for commit, ref in (line.split(" ", 1) for line in said.splitlines())}


def _cut_off(git: Git, git_dir: str, shallow: Sequence[str]) -> None:
    """Of commits that come without their parents git must know it. Those that are here already may well have theirs."""
    new = missing(git, git_dir, {str(number): commit for number, commit in enumerate(shallow)})
    lines = [*shallow_of(git_dir), *(shallow[int(number)] for number in new if COMMIT.fullmatch(shallow[int(number)]))]
    if new:
        write(os.path.join(git_dir, SHALLOW), "".join(f"{commit}\n" for commit in lines))


def _refs(git: Git, git_dir: str) -> dict[str, str]:
    said = git("for-each-ref", "--format=%(objectname) %(refname)", git_dir=git_dir).out
    lines = [line.split(" ", 1) for line in said.decode("utf-8", "surrogateescape").splitlines()]
    return {ref: commit for commit, ref in lines}


def _set(git: Git, git_dir: str, wanted: Mapping[str, str], mark: str) -> None:
    if not wanted:
        return
    before = _refs(git, git_dir)
    orders: list[str] = []
    for ref, commit in wanted.items():
        was = before.get(ref)
        if was == commit:
            continue
        if was is not None:
            orders.append(f"update {ASIDE}/{mark}/{ref.removeprefix(REFS)} {was}")
        orders.append(f"update {ref} {commit}")
    _update(git, git_dir, orders)


def _update(git: Git, git_dir: str, orders: Iterable[str]) -> None:
    text = "".join(f"{order}\n" for order in orders).encode("utf-8", "surrogateescape")
    if text:
        git("update-ref", "--no-deref", "--stdin", git_dir=git_dir, stdin=text)
