"""What goes through the gate has no secret in it, however it is cut into chunks, and the rest is as it was."""

import base64
import json
import os
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.worker.secrets.redactor import LINE_CHARS_MAX, Known, Redactor, counts, looks_secret
from tests.effort import effort

VALUE = "q7/Zk+w8-Päron&tree 4"
# Put together here, so that no scanner takes this file for a leak.
LOOKS = {
    "openai": "sk-" + "proj-4fGh7KlmNop91QrsTuv",
    "github": "gh" + "p_16C7e42F292c6912E7710c838347Ae178B4a",
    "github fine": "github" + "_pat_11AAAAAAA0abcdefghij_KLMNOP",
    "aws": "AK" + "IAIOSFODNN7EXAMPLE",
    "slack": "xox" + "b-2222222222-abcdefghij",
    "google": "AI" + "zaSyA1234567890abcdefghijklmnopqrstuv",
    "jwt": "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxMjM0In0.dBjftJeZ4CVP-mB92K27",
}
KEY_BODY = ["MIIEowIBAAKCAQEA75iGpDdqXyZ0", "bcdEFGHijklMNOPqrstUVWXyz0123456789+/abcd", "QIDAQAB=="]
KEY = "\n".join(["-----BEGIN RSA PRIVATE " + "KEY-----", *KEY_BODY, "-----END RSA PRIVATE " + "KEY-----"])


def gate(**values: str) -> Redactor:
    known = Known()
    for name, value in values.items():
        known.add(name, value)
    return Redactor(known)


def in_chunks(redactor: Redactor, text: str, size: int) -> str:
    stream = Redactor(redactor.known)
    return "".join(stream.feed(text[i : i + size]) for i in range(0, len(text), size)) + stream.flush()


FORMS = {
    "plain": VALUE,
    "json": json.dumps(VALUE)[1:-1],
    "json with its own letters": json.dumps(VALUE, ensure_ascii=False)[1:-1],
    "json in json": json.dumps(json.dumps(VALUE))[3:-3],
    "json with escaped slashes": VALUE.replace("/", "\\/"),
    "url": quote(VALUE, safe=""),
    "url path": quote(VALUE),
    "form": quote(VALUE, safe="").replace("%20", "+"),
    "hex": VALUE.encode().hex(),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_known_value_is_hidden_in_every_form(form: str) -> None:
    assert gate(API_KEY=VALUE).clean(f"before {FORMS[form]} after\n") == "before [secret:API_KEY] after\n"


@pytest.mark.parametrize("before", ["", "u", "us", "user:", "a longer user:"])
@pytest.mark.parametrize("after", ["", "z", "zz", " and more"])
def test_a_known_value_is_hidden_in_base64_whatever_stands_around_it(before: str, after: str) -> None:
    raw = (before + VALUE + after).encode()
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        coded = encode(raw).decode()
        out = gate(API_KEY=VALUE).clean(f"Basic {coded}\n")
        assert "[secret:API_KEY]" in out
        # At most the two characters that also hold bits of a neighbour are left at each end.
        assert len(out) < len("Basic [secret:API_KEY]\n") + len(coded) - len(base64.b64encode(VALUE.encode())) + 8


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("around", ["{}", "key={} ", '"text":"see\\n{}\\n"', "\x1b[32m{}\x1b[0m", "TOKEN{}", "({})"])
def test_what_looks_like_a_secret_is_hidden(look: str, around: str) -> None:
    assert gate().clean(around.format(LOOKS[look])) == around.format("[secret]")


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("git clone https://me:hunter2hunter2@example.com/x.git", "git clone https://me:[secret]@example.com/x.git"),
        ("postgres://u:p@db/x postgres://:pw@db", "postgres://u:[secret]@db/x postgres://:[secret]@db"),
        ("Authorization: Bearer abc.def-123", "Authorization: Bearer [secret]"),
        ("authorization: basic dXNlcjpwdw==", "authorization: basic [secret]"),
        ('{"Authorization":"Bearer abc123"}', '{"Authorization":"Bearer [secret]"}'),
        ("AUTHORIZATION: TOKEN abc123", "AUTHORIZATION: TOKEN [secret]"),
        ("x-api-key: abc123-456", "x-api-key: [secret]"),
    ],
)
def test_what_its_place_gives_away_is_hidden(text: str, clean: str) -> None:
    assert gate().clean(text) == clean


