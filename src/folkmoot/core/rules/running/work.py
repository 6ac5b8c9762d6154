"""A run's real change: whether it is taken, and where the item's branch is after it (R-19)."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from folkmoot.core import order
from folkmoot.core.commands import KeepWork
from folkmoot.core.enums import ONE_SHOT_KINDS, Cause, WriteRight
from folkmoot.core.flow import Flow, Limits
from folkmoot.core.item import Item
from folkmoot.core.records import Hold, Run
from folkmoot.core.report import Files, Remark, Report
from folkmoot.core.rules.questions import ask
from folkmoot.core.rules.running.looking import carried
from folkmoot.core.rules.running.rights import danger, may_write, strays, taken_by_others, trespasses
from folkmoot.core.rules.sharing.holds import in_the_way, is_landing
from folkmoot.core.rules.sharing.paths import bad_path, normal_path, outside
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.phrases.unchanged import said_unchanged
from folkmoot.core.vocabulary.ways import Way
from folkmoot.core.vocabulary.words import is_security
from folkmoot.core.work import Secret, Touched, Work
from folkmoot.errors import Refused

TOUCHED_MAX = 2_000
SHOWN_MAX = 5
DROPPED_MAX = 20  # files that are named, of those that a reader lost
# What a run says about itself, not about its change: that stands also where the change is not taken.
STANDS = frozenset({"failed", "asks", "stuck", "delegates"})
# What does not act beside a change that is not taken; it is told.
NOT_FINISHED = (
    *("outcome", "summary", "cause", "reason", "escalation_reason"),
    *("tests", "artifacts", "tasks", "contracts", "delegate"),
)
PRINTED = frozenset({"file1.ts", "file2.test.ts", "existing.ts"})  # the quest document's form, filled in by nobody
ENDS_BOUND = frozenset({"done", "changes_requested", "disputed"})


UNCHANGED = (
    "you reported done, but no file changed: make the change; or, if nothing has to change, report done again and say "
    "in its summary that nothing had to change, and why"
)


class Judged(Struct, frozen=True):
    """What a report and a change are worth together."""

    report: Report
    fault: str | None
    work: Work | None
    taken: bool  # False: the change stays aside, under the run's own ref
    asks: str = ""  # what a person must decide, since the change was refused for it
    unchanged: bool = False  # the fault is that nothing was changed


def ends_here(item: Item) -> bool:
    """Would `done` end the item where it is, as one whose work goes to the item that it is for?"""
    return item.kind in ONE_SHOT_KINDS or (item.kind == "task" and item.column == item.home)


def is_last_word(item: Item, outcome: str) -> bool:
    """Does this outcome end the item where it is? A bound child's verdict does, whatever it is."""
    return ends_here(item) and outcome in (ENDS_BOUND if item.kind in ONE_SHOT_KINDS else ("done",))


def judge_work(case: Case, said: Report, fault: str | None, work: Work) -> Judged:
    """One path too many, and nothing of a change is taken; what others hold waits for them (R-20)."""
    assert case.run is not None
    item, run = case.item, case.run
    write = may_write(case.flow, item, run.agent)
    beyond = too_much(work, case.flow.limits)
    if run.person is not None:
        _ask_back(case, run, write, work, beyond)
    if write == "none":
        return _dropped(case, said, fault, work)
    if beyond:
        return _refused(case, said, fault, work, beyond)
    secrets = leaked(work, case.flow)
    if secrets:
        refused = _refused(case, said, fault, work, secrets)
        return replace(refused, asks="" if said.outcome in STANDS and fault is None else "; ".join(secrets[:SHOWN_MAX]))
    touched = work.touched
    if not touched:
        return Judged(said, fault, replace(work, commit=None, merged=None), False)
    lands = fault is None and case.situation.parent is not None and is_last_word(item, said.outcome)
    faults = trespasses(touched, write, case.flow, item)
    if not faults and lands and work.lands is not None:
        # By what differs there: git follows renames of the other side.
        faults = strays(work.lands, case.flow, item, [*item.changed, *(one.path for one in touched)])
    if not faults and work.commit is None:
        faults = taken_by_others(touched, _holds_of_others(case, touched))  # no branch, so nothing can wait on it
    if faults:
        return _refused(case, said, fault, work, faults)
    work = replace(work, touched=touched[:TOUCHED_MAX])
    if item.head not in (run.head, work.base) and keeps(said, fault):
        raise _moved(item, work.base)
    if lands and work.merged is not None:
        work = _waiting(case, work, touched)
    taken = replace(said, files=files_of(work), commit=work.commit or said.commit)
    return Judged(taken, fault, work, keeps(said, fault))


