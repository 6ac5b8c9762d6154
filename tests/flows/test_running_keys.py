"""What a flow says about running agents: each mistake is found where it is, and what is odd is said."""

import pytest

from folkmoot.core.flow import Flow, Price
from folkmoot.flows.faults import FlowFaults
from folkmoot.flows.load import load_flow, read_flow

FLOW = """\
columns: {dev: {agents: [coder, reader], next: done}}
run: {client: claude-code}
sandbox: auto
limits:
  starts: 20
  window: 10m
agents:
  coder:
    run: {client: opencode}
    ladder: {0-1: glm-4, 2+: opus}
    experts: [sage]
  reader:
    run: {command: [read]}
    network: false
  sage: {expert: true}
models:
  glm-4: {client: opencode, id: zai/glm-4.7, pool: zai}
  opus: {client: house}
pools:
  zai: {slots: 8}
clients:
  claude-code:
    env: [ANTHROPIC_API_KEY]
    files: [~/.claude/.credentials.json]
    permissions: ask
  house:
    command: [house, "{prompt}"]
    speaks: codex
    set: {HOUSE_COLOR: "no", HOUSE_UNSAID: null}
  desk:
    acp: desk --acp
budget:
  item_tokens: 2000000
  day_tokens: 5000000000
  item_time: 2h
  day_time: 3d
"""
KNOWN = ("opencode", "goose", "codex", "claude-code")
CODER = "    run: {client: opencode}"
DEFAULT = "\nrun: {client: claude-code}"
HOUSE = 'command: [house, "{prompt}"]'
COLOR = 'HOUSE_COLOR: "no"'


def no_prompts(path: str) -> str | None:
    return None


def planted(old: str, new: str) -> str:
    assert FLOW.count(old) == 1, f"{old!r} must stand there once"
    return FLOW.replace(old, new)


def load(text: str) -> Flow:
    return load_flow(text, "flow.yaml", no_prompts, known_clients=KNOWN)


def warnings_of(text: str) -> list[str]:
    return read_flow(text, "flow.yaml", no_prompts, known_clients=KNOWN).warnings


def test_the_flow_is_good_before_a_mistake_is_planted() -> None:
    assert warnings_of(FLOW) == []


