"""Every mistake in a flow file is found at its place, all at once, with something to do about it."""

import re

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.core.flow import Flow
from folkmoot.errors import Invalid
from folkmoot.flows.faults import Fault, FlowFaults
from folkmoot.flows.load import load_flow
from folkmoot.flows.preset import preset_names, read_preset

GOOD = """\
flow: team
start: ready
limits: {slots: 4, lease: 60s}
columns:
  ready: {next: dev}
  dev:
    agents: [dev-agent]
    next: review
  review: {agents: [review-agent], next: done, fix: dev}
  needs-help: {agents: [helper], kind: escalation}
  needs-human: {human: true}
agents:
  dev-agent: {ladder: {0-1: small, 2+: escalate}, escalate_to: needs-help}
  review-agent: {prompt: prompts/review.md}
  helper: {escalate_to: needs-human}
reasons: {unknown: needs-help}
"""


def read_prompt(path: str) -> str | None:
    return "Read well." if path == "prompts/review.md" else None


def faults_of(text: str) -> list[str]:
    with pytest.raises(FlowFaults) as caught:
        load_flow(text, "flow.yaml", read_prompt)
    return [str(fault) for fault in caught.value.faults]


def planted(old: str, new: str) -> str:
    assert GOOD.count(old) == 1, f"{old!r} must stand there once"
    return GOOD.replace(old, new)


def test_the_flow_is_good_before_a_mistake_is_planted() -> None:
    assert load_flow(GOOD, "flow.yaml", read_prompt).name == "team"


