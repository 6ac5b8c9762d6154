"""A person's hands on the board: add, move, edit, cancel, reopen, comment."""

from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from folkmoot.core import order
from folkmoot.core.commands import AddComment, AddItem, AskPerson, CancelItem, EditItem, MoveItem, ReopenItem
from folkmoot.core.enums import ENDED, ONE_SHOT_KINDS, PRIORITIES, TYPES
from folkmoot.core.flow import END
from folkmoot.core.item import Item
from folkmoot.core.records import PUT_ASIDE, Option
from folkmoot.core.rules.answers import give_up, reset_counters
from folkmoot.core.rules.breaker import artifact_of, decided_by, leave_undecided, thread_of
from folkmoot.core.rules.children.counting import count_made, count_said, refuse_excess
from folkmoot.core.rules.children.making import look_at_generation
from folkmoot.core.rules.claims import fence, revoke, stale
from folkmoot.core.rules.dependencies import ask_about_cancelled, check_parent, drop_dependency, unfinished
from folkmoot.core.rules.disputes import close
from folkmoot.core.rules.judging.required import begins_at, unproved, waive
from folkmoot.core.rules.movement import abandon, again, enter, leaves_children, origins_for, without_parts
from folkmoot.core.rules.questions import ask, clarify, withdraw
from folkmoot.core.rules.running.hearing import say_comment
from folkmoot.core.rules.running.joining import good_labels
from folkmoot.core.rules.running.looking import shown
from folkmoot.core.rules.running.tracking import tracked
from folkmoot.core.rules.sharing.paths import good_files
from folkmoot.core.rules.sharing.widening import beyond, handed_on
from folkmoot.core.situation import Case, origin_of
from folkmoot.core.vocabulary.ways import NOT_NOW, Way
from folkmoot.errors import Invalid, Refused, unknown_column

TITLE_MAX = 500
TAG_MAX = 200
LIST_MAX = 1000


def add(case: Case, command: AddItem) -> None:
    flow, situation = case.flow, case.situation
    if not case.actor.is_person and situation.maker is None:
        raise stale(case.actor, "it has ended")
    column = command.column or flow.start
    known_column(case, column)
    if column == END:
        words, known = "an item cannot begin in {column}", list(flow.columns)
        raise Refused("not_a_start", words, "leave <.column> out, or name one of {known}", column, known)
    if situation.maker is not None:
        if situation.maker.kind == "expert":  # it cannot ask for more than it was given
            words = "an expert makes no work for others"
            hint = "say in the report what should be done, and whoever asked decides"
            raise Refused("bound", words, hint, item=situation.maker.id, kind=situation.maker.kind)
        _check_stage(case, situation.maker, column)
        refuse_excess(case, situation.maker)
        _check_reach(case, situation.maker, command.files)
        _check_family(situation.maker, command.parent)
    _check_fields(command)
    waits_for = unfinished(case, command.after)
    check_parent(case, command.parent, command.after)
    generation = situation.maker.generation + 1 if situation.maker else 0
    files, widened = good_files(command.files), list[str]()
    if situation.maker is not None:
        files, widened = handed_on(situation.maker, files)
    fields = {
        "title": command.title.strip(),
        "body": command.body,
        "column": column,
        "entry": column if situation.maker is None and column != flow.start else None,
        "type": command.type,
        "priority": command.priority,
        "tags": command.tags,
        "files": files,
        "needs": good_labels(command.needs),
        "after": command.after,
        "parent": command.parent,
        "generation": generation,
        "waits_for": waits_for,
        "status": "waiting" if waits_for else "ready",
        "ready_at": case.now,
        "because": f"{case.actor.name} added it",
        "created_at": situation.at,
    }
    fields |= tracked(case, command.issue, command.title.strip(), command.body)
    rows: dict[str, Any] = {}
    if widened:
        fields["widened"] = widened
    if situation.maker is not None:
        fields["origin"] = origin_of(situation.maker)
        rows["meters"] = count_made(case, situation.maker, 1, generation)
    case.emit("item_added", {"title": fields["title"], "column": column}, item=fields, **rows)
    look_at_generation(case)
    if command.parked is True and case.item.status not in (*ENDED, "parked"):
        told = f"the item: {case.item.title}"
        ask(case, "decision", PUT_ASIDE, Way("let it be worked on", "again", says="yes"), NOT_NOW, context=told)
        case.set("item_parked", {"why": f"{case.actor.name} put it aside"}, status="parked")


