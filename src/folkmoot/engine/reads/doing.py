"""What a run does just now, in one line: the last that its agent has said or done, from the end of what was kept."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from folkmoot.core.flow import Flow
from folkmoot.engine.reads.views import moment_text

if TYPE_CHECKING:
    from folkmoot.api.views import LiveRun, OutputPart, Said
    from folkmoot.core.records import Run
    from folkmoot.engine.application import Transcript
    from folkmoot.engine.reads.snapshot import Snapshot

# Reads what a run of this agent, with this model, has printed.
Reader = Callable[[Flow, str, str | None], "Transcript"]

LATEST_PART = -1  # the end of what a live run printed, where that is more than is kept of it while it runs
DIFF_PART = 1_000_000  # from this part on it is the change of the run
PROMPT_PART = 2_000_000  # and from this one on what its agent was told; read only where it is asked for
PARTS = 8
CHARACTERS = 16_000  # from the end of what was kept; a line that is longer is not understood
LINE = 160


def told(snapshot: "Snapshot", run: "LiveRun", reader: Reader | None) -> "LiveRun":
    """The run with its last line, if it goes on. Only the end of what it printed is read."""
    if run.ended_at is not None:
        return run
    reading = snapshot.reading
    parts = reading.last_output(run.run, LATEST_PART + 1, 1) or reading.last_output(run.run, DIFF_PART, PARTS)
    if not parts:
        return run
    text = "".join(part for part, _ in reversed(parts))
    at = moment_text(max(at for _, at in parts) or None)
    if reader is None:
        return replace(run, last_output_at=at)
    transcript = reader(snapshot.flow, run.agent, run.model)
    said = [*transcript.feed(_end_of(text)), *transcript.finish()]
    return replace(run, doing=_line(said), last_output_at=at)


def lines_of(
    snapshot: "Snapshot", run: "Run", parts: "list[OutputPart]", reader: Reader | None
) -> "list[Said] | UnsetType":
    """What these parts say, line by line. The change of the run is no part of it."""
    if reader is None:
        return UNSET
    transcript = reader(snapshot.flow, run.agent, run.model)
    text = "".join(part.text for part in parts if part.part < DIFF_PART)
    return [*transcript.feed(text), *transcript.finish()]


def _end_of(text: str) -> str:
    """The last lines, without the one that was cut."""
    if len(text) <= CHARACTERS:
        return text
    return text[-CHARACTERS:].partition("\n")[2]


def _line(said: "list[Said]") -> str | None:
    words = next((words for one in reversed(said) if (words := " ".join(one.text.split()))), None)
    if words is None or len(words) <= LINE:
        return words
    return words[: LINE - 1] + "…"
