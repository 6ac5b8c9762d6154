"""Who works on the items of a trial, and what comes in. Every number of a trial comes from here."""

from msgspec import Struct, field

ROLES = ["maker", "checker", "splitter", "expert", "gate"]
OTHERS = "default"  # stands for every model that is not named

# What can be said of an agent, and between which bounds. All may be given by model.
CHANCES = ["success", "crash", "transient", "garbled", "asks", "disputes", "agrees", "distinct", "incomplete"]
CHANCES += ["too_large", "delegates", "changes", "critical", "splits", "overlap", "eases", "helps", "red"]
AMOUNTS = {"minutes": (0.01, 10_000.0), "cost_usd": (0.0, 1_000.0), "findings": (1.0, 20.0), "tasks": (1.0, 20.0)}
OF_MODELS = ["success", "minutes", "cost_usd"]  # what a model brings to every agent that makes something

DECISIONS = ["first_option", "last_option", "any_option"]


class Traits(Struct, frozen=True):
    """What is said of a model, a role or an agent: its numbers, each by model."""

    numbers: dict[str, dict[str, float]] = field(default_factory=dict)
    stuck: dict[str, float] | None = None  # reason -> chance

    def number(self, name: str, model: str | None) -> float | None:
        by_model = self.numbers.get(name, {})
        return by_model.get(model or OTHERS, by_model.get(OTHERS))


class Layer(Struct, frozen=True):
    """What one file says of agents; what it leaves out is looked for in the layer below."""

    agents: dict[str, Traits] = field(default_factory=dict)
    roles: dict[str, Traits] = field(default_factory=dict)
    models: dict[str, Traits] = field(default_factory=dict)


class People(Struct, frozen=True, kw_only=True):
    answers_after: float = 0.0  # seconds
    decides: str = DECISIONS[0]
    helps: float = 0.0
    gives_up_after: int = 1


class Intake(Struct, frozen=True, kw_only=True):
    """The items that come in."""

    count: int = 1
    every: float = 0.0  # seconds between two of them
    types: dict[str, float] = field(default_factory=dict)
    hard: float = 0.0
    after: float = 0.0
    files_each: int = 0
    files_of: int = 1


class Population(Struct, frozen=True, kw_only=True):
    name: str
    people: People | None  # None: nobody is there
    luck: float
    items: Intake
    layers: list[Layer]  # the user's own before the one that is brought along

    def number(self, name: str, agent: str, role: str, model: str | None) -> float:
        """What holds for this agent in this role with this model; what nobody says does not happen."""
        own = [traits for layer in self.layers for traits in (layer.agents.get(agent), layer.roles.get(role))]
        # A model says what is usual; what is said of an agent or a role comes before it, in whichever file.
        usual = [layer.models.get(rung) for layer in self.layers for rung in (model or OTHERS, OTHERS)]
        for traits in [*own, *usual]:
            found = traits.number(name, model) if traits is not None else None
            if found is not None:
                return found
        return 0.0

    def models(self) -> set[str]:
        """All that it has any figure of."""
        said = [traits for layer in self.layers for traits in (*layer.agents.values(), *layer.roles.values())]
        by_model = {model for traits in said for numbers in traits.numbers.values() for model in numbers}
        return by_model.union(*(layer.models for layer in self.layers))

    def stuck(self, agent: str, role: str) -> dict[str, float]:
        for layer in self.layers:
            for traits in (layer.agents.get(agent), layer.roles.get(role)):
                if traits is not None and traits.stuck is not None:
                    return traits.stuck
        return {}
