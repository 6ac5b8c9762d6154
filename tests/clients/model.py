"""A scripted model on loopback, so that real coding clients can be driven without a network or a key.

It speaks the APIs of `apis.py`. The scenario is the first segment of the path, so that any number of clients can use
one server at the same time: `http://127.0.0.1:PORT/<scenario>/v1/chat/completions`. It keeps no state: what it says
follows from the scenario, the tools it is offered and the results it is shown. Every request is kept in `requests`.

    work     writes the files that lines like `WRITE path: content` in the prompt name, one tool call each, then reports
    text     reports at once, without any tool
    silent   ends with words that hold no report
    sleep    calls the shell with a command that takes a minute, then reports
    err400, err401, err402, err403, err429, err500, err503    answers that status every time; err429-30: retry-after 30
             seconds; err429-none: it says nothing about when
    mid500   calls the shell once, and then answers that status
    errsize  says that the prompt is too long for the model
    errmodel says that there is no such model
    hang     takes the request and never answers; hangmid: stops in the middle of its answer
    cut      closes the connection in the middle of its answer
    tools    does an item by the tools of a board: see tools/script.py

By hand: `python -m tests.clients.model 8811`.
"""

import gzip
import itertools
import json
import os
import posixpath
import re
import shlex
import sys
import threading
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from tests.clients.apis import APIS, WORDS, Api, Asked, Json, Said, failure

REPORT = 'That was all.\n\n```json\n{{"outcome": "done", "summary": "{summary}"}}\n```\n'
SILENCE = "I looked at it, and I have nothing to add."
SMALL_TALK = "A scripted talk"  # for calls without tools: titles, summaries
RETRY_AFTER = 1
NONE = "none"

# A plain `sleep` is refused or put in the background by some clients.
SLEEP = "python3 -c 'import time; time.sleep(60)'"

# What the clients call their tools. The first that is offered is taken.
WRITERS = ["Write", "write_file", "write", "create_file", "create", "edit_file", "str_replace_editor"]
SHELLS = [
    "Bash",
    "bash",
    "shell_command",
    "exec_command",
    "shell",
    "run_shell_command",
    "local_shell",
    "execute_command",
]

# What a client without tools tells the model about edits, and one that makes a file.
BLOCKS = "*SEARCH/REPLACE block*"
BLOCK = "{path}\n```\n<<<<<<< SEARCH\n=======\n{content}\n>>>>>>> REPLACE\n```\n"

PATHS = {"file_path", "path", "filePath", "absolute_path", "filename", "filepath"}
CONTENTS = {"content", "contents", "file_text", "text"}
COMMANDS = {"command", "cmd", "script"}

# A line of the prompt that orders a file. The brief may quote, indent or list it.
ORDER = re.compile(r"^[\s>|*-]*WRITE ([^\s:]+): (.*?)\s*$", re.MULTILINE)

# Where the clients tell the model their working directory; some writing tools want absolute paths.
FOLDER = re.compile(
    r"(?:<cwd>|working[ -]director[^/\n]{0,40}|workspace[^/\n]{0,80}|in the directory:? ?`?)(/[^\s\\<>\"`'),]+)", re.I
)


@dataclass
class Request:
    """What is kept of a request."""

    path: str
    scenario: str
    api: str = ""
    model: str = ""
    stream: bool = False
    tools: list[str] | None = None
    results: list[str] | None = None
    said: str = ""  # the tool that was called, or the text
    arguments: Json | None = None
    client: str = ""  # its User-Agent


# ---------------------------------------------------------------- what it says


def decide(scenario: str, asked: Asked) -> Said:
    """What the model answers to this request; nothing else is remembered."""
    if asked.shape:
        return Said(json.dumps(example(asked.shape)))
    if not asked.tools:
        return in_blocks(asked) if scenario == "work" and BLOCKS in asked.prompt else Said(SMALL_TALK)
    if scenario == "tools":
        from tests.clients.tools import script

        return script.decide(asked)
    if scenario == "silent":
        return Said(SILENCE)
    if scenario.startswith("mid") and not asked.results:
        return in_shell(asked, "true")
    if scenario == "sleep" and not asked.results:
        return in_shell(asked, SLEEP)
    if scenario == "work":
        orders = list(dict.fromkeys(ORDER.findall(asked.prompt)))
        if len(asked.results) < len(orders):
            path, content = orders[len(asked.results)]
            return written(asked, path, content + "\n")
        return Said(REPORT.format(summary=f"wrote {len(orders)} of {len(orders)} files"))
    return Said(REPORT.format(summary="nothing had to be changed"))


