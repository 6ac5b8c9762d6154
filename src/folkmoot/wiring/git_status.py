"""What git says about a project: looked at for people, and never changed. Where git is silent, so is this."""

import contextlib
import os
import shutil
import tempfile
from typing import TYPE_CHECKING

from folkmoot.errors import MootError, Refused, Unavailable
from folkmoot.flows.preset import FLOW_FILE
from folkmoot.wiring.trust import Outside, check_repository, git_for, place_of
from folkmoot.worker.git.places import own_trees, pointer
from folkmoot.worker.git.refs import BESIDE, BESIDE_NEXT, BESIDE_OVER, OUR_WORDS, log_of
from folkmoot.worker.git.target import HEAD_BRANCH, check_target
from folkmoot.worker.removing import maker
from folkmoot.worker.startable import unstarted

if TYPE_CHECKING:
    from folkmoot.core.flow import Flow
    from folkmoot.engine.application import Application
    from folkmoot.worker.git.places import Place

REPOSITORY = "repo.git"
NAMES = ("--name-only", "--no-renames", "-z")


def unmerged_branch(home: str, target: str) -> str | None:
    """The branch beside the target on which work waits for the user to merge it; None if nothing waits."""
    place = place_of(home)
    branch = f"moot/{target}"
    if place is None or not _has_branch(place.common, branch):
        return None
    said = _ask(
        home, "rev-list", "--max-count=1", f"refs/heads/{branch}", f"^refs/heads/{target}", git_dir=place.common
    )
    return branch if said and _is_ours(home, place, target) else None


def _is_ours(home: str, place: "Place", target: str) -> bool:
    """Have we put it there, by our own refs or by the log of the branch? It may be one of the user's."""
    refs = [ref + target for ref in (BESIDE, BESIDE_NEXT, BESIDE_OVER)]
    git_dir = os.path.join(os.path.abspath(home), REPOSITORY)
    known = _ask(home, "for-each-ref", "--format=%(refname)", *refs, git_dir=git_dir).split()
    if known:
        return known != [BESIDE_OVER + target]
    log = log_of(place.common, f"moot/{target}")
    return bool(log) and log[-1][1].startswith(OUR_WORDS)


def in_the_way(home: str, target: str) -> list[str]:
    """The files of the user's tree that keep work on the branch beside the target: changed, or in the place of new
    ones. Every landing takes all that is on that branch with it, so it is about these files whatever it changes."""
    place = place_of(home)
    if place is None or place.work_tree is None or pointer(f"{place.git_dir}/HEAD", HEAD_BRANCH) != target:
        return []
    tree, old = place.work_tree, f"refs/heads/{target}"
    added = _ask(home, "diff", *NAMES, "--diff-filter=A", old, f"refs/heads/moot/{target}", git_dir=place.common)
    found = [path for path in added.split("\0") if path and os.path.lexists(os.path.join(tree, path))]
    return list(dict.fromkeys([*found, *changed_files(home, target)]))


def changed_files(home: str, target: str) -> list[str]:
    """The files of the user's tree that are changed or staged, where it stands on the target."""
    place = place_of(home)
    if place is None or place.work_tree is None or pointer(f"{place.git_dir}/HEAD", HEAD_BRANCH) != target:
        return []
    tree, index = place.work_tree, f"{place.git_dir}/index"
    if not os.path.exists(index):
        return []
    found: list[str] = []
    tip = _ask(home, "rev-parse", "--verify", "--quiet", f"refs/heads/{target}", git_dir=place.common).strip()
    # With the engine's repository and a copy of the index: the user's filters and hooks are none of ours.
    with tempfile.TemporaryDirectory(prefix=f"look-{maker(home)}-", dir=home) as folder:
        copied = shutil.copy2(index, os.path.join(folder, "index"))
        here = {"git_dir": os.path.join(os.path.abspath(home), REPOSITORY), "work_tree": tree, "index": copied}
        _ask(home, "update-index", "-q", "--ignore-submodules", "--refresh", **here)
        for look in (("diff-files", *NAMES), ("diff-index", "--cached", *NAMES, tip)):
            found += [path for path in _ask(home, *look, **here).split("\0") if path]
    return list(dict.fromkeys(found))


def knows_flow(home: str, target: str) -> bool:
    """Is the board's flow among the files of the target branch?"""
    place = place_of(home)
    if place is None or place.work_tree is None:
        return True
    path = os.path.relpath(os.path.join(os.path.realpath(home), FLOW_FILE), os.path.realpath(place.work_tree))
    return bool(_ask(home, "ls-tree", "--name-only", f"refs/heads/{target}", "--", path, git_dir=place.common).strip())


def _has_branch(common: str, branch: str) -> bool:
    """By its files: most boards have no such branch, and need not wait for git."""
    if os.path.exists(os.path.join(common, "refs", "heads", branch)):
        return True
    try:
        with open(os.path.join(common, "packed-refs"), encoding="utf-8", errors="replace") as file:
            return any(line.rstrip("\n").endswith(f" refs/heads/{branch}") for line in file)
    except OSError:
        return False


