"""The page of figures is written part by part: a run that is ended keeps what it has measured."""

from pathlib import Path

import pytest

from bench import __main__ as bench


def test_a_part_is_on_the_page_as_soon_as_it_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ended() -> dict[str, object]:
        raise KeyboardInterrupt

    page = tmp_path / "benchmarks.md"
    monkeypatch.setattr(bench, "TARGET", page)
    parts = {"One": lambda: {"cycles": 7}, "Two": ended, "Three": lambda: {"cycles": 9}}
    monkeypatch.setattr(bench, "PARTS", parts)
    assert bench.main(["three"]) == 0
    with pytest.raises(KeyboardInterrupt):
        bench.main([])
    told = bench.sections(page.read_text("utf-8"))
    assert list(told) == ["One", "Three"], "in the order of the parts, and the one of before is still there"
    assert "| cycles | 7 |" in told["One"] and "| cycles | 9 |" in told["Three"]
    assert any(line.startswith(f"| {bench.BUSY} | ") for line in told["One"])
    before = page.read_text("utf-8")
    bench.main(["three"])
    assert len(before.splitlines()) == len(page.read_text("utf-8").splitlines())