# What is planted where, and the one fault it must give: its place and path, a part of what is said, what to do.
PLANTED = [
    (DEFAULT, "\nrun: claude-code", "2:6: run: a single value stands", "write {client: claude-code}"),
    (DEFAULT, "\nrun: {client: claude}", "2:15: run.client: there is no client 'claude'", "'claude-code'?"),
    (DEFAULT, "\nrun: {client: desk1}", "2:15: run.client: there is no client 'desk1'", "did you mean 'desk'?"),
    (DEFAULT, "\nrun: {client: x}", "2:15: run.client: there is no client 'x'", "known are claude-code, codex"),
    (DEFAULT, "\nrun: {}", "2:1: run: it does not say how", "keep one of client, acp, command, python"),
    (DEFAULT, "\nrun: {client: a, python: b:c}", "2:1: run: it says client and python", "keep one"),
    (DEFAULT, "\nrun: {cleint: a}", "2:7: run.cleint: unknown key", "'client'?"),
    (DEFAULT, "\nrun: {python: work}", "2:15: run.python: 'work' is no function", "module:function"),
    ("sandbox: auto", "sandbox: allways", "3:10: sandbox: 'allways' is not known here", "'always'?"),
    ("sandbox: auto", "sandbox: yes", "3:10: sandbox: 'yes' is not known here", "auto, always, never"),
    ("sandbox: auto", "sandbox: [auto]", "3:10: sandbox: a list stands where the value belongs", "one of auto"),
    ("starts: 20", "starts: 0", "5:11: limits.starts: '0' is out of range", "from 1 to"),
    ("starts: 20", "strats: 20", "5:3: limits.strats: unknown key", "'starts'?"),
    ("window: 10m", "window: 10", "6:11: limits.window: '10' has no unit", "10m"),
    ("window: 10m", "window: 8d", "6:11: limits.window: '8d' is out of range", "from 1s to 7d"),
    (CODER, "    run: codex", "9:10: agents.coder.run: a single value stands", "write {client: codex}"),
    (CODER, "    run: {client: opencod}", "9:19: agents.coder.run.client: there is no client", "'opencode'?"),
    (CODER, "    run: {command: []}", "9:20: agents.coder.run.command: this command has no words", "like ["),
    (CODER, "    run: {command: [a, [b]]}", "9:24: agents.coder.run.command: a list stands where a", '"word"'),
    (CODER, '    run: {acp: " "}', "9:16: agents.coder.run.acp: this command has no words", "like ["),
    (CODER, "    run: {acp: {a: b}}", "9:16: agents.coder.run.acp: a command is a list of words", "write ["),
    ("network: false", "network: no", "14:14: agents.reader.network: 'no' is neither true nor false", "true or"),
    ("network: false", "netwrok: false", "14:5: agents.reader.netwrok: unknown key", "'network'?"),
    ("pool: zai}", "pool: zia}", "17:52: models.glm-4.pool: there is no pool 'zia'", "'zai'?"),
    ("[ANTHROPIC_API_KEY]", "API_KEY", "23:10: clients.claude-code.env: a single value stands", "[API_KEY]"),
    ("[ANTHROPIC_API_KEY]", "[A, B=c]", "23:14: clients.claude-code.env: 'B=c' is no variable", "name only"),
    ("[ANTHROPIC_API_KEY]", "[HOME]", "23:11: clients.claude-code.env: every run has a HOME of", "in files"),
    ("[ANTHROPIC_API_KEY]", "[MOOT_TOKEN]", "23:11: clients.claude-code.env: every run has a MOOT_T", "another"),
    ("~/.claude/.credentials.json", ".key", "24:13: clients.claude-code.files: '.key' is no file in", "~/.codex"),
    ("~/.claude/.credentials.json", "/a/b", "24:13: clients.claude-code.files: '/a/b' is no file in", "~/.codex"),
    ("~/.claude/.credentials.json", "~/../b", "24:13: clients.claude-code.files: '~/../b' is no file", "~/.codex"),
    ("[ANTHROPIC_API_KEY]", "[LD_PRELOAD]", "23:11: clients.claude-code.env: LD_PRELOAD lets foreign code", "leave"),
    ("~/.claude/.credentials.json", "~/./b", "24:13: clients.claude-code.files: '~/./b' is no file in", "~/.codex"),
    ("~/.claude/.credentials.json", "~/.aws/", "24:13: clients.claude-code.files: '~/.aws/' is no f", "~/.codex"),
    ("permissions: ask", "permissions: aks", "25:18: clients.claude-code.permissions: 'aks' is not", "'ask'?"),
    ("permissions: ask", "permission: ask", "25:5: clients.claude-code.permission: unknown", "'permissions'?"),
    (HOUSE, "command: house {prompt}", "27:14: clients.house.command: a command is a list", '["house", "{prom'),
    (HOUSE, "command: []", "27:14: clients.house.command: this command has no words", "like ["),
    (HOUSE, "command: [{a: b}]", "27:15: clients.house.command: a mapping stands where a word", '"word"'),
    (HOUSE, "acp: ''", "27:10: clients.house.acp: this command has no words", "like ["),
    ("speaks: codex", "speaks: codex json", "28:13: clients.house.speaks: 'codex json' is no dialect's", "letters"),
    ("speaks: codex", "permissions: ask", "28:18: clients.house.permissions: it can ask before", "add acp"),
    (COLOR, "HOUSE-COLOR: red", "29:11: clients.house.set.HOUSE-COLOR: 'HOUSE-COLOR' is no variable", "name only"),
    (COLOR, "HOUSE_COLOR: {a: b}", "29:24: clients.house.set.HOUSE_COLOR: a mapping stands where", "into quotes"),
    (COLOR, "HOUSE_COLOR: [a]", "29:24: clients.house.set.HOUSE_COLOR: a list stands where a text", "into quotes"),
    (COLOR, 'HOUSE_COLOR: "a\\0b"', "29:24: clients.house.set.HOUSE_COLOR: this text cannot be", "no NUL"),
    (COLOR, f"A: {'a' * 20_001}", "29:14: clients.house.set.A: this text cannot be a value", "at most 20000"),
    (COLOR, "MOOT_RUN: r1", "29:11: clients.house.set.MOOT_RUN: every run has a MOOT_RUN of its own", "another name"),
    (f"set: {{{COLOR}", f"env: [HOUSE_COLOR]\n    set: {{{COLOR}", "30:11: clients.house.set.HOUSE_COLOR: 'HO", "keep"),
    ("set: {HOUSE_COLOR: \"no\", HOUSE_UNSAID: null}", "set: [A=b]", "29:10: clients.house.set: a list stands", "{key"),
    ("acp: desk --acp", "apc: desk --acp", "31:5: clients.desk.apc: unknown key", "'acp'?"),
    ("item_tokens: 2000000", "item_tokens: 2M", "33:16: budget.item_tokens: '2M' is not a whole", "like 2000000"),
    ("item_tokens: 2000000", "item_token: 2", "33:3: budget.item_token: unknown key", "'item_tokens'?"),
    ("day_tokens: 5000000000", "day_tokens: 0", "34:15: budget.day_tokens: '0' is out of range", "1000000000000"),
    ("item_time: 2h", "item_time: 2", "35:14: budget.item_time: '2' has no unit", "2h"),
    ("day_time: 3d", "day_time: 400d", "36:13: budget.day_time: '400d' is out of range", "from 1s to 365d"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "said", "advice"), PLANTED)