def kept(home: str, runs: list[str]) -> list[str]:
    """Those of the runs whose work is kept, though no report has told of it."""
    git_dir = os.path.join(os.path.abspath(home), REPOSITORY)
    if not runs or not os.path.isdir(git_dir):
        return []
    refs = [f"refs/moot/runs/{run}" for run in runs]
    said = _ask(home, "for-each-ref", "--format=%(refname)", *refs, git_dir=git_dir)
    return [run for run, ref in zip(runs, refs, strict=True) if ref in said.split("\n")]


def cut_off(home: str, application: "Application") -> None:
    """A landing that was killed half-way keeps git locked in the user's tree: it is told of, and whoever writes to the
    board finishes it."""
    from folkmoot.worker.git.trees.holding import told

    place = place_of(home)
    words = told(os.path.join(os.path.abspath(home), REPOSITORY), own_trees(place) if place is not None else [])
    if not words:
        return
    application.notes += words
    target = application.queries.flow().target

    def finish() -> None:
        from folkmoot.wiring.running import finish_left

        with contextlib.suppress(MootError, OSError):  # the next worker tries again, and says why it cannot
            finish_left(home, target)

    application.after_writing = finish


def root_notes(home: str) -> list[str]:
    """For a board below the top folder of its repository: from where paths are told."""
    root = os.path.realpath(os.path.dirname(os.path.abspath(home)))
    place = place_of(home)
    if place is None or place.work_tree is None or place.work_tree == root:
        return []
    below = os.path.relpath(root, place.work_tree)
    return [
        f"this board works on the whole repository in {place.work_tree}: paths of items are told from there, and agents"
        f" and gates start there, so write {below}/FILE for a FILE in this folder"
    ]


def uncommitted(home: str, flow: "Flow") -> list[str]:
    """Scripts of the project that agents are started with and that no clone has, since they are not committed.

    Agents are started in the top folder of the repository, wherever below it the board lies.
    """
    place = place_of(home)
    if place is None or place.work_tree is None:
        return []
    root = place.work_tree
    wanted: dict[str, list[str]] = {}
    for agent in flow.agents.values():
        for word in _scripts(agent.run):
            if os.path.isfile(os.path.join(root, word)):
                wanted.setdefault(word, []).append(agent.name)
    told = []
    for word, agents in wanted.items():
        path = os.path.normpath(word)
        tree = f"refs/heads/{flow.target}"
        if not path.startswith("..") and not _ask(home, "ls-tree", tree, "--", path, git_dir=place.common):
            told.append(
                f"{word} is not in git yet, so {', '.join(agents)} will not find it: commit it to {flow.target}"
            )
    return told


def unstartable(home: str, flow: "Flow") -> list[str]:
    """Folders of the PATH that are left out for runs, and what of gates and setup is to be found only there."""
    programs = Outside(home)
    told = programs.told()
    wanted = {f"the gate {gate.name}": [gate.run] for gate in flow.gates.values()}
    wanted |= {f"the setup of {agent.name}": agent.setup for agent in flow.agents.values()}
    wanted |= {f"the setup of {gate.name}": gate.setup for gate in flow.gates.values()}
    for name, commands in wanted.items():
        for command in commands:
            why = unstarted(command, programs)
            if why is not None and programs.inside(command[0]) is not None:
                told.append(f"{name} cannot be run here: {why}")
    return told


def look_for_target(home: str, flow: "Flow") -> None:
    """Refuse a target that the project's repository does not have; or where the flow names a remote, that one."""
    check_repository(home)
    try:
        if flow.base_remote is None or place_of(home) is None:
            check_target(git_for(home), os.path.dirname(os.path.abspath(home)), flow.target)
        else:
            look_at_remote(home, flow)
    except Unavailable:
        return  # no git, or one that does not answer: whoever needs it will say so


def look_at_remote(home: str, flow: "Flow") -> str:
    """Refuse a remote that is none, or has no branch to land on. Gives its name, as it is shown."""
    from folkmoot.wiring.running import open_repository
    from folkmoot.worker.git.remote.remote import check_remote

    repository = open_repository(home, flow.target, lambda: flow)
    remote = repository.base_now() if repository is not None else None
    if repository is None or remote is None:
        words = "the flow names the remote {remote}, and there is no git repository here"
        raise Refused("no_repository", words, "git init, then <init>", flow.base_remote)
    check_remote(repository, remote, flow.target)
    return str(remote)


def _scripts(run: dict[str, object]) -> list[str]:
    """The words of a command that may be files of the project."""
    given = run.get("command") or run.get("acp") or []
    words = [str(word) for word in given] if isinstance(given, list) else []
    return [word for word in words if word and "{" not in word and not os.path.isabs(word)]


def _ask(home: str, *args: str, git_dir: str, work_tree: str | None = None, index: str | None = None) -> str:
    try:
        ran = git_for(home)(*args, git_dir=git_dir, work_tree=work_tree, index=index, check=False, timeout=20.0)
        return ran.out.decode("utf-8", "replace")
    except Unavailable:
        return ""  # no git, or one that does not answer: whoever needs it will say so