@pytest.mark.parametrize(
    "key", [KEY, KEY.replace("\n", "\\n"), KEY.replace("\n", "\r\n"), "\n".join("+  " + x for x in KEY.split("\n"))]
)
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_a_private_key_is_hidden_line_by_line(key: str, size: int) -> None:
    out = in_chunks(gate(), f"see:\n{key}\nand then (more) of it\n", size)
    assert not any(line in out for line in KEY_BODY)
    assert out.startswith("see:\n") and out.endswith("\nand then (more) of it\n") and "[secret]" in out


def test_the_first_line_of_a_key_in_source_code_hides_only_itself() -> None:
    begin = "-----BEGIN PRIVATE " + "KEY-----"
    text = f'MARK = "{begin}"\nother = 1\n'
    assert gate().clean(text) == 'MARK = "[secret]"\nother = 1\n'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "A plain line, with task-based words and risk-averse-people-in-it.\r\nAnother: http://example.com/a@b?x=1\n",
        "eyJ is how base64 of JSON begins: eyJhIjoxfQ",
        "commit 16c7e42f292c6912e7710c838347ae178b4a7777 of ssh://git@example.com:22/x",
        "bearer of news; authorization is needed; see x-api-key",
        "a very long line without any end " * 5000,
        "x" * 200_000,
    ],
)
def test_other_text_is_as_it_was(text: str) -> None:
    assert gate(API_KEY=VALUE).clean(text) == text
    assert in_chunks(gate(API_KEY=VALUE), text, 4099) == text


@pytest.mark.parametrize("value", ["", "12345", "true", "disabled", "localhost", "Production"])
def test_short_values_and_common_words_are_left_alone(value: str) -> None:
    text = f"the value is {value}: {base64.b64encode(value.encode()).decode()}"
    assert gate(API_KEY=value).clean(text) == text


def test_values_that_overlap_leave_nothing() -> None:
    assert gate(A="first-middle", B="middle-last").clean("<first-middle-last>") == "<[secret:A]>"
    assert gate(A="abcabcabc", B="abcabcabcdef").clean("abcabcabcdef") == "[secret:A]"


def test_a_value_of_several_lines_is_known_by_each_of_them() -> None:
    value = "first-line-of-it\nsecond-line-of-it\n"
    out = gate(CERT=value).clean(
        f"  second-line-of-it\n{json.dumps(value)}\n{base64.b64encode(value.encode()).decode()}"
    )
    assert out.startswith('  [secret:CERT]\n"[secret:CERT]') and out.count("[secret:CERT]") >= 3
    assert "-line-" not in out and base64.b64encode(value.encode()).decode()[:20] not in out


def test_a_very_long_value_is_hidden_also_in_part() -> None:
    value = "".join(f"{i:05x}" for i in range(4000))
    assert value[:200] not in in_chunks(gate(BLOB=value), f"<{value}>", 3000)
    assert value[12_000:12_200] not in gate(BLOB=value).clean(f"<{value}>")


@given(
    st.lists(
        st.sampled_from([VALUE, *LOOKS.values(), "plain ", "\n", " ", '"', "x" * 50, "ä€\x1b[0m", "Bearer "]),
        max_size=12,
    ),
    st.integers(1, 60),
)
def test_chunks_give_what_the_whole_gives(parts: list[str], size: int) -> None:
    text = "".join(parts)
    redactor = gate(API_KEY=VALUE)
    whole = redactor.clean(text)
    assert in_chunks(redactor, text, size) == whole
    assert VALUE not in whole and not any(look in whole for look in LOOKS.values())
    assert redactor.clean(whole) == whole


