"""Which client runs an agent, with which words."""

import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.flow import Agent, Client, Column, Flow, Model, Pool
from folkmoot.errors import Invalid
from folkmoot.worker.clients.catalogue import Catalogue, Start, fill
from folkmoot.worker.clients.listener import DIALECTS

CATALOGUE = Catalogue.load()
MEASURED = [
    "claude-code",
    "codex",
    "opencode",
    "gemini",
    "qwen",
    "goose",
    "copilot",
    "aider",
    "mini-swe-agent",
    "pi",
    "cn",
]
WITH_ACP = ["claude-code", "codex", "opencode", "gemini", "qwen", "goose", "copilot"]


def flow(agent: Agent, **parts: object) -> Flow:
    columns = {"build": Column(name="build", agents=[agent.name], next="done")}
    return Flow(name="f", start="build", columns=columns, agents={agent.name: agent}, **parts)  # type: ignore[arg-type]


def resolve(run: dict[str, object], model: str | None = None, **parts: object) -> Start:
    agent = Agent(name="dev", run=run)
    start = CATALOGUE.resolve(flow(agent, **parts), agent, model)
    assert start is not None
    return start


def test_every_measured_client_is_known_and_heard() -> None:
    assert sorted(CATALOGUE.clients) == sorted(MEASURED)
    assert sorted(name for name, known in CATALOGUE.clients.items() if known.acp) == sorted(WITH_ACP)
    for name, known in CATALOGUE.clients.items():
        assert known.speaks in DIALECTS and known.name == name
        assert known.command[0] == known.find[0]
    assert len({known.rank for known in CATALOGUE.clients.values()}) == len(MEASURED)


@pytest.mark.parametrize("name", MEASURED)
def test_the_prompt_gets_in_one_way(name: str) -> None:
    start = resolve({"client": name}, "m-1")
    by_word = any("{prompt}" in word or "{prompt_file}" in word for word in start.argv)
    assert start.stdin != by_word


@pytest.mark.parametrize("name", MEASURED)
def test_a_model_is_named_once_and_only_where_there_is_one(name: str) -> None:
    with_model, without = resolve({"client": name}, "m-1"), resolve({"client": name})
    assert fill(with_model.argv, {"model": "m-1"}).count("m-1") == 1
    assert len(with_model.argv) == len(without.argv) + 2
    assert "{model}" not in "".join(without.argv) and without.model is None


def test_what_passes_into_the_environment_is_named() -> None:
    start = resolve({"client": "claude-code"})
    assert "ANTHROPIC_API_KEY" in start.env and "HTTPS_PROXY" in start.env and "PATH" not in start.env
    assert start.set["CLAUDE_CODE_MAX_RETRIES"] == "2"
    assert start.files == ["~/.claude/.credentials.json"]
    assert '"maxAttempts":2' in resolve({"client": "gemini"}).home_files[".gemini/settings.json"]


@pytest.mark.parametrize("run", [{"client": "goose"}, {"acp": ["goose"]}, {"acp": ["goose", "acp"]}])
def test_a_variable_about_the_model_is_set_only_where_there_is_one(run: dict[str, object]) -> None:
    """goose opens no ACP session without it; without a model on the ladder the user's own passes through."""
    assert resolve(run, "m-1").set["GOOSE_MODEL"] == "m-1"
    assert "GOOSE_MODEL" not in resolve(run).set and "GOOSE_MODEL" in resolve(run).env
    own = Client(set={"GOOSE_MODEL": "mine"})
    assert resolve(run, "m-1", clients={"goose": own}).set["GOOSE_MODEL"] == "mine"


def test_opencode_asks_nobody_for_a_list_of_models() -> None:
    assert resolve({"client": "opencode"}).set["OPENCODE_DISABLE_MODELS_FETCH"] == "1"
    assert resolve({"acp": ["opencode"]}).set["OPENCODE_DISABLE_MODELS_FETCH"] == "1"


