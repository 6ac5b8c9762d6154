"""The scripted model itself: were it wrong, every test with a real client would be about nothing."""

import http.client
import json
import threading
from collections.abc import Iterator
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from folkmoot.reports.read import read_report
from tests.clients.apis import WORDS, Asked
from tests.clients.model import BLOCKS, REPORT, SLEEP, Model, decide

Json = dict[str, Any]
PROMPT = "Working directory: /usr\n\nThe item:\n> WRITE src/a.txt: one line\n> WRITE b.txt: it's another\n"

WRITE = {"type": "object", "properties": {"path": {"type": "string"}, "content": {"type": "string"}}}
SHELL = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}


@pytest.fixture
def model() -> Iterator[Model]:
    with Model() as running:
        yield running


class Talk:
    """A client that speaks one API: what it asks, and what it understands of the answer."""

    def __init__(self, api: str, stream: bool, tools: dict[str, Json]) -> None:
        self.api, self.stream, self.tools = api, stream, tools

    @property
    def path(self) -> str:
        verb = "streamGenerateContent?alt=sse" if self.stream else "generateContent"
        paths = {"anthropic": "/v1/messages", "chat": "/v1/chat/completions", "responses": "/v1/responses"}
        return paths.get(self.api, f"/v1beta/models/gemini-x:{verb}")

    def body(self, results: list[str]) -> Json:
        plain = {"model": "m", "stream": self.stream}
        listed = list(self.tools.items())
        if self.api == "anthropic":
            tools = [{"name": name, "input_schema": schema} for name, schema in listed]
            said = [{"role": "user", "content": [{"type": "tool_result", "content": r}]} for r in results]
            return {**plain, "tools": tools, "messages": [{"role": "user", "content": PROMPT}, *said]}
        if self.api == "chat":
            tools = [{"type": "function", "function": {"name": n, "parameters": s}} for n, s in listed]
            said = [{"role": "tool", "content": r} for r in results]
            return {**plain, "tools": tools, "messages": [{"role": "user", "content": PROMPT}, *said]}
        if self.api == "responses":
            tools = [{"type": "function", "name": n, "parameters": s} for n, s in listed]
            said = [{"type": "function_call_output", "output": r} for r in results]
            first = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": PROMPT}]}
            return {**plain, "tools": tools, "input": [first, *said]}
        declared = [{"name": n, "parametersJsonSchema": s} for n, s in listed]
        said = [{"role": "user", "parts": [{"functionResponse": {"response": {"output": r}}}]} for r in results]
        first = {"role": "user", "parts": [{"text": PROMPT}]}
        return {"tools": [{"functionDeclarations": declared}], "contents": [first, *said]}

    def ask(self, address: str, results: list[str]) -> tuple[str, str, Json]:
        """Text, tool and arguments of the answer."""
        asked = Request(address + self.path, json.dumps(self.body(results)).encode())
        with urlopen(asked, timeout=30) as answer:
            raw = answer.read().decode()
        return self.of_stream(raw) if self.stream else self.of_whole(json.loads(raw))

    def of_whole(self, answer: Json) -> tuple[str, str, Json]:
        if self.api == "anthropic":
            block = answer["content"][0]
            return block.get("text", ""), block.get("name", ""), block.get("input", {})
        if self.api == "chat":
            message = answer["choices"][0]["message"]
            call = message.get("tool_calls", [{"function": {"name": "", "arguments": "{}"}}])[0]["function"]
            return message["content"] or "", call["name"], json.loads(call["arguments"])
        if self.api == "responses":
            item = answer["output"][0]
            text = item["content"][0]["text"] if "content" in item else ""
            return text, item.get("name", ""), json.loads(item.get("arguments", "{}"))
        part = answer["candidates"][0]["content"]["parts"][0]
        call = part.get("functionCall", {"name": "", "args": {}})
        return part.get("text", ""), call["name"], call["args"]

    def of_stream(self, raw: str) -> tuple[str, str, Json]:
        lines = [line.removeprefix("data: ") for line in raw.splitlines() if line.startswith("data: ")]
        events = [json.loads(line) for line in lines if line != "[DONE]"]
        text, tool, arguments = "", "", "{}"
        for event in events:
            if self.api == "anthropic":
                tool = event.get("content_block", {}).get("name", tool)
                text += event.get("delta", {}).get("text", "")
                arguments = event.get("delta", {}).get("partial_json", arguments)
            elif self.api == "chat":
                for choice in event["choices"]:
                    text += choice["delta"].get("content") or ""
                    for call in choice["delta"].get("tool_calls", []):
                        tool, arguments = call["function"]["name"], call["function"]["arguments"]
            elif self.api == "responses":
                text += event["delta"] if event["type"] == "response.output_text.delta" else ""
                if event["type"] == "response.output_item.done":
                    tool = event["item"].get("name", "")
                    arguments = event["item"].get("arguments", "{}")
            else:
                more, tool, found = self.of_whole(event)
                text, arguments = text + more, json.dumps(found)
        return text, tool, json.loads(arguments)


APIS = ["anthropic", "chat", "responses", "gemini"]
BOTH = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])