@pytest.mark.parametrize("filler", ["z", "word ", '{"a":"b"},', "eyJ", "a.", "://a:", "-"])
@pytest.mark.parametrize(
    "secret", [VALUE, *LOOKS.values(), "Authorization: Bearer " + "Ab1" * 9, "://me:Pass" + "word9@x"]
)
def test_no_secret_slips_through_where_an_endless_line_is_cut(filler: str, secret: str) -> None:
    redactor = gate(API_KEY=VALUE)
    lead = filler * (LINE_CHARS_MAX // len(filler))
    telling = secret.removeprefix("Authorization: Bearer ").removeprefix("://me:").removesuffix("@x")
    for shift in range(-3000, 600, 171):
        text = lead[: LINE_CHARS_MAX + shift] + " " + secret + " " + filler * 3000
        out = in_chunks(redactor, text, 1 << 12)
        assert telling not in out, shift
        assert telling[3:] not in out, shift


def test_the_rest_of_an_endless_token_is_swallowed() -> None:
    token = "sk-" + "Ab1" * 60_000
    out = in_chunks(gate(), f"a {token} b\n", 1000)
    assert out == "a [secret] b\n"


def test_little_is_held_back() -> None:
    stream = gate(API_KEY=VALUE)
    assert stream.feed("one\ntwo") == "one\n"
    assert stream.feed("\n") == "two\n"
    held = 0
    for _ in range(300):
        held += 1000 - len(stream.feed("word " * 200))
    assert held < 4 * LINE_CHARS_MAX


def test_the_worker_s_environment_is_learned() -> None:
    known = Known()
    env = {
        "ANTHROPIC_API_KEY": "value-of-key",
        "DEPLOY_TOKEN": "value-of-deploy",
        "MY_PASSWORD_OLD": "value-of-password",
        "DATABASE_URL": "postgres://app:value-of-db@db/app",
        "PASSED": "value-passed-on-for-long",
        "PASSED_FOLDER": "/usr/share/passed",
        "PASSED_LIMIT": "600000",
        "OTHER": "value-of-other",
        "MAX_OUTPUT_TOKENS": "1234567",
    }
    known.add_environment(env, passed=["PASSED", "PASSED_FOLDER", "PASSED_LIMIT", "NOT_SET"])
    out = Redactor(known).clean(" ".join(env.values()))
    assert out == (
        "[secret:ANTHROPIC_API_KEY] [secret:DEPLOY_TOKEN] [secret:MY_PASSWORD_OLD] "
        "postgres://app:[secret:DATABASE_URL]@db/app [secret:PASSED] /usr/share/passed 600000 value-of-other 1234567"
    )


SETTINGS = {
    "AWS_REGION": "eu-central-1",
    "OPENAI_BASE_URL": "http://127.0.0.1:8080/v1",
    "GOOSE_MODEL": "claude-sonnet-4-5",
    "SMALL_MODEL": "us.anthropic.claude-3-5-sonnet-20241022-v2:0",
    "MY_SERVICE": "https://eu.api.example.com/some-service/v2/",
    "GIT_AUTHOR_EMAIL": "firstname.lastname@example.com",
    "TOOL_FOLDER": "/opt/some-tool2/share/x86_64",
    "TOOL_FOLDERS": "/usr/local/bin:/usr/bin:/bin",
    "HERE": os.path.abspath(__file__),
    "TIMEOUT": "600000",
}
PASSED = {
    "MY_CRED2": "/8dKq3ZpWx7LmNtR5vYb2cJhGfSaQ1uEoPi6",
    "MY_CRED3": "/8dKq3ZpWx7LmNtR/5vYb2cJhGfSaQ1uEoPi6",
    "MY_CRED4": "~/8dKq3ZpWx7LmNtR5vYb2cJhGfSaQ1uEoPi6",
    "MY_LOGIN": "correct-horse-battery-staple-2024",
    "MY_HOOK": "https://hooks.example.com/services/T02AB3CD4EF/8dKq3ZpWx7LmNtR5",
    "MY_QUERY": "https://api.example.com/v1?code=orange-lemon",
    "SOME_MODEL": "8dKq3ZpWx7LmNtR5vYb2cJhGfSaQ1uEoPi6",
    "LONG_NUMBER": "402881937465029183746502",
}


@pytest.mark.attack(
    "secrets", "a password passed in that looks like a path, words, a URL or a number", "hidden, and it does not land"
)
@pytest.mark.parametrize("name", PASSED)
def test_what_is_passed_in_is_a_secret(name: str) -> None:
    known, value = Known(), PASSED[name]
    known.add_environment({name: value}, [name])
    text = f"say {value}\n"
    assert Redactor(known).clean(text) == f"say [secret:{name}]\n"
    ((start, end, label),) = Redactor(known).spots(text)
    assert counts(text, start, end, label)


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_that_is_passed_in_is_no_secret(name: str) -> None:
    known = Known()
    known.add_environment(SETTINGS, SETTINGS)
    text = f"{name} is {SETTINGS[name]}\n"
    assert Redactor(known).clean(text) == text


# What people have in the environment of a client: the variable, its value, and whether it is a secret.
VARIABLES = [
    ("COPILOT_PROVIDER_TYPE", "openai", False),
    ("GOOSE_PROVIDER", "anthropic", False),
    ("SOME_SWITCH", "anthropic", False),
    ("SOME_SWITCH", "large-model-4", False),
    ("OPENAI_API_KEY", "ollama", False),
    ("OPENAI_API_KEY", "openai", False),
    ("OPENAI_MODEL", "qwen3-coder-480b-a35b-instruct", False),
    ("MY_CHOICE", "gpt-5.1-codex-mini", False),
    ("ANTHROPIC_SMALL_FAST_MODEL", "us.anthropic.claude-3-5-haiku-20241022-v1:0", False),
    ("OPENAI_BASE_URL", "https://gateway.example.com/openai/v1", False),
    ("GATEWAY", "https://openai.example.com/v1", False),
    ("CLAUDE_CODE_USE_BEDROCK", "1", False),
    ("GOOSE_MODE", "auto", False),
    ("API_TIMEOUT_MS", "600000", False),
    ("OPENAI_API_KEY", "sk-" + "4fGh7KlmNop91QrsTuvW", True),
    ("OPENAI_API_KEY", "orange-lemon", True),
    ("PGPASSWORD", "sunshine", True),
    ("SOME_SWITCH", "sk-" + "4fGh7KlmNop91QrsTuvW", True),
    ("SOME_SWITCH", "c0ffee00-1234-4bcd-8ef0-123456789abc", True),
    ("SOME_SWITCH", "q1w2e3r4t5y6u7i8", True),
    ("SOME_URL", "https://api.example.com/v1?code=orange-lemon", True),
    ("ANTHROPIC_CUSTOM_HEADERS", "x-team: q1w2e3", True),
]


@pytest.mark.parametrize(("name", "value", "secret"), VARIABLES)
def test_a_variable_is_secret_by_its_name_or_by_its_look_and_a_setting_is_not(
    name: str, value: str, secret: bool
) -> None:
    known = Known()
    known.add_environment({name: value}, [name])
    hidden = f"see [secret:{name}] there\n" if secret else f"see {value} there\n"
    assert Redactor(known).clean(f"see {value} there\n") == hidden


WORDS = st.from_regex(r"[a-z]{1,12}", fullmatch=True)
SOMETHING = st.from_regex(r"[A-Z]{2,8}_(TYPE|PROVIDER|MODE|MODEL|BACKEND|NAME|HOST|LEVEL)", fullmatch=True)


@given(name=SOMETHING, word=WORDS, text=st.text(max_size=60))
def test_a_short_word_that_is_a_setting_is_never_replaced(name: str, word: str, text: str) -> None:
    known = Known()
    known.add_environment({name: word}, [name])
    whole = f"Use {word} for https://{word}.example.com/{word}: {text}"
    assert Redactor(known).clean(whole) == Redactor(Known()).clean(whole)


TOKENS = st.from_regex(r"[A-Za-z0-9]{20,40}", fullmatch=True).filter(
    lambda one: sum(c.isdigit() for c in one) >= 3 and sum(c.isalpha() for c in one) >= 3
)


@given(name=st.from_regex(r"[A-Z]{2,8}(_KEY|_TOKEN|_SECRET|_PASSWORD|_TYPE|)", fullmatch=True), token=TOKENS)
def test_a_token_is_never_shown_whatever_its_variable_is_called(name: str, token: str) -> None:
    known = Known()
    known.add_environment({name: token}, [name])
    assert token not in Redactor(known).clean(f"the value is {token}, and in JSON {json.dumps(token)}")


@pytest.mark.parametrize("value", ["anthropic", "large-model-4", "value-passed-on"])
def test_a_short_name_under_any_variable_is_left_alone(value: str) -> None:
    known = Known()
    known.add_environment({"PASSED": value}, ["PASSED"])
    assert Redactor(known).spots(value) == []


def test_names_of_models_in_a_settings_file_are_no_secrets() -> None:
    known = Known()
    known.add_file(
        "~/.x/config.toml", 'model = "qwen3-coder-480b-a35b-instruct"\nurl = "gateway.example.com/v1/chat"\n'
    )
    assert known.forms == {}


def test_the_tokens_of_a_credential_file_are_learned() -> None:
    content = {
        "access": "Zx81kQ0LmN5pR2sT9vW4",
        "id": LOOKS["jwt"],
        "url": "https://auth.example.com/oauth2/v1",
        "model": "some-model-4-20250514",
        "kind": "personal-subscription",
    }
    known = Known()
    known.add_file("~/.some/auth.json", json.dumps(content))
    out = Redactor(known).clean("\n".join(content.values()))
    assert out.splitlines() == [
        "[secret:~/.some/auth.json]",
        "[secret:~/.some/auth.json]",
        "https://auth.example.com/oauth2/v1",
        "some-model-4-20250514",
        "personal-subscription",
    ]


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        ("OPENAI_API_KEY", True),
        ("GH_TOKEN", True),
        ("AWS_SECRET_ACCESS_KEY", True),
        ("PGPASSWORD", True),
        ("client_secret", True),
        ("PATH", False),
        ("KEYBOARD_LAYOUT", False),
        ("MAX_THINKING_TOKENS", False),
        ("SSH_PUBLIC_KEY", False),
    ],
)
def test_names_tell_which_variables_are_secret(name: str, secret: bool) -> None:
    assert looks_secret(name) is secret


