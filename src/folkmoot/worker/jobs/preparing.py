"""`setup`: what makes a fresh clone ready, and why nothing else of it reaches what comes after."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from folkmoot.core.vocabulary.cause_line import cause_line
from folkmoot.errors import Unavailable
from folkmoot.worker.clients.printed import Words
from folkmoot.worker.jobs.bounds import over_limit
from folkmoot.worker.ports import Paths
from folkmoot.worker.startable import unstarted

if TYPE_CHECKING:
    from folkmoot.worker.jobs.job import Job

WORDS_KEPT = 64_000
NAMES_TOLD = 5


def setup_paths(paths: Paths) -> Paths:
    """The folders of a run as its setup has them: a HOME of its own, and no place for a report."""
    own = os.path.join(paths.root, "setup")
    return replace(paths, home=own, spool=own)


def set_up(
    job: "Job",
    commands: Sequence[list[str]],
    network: bool,
    commit: str | None,
    *,
    shared: bool,
    obeyed: Sequence[str] = (),
) -> None:
    """Make a fresh workspace ready, with nothing of the client's in reach: this runs what is in the repository.

    What fails here is nobody's attempt: the environment is not as it must be. Only what has landed may fill the
    cache that all runs share (`shared`); what an agent wrote, and nobody has proved, gets a cache of its own.
    What comes after gets what git does not track in the clone, and nothing else that setup left; and where its client
    finds settings (`obeyed`), not even that.
    """
    if not commands:
        return
    paths = setup_paths(job.paths)
    cache = os.path.join(job.tools.workspaces.home, "cache") if shared else os.path.join(paths.home, ".cache")
    for folder in (paths.home, cache):
        os.makedirs(folder, mode=0o700, exist_ok=True)
    for argv in commands:
        job.step("setup")
        env = job.environment([], {}, {"MOOT_ITEM": job.item}, cache=cache, paths=paths)
        if why := unstarted(argv, job.tools.programs):
            words = "the setup command {command} could not be run: {why}"
            raise Unavailable("setup_failed", words, "", " ".join(argv), why)
        said = Words(WORDS_KEPT)
        launch = job.launch(argv, env, network=network, writable=[cache], paths=paths)
        ended = job.run_process(launch, said.line, all_of_it=True)
        if ended.code != 0:
            words = ended.fault or cause_line(str(said)) or f"exit {ended.code}"
            words = over_limit(ended.limit, job.flow.limits) if ended.limit else words
            raise Unavailable("setup_failed", "the setup command {command} failed: {words}", "", " ".join(argv), words)
    job.check_alive()
    bounds = job.patience("putting back what setup changed")
    changed = job.tools.workspaces.put_back(job.paths, commit, job.agent, bounds, obeyed)
    if changed:
        more = f" and {len(changed) - NAMES_TOLD} more" if len(changed) > NAMES_TOLD else ""
        names = ", ".join(changed[:NAMES_TOLD]).encode("utf-8", "replace").decode()
        job.output.add(job.redactor.clean(f"folkmoot: setup had changed {names}{more}; they are put back\n"))
