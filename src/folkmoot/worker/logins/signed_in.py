"""Has somebody signed in to a client, as far as its files and variables show it? No model is asked."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from msgspec import Struct

from folkmoot.worker.clients.catalogue import Known, Start
from folkmoot.worker.logins.expiry import is_over
from folkmoot.worker.logins.placing import Files
from folkmoot.worker.logins.without_refresh import parsed
from folkmoot.worker.secrets.redactor import looks_secret

_KEYS = ("apikey", "key", "token")
_DEPTH_MAX = 20


class SignedIn(Struct, frozen=True):
    state: Literal["yes", "no", "unknown"]
    words: str  # by what, or why not
    next: str = ""


def signed_in(known: Known, start: Start, files: Files, env: Mapping[str, str], now: float) -> SignedIn:
    """By a variable that passes, a file that only a login makes, or what its settings say of a key."""
    if over := is_over(start, files, env, now):
        what, _, act = over.partition(": ")
        return SignedIn("no", what, act)
    given = {**{name: env[name] for name in start.env if env.get(name)}, **start.set}
    own = [name for name in given if looks_secret(name) and name not in (*known.env, *known.set)]
    found = next((name for name in (*known.login.env, *own) if given.get(name)), None)
    found = found or next((name for name in known.login.files if name in files.texts), None)
    if found is not None:
        return SignedIn("yes", f"signed in by {found}")
    for name, text in files.texts.items():
        said = _by_settings(start, name, text, env, given)
        if said is not None:
            return said
    return SignedIn("no", "nobody has signed in", known.login.by)


def _by_settings(
    start: Start, name: str, text: str, env: Mapping[str, str], given: Mapping[str, str]
) -> SignedIn | None:
    """What a file of settings says: of the provider that it chooses, or of any key in it; None: nothing."""
    _, settings = parsed(name, text)
    chosen = provider_of(settings)
    if chosen is not None:
        variable = chosen.get("env_key")
        if not isinstance(variable, str) or given.get(variable):
            return SignedIn("yes", f"signed in as {name} says")
        if not env.get(variable):
            return SignedIn("no", f"{name} takes its key from {variable}, which is not set", f"set {variable}")
        words = f"{name} takes its key from {variable}, which does not pass to its runs"
        return SignedIn("no", words, passing(start.name, [variable]))
    if any(
        _names_key(key) and isinstance(one, str) and one for level in _levels(settings) for key, one in level.items()
    ):
        return SignedIn("yes", f"signed in as {name} says")
    return SignedIn("unknown", f"{name} does not say whether somebody has signed in") if settings else None


def passing(client: str, names: list[str]) -> str:
    """What lets variables pass to the runs of a client."""
    return f"in .moot/flow.yaml: clients: {{{client}: {{env: [{', '.join(names)}]}}}}, then moot apply"


def provider_of(settings: Any) -> Mapping[str, Any] | None:
    """The provider of models that a file of settings defines and chooses."""
    if not isinstance(settings, dict):
        return None
    providers, chosen = settings.get("model_providers"), settings.get("model_provider")
    found = providers.get(chosen) if isinstance(providers, dict) and isinstance(chosen, str) else None
    return found if isinstance(found, dict) else None


def _names_key(key: object) -> bool:
    return str(key).lower().replace("_", "").replace("-", "").endswith(_KEYS)


def _levels(value: Any, depth: int = 0) -> Iterator[Mapping[str, Any]]:
    if depth > _DEPTH_MAX:
        return
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    for one in value if isinstance(value, list) else []:
        yield from _levels(one, depth + 1)
