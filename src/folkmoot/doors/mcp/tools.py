"""The eight tools as clients see them: names, words, arguments, and which role has which.

The words are fixed: nothing that anybody wrote on a board gets into them. All of them together are at most 1,500
tokens, since each client puts them before every conversation.
"""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field
from msgspec.json import schema_components

from folkmoot.api.call import Role
from folkmoot.core.enums import Outcome, Priority, Severity

WAIT_SECONDS_MAX = 60
WAIT_SECONDS = 50  # some clients give up after 60
# Why an effort failed, as far as an agent can know it.
ToldCause = Literal["requirement", "size", "conflict", "environment", "transient"]
Run = Annotated[str, Meta(description="From claim; not needed if you have only one.")]
Key = Annotated[str, Meta(description="Same key twice: one effect.")]


class Arguments(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of a tool. An empty text is one that was left out."""


class Board(Arguments, frozen=True, kw_only=True):
    column: str = ""
    after: Annotated[int, Meta(description="Next page: items after this number.", ge=0)] = 0


class Show(Arguments, frozen=True, kw_only=True):
    item: Annotated[str, Meta(description="A number; a run's own if left out.")] = ""


class NewItem(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    title: str
    body: Annotated[str, Meta(description="What is wanted, and how one sees that it is done.")] = ""
    files: Annotated[list[str], Meta(description="Paths it will write.")] = field(default_factory=list)
    after: Annotated[list[str], Meta(description="Items, or keys of items above, that must be done first.")] = field(
        default_factory=list
    )
    key: Annotated[str, Meta(description="A name for `after`.")] = ""
    column: str = ""
    priority: Priority = "medium"
    tags: list[str] = field(default_factory=list)
    needs: Annotated[list[str], Meta(description="Labels its worker must have.")] = field(default_factory=list)


class Add(Arguments, frozen=True, kw_only=True):
    items: list[NewItem]
    key: Key = ""


class Claim(Arguments, frozen=True, kw_only=True):
    agent: Annotated[str, Meta(description="Whose work; any agent's if left out.")] = ""
    item: Annotated[str, Meta(description="Only this one.")] = ""
    key: Key = ""


class AskedOf(Struct, frozen=True, kw_only=True):
    question: str
    context: str = ""
    options: list[str] = field(default_factory=list)


class FoundFault(Struct, frozen=True, kw_only=True):
    issue: str
    severity: Severity = "medium"
    file: str = ""
    line: int = 0
    recommendation: str = ""


class Report(Struct, frozen=True, kw_only=True):
    """The fields of a report that matter most; all others of the form are read too."""

    outcome: Outcome | None = None
    summary: Annotated[str, Meta(description="What was done, or why not.")] = ""
    cause: Annotated[ToldCause | None, Meta(description="Of failed.")] = None
    findings: Annotated[list[FoundFault], Meta(description="With changes_requested.")] = field(default_factory=list)
    question: Annotated[AskedOf | None, Meta(description="With asks.")] = None
    blockers: Annotated[str, Meta(description="With stuck.")] = ""
    next_steps: list[str] = field(default_factory=list)
    lessons: Annotated[list[str], Meta(description="What would have saved you time.")] = field(default_factory=list)
    text: Annotated[str, Meta(description="Instead of fields: a report in a form the brief shows.")] = ""
    run: Run = ""


class Comment(Arguments, frozen=True, kw_only=True):
    content: str
    item: Annotated[str, Meta(description="The run's own if left out.")] = ""
    artifact: Annotated[str, Meta(description="The file it is about.")] = ""
    parent: Annotated[str, Meta(description="The comment it replies to.")] = ""
    run: Run = ""


class Ask(Arguments, frozen=True, kw_only=True):
    question: str
    options: list[str] = field(default_factory=list)
    context: Annotated[str, Meta(description="What the person must know.")] = ""
    run: Run = ""


class Wait(Arguments, frozen=True, kw_only=True):
    item: Annotated[str, Meta(description="Until it changes.")] = ""
    question: Annotated[str, Meta(description="Until it is answered.")] = ""
    seen: Annotated[int, Meta(description="`seen` of the last answer: what came after it ends the wait.", ge=0)] = 0
    seconds: Annotated[float, Meta(ge=0, le=WAIT_SECONDS_MAX)] = WAIT_SECONDS
    run: Run = ""


class Tool(Struct, frozen=True):
    name: str
    title: str
    description: str
    arguments: type[Struct]
    roles: frozenset[Role]
    reads: bool = False  # it changes nothing
    repeats: bool = False  # the same call twice has one effect

    @property
    def annotations(self) -> dict[str, bool]:
        """Some clients run a tool without asking a person only if these are set."""
        safe = {"readOnlyHint": self.reads, "destructiveHint": False, "openWorldHint": False}
        return {**safe, "idempotentHint": self.reads or self.repeats}

    @property
    def schema(self) -> dict[str, Any]:
        return schema_of(self.arguments)


PEOPLE: frozenset[Role] = frozenset({"owner", "person"})
WORKERS: frozenset[Role] = PEOPLE | {"run"}
ALL: frozenset[Role] = WORKERS | {"observer"}

TOOLS = (
    Tool(
        "board",
        "The board",
        "The items that have not ended, who works, what waits for a person.",
        Board,
        PEOPLE | {"observer"},
        reads=True,
    ),
    Tool(
        "show",
        "One item",
        "One item: its task, where it stands and why, comments, findings, questions, past runs.",
        Show,
        ALL,
        reads=True,
    ),
    Tool("add", "Add items", "Put work on the board for agents to do: one item or many.", Add, PEOPLE),
    Tool(
        "claim",
        "Take an item",
        "Take the next item, or the one named, to do its work yourself. Answers with the run, a clone to work in "
        "(`workspace`) and the brief (`prompt`).",
        Claim,
        PEOPLE,
    ),
    Tool(
        "report",
        "End a run",
        "End a run: say how it went. The change in its clone is then checked, and lands. Needs outcome and summary, "
        "or text; other fields that the brief names are read too. If refused, mend it and report again.",
        Report,
        WORKERS,
        repeats=True,
    ),
    Tool(
        "comment",
        "Comment",
        "Comment on an item, for whoever works on it next.",
        Comment,
        WORKERS,
        repeats=True,
    ),
    Tool(
        "ask",
        "Ask a person",
        "Ask a person in the middle of a run, and go on; `wait` tells the answer. If you cannot go on without it, "
        "report `asks` instead.",
        Ask,
        WORKERS,
        repeats=True,
    ),
    Tool(
        "wait",
        "Wait",
        "Until an item changes, a question is answered, or the board changes; at most 60 s. Answers with the state "
        "either way.",
        Wait,
        ALL,
        reads=True,
    ),
)
BY_NAME = {tool.name: tool for tool in TOOLS}


def tools_for(role: Role) -> list[Tool]:
    return [tool for tool in TOOLS if role in tool.roles]


def schema_of(kind: type[Struct]) -> dict[str, Any]:
    """The JSON Schema of a struct in few words: nothing that says the same twice, and no null."""
    (schema,), parts = schema_components([kind], ref_template="{name}")
    return _lean(schema, parts)


def _lean(schema: dict[str, Any], parts: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        words = {name: value for name, value in schema.items() if name == "description"}
        return {**_lean(parts[schema["$ref"]], parts), **words}
    if "anyOf" in schema:
        (one,) = (part for part in schema["anyOf"] if part != {"type": "null"})
        words = {name: value for name, value in schema.items() if name == "description"}
        return {**_lean(one, parts), **words}
    lean: dict[str, Any] = {}
    for name, value in schema.items():
        if name in ("title", "default", "additionalProperties") or (name == "description" and "properties" in schema):
            continue
        if name == "properties":
            lean[name] = {part: _lean(kind, parts) for part, kind in value.items()}
        elif name == "items":
            lean[name] = _lean(value, parts)
        elif name == "enum":
            lean[name] = [word for word in value if word is not None]
        elif name != "required" or value:
            lean[name] = value
    return lean