def _check_stage(case: Case, maker: Item, column: str) -> None:
    """A run adds items where they pass every gate that its own item has yet to pass: else it could go round one."""
    stages = case.flow.stages()
    own = order.stage(case.flow, maker)
    if column == case.flow.start or (column in stages and own in stages and stages.index(column) <= stages.index(own)):
        return
    words = "a run on item {maker}, in {own}, cannot add an item to {column}"
    hint = "leave <.column> out, or name a stage that comes no later than its own"
    raise Refused("past_its_stage", words, hint, maker.id, own, column)


def _check_reach(case: Case, maker: Item, files: list[str]) -> None:
    """What a run would have to ask for, it does not get by adding an item for it."""
    far = beyond(case.flow, maker.files, files)
    if far:
        words = "a run on item {maker} cannot give {paths} to an item"
        hint = "ask for them first: <widen paths>; or say in the report what is needed"
        raise Refused("may_not_widen", words, hint, maker.id, far[:5])


def _check_family(maker: Item, parent: str | None) -> None:
    """A parent waits for its children: a run lets only its own item wait, or the one that waits for that anyway."""
    if parent in (None, maker.id, maker.parent):
        return
    words = "a run on item {maker} cannot add a child to item {parent}: that one would wait for it"
    hint = "name {maker}, or leave <.parent> out; <.after> lets the new item wait"
    raise Refused("not_its_item", words, hint, maker.id, parent)


def _check_fields(command: AddItem | EditItem) -> None:
    title = command.title
    if title is not UNSET and not (title.strip() and len(title) <= TITLE_MAX):
        raise Invalid("bad_title", "a title has 1 to {limit} characters", "put the details into <.body>", TITLE_MAX)
    if title is not UNSET and title.strip() == "-":
        hint = "what is read from standard input goes into <.body> - or <.from> -"
        raise Invalid("bad_title", "{title!r} is no title", hint, title.strip())
    if command.priority is not UNSET and command.priority not in PRIORITIES:
        words = "{priority!r} is no priority"
        raise Invalid("bad_priority", words, "use one of {known}", command.priority, list(PRIORITIES))
    if command.type is not UNSET and command.type not in TYPES:
        raise Invalid("bad_type", "{type!r} is no type", "use one of {known}", command.type, list(TYPES))
    for name, values in (("tags", command.tags), ("files", command.files), ("after", command.after)):
        if values is not UNSET and len(values) > LIST_MAX:
            raise Invalid("too_many", "{count} {name} are too many", "at most {limit}", len(values), name, LIST_MAX)
    if command.tags is not UNSET and any(len(tag) > TAG_MAX for tag in command.tags):
        # Every list of the board shows them.
        raise Invalid("bad_tag", "a tag has at most {limit} characters", "put the details into <.body>", TAG_MAX)


def known_column(case: Case, column: str) -> None:
    if column not in case.flow.columns:
        raise unknown_column(column, case.flow.columns)


def take_in_hand(case: Case, why: str, target: str | None) -> None:
    """What a person's move ends: the run, the questions, the disputes; and it is guidance. `target` is where it goes if
    the person has said only that: who is right is not guessed from words."""
    revoke(case, why)
    given_up = [q.dependency for q in case.questions.values() if q.state == "open" and q.dependency]
    withdraw(case, why)
    for need in given_up:
        drop_dependency(case, need)
    for dispute in case.item.disputes:
        way = decided_by(dispute, target)
        if way is None:
            leave_undecided(case, dispute.thread)
        else:
            close(case, dispute.thread, way)
    reset_counters(case, why)


def check_moves(case: Case) -> None:
    if case.item.status in ENDED:
        raise Refused("item_ended", "item {item} is {status}", "<reopen item>", case.item.id, case.item.status)
    if case.item.kind in ONE_SHOT_KINDS:
        words = "item {item} is of kind {kind}: it never moves"
        raise Refused("bound", words, "move its parent", case.item.id, case.item.kind)


def move(case: Case, command: MoveItem) -> None:
    known_column(case, command.column)
    check_moves(case)
    origins = origins_for(case, command.column)
    why = command.why or f"{case.actor.name} moved it"
    take_in_hand(case, why, None if command.why else command.column)
    left = abandon(case, why) if leaves_children(case, "") else {"join": None}
    left |= without_parts(case.item)
    count = case.item.clarifications + 1
    because = _in_quotes(case, command.why) or why
    told: dict[str, Any] = {
        "context": {"why": why},
        "origins": origins,
        "returns_to": None,
        "clarifications": count,
        "proving": None,
    }
    if command.column == END:
        waive(case, unproved(case.flow, case.item, case.item.asker is None), why)
        told |= {"marked": None, **shown(case.item)}  # a person may land it as it is
    enter(case, command.column, because, **told, **left, **begins_at(case, command.column))


