"""The flow of a board in its files: read, compared with the flow in force, and taken in."""

import os
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from folkmoot.core.commands import ENGINE, Actor
from folkmoot.engine.application import Application
from folkmoot.wiring.files.locating import FOLDER
from folkmoot.wiring.reading import content_of, prompts_below, shown, text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from folkmoot.api.machine import FlowChecked, FlowDifference
    from folkmoot.core.flow import Flow

FLOW = "flow.yaml"
LADDERS = "escalation.yaml"  # beside the flow, or for all boards of a user in the folder below
USER_LADDERS = os.path.join("~", ".oi", "config", LADDERS)


def checked_file(path: str) -> "FlowChecked":
    """Any flow that a file holds, if it has no faults."""
    from folkmoot.api.machine import FlowChecked

    read, warnings = read_flow_file(path)
    return FlowChecked(flow=read.name, path=shown(path), version=None, taken_in=False, warnings=warnings)


def checked_own(
    board: Application,
    home: str,
    moves: dict[str, str] | None,
    unable: "Callable[[Flow], dict[str, str]]",
    actor: Actor = ENGINE,
) -> "FlowChecked":
    """The board's own flow, taken in with `moves`, if only empty ones; without them nothing is changed."""
    from folkmoot.api.machine import FlowChecked
    from folkmoot.engine.reads.blocked import run_by
    from folkmoot.wiring.git_status import look_for_target, uncommitted, unstartable

    ladders = ladder_file(home)
    read, warnings = read_own(home, ladders)
    look_for_target(home, read)
    checksum = checksum_of(home, ladders) or ""
    version, source = board.queries.flow_source()
    changes = list(_differences("", board.queries.flow(), read))
    differs = source != checksum or bool(changes)
    takes_in = moves is not None and (differs or bool(moves))
    if differs or takes_in:
        who = actor if moves else ENGINE
        adopted = board.engine.adopt_flow(who, read, checksum, moves or {}, only_check=not takes_in)
        version = adopted if takes_in else version
    started = run_by(read)
    return FlowChecked(
        flow=read.name,
        path=shown(os.path.join(home, FLOW)),
        version=version,
        taken_in=takes_in,
        changes=changes,
        warnings=[*warnings, *uncommitted(home, read), *unstartable(home, read)],
        ladders=shown(ladders) if ladders else None,
        agents=list(read.agents),
        run=started,
        unable={agent: why for agent, why in unable(read).items() if agent in started},
    )


WRITTEN = {"name": "flow", "notices": "notify"}  # what a key is called in the file


def _differences(key: str, before: Any, after: Any) -> "Iterator[FlowDifference]":
    """What differs between two flows, key by key."""
    from msgspec import Struct, to_builtins
    from msgspec.structs import asdict

    from folkmoot.api.machine import FlowDifference

    one, other = (asdict(side) if isinstance(side, Struct) else side for side in (before, after))
    if isinstance(one, dict) and isinstance(other, dict):
        for name in {**one, **other}:
            place = f"{key}.{name}" if key else WRITTEN.get(name, name)
            yield from _differences(place, one.get(name), other.get(name))
    elif before != after:
        yield FlowDifference(key=key, before=to_builtins(before), after=to_builtins(after))


def flow_changed(home: str, application: Application) -> list[str]:
    ladders = ladder_file(home)
    checksum = checksum_of(home, ladders)
    # The flow in force is in the store; its file may well be gone.
    version, source = application.queries.flow_source()
    if checksum is None or checksum == source:
        return []
    path = shown(os.path.join(home, FLOW))
    what = f"{path} was" if ladders is None else f"{path} or {shown(ladders)} was"
    return [f"{what} changed since version {version} was taken in; take it in: moot apply"]


def ladder_file(home: str) -> str | None:
    """The file whose ladders take the place of the flow's own: the board's, else the user's, else none (K-15)."""
    for path in (os.path.join(home, LADDERS), os.path.expanduser(USER_LADDERS)):
        if os.path.isfile(path):
            return path
    return None


def ladder_notes(ladders: str | None) -> list[str]:
    return [f"the ladders of {shown(ladders)} are used in place of the flow's own"] if ladders else []


def read_own(home: str, ladders: str | None) -> "tuple[Flow, list[str]]":
    """The board's own flow, if nothing of what it says can be changed by what lands."""
    from folkmoot.wiring.trust import check_files, check_flow

    path = os.path.join(home, FLOW)
    check_files(home, [path, *([ladders] if ladders else [])])
    # A folder that joined a board on a server has none, and neither has one that was made from a log.
    hint = "copy flow.yaml and its prompts from the folder where the board was made; until then the flow in force holds"
    flow, warnings = read_flow_file(path, ladders, hint)
    check_flow(home, flow)
    return flow, warnings


def read_flow_file(
    path: str, ladders: str | None = None, hint: str = "name a flow file: moot check FILE"
) -> "tuple[Flow, list[str]]":
    """The flow in a file, with the ladders of another in place of its own, and what its author should know."""
    from folkmoot.flows.faults import FlowFaults
    from folkmoot.flows.load import read_flow

    text = text_of(path, "unreadable_flow", hint)
    rungs = None
    if ladders is not None:
        from folkmoot.flows.ladder_file import check_ladder_file, read_ladder_file

        steps = text_of(ladders, "unreadable_ladders", "mend the file, or remove it")
        rungs = read_ladder_file(steps, shown(ladders))
    from folkmoot.worker.clients.catalogue import Catalogue

    known = list(Catalogue.load().clients)
    try:
        read = read_flow(text, shown(path), prompts_below(os.path.dirname(path)), rungs, known)
    except FlowFaults as faults:
        if os.path.basename(os.path.dirname(os.path.abspath(path))) != FOLDER:  # no board's own: it must be named
            faults.remedy = "repair {file}, then look again with `<check flow=file>`"
        raise
    noted = check_ladder_file(steps, shown(ladders), read.flow) if ladders is not None else []
    return read.flow, [*read.warnings, *noted]


def checksum_of(home: str, ladders: str | None) -> str | None:
    """Of all that the board's flow is read from but its prompts; None if that is not there."""
    summed = sha256()
    try:
        for path in (os.path.join(home, FLOW), *([ladders] if ladders else [])):
            summed.update(content_of(path))
    except (OSError, ValueError):
        return None
    return summed.hexdigest()
