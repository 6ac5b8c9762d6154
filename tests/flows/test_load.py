"""What a good flow file becomes."""

import subprocess
import sys

import pytest

from folkmoot.core.flow import Column, Flow, Limits, QuestionPolicy, Rung
from folkmoot.flows.load import load_flow, read_flow

SMALL = """
columns:
  dev: {agents: [coder], next: done}
agents:
  coder:
"""


def no_prompts(path: str) -> str | None:
    return None


def load(text: str, prompts: dict[str, str] | None = None, name: str = "flow.yaml") -> Flow:
    return load_flow(text, name, (prompts or {}).get)


def test_columns_and_agents_are_enough() -> None:
    flow = load(SMALL)
    assert flow.name == "flow"
    assert flow.start == "dev"
    assert flow.columns == {"dev": Column(name="dev", agents=["coder"], next="done"), "done": Column(name="done")}
    assert flow.agents["coder"].may == ["ask"]
    assert flow.agents["coder"].write == "own"
    assert flow.limits == Limits()
    assert flow.questions == QuestionPolicy()


@pytest.mark.ledger("K-02")
def test_who_watches_which_column_is_up_to_the_user() -> None:
    flow = load("""
flow: my-team
start: inbox
columns:
  inbox: {next: cook}
  cook: {agents: [chef], next: taste}
  taste: {agents: [guest], next: done, fix: cook}
  burnt: {agents: [chef], kind: backflow}
agents: {chef: {}, guest: {}}
""")
    assert flow.name == "my-team"
    assert flow.watcher("cook") == "chef"
    assert flow.watcher("taste") == "guest"
    assert flow.watcher("inbox") is None
    assert flow.watched_by("chef") == ["cook", "burnt"]
    assert flow.stages() == ["inbox", "cook", "taste", "done"]


@pytest.mark.ledger("K-11")
def test_reasons_may_be_the_users_own() -> None:
    flow = load(
        SMALL.replace(
            "agents:\n  coder", "  chemist: {agents: [expert], kind: escalation}\nagents:\n  expert:\n  coder"
        )
        + "reasons: {it-smells: chemist}"
    )
    assert flow.reasons == {"it-smells": "chemist"}
    assert flow.watcher(flow.reasons["it-smells"]) == "expert"


@pytest.mark.ledger("K-09")
@pytest.mark.parametrize(
    ("ladder", "rungs", "models"),
    [
        (
            "{0-1: glm-4, 2-3: sonnet, 4-5: opus, 6+: escalate}",
            [Rung(0, 1, "glm-4"), Rung(2, 3, "sonnet"), Rung(4, 5, "opus"), Rung(6, None, "escalate")],
            ["glm-4", "glm-4", "sonnet", "sonnet", "opus", "opus", "escalate", "escalate"],
        ),
        ("{0: a, 1+: b}", [Rung(0, 0, "a"), Rung(1, None, "b")], ["a", "b", "b"]),
        ("{0-1: a, 2: b}", [Rung(0, 1, "a"), Rung(2, 2, "b")], ["a", "a", "b", "escalate"]),
        ("{2+: escalate, '0': a, \"1\": b}", [Rung(0, 0, "a"), Rung(1, 1, "b"), Rung(2, None, "escalate")], ["a", "b"]),
        ("{0+: zai/glm-4.7}", [Rung(0, None, "zai/glm-4.7")], ["zai/glm-4.7"]),
        ("{}", [], [None, None]),
        ("null", [], [None]),
    ],
)
def test_a_ladder_is_read_in_order(ladder: str, rungs: list[Rung], models: list[str | None]) -> None:
    agent = load(SMALL.rstrip() + f" {{ladder: {ladder}}}").agents["coder"]
    assert agent.ladder == rungs
    assert [agent.rung(failures) for failures in range(len(models))] == models


def test_every_limit_is_read() -> None:
    flow = load(
        SMALL
        + """
limits: {slots: 1, attempts: 6, own_attempts: 4, executions: 5, dispute_rounds: 7, disputes: 8, feedback_rounds: 9,
         repeats: 10, splits: 11, runs: 12, lease: 2m, timeout: 1h30m, silence: 90s, starve: 1d, starts: 13,
         window: 20m}
questions: {pause_all: true, deadline: 2h}
"""
    )
    assert flow.limits == Limits(
        slots=1,
        attempts=6,
        own_attempts=4,
        executions=5,
        dispute_rounds=7,
        disputes=8,
        feedback_rounds=9,
        repeats=10,
        splits=11,
        runs=12,
        lease=120.0,
        timeout=5400.0,
        silence=90.0,
        starve=86_400.0,
        starts=13,
        window=1200.0,
    )
    assert flow.questions == QuestionPolicy(pause_all=True, deadline=7200.0)


