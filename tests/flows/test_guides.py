"""The flows in the guides load as they stand there, and the guide to a first flow leads where it says."""

import os
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
import yaml

from folkmoot.core.commands import ReportRun
from folkmoot.core.flow import Flow
from folkmoot.core.report import Report
from folkmoot.flows.agents import AGENT_KEYS
from folkmoot.flows.columns import COLUMN_KEYS
from folkmoot.flows.ladder_file import read_ladder_file
from folkmoot.flows.load import FLOW_KEYS, load_flow, read_flow
from folkmoot.flows.preset import read_preset
from folkmoot.flows.running import BUDGET_KEYS, CLIENT_KEYS, MODEL_KEYS, START_KEYS
from folkmoot.flows.sections import COUNT_LIMITS, GATE_KEYS, SPAN_LIMITS
from folkmoot.testing.builders import TrialBoard

GUIDES = Path(__file__).parents[2] / "docs" / "how-to"
WRITE = (GUIDES / "write-a-flow.md").read_text("utf-8")
CHANGE = (GUIDES / "change-the-flow.md").read_text("utf-8")
KEYS = (GUIDES.parent / "reference" / "flow.md").read_text("utf-8")


def blocks(text: str, language: str, mark: str = "") -> list[str]:
    """The blocks of a language; with a mark only those under that comment."""
    before = rf"<!-- {re.escape(mark)} -->\n" if mark else ""
    found = re.findall(rf"{before}^( *)```{language}\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE)
    return [dedent(block) for _, block in found]


def any_prompt(path: str) -> str:
    return f"what {path} says"


def blocked() -> Flow:
    text = blocks(WRITE, "yaml", "flow.yaml")[2]
    return load_flow(text, "flow.yaml", any_prompt)


def test_every_flow_in_the_guides_loads_without_a_warning() -> None:
    flows = blocks(WRITE, "yaml", "flow.yaml")
    assert len(flows) == 3
    for text in flows:
        assert read_flow(text, "flow.yaml", any_prompt).warnings == []


def test_every_change_in_the_guide_fits_the_flow_that_a_board_begins_with() -> None:
    changes = blocks(CHANGE, "yaml")
    assert len(changes) == 3
    for text, gone in zip(changes, (None, "qa", None), strict=True):
        flow = yaml.safe_load(read_preset("kanban")["flow.yaml"])
        for section, entries in yaml.safe_load(text).items():
            flow[section].update(entries)
        if gone:
            del flow["columns"][gone], flow["agents"][f"{gone}-agent"]
        assert read_flow(yaml.safe_dump(flow, sort_keys=False), "flow.yaml", any_prompt).warnings == []


def test_the_parts_of_flows_in_the_guide_can_be_put_into_one() -> None:
    text = blocks(WRITE, "yaml", "flow.yaml")[0]
    agent, rest = (block for block in blocks(WRITE, "yaml") if not block.startswith(("flow:", "model_ladder:")))
    keys = "\n".join(f"    {line}" for line in agent.splitlines())
    whole = text.replace("    prompt: prompts/builder.md", f"    prompt: prompts/builder.md\n{keys}") + rest
    plain = load_flow(text, "flow.yaml", any_prompt)
    read = read_flow(whole, "flow.yaml", any_prompt, known_clients=["claude-code", "codex"])
    assert read.warnings == []
    assert read.flow.agents["builder"].run == {"client": "codex"}
    assert read.flow.agents["reviewer"].run == {"client": "claude-code"}
    assert (read.flow.target, read.flow.sandbox) == (plain.target, plain.sandbox), "the guide tells the defaults"


def test_every_key_is_where_the_guide_leads() -> None:
    known = [*FLOW_KEYS, *COLUMN_KEYS, *AGENT_KEYS, *GATE_KEYS, *CLIENT_KEYS, *MODEL_KEYS, *START_KEYS]
    known += [*BUDGET_KEYS, *COUNT_LIMITS, *SPAN_LIMITS]
    assert "(../reference/flow.md)" in WRITE
    assert [key for key in known if f"\n| `{key}` |" not in KEYS] == []


@pytest.mark.ledger("K-13")
def test_one_blocked_column_with_tags_that_say_why() -> None:
    flow = blocked()
    assert set(flow.reasons.values()) == {"blocked"}
    assert flow.columns["blocked"].agents == []
    entries = {tag: column for column in flow.columns.values() for tag in column.tags}
    assert set(entries) == set(flow.reasons), "every reason finds somebody"
    assert [entries[tag].agents[0] for tag in ("performance", "concurrency", "unclear")] == [
        "performance-specialist",
        "concurrency-specialist",
        "story-agent",
    ]
    assert [entries[tag].kind for tag in ("performance", "unclear")] == ["escalation", "backflow"]


@pytest.mark.ledger("K-13")
@pytest.mark.parametrize("reason", ["performance", "concurrency", "unclear", "contradiction"])
def test_the_tag_of_a_blocked_item_picks_who_acts_on_it(reason: str) -> None:
    flow = blocked()
    assert reason in flow.acting("blocked", [reason]).tags
    assert flow.acting("blocked", ["other"]).name == "blocked"
    assert flow.acting("dev", [reason]).name == "dev"


@pytest.mark.ledger("K-13")
def test_items_are_blocked_helped_and_go_on_in_the_flow_of_the_guide() -> None:
    with TrialBoard(blocked()) as board:
        item = board.add("It is slow")
        stuck = board.effort("dev-agent", "stuck", reason="unclear", summary="how slow is slow?")
        assert (stuck["column"], stuck["tags"]) == ("blocked", ["unclear"])
        answered = board.effort("story-agent", "done", summary="more than a second")
        assert (answered["column"], answered["tags"]) == ("dev", [])
        board.effort("dev-agent", "stuck", reason="performance", summary="it still takes two")
        assert board.effort("performance-specialist", "done", summary="an index")["column"] == "review"
        assert board.effort("reviewer", "done")["status"] == "done"
        assert board.show(item)["tags"] == []
        assert board.wrong() == []


def test_the_ladder_file_of_the_guide_fits_its_flow() -> None:
    text = blocks(WRITE, "yaml", "flow.yaml")[0]
    (ladders,) = blocks(WRITE, "yaml", "escalation.yaml")
    read = read_flow(text, "flow.yaml", any_prompt, read_ladder_file(ladders, "escalation.yaml"))
    assert read.warnings == []
    assert read.flow.agents["builder"].rung(0) == "glm-4"


def test_the_mistake_that_the_guide_shows_is_told_in_these_words(tmp_path: Path) -> None:
    text = blocks(WRITE, "yaml", "flow.yaml")[0]
    (shown,) = blocks(WRITE, "text")
    (tmp_path / ".moot").mkdir()
    (tmp_path / ".moot" / "flow.yaml").write_text(text.replace("gate: [tests]", "gate: [test]"), "utf-8")
    done = moot(tmp_path, "check", ".moot/flow.yaml")
    assert done.returncode == 2
    assert shown.strip() in done.stderr


def test_whoever_follows_the_guide_gets_an_item_through_the_teams_own_flow(tmp_path: Path) -> None:
    command = tmp_path / "bin" / "moot"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m folkmoot "$@"\n')
    command.chmod(0o755)
    env = {**os.environ, "PATH": f"{command.parent}:{os.environ['PATH']}", "USER": "ann", "COLUMNS": "100"}
    text = blocks(WRITE, "yaml", "flow.yaml")[0]
    (tmp_path / "team.yaml").write_text(text, "utf-8")
    steps = blocks(WRITE, "sh")
    steps.insert(1, "cp ../team.yaml .moot/flow.yaml\n")
    done = subprocess.run(["bash", "-e"], input="".join(steps), env=env, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"done"' in moot(tmp_path / "team-board", "show", "1", "--json").stdout
    log = moot(tmp_path / "team-board", "log", "1", "--json").stdout
    assert log.count('"gate_failed"') == 1
    assert log.count('"gate_passed"') == 2


def moot(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "folkmoot", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8")


@pytest.mark.parametrize(("preset", "column"), [("simple", "code"), ("kanban", "ready"), ("kanban", "dev")])
def test_a_silent_client_costs_what_the_guide_says(preset: str, column: str) -> None:
    words = "**one item costs two runs before you are asked**"
    assert words in " ".join((GUIDES / "when-it-fails.md").read_text("utf-8").split())
    flow = load_flow(read_preset(preset)["flow.yaml"], "flow.yaml", any_prompt)
    with TrialBoard(flow) as board:
        item = board.add("It is silent", column=column)
        made = 0
        while not board.show(item)["questions"]:
            said = Report.failed("no report", cause="protocol")
            ended = ReportRun(report=said, fault="the run ended without a report", silent="", final=True)
            board.engine.handle_run(board.claim(board.show(item)["watcher"]), ended)
            made += 1
        assert made == 2
