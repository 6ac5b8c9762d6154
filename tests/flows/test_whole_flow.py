"""Every key that a flow may have is read, and what must fit together between them is looked at."""

import pytest

from folkmoot.core.flow import Budget, Client, Column, Flow, Gate, MessageRule, Model, Pool, Rung
from folkmoot.flows.faults import FlowFaults
from folkmoot.flows.load import load_flow, read_flow

WHOLE = """\
flow: my-team
start: ready
discover: plan
arbiter: plan
limits: {slots: 4, attempts: null, lease: 60s, timeout: 30m, starts: 20, window: 10m}
columns:
  ready:  {agents: [planner], work: plan}
  plan:   {agents: [planner], next: dev}
  dev:    {agents: [dev-agent], next: review, gate: [ward], on_red: mend, tags: []}
  review: {agents: [reviewer, devils-advocate], next: done, fix: dev, gate: ward}
  mend:   {agents: [mender], kind: backflow}
  quarrel: {agents: [dev-agent, reviewer], kind: dispute}
  blocked: {kind: escalation}
  by-tag: {agents: [mender], kind: escalation, tags: [speed, races]}
  needs-human: {human: true}
agents:
  planner: {may: [ask, split], write: none}
  dev-agent:
    run: {client: claude-code}
    ladder: {0-1: glm-4, 2-3: opus, 4+: escalate}
    escalate_to: needs-human
    experts: [crypto-expert]
    write: own
    may: [ask, delegate, dispatch, split]
    setup: [["make", "install"], [npm, ci]]
    timeout: 30m
  reviewer: {run: {command: ["review", "--brief", "{brief}"]}, network: false}
  devils-advocate: {run: {python: "team.agents:attack"}}
  mender: {run: {acp: "opencode acp"}}
  crypto-expert: {expert: true, write: none}
reasons: {speed: blocked, races: blocked, tests: quarrel}
gates: {ward: {run: ["make", "check"], timeout: 10m, setup: [["make", "deps"]], network: false}}
models:
  glm-4: {client: opencode, id: zai/glm-4.7, pool: zai}
  opus: {client: claude-code, id: opus, pool: anthropic}
pools: {anthropic: {slots: 3}, zai: {slots: 8}}
notify: ["notify-send"]
messages: {task_handoff: {from: [planner], to: [dev-agent]}, completion: {from: any, to: orchestrator}}
questions: {pause_all: false, deadline: null}
budget: {item_usd: 2.50, day_usd: 20, item_tokens: 2000000, day_tokens: 5000000000, item_time: 2h, day_time: 3d}
target: main
mirror: {dir: .claude, people: [alice], visible: true}
sandbox: always
run: {client: claude-code}
clients:
  claude-code: {env: [ANTHROPIC_API_KEY], files: [~/.claude/.credentials.json], permissions: ask}
  house:
    command: [house, --model, "{model}", "{prompt}"]
    speaks: claude-code
    set: {HOUSE_COLOR: "no", HOUSE_EMPTY: "", HOUSE_LEVEL: 012, HOUSE_UNSAID: null}
  desk: {acp: "desk --acp", speaks: text, permissions: deny}
  shed: {acp: [shed, acp server]}
"""
KNOWN = ["claude-code", "codex", "opencode", "goose"]


def no_prompts(path: str) -> str | None:
    return None


@pytest.fixture(scope="module")
def whole() -> Flow:
    return load_flow(WHOLE, "flow.yaml", no_prompts)


def test_the_columns_are_read_with_all_their_keys(whole: Flow) -> None:
    assert whole.columns["ready"] == Column(name="ready", agents=["planner"], work="plan")
    assert whole.columns["dev"] == Column(
        name="dev", agents=["dev-agent"], next="review", gate=["ward"], on_red="mend", tags=[]
    )
    assert whole.columns["review"].agents == ["reviewer", "devils-advocate"]
    assert whole.columns["review"].gate == ["ward"], "a single name is read too"
    assert whole.columns["quarrel"].kind == "dispute"
    assert whole.columns["by-tag"].tags == ["speed", "races"]
    assert (whole.discover, whole.arbiter) == ("plan", "plan")


