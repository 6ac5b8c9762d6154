"""What processes print, as it is kept."""

from collections.abc import Sequence

from folkmoot.engine.reads.doing import LATEST_PART
from folkmoot.worker.output import HEAD, LATEST, TAIL, TAIL_PART, Output


def test_of_much_output_the_last_words_are_kept_while_it_runs() -> None:
    kept: dict[int, str] = {}

    def keep(parts: Sequence[tuple[int, str]]) -> bool:
        kept.update(parts)
        return True

    output = Output(keep)
    output.add("x" * (HEAD + TAIL))
    assert output.flush(1.0) and LATEST_PART not in kept, "all of it is kept, so nothing more is needed"
    output.add("now it builds\n")
    assert output.flush(2.0)
    assert kept[LATEST_PART].endswith("now it builds\n") and len(kept[LATEST_PART]) == LATEST
    output.add("now it tests\n")
    assert output.flush(3.0, last=True)
    assert kept[TAIL_PART].endswith("now it tests\n") and kept[LATEST_PART].endswith("now it builds\n")
