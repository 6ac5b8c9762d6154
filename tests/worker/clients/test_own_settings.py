"""What works for a client alone works in a run: its user's own settings pass, or are named."""

import json
from pathlib import Path

import pytest

from folkmoot.core.flow import Agent, Client, Column, Flow
from folkmoot.worker.clients.catalogue import Catalogue, Start
from folkmoot.worker.clients.own_settings import not_passing, with_settings

CATALOGUE = Catalogue.load()


def flow(name: str, **given: object) -> Flow:
    agent = Agent(name="dev", run={"client": name})
    clients = {name: Client(**given)} if given else {}  # type: ignore[arg-type]
    columns = {"build": Column(name="build", agents=["dev"], next="done")}
    return Flow(name="f", start="build", columns=columns, agents={"dev": agent}, clients=clients)


def started(name: str, home: Path, **given: object) -> Start:
    one = flow(name, **given)
    start = CATALOGUE.resolve(one, one.agents["dev"], None)
    assert start is not None
    return with_settings(start, str(home))


def written(home: Path, name: str, text: str) -> None:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def told(name: str, home: Path, seen: dict[str, str] | None = None, **given: object) -> dict[str, str]:
    found = not_passing(CATALOGUE, flow(name, **given), seen or {}, str(home))
    return {one.what: f"{one.why}: {one.advice}" for one in found}


def test_variables_in_the_settings_of_claude_code_pass(tmp_path: Path) -> None:
    env = {
        "ANTHROPIC_BASE_URL": "http://gateway.invalid",
        "ANTHROPIC_AUTH_TOKEN": "abc123",
        "MAX_THINKING_TOKENS": 8000,
    }
    written(tmp_path, ".claude/settings.json", json.dumps({"env": env, "model": "opus"}))
    start = started("claude-code", tmp_path)
    assert start.set["ANTHROPIC_BASE_URL"] == "http://gateway.invalid" and start.set["ANTHROPIC_AUTH_TOKEN"] == "abc123"
    assert start.set["MAX_THINKING_TOKENS"] == "8000" and start.set["ANTHROPIC_MODEL"] == "opus"
    assert told("claude-code", tmp_path) == {}


def test_what_is_set_for_every_run_comes_before_the_users_settings(tmp_path: Path) -> None:
    env = {"ANTHROPIC_BASE_URL": "http://mine.invalid", "DISABLE_AUTOUPDATER": "0"}
    written(tmp_path, ".claude/settings.json", json.dumps({"env": env}))
    start = started("claude-code", tmp_path, set={"ANTHROPIC_BASE_URL": "http://flow.invalid"})
    assert start.set["ANTHROPIC_BASE_URL"] == "http://flow.invalid" and start.set["DISABLE_AUTOUPDATER"] == "1"


def test_where_the_flow_lists_what_passes_no_setting_passes_beside_and_that_is_told(tmp_path: Path) -> None:
    written(tmp_path, ".claude/settings.json", '{"env": {"ANTHROPIC_AUTH_TOKEN": "abc"}}')
    start = started("claude-code", tmp_path, env=["ANTHROPIC_API_KEY"])
    assert "ANTHROPIC_AUTH_TOKEN" not in start.set
    assert "add it to clients.claude-code.env" in told("claude-code", tmp_path, env=["X"])["ANTHROPIC_AUTH_TOKEN"]


@pytest.mark.parametrize("name", ["LD_PRELOAD", "MOOT_RUN", "HOME", "PATH", "not a name"])
def test_a_variable_that_no_run_gets_is_named_and_left_out(name: str, tmp_path: Path) -> None:
    written(tmp_path, ".claude/settings.json", json.dumps({"env": {name: "x"}}))
    assert name not in started("claude-code", tmp_path).set
    assert f"{name} in ~/.claude/settings.json" in told("claude-code", tmp_path)


def test_a_helper_that_gives_keys_cannot_pass_and_what_to_do_is_said(tmp_path: Path) -> None:
    written(tmp_path, ".claude/settings.json", '{"apiKeyHelper": "~/bin/key"}')
    assert "ANTHROPIC_API_KEY" in told("claude-code", tmp_path)["apiKeyHelper in ~/.claude/settings.json"]


