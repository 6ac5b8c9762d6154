"""`moot ready`, and the same looks at the start of `moot run`: each is green, or says the one thing to do."""

import json
import os
import shutil
import socket
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from folkmoot.api.machine import Look, Readiness
from folkmoot.worker.ready import trial
from tests.doors.conftest import Moot, environment
from tests.doors.terminal import Terminal, shown
from tests.worker.yard import git

HALF = (
    "file:///opt/codex/bin/codex.js:100\n    throw new Error(`Missing optional dependency`);\n    ^\n\n"
    "Error: Missing optional dependency @openai/codex-linux-x64. Reinstall Codex: npm install -g @openai/codex@latest\n"
    "    at file:///opt/codex/bin/codex.js:100:11\n"
)
# A coding client as a script: it says its version, and as an agent it writes a file and reports.
CLIENT = """#!/bin/sh
if [ "$1" = --version ]; then
  {answer}
fi
cat > /dev/null
echo hello > hello.txt
printf '{{"outcome": "done", "summary": "wrote it"}}' > "$MOOT_REPORT"
"""


class Desk:
    """A user's machine: a home, a folder with programs, and a project whose gate is `make test`."""

    def __init__(self, moot: Moot, patch: pytest.MonkeyPatch) -> None:
        self.moot = moot
        self.home = moot.folder.parent / "home"
        self.bin = moot.folder.parent / "bin"
        for folder in (self.home, self.bin):
            folder.mkdir()
        patch.setenv("HOME", str(self.home))
        patch.setenv("PATH", f"{self.bin}:{Path(sys.executable).parent}:/usr/bin:/bin")
        for name in list(os.environ):
            if name.startswith(("OPENAI_", "CODEX_", "AZURE_")) or name.lower().endswith("_proxy"):
                patch.delenv(name)

    def client(self, answer: str = "echo codex-cli 9.8.7; exit 0") -> None:
        program = self.bin / "codex"
        program.write_text(CLIENT.format(answer=answer))
        program.chmod(0o755)

    def signed_in(self, **tokens: Any) -> None:
        (self.home / ".codex").mkdir(exist_ok=True)
        (self.home / ".codex" / "auth.json").write_text(json.dumps(tokens or {"OPENAI_API_KEY": "sk-none"}))

    def project(self, check: str = "true") -> None:
        (self.moot.folder / "Makefile").write_text(f"test:\n\t@{check}\n")
        git(self.moot.folder, "init", "-q", "-b", "main", ".")
        git(self.moot.folder, "add", ".")
        git(self.moot.folder, "commit", "-q", "-m", "first")
        self.moot("init")

    def counted(self) -> None:
        """From now on each run of the gate leaves a letter."""
        (self.moot.folder / "Makefile").write_text(f"test:\n\t@printf x >> {self.home}/count\n")
        git(self.moot.folder, "commit", "-qam", "counted")
        with (self.moot.folder / ".moot" / "flow.yaml").open("a") as flow:
            flow.write("sandbox: never\n")
        self.moot("apply")

    @property
    def gate_runs(self) -> int:
        count = self.home / "count"
        return len(count.read_text()) if count.exists() else 0

    def ready(self, *words: str) -> dict[str, Look]:
        """The looks by their names; the exit code agrees with them."""
        answer = self.moot("ready", "--json", *words, code=None)
        view = msgspec.json.decode(answer.out, type=Readiness)
        assert answer.code == (0 if view.ok else 1)
        assert view.ok == all(one.state != "act" for one in view.looks)
        assert all(one.next for one in view.looks if one.state == "act"), "whatever must be done is said"
        assert view.ok or json.loads(answer.err.splitlines()[-1])["error"]["code"] == "not_ready"
        return {one.look: one for one in reversed(view.looks)}