def test_the_agents_are_read_with_all_their_keys(whole: Flow) -> None:
    dev = whole.agents["dev-agent"]
    assert dev.experts == ["crypto-expert"]
    assert dev.may == ["ask", "delegate", "dispatch", "split"]
    assert dev.setup == [["make", "install"], ["npm", "ci"]]
    assert dev.ladder == [Rung(0, 1, "glm-4"), Rung(2, 3, "opus"), Rung(4, None, "escalate")]
    assert [agent.run for agent in whole.agents.values()] == [
        {"client": "claude-code"},
        {"client": "claude-code"},
        {"command": ["review", "--brief", "{brief}"]},
        {"python": "team.agents:attack"},
        {"acp": ["opencode", "acp"]},
        {"client": "claude-code"},
    ], "the flow's own where an agent has none, for experts too"
    expert = whole.agents["crypto-expert"]
    assert (expert.expert, expert.may, expert.write) == (True, [], "none")
    assert whole.agents["reviewer"].may == ["ask"]
    assert [name for name, agent in whole.agents.items() if not agent.network] == ["reviewer"]


def test_the_other_sections_are_read(whole: Flow) -> None:
    assert whole.gates == {
        "ward": Gate(name="ward", run=["make", "check"], timeout=600.0, setup=[["make", "deps"]], network=False)
    }
    assert whole.models["glm-4"] == Model(client="opencode", id="zai/glm-4.7", pool="zai")
    assert whole.pools == {"anthropic": Pool(slots=3), "zai": Pool(slots=8)}
    assert whole.clients == {
        "claude-code": Client(env=["ANTHROPIC_API_KEY"], files=["~/.claude/.credentials.json"], permissions="ask"),
        "house": Client(
            command=["house", "--model", "{model}", "{prompt}"],
            speaks="claude-code",
            set={"HOUSE_COLOR": "no", "HOUSE_EMPTY": "", "HOUSE_LEVEL": "012"},
        ),
        "desk": Client(acp=["desk", "--acp"], speaks="text", permissions="deny"),
        "shed": Client(acp=["shed", "acp server"]),
    }
    assert whole.notify == ["notify-send"]
    assert whole.messages == {
        "task_handoff": MessageRule(senders=["planner"], receivers=["dev-agent"]),
        "completion": MessageRule(senders=["any"], receivers=["orchestrator"]),
    }
    assert whole.budget == Budget(
        item_usd=2.5,
        day_usd=20.0,
        item_tokens=2_000_000,
        day_tokens=5_000_000_000,
        item_time=7_200.0,
        day_time=259_200.0,
    )
    assert (whole.target, whole.mirror, whole.sandbox) == ("main", ".claude", "always")
    assert (whole.mirror_people, whole.mirror_shown) == (["alice"], True)
    assert (whole.limits.starts, whole.limits.window) == (20, 600.0)


def test_a_flow_with_every_key_has_nothing_to_be_told_of() -> None:
    assert read_flow(WHOLE, "flow.yaml", no_prompts, known_clients=KNOWN).warnings == []


