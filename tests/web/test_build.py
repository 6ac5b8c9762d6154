"""What is handed out is what the sources make: every file that differs is named."""

from pathlib import Path

from tests.web.build import differing


def folder(place: Path, **files: str) -> Path:
    for name, text in files.items():
        path = place / "assets" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return place


def test_a_changed_a_missing_and_a_new_file_are_named(tmp_path: Path) -> None:
    made = folder(tmp_path / "made", same="1", changed="1", missing="1")
    kept = folder(tmp_path / "kept", same="1", changed="2", new="1")
    assert differing(made, kept) == ["assets/changed", "assets/missing", "assets/new"]
    assert differing(made, made) == []
