"""What `moot init` makes in a folder before the store: the flow and its prompts, fitted to what is there."""

import os

from folkmoot.errors import Invalid, Unavailable
from folkmoot.store.sqlite.create import sync_folders
from folkmoot.store.sqlite.store import SqliteStore
from folkmoot.wiring.files.flow_files import FLOW
from folkmoot.wiring.files.locating import FOLDER, OWN
from folkmoot.wiring.reading import shown, write_new

# The flow and its prompts may well be shared; what the board remembers and works with is its own.
IGNORED = "".join(f"{name}\n" for name in OWN)


def make_files(folder: str, home: str, preset: str | None, gate: str | None) -> list[str]:
    """What is there already is kept. Without a preset the board has its flow elsewhere. Tells what others can read."""
    from folkmoot.flows.preset import read_preset
    from folkmoot.wiring.trust import check_files, make_private

    check_files(home, [])
    files = {**(read_preset(preset) if preset is not None else {}), ".gitignore": IGNORED}
    if preset is not None and not os.path.exists(os.path.join(home, FLOW)):
        files[FLOW] = _fitted(files[FLOW], folder, gate)
    try:
        os.makedirs(home, mode=0o700, exist_ok=True)
        for name, text in files.items():
            write_new(os.path.join(home, name), text)
        for name in {os.path.dirname(name) for name in files}:
            sync_folders(os.path.join(home, name, FLOW))
        return make_private(home)
    except OSError as error:
        words = "{folder} cannot be made: {why}"
        hint = "choose a folder that is yours"
        raise Unavailable("cannot_write", words, hint, shown(home), error.strerror) from error


def is_unfinished(path: str) -> bool:
    """Whether it is the store of an init that was killed before it took in a flow; there is nothing on it yet."""
    store = SqliteStore.open(path)
    try:
        return store.read(lambda reading: reading.head()).flow_version == 0
    finally:
        store.close()


def _fitted(flow: str, folder: str, gate: str | None) -> str:
    """A preset with the clients installed here, the branch that is checked out, and the project's own check."""
    from folkmoot.wiring.files.found_gate import found_gate
    from folkmoot.wiring.trust import Outside
    from folkmoot.worker.clients.catalogue import Catalogue
    from folkmoot.worker.clients.suggest import fitted, own_gate, takes_gate
    from folkmoot.worker.git.places import current_branch

    own = own_gate(flow)
    if gate and own is None and not takes_gate(flow):
        words = "the preset has no place for the gate {gate!r}"
        hint = "make the board without it, write it into .moot/flow.yaml, under `gates`, then: <apply>"
        raise Invalid("bad_usage", words, hint, gate[:80])
    if gate == "" and own is not None:
        words = "the work of this preset is proved by its own gate {name}, and cannot go without one"
        raise Invalid("bad_usage", words, "leave --no-gate out, or name its command: --gate COMMAND", own)
    found = found_gate(folder) if gate is None and own is None else None
    command, setup = (found.command, found.setup) if found else (gate, None)
    clients = Catalogue.load().find(Outside(os.path.join(folder, FOLDER)))
    return fitted(flow, clients, current_branch(folder), command, setup)