# What is planted where in the whole flow, and the one fault it gives: place, path and words, and what to do.
PLANTED = [
    ("discover: plan", "discover: plam", "3:11: discover: there is no column 'plam'", "'plan'?"),
    ("discover: plan", "discover: blocked", "3:11: discover: nobody works in 'blocked'", "name a column with agents"),
    ("discover: plan", "discover: ready", "3:11: discover: the work of 'ready' is done elsewhere", "name 'plan'"),
    ("discover: plan", "discover: mend", "3:11: discover: the tasks split off in 'mend' have nowhere", "let next of"),
    ("arbiter: plan", "arbiter: quarrel", "4:10: arbiter: 'quarrel' is for two sides", "kind flow"),
    ("ready:  {agents: [planner], ", "ready:  {", "7:18: columns.ready.work: nobody would take", "add agents"),
    ("work: plan", "work: pln", "7:37: columns.ready.work: there is no column 'pln'", "'plan'?"),
    ("work: plan", "work: ready", "7:37: columns.ready.work: items are in this column already", "another column"),
    ("work: plan", "work: mend", "7:37: columns.ready.work: 'mend' is of kind backflow", "kind flow"),
    ("work: plan", "work: done", "7:37: columns.ready.work: 'done' is the end", "kind flow"),
    ("work: plan", "work: dev", "7:37: columns.ready.work: 'dev' is watched by others", "agents: [planner] at 'dev'"),
    ("work: plan", "work: plan, next: dev", "7:49: columns.ready.next: items go on from 'plan'", "next at 'plan'"),
    ("on_red: mend", "on_red: mned", "9:69: columns.dev.on_red: there is no column 'mned'", "'mend'?"),
    ("on_red: mend", "on_red: blocked", "9:69: columns.dev.on_red: nobody would repair", "kind backflow"),
    ("on_red: mend", "on_red: by-tag", "9:69: columns.dev.on_red: nobody would repair", "kind backflow"),
    ("on_red: mend", "on_red: dev", "9:69: columns.dev.on_red: a column cannot send work", "leave on_red out"),
    ("fix: dev, gate: ward", "on_red: dev", "10:69: columns.review.on_red: there is no gate here", "add gate"),
    ("gate: ward", "gate: {ward: }", "10:77: columns.review.gate: a mapping stands where a list", "write [name]"),
    ("next: dev}", "next: dev, gate: [wrad]}", "8:49: columns.plan.gate: there is no gate 'wrad'", "'ward'?"),
    ("human: true}", "human: true, gate: [ward]}", "15:36: columns.needs-human.gate: nobody works", "add agents"),
    ("backflow}", "backflow, gate: ward}", "11:52: columns.mend.gate: a gate stands in the flow", "at the stages"),
    ("kind: dispute", "kind: dispute, next: done", "12:65: columns.quarrel.next: a column of kind", "remove next"),
    ("kind: dispute", "kind: dispute, fix: dev", "12:64: columns.quarrel.fix: a column of kind", "remove fix"),
    ("kind: dispute", "kind: dispute, gate: [ward]", "12:65: columns.quarrel.gate: a column of", "remove gate"),
    ("[dev-agent, reviewer]", "[reviewer]", "12:21: columns.quarrel.agents: a dispute has two sides", "name both"),
    ("{agents: [mender], kind: escalation, ", "{kind: escalation, ", "14:36: columns.by-tag.tags: nobody", "add"),
    ("kind: escalation, tags", "kind: flow, next: done, tags", "14:60: columns.by-tag.tags: a column", "backflow"),
    ("backflow}", "backflow, tags: [races]}", "14:62: columns.by-tag.tags: the tag 'races' stands", "in 'mend'"),
    ("[speed, races]", "[speed, speed]", "14:62: columns.by-tag.tags: 'speed' stands here twice", "keep one"),
    (
        "blocked: {kind: escalation}",
        "blocked: {kind: escalation, human: true}",
        "14:54: columns.by-tag.tags: tags act on items in a column that nobody watches",
        "blocked: {kind: escalation}",
    ),
    ("kind: escalation}\n", "}\n", "13:3: columns.blocked: items would wait there for ever", "add agents"),
    ("experts: [crypto-expert]", "experts: [crypt-expert]", "22:15: agents.dev-agent.experts: there is no", "'crypto-"),
    ("experts: [crypto-expert]", "experts: [mender]", "22:15: agents.dev-agent.experts: 'mender' is no", "escalate_to"),
    ("write: none}\nreasons", "may: [ask]}\nreasons", "30:38: agents.crypto-expert.may: an expert", "remove may"),
    ("write: none}\nreasons", "escalate_to: needs-human}\nreasons", "30:46: agents.crypto-expert.esc", "remove"),
    ("write: none}\nreasons", "experts: [mender]}\nreasons", "30:42: agents.crypto-expert.exp", "remove experts"),
    ("agents: [mender], kind: b", "agents: [mender, crypto-expert], kind: b", "11:29: columns.mend.agents", "expert"),
    ('[["make", "install"], [npm, ci]]', "[make, install]", "25:12: agents.dev-agent.setup: setup is", '[["make", "i'),
    ('[["make", "install"], [npm, ci]]', "[[make], npm ci]", "25:21: agents.dev-agent.setup: a com", '["npm", "ci"]'),
    ("    run: {client: claude-code}", "    run: {}", "19:5: agents.dev-agent.run: it does not say how", "client, acp"),
    ("    run: {client: claude-code}", "    run: {client: a, acp: b}", "19:5: agents.dev-agent.run: it says", "keep"),
    ("    run: {client: claude-code}", "    run: {clinet: a}", "19:11: agents.dev-agent.run.clinet: unk", "'client'?"),
    ("team.agents:attack", "team.agents.attack", "28:35: agents.devils-advocate.run.python: 'team", "module:function"),
    ("  mender:", "  any: {}\n  mender:", "29:3: agents.any: this name is taken", "another name"),
    ("{speed: blocked", "{speed: plan", "31:18: reasons.speed: 'plan' is a stage of the flow", "dispute"),
    ("{ward: {run", "{mender: {}, ward: {run", "32:9: gates.mender: an agent has this name too", "mender-check"),
    ('["make", "check"]', "make check", "32:21: gates.ward.run: a command is a list", 'write ["make", "check"]'),
    ("timeout: 10m", "timeout: 10", "32:49: gates.ward.timeout: '10' has no unit", "10s, 10m or 10h"),
    ("pool: zai}", "pool: zia}", "34:52: models.glm-4.pool: there is no pool 'zia'", "'zai'?"),
    ("  opus: {cl", "  escalate: {cl", "35:3: models.escalate: this word ends a ladder", "remove it"),
    ("{slots: 3}", "{slots: none}", "36:28: pools.anthropic.slots: 'none' is not a whole number", "like 3"),
    ("[ANTHROPIC_API_KEY]", "[A=b]", "46:23: clients.claude-code.env: 'A=b' is no variable", "name only"),
    ('["notify-send"]', "notify-send -u", "37:9: notify: a command is a list of words", '["notify-send", "-u"]'),
    ("to: [dev-agent]}", "to: [dev-agnet]}", "38:49: messages.task_handoff.to: there is no agent", "'dev-agent'?"),
    ("to: [dev-agent]}", "too: [dev-agent]}", "38:44: messages.task_handoff.too: unknown key", "'to'?"),
    (", to: [dev-agent]}", "}", "38:12: messages.task_handoff: nobody may get this message", "`orchestrator`"),
    ("item_usd: 2.50", "item_usd: $2", "40:20: budget.item_usd: '$2' is not an amount", "0.50"),
    ("target: main", "target: [main]", "41:9: target: a list stands where the branch belongs", "one word"),
    ("{dir: .claude,", "{dir: ../x,", "42:15: mirror.dir: '../x' leads out of the project's folder", ".claude"),
    ("{dir: .claude,", "{dri: .claude,", "42:10: mirror.dri: unknown key", "'dir'?"),
    ("  mender:", "  landing: {}\n  mender:", "29:3: agents.landing: this name is taken: it is the gate", "another"),
    ("{ward: {run", "{landing: {run: [a]}, ward: {run", "32:9: gates.landing: this name is taken: it is", "landing-"),
    ("{ward: {run", "{any: {run: [a]}, ward: {run", "32:9: gates.any: this name is taken: it stands", "any-check"),
    ("gate: [ward],", "gate: [ward, landing],", "9:60: columns.dev.gate: 'landing' is the gate", "leave it out"),
    ("to: orchestrator", "to: landing", "38:90: messages.completion.to: there is no agent 'landing'", "known are"),
    ('[["make", "deps"]]', "[make, deps]", "32:61: gates.ward.setup: setup is a list of commands", '[["make", "d'),
    ('[["make", "deps"]]', "[[]]", "32:62: gates.ward.setup: this command has no words", '["make", "check"]'),
    ("network: false}}", "network: off}}", "32:90: gates.ward.network: 'off' is neither true nor", "true or false"),
    ("network: false}}", "newtork: false}}", "32:81: gates.ward.newtork: unknown key", "'network'?"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "said", "advice"), PLANTED)