def test_values_within_a_report_are_cleaned() -> None:
    report = {"summary": f"used {VALUE}", "notes": [{"x": VALUE, VALUE: 1}], "count": 3, "ok": True, "none": None}
    assert gate(K=VALUE).clean_value(report) == {
        "summary": "used [secret:K]",
        "notes": [{"x": "[secret:K]", "[secret:K]": 1}],
        "count": 3,
        "ok": True,
        "none": None,
    }


HOSTILE = {
    "eyJ": "eyJ",
    "eyJ with dots": "eyJaaaaaaaa.",
    "openings of keys": "-----BEGIN RSA PRIVATE " + "KEY-----",
    "openings of keys in lines": "-----BEGIN RSA PRIVATE " + "KEY-----\n",
    "dashes": "-----BEGIN ",
    "userinfo without end": "://a:",
    "one letter": "a",
    "one letter of a value": "q",
    "tokens": "sk-",
    "bearers": "authorization: bearer ",
    "empty lines": "\n",
    "almost the value": VALUE[:-1],
    "base64": "QUFB+/",
}


@pytest.mark.parametrize("hostile", HOSTILE)
def test_time_is_linear_in_the_text(hostile: str) -> None:
    """Sixteen times the text takes about sixteen times as long; a quadratic search would take 256 times."""
    redactor = gate(API_KEY=VALUE, AAAA="a" * 40, QS="q" * 500 + "r")

    def cost(size: int, enough: float = 0.0) -> float:
        text = (HOSTILE[hostile] * (size // len(HOSTILE[hostile]) + 1))[:size]
        return effort(lambda: (redactor.clean(text), in_chunks(redactor, text, 1 << 16)), enough=enough)

    bound = 64 * max(cost(1 << 16), 0.001)
    large = cost(1 << 20, bound)
    assert large < bound, f"{large:.3f} s, where {bound:.3f} s are 64 times the small one"


LONG_KEY = "zk9-QwErTyUiOp1234567890AsDfGhJkL-ZxCvBnM0987654321qazWSXedcRFVtgbYHNujmIKolP-plmOKNijbUHVygcTFXrdz"


@pytest.mark.parametrize("before", ["", "x", "a name = "])
@pytest.mark.parametrize("width", [40, 57, 60, 64, 76])
@pytest.mark.parametrize("kind", ["base64", "hex", "HEX"])
def test_a_long_value_is_found_where_its_encoded_form_is_folded(kind: str, width: int, before: str) -> None:
    """As `base64` and `xxd -p` print it."""
    raw = f"{before}{LONG_KEY}\n".encode()
    whole = {"base64": base64.b64encode(raw).decode(), "hex": raw.hex(), "HEX": raw.hex().upper()}[kind]
    lines = [whole[start : start + width] for start in range(0, len(whole), width)]
    known = Known()
    known.add("MY_KEY", LONG_KEY)
    shown = Redactor(known).clean("\n".join(lines)).split("\n")
    # At its ends a line may hold so little of the value that it is not known.
    assert all(line == "[secret:MY_KEY]" for line in shown[1:-2]) and "[secret:MY_KEY]" in shown


def test_what_only_resembles_an_encoded_value_stays() -> None:
    known = Known()
    known.add("MY_KEY", LONG_KEY)
    other = base64.encodebytes(
        b"a long text of somebody else's, which is encoded too, over several lines, " * 3
    ).decode()
    assert Redactor(known).clean(other) == other
