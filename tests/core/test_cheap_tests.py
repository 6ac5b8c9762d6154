"""A cheap test that spares most texts a closer look must let through every text that the closer look would find."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.core.vocabulary import tries, triggers
from folkmoot.core.vocabulary.phrases import undone

UNDONE = [undone._UNDONE, undone._GAVE_UP, undone._NO_SUCCESS, undone._BLOCKED]


@settings(max_examples=150)
@given(st.one_of([st.from_regex(re.compile(one.pattern, re.ASCII | one.flags & re.MULTILINE)) for one in UNDONE]))
def test_no_phrase_for_undone_work_is_passed_over(words: str) -> None:
    assert undone._MAY_BE_UNDONE.search(words.casefold())


@settings(max_examples=150)
@given(st.one_of([st.from_regex(re.compile(one.pattern, re.ASCII)) for one, _ in triggers._FOUND]))
def test_no_trigger_is_passed_over(words: str) -> None:
    assert triggers._MAY_STATE.search(words.casefold())


@pytest.mark.parametrize("words", ["it isn't done", "it isn’t done", "it isn_t done", "it isnT done", "It ISN'T DONE"])
def test_a_denial_is_heard_however_its_letters_are_parted(words: str) -> None:
    assert undone.said_undone(words) == words


def test_a_signal_is_heard_in_any_letters() -> None:
    assert tries.signalled("done.\n**task_incomplete**: the cache is left") == "TASK_INCOMPLETE"
    assert tries.signalled("the task is incomplete") is None
