"""Credential files as a run gets them, and until when they are good."""

import base64
import json
from typing import Any

import pytest

from folkmoot.worker.clients.catalogue import Catalogue, Start
from folkmoot.worker.logins.expiry import ends_at, is_over
from folkmoot.worker.logins.placing import Files, read_files
from folkmoot.worker.logins.without_refresh import Unreadable, without_refresh

TOKEN = "rt-canary-5f0c9e"
NOW = 1_800_000_000.0


@pytest.mark.attack("login", "a refresh token lies at any depth of any known format", "it is empty in the copy")
@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "~/.claude/.credentials.json",
            '{"claudeAiOauth": {"accessToken":"a",  "refreshToken":"TOKEN", "expiresAt": 5}}\n',
            '{"claudeAiOauth": {"accessToken":"a",  "refreshToken":"", "expiresAt": 5}}\n',
        ),
        (
            "~/.codex/auth.json",
            '{\n  "OPENAI_API_KEY": null,\n  "tokens": {"refresh_token": "TOKEN"},\n  "last_refresh": "2026"\n}',
            '{\n  "OPENAI_API_KEY": null,\n  "tokens": {"refresh_token": ""},\n  "last_refresh": "2026"\n}',
        ),
        (
            "a.json",
            '[{"x": [{"REFRESH":"TOKEN", "access" : "\u00e4"}]}]',
            '[{"x": [{"REFRESH":"", "access" : "\u00e4"}]}]',
        ),
        ("a.json", '{"my-refresh-token": "TO\\"KEN"}', '{"my-refresh-token": ""}'),
        ("a.toml", '# c\n[t]\nrefresh_token = "TOKEN" # d\nb = 2\n', '# c\n[t]\nrefresh_token = "" # d\nb = 2\n'),
        ("a.toml", "t.refresh_token = 'TOKEN'\n", 't.refresh_token = ""\n'),
        ("a.yaml", "# c\nt:\n  refresh_token: TOKEN # d\n  b: 2\n", '# c\nt:\n  refresh_token: "" # d\n  b: 2\n'),
        ("a.yml", "- refreshToken: 'TOKEN'\n", '- refreshToken: ""\n'),
    ],
)
def test_refresh_tokens_are_emptied_and_the_rest_stays_byte_by_byte(name: str, text: str, expected: str) -> None:
    assert without_refresh(name, text.replace("TOKEN", TOKEN).encode()).decode() == expected


@pytest.mark.parametrize(
    ("name", "text", "kept"),
    [
        ("a.json", '{"a": 1, "refresh\\u005ftoken": "TOKEN"}', {"a": 1, "refresh_token": ""}),
        ("a.json", '{"refresh": {"token": "TOKEN", "n": 3}}', {"refresh": {"token": "", "n": 3}}),
        (
            "a.json",
            '{"refresh_tokens": [], "refresh_token": ["TOKEN", "TOKEN"]}',
            {"refresh_tokens": [], "refresh_token": ["", ""]},
        ),
        ("a.json", '{"k": "{\\"refresh_token\\": \\"TOKEN\\"}"}', {"k": '{"refresh_token": ""}'}),
        ("a.json", '{"refresh_tokens": {"me": "TOKEN"}}', {"refresh_tokens": {"me": ""}}),
        ("a.json", '{"refreshTokenValue": "TOKEN"}', {"refreshTokenValue": ""}),
        (
            "a.json",
            '[{"name": "access", "value": "a"}, {"name": "refresh_token", "value": "TOKEN"}]',
            [{"name": "access", "value": "a"}, {"name": "refresh_token", "value": ""}],
        ),
    ],
)
def test_what_is_written_in_another_way_is_found_too(name: str, text: str, kept: Any) -> None:
    made = without_refresh(name, text.replace("TOKEN", TOKEN).encode())
    assert json.loads(made) == kept and TOKEN.encode() not in made


