"""The mistakes a newcomer makes in a team's own flow: `moot check` finds each one alone, where it is, and says what to
write instead."""

import subprocess
import sys
from pathlib import Path

import pytest

from folkmoot.flows.faults import FlowFaults
from folkmoot.flows.load import load_flow, read_flow

TEAM = """\
flow: team
start: build
limits:
  slots: 2
  lease: 2m

columns:
  build:
    agents: [builder]
    next: review
    gate: [tests]
  review:
    agents: [reviewer]
    next: done
    fix: build
  help-wanted:
    human: true

agents:
  builder:
    ladder: {0-1: haiku, 2-3: sonnet, 4+: escalate}
    escalate_to: help-wanted
  reviewer:
    may: [ask]

gates:
  tests: {run: ["make", "test"], timeout: 10m}
reasons:
  unclear: help-wanted
messages:
  review_request: {from: [builder], to: [reviewer]}
run: {client: claude-code}
sandbox: auto
models:
  haiku: {client: house, id: haiku-5}
clients:
  house: {command: [house, "{prompt}"], env: [HOUSE_KEY]}
budget: {day_usd: 20, day_time: 8h}
"""
KNOWN_CLIENTS = ["claude-code", "codex", "opencode"]

# What stands there, what is written instead, and the whole of what is said.
MISTAKES = {
    "a key with a typo": (
        "limits:",
        "limts:",
        "3:1: limts: unknown key — did you mean 'limits'?",
    ),
    "a key of a column with a typo": (
        "    fix: build",
        "    fxi: build",
        "15:5: columns.review.fxi: unknown key — did you mean 'fix'?",
    ),
    "a column with a typo": (
        "next: review",
        "next: reviwe",
        "10:11: columns.build.next: there is no column 'reviwe' — did you mean 'review'?",
    ),
    "an agent with a typo": (
        "agents: [builder]",
        "agents: [bulider]",
        "9:14: columns.build.agents: there is no agent 'bulider' — did you mean 'builder'?",
    ),
    "a gate with a typo": (
        "gate: [tests]",
        "gate: [test]",
        "11:12: columns.build.gate: there is no gate 'test' — did you mean 'tests'?",
    ),
    "a reason that leads nowhere": (
        "unclear: help-wanted",
        "unclear: help_wanted",
        "29:12: reasons.unclear: there is no column 'help_wanted' — did you mean 'help-wanted'?",
    ),
    "a limit with a typo": (
        "slots: 2",
        "slot: 2",
        "4:3: limits.slot: unknown key — did you mean 'slots'?",
    ),
    "a word for a number": (
        "slots: 2",
        "slots: two",
        "4:10: limits.slots: 'two' is not a whole number — write one like 3",
    ),
    "a word for a list": (
        "agents: [reviewer]",
        "agents: reviewer",
        "13:13: columns.review.agents: a single value stands where a list belongs — write [reviewer]",
    ),
    "a span without a unit": (
        "lease: 2m",
        "lease: 2",
        "5:10: limits.lease: '2' has no unit — write 2s, 2m or 2h",
    ),
    "a gap in the ladder": (
        "2-3: sonnet",
        "3: sonnet",
        "21:26: agents.builder.ladder.3: no model is named for 2 failures — add 2: … before it",
    ),
    "an overlap in the ladder": (
        "2-3: sonnet",
        "1-3: sonnet",
        "21:26: agents.builder.ladder.1-3: this overlaps '0-1' — begin it at 2",
    ),
    "a fix that leads to itself": (
        "fix: build",
        "fix: review",
        "15:10: columns.review.fix: a column cannot send work back to itself — name the stage that made the work",
    ),
    "a circle": (
        "next: done",
        "next: build",
        "14:11: columns.review.next: items never reach the end: build → review → build"
        " — let one of them lead on, at last to 'done'; work goes back by fix, not by next",
    ),
    "a dead end": (
        "    next: done\n",
        "",
        "12:3: columns.review: items that are done here have nowhere to go — add next: done",
    ),
    "a right that does not exist": (
        "may: [ask]",
        "may: [asks]",
        "24:11: agents.reviewer.may: 'asks' is not known here — did you mean 'ask'?",
    ),
    "a key that stands there twice": (
        "    fix: build",
        "    fix: build\n    next: done",
        "16:5: columns.review.next: this key stands here twice — keep one; the first is in line 14",
    ),
    "a tab": (
        "    agents: [reviewer]",
        "\tagents: [reviewer]",
        "13:1: this is not YAML: while scanning for the next token found character '\\t' that cannot start any token"
        " — indent with spaces, not with tabs",
    ),
    "a gate with the name of an agent": (
        "  tests: {run",
        "  reviewer: {}\n  tests: {run",
        "27:3: gates.reviewer: an agent has this name too, and `moot claim reviewer` must mean one of them"
        " — choose another name, like 'reviewer-check'",
    ),
    "an expert that watches a column": (
        "    may: [ask]",
        "    expert: true",
        "13:14: columns.review.agents: 'reviewer' is an expert: it is asked by others and watches no column"
        " — name it in the experts of an agent, or remove expert: true at 'reviewer'",
    ),
    "a way for a red gate where there is no gate": (
        "    fix: build",
        "    on_red: build",
        "15:13: columns.review.on_red: there is no gate here that could be red — add gate, or remove on_red",
    ),
    "a message to nobody": (
        "to: [reviewer]}",
        "to: [reviwer]}",
        "31:42: messages.review_request.to: there is no agent 'reviwer' — did you mean 'reviewer'?",
    ),
    "a client with a typo": (
        "run: {client: claude-code}",
        "run: {client: claude-cdoe}",
        "32:15: run.client: there is no client 'claude-cdoe' — did you mean 'claude-code'?",
    ),
    "a client without its key": (
        "run: {client: claude-code}",
        "run: codex",
        "32:6: run: a single value stands where keys and values belong — write {client: codex}",
    ),
    "a client that nothing starts": (
        "run: {client: claude-code}",
        "run: {client: aider}",
        "32:15: run.client: there is no client 'aider' — known are claude-code, codex, opencode, house",
    ),
    "a sandbox that does not exist": (
        "sandbox: auto",
        "sandbox: on",
        "33:10: sandbox: 'on' is not known here — known are auto, always, never",
    ),
    "a command as one text": (
        'command: [house, "{prompt}"]',
        'command: "house {prompt}"',
        '37:20: clients.house.command: a command is a list of words — write ["house", "{prompt}"]',
    ),
    "a variable with its value": (
        "env: [HOUSE_KEY]",
        "env: [HOUSE_KEY=abc]",
        "37:47: clients.house.env: 'HOUSE_KEY=abc' is no variable of the environment"
        " — write its name only, like ANTHROPIC_API_KEY",
    ),
    "a budget of time without a unit": (
        "day_time: 8h",
        "day_time: 8",
        "38:33: budget.day_time: '8' has no unit — write 8s, 8m or 8h",
    ),
    "an agent with the name of the gate that is always there": (
        "    may: [ask]",
        "    may: [ask]\n  landing: {}",
        "25:3: agents.landing: this name is taken: it is the gate that brings finished work to its branch"
        " — choose another name",
    ),
    "help from a stage": (
        "escalate_to: help-wanted",
        "escalate_to: review",
        "22:18: agents.builder.escalate_to: 'review' is a stage of the flow, no help"
        " — name a column of kind escalation, or one with human: true (help-wanted)",
    ),
}