# What is planted where, and the one fault it must give: its place and path, a part of what is said, what to do.
PLANTED = [
    ("    next: review", "    nxt: review", "8:5: columns.dev.nxt: unknown key", "did you mean 'next'?"),
    ("flow: team", "model_ladder: {}", "1:1: model_ladder: unknown key", "put this block into .moot/escalation.yaml"),
    ("flow: team", "flwo: team", "1:1: flwo: unknown key", "did you mean 'flow'?"),
    ("slots: 4", "slot: 4", "3:10: limits.slot: unknown key", "did you mean 'slots'?"),
    ("flow: team", "flow: my team", "1:7: flow: 'my team' is no flow's name", "begins with a letter or digit"),
    ("start: ready", "start: raedy", "2:8: start: there is no column 'raedy'", "did you mean 'ready'?"),
    ("start: ready", "start: done", "2:8: start: items would begin at their end", "name the first stage"),
    ("start: ready", "start: needs-help", "2:8: start: items cannot begin in 'needs-help'", "(ready, dev, review)"),
    ("start: ready", "start: [ready]", "2:8: start: a list stands where the column's name belongs", "one word"),
    ("slots: 4", "slots: 0", "3:17: limits.slots: '0' is out of range", "from 1 to"),
    ("slots: 4", "slots: 04", "3:17: limits.slots: '04' is not a whole number", "like 3"),
    ("slots: 4", "slots: many", "3:17: limits.slots: 'many' is not a whole number", "like 3"),
    ("slots: 4", "slots: 1e9", "3:17: limits.slots: '1e9' is not a whole number", "like 3"),
    ("lease: 60s", "lease: 2h", "3:27: limits.lease: '2h' is out of range", "from 1s to 1h"),
    ("lease: 60s", "lease: soon", "3:27: limits.lease: 'soon' is not a time span", "like 45s, 30m"),
    ("lease: 60s", "lease: 12:30:00", "3:27: limits.lease: '12:30:00' is not a time span", "like 45s, 30m"),
    ("lease: 60s", "lease: [1]", "3:27: limits.lease: a list stands where a time span belongs", "like 30m"),
    ("limits: {slots: 4, lease: 60s}", "limits: [4]", "3:9: limits: a list stands where keys", "{key: value}"),
    (
        "ready: {next: dev}",
        "ready: {}",
        "5:3: columns.ready: items would wait there for ever",
        "add agents, next or human",
    ),
    ("ready: {next: dev}", "ready: {next: dve}", "5:17: columns.ready.next: there is no column 'dve'", "'dev'?"),
    ("ready: {next: dev}", "ready: {next: ready}", "5:17: columns.ready.next: items move on for ever", "'done'"),
    (
        "ready: {next: dev}",
        "ready: {next: needs-help}",
        "5:17: columns.ready.next: 'needs-help' is beside",
        "kind flow",
    ),
    ("ready: {next: dev}", "ready: dev", "5:10: columns.ready: a single value stands where", "{key: value}"),
    ("    next: review\n", "", "6:3: columns.dev: items that are done here have nowhere to go", "add next: review"),
    (
        "[dev-agent]",
        "[dev-agnet]",
        "7:14: columns.dev.agents: there is no agent 'dev-agnet'",
        "did you mean 'dev-agent'?",
    ),
    ("[dev-agent]", "dev-agent", "7:13: columns.dev.agents: a single value stands where a list", "write [dev-agent]"),
    ("[dev-agent]", "{a: b}", "7:13: columns.dev.agents: a mapping stands where a list", "write [name]"),
    (
        "[dev-agent]",
        "[dev-agent, dev-agent]",
        "7:25: columns.dev.agents: 'dev-agent' stands here twice",
        "keep one",
    ),
    (
        "next: done, fix: dev",
        "next: dev, fix: dev",
        "9:42: columns.review.next: items never reach the end: dev → review → dev",
        "by fix, not by next",
    ),
    ("fix: dev", "fix: devv", "9:53: columns.review.fix: there is no column 'devv'", "did you mean 'dev'?"),
    ("fix: dev", "fix: review", "9:53: columns.review.fix: a column cannot send work back to itself", "made the work"),
    ("fix: dev", "fix: ready", "9:53: columns.review.fix: nobody would repair anything in 'ready'", "with agents"),
    ("fix: dev", "fix: needs-help", "9:53: columns.review.fix: nobody would repair", "made the work"),
    ("fix: dev", "gate: [ward]", "9:55: columns.review.gate: there is no gate 'ward'", "add it: gates: {ward:"),
    (
        "fix: dev",
        "fix: dev, fix: dev",
        "9:58: columns.review.fix: this key stands here twice",
        "the first is in line 9",
    ),
    (
        "kind: escalation",
        "kind: escalaton",
        "10:40: columns.needs-help.kind: 'escalaton' is not known",
        "'escalation'?",
    ),
    (
        "kind: escalation",
        "kind: dispute",
        "10:24: columns.needs-help.agents: a dispute has two sides",
        "name both",
    ),
    (
        "kind: escalation",
        "kind: escalation, next: done",
        "10:58: columns.needs-help.next: a column of kind escalation",
        "remove next",
    ),
    (
        "kind: escalation",
        "kind: escalation, human: true",
        "10:59: columns.needs-help.human: people and 'helper'",
        "remove agents",
    ),
    ("human: true", "human: yes", "11:24: columns.needs-human.human: 'yes' is neither true nor false", "true or false"),
    (
        "human: true",
        "kind: flow, human: true",
        "11:3: columns.needs-human: items that are done here",
        "kind: escalation",
    ),
    (
        "  needs-human:",
        "  done: {next: dev}\n  needs-human:",
        "11:3: columns.done: items end here",
        "leave done: empty",
    ),
    (
        "  needs-human:",
        "  in progress: {next: dev}\n  needs-human:",
        "11:3: columns.'in progress': this is no name",
        "letters",
    ),
    ("2+: escalate", "3+: escalate", "13:36: agents.dev-agent.ladder.3+: no model is named for 2 failures", "add 2: …"),
    ("2+: escalate", "1+: escalate", "13:36: agents.dev-agent.ladder.1+: this overlaps '0-1'", "begin it at 2"),
    ("2+: escalate", "2: escalate", "13:36: agents.dev-agent.ladder.2: 'escalate' is for good", "write 2+: escalate"),
    (
        "2+: escalate",
        "2+: escalate, 3: big",
        "13:50: agents.dev-agent.ladder.3: nothing comes after '2+'",
        "leave this out",
    ),
    ("2+: escalate", "3-2: big", "13:36: agents.dev-agent.ladder.3-2: this range ends before it begins", "write 2-3"),
    (
        "2+: escalate",
        "two: big",
        "13:36: agents.dev-agent.ladder.two: 'two' is no number of failures",
        "write 0, 0-1 or 6+",
    ),
    ("2+: escalate", "2+: ", "13:36: agents.dev-agent.ladder.2+: the model is missing", "leave the key out"),
    ("0-1: small, ", "", "13:24: agents.dev-agent.ladder.2+: the ladder must start at 0", "add 0-1: …"),
    ("0-1: small, 2+", "0+", "13:24: agents.dev-agent.ladder.0+: the ladder begins with 'escalate'", "name a model"),
    ("{0-1: small, 2+: escalate}", "small", "13:23: agents.dev-agent.ladder: a single value", "{key: value}"),
    (
        "escalate_to: needs-help",
        "escalate_to: need-help",
        "13:64: agents.dev-agent.escalate_to: there is no",
        "'needs-help'?",
    ),
    (
        "escalate_to: needs-help",
        "escalate_to: review",
        "13:64: agents.dev-agent.escalate_to: 'review' is a stage",
        "(needs-help",
    ),
    (
        "escalate_to: needs-help",
        "may: [ask, spilt]",
        "13:62: agents.dev-agent.may: 'spilt' is not known here",
        "did you mean 'split'?",
    ),
    (
        "escalate_to: needs-help",
        "may: [aks]",
        "13:57: agents.dev-agent.may: 'aks' is not known here",
        "did you mean 'ask'?",
    ),
    ("escalate_to: needs-help", "write: all", "13:58: agents.dev-agent.write: 'all' is not known here", "any"),
    (
        "escalate_to: needs-help",
        "timeout: 0s",
        "13:60: agents.dev-agent.timeout: '0s' is out of range",
        "from 1s to 7d",
    ),
    ("escalate_to: needs-help", "run: fast", "13:56: agents.dev-agent.run: a single value stands", "{client: fast}"),
    (
        "escalate_to: needs-help",
        "experts: [x]",
        "13:61: agents.dev-agent.experts: there is no agent 'x'",
        "known are",
    ),
    (
        "prompts/review.md",
        "prompts/gone.md",
        "14:26: agents.review-agent.prompt: there is no file 'prompts/gone.md'",
        "beside the flow",
    ),
    (
        "prompts/review.md",
        "../review.md",
        "14:26: agents.review-agent.prompt: '../review.md' leads out",
        "like prompts/dev.md",
    ),
    (
        "prompts/review.md",
        "/etc/passwd",
        "14:26: agents.review-agent.prompt: '/etc/passwd' leads out",
        "like prompts/dev.md",
    ),
    (
        "to: needs-human}",
        "to: needs-help}",
        "15:25: agents.helper.escalate_to: help is sought in a circle: helper → needs-help → helper",
        "human: true",
    ),
    ("reasons:", "  idle: {}\nreasons:", "16:3: agents.idle: it watches no column", "`agents: [idle]`"),
    (
        "reasons:",
        "  helper: {}\nreasons:",
        "16:3: agents.helper: this key stands here twice",
        "the first is in line 15",
    ),
    ("{unknown: needs-help}", "{unknown: help}", "16:20: reasons.unknown: there is no column 'help'", ""),
    (
        "{unknown: needs-help}",
        "{unknown: dev}",
        "16:20: reasons.unknown: 'dev' is a stage of the flow",
        "(needs-help, needs-human)",
    ),
    (
        "{unknown: needs-help}",
        "{no idea: needs-help}",
        "16:11: reasons.'no idea': this is no name for a reason",
        "letters",
    ),
    ("reasons:", "target: a..b\nreasons:", "16:9: target: 'a..b' is no branch", "like main"),
    ("reasons:", "budget: {day_usd: 0}\nreasons:", "16:19: budget.day_usd: '0' is not an amount", "like 5 or 0.50"),
    (
        "reasons:",
        "questions: {pause_all: no}\nreasons:",
        "16:24: questions.pause_all: 'no' is neither true",
        "true or false",
    ),
    ("reasons:", "questions: {deadline: never}\nreasons:", "16:23: questions.deadline: 'never' is not a time", "30m"),
]


