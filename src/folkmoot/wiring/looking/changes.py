"""What an item has changed, looked up in the engine's repository."""

import os
from contextlib import suppress

from folkmoot.api.screen import FileChange, ItemChange, ShowChange
from folkmoot.api.views import ItemView, RunView
from folkmoot.engine.application import Application
from folkmoot.errors import Invalid, MootError, NothingToDo, Refused, Unavailable
from folkmoot.wiring.running import open_repository
from folkmoot.wiring.trust import check_repository
from folkmoot.worker.git.change import DIFF_MAX, Span, is_cut, lines, span
from folkmoot.worker.git.repository import Repository
from folkmoot.worker.secrets.redactor import Known, Redactor


def change(application: Application, asked: ShowChange) -> ItemChange:
    home, queries = application.board_dir, application.queries
    check_repository(home)
    view, flow = queries.show(asked.item), queries.flow()
    repository = open_repository(home, flow.target, queries.flow)
    if repository is None:
        words = "changes are kept as commits, and there is no git repository here"
        raise Refused("no_repository", words, "git init, then <init>")
    if (remote := repository.remote_now()) is not None:  # another machine may have made it
        with suppress(Unavailable):
            remote.bring([view.head, view.landed, *(one.commit for one in view.runs if one.changed)])
    if asked.run is not None:
        run = _run_of(application, view, asked.run)
        between = _of_run(repository, run)
    else:
        run, between = None, _of_item(application, repository, view, flow.target)
    if asked.base is not None:
        between = Span(_known_base(repository, view, between, asked.base), between.commit)
    counted = lines(repository, between)
    files = [
        FileChange(
            path=one.path,
            how=one.how,
            added=counted.get(one.path, (None, None))[0],
            removed=counted.get(one.path, (None, None))[1],
        )
        for one in repository.touched(between.base, between.commit)
    ]
    diff = repository.diff(between.base, between.commit, DIFF_MAX)
    return ItemChange(
        item=view.id,
        title=view.title,
        status=view.status,
        base=between.base,
        commit=between.commit,
        landed_on=view.landed_on,
        files=files,
        diff=_cleaner().clean(diff),
        run=run.run if run is not None else None,
        cut=is_cut(diff),
    )


def _of_item(application: Application, repository: Repository, view: ItemView, target: str) -> Span:
    above = application.queries.show(view.parent).head if view.parent else None
    try:
        onto = above or repository.tip(target)
    except MootError:
        onto = None  # the target is gone: the work is not
    runs = [run.commit for run in view.runs if run.commit and not run.gate and run.changed]
    landed = view.landed if not view.parent else None
    found = span(repository, landed=landed, head=view.head, onto=onto, runs=runs)
    if found is None:
        at_work = "; its agent is at work" if view.status == "running" else ""
        words = "item {item} has changed nothing yet{at_work}"
        raise NothingToDo("no_change", words, "see how it stands: <show item>", view.id, at_work)
    return found


def _run_of(application: Application, view: ItemView, named: str) -> RunView:
    run = application.queries.run(named)
    if run.item != view.id:
        words = "run {run} worked on item {other}, not on item {item}"
        raise Invalid("unknown_run", words, "see the runs of the item: <show item>", run.run, run.item, view.id)
    return run


def _of_run(repository: Repository, run: RunView) -> Span:
    commit = repository.kept(run.commit) if run.commit and run.changed else None
    if commit is None:
        words = "run {run} has changed nothing that is kept"
        raise NothingToDo("no_change", words, "see what it said: <output run>", run.run)
    return Span(repository.kept(f"{commit}^1"), commit)


def _known_base(repository: Repository, view: ItemView, whole: Span, base: str) -> str:
    """Only what is the item's own: whoever may look at an item need not see all that the repository holds."""
    own = {whole.base, whole.commit, view.head, view.landed, *(run.commit for run in view.runs)}
    found = repository.kept(base) if base in own else None
    if found is None:
        words = "{commit} is no commit of item {item} that is kept"
        raise Invalid("unknown_commit", words, "leave <.base> out to see all of the change", base, view.id)
    return found


def _cleaner() -> Redactor:
    known = Known()
    known.add_environment(os.environ)
    return Redactor(known)