def _ask_back(case: Case, run: Run, write: WriteRight, work: Work, beyond: list[str]) -> None:
    """A person is there to mend it: what would be refused of an agent's change, or dropped, is refused before anything
    happens. Their run lives on, and so does their clone."""
    item = case.item
    about = {"item": item.id, "agent": run.agent}
    if write == "none":
        if paths := [one.path for one in work.touched][:SHOWN_MAX]:
            words = "{agent} only reads in {column}, so your change of {paths} cannot be taken"
            hint = "take it back; or send the item to a stage that writes: <move item column>, then take it there"
            raise Refused("change_refused", words, hint, column=run.column, paths=paths, **about)
        return
    faults = beyond or leaked(work, case.flow) or trespasses(work.touched, write, case.flow, item)
    if not faults:
        return
    told = "; ".join(faults[:SHOWN_MAX]) + (f"; and {len(faults) - SHOWN_MAX} more" if faults[SHOWN_MAX:] else "")
    paths = outside([one.path for one in work.touched], item.files) if item.files and write == "own" else []
    hint = "take that change back, and give again"
    if paths:
        hint += "; or let the item have the files too: <give widen=yes>"
    words = "your change cannot be taken: {told}"
    raise Refused("change_refused", words, hint, told, paths=paths[:SHOWN_MAX], **about)


def unchanged(case: Case, judged: Judged) -> str | None:
    """Why a `done` without any change is not taken at its word; None: it is. Who only reads or gives verdicts changes
    nothing; what its stage made before may be all there is to do; and who says that nothing had to change is heard."""
    item, said, work, run = case.item, judged.report, judged.work, case.run
    if (
        run is None
        or work is None
        or work.touched
        or work.dropped
        or said.outcome != "done"
        or judged.fault is not None
    ):
        return None
    stage = order.stage(case.flow, item)
    is_exempt = item.kind in ONE_SHOT_KINDS or item.disputes or case.flow.checks(stage)
    if is_exempt or may_write(case.flow, item, run.agent) == "none":
        return None
    if any(made.column == stage for made in (*item.files_made.values(), *item.artifacts.values())):
        return None
    told = [value for value in said.extra.values() if isinstance(value, str)]
    if said_unchanged([said.summary, said.reason, *said.next_steps, *(one.content for one in said.comments), *told]):
        return None
    return UNCHANGED


def fault_of_files(case: Case, said: Report) -> str | None:
    """A report by hand is all that is known of its change: a path too many in it is asked back, as the change itself
    would be refused (R-20). Where a worker looks at the files, they decide, and not what an agent lists."""
    run, item = case.run, case.item
    listed = said.files.created or said.files.modified
    if run is None or run.sandboxed is not None or not listed or said.outcome in STANDS:
        return None
    write = may_write(case.flow, item, run.agent)
    named = [*((path, "created") for path in said.files.created), *((path, "modified") for path in said.files.modified)]
    told = [Touched(normal_path(path), how) for path, how in named if bad_path(path) is None and path not in PRINTED]
    if write == "none" or not told:
        return None  # whoever only reads loses files, never its word
    faults = trespasses(told, write, case.flow, item)
    if not faults:
        return None
    words = "; ".join(faults[:SHOWN_MAX]) + (f"; and {len(faults) - SHOWN_MAX} more" if faults[SHOWN_MAX:] else "")
    mine = f" (its files: {', '.join(item.files[:SHOWN_MAX])})" if write == "own" and item.files else ""
    return f"{words}{mine}: take that change back, or ask for the path first (widen), and report again"


def _holds_of_others(case: Case, touched: list[Touched]) -> list[Hold]:
    run = case.run.id if case.run else None
    paths = [one.path for one in touched]
    others = in_the_way(paths, case.holds.values(), case.item.id, case.situation.waiters)
    return [hold for hold in others if hold.run != run and not is_landing(hold)]


def _waiting(case: Case, work: Work, touched: list[Touched]) -> Work:
    """A child's work that would come onto another's branch now, or, where others hold a path of it, later: then it
    stays on the child's own branch, and lands by itself once they are done. Nothing is lost, counted or done again."""
    came = [*touched, *(work.lands or [])]
    held = taken_by_others(came, _holds_of_others(case, came))
    if not held:
        return work
    case.set("work_waits", {"why": "; ".join(dict.fromkeys(held[:SHOWN_MAX])), "commit": work.commit})
    return replace(work, onto=None, merged=None, lands=None)


