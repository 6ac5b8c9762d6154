"""Which secrets a run was given, kept beside it as salted digests: by these another worker can tell whether it knows
them all. A digest shows no value, so nothing can be hidden by one: who does not know the value takes nothing in."""

import hashlib
import os
from collections.abc import Mapping

import msgspec
from msgspec import Struct, field

from folkmoot.core.decoding import reader

GIVEN = "given"  # in a run's folder, beside its workspace: no process of the run comes there
ROUNDS = 10_000  # some milliseconds: whoever finds the file is not to try all short passwords


class Given(Struct, frozen=True):
    salt: bytes
    digests: dict[str, bytes] = field(default_factory=dict)  # by the name of the variable, the file or the setting


def keep_given(root: str, values: Mapping[str, str]) -> None:
    salt = os.urandom(16)
    given = Given(salt, {name: _digest(salt, value) for name, value in values.items() if value})
    path = os.path.join(root, GIVEN)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb") as file:
        file.write(msgspec.json.encode(given))


def unknown(root: str, values: Mapping[str, str]) -> list[str]:
    """The names of what the run was given, where the value here is another one, or none."""
    try:
        with open(os.path.join(root, GIVEN), "rb") as file:
            given: Given = reader(Given)(file.read())
    except (OSError, msgspec.DecodeError):
        return [name for name, value in values.items() if value]  # nobody can tell
    return [
        name
        for name, digest in given.digests.items()
        if name not in values or _digest(given.salt, values[name]) != digest
    ]


def not_known(names: list[str]) -> str:
    return (
        "its worker died after it had reported, and the worker that found it does not know the values it was given "
        f"({', '.join(names)}): whether they are in its report or its change cannot be told, so neither was taken; "
        "the change is kept: moot salvage"
    )


def _digest(salt: bytes, value: str) -> bytes:
    return hashlib.pbkdf2_hmac("sha256", value.encode("utf-8", "surrogateescape"), salt, ROUNDS)
