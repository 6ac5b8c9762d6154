"""The checker is checked: whatever is broken on purpose is seen, under the name of the promise it breaks."""

import pytest

from folkmoot.engine.checking.invariants import CHECKS
from folkmoot.sim.run import simulate
from tests.sim.defects import DEFECTS, Defect
from tests.sim.seeing import AGENTS, ITEMS, SEEDS, STEPS, noted, search, seeds_of, title, world_with
from tests.some import one_of_each, some


def test_every_check_has_a_planted_defect() -> None:
    assert {defect.check for defect in DEFECTS} == set(CHECKS)


@pytest.mark.parametrize("defect", some(DEFECTS, one_of_each(DEFECTS, lambda defect: defect.check)), ids=title)
def test_a_planted_defect_is_seen_under_its_name(defect: Defect) -> None:
    sight = search(defect, noted())
    assert sight.seed is not None, (
        f"{defect.name} was not seen as {defect.check} in {len(SEEDS)} worlds; seen: {sight.heard}"
    )
    if defect.alone:
        assert [heard for heard in sight.heard if defect.check in heard and heard != {defect.check}] == []


@pytest.mark.parametrize("defect", [DEFECTS[0], max(DEFECTS, key=lambda defect: defect.first)], ids=title)
def test_the_note_of_where_a_defect_was_seen_only_orders_the_search(defect: Defect) -> None:
    worlds = [defect.first + number for number in SEEDS]
    assert seeds_of(defect, {}) == worlds
    assert seeds_of(defect, {title(defect): worlds[7]}) == [worlds[7], *worlds[:7], *worlds[8:]]
    assert seeds_of(defect, {title(defect): -1}) == worlds


@pytest.mark.parametrize("defect", [defect for defect in DEFECTS if defect.amid], ids=title)
def test_what_a_defect_shows_in_is_green_without_it(defect: Defect) -> None:
    outcome, store = world_with(defect, seeds_of(defect, noted())[0])
    store.close()
    assert outcome.red == []


def test_a_sound_world_is_green() -> None:
    assert [simulate(seed, steps=STEPS, agents=AGENTS, items=ITEMS).red for seed in SEEDS[:2]] == [[]] * 2