def _in_quotes(case: Case, words: str) -> str:
    """A person's own words, as a part of a sentence of ours."""
    return f"{case.actor.name} said “{words}”" if words else ""


def cancel(case: Case, command: CancelItem) -> None:
    if case.item.status in ENDED:
        words = "item {item} is {status} already"
        raise Refused("item_ended", words, "there is nothing to cancel", case.item.id, case.item.status)
    why = command.why or f"{case.actor.name} cancelled it"
    give_up(case, why)


def reopen(case: Case, command: ReopenItem) -> None:
    """Back to the stage that made the work; a person's word, so it is guidance."""
    item = case.item
    if item.kind in ONE_SHOT_KINDS:
        words = "item {item} is of kind {kind}: it is not reopened"
        raise Refused("bound", words, "reopen its parent", item.id, item.kind)
    if item.status not in ENDED:
        words = "item {item} is {status}"
        raise Refused("item_not_ended", words, "only what is done or cancelled can be reopened", item.id, item.status)
    parent = case.situation.neighbours.get(item.parent or "")
    if parent is not None and parent.status in ENDED:
        words = "its parent {parent} is {status}"
        raise Refused("parent_ended", words, "first: <reopen item=parent>", parent.id, parent.status)
    why = command.why or f"{case.actor.name} reopened it"
    neighbours = case.situation.neighbours
    given_up = [need for need in item.after if neighbours[need].status == "cancelled"]
    needs = dict.fromkeys([*item.after, *case.situation.children])
    waits_for = [need for need in needs if neighbours[need].status not in ENDED or need in given_up]
    case.set(
        "item_reopened",
        {"why": why},
        status="waiting" if waits_for else "ready",
        waits_for=waits_for,
        disputes=[],
        flag=None,
        join=None,
        made={},
        result=None,
        proving=None,
        waived=[],
        waived_at=None,
        **without_parts(item),
    )
    withdraw(case, why)
    reset_counters(case, why)
    target = item.made_by if item.column == END else item.column
    known = target is not None and {target, *item.origins} <= case.flow.columns.keys()
    target, origins = (target, item.origins) if known and target else (case.flow.start, [])
    told: dict[str, Any] = {
        "context": {"why": why},
        "origins": origins,
        "returns_to": None,
        "clarifications": item.clarifications + 1,
    }
    enter(case, target, _in_quotes(case, command.why) or why, **told)
    for need in given_up:
        ask_about_cancelled(case, need)


def edit(case: Case, command: EditItem) -> None:
    _check_fields(command)
    names = ("title", "body", "type", "priority", "tags", "files", "after", "needs")
    changed: dict[str, Any] = {n: getattr(command, n) for n in names if getattr(command, n) is not UNSET}
    if command.overrule is not UNSET:
        _overrule(case, command.overrule)
    if not changed:
        if command.overrule is UNSET:
            fields = list(EditItem.__struct_fields__)
            raise Invalid("nothing_to_edit", "no field was given", "name what to change: {known}", fields)
        return
    if "files" in changed:
        changed["files"] = good_files(changed["files"])
    if "needs" in changed:
        changed["needs"] = good_labels(changed["needs"])
    if "title" in changed:
        changed["title"] = changed["title"].strip()
    context = {"fields": sorted(changed)}
    if "files" in changed and case.item.widened:
        changed["widened"] = []  # what a person names is given
    if "after" not in changed:
        case.set("item_edited", context, **changed)
        return
    neighbours = case.situation.neighbours
    # While the whole is looked at, tasks wait for it: it would wait for itself.
    stopped = {task.id for task in case.situation.tasks if case.item.id in task.waits_for}
    children = [child for child in case.situation.children if neighbours[child].status not in ENDED]
    children = [child for child in children if child not in stopped]
    changed["waits_for"] = list(dict.fromkeys([*unfinished(case, changed["after"]), *children]))
    left = {child: agent for child, agent in case.item.made.items() if child in changed["waits_for"]}
    changed |= {"made": left} if left != case.item.made else {}
    case.set("item_edited", context, **changed)
    for need in [q.dependency for q in case.questions.values() if q.dependency]:
        if need not in changed["waits_for"]:
            withdraw(case, "it waits for others now", dependency=need)
    if case.item.status not in ENDED and case.item.status != "running":
        again(case, "item_rests", {"waits_for": case.item.waits_for})