def test_a_planted_mistake_gives_one_fault_at_its_place(old: str, new: str, said: str, advice: str) -> None:
    assert WHOLE.count(old) == 1, f"{old!r} must stand there once"
    with pytest.raises(FlowFaults) as caught:
        load_flow(WHOLE.replace(old, new), "flow.yaml", no_prompts, known_clients=KNOWN)
    found = [str(fault) for fault in caught.value.faults]
    assert len(found) == 1, "\n".join(found)
    what, _, what_to_do = found[0].partition(" — ")
    assert what.startswith(f"flow.yaml:{said}")
    assert advice in what_to_do


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("gate: [ward], on_red: mend, ", "", None),
        ("{ward: {run", "{spare: {}, ward: {run", "gates.spare: no column has this gate, so it would never run"),
        ("    experts: [crypto-expert]\n", "", "agents.crypto-expert: nobody has this expert"),
        (", tests: quarrel", "", "columns.quarrel: no reason leads here"),
        ("races]}", "heat]}", "reasons.races: nobody acts on the tag 'races' in 'blocked'"),
        (
            '{run: ["make", "check"], timeout: 10m, ',
            "{",
            "gates.ward: it has no command: only a script can play it, by `moot claim ward`",
        ),
    ],
)
def test_what_can_be_meant_but_is_odd_is_a_warning(old: str, new: str, said: str | None) -> None:
    assert WHOLE.count(old) == 1
    warnings = read_flow(WHOLE.replace(old, new), "flow.yaml", no_prompts, known_clients=KNOWN).warnings
    others = [warning for warning in warnings if "not used yet" not in warning]
    assert len(others) == (said is not None)
    assert all(f": {said}" in warning and " — " in warning for warning in others)


