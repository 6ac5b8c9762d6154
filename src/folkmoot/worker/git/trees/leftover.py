"""What a landing that was killed had in hand: new files, and old ones that it had taken away.

The old ones are what git knows, or they were put back, unless it was killed between the two. So nothing is removed that
git does not know.
"""

import contextlib
import os
from typing import TYPE_CHECKING

from folkmoot.worker.git.places import own_trees
from folkmoot.worker.git.trees.holding import OURS, notes
from folkmoot.worker.git.trees.placing import BRINGING
from folkmoot.worker.removing import is_left, remove_tree

if TYPE_CHECKING:
    from folkmoot.worker.git.repository import Repository


def clear_left(repository: "Repository", aside: str) -> list[str]:
    """Remove it. Folders with a file that git does not know are moved to `aside` instead; gives where they are now."""
    trees = own_trees(repository.user)
    home = repository.home
    kept = []
    for place in dict.fromkeys([home, *(git_dir for _, git_dir in trees), *(path for path, _ in trees if path)]):
        for name in _begin_with(place, BRINGING):
            path = os.path.join(place, name)
            if not is_left(path, BRINGING, None, home):
                continue
            if _all_known(repository, path):
                remove_tree(path)
                continue
            os.makedirs(aside, mode=0o700, exist_ok=True)
            os.rename(path, os.path.join(aside, name.lstrip(".")))
            kept.append(os.path.join(aside, name.lstrip(".")))
    _drop_indexes(repository, trees)
    return kept


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