def test_the_installed_ones_are_found_the_preferred_first() -> None:
    there = {"goose": "/opt/goose", "codex": "/opt/codex", "codex-acp": "/opt/codex-acp"}
    found = CATALOGUE.find(there.get)
    assert [(one.known.name, one.path, one.acp_path) for one in found] == [
        ("codex", "/opt/codex", "/opt/codex-acp"),
        ("goose", "/opt/goose", "/opt/goose"),
    ]
    assert CATALOGUE.find(lambda name: None) == []


def test_an_agent_without_run_is_left_to_others_unless_its_model_names_a_client() -> None:
    agent = Agent(name="dev")
    assert CATALOGUE.resolve(flow(agent), agent, "opus") is None
    assert CATALOGUE.resolve(flow(agent), agent, None) is None
    start = resolve({}, "opus", models={"opus": Model(client="goose", id="big", pool="p")})
    assert (start.name, start.model, start.pool) == ("goose", "big", "p")


def test_the_rungs_client_comes_before_the_agents() -> None:
    models = {"glm-4": Model(client="opencode", id="zai/glm-4.7", pool="zai"), "opus": Model(id="opus-5")}
    pools = {"zai": Pool(slots=8)}
    cheap = resolve({"client": "claude-code"}, "glm-4", models=models, pools=pools)
    assert (cheap.name, cheap.model, cheap.pool) == ("opencode", "zai/glm-4.7", "zai")
    dear = resolve({"client": "claude-code"}, "opus", models=models)
    assert (dear.name, dear.model, dear.pool) == ("claude-code", "opus-5", None)
    assert resolve({"client": "claude-code"}, "haiku", models=models).model == "haiku"


def test_a_command_of_ones_own_is_taken_as_it_is() -> None:
    models = {"opus": Model(client="goose", id="big", pool="p")}
    start = resolve({"command": ["/bin/agent.sh", "{brief}", "--m={model}"]}, "opus", models=models)
    assert (start.name, start.speaks, start.stdin, start.acp) == ("agent.sh", "text", True, False)
    assert start.argv == ["/bin/agent.sh", "{brief}", "--m={model}"]
    assert (start.model, start.pool, start.env, start.files) == ("big", "p", [], [])


def test_a_python_function_is_run_by_our_own_module() -> None:
    start = resolve({"python": "agents.dev:work"})
    assert start.argv == [sys.executable, "-P", "-m", "folkmoot.worker.clients.function", "agents.dev:work"]
    assert not start.stdin and start.speaks == "text"


def test_the_flows_entry_comes_over_the_known_one() -> None:
    given = Client(env=["MY_KEY"], files=["~/.my"], set={"GOOSE_MODE": "smart", "X": "1"})
    start = resolve({"client": "goose"}, clients={"goose": given})
    assert (start.env, start.files) == (["MY_KEY"], ["~/.my"])
    assert start.set["X"] == "1" and start.set["GOOSE_MODE"] == "smart" and start.set["GOOSE_DISABLE_KEYRING"] == "1"
    assert start.argv[0] == "goose"
    start = resolve({"client": "goose"}, clients={"goose": Client(command=["goose2", "{prompt}"])})
    assert start.argv == ["goose2", "{prompt}"] and start.speaks == "goose"


def test_a_client_that_only_the_flow_knows() -> None:
    start = resolve({"client": "mine"}, clients={"mine": Client(command=["mine", "-m", "{model}"], env=["K"])})
    assert (start.name, start.argv, start.speaks, start.env) == ("mine", ["mine", "-m", "{model}"], "text", ["K"])
    with pytest.raises(Invalid) as error:
        resolve({"client": "mine"}, clients={"mine": Client(command=["mine"], speaks="claud-code")})
    assert "claude-code" in error.value.hint


@pytest.mark.parametrize(("name", "meant"), [("claude", "claude-code"), ("gose", "goose"), ("open-code", "opencode")])
def test_an_unknown_client_is_refused_with_the_one_that_was_meant(name: str, meant: str) -> None:
    with pytest.raises(Invalid) as error:
        resolve({"client": name})
    assert name in error.value.message and f"did you mean {meant}?" in error.value.hint


