"""Lives of a board on which a person signs off what lands: nothing lands unsigned, and nothing waits for ever."""

import pytest

from folkmoot.sim.flows import variant
from folkmoot.sim.run import simulate
from tests.some import some


@pytest.mark.ledger("R-03", "R-19", "R-22")
@pytest.mark.parametrize("first", some([0, 5, 10, 15], [0]))
def test_what_is_signed_by_hand_lands_signed_or_not_at_all(first: int) -> None:
    lives = [
        simulate(seed, steps=160, agents=10, items=10, flow=variant("harbour", seed))
        for seed in range(first, first + 5)
    ]
    assert [life.line() for life in lives if life.red] == []