def test_an_agent_is_read_with_the_text_of_its_prompt() -> None:
    text = SMALL.rstrip() + " {prompt: prompts/c.md, write: new_tests, may: [], timeout: 10m}"
    agent = load(text, {"prompts/c.md": "Code well.\n"}).agents["coder"]
    assert agent.prompt == "prompts/c.md"
    assert agent.instructions == "Code well.\n"
    assert (agent.write, agent.may, agent.timeout) == ("new_tests", [], 600.0)


def test_keys_that_ask_for_nothing_are_as_if_they_were_not_there() -> None:
    text = (
        SMALL.replace("next: done", "next: done, gate: [], on_red: null, tags: []").rstrip()
        + " {experts: [], setup: [], expert: false, run: null, network: true}\n"
        + "discover: null\narbiter: ~\ngates: {}\nmodels: {}\npools:\nclients: {}\nnotify: []\nmessages: {}\n"
        + "budget: {item_usd: null, day_usd: null, item_tokens: null, day_time: null}\ntarget: null\nmirror: {}\n"
        + "run: null\nsandbox: auto\nlimits: {starts: null, window: 1h}\n"
    )
    assert load(text) == load(SMALL)
    assert read_flow(text, "flow.yaml", no_prompts).warnings == []


def test_a_person_can_watch_a_column_of_which_only_that_is_said() -> None:
    flow = load(
        SMALL.replace("agents:\n  coder:", "  needs-human: {human: true}\nagents:\n  coder: {escalate_to: needs-human}")
    )
    assert flow.columns["needs-human"] == Column(name="needs-human", human=True, kind="escalation")
    assert list(flow.columns) == ["dev", "done", "needs-human"]


def test_done_may_be_listed_and_keeps_its_place() -> None:
    flow = load("columns: {done: , dev: {agents: [coder], next: done}}\nagents: {coder: }\nstart: dev")
    assert list(flow.columns) == ["done", "dev"]


def test_words_of_yaml_1_1_stay_words() -> None:
    flow = load("columns: {on: {agents: [no], next: 012}, 012: {agents: [y], next: done}}\nagents: {no: , y: }")
    assert flow.start == "on"
    assert flow.watcher("on") == "no"
    assert list(flow.columns) == ["on", "012", "done"]


def test_an_alias_stands_for_its_value() -> None:
    flow = load(
        "columns: {a: {agents: [x], next: b}, b: {agents: [y], next: done}}\n"
        "agents: {x: &same {ladder: {0: m, 1+: escalate}}, y: *same}"
    )
    assert flow.agents["y"].ladder == flow.agents["x"].ladder != []


def test_how_an_agent_is_run_is_read_without_a_word() -> None:
    read = read_flow(SMALL.rstrip() + " {run: {client: claude-code}}", "flow.yaml", no_prompts)
    assert read.flow.agents["coder"].run == {"client": "claude-code"}
    assert read.warnings == []


def test_a_mistyped_escalate_is_taken_for_a_model_but_said() -> None:
    read = read_flow(SMALL.rstrip() + " {ladder: {0: a, 1+: escalte}}", "flow.yaml", no_prompts)
    assert read.flow.agents["coder"].rung(1) == "escalte"
    assert read.warnings == [
        "flow.yaml:5:26: agents.coder.ladder.1+: 'escalte' is taken for a model — did you mean 'escalate'?"
    ]


def test_a_person_in_the_middle_of_the_flow_is_told_how_to_send_items_on() -> None:
    read = read_flow(
        SMALL.replace("next: done}", "next: sign}\n  sign: {human: true, next: done}"), "flow.yaml", no_prompts
    )
    assert read.flow.columns["sign"].kind == "flow"
    assert [warning.split(" — ")[1] for warning in read.warnings] == [
        "answer with `moot answer QUESTION TEXT --to done`"
    ]


@pytest.mark.parametrize(
    ("file", "name"), [("my.team.yaml", "my.team"), (".moot/flow.yaml", "flow"), ("ä b.yaml", "flow")]
)
def test_a_flow_without_a_name_is_called_after_its_file(file: str, name: str) -> None:
    assert load(SMALL, name=file).name == name


def test_the_yaml_reader_is_not_loaded_before_a_flow_is_read() -> None:
    code = "import sys, folkmoot.flows.load, folkmoot.flows.preset; assert 'yaml' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
