"""What `moot init` writes: a flow that fits the project and the clients that are installed, and true names in it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from folkmoot.flows.load import read_flow
from folkmoot.flows.preset import preset_names, read_preset
from folkmoot.wiring.files.found_gate import found_gate
from folkmoot.worker.clients.catalogue import Catalogue, Installed
from folkmoot.worker.clients.suggest import fitted
from tests.doors.conftest import Moot, environment
from tests.doors.terminal import Terminal, shown

CLIENTS = Catalogue.load().clients


def installed(*names: str) -> list[Installed]:
    return [Installed(known=CLIENTS[name], path=f"/bin/{name}") for name in names]


GATES = [
    ({}, None),
    ({"Makefile": "test:\n\tpytest\n"}, "make test"),
    ({"Makefile": ".PHONY: check\ncheck: build\n\t./run\n"}, "make check"),
    ({"Makefile": "test := unit\nall:\n\ttrue\n"}, None),
    ({"package.json": '{"scripts": {"test": "vitest run"}}'}, "npm test"),
    ({"package.json": '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'}, None),
    ({"package.json": "{"}, None),
    ({"package.json": '["scripts"]'}, None),
    ({"Cargo.toml": "[package]\n"}, "cargo test"),
    ({"go.mod": "module x\n"}, "go test ./..."),
    ({"pytest.ini": "[pytest]\n"}, "python -m pytest -q"),
    ({"pyproject.toml": "[tool.pytest.ini_options]\n"}, "python -m pytest -q"),
    ({"pyproject.toml": "[project]\nname = 'x'\n"}, None),
    ({"Makefile": "test:\n\tcargo test\n", "Cargo.toml": "[package]\n"}, "make test"),
]


@pytest.mark.parametrize(("files", "command"), GATES)
def test_the_check_of_a_project_is_found(tmp_path: Path, files: dict[str, str], command: str | None) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    found = found_gate(str(tmp_path))
    assert (found.command if found else None) == command
    if found is not None:
        assert found.where in files


def test_a_fresh_clone_gets_its_packages_before_the_check(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"scripts": {"test": "vitest"}}', "utf-8")
    (tmp_path / "package-lock.json").write_text("{}", "utf-8")
    found = found_gate(str(tmp_path))
    assert found is not None and found.setup == "npm ci"
    flow = read_flow(fitted(read_preset("simple")["flow.yaml"], [], None, found.command, found.setup), "f", str).flow
    assert flow.gates["tests"].setup == [["npm", "ci"]] and flow.gates["tests"].run == ["npm", "test"]
    assert flow.columns["code"].gate == ["tests"]


@pytest.mark.parametrize("name", preset_names())
@pytest.mark.parametrize("client", [*CLIENTS, None])
def test_every_preset_is_sound_with_every_client_and_its_models_are_true(name: str, client: str | None) -> None:
    text = fitted(read_preset(name)["flow.yaml"], installed(client) if client else [], "trunk", "make test")
    flow = read_flow(text, "flow.yaml", read_preset(name).get).flow
    assert flow.target == "trunk" and ("tests" in flow.gates) == (name == "simple")
    if client is None:
        return
    rungs = {rung.model for agent in flow.agents.values() for rung in agent.ladder} - {"escalate"}
    assert rungs <= {*CLIENTS[client].models, client}, (
        "a name on the screen is one that the client has, or the client's"
    )
    assert all(flow.models[rung].client == client for rung in rungs)
    assert {flow.models[rung].id for rung in rungs} <= {*CLIENTS[client].models, None}


def test_the_small_flow_is_short_and_ends_before_a_seventh_attempt() -> None:
    text = fitted(read_preset("simple")["flow.yaml"], installed("claude-code", "codex"), "trunk", "npm test", "npm ci")
    assert len(text.splitlines()) <= 40
    flow = read_flow(text, "flow.yaml", read_preset("simple").get).flow
    assert [rung.model for rung in flow.agents["coder"].ladder] == ["sonnet", "opus", "escalate"]
    assert flow.budget.item_usd and flow.budget.day_usd and flow.budget.day_time


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("make test", ["make", "test"]),
        ("cd web && npm test", ["sh", "-c", "cd web && npm test"]),
        ("CI=1 make test", ["sh", "-c", "CI=1 make test"]),
        ("./check 'all of it'", ["./check", "all of it"]),
        ("./check 'half", ["sh", "-c", "./check 'half"]),
    ],
)
def test_the_gate_that_was_named_is_the_gate(nowhere: Moot, said: str, words: list[str]) -> None:
    (nowhere.folder / "Makefile").write_text("test:\n\ttrue\n", "utf-8")
    made = nowhere.json("init", "--gate", said)
    assert list(made["gates"]) == ["tests"] and made["gate_found_in"] is None
    flow = (nowhere.folder / ".moot" / "flow.yaml").read_text("utf-8")
    assert json.dumps(words) in flow


def test_the_gate_that_was_found_is_named(nowhere: Moot) -> None:
    (nowhere.folder / "Makefile").write_text("test:\n\ttrue\n", "utf-8")
    assert "Work is proved by make test (found in Makefile)" in nowhere("init").out
    assert nowhere.json("check")["flow"] == "simple"


def test_no_gate_is_taken_where_none_is_wanted_or_there(nowhere: Moot) -> None:
    assert nowhere("init", "--gate", "x", "--no-gate", "--json", code=2).error["code"] == "bad_usage"
    refused = nowhere("init", "--preset", "kanban", "--gate", "x", "--json", code=2).error
    assert refused["code"] == "bad_usage" and refused["hint"].startswith("make the board without it")
    assert not (nowhere.folder / ".moot").exists()
    (nowhere.folder / "Makefile").write_text("test:\n\ttrue\n", "utf-8")
    out = nowhere("init", "--no-gate").out
    assert "No check of the project proves work yet" in out and "make test" not in out


def test_a_presets_own_gate_gets_the_command_that_is_named_and_does_not_go(nowhere: Moot) -> None:
    refused = nowhere("init", "--preset", "quest", "--no-gate", "--json", code=2).error
    assert refused["code"] == "bad_usage" and "ward" in refused["message"] and "--gate COMMAND" in refused["hint"]
    assert not (nowhere.folder / ".moot").exists()
    assert nowhere.json("init", "--preset", "quest", "--gate", "./check 'all of it'")["gates"] == {
        "ward": "./check 'all of it'"
    }
    assert nowhere.json("check")["flow"] == "quest"


@pytest.mark.parametrize(
    ("preset", "runs"), [("simple", 2), ("kanban", 6), ("handoff", 3), ("pipeline", 4), ("escalation", 1), ("quest", 4)]
)
def test_what_an_item_costs_in_runs_is_said(nowhere: Moot, preset: str, runs: int) -> None:
    made = nowhere("init", "--preset", preset).out
    assert f"An item takes {runs} run{'s' if runs > 1 else ''} where nothing is wrong with it: " in " ".join(
        made.split()
    )


@pytest.mark.parametrize(
    ("typed", "gate"), [("", ["make", "test"]), ("n", None), ("make -s test", ["make", "-s", "test"])]
)
def test_at_a_terminal_the_user_says_whether_it_is_the_gate(tmp_path: Path, typed: str, gate: list[str] | None) -> None:
    (tmp_path / "Makefile").write_text("test:\n\ttrue\n", "utf-8")
    mine, terminal = os.openpty()
    try:
        os.write(mine, f"{typed}\n".encode())
        command = [sys.executable, "-m", "folkmoot", "init"]
        made = subprocess.run(command, cwd=tmp_path, stdin=terminal, stderr=terminal, stdout=subprocess.PIPE, text=True)
        assert made.returncode == 0 and b"Makefile has a check: make test." in os.read(mine, 10_000)
    finally:
        os.close(mine)
        os.close(terminal)
    flow = read_flow((tmp_path / ".moot" / "flow.yaml").read_text("utf-8"), "flow.yaml", str).flow
    assert (flow.gates["tests"].run if "tests" in flow.gates else None) == gate


@pytest.mark.parametrize("key", ["\x04", "\x03"])
def test_a_question_that_is_not_answered_says_that_no_board_was_made(tmp_path: Path, key: str) -> None:
    (tmp_path / "Makefile").write_text("test:\n\ttrue\n", "utf-8")
    env = {**environment(), "HOME": str(tmp_path), "PATH": os.environ["PATH"], "NO_COLOR": "1"}
    terminal = Terminal([sys.executable, "-m", "folkmoot", "init"], columns=100, env=env, folder=tmp_path)
    terminal.wait_for("or write another command")
    said = shown(terminal.end_by(key))
    assert terminal.code == 1 and "no board was made" in said and "moot init --no-gate" in said
    assert not (tmp_path / ".moot").exists()
