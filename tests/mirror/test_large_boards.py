"""Where the board is large, its shared state may be a moment late; it is never forgotten (R-04)."""

from pathlib import Path

import pytest

from folkmoot.mirror import writer
from tests.mirror.desk import Desk, fresh_tree, tree


@pytest.mark.ledger("R-04", "H-05")
@pytest.mark.parametrize("ends", ["goes on", "is killed"])
def test_what_was_put_off_is_written_when_nothing_else_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: str
) -> None:
    monkeypatch.setattr(writer, "LARGE", 0)
    monkeypatch.setattr(writer, "PUT_OFF", 3600.0)
    desk = Desk(tmp_path)
    desk.look()
    before = desk.text("state.json")
    desk.moot("add", "Add user auth")
    desk.mirror.pass_(puts_off=True)
    assert (desk.dir / "kanban/1.yaml").exists() and desk.text("state.json") == before, "the rest comes first"
    if ends == "is killed":
        desk.restart()
        desk.mirror.pass_(puts_off=True)
    else:
        monkeypatch.setattr(writer, "PUT_OFF", 0.0)
        desk.mirror.pass_(puts_off=True)
    assert desk.json("state.json")["current_workflow"]["id"] == "1"
    desk.close()
    assert tree(tmp_path / ".claude") == fresh_tree(tmp_path, "again")


@pytest.mark.ledger("R-04")
def test_what_somebody_wrote_since_is_read_though_it_has_the_same_size(tmp_path: Path) -> None:
    desk = Desk(tmp_path, people="alice")
    desk.moot("add", "Add user auth")
    desk.look()
    place = desk.dir / "kanban/1.yaml"
    text = place.read_text("utf-8")
    desk.moot("comment", "1", "the board goes on")
    theirs = place.with_name(".theirs")
    theirs.write_text(text.replace("Add user auth", "Add team auth").replace("edited_by: null", "edited_by: alice"))
    theirs.rename(place)
    desk.mirror.scribe.follow()
    with desk.mirror.folder.opened():  # written over before it was looked at: it is in our hands
        (late,) = desk.mirror._writer.write()
    assert late.path == "kanban/1.yaml" and b"Add team auth" in late.data
    desk.close()
