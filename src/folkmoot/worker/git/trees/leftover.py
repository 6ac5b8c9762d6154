"""What a landing that was killed had in hand: new files, and old ones that it had taken away.

The old ones are what git knows, or they were put back, unless it was killed between the two. So nothing is removed that
git does not know. And nothing that no landing of this board has noted as its own: a name can be given by anybody.
"""

import contextlib
import os
from typing import TYPE_CHECKING

from folkmoot.worker.git.places import own_trees
from folkmoot.worker.git.trees.holding import OURS, notes
from folkmoot.worker.git.trees.placing import BRINGING, IN_HAND
from folkmoot.worker.removing import is_left, remove_tree

if TYPE_CHECKING:
    from folkmoot.worker.git.repository import Repository


def clear_left(repository: "Repository", aside: str) -> list[str]:
    """Remove it. Folders with a file that git does not know are moved to `aside` instead; gives where they are now."""
    trees = own_trees(repository.user)
    home, notes = repository.home, os.path.join(repository.git_dir, IN_HAND)
    places = dict.fromkeys([home, *(git_dir for _, git_dir in trees), *(path for path, _ in trees if path)])
    kept = []
    for name in _begin_with(notes, BRINGING):
        if not is_left(os.path.join(notes, name), BRINGING, None, home):
            continue
        # By its name in the places where it can be: the project may have been moved or copied since.
        for path in (os.path.join(place, name) for place in places):
            if not _is_folder(path) or _is_tracked(repository, trees, path):
                continue
            if _all_known(repository, path):
                remove_tree(path)
                continue
            os.makedirs(aside, mode=0o700, exist_ok=True)
            os.rename(path, os.path.join(aside, name.lstrip(".")))
            kept.append(os.path.join(aside, name.lstrip(".")))
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(notes, name))
    _drop_indexes(repository, trees)
    return kept


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)


def _is_tracked(repository: "Repository", trees: list[tuple[str, str]], path: str) -> bool:
    """Has the user taken it into a work tree that it lies in? Then it is the user's. So it is where git cannot say."""
    place, name = os.path.split(path)
    for tree, git_dir in trees:
        if tree == place:
            ran = repository.git("ls-files", "-z", "--", name, git_dir=git_dir, work_tree=tree, check=False)
            if ran.code or ran.out:
                return True
    return False


def _all_known(repository: "Repository", folder: str) -> bool:
    """Those that were taken away have numbers; beside them are only files that git has written for us."""
    taken = [os.path.join(folder, name) for name in os.listdir(folder) if name.isdecimal()]
    if any(os.path.islink(path) or not os.path.isfile(path) for path in taken):
        return False
    for path in taken:
        blob = repository("hash-object", "--no-filters", "--", path).out.decode().strip()
        if repository.git("cat-file", "-e", blob, git_dir=repository.user.common, check=False).code:
            return False
    return True


def _drop_indexes(repository: "Repository", trees: list[tuple[str, str]]) -> None:
    """An index that was made, and never became a lock, by a process that died before it could write that down."""
    noted = {os.path.basename(note.ours) for note in notes(repository.git_dir, trees)}
    for _, git_dir in trees:
        for name in _begin_with(git_dir, OURS):
            path = os.path.join(git_dir, name)
            if name not in noted and is_left(path, OURS, None, repository.home):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path)


def _begin_with(folder: str, prefix: str) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if name.startswith(prefix))
    except OSError:
        return []
