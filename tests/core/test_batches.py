"""Several items land together: how many are proved next, who goes back, and what that costs."""

from collections.abc import Callable
from itertools import combinations, product
from math import ceil, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.rules.running.batches import Line, after, known_red, size

Gate = Callable[[frozenset[int]], bool]  # is it green on a branch with the work of these items?


def together(count: int, gate: Gate) -> tuple[list[int], list[int], int]:
    """Who landed, who went back, and how many times the gate ran."""
    waiting, landed, back, runs = list(range(count)), list[int](), list[int](), 0
    line = Line(count)
    while waiting:
        proved = size(line)
        assert 1 <= proved <= len(waiting) == line.count and line.red <= line.count
        runs += 1
        green = gate(frozenset(landed + waiting[:proved]))
        line = after(line, proved, green)
        if green:
            landed += waiting[:proved]
            waiting = waiting[proved:]
        elif proved == 1:
            back.append(waiting.pop(0))
    return landed, back, runs


def one_by_one(count: int, gate: Gate) -> tuple[list[int], list[int]]:
    landed, back = list[int](), list[int]()
    for item in range(count):
        (landed if gate(frozenset([*landed, item])) else back).append(item)
    return landed, back


def spoiled_by(*bad: int) -> Gate:
    return lambda items: items.isdisjoint(bad)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (Line(20), 20),  # nothing is known: all
        (Line(20, red=20), 10),
        (Line(10, red=10), 5),  # the first half was green, and has landed
        (Line(15, red=5), 2),
        (Line(3, red=3), 1),
        (Line(8, red=1), 1),  # once more, by itself
        (Line(19, doubts=1), 19),  # one went back: the others may well be fine
        (Line(18, doubts=2), 9),
        (Line(17, doubts=3), 4),
        (Line(2, doubts=9), 1),
        (Line(1), 1),
    ],
)
def test_how_many_are_proved_next(line: Line, expected: int) -> None:
    assert size(line) == expected


@pytest.mark.parametrize(
    ("line", "proved", "green", "expected"),
    [
        (Line(20), 20, True, Line(0)),
        (Line(20), 20, False, Line(20, red=20)),
        (Line(20, red=20), 10, True, Line(10, red=10)),  # it must be one of the others
        (Line(20, red=20), 10, False, Line(20, red=10)),
        (Line(20, red=1), 1, False, Line(19, doubts=1)),
        (Line(20, red=1), 1, True, Line(19)),  # the gate has changed its mind: it lands
        (Line(12, doubts=2), 6, True, Line(6, doubts=1)),
        (Line(2, doubts=2), 1, False, Line(1, doubts=3)),
    ],
)
def test_what_is_known_after_a_proof(line: Line, proved: int, green: bool, expected: Line) -> None:
    assert after(line, proved, green) == expected


@pytest.mark.parametrize(
    ("trees", "red", "expected"),
    [(["a", "b", "c"], [], 0), (["a", "b", "c"], ["c"], 3), (["a", "b", "c"], ["c", "b"], 2), ([], ["a"], 0)],
)
def test_what_an_earlier_proof_says_of_those_that_are_first_now(
    trees: list[str], red: list[str], expected: int
) -> None:
    assert known_red(trees, red) == expected


@pytest.mark.parametrize("bad", range(20))
def test_one_bad_one_among_twenty_goes_back_and_nineteen_land(bad: int) -> None:
    landed, back, runs = together(20, spoiled_by(bad))
    assert back == [bad] and sorted([*landed, bad]) == list(range(20))
    assert runs <= 1 + 2 * log2(20)


def test_where_all_are_good_one_proof_is_enough() -> None:
    assert together(20, spoiled_by()) == (list(range(20)), [], 1)


def test_who_does_not_go_with_an_earlier_one_goes_back() -> None:
    assert together(8, lambda items: not {2, 5} <= items)[:2] == ([0, 1, 2, 3, 4, 6, 7], [5])


def test_any_choice_of_bad_ones_among_few_ends_as_one_by_one_and_costs_at_most_twice_as_much() -> None:
    for count in range(1, 11):
        for bad in (one for many in range(count + 1) for one in combinations(range(count), many)):
            landed, back, runs = together(count, spoiled_by(*bad))
            assert (landed, back) == one_by_one(count, spoiled_by(*bad))
            assert runs <= 2 * count, (count, bad)
            assert runs <= 1 + len(bad) * (ceil(log2(count)) + 3), (count, bad)


@given(st.integers(1, 40), st.lists(st.frozensets(st.integers(0, 39), min_size=1, max_size=4), max_size=8))
def test_what_no_later_item_mends_ends_as_one_by_one(count: int, spoil: list[frozenset[int]]) -> None:
    """Items that are bad alone, in pairs, or more at a time: the same land, in the same order, and the same go back."""

    def gate(items: frozenset[int]) -> bool:
        return not any(bad <= items for bad in spoil)

    landed, back, runs = together(count, gate)
    assert (landed, back) == one_by_one(count, gate)
    assert runs <= 2 * count
    assert runs <= 1 + len(back) * (ceil(log2(count)) + 3)


@given(st.integers(1, 8), st.randoms(use_true_random=False))
def test_whatever_a_gate_says_nothing_lands_unproved_and_nobody_is_lost(count: int, chance: object) -> None:
    """Also where a gate says now this, now that."""
    proofs: list[bool] = []

    def gate(items: frozenset[int]) -> bool:
        proofs.append(bool(chance.random() < 0.5))  # type: ignore[attr-defined]
        return proofs[-1]

    landed, back, runs = together(count, gate)
    assert sorted(landed + back) == list(range(count)) and landed == sorted(landed)
    assert runs == len(proofs) and runs <= 3 * count + 2


def test_every_answer_that_a_gate_can_give_ends() -> None:
    for said in product([True, False], repeat=14):
        answers = iter([*said, *[True] * 40])
        landed, back, _ = together(5, lambda items, answers=answers: next(answers))  # type: ignore[misc]
        assert sorted(landed + back) == [0, 1, 2, 3, 4]