def _dropped(case: Case, said: Report, fault: str | None, work: Work) -> Judged:
    """Whoever only reads loses the files, never its word: a test run that wrote `go.sum` says nothing about the tests.
    What was dropped is named, and stays under the run's own ref."""
    assert case.run is not None
    paths = [one.path for one in work.touched]
    files = max(work.files, len(paths))
    if not files and work.aside is None:
        return Judged(said, fault, replace(work, commit=None, merged=None), False)
    named = paths[:DROPPED_MAX] + ([f"and {files - DROPPED_MAX} more"] if files > DROPPED_MAX else [])
    named = named if paths else [f"what was put in {work.aside}" if work.aside else f"{files} files"]
    context = {"paths": named, "files": files, "commit": work.commit}
    case.set("work_dropped", context, dropped={case.run.agent: named})
    kept = replace(work, touched=work.touched[:TOUCHED_MAX], merged=None, onto=None, lands=None, dropped=True)
    return Judged(said, fault, kept, False)


def too_much(work: Work, limits: Limits) -> list[str]:
    """Why a change cannot be judged at all: it is larger than the flow allows, or nobody could look at all of it."""
    files = max(work.files, len(work.touched))
    faults = []
    if files > limits.change_files:
        most = limits.change_files
        faults.append(f"it changed {files} files, {files - most} more than `change_files` allows ({most})")
    if work.bytes > limits.change_bytes:
        most = limits.change_bytes
        faults.append(f"it changed {work.bytes} bytes, {work.bytes - most} more than `change_bytes` allows ({most})")
    if not faults and work.aside is None and files > len(work.touched):
        faults.append(f"it changed {files} files, and a report can name only the first {len(work.touched)}")
    if not faults and work.aside is not None:
        faults.append(work.why or "it could not be taken in")
    if faults and work.aside is not None:
        faults[-1] += f"; what it left is in {work.aside}"
    return faults


def may_leave(work: Work, flow: Flow) -> bool:
    """May the change be kept where other machines find it? Not what no run may change, nor what holds a secret."""
    touched = [*work.touched, *(work.lands or [])]
    return not (too_much(work, flow.limits) or leaked(work, flow) or any(map(danger, touched)))


def leaked(work: Work, flow: Flow) -> list[str]:
    """Where a change holds secrets, in words. A value that the run was given is one wherever it stands."""
    faults = []
    for one in work.secrets:
        if one.name:
            faults.append(f"{_place(one)} holds the value of {one.name}")
        elif not one.path:
            faults.append("more places than can be listed look like secrets")
        elif outside([one.path], flow.secrets.allow):
            faults.append(f"{_place(one)} holds what looks like a token or a key")
    return faults


def _place(secret: Secret) -> str:
    return f"{secret.path}:{secret.line}" if secret.line else f"the name {secret.path}"


def ask_about_secrets(case: Case, words: str) -> None:
    """Nothing of it lands by itself: a person says how it goes on."""
    ask(
        case,
        "decision",
        f"A secret was about to land: {words}. Nothing of the change is taken.",
        Way("let it be made again, without", "again"),
        Way("abort", "cancel"),
        help="What only looks like a secret may land once its path is under `secrets.allow` in the flow.",
    )


def _refused(case: Case, said: Report, fault: str | None, work: Work, faults: list[str]) -> Judged:
    """Nothing of the change is taken. It stays aside, under the run's own ref or in a folder."""
    words = "; ".join(faults[:SHOWN_MAX]) + (f"; and {len(faults) - SHOWN_MAX} more" if faults[SHOWN_MAX:] else "")
    write = may_write(case.flow, case.item, case.run.agent) if case.run else ""
    case.set("work_refused", {"why": words, "commit": work.commit, "write": write})
    # The row lists the first paths, and always says how many there were: the refusal is explained by what is kept.
    work = replace(work, merged=None, touched=work.touched[:TOUCHED_MAX], files=max(work.files, len(work.touched)))
    if fault is None and said.outcome in STANDS:
        return Judged(replace(said, files=files_of(work)), None, work, False)
    work = replace(work, unfit=True)
    refused = overruled(said, f"the change was not taken: {words}", "conflict")
    placed = [replace(remark, resolution=None, status=None) for remark in said.comments]
    return Judged(replace(refused, files=files_of(work), comments=placed), None, work, False)