@pytest.mark.parametrize(("old", "new", "said", "advice"), PLANTED)
def test_a_planted_mistake_gives_one_fault_at_its_place(old: str, new: str, said: str, advice: str) -> None:
    found = faults_of(planted(old, new))
    assert len(found) == 1, "\n".join(found)
    what, _, what_to_do = found[0].partition(" — ")
    assert what.startswith(f"flow.yaml:{said}")
    assert advice in what_to_do
    assert what_to_do


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "1:1: the file is empty"),
        ("# nothing\n", "1:1: the file is empty"),
        ("- a\n", "1:1: a flow is a mapping"),
        ("just words", "1:1: a flow is a mapping"),
        ("columns:\n\tdev: x", "2:1: this is not YAML: while scanning for the next token found character"),
        ("columns: {dev: x", "1:17: this is not YAML"),
        ("a: b: c", "1:5: this is not YAML: mapping values are not allowed"),
        ("a: 'open", "1:9: this is not YAML"),
        ("a: @x", "1:4: this is not YAML"),
        ("flow: !!python/object:os.system x", "1:7: flow: the tag 'tag:yaml.org,2002:python/object:os.system' is not"),
        ("flow: !mine x", "1:7: flow: the tag '!mine' is not read"),
        ("a: *nothing", "1:4: a: no anchor &nothing stands above this alias"),
        ("a: &a [*a]", "1:8: a.0: the alias 'a' is inside its own value"),
        ("a: 1\n---\nb: 2", "2:1: a second document begins here"),
        ("? [a]\n: b", "1:3: a key must be a word"),
        ("<<: {a: b}", "1:1: <<: merge keys are not read"),
        ("~: x", "1:1: a key is missing before this ':'"),
        ('flow: "\\U00110000"', "1:10: this is not YAML"),
        ("flow: \x00", "1:7: the character \\x00 may not stand in YAML"),
        ("a: b\nflow: \ud800", "2:7: the character \\ud800 may not stand in YAML"),
        ('flow: "a\\0b"', "1:7: flow: 'a\\x00b' is no flow's name"),
        ("%YAML 9.9\n---\na: b", "1:1: this is not YAML: found incompatible YAML document"),
        ("a: " + "[" * 5000, "1:23: a.0.0: values are nested deeper than 20"),
        ("a:\n" + "".join(" " * depth + "b:\n" for depth in range(1, 1000)), "20:20: a.b.b: values are nested deeper"),
        ("x: &x 1\na: [" + "*x, " * 51 + "]", "2:205: a.50: there are more than 50 aliases"),
        ("a: [" + "1, " * 30_000 + "]", "a.19997: there are more than 20000 values"),
        ("x" * 1_000_001, "1:1: the file has 1000001 characters, at most 1000000"),
    ],
)
def test_what_is_no_flow_at_all_is_said_at_its_place(text: str, said: str) -> None:
    assert any(said in fault for fault in faults_of(text)), "\n".join(faults_of(text))