def test_the_variable_of_a_model_provider_of_codex_passes(tmp_path: Path) -> None:
    toml = '[model_providers.mine]\nname="mine"\nbase_url="http://x.invalid"\nenv_key="MY_GATEWAY_KEY"\n'
    written(tmp_path, ".codex/config.toml", toml)
    start = started("codex", tmp_path)
    assert "MY_GATEWAY_KEY" in start.env and "~/.codex/config.toml" in start.files


def test_variables_that_settings_of_opencode_put_in_pass(tmp_path: Path) -> None:
    written(tmp_path, ".config/opencode/opencode.jsonc", '{\n // mine\n "provider": {"x": {"key": "{env:MY_KEY}"}}}')
    assert "MY_KEY" in started("opencode", tmp_path).env
    assert told("opencode", tmp_path) == {}


def test_gemini_signs_in_as_its_user_does(tmp_path: Path) -> None:
    written(
        tmp_path, ".gemini/settings.json", '{"security":{"auth":{"selectedType":"oauth-personal"}},"hooks":{"a":1}}'
    )
    written(tmp_path, ".gemini/.env", "# mine\nexport GOOGLE_CLOUD_PROJECT='p-1'\nGEMINI_API_KEY=k # key\n")
    start = started("gemini", tmp_path)
    own = json.loads(start.home_files[".gemini/settings.json"])
    assert own["security"]["auth"]["selectedType"] == "oauth-personal" and own["general"]["maxAttempts"] == 2
    assert "hooks" not in own and start.set["GOOGLE_CLOUD_PROJECT"] == "p-1" and start.set["GEMINI_API_KEY"] == "k"
    by_acp = started("gemini", tmp_path, permissions="ask")
    assert by_acp.argv[by_acp.argv.index("--auth") + 1] == "oauth-personal"


def test_qwen_gets_its_providers_and_their_variables(tmp_path: Path) -> None:
    providers = {"openai": [{"id": "m", "envKey": "CODER_KEY", "baseUrl": "http://x.invalid"}]}
    settings = {
        "env": {"CODER_REGION": "eu"},
        "modelProviders": providers,
        "security": {"auth": {"selectedType": "openai"}},
    }
    written(tmp_path, ".qwen/settings.json", json.dumps(settings))
    start = started("qwen", tmp_path)
    assert "CODER_KEY" in start.env and start.set["CODER_REGION"] == "eu"
    assert json.loads(start.home_files[".qwen/settings.json"])["modelProviders"] == providers


def test_of_a_file_that_other_programs_read_too_only_the_clients_own_variables_pass(tmp_path: Path) -> None:
    written(tmp_path, ".env", "OPENAI_API_KEY=k1\nDATABASE_PASSWORD=x\n")
    start = started("aider", tmp_path)
    assert start.set["OPENAI_API_KEY"] == "k1" and "DATABASE_PASSWORD" not in start.set


def test_a_variable_of_the_client_that_is_set_and_does_not_pass_is_named(tmp_path: Path) -> None:
    found = told("claude-code", tmp_path, {"ANTHROPIC_NEW_SWITCH": "1", "ANTHROPIC_MODEL": "opus", "OTHER": "1"})
    assert list(found) == ["ANTHROPIC_NEW_SWITCH"] and "clients: {claude-code: {set:" in found["ANTHROPIC_NEW_SWITCH"]


def test_settings_that_cannot_be_parsed_are_named(tmp_path: Path) -> None:
    written(tmp_path, ".qwen/settings.json", "{")
    assert "cannot be parsed" in told("qwen", tmp_path)["~/.qwen/settings.json"]


def test_a_client_without_settings_starts_as_before(tmp_path: Path) -> None:
    for name in CATALOGUE.clients:
        one = flow(name)
        start = CATALOGUE.resolve(one, one.agents["dev"], None)
        assert start is not None and with_settings(start, str(tmp_path)) == start


def test_a_reference_to_what_every_run_has_of_its_own_stops_no_run(tmp_path: Path) -> None:
    provider = {"x": {"options": {"cert": "{env:HOME}/ca.pem", "path": "{env:PATH}", "apiKey": "{env:OWN_KEY}"}}}
    written(tmp_path, ".config/opencode/opencode.json", json.dumps({"provider": provider, "a": "${LD_PRELOAD}"}))
    start = started("opencode", tmp_path)
    assert "OWN_KEY" in start.env and not {"HOME", "PATH", "LD_PRELOAD"} & {*start.env, *start.set}