def driven(start: Start) -> tuple[list[str], list[str]]:
    """The driver's own words, and the agent's command."""
    assert start.acp and not start.stdin and start.speaks == "acp"
    assert start.argv[:4] == [sys.executable, "-P", "-m", "folkmoot.worker.clients.acp_driver"]
    cut = start.argv.index("--")
    return start.argv[4:cut], start.argv[cut + 1 :]


def test_a_clients_name_stands_for_its_acp_command() -> None:
    words, command = driven(resolve({"acp": ["goose"]}, "m-1"))
    assert command == ["goose", "acp", "--with-builtin", "developer"]
    assert words[-2:] == ["--mode", "auto"] and "--model" in words and "m-1" in words
    words, command = driven(resolve({"acp": ["gemini"]}, "m-1"))
    assert command == ["gemini", "--acp", "-m", "{model}"]
    assert "--auth" in words and "--model" not in words


def test_an_acp_command_of_ones_own_has_the_settings_of_the_client_it_starts() -> None:
    words, command = driven(start := resolve({"acp": ["/opt/bin/goose", "acp"]}))
    assert command == ["/opt/bin/goose", "acp"] and "OPENAI_API_KEY" in start.env
    words, command = driven(start := resolve({"acp": ["my-agent", "--acp"]}))
    assert (command, start.env, start.name) == (["my-agent", "--acp"], [], "my-agent")
    assert words == ["--cwd", "{workspace}", "--prompt-file", "{prompt_file}", "--permissions", "allow"]


@pytest.mark.parametrize("permissions", ["ask", "deny"])
@pytest.mark.parametrize("name", WITH_ACP)
def test_a_client_that_must_ask_is_driven_by_acp_in_a_mode_that_asks_or_refused_by_name(
    name: str, permissions: str
) -> None:
    clients = {name: Client(permissions=permissions)}
    if name == "codex" and permissions == "ask":
        with pytest.raises(Invalid, match="permissions: ask cannot hold for codex"):
            resolve({"client": name}, clients=clients)
        return
    words, _ = driven(start := resolve({"client": name}, clients=clients))
    assert words[words.index("--permissions") + 1] == permissions and words[-1] == "--must-ask"
    wanted = [word for before, word in pairwise(words) if before == "--mode"]
    assert wanted and not {"yolo", "auto", "bypassPermissions", "agent-full-access"} & set(wanted)
    assert start.set.get("GOOSE_MODE") == ("approve" if name == "goose" else None)


def test_an_agent_that_nobody_knows_must_have_a_mode_that_asks() -> None:
    clients = {"my-agent": Client(acp=["my-agent"], permissions="deny")}
    words, _ = driven(resolve({"acp": ["my-agent"]}, clients=clients))
    assert words[-1] == "--must-ask" and "default" in words


def test_a_client_without_the_protocol_cannot_be_asked() -> None:
    with pytest.raises(Invalid, match="aider does not speak"):
        resolve({"client": "aider"}, clients={"aider": Client(permissions="deny")})


VALUES = st.dictionaries(st.sampled_from(["prompt", "model", "workspace", "report"]), st.text(max_size=30))


@given(st.lists(st.text(max_size=30), max_size=5), VALUES)
def test_a_word_stays_one_word(argv: list[str], values: dict[str, str]) -> None:
    assert len(fill(argv, values)) == len(argv)
    assert fill([word.replace("{", "(") for word in argv], values) == [word.replace("{", "(") for word in argv]


def test_placeholders_are_replaced_whole_or_in_part_and_never_twice() -> None:
    values = {"prompt": "a b; rm -rf $HOME {model} \"'`", "model": "m"}
    assert fill(["{prompt}", "--x={model}/{model}", "{unknown}", "{}", "{{model}}"], values) == [
        values["prompt"],
        "--x=m/m",
        "{unknown}",
        "{}",
        "{m}",
    ]


def test_a_prompt_too_long_for_one_argument_is_pointed_to() -> None:
    values = {"prompt": "ü" * 100_000, "prompt_file": "/spool/prompt.txt"}
    (word,) = fill(["--task={prompt}"], values)
    assert "/spool/prompt.txt" in word and len(word) < 200
    assert fill(["{prompt}"], {"prompt": "a\0b"}) == ["ab"]
