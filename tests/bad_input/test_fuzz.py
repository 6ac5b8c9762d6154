"""Whatever goes in, an answer comes out: no traceback, an error by name, nothing changed by a refusal, a sound board.

A seed stands for a batch: what falls out is told with it, and `MOOT_FUZZ_SEED` plays that batch alone.
"""

import os
from collections.abc import Callable
from pathlib import Path
from random import Random

import msgspec
import pytest

from folkmoot import Board
from folkmoot.api.errors import ERRORS
from folkmoot.core.commands import Actor
from folkmoot.core.enums import OUTCOMES
from folkmoot.errors import Invalid, MootError
from folkmoot.flows.load import load_flow
from folkmoot.sim.population.read import population_from
from folkmoot.testing.builders import preset_flow
from folkmoot.wiring.boards import FileBoards
from folkmoot.worker.relay import Relay
from tests.bad_input import hostile
from tests.bad_input.yard import NOTHING, Yard, checked_words, clean, refusal
from tests.reports.test_hostile import heard

# How many of each kind are a batch: reading YAML takes the longest.
BATCH = {
    "lines": 20,
    "reports": 80,
    "flows": 10,
    "messages": 25,
    "item_files": 20,
    "requests": 40,
    "calls": 30,
    "populations": 5,
}
SHORT = 56  # batches: 1,610 inputs
LONG = 3_600  # batches: a little more than 100,000
PERSON = Actor("ada")


def lines(yard: Yard, chance: Random) -> None:
    for _ in range(BATCH["lines"]):
        arguments, stdin = hostile.command_line(chance)
        _say(yard, chance, arguments, stdin)


def _say(yard: Yard, chance: Random, arguments: list[str], stdin: bytes) -> None:
    before = yard.state()
    as_json = chance.random() < 0.6
    heard = yard.moot(arguments[0], *(["--json"] if as_json else []), *arguments[1:], stdin=stdin)
    told = (arguments, stdin, heard)
    assert heard.exit in range(5), told
    assert b"Traceback" not in heard.err and clean(heard.err), told
    if as_json and "--" not in arguments[:1]:
        refusal(heard)
    elif heard.exit:
        assert b"moot: " in heard.err or b'"error"' in heard.err, told
    if not as_json and "--json" not in arguments and "--document" not in arguments:
        assert clean(heard.out), told
    # A report that breaks the form, or cannot be read, is refused while its run lives, and what it said is kept.
    kept = (b"the report was not accepted", b"the report cannot be read")
    if heard.exit and not any(words in heard.err for words in kept):
        assert yard.after(before) == NOTHING, told


def reports(yard: Yard, chance: Random) -> None:
    for number in range(BATCH["reports"]):
        text = hostile.report(chance)
        report = heard(text)
        assert report is None or report.outcome in OUTCOMES
        if number % 20 == 0:
            _say(yard, chance, ["report", "RUN", "--token", "1", "-"], text.encode("utf-8", "surrogatepass"))


def flows(yard: Yard, chance: Random) -> None:
    board = FileBoards().open(str(yard.folder))
    try:
        for _ in range(BATCH["flows"]):
            text = hostile.flow(chance)
            try:
                flow = load_flow(text, "f.yaml", lambda name: "A prompt.", None, ["claude-code", "codex"])
                board.engine.adopt_flow(PERSON, flow, "x")
            except MootError as error:
                checked_words(error.as_json()["error"])
    finally:
        board.close()


def messages(yard: Yard, chance: Random) -> None:
    for _ in range(BATCH["messages"]):
        _say(yard, chance, ["send", "-"], hostile.envelope(chance).encode("utf-8", "surrogatepass"))


def item_files(yard: Yard, chance: Random) -> None:
    for _ in range(BATCH["item_files"]):
        name, text = hostile.item_file(chance)
        _say(yard, chance, ["add", "--from", yard.give(name, text.encode("utf-8", "surrogatepass"))], b"")


def requests(yard: Yard, chance: Random) -> None:
    board = FileBoards().open(str(yard.folder))
    try:
        for _ in range(BATCH["requests"]):
            data, before = hostile.request(chance), yard.state()
            reply = msgspec.json.decode(Relay(board, Actor("dev-agent", yard.run, 1)).answer(data))
            if "error" in reply:
                checked_words(reply["error"])
                assert reply["error"]["code"] in ERRORS and yard.after(before) == NOTHING, (data, reply)
    finally:
        board.close()


def calls(yard: Yard, chance: Random) -> None:
    """The Python door, with values of any kind: what Python itself refuses has changed nothing either."""
    Board.boards = FileBoards()
    with Board.open(str(yard.folder)) as board:
        for _ in range(BATCH["calls"]):
            name, values, options = hostile.call(chance)
            before = yard.state()
            try:
                getattr(board, name)(*values, **options)
            except MootError as error:
                checked_words(error.as_json()["error"])
            except (TypeError, AttributeError):
                pass  # a value for which the method has no meaning at all, such as a number for an id
            else:
                continue
            assert yard.after(before) == NOTHING, (name, values, options)


def populations(yard: Yard, chance: Random) -> None:
    flow = preset_flow("kanban")
    for _ in range(BATCH["populations"]):
        try:
            population_from(hostile.population(chance), "p.yaml", flow)
        except Invalid as error:
            checked_words(error.as_json()["error"])


KINDS_OF_INPUT: list[Callable[[Yard, Random], None]] = [
    *(lines, reports, flows, messages, item_files, requests, calls, populations),
]


def play(seed: int, furnished: Yard, folder: Path) -> None:
    kind = KINDS_OF_INPUT[seed % len(KINDS_OF_INPUT)]
    yard = furnished.copy(folder)
    try:
        kind(yard, Random(seed))
        doctor = yard.moot("doctor", "--json")
        assert doctor.exit == 0, doctor
    except BaseException:
        print(f"seed {seed} ({kind.__name__}): MOOT_FUZZ_SEED={seed} plays it alone")
        raise


@pytest.fixture(scope="session")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> Yard:
    return Yard.make(tmp_path_factory.mktemp("furnished"))


def seeds(count: int) -> list[int]:
    alone = os.environ.get("MOOT_FUZZ_SEED")
    return [int(alone)] if alone else list(range(count))


@pytest.mark.parametrize("seed", seeds(SHORT))
def test_whatever_goes_in_an_answer_comes_out(seed: int, furnished: Yard, tmp_path: Path) -> None:
    play(seed, furnished, tmp_path / "board")


@pytest.mark.slow
def test_a_hundred_thousand_inputs_are_answered(furnished: Yard, tmp_path: Path) -> None:
    import shutil

    for seed in range(SHORT, SHORT + LONG):
        play(seed, furnished, tmp_path / str(seed))
        shutil.rmtree(tmp_path / str(seed))
        if seed % 100 == 0:
            print(f"seed {seed} of {SHORT + LONG}", flush=True)


def test_the_batches_are_as_many_inputs_as_they_say() -> None:
    each = sum(BATCH[kind.__name__] for kind in KINDS_OF_INPUT)
    assert SHORT * each // len(KINDS_OF_INPUT) >= 1_500 and LONG * each // len(KINDS_OF_INPUT) >= 100_000


def test_the_fuzz_reaches_every_command_it_does_not_leave_out() -> None:
    from folkmoot.doors.cli.main import COMMANDS

    said = {hostile.command_line(Random(seed))[0][0] for seed in range(1000)}
    assert said == set(COMMANDS) - hostile.LEFT_OUT
