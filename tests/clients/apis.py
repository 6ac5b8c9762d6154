"""The four ways in which clients talk to models, as data: what was asked, and what an answer looks like on the wire.

Only what coding clients use of each API is here: texts, tool lists, tool calls and their results. No I/O.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
Event = tuple[str | None, Json | str]  # of a stream: its name, if the API names them, and its data

TOKENS_IN, TOKENS_OUT = 100, 20


@dataclass
class Asked:
    """One request to a model, whatever the API."""

    api: str
    body: Json
    model: str
    stream: bool
    tools: dict[str, Json]  # name and JSON schema of the arguments
    prompt: str = ""  # what the user and the client say to the model
    results: list[str] = field(default_factory=list)  # what its tool calls gave so far, oldest first
    spaces: dict[str, str] = field(default_factory=dict)  # tools that must be called with a namespace
    free: set[str] = field(default_factory=set)  # tools that take free text
    shape: Json | None = None  # the answer must be JSON of this schema


@dataclass(frozen=True)
class Said:
    """What the model answers: a text, or one call of a tool."""

    text: str = ""
    tool: str = ""
    arguments: Json = field(default_factory=dict)

    @property
    def pieces(self) -> list[str]:
        """The text as a stream gives it: word by word."""
        return re.findall(r"\S+\s*|\s+", self.text)


def texts(value: Any) -> Iterator[str]:
    """Every text below a value, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from texts(part)
    elif isinstance(value, dict):
        for key in ("text", "content", "output", "parts"):
            yield from texts(value.get(key))


def joined(value: Any) -> str:
    return "\n".join(texts(value))


# ---------------------------------------------------------------- Anthropic messages


def read_anthropic(body: Json, model: str, _path: str) -> Asked:
    asked = Asked("anthropic", body, model, bool(body.get("stream")), {})
    asked.tools = {t["name"]: t.get("input_schema") or {} for t in body.get("tools") or [] if "name" in t}
    said = [joined(body.get("system"))]
    for message in body.get("messages") or []:
        content = message.get("content")
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        for block in blocks:
            if block.get("type") == "tool_result":
                asked.results.append(joined(block.get("content")))
            elif message.get("role") == "user" and block.get("type") == "text":
                said.append(block["text"])
    asked.prompt = "\n".join(said)
    return asked


def anthropic(asked: Asked, said: Said, key: str) -> Json:
    block: Json = {"type": "text", "text": said.text}
    if said.tool:
        block = {"type": "tool_use", "id": f"toolu_{key}", "name": said.tool, "input": said.arguments}
    usage = {"input_tokens": TOKENS_IN, "output_tokens": TOKENS_OUT}
    return {
        "id": f"msg_{key}",
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": [block],
        "stop_reason": "tool_use" if said.tool else "end_turn",
        "stop_sequence": None,
        "usage": {**usage, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
    }


def anthropic_stream(asked: Asked, said: Said, key: str) -> Iterator[Event]:
    whole = anthropic(asked, said, key)

    def event(name: str, **parts: Any) -> Event:
        return name, {"type": name, **parts}

    block = whole["content"][0]
    yield event("message_start", message={**whole, "content": [], "stop_reason": None})
    if said.tool:
        yield event("content_block_start", index=0, content_block={**block, "input": {}})
        arguments = {"type": "input_json_delta", "partial_json": json.dumps(said.arguments)}
        yield event("content_block_delta", index=0, delta=arguments)
    else:
        yield event("content_block_start", index=0, content_block={**block, "text": ""})
        for piece in said.pieces:
            yield event("content_block_delta", index=0, delta={"type": "text_delta", "text": piece})
    yield event("content_block_stop", index=0)
    delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield event("message_delta", delta=delta, usage={"output_tokens": TOKENS_OUT})
    yield event("message_stop")


# ---------------------------------------------------------------- OpenAI chat completions


def read_chat(body: Json, model: str, _path: str) -> Asked:
    asked = Asked("chat", body, model, bool(body.get("stream")), {})
    for tool in body.get("tools") or []:
        if "function" in tool:
            asked.tools[tool["function"]["name"]] = tool["function"].get("parameters") or {}
    said = []
    for message in body.get("messages") or []:
        if message.get("role") == "tool":
            asked.results.append(joined(message.get("content")))
        elif message.get("role") != "assistant":
            said.append(joined(message.get("content")))
    asked.prompt = "\n".join(said)
    return asked


CHAT_USAGE = {
    "prompt_tokens": TOKENS_IN,
    "completion_tokens": TOKENS_OUT,
    "total_tokens": TOKENS_IN + TOKENS_OUT,
}


def chat_call(said: Said, key: str) -> Json:
    function = {"name": said.tool, "arguments": json.dumps(said.arguments)}
    return {"id": f"call_{key}", "type": "function", "function": function}


def chat(asked: Asked, said: Said, key: str) -> Json:
    message: Json = {"role": "assistant", "content": None if said.tool else said.text}
    if said.tool:
        message["tool_calls"] = [chat_call(said, key)]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if said.tool else "stop"}
    base = {"id": f"chatcmpl-{key}", "object": "chat.completion", "created": 1, "model": asked.model}
    return {**base, "choices": [choice], "usage": CHAT_USAGE}


