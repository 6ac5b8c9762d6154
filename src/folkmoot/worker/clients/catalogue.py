"""The clients that are known, and how an agent of a flow is started with one of them, or with a command of its own."""

import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

import msgspec
import yaml
from msgspec import Struct, field

from folkmoot.core.decoding import converted
from folkmoot.core.flow import Agent, Client, Flow, Model
from folkmoot.core.vocabulary.roles import nearest
from folkmoot.errors import Invalid
from folkmoot.worker.clients.called import names_in
from folkmoot.worker.clients.listener import DIALECTS
from folkmoot.worker.clients.troubles import Trouble

Which = Callable[[str], str | None]  # where a program is, like shutil.which
Template = list[str | list[str]]

# Modules of ours, run without the folder they are started in on their path: what an agent wrote there is not ours.
FUNCTION = [sys.executable, "-P", "-m", "folkmoot.worker.clients.function"]
DRIVER = [sys.executable, "-P", "-m", "folkmoot.worker.clients.acp_driver"]
# How agents call the mode of a session in which they ask before each act, where nobody knows the agent better.
ASKING = ("default", "ask", "approve", "manual")
VARIABLES = ".env"  # of a project, which some clients read too
_PLACEHOLDER = re.compile(r"\{([a-z_]{1,20})\}")
# One argument may have 128 KiB on Linux; a prompt that long is read from its file instead.
_ARGUMENT_MAX = 120_000


class SettingsFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A settings file of the user's own, and what of it passes into a run."""

    file: str  # like ~/.claude/settings.json; one whose name ends with .env holds variables
    variables: str | None = None  # the key of an object whose entries are variables
    passes_as: dict[str, str] = field(default_factory=dict)  # key → the variable that says the same
    names: list[str] = field(default_factory=list)  # keys, at any depth, whose text is the name of a variable
    references: bool = False  # may its texts put in variables, as {env:NAME} or ${NAME}?
    keeps: list[str] = field(default_factory=list)  # keys that go into the run's own file of the same name
    base: str | None = None  # what that file says beside them
    signs_in: str | None = None  # the key that says how it signs in
    only: list[str] = field(default_factory=list)  # of a .env that is not the client's alone: these variables
    lacks: dict[str, str] = field(default_factory=dict)  # keys that cannot pass → what to do
    lacks_whole: str = ""  # nothing of it passes: what to do


class Start(Struct, frozen=True, kw_only=True):
    """How an agent is started, before it is known for which run."""

    name: str  # the client, or the command where it is none
    argv: list[str]  # with placeholders
    speaks: str = "text"
    env: list[str] = field(default_factory=list)  # names that pass through
    set: dict[str, str] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)  # the user's credential files, like ~/.codex/auth.json
    keeps_refresh: list[str] = field(default_factory=list)  # of `files`: those whose refresh token does not rotate
    home_files: dict[str, str] = field(default_factory=dict)  # path in its HOME → text; `files` come over them
    settings: list[SettingsFile] = field(default_factory=list)  # see own_settings
    own: list[str] = field(default_factory=list)  # how the names of its own variables begin
    listed: bool = False  # the flow lists the variables that pass: no others do
    renew: str = ""  # the program that a person starts so that its login renews itself
    tells: dict[Trouble, list[str]] = field(default_factory=dict)  # its own words for what it met
    steps: dict[str, str] = field(default_factory=dict)  # what a person does about it, where this client has a way
    stdin: bool = True  # the prompt goes in on standard input
    acp: bool = False  # our driver is started, and it starts the agent
    model: str | None = None  # the model's own id
    pool: str | None = None


