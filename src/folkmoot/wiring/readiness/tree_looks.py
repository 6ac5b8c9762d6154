"""The branch that work lands on, and the user's files."""

from collections.abc import Iterator

from folkmoot.api.machine import Look
from folkmoot.core.flow import Flow
from folkmoot.errors import MootError
from folkmoot.wiring.forge.forges import named_forge
from folkmoot.wiring.git_status import changed_files, knows_flow, look_at_remote
from folkmoot.wiring.trust import Outside, git_for, place_of, project_of
from folkmoot.worker.forge.port import ForgeAway
from folkmoot.worker.git.elsewhere.findings import findings
from folkmoot.worker.git.places import Place, checked_out, pointer
from folkmoot.worker.git.target import HEAD_BRANCH, check_branch

FILES_SHOWN = 3
ENDED_BY = {"rebase": "git rebase --continue", "merge": "git commit", "cherry-pick": "git cherry-pick --continue"}


def tree_looks(home: str, flow: Flow) -> Iterator[Look]:
    place, target = place_of(home), flow.target
    if place is None:
        words = (
            "there is no git repository: agents work in this folder itself, one at a time, and nothing can be undone"
        )
        yield Look(look="branch", state="note", words=words, next="git init, commit what is there, then moot init")
        return
    git = git_for(home)
    if flow.base_remote is not None:
        yield _remote(home, flow)
    if flow.proposes:
        yield _forge(home, flow)
    try:
        if flow.base_remote is None:
            check_branch(git, place, target)
        at_work = next((tree.at_work for tree in checked_out(git, place, target) if tree.at_work), "")
    except MootError as error:
        yield Look(look="branch", state="act", about=target, words=error.message, next=error.hint)
        return
    yield _branch(place, target, at_work, flow.proposes)
    changed = changed_files(home, target)
    if changed:
        names = ", ".join(changed[:FILES_SHOWN]) + (
            f" and {len(changed) - FILES_SHOWN} more" if len(changed) > 3 else ""
        )
        words = f"not committed, so agents do not see it, and work on it waits on moot/{target}: {names}"
        yield Look(look="tree", state="note", words=words, next="git commit, or git stash")
    elif place.work_tree is not None:
        words = "nothing is left to commit"
        if not knows_flow(home, target):
            words += " but your flow, if you like: git add .moot"
        yield Look(look="tree", state="good", words=words)


def _remote(home: str, flow: Flow) -> Look:
    try:
        named = look_at_remote(home, flow)
    except MootError as error:
        hint = error.hint or f"git ls-remote {flow.base_remote} shows what is wrong"
        return Look(look="branch", state="act", about=flow.base_remote or "", words=error.message, next=hint)
    words = f"commits are kept on {named}, and work lands on its {flow.target}"
    if flow.proposes:
        words = f"work is proposed on {named}, and people merge it into its {flow.target}"
    return Look(look="branch", state="good", about=flow.base_remote or "", words=words)


def _forge(home: str, flow: Flow) -> Look:
    """Is it known where work is proposed, and by whom? The forge is asked for its repository: a wrong name or token
    costs nothing yet."""
    try:
        repository = named_forge(home, flow, Outside(home))
    except ForgeAway as error:
        words = f"{error.message}; finished work waits until it can be"
        return Look(look="forge", state="note", about=flow.base_remote or "", words=words)
    except MootError as error:
        return Look(look="forge", state="act", about=flow.base_remote or "", words=error.message, next=error.hint)
    by, kind = "by" if flow.land.command else "in", "drafts" if flow.land.draft else "ready for review"
    words = f"pull requests are opened {by} {repository}, as {kind}"
    return Look(look="forge", state="good", about=repository, words=words)


def parts_looks(home: str, flow: Flow) -> Iterator[Look]:
    """What of the repository clones do not have. What no run could begin in is said where the tools are made."""
    for found in findings(git_for(home), project_of(home), flow.target):
        if found.works:
            yield Look(look="tree", state="note", about=found.kind, words=found.what, next=found.do)


def _branch(place: Place, target: str, at_work: str, proposes: bool) -> Look:
    if at_work:
        what = at_work.removeprefix("a ").split(" ")[0]
        words = f"{at_work} is under way: until it has ended, work lands on moot/{target}"
        act = f"{ENDED_BY.get(what, f'git {what} --continue')}, or git {what} --abort"
        return Look(look="branch", state="note", about=target, words=words, next=act)
    current = pointer(f"{place.git_dir}/HEAD", HEAD_BRANCH)
    if current == target:
        what = "work that people have merged comes to" if proposes else "work lands on"
        words = f"{what} {target}, and your files follow"
    elif current:
        words = f"work lands on {target}; you are on {current}, so your files stay as they are"
    elif place.work_tree is None:
        words = f"work lands on {target}"
    else:
        words = f"HEAD is detached: work lands on {target}, and your files stay as they are"
        return Look(look="branch", state="note", about=target, words=words, next=f"git switch {target}")
    return Look(look="branch", state="good", about=target, words=words)
