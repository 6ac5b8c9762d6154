"""A message in a fence is read as one, and no run of ticks takes long."""

import time

import pytest

from folkmoot.reports.canonical import Faulty
from folkmoot.reports.loose.posted import object_in


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        '```json\n{"a": 1}\n```',
        '~~~\n{"a": 1}\n~~~~',
        '```\n{"a": 1}```',
        '```json title\n  {"a": 1}\n  ```',
    ],
)
def test_a_fence_around_it_is_no_part_of_it(text: str) -> None:
    assert object_in(text) == {"a": 1}


@pytest.mark.parametrize("text", ['``\n{"a": 1}\n``', '```js`on\n{"a": 1}\n```', '```\n{"a": 1}'])
def test_what_is_no_whole_fence_is_asked_back(text: str) -> None:
    with pytest.raises(Faulty):
        object_in(text)


def test_a_long_run_of_ticks_costs_no_more_than_its_length() -> None:
    def cost(length: int) -> float:
        began = time.process_time()
        with pytest.raises(Faulty):
            object_in("~" * length + "\n" + "~" * length + "x")
        return time.process_time() - began

    cost(1000)
    assert cost(64_000) < 64 * max(cost(2000), 0.001), "thirty-two times the text: squared would be a thousand times"