def fill(argv: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """Each placeholder replaced, within its own word. What is no placeholder stays, also in a value put in."""
    known = {name: value.replace("\0", "") for name, value in values.items()}
    if len(known.get("prompt", "").encode("utf-8", "replace")) > _ARGUMENT_MAX and "prompt_file" in known:
        known["prompt"] = (
            f"Your whole task is in the file {known['prompt_file']}: read all of it, then do what it says."
        )
    return [_PLACEHOLDER.sub(lambda found: known.get(found.group(1), found.group(0)), word) for word in argv]


class Acp(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a client is driven by the Agent Client Protocol."""

    command: Template
    find: list[str]
    auth: str | None = None  # the method to sign in with before a session, if it needs one
    modes: list[str] = field(default_factory=list)  # in which files can be edited, the best first
    asks: list[str] = field(default_factory=list)  # in which it asks before each act that could do harm
    denies: list[str] = field(default_factory=list)  # in which it does no such act, without asking
    asks_with: dict[str, str] = field(default_factory=dict)  # variables that make it ask


class Login(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a user signs in to a client, and by what it is seen."""

    by: str  # what to do, in words
    files: list[str] = field(default_factory=list)  # of its `files`: those that only somebody who has signed in has
    env: list[str] = field(default_factory=list)  # of its `env`: each alone signs in


class Known(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A client as the catalogue has it."""

    name: str = ""
    title: str
    tried: str
    find: list[str]
    rank: int
    install: str
    login: Login
    version: str = "--version"  # the argument to which it answers without a model
    command: Template
    prompt: str
    speaks: str
    acp: Acp | None = None
    env: list[str] = field(default_factory=list)
    set: dict[str, str] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    keeps_refresh: list[str] = field(default_factory=list)
    home: dict[str, str] = field(default_factory=dict)
    settings: list[SettingsFile] = field(default_factory=list)
    own: list[str] = field(default_factory=list)
    obeys: list[str] = field(default_factory=list)
    reads: list[str] = field(default_factory=list)
    packages: list[str] = field(default_factory=list)  # what it is called where `npx` or `uvx` starts it
    models: list[str] = field(default_factory=list)  # names that it takes in every version, the smallest first
    tells: dict[Trouble, list[str]] = field(default_factory=dict)
    money: bool = False  # it tells what a run has cost


class Installed(Struct, frozen=True, kw_only=True):
    """A known client that is there, with the paths of its programs."""

    known: Known
    path: str
    acp_path: str | None = None


class _Given(Struct, frozen=True, forbid_unknown_fields=True):
    every_client: dict[str, list[str]]
    clients: dict[str, Known]


@cache
def _of_the_package() -> Mapping[str, Known]:
    """Read once, and by the parser in C where there is one: it is asked for several times while a board is opened."""
    text = resources.files(__package__).joinpath("known.yaml").read_text("utf-8")
    given = converted(yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)), _Given)
    everywhere = given.every_client["env"]
    return {
        name: msgspec.structs.replace(known, name=name, env=[*known.env, *everywhere])
        for name, known in given.clients.items()
    }


class Catalogue:
    def __init__(self, clients: Mapping[str, Known]) -> None:
        self.clients = dict(clients)

    @classmethod
    def load(cls) -> "Catalogue":
        """The catalogue that comes with the package."""
        return cls(_of_the_package())

    def find(self, which: Which) -> list[Installed]:
        """The known clients that are installed, the preferred one first."""
        found = []
        for known in sorted(self.clients.values(), key=lambda known: known.rank):
            path = _first(known.find, which)
            if path is not None:
                acp = _first(known.acp.find, which) if known.acp else None
                found.append(Installed(known=known, path=path, acp_path=acp))
        return found

    def obeyed(self, flow: Flow) -> list[str]:
        """The paths of a project from which clients take settings and programs by themselves: all that clients of the
        flow obey, and what any known one does. Whoever claims from outside, takes an item or opens what has landed may
        come with any of them."""
        said = [agent.run.get(way) for agent in flow.agents.values() for way in ("client", "command", "acp")]
        said += [words for client in flow.clients.values() for words in (client.command, client.acp)]
        words = [word for one in said if one for word in ([one] if isinstance(one, str) else one)]
        named = names_in(map(str, words)) | flow.clients.keys()
        named |= {model.client for model in flow.models.values() if model.client}
        return list(dict.fromkeys([*self._obeyed(named), *self.obeyed_by_any()]))

    def obeyed_by_any(self) -> list[str]:
        """Those of every known client. Not `.env`: most projects have that for themselves."""
        return [path for path in self._obeyed(set(self.clients)) if path != VARIABLES]

    def users_own(self, flow: Flow) -> list[str]:
        """Where clients find settings and programs of the user's own, as `~/.claude`, and what the flow gives to runs
        from there."""
        known = list(self.clients.values())
        files = [file for one in known for file in (*one.files, *one.reads, *(entry.file for entry in one.settings))]
        files += [file for client in flow.clients.values() for file in client.files]
        return list(dict.fromkeys([*(f"~/{path}" for one in known for path in one.obeys), *files]))

    def obeyed_by(self, start: Start) -> list[str]:
        """Those of the client that one run starts."""
        return self._obeyed({start.name, *names_in(start.argv)})

    def _obeyed(self, named: "set[str]") -> list[str]:
        used = (
            k for k in self.clients.values() if named & {k.name, *k.find, *k.packages, *(k.acp.find if k.acp else [])}
        )
        return list(dict.fromkeys(path for known in used for path in known.obeys))

    def resolve(self, flow: Flow, agent: Agent, model: str | None) -> Start | None:
        """How an agent is started with a model of its ladder; None if people or scripts claim for it."""
        meant = _meaning(flow, model)
        run = agent.run
        if "command" in run:
            argv = list(run["command"])
            return Start(name=os.path.basename(argv[0]), argv=argv, model=meant.id, pool=meant.pool)
        if "python" in run:
            name = str(run["python"])
            return Start(name=name, argv=[*FUNCTION, name], stdin=False, model=meant.id, pool=meant.pool)
        if "acp" in run:
            return self._acp_command(flow, list(run["acp"]), meant)
        client = meant.client or run.get("client")
        return self._client(flow, str(client), meant) if client else None

    def _acp_command(self, flow: Flow, argv: list[str], meant: Model) -> Start:
        """A client's name stands for its own command; of a longer command the program says whose settings hold."""
        if len(argv) == 1 and argv[0] in {**self.clients, **flow.clients}:
            return self._client(flow, argv[0], meant, by_acp=True)
        program = os.path.basename(argv[0])
        known = next((k for k in self.clients.values() if k.acp and program in k.acp.find), None)
        given = flow.clients.get(known.name if known else program, Client())
        given = msgspec.structs.replace(given, acp=argv, command=[])
        return self._by_acp(known, known.name if known else program, given, meant)

    def _client(self, flow: Flow, name: str, meant: Model, by_acp: bool = False) -> Start:
        known, given = self.clients.get(name), flow.clients.get(name, Client())
        if known is None and not (given.command or given.acp):
            raise self._unknown(name, flow)
        asks = given.permissions != "allow"
        if by_acp or asks or (given.acp and not given.command):
            return self._by_acp(known, name, given, meant)
        argv = given.command or (_words(known.command, meant.id) if known else [])
        own_prompt = given.command or known is None
        return self._checked(
            self._start(
                known,
                given,
                meant,
                name=name,
                argv=argv,
                speaks=given.speaks or (known.speaks if known else "text"),
                stdin=bool(own_prompt) or (known is not None and known.prompt == "stdin"),
            )
        )

    def _by_acp(self, known: Known | None, name: str, given: Client, meant: Model) -> Start:
        acp = known.acp if known else None
        if not given.acp and acp is None:
            raise Invalid(
                "no_acp",
                "the client {name} does not speak the Agent Client Protocol",
                "give its command: clients: {{name}: {acp: […]}}, or take `permissions` out: then it is not asked",
                name,
            )
        template: Template = [*given.acp] or (acp.command if acp else [])
        argv = _words(template, meant.id)
        by_option = meant.id is not None and not any("{model}" in word for word in argv)
        driver = [*DRIVER, "--cwd", "{workspace}", "--prompt-file", "{prompt_file}", "--permissions", given.permissions]
        driver += ["--model", str(meant.id)] if by_option else []
        driver += ["--auth", acp.auth] if acp and acp.auth else []
        driver += _modes(acp, name, given.permissions)
        start = self._start(
            known, given, meant, name=name, argv=[*driver, "--", *argv], speaks="acp", stdin=False, acp=True
        )
        asks_with = acp.asks_with if acp and given.permissions != "allow" else {}
        return msgspec.structs.replace(start, set={**start.set, **asks_with})

    def _start(self, known: Known | None, given: Client, meant: Model, **parts: Any) -> Start:
        """The flow's entry over the known one: what it lists holds alone, what it sets is added."""
        return Start(
            env=given.env or (known.env if known else []),
            set={**(_settings(known.set, meant.id) if known else {}), **given.set},
            files=given.files or (known.files if known else []),
            keeps_refresh=known.keeps_refresh if known else [],
            home_files=known.home if known else {},
            settings=_with_base(known) if known else [],
            own=known.own if known else [],
            listed=bool(given.env),
            renew=known.find[0] if known else "",
            tells=known.tells if known else {},
            steps={"login": f"sign in: {known.login.by}", "program": f"install it: {known.install}"} if known else {},
            model=meant.id,
            pool=meant.pool,
            **parts,
        )

    def _checked(self, start: Start) -> Start:
        if start.speaks not in DIALECTS:
            words = "nobody understands the dialect {dialect!r}"
            hint = _did_you_mean(start.speaks, DIALECTS) or "use one of {known}"
            raise Invalid("unknown_dialect", words, hint, dialect=start.speaks, known=[*DIALECTS])
        return start

    def _unknown(self, name: str, flow: Flow) -> Invalid:
        names = [*self.clients, *flow.clients]
        hint = "use one of {known}, or give its command: clients: {{name}: {command: […]}}"
        meant = _did_you_mean(name, names)
        remedy, known = f"{meant}; or {hint}" if meant else hint, sorted(set(names) - {name})
        return Invalid("unknown_client", "no client is called {name!r}", remedy, name, known)


def _with_base(known: Known) -> list[SettingsFile]:
    """The settings of a client, over what its HOME has anyway."""
    homes = {f"~/{path}": text for path, text in known.home.items()}
    return [msgspec.structs.replace(one, base=homes.get(one.file)) for one in known.settings]


def _meaning(flow: Flow, model: str | None) -> Model:
    """What a rung's name means; a name without an entry is the model's own id."""
    if model is None:
        return Model()
    return flow.models.get(model, Model(id=model))


def _modes(acp: Acp | None, name: str, permissions: str) -> list[str]:
    """The words that choose a session's mode: in its own it might ask for nothing, or refuse everything."""
    if permissions == "allow":
        return [word for mode in (acp.modes if acp else []) for word in ("--mode", mode)]
    found = list(ASKING) if acp is None else [*acp.asks, *(acp.denies if permissions == "deny" else [])]
    if not found:
        words = "permissions: {permissions} cannot hold for {name}: it has no mode in which it asks before an act"
        hint = "take `permissions` out, so that its sandbox and the agent's file rights bound it, or use another client"
        raise Invalid("no_asking_mode", words, hint, permissions, name)
    return [*(word for mode in found for word in ("--mode", mode)), "--must-ask"]


def _first(names: list[str], which: Which) -> str | None:
    return next((path for path in map(which, names) if path), None)


def _words(template: Template, model: str | None) -> list[str]:
    """The words of a known command; those about the model only where there is one."""
    argv: list[str] = []
    for part in template:
        if isinstance(part, str):
            argv.append(part)
        elif model is not None:
            argv += part
    return argv


def _settings(values: Mapping[str, str], model: str | None) -> dict[str, str]:
    """The variables of a known client; one about the model only where there is one."""
    if model is None:
        return {name: value for name, value in values.items() if "{model}" not in value}
    return {name: value.replace("{model}", model) for name, value in values.items()}


def _did_you_mean(name: str, names: Iterable[str]) -> str:
    names = list(names)
    near = nearest(name, names) or next((one for one in names if one.startswith(name) or name.startswith(one)), name)
    return f"did you mean {near}?" if near != name else ""
