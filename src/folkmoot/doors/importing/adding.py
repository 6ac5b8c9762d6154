"""Brings what was found onto the board: each once, in an order in which nothing names what is not there yet."""

import os
from collections.abc import Callable

from msgspec import UNSET

from folkmoot.api.call import Ask
from folkmoot.api.pages import AddedItems
from folkmoot.api.requests import Add, ListItems
from folkmoot.api.views import ItemSummary, ItemView
from folkmoot.doors.importing.backlog import read_backlog
from folkmoot.doors.importing.beads import read_beads
from folkmoot.doors.importing.files import Files
from folkmoot.doors.importing.found import Found, Thing, bad
from folkmoot.doors.importing.links import Links
from folkmoot.doors.importing.task_master import read_task_master
from folkmoot.errors import Invalid, MootError, Refused

READERS: dict[str, Callable[[str, str], Found]] = {"beads": read_beads, "task-master": read_task_master}
TOOLS = ("backlog", *READERS)
USUAL_FILES = {  # in a folder that is named
    "beads": ("issues.jsonl", "beads.jsonl", ".beads/issues.jsonl", ".beads/beads.jsonl"),
    "task-master": ("tasks.json", "tasks/tasks.json", ".taskmaster/tasks/tasks.json"),
}


def named(source: str) -> tuple[str, str] | None:
    """The tool and the path, if a source names a tool: `beads:PATH`. A file may be called so too: then it is that."""
    tool, colon, path = source.partition(":")
    if colon and tool in TOOLS and not os.path.exists(source):
        return tool, path or os.curdir
    if colon and tool.replace("-", "").isalnum() and not os.path.exists(source):
        words = "{source} cannot be read: of {tool} no list is known, and there is no such file"
        hint = (
            "known are {known}, github:OWNER/NAME#12, gitlab:GROUP/NAME#12; or name a file with a YAML list, "
            "JSON lines or a Markdown list"
        )
        raise Invalid("unreadable_file", words, hint, source, tool, known=", ".join(TOOLS))
    return ("backlog", source) if os.path.isdir(source) else None


def read(tool: str, path: str) -> Found:
    if tool == "backlog":
        if not os.path.isdir(path):
            raise bad(path, "there is no such folder")
        found = read_backlog(path, path)
    else:
        file, files = path, Files(path)
        if os.path.isdir(path):
            places = [os.path.join(path, name) for name in USUAL_FILES[tool]]
            file, files = next((place for place in places if os.path.lexists(place)), places[0]), Files(path, path)
        found = READERS[tool](files.text(file), file)
    if not found.things:
        raise bad(path, "it lists no tasks")
    return found


def add_found(ask: Ask, found: Found, *, start: bool, column: str | None = None) -> AddedItems:
    """Nothing begins by itself but with `start`. What is here already, by its tag, is not added again."""
    ordered = in_order(found)
    known: dict[str, str] = {}
    over: set[str] = set()  # those of them that nothing waits for any more
    views: list[ItemView] = []
    here: list[str] = []
    for thing in ordered:
        mark = f"{found.tool}:{thing.id}"[:200]
        item = _item(ask, mark)
        if item is None:
            waits = any(known[need] not in over for need in thing.after)
            try:
                view = ask(_request(thing, mark, known, column, parked=not start and not waits), f"import {mark}")
            except Refused as error:
                item = _item(ask, mark) if error.code in ("key_reused", "key_taken") else None
                if item is None:
                    raise _told(error, thing, found, views) from error
            except MootError as error:
                raise _told(error, thing, found, views) from error
            else:
                views.append(view)
                known[thing.id] = view.id
        if item is not None:
            here.append(item.id)
            known[thing.id] = item.id
            over |= {item.id} if item.status == "done" else set()
    told = [f"{what} ({times})" if times > 1 else what for what, times in sorted(found.left.items())]
    return AddedItems(items=views, known=here, left_out=told)