@pytest.mark.parametrize("name", ["a.yaml", "a.yml"])
def test_a_flow_mapping_of_yaml_is_written_anew(name: str) -> None:
    made = without_refresh(name, f"t: {{refresh_token: {TOKEN}, b: 2}}\n".encode())
    assert TOKEN.encode() not in made and b"b: 2" in made


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '{"grant_type": "refresh_token", "client_id": "x", "refresh_token_expires_at": "2026-12-01"}'),
        ("a.json", '{"token": "x", "refresh_interval": "5m", "refresh": 3, "refresh_token": null, "refreshToken": ""}'),
        ("a.jsonc", '{ // a comment\n "theme": "dark" }'),
        ("a.env", "KEY=value\n"),
        ("a.toml", "not toml at all ["),
    ],
)
def test_what_holds_none_stays_as_it_is(name: str, text: str) -> None:
    assert without_refresh(name, text.encode()) == text.encode()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", '{"refresh_token": "TOKEN",}'),
        ("a.jsonc", '{ // a comment\n "refresh": "TOKEN" }'),
        ("a.env", "my_refresh_token=TOKEN\n"),
        ("a.yaml", "refresh_token=TOKEN\nA=1\n"),
        ("a.json", '{"session": "access_token=AT&refresh_token=TOKEN"}'),
        ("a.toml", 'refresh_token = """TOKEN\n"""\n'),
        ("a.json", '{"a":' * 200 + '{"refresh_token": "TOKEN"}' + "}" * 200),
    ],
)
def test_what_cannot_be_parsed_and_names_one_is_for_no_run(name: str, text: str) -> None:
    with pytest.raises(Unreadable):
        without_refresh(name, text.replace("TOKEN", TOKEN).encode())


def test_such_a_file_is_noted_and_only_named_files_keep_theirs(tmp_path: Any) -> None:
    (tmp_path / "bad.json").write_text('{"refresh_token": "x",}')
    (tmp_path / "kept.json").write_text(f'{{"refresh_token": "{TOKEN}"}}')
    files = read_files(["~/bad.json", "~/kept.json"], str(tmp_path), ["~/kept.json"])
    assert files.notes == ["~/bad.json names a refresh token and cannot be parsed, so no run gets it"]
    assert files.contents == {"kept.json": (tmp_path / "kept.json").read_bytes()}


def test_of_the_known_clients_only_gemini_keeps_one() -> None:
    kept = {name: known.keeps_refresh for name, known in Catalogue.load().clients.items() if known.keeps_refresh}
    assert kept == {"gemini": ["~/.gemini/oauth_creds.json"]}


def jwt(**said: Any) -> str:
    middle = base64.urlsafe_b64encode(json.dumps(said).encode()).decode().rstrip("=")
    return f"e30.{middle}.c2ln"


@pytest.mark.parametrize(
    ("login", "ends"),
    [
        ({"claudeAiOauth": {"accessToken": "a", "refreshToken": "r", "expiresAt": NOW * 1000}}, NOW),
        ({"tokens": {"access_token": jwt(exp=NOW), "id_token": jwt(exp=5)}, "OPENAI_API_KEY": None}, NOW),
        ({"access_token": "a", "expiry_date": NOW * 1000}, NOW),
        (
            {"anthropic": {"access": "a", "expires": NOW * 1000}, "x": {"access": "b", "expires": (NOW + 9) * 1000}},
            NOW + 9,
        ),
        ({"access_token": "a", "expires_at": NOW}, NOW),
        # Nobody can tell: no time, one that says nothing, a token that is none, or another way beside it.
        ({"access_token": "a"}, None),
        ({"access_token": "a", "expires_at": 0}, None),
        ({"access_token": "a.b.c", "expires_at": True}, None),
        ({"access_token": "a.bnVsbA.c"}, None),
        ({"anthropic": {"access": "a", "expires": NOW}, "openai": {"type": "api", "key": "sk"}}, None),
        ({"access_token": "", "expires_at": NOW}, None),
        ({"theme": "dark"}, None),
        ("no login", None),
    ],
)
def test_a_login_tells_until_when_it_is_good(login: Any, ends: float | None) -> None:
    assert ends_at({"~/.own/auth.json": json.dumps(login)}) == ends


def test_a_login_is_over_a_minute_before_unless_there_is_another_way_to_sign_in() -> None:
    text = json.dumps({"access_token": "a", "refresh_token": "r", "expires_at": NOW})
    files = Files(texts={"~/.claude/.credentials.json": text})
    start = Start(name="claude-code", argv=["claude"], env=["ANTHROPIC_API_KEY", "HTTP_PROXY"], renew="claude")
    words = "the login of claude-code has expired: start `claude` once, it renews itself"
    assert is_over(start, files, {"HTTP_PROXY": "x"}, NOW - 60) == words == is_over(start, files, {}, NOW + 9)
    assert is_over(start, files, {}, NOW - 61) == ""
    assert is_over(start, files, {"ANTHROPIC_API_KEY": "sk"}, NOW) == ""
    keeps = Start(name="gemini", argv=["gemini"], keeps_refresh=["~/.claude/.credentials.json"])
    assert is_over(keeps, files, {}, NOW) == "" == is_over(start, Files(), {}, NOW)