def test_aliases_cannot_blow_up() -> None:
    levels = [f"{name}: &{name} [{', '.join([f'*{below}'] * 9)}]" for name, below in zip("bcdef", "abcde", strict=True)]
    text = "a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9]\n" + "\n".join(levels)
    assert any("there are more than 20000 values" in fault for fault in faults_of(text))


def test_a_board_has_room_for_only_so_many_columns() -> None:
    columns = "".join(f"  c{number}: {{next: c{number + 1}}}\n" for number in range(200))
    found = faults_of(f"columns:\n{columns}  c200: {{next: done}}\nagents: {{}}\n")
    assert found == ["flow.yaml:1:1: columns: there are 201 columns — at most 200 fit on a board"]


def test_columns_and_agents_are_needed() -> None:
    assert [fault.split(" — ")[0] for fault in faults_of("flow: x")] == [
        "flow.yaml:1:1: columns: there are no columns",
        "flow.yaml:1:1: agents: there are no agents",
    ]


def test_all_faults_come_at_once_in_the_order_of_the_file() -> None:
    text = GOOD
    for old, new in [
        ("unknown: needs-help", "unknown: nobody"),
        ("slots: 4", "slots: none"),
        ("fix: dev", "fix: dve"),
        ("    next: review", "    nxt: review"),
        ("0-1: small", "1: small"),
        ("[helper]", "[hepler]"),
    ]:
        text = text.replace(old, new)
    assert [fault.split(": ")[1] for fault in faults_of(text)] == [
        "limits.slots",
        "columns.dev.nxt",
        "columns.review.fix",
        "columns.needs-help.agents",
        "agents.dev-agent.ladder.1",
        "reasons.unknown",
    ]


def test_a_fault_elsewhere_does_not_hide_an_agent_that_watches_nothing() -> None:
    text = planted("reasons:", "  idle: {}\nreasons:").replace("fix: dev", "fix: dve")
    assert [fault.split(": ")[1] for fault in faults_of(text)] == ["columns.review.fix", "agents.idle"]


def test_a_mistyped_key_is_one_fault_not_also_what_follows_from_it() -> None:
    text = planted("    agents: [dev-agent]", "    agnets: [dev-agent]")
    assert [fault.split(": ")[1] for fault in faults_of(text)] == ["columns.dev.agnets"]


def test_a_long_circle_of_help_is_named_once() -> None:
    text = planted("to: needs-human}", "to: needs-more}\n  second: {escalate_to: needs-help}")
    text = text.replace("  needs-human:", "  needs-more: {agents: [second], kind: escalation}\n  needs-human:")
    assert [fault.split(" — ")[0] for fault in faults_of(text)] == [
        "flow.yaml:17:25: agents.second.escalate_to: help is sought in a circle:"
        " helper → needs-more → second → needs-help → helper"
    ]


