"""Landed work that its branch does not hold any more: somebody has moved the branch back, by a reset or a push, or has
undone the landing by a commit, as `git revert` does.

The board cannot know it: it wrote down what was so when the work landed. Git is asked about all landed commits at once.
A commit that was made again (a rebase, a squash) is not lost: its change is there, or its files are.
"""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Struct

from folkmoot.api.pages import LostWork
from folkmoot.errors import MootError, Unavailable
from folkmoot.wiring.reading import shown
from folkmoot.wiring.trust import check_untracked, git_for, place_of
from folkmoot.worker.git.places import pointer
from folkmoot.worker.git.remote.remote import COPIES
from folkmoot.worker.git.target import HEAD_BRANCH

if TYPE_CHECKING:
    from folkmoot.api.views import ItemView
    from folkmoot.core.flow import Flow
    from folkmoot.engine.application import Application
    from folkmoot.worker.git.places import Place

REPOSITORY = "repo.git"
LANDED_MAX = 10_000  # of a board with more, the newest: a branch that is moved back loses those first
LOOK_SECONDS = 20.0
UNDONE_MAX = 2_000  # of a branch with more commits, the newest: what undoes a landing comes after it
OF_ITEM = re.compile(r"^Moot-Item:", re.MULTILINE)
UNDOES = re.compile(r"^This reverts commit ([0-9a-f]{40,64})\b", re.MULTILINE)
SHOWN = 12  # letters of a commit
OWNED = "%m%H%x00%(trailers:key=Moot-Item,valueonly,separator=%x2C)"


class Landed(Struct, frozen=True):
    item: str
    title: str
    branch: str
    commit: str


class Ground(Struct):
    """Where git is asked: in which repository, with whose objects beside its own."""

    home: str
    git_dir: str
    beside: str | None
    tips: list[str]  # refs that hold landed work: the branch, and what we put beside it

    def ask(self, *words: str, asked: str, alone: bool = False) -> str | None:
        """What git says; None where it says nothing, as of a repository that is not whole."""
        env = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": self.beside} if self.beside and not alone else {}
        try:
            ran = git_for(self.home)(
                *words, git_dir=self.git_dir, stdin=asked.encode(), env=env, check=False, timeout=LOOK_SECONDS
            )
        except Unavailable:
            return None
        return ran.out.decode("utf-8", "surrogateescape") if ran.code == 0 else None


class Graph(Struct):
    """The commits that no tip holds, each with those it was built on; the youngest first."""

    parents: dict[str, list[str]]

    def behind(self, commits: Iterable[str], seen: set[str]) -> set[str]:
        """These and all they were built on, without what was seen before. Each is looked at once."""
        found: set[str] = set()
        ahead = list(commits)
        while ahead:
            here = ahead.pop()
            if here in self.parents and here not in seen:
                seen.add(here)
                found.add(here)
                ahead += self.parents[here]
        return found


def lost_landings(application: "Application") -> list[LostWork]:
    """Of all items that landed and are done: those whose work is not on its branch any more, the oldest first."""
    if place_of(application.board_dir) is None:
        return []
    ended = application.engine.store.read(lambda reading: reading.ended_items(LANDED_MAX))
    done = [one for one in reversed(ended) if one.status == "done"]
    landed = [Landed(one.id, one.title, one.landed_on, one.landed) for one in done if one.landed and one.landed_on]
    return lost_of(application, landed)


def lost_item(application: "Application", view: "ItemView") -> list[LostWork]:
    """The same of one item; one that is worked on again is not looked at."""
    if view.status != "done" or view.landed is None or view.landed_on is None:
        return []
    return lost_of(application, [Landed(view.id, view.title, view.landed_on, view.landed)])


def lost_of(application: "Application", landed: Iterable[Landed]) -> list[LostWork]:
    home, flow = application.board_dir, application.queries.flow()
    place = place_of(home)
    if place is not None:
        check_untracked(home)
    by_branch: dict[str, list[Landed]] = {}
    for one in landed:
        if " " not in one.branch:  # else it landed on the branch of an item, which is nobody's but ours
            by_branch.setdefault(one.branch.removeprefix("moot/"), []).append(one)
    found: list[LostWork] = []
    for branch, several in by_branch.items() if place is not None else ():
        ground = _ground(home, place, flow, branch) if place is not None else None
        lost = _lost(ground, several) if ground is not None else []
        if lost and flow.remote is not None and _brought(home, flow, branch) and ground is not None:
            lost = _lost(ground, several)  # another machine may have landed since the remote was looked at
        if lost and ground is not None and place is not None:
            found += _told(ground, place, flow, branch, lost)
        if ground is not None and place is not None:
            gone = {one.commit for one, _ in lost}
            found += _undone(ground, place, flow, branch, [one for one in several if one.commit not in gone])
    return found