@BOTH
@pytest.mark.parametrize("api", APIS)
def test_it_writes_each_file_that_the_prompt_orders_and_then_reports(model: Model, api: str, stream: bool) -> None:
    talk = Talk(api, stream, {"read": {}, "write_file": WRITE, "shell": SHELL})
    address = f"{model.address}/work"
    first = talk.ask(address, [])
    second = talk.ask(address, ["written"])
    text, tool, _ = talk.ask(address, ["written", "written"])
    assert first == ("", "write_file", {"path": "/usr/src/a.txt", "content": "one line\n"})
    assert second == ("", "write_file", {"path": "/usr/b.txt", "content": "it's another\n"})
    assert not tool
    assert text == REPORT.format(summary="wrote 2 of 2 files")


@BOTH
@pytest.mark.parametrize("api", APIS)
def test_without_a_tool_for_files_it_takes_the_shell(model: Model, api: str, stream: bool) -> None:
    talk = Talk(api, stream, {"exec_command": {"properties": {"cmd": {"type": "string"}}}})
    _, tool, arguments = talk.ask(f"{model.address}/work", ["written"])
    assert tool == "exec_command"
    assert arguments == {"cmd": """mkdir -p . && printf %s 'it'"'"'s another\n' > b.txt"""}


@pytest.mark.parametrize("api", APIS)
def test_its_report_is_one_that_the_board_reads(model: Model, api: str) -> None:
    text, tool, _ = Talk(api, True, {"shell": SHELL}).ask(f"{model.address}/text", [])
    assert not tool
    assert read_report(text).outcome == "done"


@pytest.mark.parametrize("api", APIS)
def test_silent_is_no_report(model: Model, api: str) -> None:
    text, _, _ = Talk(api, True, {"shell": SHELL}).ask(f"{model.address}/silent", [])
    assert text
    assert "outcome" not in text


def test_sleep_is_a_command_in_the_shell(model: Model) -> None:
    answer = Talk("chat", True, {"write_file": WRITE, "shell": SHELL}).ask(f"{model.address}/sleep", [])
    assert answer == ("", "shell", {"command": SLEEP})


def test_a_client_that_reads_edits_in_the_text_gets_them_and_the_report_in_one_answer() -> None:
    asked = Asked("chat", {}, "m", False, {}, f"Use a {BLOCKS} for each change.\n{PROMPT}")
    said = decide("work", asked).text
    assert (
        "src/a.txt\n```\n<<<<<<< SEARCH\n=======\none line\n>>>>>>> REPLACE\n```\n" in said and "it's another" in said
    )
    assert '"outcome": "done"' in said
    asked.prompt += "\nb.txt\n```\nit's another\n```\n"
    assert "it's another" not in decide("work", asked).text, "it is shown as it should be"


def test_a_side_call_without_tools_gets_small_talk(model: Model) -> None:
    text, tool, _ = Talk("chat", True, {}).ask(f"{model.address}/work", [])
    assert text
    assert not tool
    assert "WRITE" not in text


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("status", [400, 401, 402, 403, 429, 500, 503])
def test_an_error_is_answered_every_time(model: Model, api: str, status: int) -> None:
    talk = Talk(api, True, {"shell": SHELL})
    for _ in range(2):
        with pytest.raises(HTTPError) as refused:
            talk.ask(f"{model.address}/err{status}", [])
        with refused.value as answer:
            assert answer.code == status
            assert WORDS[status].format(after=" Please try again in 1s.") in answer.read().decode()
            assert answer.headers["retry-after"] == ("1" if status == 429 else None)


def test_the_scenario_names_how_long_the_quota_is_used_up(model: Model) -> None:
    with pytest.raises(HTTPError) as refused:
        Talk("chat", True, {"shell": SHELL}).ask(f"{model.address}/err429-30", [])
    with refused.value as answer:
        assert answer.headers["retry-after"] == "30"


@BOTH
@pytest.mark.parametrize("api", APIS)
def test_a_cut_answer_is_not_a_whole_one(model: Model, api: str, stream: bool) -> None:
    with pytest.raises(http.client.IncompleteRead):
        Talk(api, stream, {"shell": SHELL}).ask(f"{model.address}/cut", [])


@pytest.mark.parametrize("scenario", ["hang", "hangmid"])
def test_a_hanging_answer_ends_only_with_the_server(scenario: str) -> None:
    ended = threading.Event()
    with Model() as model:

        def ask() -> None:
            with pytest.raises((http.client.HTTPException, OSError)):
                Talk("chat", True, {"shell": SHELL}).ask(f"{model.address}/{scenario}", [])
            ended.set()

        asking = threading.Thread(target=ask, daemon=True)
        asking.start()
        while not model.requests:
            asking.join(0.01)
        assert not ended.wait(0.2)
    assert ended.wait(30)


def test_every_request_is_kept(model: Model) -> None:
    Talk("chat", True, {"shell": SHELL}).ask(f"{model.address}/text", [])
    [kept] = model.requests
    assert (kept.scenario, kept.api, kept.model, kept.stream) == ("text", "chat", "m", True)
    assert kept.tools == ["shell"]
