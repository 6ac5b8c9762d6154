"""What is a secret: by the name of its variable, or by its look. A setting is none, whatever it is called."""

import os
import re

# Values that say nothing, as in DEBUG_TOKEN=disabled, or OPENAI_API_KEY=ollama for a server that asks for no key: they
# are words of every output.
COMMON = frozenset(
    [
        *("anthropic", "dummy-key", "litellm", "lm-studio", "lmstudio", "no-key", "no-key-required", "not-needed"),
        *("ollama", "openai", "openrouter", "placeholder", "unused"),
        *("anonymous", "changeme", "default", "development", "disabled", "enabled", "example", "localhost", "master"),
        *("nobody", "password", "production", "public", "secret", "staging", "testing", "undefined", "unknown"),
        "username",
    ]
)

SECRET_NAME = re.compile(
    r"(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWD|PASS|PASSPHRASE|PAT|CREDENTIALS?|HEADER|COOKIE)S?$|PASSWORD|SECRET|_TOKEN_|_KEY_",
    re.I,
)
NOT_SECRET_NAME = re.compile(
    r"PUBLIC_?KEY|_KEY_(?:ID|FILE|PATH)$|_TOKENS$|_TOKEN_(?:FILE|PATH)$"
    r"|(?:^|_)(?:PRIMARY|FOREIGN|SORT|PARTITION|CACHE|GROUP|UNIQUE|HASH|RANGE|ROUTING|HOT)_KEYS?$",
    re.I,
)
PARTS_OF_NAME = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[.\-]")  # accessToken, access-token, spring.access.token
SETTING_NAME = re.compile(
    r"(?:^|_)(?:MODEL|PROVIDER|REGION|ZONE|LOCATION|PROJECT|PROFILE|ENDPOINT|HOST|URL|EMAIL|NAME|VERSION|MODE|LANG)S?$",
    re.I,
)
HEADER_NAME = re.compile(r"(?:HEADER|COOKIE)S?$", re.I)
WORD_MAX = 16  # letters that a word may have
MIXED_MAX = 8  # letters and digits of a short mixture, like "llama3" or "480B"
MIXED_SUM = 16  # of all of them: "qwen3-coder-480b-a35b" has fewer
UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.I)
NAME_MAX = 20  # of a name of words and numbers that was passed in; a longer one may be a passphrase


def looks_secret(name: str) -> bool:
    """Does the name of a variable or a setting say that its value is a secret, however its words are joined?"""
    name = PARTS_OF_NAME.sub("_", name)
    return bool(SECRET_NAME.search(name)) and not NOT_SECRET_NAME.search(name)


def looks_random(name: str, value: str) -> bool:
    """Does the value of a variable look like a secret, though its name does not say so? It does not, if it is

    - a number of less than 12 digits, also with dots;
    - paths, with `:` between them: each is there on this machine, or has several parts, all plain;
    - a URL without userinfo and query, all plain;
    - plain, and short (NAME_MAX) or under a name of a setting (SETTING_NAME): a word, a model, a region, an address.

    Plain is what consists of words, numbers and short mixtures such as `v1` or `llama3`. Any other value is hidden.
    Whether it also refuses a change that holds it, `counts` says.
    """
    if len(value) < 12 and value.replace(".", "").isdigit():
        return False
    if value.startswith(("/", "~/")):
        return not all(_is_path(path) for path in value.split(":"))
    if "://" in value:
        return any(char in value for char in "@?#") or not is_plain(value)
    return not is_plain(value) or (len(value) >= NAME_MAX and not SETTING_NAME.search(name))


def _is_path(text: str) -> bool:
    parts = [part for part in text.split("/") if part not in ("", "~")]
    return os.path.exists(os.path.expanduser(text)) or (len(parts) > 1 and is_plain(text))


def is_plain(text: str) -> bool:
    """Words, numbers and a few short mixtures of both. A token has a long mixture, or many short ones."""
    parts = [part for part in re.split(r"[^A-Za-z0-9]+", text) if part]
    mixed = [part for part in parts if not (part.isalpha() or part.isdigit())]
    if UUID.search(text) or sum(map(len, mixed)) >= MIXED_SUM:
        return False
    return all(len(part) <= (WORD_MAX if part.isalpha() or part.isdigit() else MIXED_MAX) for part in parts)


def is_a_name(token: str) -> bool:
    """Words and numbers, like the name of a model or a date: in a token, letters and digits are mixed."""
    return all(part.isalpha() or part.isdigit() for part in re.split(r"[^A-Za-z0-9]+", token) if part)