def test_a_circle_goes_through_the_column_where_the_work_is_done() -> None:
    text = WHOLE.replace("plan:   {agents: [planner], next: dev}", "plan:   {agents: [planner], next: ready}")
    with pytest.raises(FlowFaults) as caught:
        load_flow(text, "flow.yaml", no_prompts)
    assert [str(fault).split(" — ")[0] for fault in caught.value.faults] == [
        "flow.yaml:8:37: columns.plan.next: items never reach the end: ready → plan → ready"
    ]


def test_a_circle_of_help_is_found_behind_the_second_agent_of_a_column() -> None:
    text = """\
columns:
  dev: {agents: [coder], next: done}
  help: {agents: [first, second], kind: escalation}
  more: {agents: [coder2], kind: escalation}
agents:
  coder: {escalate_to: help}
  first: {}
  second: {escalate_to: more}
  coder2: {escalate_to: help}
"""
    with pytest.raises(FlowFaults) as caught:
        load_flow(text, "flow.yaml", no_prompts)
    assert [str(fault).split(" — ")[0] for fault in caught.value.faults] == [
        "flow.yaml:9:25: agents.coder2.escalate_to: help is sought in a circle: second → more → coder2 → help → second"
    ]


def test_a_column_for_tags_is_still_a_dead_end_where_nothing_acts_by_tags() -> None:
    text = "columns:\n  dev: {agents: [a], next: done}\n  blocked: {kind: escalation}\nagents: {a: }\n"
    with pytest.raises(FlowFaults) as caught:
        load_flow(text, "flow.yaml", no_prompts)
    assert [str(fault) for fault in caught.value.faults] == [
        "flow.yaml:3:3: columns.blocked: items would wait there for ever"
        " — add agents or human: true; or let columns with tags act here"
    ]


def test_a_board_has_room_for_only_so_many_agents() -> None:
    agents = "".join(f"  a{number}: {{}}\n" for number in range(201))
    with pytest.raises(FlowFaults) as caught:
        load_flow(f"columns: {{dev: {{agents: [a0], next: done}}}}\nagents:\n{agents}", "flow.yaml", no_prompts)
    assert [str(fault) for fault in caught.value.faults] == [
        "flow.yaml:2:1: agents: there are 201 agents — at most 200 fit on a board"
    ]


def test_what_is_split_is_split_by_one() -> None:
    text = """\
columns:
  plan: {agents: [first, second], next: dev}
  dev: {agents: [coder], next: done}
agents: {first: {may: [split]}, second: {may: [split]}, coder: }
discover: plan
"""
    with pytest.raises(FlowFaults) as caught:
        load_flow(text, "flow.yaml", no_prompts)
    assert [str(fault) for fault in caught.value.faults] == [
        "flow.yaml:5:11: discover: 'plan' has several agents, and none could split"
        " — keep one agent there: several only give their parts to one verdict"
    ]
