"""A population's YAML becomes a `Population`, or the list of all that is wrong with it, with file, line and column."""

import re
from collections.abc import Sequence
from pathlib import Path as FilePath
from typing import Any, TypeVar

from msgspec.structs import replace

from folkmoot.core.enums import TYPES
from folkmoot.core.flow import Flow
from folkmoot.errors import Invalid
from folkmoot.flows.faults import Fault, Findings, Path, did_you_mean, shown
from folkmoot.flows.fields import Entries, Fields
from folkmoot.flows.source import Mapping, Node, Scalar, read_source
from folkmoot.sim.population.population import (
    AMOUNTS,
    CHANCES,
    DECISIONS,
    OF_MODELS,
    OTHERS,
    ROLES,
    Intake,
    Layer,
    People,
    Population,
    Traits,
)

DEFAULT = FilePath(__file__).with_name("default.yaml")
SECTIONS = ["people", "luck", "models", "roles", "agents", "items"]
NUMBER = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?|\.[0-9]{1,9}")
ITEMS_MAX = 2_000
DAY = 86_400.0
NOBODY = "nobody"
Given = TypeVar("Given", People, Intake)


class PopulationFaults(Invalid):
    """The population cannot be used; `faults` says everything that is wrong, in the order of the file."""

    def __init__(self, file: str, faults: list[Fault]) -> None:
        count = "1 fault" if len(faults) == 1 else f"{len(faults)} faults"
        lines = "".join(f"\n{fault}" for fault in faults)
        super().__init__("population_faults", "", "repair {file}, then try again", file, count=len(faults))
        self.message = f"{file} has {count}:{lines}"
        self.faults = faults


def default_population(flow: Flow) -> Population:
    """The one that is brought along; it has something to say about every agent of every flow."""
    return read_population(DEFAULT.read_text("utf-8"), OTHERS, flow, None)[0]


def population_from(text: str, name: str, flow: Flow, flows: Sequence[Flow] = ()) -> tuple[Population, list[str]]:
    """A user's population, laid over the default one, and what its author should know all the same.

    `flows` are all it is meant for, where that is more than this one: it may speak of agents of any of them.
    """
    return read_population(text, name, flow, default_population(flow), flows)


def read_population(
    text: str, name: str, flow: Flow, base: Population | None, flows: Sequence[Flow] = ()
) -> tuple[Population, list[str]]:
    findings = Findings(name)
    root = read_source(text, findings) if _says_something(text) else Mapping({}, (1, 1), 1, 1)
    if root is not None and not isinstance(root, Mapping):
        advice = f"begin with one of the keys {', '.join(SECTIONS)}"
        findings.fault((), "a population is a mapping of keys to values", advice, root.place)
    read = _Reader(findings, flow, base, flows or [flow]).population(root, name) if isinstance(root, Mapping) else None
    if read is None or findings.faults:
        raise PopulationFaults(name, findings.faults)
    return read, [str(warning) for warning in findings.warnings]


def _says_something(text: str) -> bool:
    return any(line.strip() and not line.lstrip().startswith("#") for line in text.splitlines())