def no_prompts(path: str) -> str | None:
    return None


def test_the_flow_is_good_before_a_mistake_is_planted() -> None:
    read = read_flow(TEAM, "flow.yaml", no_prompts, known_clients=KNOWN_CLIENTS)
    assert read.warnings == []
    assert len(MISTAKES) >= 20


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_found_alone_at_its_place_with_what_to_write(mistake: str) -> None:
    right, wrong, said = MISTAKES[mistake]
    assert TEAM.count(right) == 1, f"{right!r} must stand there once"
    with pytest.raises(FlowFaults) as caught:
        load_flow(TEAM.replace(right, wrong), "flow.yaml", no_prompts, known_clients=KNOWN_CLIENTS)
    assert [str(fault) for fault in caught.value.faults] == [f"flow.yaml:{said}"]


def test_the_command_says_all_of_them_at_once(tmp_path: Path) -> None:
    text = TEAM
    planted = ["a limit with a typo", "a gap in the ladder", "a gate with a typo", "a message to nobody"]
    planted += ["a client without its key", "a budget of time without a unit"]
    for mistake in planted:
        right, wrong, _ = MISTAKES[mistake]
        text = text.replace(right, wrong)
    (tmp_path / "team.yaml").write_text(text, "utf-8")
    command = [sys.executable, "-m", "folkmoot", "check", "team.yaml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 2
    assert all(f"team.yaml:{MISTAKES[mistake][2]}" in done.stderr for mistake in planted)


def test_a_stage_to_which_nothing_leads_is_told_and_repair_never_lies_ahead() -> None:
    text = """\
columns:
  build: {agents: [b], next: done, gate: [suite]}
  check: {agents: [c], next: done}
agents: {b: {}, c: {}}
gates: {suite: {run: [make, check]}}
"""
    warnings = read_flow(text, "flow.yaml", lambda path: None).warnings
    assert ["3:3" in line and "nothing leads here" in line for line in warnings].count(True) == 1
    ahead = text.replace("next: done, gate", "next: check, on_red: check, gate")
    with pytest.raises(FlowFaults) as found:
        read_flow(ahead, "flow.yaml", lambda path: None)
    assert [str(fault) for fault in found.value.faults] == [
        "flow.yaml:2:45: columns.build.on_red: 'check' comes after this column: what must be repaired would go on"
        " — name a stage before 'build', or a column of kind backflow"
    ]