def _undone(ground: Ground, place: "Place", flow: "Flow", branch: str, landed: list[Landed]) -> Iterator[LostWork]:
    """What a commit of the branch says to undo, and no later one has brought back."""
    flags = (f"--max-count={UNDONE_MAX}", "--format=%H%n%B%x00", *ground.tips)
    if not landed:
        return
    undone: dict[str, str] = {}
    for part in (ground.ask("log", *flags, asked="") or "").split("\0"):  # the newest first
        commit, _, words = part.strip("\n").partition("\n")
        # What an item landed says in an agent's words what it likes: by those nothing is undone.
        if commit not in undone and not OF_ITEM.search(words):
            undone |= dict.fromkeys(UNDOES.findall(words), commit)
    for one in landed:
        if by := undone.get(one.commit):
            yield LostWork(
                item=one.item,
                title=one.title,
                branch=one.branch,
                commit=one.commit,
                brings_back=" && ".join(_around(place, flow, branch, [f"git revert {by[:SHOWN]}"])),
                last=True,
                undone_by=by,
            )


def _ground(home: str, place: "Place", flow: "Flow", branch: str) -> Ground | None:
    ours = os.path.join(os.path.abspath(home), REPOSITORY)
    has_ours = os.path.isdir(ours)
    if flow.remote is not None:
        if not has_ours:
            return None
        ground = Ground(home, ours, os.path.join(place.common, "objects"), [])
        refs = [f"{COPIES}{branch}"]
    else:
        ground = Ground(home, place.common, os.path.join(ours, "objects") if has_ours else None, [])
        refs = [f"refs/heads/{branch}", f"refs/heads/moot/{branch}"]
    said = ground.ask("for-each-ref", "--format=%(refname)", *refs, asked="") or ""
    ground.tips = [ref for ref in refs if ref in said.split("\n")]
    # A branch that is gone was taken away as a whole, as one is that was merged.
    return ground if refs[0] in ground.tips else None


def _brought(home: str, flow: "Flow", branch: str) -> bool:
    """Look at the remote itself; False where it is away."""
    from folkmoot.wiring.running import open_repository

    with suppress(MootError):
        repository = open_repository(home, flow.target, lambda: flow)
        remote = repository.remote_now() if repository is not None else None
        return remote is not None and remote.branch(branch) is not None
    return False


def _lost(ground: Ground, landed: list[Landed]) -> list[tuple[Landed, bool]]:
    """What is lost, and of each whether it brings others along: no other that is lost was built on it."""
    asked = [*(one.commit for one in landed), *(f"^{tip}" for tip in ground.tips)]
    flags = ("--topo-order", "--parents", "--ignore-missing", "--stdin")
    lines = (ground.ask("rev-list", *flags, asked=_lines(asked)) or "").splitlines()
    graph = Graph({line.split(" ")[0]: line.split(" ")[1:] for line in lines})
    off = [one for one in landed if one.commit in graph.parents]
    if not off:
        return []
    order = {commit: at for at, commit in enumerate(graph.parents)}
    off.sort(key=lambda one: -order[one.commit])
    own = _own(graph, off)
    lost = [one for one in off if own[one.commit]]
    missing = _not_made_again(ground, {one.commit for one in lost})
    lost = [one for one in lost if own[one.commit] & missing]
    lost = _unlike(ground, graph, lost, {one.commit: own[one.commit] & missing for one in lost})
    within = graph.behind((parent for one in lost for parent in graph.parents[one.commit]), set())
    return [(one, one.commit not in within) for one in lost]


def _own(graph: Graph, landed: list[Landed]) -> dict[str, set[str]]:
    """Which commits came with which landing, the oldest landing first."""
    taken: set[str] = set()
    own: dict[str, set[str]] = {}
    for one in landed:
        own[one.commit] = own.get(one.commit) or graph.behind([one.commit], taken)
    return own


