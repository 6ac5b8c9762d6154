"""Two thousand lives in the size of a working board; for `make prove`."""

from pathlib import Path

import pytest

from folkmoot.sim.run import simulate, two_connections

FIRST, LAST, BATCH = 10_000, 12_000, 50
ON_FILE_EVERY = 10


@pytest.mark.slow
@pytest.mark.ledger("R-02", "R-03", "R-11", "R-18", "R-29", "R-31", "R-33")
@pytest.mark.parametrize("first", range(FIRST, LAST, BATCH))
def test_nothing_goes_wrong_in_two_thousand_lives(first: int, tmp_path: Path) -> None:
    red = []
    for seed in range(first, first + BATCH):
        stores = two_connections(str(tmp_path / f"{seed}.db")) if seed % ON_FILE_EVERY == 0 else ()
        outcome = simulate(seed, stores=stores)
        red += [outcome.line()] if outcome.red else []
    assert red == []