def test_a_planted_mistake_gives_one_fault_at_its_place(old: str, new: str, said: str, advice: str) -> None:
    with pytest.raises(FlowFaults) as caught:
        load(planted(old, new))
    found = [str(fault) for fault in caught.value.faults]
    assert len(found) == 1, "\n".join(found)
    what, _, what_to_do = found[0].partition(" — ")
    assert what.startswith(f"flow.yaml:{said}")
    assert advice in what_to_do


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("client: opencode, id", "client: opencod, id", "17:19: models.glm-4.client: there is no client 'opencod'"),
        (f"{HOUSE}\n    ", "", "18:18: models.opus.client: nothing says how 'house' is started"),
        ("  desk:\n    acp: desk --acp\n", "  codx: {}\n", "30:3: clients.codx: this client is not known here"),
        ("  desk:\n    acp: desk --acp\n", "  desk: {}\n", "30:3: clients.desk: this client is not known here"),
        ("speaks: codex", "speaks: codecs", "28:13: clients.house.speaks: nobody understands the dialect 'codecs'"),
        (COLOR, "HOUSE_API_KEY: abc", "29:11: clients.house.set.HOUSE_API_KEY: a secret written here is stored"),
        ("  opus: {cl", "  opsu: {cl", "18:3: models.opsu: no ladder names this model — did you mean 'opus'?"),
        ("  zai: {slots: 8}", "  zai: {}\n  zia: {}", "21:3: pools.zia: no run counts in this pool"),
        (
            "    experts",
            "    network: false\n    experts",
            "11:14: agents.coder.network: without the network its client",
        ),
        ("{expert: true}", "{expert: true, network: false}", "15:33: agents.sage.network: without the network"),
    ],
)
def test_what_can_be_meant_but_is_odd_is_a_warning(old: str, new: str, said: str) -> None:
    found = warnings_of(planted(old, new))
    assert [warning for warning in found if warning.startswith(f"flow.yaml:{said}")], "\n".join(found)
    assert all(" — " in warning for warning in found)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("speaks: codex", "speaks: text"),
        ("speaks: codex", "speaks: acp"),
        ("speaks: codex", "acp: house --acp\n    permissions: ask"),  # each of the two ways is used in its place
        ("  opus: {cl", "  spare: {cl"),  # no ladder has it: a table may know more models than are used
        ("2+: opus", "2+: deepseek/v4"),  # nobody explains it: then its name is the id
        ("  zai: {slots: 8}", "  zai: {}\n  claude-code: {slots: 1}\n  house: {slots: 1}\n  reader: {slots: 1}"),
        ("{client: opencode}", "{client: house}"),
        ("{client: opencode}", "{client: desk}"),
        ("{client: opencode}", "{acp: [anything, at all]}"),
        ("HOUSE_UNSAID: null", "HOUSE_MAX_TOKENS: 5"),
        ("sandbox: auto", "sandbox: never"),
    ],
)
def test_what_is_right_is_not_spoken_of(old: str, new: str) -> None:
    assert warnings_of(planted(old, new)) == []


