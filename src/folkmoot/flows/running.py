"""What a flow file says about running agents: how they are started, by which clients and models, and for how much."""

import re
from typing import Any

from folkmoot.core.flow import RUNG_ESCALATE, Budget, Client, Model, Pool, Price
from folkmoot.flows import keys
from folkmoot.flows.faults import Path, Place, shown
from folkmoot.flows.fields import NAME, TEXT_MAX, Entries, Fields
from folkmoot.flows.source import Node, Scalar, is_null

START_KEYS = list(keys.START)
MODEL_KEYS = list(keys.MODEL)
CLIENT_KEYS = list(keys.CLIENT)
BUDGET_KEYS = list(keys.BUDGET)
PRICE_KEYS = list(keys.PRICE)
POOL_KEYS = list(keys.POOL)
PERMISSIONS = ["allow", "deny", "ask"]
SANDBOXES = ["auto", "always", "never"]
WIDENS = ["guarded", "allow", "ask", "deny"]
TOKENS_MAX = 10**12
USED_TIME_RANGE = (1.0, 365 * 86_400.0)
FUNCTION = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}")
BRANCH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./-]*")
REMOTE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
ADDRESS = re.compile(r"/\S+|(?:ssh|https|file)://\S+|(?:[\w.-]+@)?[A-Za-z0-9][\w.-]*:[^:\s]\S*")
PASSWORD = re.compile(r"\w+://[^/@\s]*:[^/@\s]*@|https://[^/@\s]+@")
# What makes a loader run code of its choice, before any program of the run: nobody gets these.
LOADER = ("LD_", "DYLD_", "GCONV_PATH", "GLIBC_TUNABLES")
# Names whose value is better not written into a file that is stored with the board.
SECRET = re.compile(r"(?:.*_)?(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)", re.IGNORECASE)

Start = dict[str, Any]  # how a process is started, as `Agent.run` has it


def read_default_start(fields: Fields, entries: Entries) -> Start:
    """How agents are started that do not say it themselves."""
    return read_start(fields, entries["run"].value, ("run",)) if "run" in entries else {}


def read_start(fields: Fields, node: Node, path: Path) -> Start:
    """How the process of an agent is started: one of four ways."""
    if isinstance(node, Scalar) and NAME.fullmatch(node.text):
        what = "a single value stands where keys and values belong"
        fields.findings.fault(path, what, f"write {{client: {node.text}}}", node.place)
        return {}
    given: Start = {}
    for way, entry in fields.section(node, path, START_KEYS).items():
        here = (*path, way)
        if way == "client":
            given[way] = fields.name(entry.value, here, "the client's name")
        elif way == "python":
            given[way] = _function(fields, entry.value, here)
        else:
            given[way] = fields.command(entry.value, here, or_text=way == "acp", needed=True)
    if fields.findings.is_faulty(*path):
        return {}
    if len(given) != 1:
        ways = f"it says {' and '.join(given)}" if given else "it does not say how"
        fields.findings.fault(path, ways, f"keep one of {', '.join(START_KEYS)}, like {{client: claude-code}}")
        return {}
    return given


def _function(fields: Fields, node: Node, path: Path) -> str | None:
    text = fields.text(node, path, "the function")
    if text is not None and not FUNCTION.fullmatch(text):
        fields.findings.fault(path, f"{shown(text)} is no function", 'write "module:function"', node.place)
        return None
    return text


def read_models(fields: Fields, entries: Entries) -> dict[str, Model]:
    if "models" not in entries:
        return {}
    models = {}
    for name, entry in fields.entries(entries["models"].value, ("models",)).items():
        path = ("models", name)
        fields.findings.remember(path, entry.key_place)
        if len(name) > TEXT_MAX or not name.isprintable():
            advice = f"write one line of at most {TEXT_MAX} printable characters"
            fields.findings.fault(path, "this is no name for a model", advice, entry.key_place)
        if name == RUNG_ESCALATE:
            fields.findings.fault(path, "this word ends a ladder and is no model", "remove it", entry.key_place)
        given = fields.section(entry.value, path, MODEL_KEYS)
        identity = given.get("id")
        models[name] = Model(
            client=fields.given_name(given, (*path, "client"), "the client's name"),
            id=fields.text(identity.value, (*path, "id"), "the model's id") if identity else None,
            pool=fields.given_name(given, (*path, "pool"), "the pool's name"),
            price=_price(fields, given["price"].value, (*path, "price")) if "price" in given else None,
        )
    return models


