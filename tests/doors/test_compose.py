"""The containers on the page about many machines. No container is started here: the files are read as what would start
them reads them, and every command in them is carried out beside each other, as on three machines."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from folkmoot.config import Settings
from folkmoot.doors.cli.main import moot as cli
from folkmoot.doors.cli.session import Session
from folkmoot.wiring.boards import FileBoards
from tests import forked
from tests.postgres import Server, binaries, free_port
from tests.worker.yard import ACTOR, git

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "many-machines.md").read_text("utf-8")
PART = PAGE.partition("\n## In containers\n")[2].partition("\n## ")[0]
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PART, re.DOTALL | re.MULTILINE)
DOCKERFILE, COMPOSE, ENV, LINES = (text for _, text in BLOCKS)
FILE: dict[str, Any] = yaml.safe_load(COMPOSE)
SERVICES: dict[str, dict[str, Any]] = FILE["services"]
MACHINE: dict[str, str] = dict(line.split("=", 1) for line in ENV.splitlines())
UNIT = PAGE.partition("moot-run.service`")[2].partition("\n```\n")[0]
# Of the Compose Specification: what a service may have, as far as this file has it.
KEYS = {
    *("build", "image", "hostname", "environment", "volumes", "init", "restart", "command", "stop_signal", "profiles"),
    *("stop_grace_period", "healthcheck", "ports"),
}
VARIABLE = re.compile(r"\$\{(\w+)(?::([?-])([^}]*))?\}")
FLOW = f"""
flow: contained
remote: origin
start: dev
limits: {{slots: 2, lease: 60s, timeout: 60s, silence: 30s}}
columns: {{dev: {{agents: [dev], next: done}}}}
agents: {{dev: {{run: {{command: {ACTOR}}}, write: own, needs: [gpu]}}}}
"""
PATIENCE = 120.0


def filled(text: str, values: dict[str, str]) -> str:
    """As `docker compose` puts in what stands in `.env`."""

    def value(found: re.Match[str]) -> str:
        if found[2] == "?" and not values.get(found[1]):
            raise KeyError(found[1])
        return values.get(found[1]) or (found[3] if found[2] == "-" else "")

    return VARIABLE.sub(value, text)


def moots() -> list[list[str]]:
    """Every line that somebody types or a container carries out, from the word `moot` on."""
    found = [service["command"] for service in SERVICES.values() if "command" in service]
    found += [service["healthcheck"]["test"][1:] for service in SERVICES.values()]
    typed = [*LINES.splitlines(), *re.findall(r"`(docker compose [^`]+)`", PART)]
    found += [words[words.index("moot") :] for words in map(shlex.split, typed) if "moot" in words]
    return [words for words in found if words[0] == "moot"]


def test_the_page_has_four_files_of_them() -> None:
    assert [kind for kind, _ in BLOCKS] == ["dockerfile", "yaml", "sh", "sh"]
    assert [name for name in ("Dockerfile", "compose.yaml", ".env") if f"`{name}`" in PART] != []


def test_the_file_is_one_that_compose_reads() -> None:
    assert set(FILE) == {"name", "x-moot", "services", "volumes"}
    for name, service in SERVICES.items():
        assert set(service) <= KEYS, name
        assert ("build" in service) != ("image" in service), name
        check = service["healthcheck"]
        assert check["test"][0] == "CMD" and set(check) == {"test", "interval", "timeout"}, name
        assert service["restart"] == "unless-stopped", name
    used = {volume.partition(":")[0] for service in SERVICES.values() for volume in service["volumes"]}
    assert {name for name in used if not name.startswith(".")} == set(FILE["volumes"])
    assert [name for name, service in SERVICES.items() if "profiles" not in service] == ["run"]


def test_what_it_takes_from_the_machine_is_what_the_machine_says() -> None:
    assert {name for name, _, _ in VARIABLE.findall(COMPOSE)} == set(MACHINE)
    assert filled(COMPOSE, MACHINE) and "MOOT_BOARD" in SERVICES["run"]["environment"]
    for name in ("MOOT_MACHINE", "MOOT_BOARD", "PGPASSWORD"):
        with pytest.raises(KeyError):
            filled(COMPOSE, {**MACHINE, name: ""})
    database = SERVICES["database"]["environment"]
    board = re.fullmatch(r"postgresql://(\w+)@[\w.]+/(\w+)", MACHINE["MOOT_BOARD"])
    assert board is not None and board.groups() == (database["POSTGRES_USER"], database["POSTGRES_DB"])
    check = SERVICES["database"]["healthcheck"]["test"]
    assert check[2:] == [f"--username={board[1]}", f"--dbname={board[2]}"]


def test_it_says_what_the_units_say() -> None:
    """One way to stop, one time for it, one folder; only what is of containers differs."""
    run = SERVICES["run"]
    assert f"KillSignal={run['stop_signal']}\n" in UNIT
    assert run["stop_grace_period"] == "30m" and "TimeoutStopSec=30min\n" in UNIT
    for name, own in (("run", ["--label", "${MOOT_LABELS:-}"]), ("serve", SERVICES["serve"]["command"][3:])):
        (words,) = re.findall(rf"^ExecStart=/srv/moot/bin/(moot {name} .*)$", PAGE, re.MULTILINE)
        assert SERVICES[name]["command"] == [*words.split(), *own]
    (folder,) = re.findall(r"^WORKDIR (.*)$", DOCKERFILE, re.MULTILINE)
    assert f"WorkingDirectory={folder}\n" in UNIT and f"project:{folder}" in run["volumes"]
    (home,) = re.findall(r"--home-dir (\S+) moot ", DOCKERFILE)
    assert f"./ssh:{home}/.ssh:ro" in run["volumes"]
    assert f"install --directory --owner=moot {folder}\n" in DOCKERFILE and "\nUSER moot\n" in DOCKERFILE
    port = next(one for one in cli.get_command(context(), "serve").params if one.name == "port").default  # type: ignore[union-attr]
    assert SERVICES["serve"]["ports"] == [f"127.0.0.1:{port}:{port}"]
    assert f"http://127.0.0.1:{port}/healthz" in SERVICES["serve"]["healthcheck"]["test"][-1]


def test_what_it_installs_is_what_we_are() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (extras,) = re.findall(rf'pip install --no-cache-dir "{project["name"]}\[(.*)\]"', DOCKERFILE)
    assert set(extras.split(",")) == {"pg", "serve"} <= set(project["optional-dependencies"])
    (version,) = re.findall(r"^FROM python:(\d+\.\d+)-slim$", DOCKERFILE, re.MULTILINE)
    assert tuple(map(int, version.split("."))) >= tuple(map(int, project["requires-python"].strip(">=").split(".")))


def context() -> click.Context:
    return click.Context(cli, info_name="moot", obj=Session(FileBoards(), Settings()))


@pytest.mark.parametrize("words", moots(), ids=" ".join)
def test_every_command_in_it_is_ours(words: list[str]) -> None:
    above, rest = context(), words[1:]
    command = cli.get_command(above, rest[0])
    while isinstance(command, click.Group):
        above, rest = click.Context(command, parent=above, info_name=rest[0]), rest[1:]
        command = command.get_command(above, rest[0])
    assert command is not None
    with command.make_context(rest[0], rest[1:], parent=above):
        pass


class Machine:
    """What a container of one machine would be: its folder, its environment, and the commands of the file."""

    def __init__(self, folder: Path, board: str, ports: dict[str, str]) -> None:
        folder.mkdir()
        self.folder, self.services = folder, dict[str, subprocess.Popen[bytes]]()
        values = {**MACHINE, "MOOT_BOARD": board, "MOOT_MACHINE": folder.name}
        text = filled(COMPOSE, values)
        for one, other in ports.items():
            text = text.replace(one, other)
        self.file = yaml.safe_load(text)["services"]
        own = {**self.file["run"]["environment"], "HOME": str(folder.parent), "USER": "moot"}
        self.env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **own}

    def carried_out(self, words: list[str]) -> list[str]:
        ours = {"moot": [sys.executable, "-m", "folkmoot"], "python": [sys.executable]}
        return [*ours.get(words[0], words[:1]), *words[1:]]

    def _ran(self, words: list[str]) -> "subprocess.CompletedProcess[bytes]":
        if words[0] == "moot":
            return forked.run(words[1:], cwd=self.folder, env=self.env)
        return subprocess.run(
            self.carried_out(words), cwd=self.folder, env=self.env, capture_output=True, check=False, timeout=60
        )

    def say(self, *words: str) -> str:
        ran = self._ran(list(words))
        assert ran.returncode == 0, (words, ran.stdout.decode(), ran.stderr.decode())
        return ran.stdout.decode()

    def up(self, service: str) -> None:
        command = self.carried_out(
            [*self.file[service]["command"], *(["--port", self.port()] if service == "serve" else [])]
        )
        with (self.folder.parent / f"{self.folder.name}.{service}").open("wb") as said:
            self.services[service] = subprocess.Popen(
                command, cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL, stdout=said, stderr=said
            )

    def port(self) -> str:
        return str(self.file["serve"]["ports"][0]).rpartition(":")[2]

    def is_healthy(self, service: str) -> bool:
        return self._ran(self.file[service]["healthcheck"]["test"][1:]).returncode == 0

    def down(self) -> int:
        """How its worker ended."""
        for name, process in self.services.items():
            process.send_signal(signal.Signals[self.file[name].get("stop_signal", "SIGTERM")])
        codes = {name: process.wait(60) for name, process in self.services.items()}
        return codes["run"]


def until(holds: Callable[[], bool], what: str, machines: list[Machine]) -> None:
    end = time.monotonic() + PATIENCE
    while not holds():
        said = [path.read_text("utf-8", "replace")[-800:] for path in machines[0].folder.parent.glob("*.run")]
        assert time.monotonic() < end, (what, *said)
        time.sleep(0.2)


def able(machine: Machine) -> int:
    workers = json.loads(machine.say("moot", "workers", "--json"))["workers"]
    return sum(worker["labels"] == ["gpu"] for worker in workers)


def test_three_machines_are_set_up_by_its_commands_and_land_work(postgres: Server, tmp_path: Path) -> None:
    remote, first, board = tmp_path / "project.git", tmp_path / "first", postgres.database()
    git(tmp_path, "init", "-q", "--bare", "-b", "main", str(remote))
    git(tmp_path, "init", "-q", "-b", "main", str(first))
    (first / ".moot").mkdir()
    (first / ".moot" / "flow.yaml").write_text(FLOW)
    git(first, "add", ".")
    git(first, "commit", "-q", "-m", "first")
    git(first, "push", "-q", str(remote), "main")
    port = str(free_port())
    machines = [Machine(tmp_path / name, board, {"7707": port}) for name in ("one", "two", "three")]
    set_up = [shlex.split(line) for line in LINES.splitlines()]
    assert [words[:2] for words in set_up] == [["docker", "compose"]] * 4
    ready = SERVICES["database"]["healthcheck"]["test"][1]
    assert subprocess.run([binaries() / ready, "--dbname", postgres.connect("postgres")], check=False).returncode == 0
    for machine in machines:
        for words in set_up:
            if words[2:5] == ["run", "--rm", "run"]:
                machine.say(*(str(remote) if word.startswith("git@") else word for word in words[5:]))
    try:
        for machine in machines:
            machine.up("run")
        machines[0].up("serve")
        until(lambda: able(machines[1]) == 3, "every worker is there, with the label that its machine has", machines)
        until(lambda: machines[0].is_healthy("serve"), "the server is there", machines)
        assert all(machine.is_healthy("run") for machine in machines)
        for name in ("one", "two", "three"):
            machines[1].say("moot", "add", name, "--body", f"write {name}.txt made\nreport done")
        listed = lambda: json.loads(machines[2].say("moot", "list", "--json"))["items"]  # noqa: E731
        until(lambda: {item["status"] for item in listed()} == {"done"}, "they land", machines)
    finally:
        ended = [machine.down() for machine in machines]
    assert all(git(remote, "show", f"main:{name}.txt") == "made" for name in ("one", "two", "three"))
    assert ended == [0] * 3, "a worker that is stopped in this way ends by itself"
