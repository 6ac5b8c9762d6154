"""Where a board is: `postgresql://user@host/database?schema=moot`, and how that is told without its password."""

import re

from msgspec import Struct

from folkmoot.errors import Invalid

SCHEMES = ("postgresql://", "postgres://")
SCHEMA = "moot"
NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")
PARAMETER = re.compile(r"[a-z_][a-z0-9_]*")
OWN = ("schema", "durable")
# By its name: libpq gets new ones (oauth_client_secret, scram_client_key), and none that it holds secret is shown.
SECRET = re.compile(r".*(?:pass|secret|token|scram).*")
NO_SECRET_ITSELF = "passfile"  # it names a file; left out, since it is of one machine
_HOST = r"(?:[\w.%-]*|\[[0-9a-fA-F:.%]*\])(?::\d*)?"
URL = re.compile(rf"postgres(?:ql)?://(?:([^/?#]*)@)?({_HOST}(?:,{_HOST})*)(/[^?#/]*)?(?:\?([^#]*))?")


class Address(Struct, frozen=True):
    connect: str  # what libpq is told; may hold a password, so it is never shown
    schema: str
    shown: str
    durable: bool = True  # False: for tests, on a server that does not write through to its disk
    has_password: bool = False


def is_address(place: str) -> bool:
    return place.startswith(SCHEMES)


def read_address(place: str) -> Address:
    """Our own parameters are taken out; all others are libpq's. What is shown is made of parts that hold no secret."""
    found = URL.fullmatch(place)
    if found is None:
        raise bad_address(
            "a part of it is no user, host, port or name of a database; in a password, / ? # and @ are %xx"
        )
    who, hosts, database, asked = (part or "" for part in found.groups())
    user, colon, _ = who.partition(":")
    pairs = [one.partition("=") for one in asked.split("&") if one]
    if any(
        PARAMETER.fullmatch(name) is None for name, _, _ in pairs
    ):  # libpq would read p%61ssword: so it could be shown
        raise bad_address("small letters, digits and _ make the name of a parameter")
    own = {name: value for name, _, value in pairs if name in OWN}
    others = ["".join(one) for one in pairs if one[0] not in OWN]
    schema = own.get("schema", SCHEMA)
    if NAME.fullmatch(schema) is None or schema.startswith("pg_"):
        raise bad_address(f"{schema[:80]!r} cannot be its schema: small letters, digits and _ make one")
    if own.get("durable", "yes") not in ("yes", "no"):
        raise bad_address("`durable` is yes or no")
    secrets = {name for name, _, _ in pairs if SECRET.fullmatch(name)}
    secret = bool(colon) or bool(secrets - {NO_SECRET_ITSELF})
    told = [one for one in others if one.partition("=")[0] not in secrets]
    told += [f"schema={schema}"] if schema != SCHEMA else []
    shown = _joined(f"{user}@" if user else "", hosts, database, told)
    return Address(
        _joined(f"{who}@" if who else "", hosts, database, others), schema, shown, own.get("durable") != "no", secret
    )


def _joined(who: str, hosts: str, database: str, asked: list[str]) -> str:
    return f"postgresql://{who}{hosts}{database}{'?' if asked else ''}{'&'.join(asked)}"


def bad_address(why: str) -> Invalid:
    hint = "write it so: postgresql://USER@HOST/DATABASE, with ?schema=NAME where a database has several boards"
    return Invalid("bad_board_address", "the address of the board is not understood: {why}", hint, why)