def test_an_agent_that_names_a_client_nobody_can_start_is_told_what_is_missing() -> None:
    text = planted(f"{HOUSE}\n    ", "").replace("client: opencode}", "client: house}")
    with pytest.raises(FlowFaults) as caught:
        load(text)
    assert [str(fault) for fault in caught.value.faults] == [
        "flow.yaml:9:19: agents.coder.run.client: nothing says how 'house' is started"
        " — add command or acp to it: clients: {house: …}"
    ]


def test_a_client_that_is_itself_faulty_is_not_asked_for_again() -> None:
    text = planted(HOUSE, "comand: [house]").replace("client: opencode}", "client: house}")
    with pytest.raises(FlowFaults) as caught:
        load(text)
    assert [fault.path for fault in caught.value.faults] == ["clients.house.comand"]


def test_without_known_names_nobody_asks_whether_a_client_exists() -> None:
    text = planted("{client: opencode}", "{client: nobody-knows}").replace("speaks: codex", "speaks: something")
    assert read_flow(text, "flow.yaml", no_prompts).warnings == []
    with pytest.raises(FlowFaults):
        load(text)


def test_a_default_that_is_wrong_is_one_fault_and_not_one_for_each_agent() -> None:
    text = planted("    run: {command: [read]}\n", "").replace(DEFAULT, "\nrun: {client: clod}")
    with pytest.raises(FlowFaults) as caught:
        load(text)
    assert [fault.path for fault in caught.value.faults] == ["run.client"]


def test_the_flows_own_run_starts_agents_and_experts_that_have_none() -> None:
    flow = load(FLOW)
    assert {name: agent.run for name, agent in flow.agents.items()} == {
        "coder": {"client": "opencode"},
        "reader": {"command": ["read"]},
        "sage": {"client": "claude-code"},
    }
    without = load(planted(DEFAULT, ""))
    assert without.agents["sage"].run == {}
    assert without.agents["coder"].run == {"client": "opencode"}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("{client: goose}", {"client": "goose"}),
        ("{acp: opencode acp}", {"acp": ["opencode", "acp"]}),
        ("{acp: [my agent, --acp]}", {"acp": ["my agent", "--acp"]}),
        ('{command: [sh, "{prompt}"]}', {"command": ["sh", "{prompt}"]}),
        ('{python: "team.agents:work"}', {"python": "team.agents:work"}),
        ("null", {}),
    ],
)
def test_each_way_of_starting_can_be_the_default(written: str, read: dict[str, object]) -> None:
    assert load(planted(DEFAULT, f"\nrun: {written}")).agents["sage"].run == read


def test_a_price_is_dollars_for_a_million_tokens_in_and_out() -> None:
    flow = flow_with("models: {opus: {client: codex, price: {input: 3, output: 15, cached: 0}}}")
    assert flow.models["opus"].price == Price(input=3.0, output=15.0, cached=0.0)


@pytest.mark.parametrize(
    ("price", "words"),
    [
        ("3", "a price is one for input and one for output"),
        ("{input: 3}", "it does not say what output costs"),
        ("{input: free, output: 3}", "'free' is not an amount"),
        ("{input: 3, output: 15, in: 4}", "unknown key"),
        ("{}", "it does not say what input costs"),
    ],
)
def test_a_price_that_says_too_little_is_named(price: str, words: str) -> None:
    with pytest.raises(FlowFaults) as caught:
        flow_with(f"models: {{opus: {{client: codex, price: {price}}}}}")
    assert words in str(caught.value)