@pytest.fixture
def desk(nowhere: Moot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    nowhere.folder = tmp_path / "project"
    nowhere.folder.mkdir()
    return Desk(nowhere, monkeypatch)


@pytest.fixture
def good(desk: Desk) -> Desk:
    desk.client()
    desk.signed_in()
    desk.project()
    return desk


def test_a_machine_with_all_that_is_needed_is_green(good: Desk) -> None:
    looks = good.ready()
    assert {one.look: one.state for one in looks.values() if one.look != "sandbox"} == {
        "client": "good",
        "gate": "good",
        "branch": "good",
        "tree": "good",
        "cost": "note",  # Codex tells no money
    }
    assert looks["client"].words == "Codex CLI 9.8.7, signed in by ~/.codex/auth.json"
    assert "make test is green on main" in looks["gate"].words
    assert looks["branch"].words == "work lands on main, and your files follow"
    assert looks["cost"].words.startswith("2 runs an item where all is well (coder, reviewer); at most $5.00 an item")
    page = good.moot("ready").out
    assert page.rstrip().endswith('Ready: moot add "…", then moot run --until-idle') and len(page.splitlines()) <= 12


def test_a_client_that_is_gone_is_named_with_how_to_get_it(good: Desk) -> None:
    (good.bin / "codex").unlink()
    client = good.ready()["client"]
    assert (client.state, client.words, client.next) == (
        "act",
        "codex is not installed",
        "npm install -g @openai/codex",
    )


def test_a_client_without_its_platform_package_is_told_in_its_own_words(good: Desk) -> None:
    good.client(f"printf '%s' '{HALF}' >&2; exit 1")
    client = good.ready()["client"]
    assert client.state == "act" and "Missing optional dependency @openai/codex-linux-x64" in client.words
    assert "at file" not in client.words and client.next == "install it again: npm install -g @openai/codex"


def test_a_client_that_never_answers_is_not_waited_for(good: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "ANSWER_SECONDS", 1.0)
    good.client("exec sleep 600")
    assert "it says nothing to --version within 1s" in good.ready()["client"].words


def test_nobody_signed_in_and_an_expired_login_are_two_things(good: Desk) -> None:
    good.signed_in(access_token="a", expires_at=1)
    assert "has expired" in good.ready()["client"].words
    (good.home / ".codex" / "auth.json").unlink()
    client = good.ready()["client"]
    assert (client.state, client.next) == ("act", "codex login") and "nobody has signed in" in client.words


def test_a_key_in_a_variable_signs_in(good: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    (good.home / ".codex" / "auth.json").unlink()
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    assert good.ready()["client"].words.endswith("signed in by OPENAI_API_KEY")


PROVIDER = 'model_provider = "own"\n[model_providers.own]\nname = "own"\nbase_url = "{url}"\nenv_key = "OWN_KEY"\n'


def test_a_provider_of_ones_own_needs_its_key_and_somebody_who_listens(
    good: Desk, monkeypatch: pytest.MonkeyPatch, free_port: int
) -> None:
    (good.home / ".codex" / "auth.json").unlink()
    (good.home / ".codex" / "config.toml").write_text(PROVIDER.format(url=f"http://127.0.0.1:{free_port}/v1"))
    assert good.ready()["client"].next == "set OWN_KEY"
    monkeypatch.setenv("OWN_KEY", "none")
    client = good.ready()["client"]
    assert client.state == "act" and "nobody answers there" in client.words and "config.toml" in client.words
    with socket.create_server(("127.0.0.1", free_port)):
        assert good.ready()["client"].state == "good"


@pytest.fixture
def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.mark.parametrize("name", ["OPENAI_BASE_URL", "HTTPS_PROXY"])
def test_an_address_on_this_machine_where_nobody_listens_is_named(
    good: Desk, monkeypatch: pytest.MonkeyPatch, free_port: int, name: str
) -> None:
    monkeypatch.setenv(name, f"http://localhost:{free_port}")
    client = good.ready()["client"]
    assert client.state == "act" and name in client.words and name in (client.next or "")


def test_a_setting_of_the_shell_that_no_run_gets_is_named(good: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_HOME", "/elsewhere")
    settings = good.ready()["settings"]
    assert settings.state == "note" and "CODEX_HOME" in settings.words


def test_a_red_gate_is_told_by_its_first_line(desk: Desk) -> None:
    desk.client()
    desk.signed_in()
    desk.project("echo collecting; echo FAILED test_sums.py::test_add; echo 1 failed, 0 errors; exit 1")
    gate = desk.ready()["gate"]
    assert gate.state == "act" and "red on main" in gate.words
    assert gate.words.endswith("before any agent worked: FAILED test_sums.py::test_add")
    (desk.moot.folder / "Makefile").write_text("test:\n\t@true\n")
    assert "FAILED test_sums.py" in desk.moot("ready", code=1).out, "what counts is what is committed"
    git(desk.moot.folder, "commit", "-qam", "mended")
    assert "green on main" in desk.moot("ready").out


def test_a_gate_is_run_once_for_a_commit(good: Desk) -> None:
    good.counted()
    for _ in range(2):
        good.ready()
        good.moot("run", "--until-idle")
    assert good.gate_runs == 1
    good.ready("--again")
    assert good.gate_runs == 2
    git(good.moot.folder, "commit", "-q", "--allow-empty", "-m", "more")
    good.ready()
    assert good.gate_runs == 3


def test_a_gate_that_cannot_be_run_is_no_red_gate_and_is_tried_again(good: Desk) -> None:
    flow = good.moot.folder / ".moot" / "flow.yaml"
    flow.write_text(flow.read_text().replace('["make", "test"]', '["no-such-program"]'))
    good.moot("apply")
    for _ in range(2):
        gate = good.ready()["gate"]
        assert (gate.state, gate.words) == ("act", "no-such-program cannot be run: no-such-program is not installed")


def test_setup_that_fails_is_named_with_its_words(good: Desk) -> None:
    flow = good.moot.folder / ".moot" / "flow.yaml"
    setup = 'setup: [["sh", "-c", "echo no such lock file; exit 3"]], run: ["make", "test"]'
    flow.write_text(flow.read_text().replace('run: ["make", "test"]', setup))
    good.moot("apply")
    gate = good.ready()["gate"]
    assert gate.state == "act" and "setup" in gate.words and "no such lock file" in gate.words


def test_the_looks_leave_nothing_behind(good: Desk) -> None:
    good.ready()
    board = good.moot.folder / ".moot"
    assert not any((board / "runs").iterdir())
    assert git(good.moot.folder, "status", "--porcelain", "--", ".moot/board.db-ready") == ""


def test_what_is_wrong_with_the_tree_is_named(good: Desk) -> None:
    folder = good.moot.folder
    (folder / "Makefile").write_text("test:\n\t@true\nmore:\n")
    assert "Makefile" in good.ready()["tree"].words
    git(folder, "checkout", "-q", "Makefile")
    git(folder, "checkout", "-q", "--detach")
    branch = good.ready()["branch"]
    assert branch.words.startswith("HEAD is detached") and branch.next == "git switch main"
    git(folder, "checkout", "-q", "-b", "other")
    assert "you are on other" in good.ready()["branch"].words
    git(folder, "branch", "-D", "main")
    branch = good.ready()["branch"]
    assert branch.state == "act" and "the repository has no such branch" in branch.words


def test_a_rebase_under_way_is_named(good: Desk) -> None:
    folder = good.moot.folder
    git(folder, "checkout", "-q", "-b", "side")
    (folder / "Makefile").write_text("test:\n\t@echo side\n")
    git(folder, "commit", "-qam", "side")
    git(folder, "checkout", "-q", "main")
    (folder / "Makefile").write_text("test:\n\t@echo main\n")
    git(folder, "commit", "-qam", "main")
    with pytest.raises(AssertionError):
        git(folder, "rebase", "side")
    branch = good.ready()["branch"]
    assert branch.words == "a rebase of main is under way: until it has ended, work lands on moot/main"
    assert branch.next == "git rebase --continue, or git rebase --abort"


def test_a_folder_without_a_repository_is_ready_and_says_what_that_means(desk: Desk) -> None:
    desk.client()
    desk.signed_in()
    (desk.moot.folder / "Makefile").write_text("test:\n\t@true\n")
    desk.moot("init")
    looks = desk.ready()
    assert looks["branch"].state == "note" and "no git repository" in looks["branch"].words
    assert looks["gate"].state == "good" and "green on this folder" in looks["gate"].words


def test_without_a_budget_it_says_so(good: Desk) -> None:
    flow = good.moot.folder / ".moot" / "flow.yaml"
    flow.write_text(flow.read_text().split("\nbudget:")[0] + "\n")
    good.moot("apply")
    cost = good.ready()["cost"]
    assert cost.state == "note" and "no budget" in cost.words


def test_a_budget_in_money_is_promised_only_where_somebody_tells_money(good: Desk) -> None:
    cost = good.ready()["cost"]
    assert cost.state == "note" and "Codex CLI tells no money, so dollars end nothing" in cost.words
    flow = good.moot.folder / ".moot" / "flow.yaml"
    flow.write_text(flow.read_text() + "\nmodels: {mini: {client: codex, price: {input: 1, output: 4}}}\n")
    good.moot("apply")
    assert good.ready()["cost"].state == "good"


def told_by(good: Desk, notify: str) -> None:
    with (good.moot.folder / ".moot" / "flow.yaml").open("a") as flow:
        flow.write(f"\nnotify: {notify}\n")
    good.moot("apply")


def test_a_notice_that_cannot_arrive_is_said_and_keeps_no_run(good: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(good.bin))
    for program in ("git", "make", "sh", "env", "cat", "mkdir", "true"):
        (good.bin / program).symlink_to(shutil.which(program, path="/usr/bin:/bin") or program)
    monkeypatch.delenv("SLACK_URL", raising=False)
    told_by(good, "[{desktop: true}, {slack: SLACK_URL}, {command: [tell-me]}]")
    said = [one for one in good.moot.json("ready")["looks"] if one["look"] == "notify"]
    assert [one["state"] for one in said] == ["note"] * 3
    assert "neither notify-send nor kdialog is installed" in said[0]["words"]
    assert "the variable SLACK_URL is not set" in said[1]["words"] and "not installed" in said[2]["words"]
    assert all("notify" in one["next"] for one in said)


def test_a_notice_can_be_tried(good: Desk) -> None:
    heard = good.home / "heard"
    program = good.bin / "tell-me"
    program.write_text(f'#!/bin/sh\nprintf %s "$1" >> {heard}\n')
    program.chmod(0o755)
    told_by(good, "[{command: [tell-me], on: [question, budget]}]")
    look = good.ready()["notify"]
    assert (look.state, look.words) == ("good", "question, budget: tell-me") and not heard.exists()
    assert good.ready("--notice")["notify"].words == "question, budget: tell-me has got a trial notice"
    assert heard.read_text().startswith("a trial notice")
    program.write_text("#!/bin/sh\nexit 3\n")
    look = good.ready("--notice")["notify"]
    assert look.state == "note" and look.words.endswith("tell-me: it ended with 3")


# At the start of `moot run`


def test_a_run_says_what_is_wrong_and_goes_on_where_nobody_can_be_asked(desk: Desk) -> None:
    desk.client()
    desk.signed_in()
    desk.project("test -f hello.txt || { echo FAILED no hello; exit 1; }")
    desk.moot("add", "Say hello")
    out = desk.moot("run", "--until-idle").out
    assert out.index("is red on main") < out.index("2 slots") and "FAILED no hello" in out
    assert "1 landed" in out


def test_what_landed_was_proved_by_its_landing_and_is_not_proved_again(good: Desk) -> None:
    good.counted()
    good.moot("add", "Say hello")
    assert "1 landed" in good.moot("run", "--until-idle").out
    runs = good.gate_runs
    assert runs >= 2, "on what was there, and on what lands"
    assert good.ready()["gate"].state == "good"
    good.moot("run", "--until-idle")
    assert good.gate_runs == runs


def at_terminal(desk: Desk, typed: str) -> tuple[int | None, str]:
    env = {**environment(), "HOME": str(desk.home), "PATH": os.environ["PATH"], "NO_COLOR": "1"}
    command = [sys.executable, "-m", "folkmoot", "run", "--until-idle"]
    terminal = Terminal(command, columns=100, env=env, folder=desk.moot.folder)
    if typed:
        terminal.wait_for("Begin all the same?")
        terminal.type(typed)
    said = shown(terminal.read_to_end())
    return terminal.code, said


def test_at_a_terminal_a_red_gate_is_asked_about_once(desk: Desk) -> None:
    desk.client()
    desk.signed_in()
    desk.project("echo FAILED always; exit 1")
    code, said = at_terminal(desk, "n\n")
    assert code == 1 and "FAILED always" in said and "slots" not in said
    code, said = at_terminal(desk, "y\n")
    assert code == 0 and "slots" in said
    code, said = at_terminal(desk, "")
    assert code == 0 and "Begin all the same?" not in said and "FAILED always" in said


def test_whoever_does_not_want_to_be_asked_says_so(desk: Desk) -> None:
    desk.client()
    desk.signed_in()
    desk.project("echo FAILED always; exit 1")
    assert "FAILED" not in desk.moot("run", "--until-idle", "--anyway").out
