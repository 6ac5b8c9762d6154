"""What a dead worker left: the work in it is kept under a ref before anything is thrown away."""

import os

from folkmoot.errors import MootError
from folkmoot.worker.jobs.job import Happening, Tools
from folkmoot.worker.workshop import BASE, OWNER, RUNS


def tidy(tools: Tools) -> None:
    """Take in what runs left whose worker is gone, and remove their folders. A run that may live is left alone."""
    folder = os.path.join(tools.workshop.home, RUNS)
    for run in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        if _is_owned(os.path.join(folder, run)):
            continue
        try:
            standing = tools.application.queries.standing(run)
            if standing.live:
                continue
            paths = tools.workshop.paths(run)
            if left := tools.keeper.end_left(paths.home):  # only where all who kept it were killed together
                words = f"{left} processes of run {run} were still there, and were killed"
                tools.tell(Happening("fault", run, standing.item, standing.title, "folkmoot", words, good=False))
            base = _said(paths.root, BASE)
            # A clone that was not finished was never worked in.
            if base is not None and tools.workshop.is_made(paths):
                message = f"{standing.title}\n\n(left by a worker that died)"
                tools.workshop.bring_home(paths, standing, base or None, message)
            tools.workshop.remove(paths)
        except (MootError, OSError) as error:
            words = f"what run {run} left in {folder} could not be taken in: {error}"
            tools.tell(Happening("fault", run, "", "", "folkmoot", words, good=False))


def _is_owned(root: str) -> bool:
    """Is the process that made it alive? If another has its number now, the folder just stays a little longer."""
    owner = _said(root, OWNER)
    return owner is not None and owner.isdecimal() and os.path.exists(f"/proc/{owner}")


def _said(root: str, name: str) -> str | None:
    try:
        with open(os.path.join(root, name), encoding="ascii") as file:
            return file.read(200).strip()
    except (OSError, UnicodeDecodeError):
        return None