def _price(fields: Fields, node: Node, path: Path) -> Price | None:
    """Dollars for a million tokens; what is read and what is written have each its own."""
    if isinstance(node, Scalar) and not is_null(node):
        advice = f"write {{input: {node.text}, output: …}}, in dollars for a million tokens"
        fields.findings.fault(path, "a price is one for input and one for output", advice, node.place)
        return None
    section = fields.section(node, path, PRICE_KEYS)
    given = {key: fields.amount(entry.value, (*path, key), or_nothing=True) for key, entry in section.items()}
    missing = [key for key in ("input", "output") if key not in given]
    if missing and not fields.findings.is_faulty(*path):
        what = f"it does not say what {missing[0]} costs"
        advice = f"add {missing[0]}: dollars for a million tokens; 0 if it is free"
        fields.findings.fault(path, what, advice, node.place)
    if fields.findings.is_faulty(*path):
        return None
    return Price(input=given["input"] or 0.0, output=given["output"] or 0.0, cached=given.get("cached"))


def read_pools(fields: Fields, entries: Entries) -> dict[str, Pool]:
    pools = {}
    for name, entry in _named(fields, entries, "pools", "a pool").items():
        given = fields.section(entry.value, ("pools", name), POOL_KEYS)
        slots = fields.count(given["slots"].value, ("pools", name, "slots")) if "slots" in given else None
        pools[name] = Pool(slots=slots)
    return pools


def read_clients(fields: Fields, entries: Entries) -> dict[str, Client]:
    listed = _named(fields, entries, "clients", "a client")
    return {name: _client(fields, entry.value, ("clients", name)) for name, entry in listed.items()}


def _client(fields: Fields, node: Node, path: Path) -> Client:
    entries = fields.section(node, path, CLIENT_KEYS)
    given: dict[str, Any] = {}
    if "env" in entries:
        given["env"] = _passed_on(fields, entries["env"].value, (*path, "env"))
    if "files" in entries:
        given["files"] = _files(fields, entries["files"].value, (*path, "files"))
    if "set" in entries:
        given["set"] = _variables(fields, entries["set"].value, (*path, "set"), given.get("env", []))
    for way in ("command", "acp"):
        if way in entries:
            given[way] = fields.command(entries[way].value, (*path, way), or_text=way == "acp", needed=True)
    if "permissions" in entries:
        here = (*path, "permissions")
        given["permissions"] = fields.choice(entries["permissions"].value, here, "the answer", PERMISSIONS) or "allow"
    return Client(speaks=fields.given_name(entries, (*path, "speaks"), "the dialect's name"), **given)


def _passed_on(fields: Fields, node: Node, path: Path) -> list[str]:
    """The variables that pass into the clean environment."""
    names = []
    for item in fields.items(node, path):
        name = fields.text(item, path, "the name")
        if name is not None and _is_variable(fields, name, path, item.place):
            names.append(name)
    return names


def _variables(fields: Fields, node: Node, path: Path, passed_on: list[str]) -> dict[str, str]:
    """The variables that have a value of the flow's own."""
    values = {}
    for name, entry in fields.entries(node, path).items():
        here = (*path, name)
        fields.findings.remember(here, entry.place)
        if is_null(entry.value) or not _is_variable(fields, name, here, entry.key_place):
            continue
        value = fields.value(entry.value, here)
        if value is not None:
            values[name] = value
        if name in passed_on:
            advice = "keep it here, or in env to take the value from outside"
            fields.findings.fault(here, f"{shown(name)} stands in env too", advice, entry.key_place)
        elif SECRET.fullmatch(name):
            what = "a secret written here is stored with the flow, for everybody who can read the board"
            fields.findings.warn(here, what, f"let it pass through from outside: env: [{name}]", entry.key_place)
    return values