def overruled(said: Report, words: str, cause: Cause) -> Report:
    """The board found something else than the agent said: that decides, and the agent's own words stay beside it.

    What it found and learnt, what is left and what it asks goes on; what it says to have finished does not act. What a
    person must see is seen, whatever became of the change (R-10).
    """
    own = {name: to_builtins(value) for name in NOT_FINISHED if (value := getattr(said, name))}
    own |= {"comments": signed} if (signed := [to_builtins(one) for one in said.comments if one.author]) else {}
    plain = [Remark(content=o.content, artifact=o.artifact, target=o.target) for o in said.comments if not o.author]
    security = said.escalation_reason if is_security(said.escalation_reason) else None
    security = security or (said.reason if is_security(said.reason) else None)
    return replace(
        said,
        outcome="failed",
        cause=cause,
        summary=words,
        comments=plain,
        reason=None,
        escalation_reason=security,
        tests=None,
        artifacts=[],
        tasks=[],
        contracts=[],
        delegate=[],
        extra={**said.extra, "said": own},
    )


def is_own_word(run: Run | None) -> bool:
    """Is it the agent that says how it ended, and not whoever looked at its change?"""
    return run is None or run.work is None or not run.work.unfit


def files_of(work: Work) -> Files:
    created = [one.path for one in work.touched if one.how == "created"]
    return Files(created=created, modified=[one.path for one in work.touched if one.how != "created"])


def keeps(said: Report, fault: str | None) -> bool:
    """Does the next run go on from this change? A failed approach is kept aside instead, under the run's own ref."""
    return fault is not None or said.outcome != "failed" or said.cause in ("size", "protocol")


def keep(case: Case, work: Work) -> dict[str, Any]:
    """What changes on the item whose run's change is taken."""
    item, run = case.item, case.run
    assert run is not None
    if work.commit is None:
        return {}
    changed = with_paths(item.changed, (one.path for one in work.touched))
    fields: dict[str, Any] = {"head": work.commit, "changed": changed, **lines(item, work), **not_begun(item)}
    fields |= carried(case.flow, item, work.commit)
    if may_write(case.flow, item, run.agent) == "new_tests":
        fields["new_tests"] = list(dict.fromkeys([*item.new_tests, *(t.path for t in work.touched)]))[:TOUCHED_MAX]
    return fields


def lines(item: Item, more: Work | KeepWork) -> dict[str, int]:
    """How many lines came and went by all that the item has taken, with this too."""
    if not (more.added or more.removed):
        return {}
    return {"lines_added": item.lines_added + more.added, "lines_removed": item.lines_removed + more.removed}


def partial_work(case: Case, work: Work | None) -> tuple[Work | None, dict[str, Any]]:
    """What a run had made that ends before its report: kept, if it may make it at all."""
    if work is None:
        return None, {}
    judged = judge_work(case, Report(outcome="incomplete"), None, work)
    return judged.work, keep(case, judged.work) if judged.taken and judged.work else {}


def not_begun(item: Item) -> dict[str, Any]:
    """The work is another now: a move of a branch that was begun with it is about something else."""
    return {"landing": None} if item.landing is not None else {}


def _moved(item: Item, at: str | None) -> Refused:
    """What an item that it sent for has brought meanwhile is not overwritten: whoever looked at the files merges."""
    words = "the branch of item {item} is at {head}, not at {at}"
    hint = "merge with what is there now, and report again"
    return Refused("branch_moved", words, hint, item.id, item.head or "its start", at or "its start")


def hand_over(case: Case, parent: Item, work: Work) -> dict[str, Any]:
    """A child is done: its work, merged with its parent's, becomes its parent's, if that is where it was merged."""
    if work.merged is None or parent.head != work.onto:
        raise _moved(parent, work.onto)
    came = work.touched if work.lands is None else work.lands
    paths = with_paths(case.item.changed, (one.path for one in came))
    item = case.item
    added, removed = item.lines_added + work.added, item.lines_removed + work.removed
    case.tell(parent.id, KeepWork(child=item.id, commit=work.merged, changed=paths, added=added, removed=removed))
    landed: dict[str, Any] = {"head": None, "landed": work.merged, "landed_on": f"item {parent.id}", "changed": []}
    return {**landed, **lines(item, work), **not_begun(item)}


def keep_child_work(case: Case, command: KeepWork) -> None:
    context = {"commit": command.commit, "child": command.child}
    changed = with_paths(case.item.changed, command.changed)
    seen = carried(case.flow, case.item, command.commit) if command.child in case.item.made else {}
    case.set(
        "work_kept",
        context,
        head=command.commit,
        changed=changed,
        **lines(case.item, command),
        **not_begun(case.item),
        **seen,
    )


def with_paths(changed: list[str], more: Iterable[str]) -> list[str]:
    return list(dict.fromkeys([*changed, *more]))[:TOUCHED_MAX]