def in_blocks(asked: Asked) -> Said:
    """All files and the report in one answer, as aider wants it: it offers no tools, and reads edits in the text. It
    shows the files that the prompt names, and of those that are as they should be nothing is said."""
    orders = dict.fromkeys(ORDER.findall(asked.prompt))
    missing = [(path, line) for path, line in orders if f"{path}\n```\n{line}\n```" not in asked.prompt]
    edits = [BLOCK.format(path=path, content=content) for path, content in missing]
    return Said("\n".join([*edits, REPORT.format(summary=f"wrote {len(edits)} of {len(orders)} files")]))


def written(asked: Asked, path: str, content: str) -> Said:
    """The call that writes this file: by the client's own tool for files, else by its shell."""
    folder = working_folder(asked.prompt)
    for name in WRITERS:
        if name in asked.tools:
            place = posixpath.join(folder, path) if folder else path
            return Said(tool=name, arguments=fill(asked.tools[name], {"path": place, "content": content}))
    above = shlex.quote(posixpath.dirname(path) or ".")
    return in_shell(asked, f"mkdir -p {above} && printf %s {shlex.quote(content)} > {shlex.quote(path)}")


def in_shell(asked: Asked, command: str) -> Said:
    for name in SHELLS:
        if name in asked.tools:
            return Said(tool=name, arguments=fill(asked.tools[name], {"command": command}))
    return Said(f"None of these tools can do it: {', '.join(asked.tools)}")


def fill(schema: Json, values: dict[str, str]) -> Json:
    """Arguments that fit the tool's JSON schema, with our values where they belong."""
    arguments: Json = {}
    required = set(schema.get("required") or [])
    for name, part in (schema.get("properties") or {}).items():
        if name in PATHS and "path" in values:
            arguments[name] = values["path"]
        elif name in CONTENTS and "content" in values:
            arguments[name] = values["content"]
        elif name in COMMANDS and "command" in values:
            listed = (part or {}).get("type") == "array"
            arguments[name] = ["bash", "-lc", values["command"]] if listed else values["command"]
        elif name == "command" and "content" in values:
            arguments[name] = "create"  # a tool for files that is told what to do
        elif name in required:
            arguments[name] = example(part or {}, name)
    return arguments


def example(schema: Json, name: str = "text") -> Any:
    """Any value that fits a JSON schema."""
    if schema.get("enum"):
        return schema["enum"][0]
    kind = str(schema.get("type", "string")).lower()
    if kind == "object":
        return {key: example(part or {}, key) for key, part in (schema.get("properties") or {}).items()}
    plain = {"integer": 1, "number": 1, "boolean": False, "array": []}
    return plain.get(kind, f"scripted {name}")


def working_folder(prompt: str) -> str | None:
    """The first folder that the prompt calls so and that is there: prompts have more to say about folders."""
    named = (found.group(1).rstrip("/.,:") for found in FOLDER.finditer(prompt))
    return next(filter(os.path.isdir, named), None)


# ---------------------------------------------------------------- the server


class Model:
    """The server, in threads of this process. Use it as a context manager."""

    def __init__(self, port: int = 0, log: bool = False) -> None:
        self.requests: list[Request] = []
        self.closing = threading.Event()  # what hangs, hangs until then
        self.keys = map("{:06d}".format, itertools.count(1))  # ids only have to differ
        self.log = log
        model = self

        class Bound(Handler):
            owner = model

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Bound)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True, kwargs={"poll_interval": 0.05})

    @property
    def port(self) -> int:
        return int(self.server.server_address[1])

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def note(self, request: Request) -> None:
        self.requests.append(request)
        if self.log:
            print(json.dumps(asdict(request)), file=sys.stderr, flush=True)

    def __enter__(self) -> "Model":
        self.thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.closing.set()
        self.server.shutdown()
        self.server.server_close()