def _item(ask: Ask, mark: str) -> ItemSummary | None:
    items = ask(ListItems(tag=mark)).items
    return items[0] if items else None


def _request(thing: Thing, mark: str, known: dict[str, str], column: str | None, *, parked: bool) -> Add:
    return Add(
        title=thing.title,
        body=thing.body,
        column=column,
        type=thing.type,
        priority=thing.priority,
        tags=list(dict.fromkeys([mark, *(tag[:200] for tag in thing.tags)])),
        after=[known[need] for need in dict.fromkeys(thing.after)],
        parent=known[thing.parent] if thing.parent else None,
        issue=thing.issue,
        # What comes after others that are still to be done waits for these; all else waits for a person.
        parked=True if parked else UNSET,
    )


def _told(error: MootError, thing: Thing, found: Found, views: list[ItemView]) -> MootError:
    before = ", ".join(f"#{view.id}" for view in views) or "none"
    error.message = f"{thing.id} of {found.source}: {error.message}; added before it: {before}"
    return error


def in_order(found: Found) -> list[Thing]:
    """What is to be added, each after what it names. What is done is left out, and nothing waits for it."""
    by_id: dict[str, Thing] = {}
    for thing in found.things:
        if thing.id in by_id:
            raise bad(found.source, f"the id {thing.id[:80]!r} stands twice")
        by_id[thing.id] = thing
    open_ones = {name: thing for name, thing in by_id.items() if not thing.is_done}
    if done := len(by_id) - len(open_ones):
        found.left["done or given up there already"] += done
    for thing in open_ones.values():
        if thing.status in ("in-progress", "hooked", "review"):
            found.left[f"that it is {thing.status}: it begins anew"] += 1
        thing.parent = _known(found, thing.parent, by_id, open_ones, "a parent")
        needs = [_known(found, need, by_id, open_ones, "something to wait for") for need in thing.after]
        thing.after = [need for need in needs if need is not None and need != thing.id]
    return _sorted(found, open_ones)


def _known(
    found: Found, name: str | None, by_id: dict[str, Thing], open_ones: dict[str, Thing], what: str
) -> str | None:
    if name is None or name in open_ones:
        return name
    if name not in by_id:
        found.left[f"{what} that is not in the list: {name[:80]}"] += 1
    elif what == "a parent":
        found.left[f"{what} that is done: {name[:80]}"] += 1
    return None


def _sorted(found: Found, things: dict[str, Thing]) -> list[Thing]:
    """In the order of the list, but for what must come first. A whole waits for its parts: a link that would let two
    wait for each other is left out, and named."""
    links = Links(things)
    for thing in things.values():
        if thing.parent is not None and not links.add(thing.parent, thing.id):
            found.left[f"that {thing.id} is a part of {thing.parent}: they would wait for each other"] += 1
            thing.parent = None
    for thing in things.values():
        named_once, thing.after = list(dict.fromkeys(thing.after)), []
        for need in named_once:
            if links.add(thing.id, need):
                thing.after.append(need)
            else:
                found.left[f"that {thing.id} waits for {need}: they would wait for each other"] += 1
    needs = {one.id: {*one.after, *([one.parent] if one.parent else [])} for one in things.values()}
    named_by: dict[str, list[str]] = {name: [] for name in things}
    for name, wanted in needs.items():
        for need in wanted:
            named_by[need].append(name)
    ordered: dict[str, Thing] = {}
    left = list(things.values())
    while left:
        ready = [one for one in left if not needs[one.id]]
        if not ready:  # a part comes after something that waits for its whole: it is added without
            one = left[0]
            found.left[f"what {one.id} waits for: it is named before it can be added"] += 1
            one.after, ready = [need for need in one.after if need in ordered], [one]
            one.parent = one.parent if one.parent in ordered else None
        ordered |= {one.id: one for one in ready}
        for one in ready:
            for other in named_by[one.id]:
                needs[other].discard(one.id)
        left = [one for one in left if one.id not in ordered]
    return list(ordered.values())
