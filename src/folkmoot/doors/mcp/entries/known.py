"""The clients whose settings are known, and the entry that each wants for a board."""

from functools import cache
from importlib.resources import files
from typing import Any, Literal

from msgspec import Struct

from folkmoot.core.decoding import converted
from folkmoot.errors import Invalid

NAME = "folkmoot"  # of the server, in every client
TOKEN = "MOOT_HTTP_TOKEN"  # the variable from which a client takes the token
Entry = dict[str, Any]


class Skills(Struct, frozen=True):
    project: str
    user: str


class Client(Struct, frozen=True, forbid_unknown_fields=True):
    title: str
    file: str
    format: Literal["json", "toml", "yaml"]
    under: list[str]
    stdio: Entry
    http: Entry
    then: str
    skills: Skills
    obeys: list[str] = []  # where else in a project it finds settings, hooks or programs by itself

    def entry(self, board: str, url: str | None) -> Entry:
        """What stands in its file for this board: started by the client, or at an address."""
        filled: Entry = _filled(
            self.http if url else self.stdio, {"{board}": board, "{url}": url or "", "{token}": TOKEN}
        )
        return filled


def _filled(value: Any, words: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: _filled(one, words) for name, one in value.items()}
    if isinstance(value, list):
        return [_filled(one, words) for one in value]
    if isinstance(value, str):
        for mark, word in words.items():
            value = value.replace(mark, word)
        return value
    return value


@cache
def clients() -> dict[str, Client]:
    import yaml

    read = yaml.safe_load(files(__package__).joinpath("clients.yaml").read_text("utf-8"))
    found: dict[str, Client] = converted(read["clients"], dict[str, Client])
    return found


def client_named(name: str) -> Client:
    known = clients()
    if name not in known:
        raise Invalid("unknown_client", "there is no client {client!r}", "clients: {known}", name, list(known))
    return known[name]


def settings_in_projects() -> list[str]:
    """The files of a project in which the known clients find their servers, and what else they obey there."""
    found = [path for client in clients().values() for path in (client.file, *client.obeys)]
    return [path for path in dict.fromkeys(found) if not path.startswith("~")]
