"""What no list of words can name: whatever stands beside a report, in whichever words and under whichever names, is
found again by whoever goes on and in the item's story, or the report was asked back. And no short field that nobody
knows stands beside an end that moves the work on."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.acceptance.moot import Moot, new_board

View = dict[str, Any]
# Who reports from where, how it says that its work goes on, and whoever may go on after it.
ROLES: dict[str, tuple[str, str, View]] = {
    "dev-agent": ("kanban", "dev", {"status": "completed", "summary": "built"}),
    "review-agent": ("kanban", "review", {"status": "approved", "summary": "read"}),
    "builder": ("handoff", "build", {"status": "completed", "commit": "abc123"}),
    "reviewer": ("handoff", "review", {"status": "approved", "summary": "read"}),
    "implementer": ("pipeline", "implement", {"status": "completed", "summary": "built"}),
    "test-executor": ("pipeline", "test", {"type": "test_results", "status": "passed", "summary": "10/10 passed"}),
    "developer": ("escalation", "available", {"status": "completed", "summary": "keys rotated"}),
    "codeweaver": ("quest", "weave", {"status": "complete", "report": "woven"}),
    "lawbringer": ("quest", "review", {"status": "complete", "report": "consistent"}),
}
NEXT = (
    "ward",
    "review-agent",
    "qa-agent",
    "reviewer",
    "fixer",
    "devils-advocate",
    "lawbringer",
    "dev-agent",
    "builder",
    "implementer",
    "developer",
    "spiritmender",
    "codeweaver",
    "pathseeker",
)

letters = st.text("abcdefghijklmnopqrstuvwxyz", min_size=3, max_size=9)
# Names that stand in no list: nobody's language has these.
names = letters.map(lambda word: f"x{word}q")
sentences = st.lists(letters, min_size=5, max_size=12).map(" ".join)
own_fields = st.dictionaries(
    names,
    st.one_of(
        sentences,
        st.booleans(),
        st.integers(1, 99),
        letters,
        st.lists(sentences, min_size=1, max_size=2),
        st.dictionaries(names, sentences, min_size=1, max_size=2),
    ),
    max_size=3,
)


def board(folder: str, role: str) -> tuple[Moot, View]:
    preset, column, _ = ROLES[role]
    moot = new_board(Path(folder) / "board", preset)
    moot("add", "User auth", "--column", column)
    return moot, moot("claim", role)


def texts(value: Any) -> list[str]:
    """Every sentence in it."""
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for part in parts for text in texts(part)]


def told_on(moot: Moot) -> str:
    """The brief of whoever goes on; empty if nobody does."""
    for agent in NEXT:
        said = moot.say("claim", agent)
        if said.code == 0 and said.out.strip() not in ("", "null"):
            brief = json.loads(said.out)["brief"]
            assert not brief["left_out"]
            return json.dumps(brief)
    return ""


@pytest.mark.ledger("R-32", "R-22")
@pytest.mark.parametrize("role", ROLES)
@settings(max_examples=12, deadline=None, derandomize=True, phases=[Phase.generate])
@given(own=own_fields, words=sentences)
def test_every_word_of_a_report_is_found_again_or_it_was_asked_back(role: str, own: View, words: str) -> None:
    base = ROLES[role][2]
    summary = "report" if "report" in base else "summary"
    said = {**base, **own, summary: f"{base.get(summary, 'made')}. {words}"}
    with TemporaryDirectory() as folder:
        moot, claim = board(folder, role)
        told = moot.try_in(claim, said)
        if told.code:
            assert told.code == 2 and moot("show", "1")["status"] == "running"
            return
        story = json.dumps(moot("show", "1"))
        brief = told_on(moot)
        for text in [words, *texts(own)]:
            assert text in story
            assert not brief or text in brief
        # What came through decides nothing: it is told in sentences, or stands in a list or an object of a maker's.
        assert not [name for name, value in own.items() if isinstance(value, bool | int) or " " not in str(value)]


@pytest.mark.ledger("R-22", "R-32")
@pytest.mark.parametrize("role", ROLES)
@settings(max_examples=6, deadline=None, derandomize=True, phases=[Phase.generate])
@given(name=names, value=st.one_of(st.booleans(), st.integers(1, 99), letters.map(lambda word: f"x{word}")))
def test_a_short_field_that_nobody_knows_is_asked_back_beside_an_end_that_moves_on(
    role: str, name: str, value: Any
) -> None:
    with TemporaryDirectory() as folder:
        moot, claim = board(folder, role)
        told = moot.try_in(claim, {**ROLES[role][2], name: value})
        assert told.code == 2 and name in told.err, told.out
        assert moot("show", "1")["status"] == "running"
        # Said in a sentence it is words, and goes with the work.
        again = moot.try_in(
            claim, {**ROLES[role][2], "notes": f"For {name} one may say {value}, and no more than that."}
        )
        assert again.code == 0, again.err
        assert f"For {name} one may say" in json.dumps(moot("show", "1"))


FORM = "## Summary\n{words}\n\n## Changes Made\n- src/a.py: built\n\n## {name}\n{more}\n\n## Status\n- [x] Complete\n"
TEXTS: dict[str, tuple[str, str, str]] = {
    "implementer": ("pipeline", "implement", FORM),
    "reviewer": ("pipeline", "review", FORM),
    "developer": ("escalation", "available", "{words}.\n\nTASK_COMPLETE\n{name}: {more}\n"),
    "dev-agent": ("kanban", "dev", "outcome: done\nsummary: {words}\n{name}: {more}\n"),
}


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("role", ["implementer", "reviewer", "developer"])
@settings(max_examples=8, deadline=None, derandomize=True, phases=[Phase.generate])
@given(name=names, words=sentences, more=sentences)
def test_every_sentence_of_a_text_is_found_again_below_whichever_label(
    role: str, name: str, words: str, more: str
) -> None:
    preset, column, text = TEXTS[role]
    with TemporaryDirectory() as folder:
        moot = new_board(Path(folder) / "board", preset)
        moot("add", "User auth", "--column", column)
        told = moot.try_in(moot("claim", role), text.format(name=name.capitalize(), words=words, more=more))
        assert told.code == 0, told.err
        story, brief = json.dumps(moot("show", "1")), told_on(moot)
        for said in (words, more):
            assert said in story and (not brief or said in brief)


@pytest.mark.ledger("R-22", "R-32")
@pytest.mark.parametrize("value", ["no", "yes", "false"])
@pytest.mark.parametrize("role", ["implementer", "developer", "dev-agent"])
def test_a_label_that_nobody_knows_with_a_yes_or_a_no_is_asked_back(tmp_path: Path, role: str, value: str) -> None:
    preset, column, text = TEXTS[role]
    moot = new_board(tmp_path, preset)
    moot("add", "User auth", "--column", column)
    told = moot.try_in(moot("claim", role), text.format(name="Xgreenq", words="it is built", more=value))
    assert told.code == 2 and "greenq" in told.err, told.out