def chat_stream(asked: Asked, said: Said, key: str) -> Iterator[Event]:
    base = {"id": f"chatcmpl-{key}", "object": "chat.completion.chunk", "created": 1, "model": asked.model}

    def chunk(delta: Json, finish: str | None = None) -> Event:
        return None, {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    yield chunk({"role": "assistant", "content": None if said.tool else ""})
    if said.tool:
        yield chunk({"tool_calls": [{"index": 0, **chat_call(said, key)}]})
    for piece in said.pieces:
        yield chunk({"content": piece})
    yield chunk({}, "tool_calls" if said.tool else "stop")
    yield None, {**base, "choices": [], "usage": CHAT_USAGE}
    yield None, "[DONE]"


# ---------------------------------------------------------------- OpenAI responses


def read_responses(body: Json, model: str, _path: str) -> Asked:
    asked = Asked("responses", body, model, bool(body.get("stream")), {})
    for tool in body.get("tools") or []:
        kind = tool.get("type")
        if kind == "function":
            asked.tools[tool["name"]] = tool.get("parameters") or {}
        elif kind == "namespace":
            for inner in tool.get("tools") or []:
                asked.tools[inner["name"]] = inner.get("parameters") or {}
                asked.spaces[inner["name"]] = tool["name"]
        elif kind == "custom":
            asked.tools[tool["name"]] = {}
            asked.free.add(tool["name"])
        elif kind == "local_shell":
            asked.tools["local_shell"] = {"properties": {"command": {"type": "array"}}}
    given = body.get("input")
    said = [joined(body.get("instructions"))]
    for part in given if isinstance(given, list) else [{"type": "message", "content": given}]:
        if str(part.get("type", "")).endswith("_output"):
            asked.results.append(joined(part.get("output")))
        elif part.get("role") != "assistant":
            said.append(joined(part.get("content")))
    asked.prompt = "\n".join(said)
    return asked


def responses(asked: Asked, said: Said, key: str) -> Json:
    item: Json = {"id": f"item_{key}", "status": "completed"}
    if said.tool in asked.free:
        given = json.dumps(said.arguments)
        item |= {"type": "custom_tool_call", "call_id": f"call_{key}", "name": said.tool, "input": given}
    elif said.tool:
        arguments = json.dumps(said.arguments)
        item |= {"type": "function_call", "call_id": f"call_{key}", "name": said.tool, "arguments": arguments}
        if said.tool in asked.spaces:
            item["namespace"] = asked.spaces[said.tool]
    else:
        content = [{"type": "output_text", "text": said.text, "annotations": []}]
        item |= {"type": "message", "role": "assistant", "content": content}
    usage: Json = {"input_tokens": TOKENS_IN, "input_tokens_details": {"cached_tokens": 0}}
    usage |= {"output_tokens": TOKENS_OUT, "output_tokens_details": {"reasoning_tokens": 0}}
    usage["total_tokens"] = TOKENS_IN + TOKENS_OUT
    base = {"id": f"resp_{key}", "object": "response", "created_at": 1, "status": "completed", "model": asked.model}
    unset: Json = {"error": None, "incomplete_details": None, "instructions": None, "metadata": {}}
    rest = {"parallel_tool_calls": True, "temperature": 1.0, "tool_choice": "auto", "tools": [], "top_p": 1.0}
    return {**base, "output": [item], "usage": usage, **unset, **rest}


def responses_stream(asked: Asked, said: Said, key: str) -> Iterator[Event]:
    whole = responses(asked, said, key)
    item = whole["output"][0]
    count = 0

    def event(name: str, **parts: Any) -> Event:
        nonlocal count
        count += 1
        return name, {"type": name, "sequence_number": count - 1, **parts}

    place = {"item_id": item["id"], "output_index": 0}
    yield event("response.created", response={**whole, "status": "in_progress", "output": [], "usage": None})
    if item["type"] == "message":
        part = item["content"][0]
        yield event("response.output_item.added", output_index=0, item={**item, "status": "in_progress", "content": []})
        yield event("response.content_part.added", **place, content_index=0, part={**part, "text": ""})
        for piece in said.pieces:
            yield event("response.output_text.delta", **place, content_index=0, delta=piece)
        yield event("response.output_text.done", **place, content_index=0, text=said.text)
        yield event("response.content_part.done", **place, content_index=0, part=part)
    elif item["type"] == "function_call":
        started = {**item, "status": "in_progress", "arguments": ""}
        yield event("response.output_item.added", output_index=0, item=started)
        yield event("response.function_call_arguments.delta", **place, delta=item["arguments"])
        yield event("response.function_call_arguments.done", **place, arguments=item["arguments"])
    yield event("response.output_item.done", output_index=0, item=item)
    yield event("response.completed", response=whole)


# ---------------------------------------------------------------- Gemini generateContent


def read_gemini(body: Json, model: str, path: str) -> Asked:
    asked = Asked("gemini", body, model, ":streamGenerateContent" in path, {})
    for tool in body.get("tools") or []:
        for function in tool.get("functionDeclarations") or []:
            schema = function.get("parametersJsonSchema") or function.get("parameters") or {}
            asked.tools[function["name"]] = schema
    said = [joined(body.get("systemInstruction"))]
    for content in body.get("contents") or []:
        for part in content.get("parts") or []:
            if "functionResponse" in part:
                asked.results.append(json.dumps(part["functionResponse"].get("response")))
            elif content.get("role") != "model":
                said.append(str(part.get("text") or ""))
    asked.prompt = "\n".join(said)
    wanted = body.get("generationConfig") or {}
    asked.shape = wanted.get("responseJsonSchema") or wanted.get("responseSchema")
    return asked


def gemini(asked: Asked, said: Said, key: str) -> Json:
    call = {"functionCall": {"name": said.tool, "args": said.arguments}}
    content = {"role": "model", "parts": [call if said.tool else {"text": said.text}]}
    usage = {"promptTokenCount": TOKENS_IN, "candidatesTokenCount": TOKENS_OUT}
    return {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": {**usage, "totalTokenCount": TOKENS_IN + TOKENS_OUT},
        "modelVersion": asked.model,
        "responseId": key,
    }


def gemini_stream(asked: Asked, said: Said, key: str) -> Iterator[Event]:
    whole = gemini(asked, said, key)
    first, rest = said.text[:10], said.text[10:]
    if rest:  # in two pieces, so that a stream can be cut between them
        start = gemini(asked, Said(first), key)
        del start["candidates"][0]["finishReason"], start["usageMetadata"]
        yield None, start
        whole["candidates"][0]["content"]["parts"] = [{"text": rest}]
    yield None, whole


# ---------------------------------------------------------------- all of them


@dataclass(frozen=True)
class Api:
    path: re.Pattern[str]  # what follows the scenario
    read: Callable[[Json, str, str], Asked]
    whole: Callable[[Asked, Said, str], Json]
    stream: Callable[[Asked, Said, str], Iterator[Event]]


APIS = [
    Api(re.compile(r"(?:/v1)*/messages(?:\?.*)?"), read_anthropic, anthropic, anthropic_stream),
    Api(re.compile(r"(?:/v1)*/chat/completions(?:\?.*)?"), read_chat, chat, chat_stream),
    Api(re.compile(r"(?:/v1)*/responses(?:\?.*)?"), read_responses, responses, responses_stream),
    Api(
        re.compile(r"/v1(?:beta)?/models/(?P<model>[^:/]+):(?:generateContent|streamGenerateContent)(?:\?.*)?"),
        read_gemini,
        gemini,
        gemini_stream,
    ),
]

# Each status in the words of each API: Anthropic's and OpenAI's kind, and Google's.
KINDS = {
    400: ("invalid_request_error", "INVALID_ARGUMENT"),
    401: ("authentication_error", "UNAUTHENTICATED"),
    403: ("permission_error", "PERMISSION_DENIED"),
    429: ("rate_limit_error", "RESOURCE_EXHAUSTED"),
    500: ("api_error", "INTERNAL"),
    503: ("overloaded_error", "UNAVAILABLE"),
}


# What providers say with it, more or less: some clients pass on the words and not the status.
WORDS = {
    400: "Unsupported parameter: 'max_tokens' is not supported with this model.",
    401: "Incorrect API key provided: test-key.",
    402: "Insufficient credits. Add more at your provider.",
    403: "Your project does not have permission to use this model.",
    429: "Rate limit reached for requests.{after}",
    500: "The server had an error while processing your request.",
    503: "The engine is currently overloaded, please try again later.",
}


def failure(api: str, status: int, message: str, code: str | None = None) -> Json:
    """The body of an error as this API words it."""
    kind, google = KINDS.get(status, KINDS[500])
    if api == "anthropic":
        return {"type": "error", "error": {"type": kind, "message": message}}
    if api == "gemini":
        return {"error": {"code": status, "message": message, "status": google}}
    return {"error": {"type": kind, "code": code, "message": message, "param": None}}
