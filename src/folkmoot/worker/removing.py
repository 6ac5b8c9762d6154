"""Deleting a tree that an agent left: however deep it is, whatever it has locked, and never through a link."""

import os
import stat


def remove_tree(path: str) -> None:
    """Delete a folder that no process writes in any more. Folders are moved up before they are emptied, so that no
    path grows too long for the system, and nothing is gone through by recursion."""
    os.chmod(path, stat.S_IRWXU)
    top = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        waiting = _empty(top, top, 0)
        moved = len(waiting)
        while waiting:
            name = waiting.pop()
            folder = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=top)
            try:
                new = _empty(folder, top, moved)
            finally:
                os.close(folder)
            os.rmdir(name, dir_fd=top)
            moved += len(new)
            waiting += new
    finally:
        os.close(top)
    os.rmdir(path)


def _empty(folder: int, top: int, moved: int) -> list[str]:
    """Delete the files of a folder and move its folders to the top; gives their new names there."""
    with os.scandir(folder) as entries:
        listed = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    names: list[str] = []
    for name, is_folder in listed:
        if not is_folder:
            os.unlink(name, dir_fd=folder)
            continue
        os.chmod(name, stat.S_IRWXU, dir_fd=folder)  # a locked one could neither be moved nor looked into
        new = f"{moved + len(names)}.{os.getpid()}.gone"
        os.rename(name, new, src_dir_fd=folder, dst_dir_fd=top)
        names.append(new)
    return names
