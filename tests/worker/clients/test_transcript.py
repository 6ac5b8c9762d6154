"""What a run printed, as a person reads it, in the dialect of each client."""

import pytest

from folkmoot.api.views import Said
from folkmoot.testing.builders import preset_flow
from folkmoot.worker.clients.listener import DIALECTS
from folkmoot.worker.clients.transcript import Transcript, transcript
from tests.worker.clients.hearing import SAMPLES, dialect_of

NAMES = sorted(path.stem for path in SAMPLES.glob("*.jsonl"))
TEXT = ("aider", "mini")
WRITES = [name for name in NAMES if name.endswith("-write") and not name.startswith((*TEXT, "cn"))]


def told(text: str, dialect: str | None, size: int = 10**9) -> list[Said]:
    reader = Transcript(dialect)
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    return [said for piece in pieces for said in reader.feed(piece)] + reader.finish()


def sample(name: str) -> str:
    return (SAMPLES / f"{name}.jsonl").read_text("utf-8")


@pytest.mark.parametrize("name", WRITES)
def test_a_tool_is_one_line_and_the_last_words_are_words(name: str) -> None:
    said = told(sample(name), dialect_of(name))
    tools = [one.text for one in said if one.kind == "tool"]
    assert len(tools) == 1 and "hello.txt" in tools[0] and "\n" not in tools[0]
    assert said[-1] == Said(kind="text", text="All done: the scripted task is finished.")
    assert not [one for one in said if one.kind == "printed"], "no line of the stream is left as it was"


FAILED = [name for name in NAMES if name.endswith(("-400", "-429", "-500", "-size")) and name[:3] not in ("acp", "cn-")]


@pytest.mark.parametrize("name", [name for name in FAILED if not name.startswith(TEXT)])
def test_an_error_is_told_once_in_words(name: str) -> None:
    errors = [one.text for one in told(sample(name), dialect_of(name)) if one.kind == "error"]
    assert errors and len(set(errors)) == len(errors)
    assert not [words for words in errors if words.startswith("{")], "the JSON of a provider is taken apart"


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith(TEXT)])
def test_a_client_that_the_flow_has_no_more_is_known_by_its_lines(name: str) -> None:
    assert told(sample(name), None) == told(sample(name), dialect_of(name))


@pytest.mark.parametrize("name", WRITES)
@pytest.mark.parametrize("size", [1, 7])
def test_it_does_not_matter_in_which_pieces_it_comes(name: str, size: int) -> None:
    text, dialect = sample(name), dialect_of(name)
    assert told(text, dialect, size) == told(text, dialect)


def test_what_a_plain_command_prints_is_left_as_it_is() -> None:
    lines = ["$ make test", '{"type": "text", "text": "not an agent"}', "", "ok"]
    assert told("\n".join(lines), "text") == [Said(kind="printed", text=line) for line in lines]


def test_lines_between_events_are_shown_too() -> None:
    text = "npm install\n" + sample("codex-write") + "warning: something\n"
    said = told(text, "codex")
    assert said[0] == Said(kind="printed", text="npm install")
    assert said[-1] == Said(kind="printed", text="warning: something")


@pytest.mark.parametrize("dialect", [*DIALECTS, None])
def test_no_line_stops_it(dialect: str | None) -> None:
    odd = ['{"type": 3}', '{"type": "message"}', '{"type": "message", "message": 4}', "{", "[]", "null", '{"part": []}']
    odd += ['{"type": "assistant", "message": {"content": "x"}}', '{"type": "item.completed", "item": null}']
    odd += ['{"type": "tool_use", "part": {"state": 1}}', '{"type": "text", "text": null}', "\0"]
    told("\n".join(odd), dialect)


def test_the_dialect_follows_from_the_flow() -> None:
    flow = preset_flow()
    assert transcript(flow, "nobody", None).feed(sample("codex-write"))[0].kind == "tool"
    gate = transcript(flow, "landing", None).feed('{"type": "turn.failed", "error": {"message": "x"}}\n')
    assert [one.kind for one in gate] == ["printed"], "what a gate prints is nobody's dialect"