def flow_with(text: str) -> Flow:
    columns = "columns: {dev: {agents: [coder], next: done}}\nagents: {coder: {ladder: {0+: opus}}}\n"
    return load_flow(columns + text, "flow.yaml", lambda path: None)


REMOTES = ["origin", "up-stream.2", "/srv/git/project.git", "ssh://git@far.example/p.git", "git@far.example:p.git"]


@pytest.mark.parametrize("named", [*REMOTES, "https://far.example/p.git", "file:///srv/git/p.git"])
def test_a_remote_is_named_or_told_by_its_address(named: str) -> None:
    assert load_flow(f"{FLOW}remote: {named}\n", "f.yaml", no_prompts).remote == named


@pytest.mark.parametrize(
    ("named", "what"),
    [
        ("../other.git", "is no remote"),
        ("-oProxyCommand=x", "is no remote"),
        ("ext::sh -c x", "is no remote"),
        ("two words", "is no remote"),
        ("https://me:secret@far.example/p.git", "a password"),
        ("https://token@far.example/p.git", "a password"),
    ],
)
def test_what_is_no_remote_is_refused_at_its_place(named: str, what: str) -> None:
    with pytest.raises(FlowFaults) as faults:
        load_flow(f'{FLOW}remote: "{named}"\n', "f.yaml", no_prompts)
    assert what in str(faults.value)
    assert "secret@" not in str(faults.value) and "token@" not in str(faults.value)


def test_agents_and_gates_say_which_labels_they_need() -> None:
    text = planted("    network: false", "    network: false\n    needs: [gpu, big]")
    flow = load_flow(f"{text}gates: {{app: {{run: [make], needs: macos}}}}\n", "f.yaml", no_prompts)
    assert flow.agents["reader"].needs == ["gpu", "big"]
    assert flow.gates["app"].needs == ["macos"]
    assert flow.agents["coder"].needs == []


@pytest.mark.parametrize(("said", "batch"), [("", 1), ("land: {}", 1), ("land: {batch: 20}", 20)])
def test_how_many_items_land_together(said: str, batch: int) -> None:
    assert load_flow(f"{FLOW}\n{said}\n", "flow.yaml", lambda path: "").land.batch == batch


@pytest.mark.parametrize("said", ["{batch: 0}", "{batch: 101}", "{batch: all}", "{batches: 2}", "20"])
def test_a_batch_that_cannot_be_is_a_fault_at_its_place(said: str) -> None:
    with pytest.raises(FlowFaults) as error:
        load_flow(f"{FLOW}\nland: {said}\n", "flow.yaml", lambda path: "")
    line = FLOW.count("\n") + 2
    assert f"flow.yaml:{line}:" in str(error.value)


PR = "mode: pr, draft: false, merge: when_green"


def test_how_work_is_proposed() -> None:
    land = load_flow(f"{FLOW}\nland: {{{PR}, command: [forge, --quiet]}}\n", "flow.yaml", lambda path: "").land
    assert (land.mode, land.draft, land.merge, land.command) == ("pr", False, "when_green", ["forge", "--quiet"])
    assert load_flow(f"{FLOW}\nland: {{mode: pr}}\n", "flow.yaml", lambda path: "").land.merge == "never"


@pytest.mark.parametrize(
    "said",
    [
        "{mode: pr, merge: always}",
        "{merge: when_green}",
        "{command: [forge]}",
        "{mode: pr, command: forge}",
        "{mode: pr, command: []}",
        "{mode: pr, command: [forge], repository: acme/shop}",
        "{mode: pr, command: [forge], api: 'https://forge.example.org'}",
        "{mode: pr, branch: moot}",
        "{mode: pr, api: 'http://forge.example.org'}",
    ],
)
def test_a_way_to_propose_that_cannot_be_is_a_fault_at_its_place(said: str) -> None:
    with pytest.raises(FlowFaults) as error:
        load_flow(f"{FLOW}\nland: {said}\n", "flow.yaml", lambda path: "")
    assert f"flow.yaml:{FLOW.count(chr(10)) + 2}:" in str(error.value)
