"""A field may be written with its usual value: that is no damage."""

from folkmoot.testing.builders import SoundBoard


def test_a_word_that_is_the_usual_one_and_came_from_outside_is_no_damage() -> None:
    """Words of a vocabulary are read back as the program's own; those that come in are others, letter by letter alike,
    and so they are written."""
    words = {name: "".join(list(value)) for name, value in {"priority": "medium", "type": "feature"}.items()}
    with SoundBoard() as board:
        board.add("One", **words)
        assert board.engine.store.broken_links() == []