class _Reader:
    def __init__(self, findings: Findings, flow: Flow, base: Population | None, flows: Sequence[Flow]) -> None:
        self._findings = findings
        self._fields = Fields(findings)
        self._flow = flow
        self._base = base
        self._flows = flows

    def population(self, root: Mapping, name: str) -> Population:
        entries = self._fields.section(root, (), SECTIONS)
        layer = Layer(agents=self._agents(entries), roles=self._roles(entries), models=self._models(entries))
        luck = self._number(entries["luck"].value, ("luck",)) if "luck" in entries else None
        base = self._base
        return Population(
            name=name,
            people=self._people(entries),
            luck=luck if luck is not None else base.luck if base else 0.0,
            items=self._items(entries),
            layers=[layer, *(base.layers if base else [])],
        )

    # Who is there

    def _people(self, entries: Entries) -> People | None:
        base = self._base.people if self._base else People()
        if "people" not in entries:
            return base
        node, path = entries["people"].value, ("people",)
        if isinstance(node, Scalar):
            self._fields.choice(node, path, "the people", [NOBODY])
            return None
        given: dict[str, Any] = {}
        keys = ["answers_after", "decides", "helps", "gives_up_after"]
        for key, entry in self._fields.section(node, path, keys).items():
            here = (*path, key)
            if key == "answers_after":
                given[key] = self._fields.span(entry.value, here, 1.0, 30 * DAY)
            elif key == "decides":
                given[key] = self._fields.choice(entry.value, here, "the decision", DECISIONS)
            elif key == "helps":
                given[key] = self._number(entry.value, here)
            else:
                given[key] = self._fields.count(entry.value, here)
        return _over(base or People(), given)

    def _models(self, entries: Entries) -> dict[str, Traits]:
        path = ("models",)
        if "models" not in entries:
            return {}
        found = {}
        for model, entry in self._fields.entries(entries["models"].value, path).items():
            self._findings.remember((*path, model), entry.key_place)
            self._know_model(model, (*path, model))
            found[model] = self._traits(entry.value, (*path, model), OF_MODELS, by_model=False)
        return found

    def _roles(self, entries: Entries) -> dict[str, Traits]:
        path = ("roles",)
        if "roles" not in entries:
            return {}
        found = {}
        for role, entry in self._fields.section(entries["roles"].value, path, ROLES).items():
            found[role] = self._traits(entry.value, (*path, role), [*CHANCES, *AMOUNTS, "stuck"], by_model=True)
        return found

    def _agents(self, entries: Entries) -> dict[str, Traits]:
        path = ("agents",)
        if "agents" not in entries:
            return {}
        known = list(dict.fromkeys(name for flow in self._flows for name in (*flow.agents, *flow.gates)))
        found = {}
        for agent, entry in self._fields.entries(entries["agents"].value, path).items():
            here = (*path, agent)
            self._findings.remember(here, entry.key_place)
            if agent not in known:
                words = f"the flow {self._flow.name} has no agent and no gate {shown(agent)}"
                self._findings.fault(here, words, did_you_mean(agent, known))
            found[agent] = self._traits(entry.value, here, [*CHANCES, *AMOUNTS, "stuck"], by_model=True)
        return found

    def _traits(self, node: Node, path: Path, known: list[str], *, by_model: bool) -> Traits:
        numbers, stuck = {}, None
        for key, entry in self._fields.section(node, path, known).items():
            here = (*path, key)
            if key == "stuck":
                stuck = self._stuck(entry.value, here)
            else:
                numbers[key] = self._by_model(entry.value, here, AMOUNTS.get(key, (0.0, 1.0)), by_model)
        return Traits(numbers, stuck)

    def _by_model(self, node: Node, path: Path, bounds: tuple[float, float], by_model: bool) -> dict[str, float]:
        """One number for all, or one for each model; `default` is for those that are not named."""
        if not (by_model and isinstance(node, Mapping)):
            number = self._number(node, path, *bounds)
            return {} if number is None else {OTHERS: number}
        found = {}
        for model, entry in node.entries.items():
            self._findings.remember((*path, model), entry.key_place)
            self._know_model(model, (*path, model))
            number = self._number(entry.value, (*path, model), *bounds)
            if number is not None:
                found[model] = number
        return found

    def _stuck(self, node: Node, path: Path) -> dict[str, float]:
        found = {}
        for reason, entry in self._fields.entries(node, path).items():
            here = (*path, reason)
            self._findings.remember(here, entry.key_place)
            number = self._number(entry.value, here)
            if reason not in self._flow.reasons:
                # The default population is for every flow; only a user's own can be mistaken about this one.
                known = list(dict.fromkeys(name for flow in self._flows for name in flow.reasons))
                if self._base is not None and reason not in known:
                    words = f"the flow {self._flow.name} has no reason {shown(reason)}"
                    self._findings.fault(here, words, did_you_mean(reason, known))
            elif number is not None:
                found[reason] = number
        return found

    def _know_model(self, model: str, path: Path) -> None:
        if self._base is None or model == OTHERS:
            return
        rungs = {rung.model for flow in self._flows for agent in flow.agents.values() for rung in agent.ladder}
        known = sorted(rungs | {OTHERS})
        if model not in known:
            words = f"no ladder of the flow {self._flow.name} names {shown(model)}: it is not used"
            self._findings.warn(path, words, did_you_mean(model, known))

    # What comes in

    def _items(self, entries: Entries) -> Intake:
        base = self._base.items if self._base else Intake()
        if "items" not in entries:
            return base
        path = ("items",)
        given: dict[str, Any] = {}
        keys = ["count", "arrive", "types", "hard", "after", "files"]
        for key, entry in self._fields.section(entries["items"].value, path, keys).items():
            here = (*path, key)
            if key == "count":
                given[key] = self._whole(entry.value, here, 1, ITEMS_MAX)
            elif key == "arrive":
                given["every"] = self._arrive(entry.value, here)
            elif key == "types":
                given[key] = self._types(entry.value, here)
            elif key == "files":
                given |= self._files(entry.value, here)
            else:
                given[key] = self._number(entry.value, here)
        return _over(base, given)

    def _arrive(self, node: Node, path: Path) -> float | None:
        text = self._fields.text(node, path, "the arrival")
        if text is None:
            return None
        word, _, span = text.partition(" ")
        if text == "all":
            return 0.0
        if word != "every" or not isinstance(node, Scalar):
            self._findings.fault(path, f"{shown(text)} is not known here", "write all, or every 10m", node.place)
            return None
        return self._fields.span(Scalar(span, node.is_plain, node.place), path, 1.0, 30 * DAY)

    def _types(self, node: Node, path: Path) -> dict[str, float]:
        found = {}
        for key, entry in self._fields.section(node, path, list(TYPES)).items():
            number = self._number(entry.value, (*path, key))
            if number is not None:
                found[key] = number
        if not sum(found.values()) and not self._findings.is_faulty(*path):
            self._findings.fault(path, "no type of item has a share", "write them like {feature: 0.6, bugfix: 0.4}")
        return found

    def _files(self, node: Node, path: Path) -> dict[str, Any]:
        entries = self._fields.section(node, path, ["each", "of"])
        read = {key: self._whole(entry.value, (*path, key), int(key == "of"), 1_000) for key, entry in entries.items()}
        return {f"files_{key}": number for key, number in read.items()}

    def _whole(self, node: Node, path: Path, low: int, high: int) -> int | None:
        number = self._number(node, path, low, high)
        if number is not None and number != int(number):
            self._findings.fault(path, f"{number} is not a whole number", "write one like 3", node.place)
            return None
        return None if number is None else int(number)

    def _number(self, node: Node, path: Path, low: float = 0.0, high: float = 1.0) -> float | None:
        said = shown(node.text) if isinstance(node, Scalar) else "what stands here"
        advice = f"write one from {low:g} to {high:g}"
        if not (isinstance(node, Scalar) and NUMBER.fullmatch(node.text)):
            self._findings.fault(path, f"{said} is not a number", advice, node.place)
            return None
        number = float(node.text)
        if not low <= number <= high:
            self._findings.fault(path, f"{said} is out of range", advice, node.place)
            return None
        return number


def _over(base: Given, given: dict[str, Any]) -> Given:
    """The same with what is given in place of what was there; what could not be read is a fault already."""
    return replace(base, **{name: value for name, value in given.items() if value is not None})
