"""kill -9 at random moments, a thousand times, with several writers (F1)."""

from pathlib import Path

import pytest

from tests.acceptance.test_processes import crowd
from tests.faults import scenes
from tests.faults.witness import saw


@pytest.mark.slow
@pytest.mark.ledger("R-02", "R-31")
def test_a_thousand_kills_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    result = crowd("kills", tmp_path, 6, 1000, 7)
    assert result["kills"] == 1000
    assert result["lost"] == []
    assert scenes.wrong(tmp_path) == []
    counts = {"kills": result["kills"], "acknowledged": result["acknowledged"]}
    saw("F1", "six writers, killed at random moments", "0 acknowledged changes lost, doctor green", **counts)
