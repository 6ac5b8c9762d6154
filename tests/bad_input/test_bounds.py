"""What bounds the cost of bad input: a hostile report is read in one go, and a run cannot flood its board."""

from contextlib import suppress
from pathlib import Path

import pytest

from folkmoot.core import commands
from folkmoot.core.access import allowance
from folkmoot.core.access.allowance import BURST, BYTE_BURST, BYTE_RATE, WRITTEN_MAX
from folkmoot.core.access.rate import Bucket
from folkmoot.core.input_limits import COMMAND_BYTES_MAX
from folkmoot.errors import Invalid
from folkmoot.reports.read import REPORT_CHARS_MAX, read_report
from folkmoot.reports.text_dialects import LINES_MAX
from tests.effort import effort
from tests.reports.test_hostile import HOSTILE
from tests.worker.test_relay import Scene

PASSES = 60  # looks at each letter, in plain Python, that reading may cost at most

# The shapes that cost the most, and one of each kind of bound: lines, objects, braces.
WORST = ("single quotes", "attempt blocks", "forms", "fences", "open braces", "broken objects")


def _read(text: str) -> None:
    with suppress(Invalid):
        read_report(text)


@pytest.mark.parametrize("shape", WORST)
def test_a_hostile_megabyte_costs_a_few_looks_at_each_letter(shape: str) -> None:
    text = HOSTILE[shape](REPORT_CHARS_MAX)[:REPORT_CHARS_MAX]
    bound = PASSES * max(effort(lambda: sum(1 for letter in text if letter == "é")), 0.001)
    assert effort(lambda: _read(text), enough=bound) < bound, "more than so many looks at each letter"


def test_a_report_at_the_end_of_a_very_long_text_is_heard() -> None:
    log = "compiled another file\n" * (LINES_MAX * 2)
    assert read_report(log + '\n{"outcome": "done", "summary": "at last"}\n').summary == "at last"
    with pytest.raises(Invalid):
        read_report('{"outcome": "done"}\n' + log)


def test_a_run_that_floods_its_board_is_slowed_down_and_then_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A hundredth of what is allowed, so that the test need not write all that.
    for name, bound in (("BYTE_RATE", BYTE_RATE), ("BYTE_BURST", BYTE_BURST), ("WRITTEN_MAX", WRITTEN_MAX)):
        monkeypatch.setattr(allowance, name, bound // 100)
    scene = Scene(tmp_path)

    def flood() -> str | None:
        reply = scene.ask("comment", content="x" * (COMMAND_BYTES_MAX // 100))
        return reply["error"]["code"] if "error" in reply else None

    at_once = 0
    while flood() is None:
        at_once += 1
    assert flood() == "too_fast" and at_once < BURST / 2
    # It is only slow for who waits, as `moot` does: later there is room again. The answers count too, and they grow.
    scene.clock.move_to(scene.clock.time + 20.0)
    assert flood() is None
    last = None
    for _ in range(2 * WRITTEN_MAX // COMMAND_BYTES_MAX):
        scene.clock.move_to(scene.clock.time + 20.0)
        scene.board.engine.act(scene.run, commands.RenewRun())
        last = flood()
        if last == "too_much":
            break
    assert last == "too_much"
    # What it has to say in the end is heard all the same.
    scene.clock.move_to(scene.clock.time + 20.0)
    assert "answer" in scene.ask("report", report={"outcome": "failed", "summary": "too much"})


def test_a_large_answer_is_paid_for_too() -> None:
    bucket = Bucket(0.0, rate=10.0, burst=100.0)
    assert bucket.take(0.0, 100.0) and not bucket.take(0.0, 1.0)
    bucket.owe(0.0, 50.0)
    assert not bucket.take(5.0, 1.0) and bucket.take(6.0, 1.0)
    # What is larger than all there can ever be waits for a full one, and not for ever.
    assert bucket.take(100.0, 1_000.0) and not bucket.take(150.0, 1.0)


def test_two_names_with_a_colon_have_two_locks(tmp_path: Path) -> None:
    scene = Scene(tmp_path)
    engine = scene.board.engine
    for name, path in (("a", "bb:x"), ("a:bb", "x"), ("a%3Abb", "y")):
        engine.lock(commands.Actor(name), commands.LockPaths(paths=[path], seconds=60.0))
    assert len([lock for lock in scene.board.queries.locks().locks if lock.agent.startswith("a")]) == 3
