"""What an item has changed, looked up in the engine's repository."""

from folkmoot.api.machine import FileChange, ItemChange
from folkmoot.engine.application import Application
from folkmoot.errors import MootError, NothingToDo, Refused
from folkmoot.wiring.running import open_repository
from folkmoot.wiring.trust import check_repository
from folkmoot.worker.git.change import DIFF_MAX, lines, span


def change(application: Application, home: str, item: str) -> ItemChange:
    check_repository(home)
    queries = application.queries
    view, flow = queries.show(item), queries.flow()
    repository = open_repository(home, flow.target, queries.flow)
    if repository is None:
        words = "changes are kept as commits, and there is no git repository here"
        raise Refused("no_repository", words, "git init, then <init>")
    above = queries.show(view.parent).head if view.parent else None
    try:
        onto = above or repository.tip(flow.target)
    except MootError:
        onto = None  # the target is gone: the work is not
    runs = [run.commit for run in view.runs if run.commit and not run.gate and run.changed]
    landed = view.landed if not view.parent else None
    between = span(repository, landed=landed, head=view.head, onto=onto, runs=runs)
    if between is None:
        at_work = "; its agent is at work" if view.status == "running" else ""
        words = "item {item} has changed nothing yet{at_work}"
        raise NothingToDo("no_change", words, "see how it stands: <show item>", view.id, at_work)
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
    return ItemChange(
        item=view.id,
        title=view.title,
        status=view.status,
        base=between.base,
        commit=between.commit,
        landed_on=view.landed_on,
        files=files,
        diff=repository.diff(between.base, between.commit, DIFF_MAX),
    )