def _overrule(case: Case, number: int) -> None:
    """Turn round the verdict on an attempt: a person may know better than words (R-06)."""
    attempt = next((a for a in case.attempts if a.number == number), None)
    if attempt is None:
        raise Invalid("unknown_attempt", "item {item} has no attempt {number}", "<show item>", case.item.id, number)
    step = -1 if attempt.counted else 1
    fields: dict[str, Any] = {}
    if attempt.guidance == case.item.clarifications:
        if attempt.forward == case.item.forwards:
            failures = max(0, case.item.failures.get(attempt.agent, 0) + step)
            fields["failures"] = {**case.item.failures, attempt.agent: failures}
        solved = max(0, case.item.span.self_solve_attempts + step)
        fields["span"] = replace(case.item.span, self_solve_attempts=solved)
    row = {"counted": not attempt.counted, "ground": f"{attempt.ground}; overruled by {case.actor.name}"}
    context = {"attempt": number, "counted": not attempt.counted}
    case.emit("attempt_overruled", context, item=fields, attempts=(attempt.id, row))


def comment(case: Case, command: AddComment) -> None:
    """A comment of a person takes effect at once; a run's resolution waits for its report (R-27)."""
    own = case.situation.maker
    if own is not None and own.id != case.item.id:
        words = "run {run} works on item {item}, and comments on that one only, not on {other}"
        hint = "<comment item content>, or name item {other} in the report (summary, next_steps); the run goes on"
        raise Refused("other_item", words, hint, case.actor.run, own.id, case.item.id)
    run = None if case.actor.is_person else fence(case)
    if not command.content.strip():
        raise Invalid("empty_comment", "a comment needs words", "say what it is about", item=case.item.id)
    thread = thread_of(case, command.parent) if command.parent else None
    if command.parent and thread is None:
        words = "item {item} has no comment {parent}"
        raise Invalid("unknown_comment", words, "<comments item>", case.item.id, command.parent)
    if command.resolution and not command.parent:
        raise Invalid("no_parent", "a resolution needs the comment it resolves", "add <.parent>", item=case.item.id)
    disputed = {dispute.thread for dispute in case.item.disputes}
    if command.resolution and not run and thread in disputed:
        words = "{thread} is disputed: its end decides who goes on"
        hint = "to say it to both sides, leave its end out: <comment item content>; to decide: <move item column>"
        if any(one.thread == thread and one.state == "open" for one in case.questions.values()):
            hint = "answer its question (<inbox>), or: <move item column>"
        raise Refused("disputed", words, hint, thread, item=case.item.id)
    comment_id = case.new_comment_id()
    row: dict[str, Any] = {
        "item": case.item.id,
        "author": run.agent if run else case.actor.name,
        "content": command.content,
        "artifact": command.artifact or artifact_of(case, command.parent),
        "target": command.target,
        "parent": command.parent,
        "run": run.id if run else None,
        "proposed": command.resolution if run else None,
        "at": case.situation.at,
    }
    if command.resolution and not run:
        row |= {"status": "resolved", "resolution": command.resolution}
    fields = {"comment_count": case.item.comment_count + 1}
    rows = count_said(case, "comments", command.content, command.artifact, command.target)
    case.emit("comment_added", {"comment": comment_id}, item=fields, comments=(comment_id, row), **rows)
    say_comment(case, command, comment_id)
    if command.resolution and not run and thread:
        close(case, thread, command.resolution)


def ask_person(case: Case, command: AskPerson) -> None:
    """What an agent may not say in its report, it may not say before either."""
    run = fence(case)
    agent = case.flow.agents.get(run.agent)
    if run.gate or agent is None or "ask" not in agent.may or case.item.kind in ONE_SHOT_KINDS:
        words = "{agent} may not ask a person about item {item}"
        raise Refused("may_not_ask", words, "say in the report what is missing", run.agent, case.item.id)
    options = [Option(option=option) for option in command.options]
    counted = count_said(case, "questions", command.question, command.context, *command.options)
    clarify(
        case,
        command.question,
        context=command.context,
        options=options,
        blocking=False,
        counted=counted,
    )