def test_the_error_is_input_that_cannot_be_read() -> None:
    with pytest.raises(Invalid) as caught:
        load_flow("flow: x", "team.yaml", read_prompt)
    assert caught.value.code == "flow_faults"
    assert caught.value.message.startswith("team.yaml has 2 faults:\nteam.yaml:1:1: columns: ")
    assert [step.call for step in caught.value.next] == ["check"]


PRESETS = {name: read_preset(name) for name in preset_names()}
PROMPTS = {path: text for files in PRESETS.values() for path, text in files.items()}
LINES = {name: files["flow.yaml"].splitlines(keepends=True) for name, files in PRESETS.items()}
SIGNS = [*"{}[]:&*!|>'\"#%@`?,~\t\n\\", ": ", "- ", "? ", "  ", "&a ", "*a", "!!", "<<: ", "---\n", "...\n"]
WORDS = ["next", "done", "escalate", "human: true", "kind: backflow", "agents: []", "0", "1+", "9-1", "null"]
WORDS += ["work", "tags: [done]", "kind: dispute", "expert: true", "gate: [ward]", "on_red: mend", "any", "[review]"]
ODDITIES = [
    '"\\x',
    '"\\U00110000"',
    "%YAML 1.1\n",
    "%TAG ! x\n",
    "\ufeff",
    "\x85",
    "\u2028",
    "\x00",
    "\ud800",
    "é",
    "𝔘",
]
WORD = re.compile(r"[\w.-]+")
SNIPPETS = st.sampled_from([*SIGNS, *WORDS, *ODDITIES])
EDITS = st.lists(
    st.tuples(
        st.sampled_from(["delete", "double", "swap", "insert", "cut", "exchange"]),
        st.integers(0, 10_000),
        st.integers(0, 10_000),
        SNIPPETS | st.text(max_size=8),
    ),
    min_size=1,
    max_size=6,
)


def with_words_of(one: str, other: str, chance: int) -> tuple[str, str]:
    """Two lines, each with a word of the other."""
    mine, theirs = WORD.findall(one), WORD.findall(other)
    if not mine or not theirs:
        return other, one
    left, right = mine[chance % len(mine)], theirs[chance % len(theirs)]
    return one.replace(left, right, 1), other.replace(right, left, 1)


def mutated(preset: str, edits: list[tuple[str, int, int, str]]) -> str:
    lines = list(LINES[preset])
    for edit, first, second, snippet in edits:
        here, there = first % len(lines), second % len(lines)
        line = lines[here]
        spot = second % (len(line) + 1)
        if edit == "delete" and len(lines) > 1:
            del lines[here]
        elif edit == "double":
            lines.insert(there, line)
        elif edit == "swap":
            lines[here], lines[there] = lines[there], lines[here]
        elif edit == "exchange":
            lines[here], lines[there] = with_words_of(line, lines[there], first + second)
        elif edit == "cut":
            lines[here] = line[:spot] + line[spot + 1 + len(snippet) :]
        else:
            lines[here] = line[:spot] + snippet + line[spot:]
    return "".join(lines)


def assert_flow_or_faults(text: str) -> None:
    flow, faults = flow_or_faults(text)
    if flow is not None:
        assert flow.start in flow.columns
        assert end_of(flow) == "done"
        assert msgspec.json.decode(msgspec.json.encode(flow), type=Flow) == flow, "the store keeps it as JSON"
        return
    height = len(text.splitlines()) + 1
    assert faults
    for fault in faults:
        assert 1 <= fault.line <= height
        assert fault.column >= 1
        assert str(fault).isprintable(), "one line each, fit for a terminal"


def end_of(flow: Flow) -> str:
    column = flow.start
    for _ in flow.columns:
        column = flow.columns[column].work or flow.columns[column].next or column
    return column


def flow_or_faults(text: str) -> tuple[Flow | None, list[Fault]]:
    try:
        return load_flow(text, "flow.yaml", PROMPTS.get), []
    except FlowFaults as error:
        return None, error.faults


@given(st.sampled_from(sorted(PRESETS)), EDITS)
@settings(max_examples=300)
def test_a_damaged_flow_is_a_flow_or_faults_and_nothing_else(
    preset: str, edits: list[tuple[str, int, int, str]]
) -> None:
    assert_flow_or_faults(mutated(preset, edits))


@given(st.lists(SNIPPETS | st.text(max_size=5), max_size=30).map("".join))
@settings(max_examples=300)
def test_any_text_is_a_flow_or_faults_and_nothing_else(text: str) -> None:
    assert_flow_or_faults(text)