def _not_made_again(ground: Ground, commits: set[str]) -> set[str]:
    """The commits of runs behind these whose change the branch has under no other name either."""
    if not commits:
        return set()
    flags = ("--cherry-mark", "--right-only", "--no-merges", "--no-commit-header", f"--format={OWNED}", "--stdin")
    said = ground.ask("rev-list", *flags, asked=_lines(f"{ground.tips[0]}...{commit}" for commit in sorted(commits)))
    if said is None:
        return commits
    rows = [line.partition("\0") for line in said.splitlines()]
    return {mark[1:] for mark, _, item in rows if item and not mark.startswith("=")}


def _unlike(ground: Ground, graph: Graph, lost: list[Landed], own: dict[str, set[str]]) -> list[Landed]:
    """Without those whose files the branch has as they were after the last landing: somebody has made one commit of
    several."""
    flags = ("--stdin", "--root", "-r", "-z", "-m", "--first-parent", "--name-only", "--no-renames")
    commits = {commit for several in own.values() for commit in several}
    said = ground.ask("diff-tree", *flags, asked=_lines(sorted(commits))) if commits else ""
    files: dict[str, list[str]] = {}
    now: list[str] = []
    for part in filter(None, (said or "").split("\0")):
        if part.strip("\n") in commits:
            now = files.setdefault(part.strip("\n"), [])
        else:
            now.append(part)
    last: dict[str, str] = {}  # the youngest landing that was built on each
    seen: set[str] = set()
    for one in reversed(lost):
        last |= dict.fromkeys(graph.behind([one.commit], seen), one.commit)
    pairs = {
        one.commit: [
            (f"{last[one.commit]}:{path}", f"{ground.tips[0]}:{path}")
            for commit in own[one.commit]
            for path in files.get(commit, [])
        ]
        for one in lost
    }
    names = sorted({name for several in pairs.values() for pair in several for name in pair if "\n" not in name})
    answers = (ground.ask("cat-file", "--batch-check=%(objectname)", asked=_lines(names)) or "").splitlines()
    objects = dict(zip(names, answers, strict=True)) if len(answers) == len(names) else {}
    objects |= {name: "" for name, answer in objects.items() if answer.endswith(" missing")}
    return [
        one
        for one in lost
        if not pairs[one.commit]
        or any(objects.get(was, was) != objects.get(is_, is_) for was, is_ in pairs[one.commit])
    ]


def _told(
    ground: Ground, place: "Place", flow: "Flow", branch: str, lost: list[tuple[Landed, bool]]
) -> Iterator[LostWork]:
    names = [one.commit for one, _ in lost]
    known = (ground.ask("cat-file", "--batch-check=%(objecttype)", asked=_lines(names), alone=True) or "").splitlines()
    here = dict(zip(names, known, strict=False))
    for one, is_last in lost:
        in_users = flow.remote is None and here.get(one.commit) == "commit"
        steps = _steps(ground.home, place, flow, branch, one.commit, in_users=in_users)
        yield LostWork(
            item=one.item,
            title=one.title,
            branch=one.branch,
            commit=one.commit,
            brings_back=" && ".join(steps),
            last=is_last,
        )


def _steps(home: str, place: "Place", flow: "Flow", branch: str, commit: str, *, in_users: bool) -> Iterator[str]:
    fetched = [f"git fetch {os.path.join(shown(home), REPOSITORY)} {commit}", "git merge FETCH_HEAD"]
    return _around(place, flow, branch, [f"git merge {commit[:SHOWN]}"] if in_users else fetched)


def _around(place: "Place", flow: "Flow", branch: str, steps: list[str]) -> Iterator[str]:
    """Steps that change a branch, with what must come before and after them."""
    if pointer(f"{place.git_dir}/HEAD", HEAD_BRANCH) != branch:
        yield f"git switch {branch}"
    if flow.remote is not None:
        yield f"git pull {flow.remote} {branch}"
    yield from steps
    if flow.remote is not None:
        yield f"git push {flow.remote} {branch}"


def _lines(words: Iterable[str]) -> str:
    return "".join(f"{word}\n" for word in words)
