"""Our driver with a real process on the other side of the Agent Client Protocol."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from folkmoot.worker.clients.acp_driver import drive, read_arguments
from folkmoot.worker.clients.listener import listener
from folkmoot.worker.ports import Ended, Stream

AGENT = Path(__file__).with_name("acp_agent.py")
DRIVER = [sys.executable, "-P", "-m", "folkmoot.worker.clients.acp_driver"]
OPTIONS = [
    {"optionId": "x-always", "name": "always", "kind": "allow_always"},
    {"optionId": "x-yes", "name": "yes", "kind": "allow_once"},
    {"optionId": "x-no", "name": "no", "kind": "reject_once"},
]
PERMISSION = {"toolCall": {"toolCallId": "t1", "title": "Write a.txt", "kind": "edit"}, "options": OPTIONS}
END = {
    "do": "end",
    "with": {"result": {"stopReason": "end_turn", "usage": {"totalTokens": 9, "inputTokens": 7, "outputTokens": 2}}},
}


def text(words: str) -> dict[str, Any]:
    chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": words}}
    return {"do": "update", "update": chunk}


def ask(method: str, **params: Any) -> dict[str, Any]:
    return {"do": "ask", "method": method, "params": params}


class Scene:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.workspace = folder / "workspace"
        self.workspace.mkdir()
        self.prompt = folder / "prompt.txt"
        self.prompt.write_text("Do the work", "utf-8")

    def command(self, plan: dict[str, Any], *flags: str) -> list[str]:
        (self.folder / "plan.json").write_text(json.dumps(plan), "utf-8")
        agent = [sys.executable, str(AGENT), str(self.folder / "plan.json"), str(self.folder / "diary")]
        words = ["--cwd", str(self.workspace), "--prompt-file", str(self.prompt), *flags]
        return [*DRIVER, *words, "--", *agent]

    def drive(
        self, *acts: dict[str, Any], flags: tuple[str, ...] = (), **plan: Any
    ) -> tuple[int, list[dict[str, Any]]]:
        """One turn, driven from here: to load the package takes longer than all the rest."""
        lines: list[dict[str, Any]] = []
        return asyncio.run(self.turn(self.command({"acts": list(acts), **plan}, *flags), lines)), lines

    async def turn(self, argv: list[str], lines: list[dict[str, Any]]) -> int:
        return await drive(read_arguments(argv[len(DRIVER) :]), lines.append, asyncio.Event())

    def diary(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "diary").read_text("utf-8").splitlines()]

    def told(self, key: str, value: str) -> dict[str, Any]:
        return next(entry for entry in self.diary() if entry.get(key) == value)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


def heard(lines: list[dict[str, Any]], code: int = 0) -> Stream:
    ears = listener("acp")
    for line in lines:
        ears.feed(json.dumps(line))
    return ears.finish(Ended(code=code), "")


def test_a_turn_becomes_lines(scene: Scene) -> None:
    started = {"sessionUpdate": "tool_call", "toolCallId": "t1", "title": "Write", "kind": "edit", "status": "pending"}
    ended = {"sessionUpdate": "tool_call_update", "toolCallId": "t1", "status": "completed"}
    used = {"sessionUpdate": "usage_update", "used": 5, "size": 100, "cost": {"amount": 0.25, "currency": "USD"}}
    acts = [{"do": "update", "update": update} for update in (started, ended, used)]
    code, lines = scene.drive(text("let me see"), *acts, text("all "), text("done"), END)
    assert code == 0
    assert [line["type"] for line in lines] == ["text", "tool", "tool", "usage", "text", "text", "end"]
    assert lines[-1] == {"type": "end", "stop": "end_turn", "usage": {"input_tokens": 7, "output_tokens": 2}}
    stream = heard(lines)
    assert (stream.text, stream.succeeded, stream.over, stream.cost_usd) == ("all done", True, True, 0.25)
    prompted = scene.told("method", "session/prompt")["params"]["prompt"]
    assert prompted == [{"type": "text", "text": "Do the work"}]
    assert scene.told("method", "session/new")["params"]["cwd"] == str(scene.workspace)
    assert scene.diary()[-1] == {"method": "closed"}  # sent home by closing its input, not killed


@pytest.mark.parametrize(("policy", "option", "outcome"), [("allow", "x-yes", "allowed"), ("deny", "x-no", "denied")])
def test_permissions_are_answered_by_kind(scene: Scene, policy: str, option: str, outcome: str) -> None:
    _, lines = scene.drive(ask("session/request_permission", **PERMISSION), END, flags=("--permissions", policy))
    answer = scene.told("asked", "session/request_permission")["result"]
    assert answer == {"outcome": {"outcome": "selected", "optionId": option}}
    assert (lines[0]["type"], lines[0]["title"], lines[0]["outcome"]) == ("permission", "Write a.txt", outcome)
    assert heard(lines).denied == ([] if policy == "allow" else ["Write a.txt"])


def test_where_a_person_should_be_asked_the_act_is_refused_and_the_agent_told_to_ask(scene: Scene) -> None:
    only_allow = {**PERMISSION, "options": OPTIONS[:2]}
    scene.drive(ask("session/request_permission", **only_allow), END, flags=("--permissions", "ask"))
    assert scene.told("asked", "session/request_permission")["result"] == {"outcome": {"outcome": "cancelled"}}
    assert "`asks`" in scene.told("method", "session/prompt")["params"]["prompt"][0]["text"]


def test_files_are_served_within_the_workspace(scene: Scene) -> None:
    path = scene.workspace / "deep" / "a.txt"
    acts = [ask("fs/write_text_file", path=str(path), content="one\ntwo\nthree\n")]
    acts += [ask("fs/read_text_file", path=str(path), line=2, limit=1)]
    code, _ = scene.drive(*acts, END)
    assert code == 0 and path.read_text("utf-8") == "one\ntwo\nthree\n"
    assert scene.told("asked", "fs/read_text_file")["result"] == {"content": "two\n"}


@pytest.mark.parametrize(
    "path", ["{folder}/out.txt", "{workspace}/../out.txt", "{workspace}/link/out.txt", "../out.txt"]
)
@pytest.mark.parametrize("method", ["fs/write_text_file", "fs/read_text_file"])
def test_no_file_is_served_outside_the_workspace(scene: Scene, method: str, path: str) -> None:
    (scene.folder / "out.txt").write_text("secret", "utf-8")
    (scene.workspace / "link").symlink_to(scene.folder)
    path = path.format(folder=scene.folder, workspace=scene.workspace)
    scene.drive(ask(method, path=path, content="changed"), END)
    entry = scene.told("asked", method)
    assert entry["result"] is None and "outside the workspace" in json.dumps(entry["error"])
    assert (scene.folder / "out.txt").read_text("utf-8") == "secret"


def test_a_link_made_in_the_workspace_is_not_followed_out_of_it(scene: Scene) -> None:
    (scene.folder / "out.txt").write_text("secret", "utf-8")
    (scene.workspace / "in.txt").symlink_to(scene.folder / "out.txt")
    scene.drive(ask("fs/write_text_file", path=str(scene.workspace / "in.txt"), content="changed"), END)
    assert (scene.folder / "out.txt").read_text("utf-8") == "secret"


def test_no_terminal_is_offered(scene: Scene) -> None:
    code, _ = scene.drive(ask("terminal/create", command="id"), END)
    assert code == 0 and scene.told("asked", "terminal/create")["error"]["code"] == -32601
    assert not scene.told("method", "initialize")["params"].get("clientCapabilities", {}).get("terminal")


MODEL: dict[str, Any] = {"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": "small"}
MODEL |= {"options": [{"value": "small", "name": "S"}, {"value": "big", "name": "B"}]}


def test_the_model_is_chosen_where_it_can_be(scene: Scene) -> None:
    code, _ = scene.drive(END, flags=("--model", "big"), session={"configOptions": [MODEL]})
    params = scene.told("method", "session/set_config_option")["params"]
    assert code == 0 and (params["configId"], params["value"]) == ("model", "big")


def test_another_model_than_the_one_asked_for_is_never_used(scene: Scene) -> None:
    code, lines = scene.drive(END, flags=("--model", "big"))
    assert code == 1 and "big" in lines[-1]["error"]
    assert all(entry.get("method") != "session/prompt" for entry in scene.diary())
    refuse = {"session/set_config_option": "no such value"}
    _, lines = scene.drive(END, flags=("--model", "huge"), session={"configOptions": [MODEL]}, refuse=refuse)
    assert "small, big" in lines[-1]["error"]
    assert heard(lines, 1).cause == "environment"


def test_an_agent_that_must_ask_is_put_into_a_mode_that_asks_whatever_its_own_is(scene: Scene) -> None:
    modes = [{"id": name, "name": name} for name in ("auto", "default", "yolo")]
    session = {"modes": {"currentModeId": "auto", "availableModes": modes}}
    flags = ("--permissions", "deny", "--mode", "default", "--must-ask")
    code, _ = scene.drive(END, flags=flags, session=session)
    assert code == 0 and scene.told("method", "session/set_mode")["params"]["modeId"] == "default"


def test_an_agent_without_a_mode_that_asks_is_not_prompted(scene: Scene) -> None:
    modes = [{"id": name, "name": name} for name in ("auto", "yolo")]
    session = {"modes": {"currentModeId": "auto", "availableModes": modes}}
    flags = ("--permissions", "ask", "--mode", "default", "--must-ask")
    code, lines = scene.drive(END, flags=flags, session=session)
    assert code == 1 and "permissions: ask cannot hold" in lines[-1]["error"] and "auto, yolo" in lines[-1]["error"]
    assert all(entry.get("method") != "session/prompt" for entry in scene.diary())


ACTS: list[tuple[dict[str, Any], str, str]] = [
    ({"title": "Shell", "kind": "execute", "rawInput": {"command": "rm -rf build"}}, "Shell", "$ rm -rf build"),
    ({"title": "`ls`", "rawInput": {"cmd": ["ls", "-l"]}}, "`ls`", "$ ls -l"),
    ({"rawInput": {"command": "make\ninstall"}}, "make install", "$ make\ninstall"),
    (
        {"title": "Edit", "content": [{"type": "diff", "path": "a.py", "oldText": "x = 1\n", "newText": "x = 2\n"}]},
        "Edit",
        "change a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2",
    ),
    (
        {"title": "Write", "content": [{"type": "diff", "path": "b.py", "newText": "y = 1\n"}]},
        "Write",
        "write b.py\n@@ -0,0 +1 @@\n+y = 1",
    ),
    ({"title": "Fetch", "rawInput": {"url": "http://x.invalid"}}, "Fetch", '{"url": "http://x.invalid"}'),
    ({}, "a tool", ""),
]


@pytest.mark.parametrize(("call", "title", "act"), ACTS)
def test_what_is_asked_shows_the_command_or_the_change_itself(
    scene: Scene, call: dict[str, Any], title: str, act: str
) -> None:
    asked = {"toolCall": {"toolCallId": "t1", **call}, "options": OPTIONS}
    _, lines = scene.drive(ask("session/request_permission", **asked), END, flags=("--permissions", "deny"))
    assert (lines[0]["title"], lines[0]["act"], lines[0]["outcome"]) == (title, act, "denied")


def test_what_is_shown_of_an_act_is_bounded(scene: Scene) -> None:
    change = [{"type": "diff", "path": "a", "newText": "line\n" * 500}]
    for call in ({"rawInput": {"command": "x" * 100_000}}, {"content": change}):
        asked = {"toolCall": {"toolCallId": "t1", **call}, "options": OPTIONS}
        _, lines = scene.drive(ask("session/request_permission", **asked), END, flags=("--permissions", "deny"))
        assert len(lines[0]["act"]) < 2_100 and len(lines[0]["title"]) < 300 and "more]" in lines[0]["act"]


def test_a_mode_is_chosen_in_which_files_can_be_edited(scene: Scene) -> None:
    modes = [{"id": name, "name": name} for name in ("default", "https://x/modes#auto", "yolo")]
    session = {"modes": {"currentModeId": "default", "availableModes": modes}}
    flags = ("--mode", "none-such", "--mode", "auto", "--mode", "yolo")
    code, _ = scene.drive(END, flags=flags, session=session)
    assert code == 0 and scene.told("method", "session/set_mode")["params"]["modeId"] == "https://x/modes#auto"


def test_it_signs_in_where_that_is_offered(scene: Scene) -> None:
    scene.drive(END, flags=("--auth", "key"), auth=[{"id": "key", "name": "Key"}])
    assert scene.told("method", "authenticate")["params"]["methodId"] == "key"


def test_an_error_of_the_agent_is_told_with_what_it_sent_along(scene: Scene) -> None:
    error = {"code": -32603, "message": "Internal error", "data": {"details": "429 too many"}}
    code, lines = scene.drive({"do": "end", "with": {"error": error}})
    assert code == 1 and lines[-1]["stop"] == "error" and "429 too many" in lines[-1]["error"]
    assert heard(lines, 1).cause == "quota"


def test_an_agent_that_ends_by_itself_is_an_error(scene: Scene) -> None:
    code, lines = scene.drive(text("half"), {"do": "exit", "code": 3})
    assert code == 1 and "exit code 3" in lines[-1]["error"]
    assert heard(lines, 1).cause == "transient"


def test_noise_and_very_long_lines_do_no_harm(scene: Scene) -> None:
    code, lines = scene.drive({"do": "raw", "text": "a banner\n{broken\n"}, text("x" * 4_000_000), END)
    assert code == 0 and len(lines[-2]["text"]) == 4_000_000


def test_a_program_that_is_not_there(scene: Scene) -> None:
    argv = [*DRIVER, "--cwd", str(scene.workspace), "--prompt-file", str(scene.prompt), "--", "/nowhere/agent"]
    lines: list[dict[str, Any]] = []
    assert asyncio.run(scene.turn(argv, lines)) == 127
    assert heard(lines, 127).cause == "environment"


def test_all_can_stand_in_a_file(scene: Scene) -> None:
    argv = scene.command({"acts": [END]})
    spec = {"argv": argv[argv.index("--") + 1 :], "cwd": str(scene.workspace), "prompt_file": str(scene.prompt)}
    (scene.folder / "spec.json").write_text(json.dumps(spec), "utf-8")
    ran = subprocess.run(
        [*DRIVER, "--spec", str(scene.folder / "spec.json")], capture_output=True, check=False, timeout=60
    )
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize("act", ["wait", "deaf"])
def test_a_signal_cancels_the_turn_and_ends_even_a_deaf_agent(scene: Scene, act: str) -> None:
    argv = scene.command({"acts": [text("go"), {"do": act}]})
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, start_new_session=True) as driver:
        assert driver.stdout is not None
        lines = [driver.stdout.readline()]
        if act == "deaf":
            lines.append(driver.stdout.readline())
        driver.send_signal(signal.SIGTERM)
        lines += driver.stdout.read().splitlines()
        assert driver.wait() == 1
        # The agent was in the same process group, and nothing of that is left.
        with pytest.raises(ProcessLookupError):
            os.killpg(driver.pid, 0)
    assert json.loads(lines[-1]) == {"type": "end", "stop": "cancelled"}
    cancelled = [entry for entry in scene.diary() if entry["method"] == "session/cancel"]
    assert bool(cancelled) == (act == "wait")