class Handler(BaseHTTPRequestHandler):
    """One connection of a client."""

    owner: Model
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self) -> None:
        raw = self.body()
        if not self.path.startswith("/"):  # it was sent to somebody else, and we are the proxy
            self.send(407, failure("chat", 407, "Proxy authentication required"))
            return
        scenario, rest = self.place()
        for api in APIS:
            if found := api.path.fullmatch(rest):
                body = json.loads(raw or b"{}")
                asked = api.read(body, found.groupdict().get("model") or str(body.get("model") or "scripted"), rest)
                self.answer(scenario, api, asked)
                return
        self.owner.note(Request(self.path, scenario))
        if rest.split("?")[0].endswith(("/count_tokens", ":countTokens")):
            self.send(200, {"input_tokens": 100, "totalTokens": 100})
        else:
            self.send(404, failure("chat", 400, "not scripted"))

    def do_GET(self) -> None:
        scenario, rest = self.place()
        self.owner.note(Request(self.path, scenario))
        if rest.split("?")[0].endswith("/models"):
            known = {"id": "scripted", "object": "model", "created": 1, "owned_by": "tests"}
            self.send(200, {"object": "list", "data": [known], "models": [], "has_more": False})
        else:
            self.send(404, failure("chat", 400, "not scripted"))

    def place(self) -> tuple[str, str]:
        """The scenario, and the path below it."""
        _, scenario, *rest = self.path.split("/", 2)
        return scenario, "/" + "".join(rest)

    def body(self) -> bytes:
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            raw = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                raw += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        return gzip.decompress(raw) if self.headers.get("Content-Encoding") == "gzip" else raw

    def answer(self, scenario: str, api: Api, asked: Asked) -> None:
        said = decide(scenario, asked)
        self.owner.note(
            Request(
                self.path,
                scenario,
                asked.api,
                asked.model,
                asked.stream,
                list(asked.tools),
                asked.results,
                said.tool or said.text,
                said.arguments,
                self.headers.get("User-Agent", ""),
            )
        )
        if self.failed(scenario, asked):
            return
        key = next(self.owner.keys)
        if asked.stream:
            self.stream(scenario, [encoded(*event) for event in api.stream(asked, said, key)])
        else:
            self.whole(scenario, json.dumps(api.whole(asked, said, key)).encode())

    def failed(self, scenario: str, asked: Asked) -> bool:
        """Whether the scenario is an error, which was answered then."""
        if scenario == "hang":
            self.owner.closing.wait()
            self.close_connection = True
            return True
        if scenario == "errsize":
            message = "This model's maximum context length is 1000 tokens. However, your prompt has 2000 tokens."
            if asked.api == "anthropic":
                message = "prompt is too long: 2000 tokens > 1000 maximum"
            self.send(400, failure(asked.api, 400, message, code="context_length_exceeded"))
            return True
        if scenario == "errmodel":
            message = f"The model `{asked.model}` does not exist or you do not have access to it."
            self.send(404, failure(asked.api, 404, message, code="model_not_found"))
            return True
        wanted = re.fullmatch(r"(?:err|mid)(\d{3})(?:-(\d+|none))?", scenario)
        if wanted and (scenario.startswith("err") or asked.results):
            status, after = int(wanted.group(1)), wanted.group(2) or str(RETRY_AFTER)
            words = WORDS.get(status, WORDS[500]).format(
                after=f" Please try again in {after}s." if after != NONE else ""
            )
            told = status == 429 and after != NONE
            self.send(status, failure(asked.api, status, words), {"retry-after": after} if told else {})
            return True
        return False

    def send(self, status: int, body: Json, more: dict[str, str] | None = None) -> None:
        raw = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(len(raw)),
            **(more or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def whole(self, scenario: str, raw: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        half = scenario in ("hangmid", "cut")
        self.wfile.write(raw[: len(raw) // 2] if half else raw)
        if half:
            self.stop_here(scenario)

    def stream(self, scenario: str, events: list[bytes]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        half = scenario in ("hangmid", "cut")
        for event in events[: max(1, len(events) // 2)] if half else events:
            self.chunk(event)
        if half:
            self.stop_here(scenario)
        else:
            self.chunk(b"")

    def chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def stop_here(self, scenario: str) -> None:
        """The answer ends in the middle: the connection is closed, or nothing more comes."""
        if scenario == "hangmid":
            self.owner.closing.wait()
        self.close_connection = True

    def handle(self) -> None:
        try:
            super().handle()
        except ConnectionError:
            self.close_connection = True  # the client went away, which is what half of the scenarios are about

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are kept by `note`."""


def encoded(name: str | None, data: Json | str) -> bytes:
    text = data if isinstance(data, str) else json.dumps(data)
    return f"event: {name}\ndata: {text}\n\n".encode() if name else f"data: {text}\n\n".encode()


def main() -> None:
    with Model(int(sys.argv[1]) if len(sys.argv) > 1 else 0, log=True) as model:
        print(f"{model.address}/<scenario>/…", flush=True)
        model.thread.join()


if __name__ == "__main__":
    main()
