"""What somebody else's code has put into a clone, and a person who stands there would obey by git or `moot`."""

import os

from folkmoot.core.rules.running.names import in_board, in_git, is_repository
from folkmoot.worker.git.elsewhere.modules import noted
from folkmoot.worker.git.repository import Repository
from folkmoot.worker.ports import Paths
from folkmoot.worker.removing import remove_tree

# What makes a folder a repository, and what git runs by it.
PARTS = frozenset({"head", "objects", "refs", "commondir", "config", "config.worktree", "hooks"})


def take_planted_away(repository: Repository, paths: Paths, commit: str | None) -> None:
    """Take away repositories and boards that setup has left in a clone, which is at this commit: it ran what an agent
    wrote. What the commit has is the project's own."""
    top = paths.workspace
    modules = {one.path for one in noted(paths)}
    tracked: frozenset[str] | None = None
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        with os.scandir(os.path.join(top, folder)) as listed:
            entries = {entry.name: entry.is_dir(follow_symlinks=False) for entry in listed}
        suspects = [name for name in entries if in_board(os.path.join(folder, name))]
        if folder and is_repository(entries):  # at the top git takes its own first
            suspects += [name for name in entries if name.lower() in PARTS]
        if suspects and tracked is None:
            tracked = _tracked(repository, commit)
        gone = {name for name in suspects if os.path.join(folder, name) not in (tracked or ())}
        gone |= {name for name in entries if in_git(name) and folder and folder not in modules}
        for name in gone:
            path = os.path.join(top, folder, name)
            remove_tree(path) if entries[name] else os.unlink(path)
        left = [name for name, is_folder in entries.items() if is_folder and name not in gone and not in_git(name)]
        waiting += [os.path.join(folder, name) for name in left]


def _tracked(repository: Repository, commit: str | None) -> frozenset[str]:
    """Every file and folder of a commit."""
    if commit is None:
        return frozenset()
    said = repository("ls-tree", "-r", "-t", "-z", "--name-only", commit).out
    return frozenset(os.fsdecode(name) for name in said.split(b"\0"))