def _is_variable(fields: Fields, name: str, path: Path, place: Place) -> bool:
    if not VARIABLE.fullmatch(name):
        advice = "write its name only, like ANTHROPIC_API_KEY"
        fields.findings.fault(path, f"{shown(name)} is no variable of the environment", advice, place)
    elif name == "HOME" or name.startswith("MOOT_"):
        advice = "name what it needs of your home in files" if name == "HOME" else "choose another name"
        fields.findings.fault(path, f"every run has a {name} of its own", advice, place)
    elif name.startswith(LOADER):
        what = f"{name} lets foreign code into every program of a run"
        fields.findings.fault(path, what, "leave it out: no run gets it", place)
    else:
        return True
    return False


def _files(fields: Fields, node: Node, path: Path) -> list[str]:
    """Files of the user's home that the home of a run gets, at the same place in it."""
    files = []
    for item in fields.items(node, path):
        written = fields.text(item, path, "the path of the file")
        if written is None:
            continue
        home, *inside = written.split("/")
        if home != "~" or not inside or not {"", ".", ".."}.isdisjoint(inside):
            advice = "write it from your home on, like ~/.codex/auth.json"
            fields.findings.fault(path, f"{shown(written)} is no file in your home", advice, item.place)
        else:
            files.append(written)
    return files


def read_budget(fields: Fields, entries: Entries) -> Budget:
    given: dict[str, Any] = {}
    section = fields.section(entries["budget"].value, ("budget",), BUDGET_KEYS) if "budget" in entries else {}
    for key, entry in section.items():
        path = ("budget", key)
        if key.endswith("_usd"):
            given[key] = fields.amount(entry.value, path)
        elif key.endswith("_tokens"):
            given[key] = fields.count(entry.value, path, TOKENS_MAX, example=2_000_000)
        else:
            given[key] = fields.span(entry.value, path, *USED_TIME_RANGE)
    return Budget(**given)


def read_target(fields: Fields, entries: Entries) -> str:
    if "target" not in entries:
        return "main"
    node = entries["target"].value
    branch = fields.text(node, ("target",), "the branch")
    if branch is not None and not is_branch(branch):
        fields.findings.fault(("target",), f"{shown(branch)} is no branch", "write its name, like main", node.place)
    return branch or "main"


def read_remote(fields: Fields, entries: Entries) -> str | None:
    return remote_named(fields, entries["remote"].value, ("remote",)) if "remote" in entries else None


def remote_named(fields: Fields, node: Node, path: Path) -> str | None:
    """A git remote: its name, or its address."""
    named = fields.text(node, path, "the remote")
    if named is not None and not (REMOTE.fullmatch(named) or ADDRESS.fullmatch(named)):
        advice = "write its name, like origin, or its address: a full path, ssh://HOST/PATH or HOST:PATH"
        fields.findings.fault(path, f"{shown(named)} is no remote", advice, node.place)
        return None
    if named is not None and PASSWORD.match(named):
        advice = "leave it out: ssh uses your keys, and https what ~/.netrc says"
        fields.findings.fault(path, "a password stands in the address of the remote", advice, node.place)
        return None
    return named


def is_branch(name: str) -> bool:
    """As git has it: no part is empty, hidden, or ends like a file of git's own."""
    parts = name.split("/")
    odd = any(not part or part.startswith(".") or part.endswith((".", ".lock")) for part in parts)
    return BRANCH.fullmatch(name) is not None and ".." not in name and not odd


def read_widen(fields: Fields, entries: Entries) -> str | list[str]:
    """One of four words, or the paths that a run may take by itself."""
    if "widen" not in entries:
        return WIDENS[0]
    node = entries["widen"].value
    if isinstance(node, Scalar):
        return fields.choice(node, ("widen",), "the value", WIDENS) or WIDENS[0]
    items = fields.items(node, ("widen",))
    paths = [fields.inner_path(item, ("widen",), "the path", "the project's folder", "src/") for item in items]
    return [path for path in paths if path is not None]


def read_sandbox(fields: Fields, entries: Entries) -> str:
    if "sandbox" not in entries:
        return "auto"
    return fields.choice(entries["sandbox"].value, ("sandbox",), "the value", SANDBOXES) or "auto"


def _named(fields: Fields, entries: Entries, key: str, what: str) -> Entries:
    return fields.named(entries[key].value, (key,), what) if key in entries else {}
