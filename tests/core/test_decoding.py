"""Kinds are worked out one at a time, however many threads need them first at the same moment."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import pytest

from folkmoot.core.decoding import converted, misfit

PACKAGE = Path(__file__).parents[2] / "src" / "folkmoot"

# Threads are switched every few microseconds; where two of them work out the same kind, the interpreter breaks down.
AT_ONCE = """
import sys, threading
from folkmoot.core.commands import ReportRun
from folkmoot.core.report import Remark, Report
from folkmoot.core.input_limits import encoded
from folkmoot.store.codec import decode_row, encode_row
from folkmoot.core.item import Item

sys.setswitchinterval(1e-5)
start = threading.Barrier(8)
command = ReportRun(report=Report(outcome="done", comments=[Remark(content="a")]))
row = encode_row(Item(id="1", title="a", column="b"))

def work():
    start.wait()
    for _ in range(20):
        encoded(command)
        decode_row("items", row)

threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print("all well")
"""


def test_threads_may_need_a_kind_at_the_same_moment() -> None:
    for _ in range(4):
        ended = subprocess.run(
            [sys.executable, "-c", AT_ONCE], capture_output=True, text=True, timeout=120, check=False
        )
        assert (ended.returncode, ended.stdout.strip()) == (0, "all well"), ended.stderr[-2000:]


# Programs that run inside an agent's run, with one thread.
ALONE = {"system/forge/spoken.py", "worker/clients/acp_driver.py", "worker/clients/function.py"}


def test_nothing_else_works_out_a_kind() -> None:
    wanting = re.compile(r"msgspec\.convert\(|json\.decode\(.*type=|Decoder\(")
    found = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if wanting.search(path.read_text("utf-8").replace("json.JSONDecoder(", ""))
    }
    assert {place for place in found if not place.startswith("testing/")} == {"core/decoding.py"} | ALONE


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    count: int


class Outer(msgspec.Struct, forbid_unknown_fields=True):
    text: str | None = None
    parts: list[Inner] = []
    word: Literal["good", "bad"] = "good"
    few: Annotated[int, msgspec.Meta(le=5)] = 1
    names: dict[str, str] = {}


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"text": {}}, "text is an object, and must be text or nothing"),
        ({"parts": [{"count": "1"}]}, "parts[0].count is text, and must be a whole number"),
        ({"parts": {}}, "parts is an object, and must be a list"),
        ({"parts": [{}]}, "parts[0].count is missing"),
        ({"parts": [{"count": 1, "more": 2}]}, "parts[0] has the unknown field `more`"),
        ({"word": "great\nindeed"}, "word is 'great\\nindeed', which is no word of its list"),
        ({"few": 9}, "Expected `int` <= 5 - at few"),
        ({"names": {"a": 1}}, "names[...] is a whole number, and must be text"),
        ([], "it is a list, and must be an object"),
    ],
)
def test_what_does_not_fit_is_said_in_plain_words(value: object, words: str) -> None:
    with pytest.raises(msgspec.ValidationError) as caught:
        converted(value, Outer)
    assert misfit(caught.value) == words
