"""The columns of a flow file: what may stand in one. What must fit together is in `checking`."""

from folkmoot.core.enums import COLUMN_KINDS, ColumnKind
from folkmoot.core.flow import END, Column
from folkmoot.flows import keys
from folkmoot.flows.faults import Path
from folkmoot.flows.fields import Entries, Fields
from folkmoot.flows.source import Node

COLUMN_KEYS = list(keys.COLUMN)
# An item may pass all unwatched columns in one step, and somebody has to look at the board.
COLUMNS_MAX = 200
NO_COLUMNS = "add the stages that items go through, like `columns: {dev: {agents: [dev-agent], next: done}}`"


def read_columns(fields: Fields, entries: Entries) -> dict[str, Column]:
    path = ("columns",)
    if "columns" not in entries:
        fields.findings.fault(path, "there are no columns", NO_COLUMNS)
        return {}
    listed = fields.named(entries["columns"].value, path, "a column")
    if not listed and not fields.findings.is_faulty(*path):
        fields.findings.fault(path, "there are no columns", NO_COLUMNS)
    if len(listed) > COLUMNS_MAX:
        fields.findings.fault(path, f"there are {len(listed)} columns", f"at most {COLUMNS_MAX} fit on a board")
    return {name: _column(fields, name, entry.value) for name, entry in listed.items()}


def with_end(columns: dict[str, Column]) -> dict[str, Column]:
    """The columns with `done` among them: where it stands in the file, else after the last column of the flow."""
    if END in columns:
        return columns
    names = list(columns)
    stages = [place for place, column in enumerate(columns.values()) if column.kind == "flow"]
    names.insert(stages[-1] + 1 if stages else len(names), END)
    return {name: columns.get(name) or Column(name=name) for name in names}


def _column(fields: Fields, name: str, node: Node) -> Column:
    path = ("columns", name)
    entries = fields.section(node, path, COLUMN_KEYS)
    following = fields.given_name(entries, (*path, "next"), "the column's name")
    is_human = "human" in entries and bool(fields.boolean(entries["human"].value, (*path, "human")))
    # A person's column that leads nowhere is beside the flow: the answer says where the item goes on.
    usual: ColumnKind = "escalation" if is_human and following is None else "flow"
    return Column(
        name=name,
        agents=fields.names(entries, (*path, "agents"), "the agent's name"),
        next=following,
        fix=fields.given_name(entries, (*path, "fix"), "the column's name"),
        kind=_kind(fields, entries, (*path, "kind")) or usual,
        human=is_human,
        gate=fields.names(entries, (*path, "gate"), "the gate's name", or_one=True),
        on_red=fields.given_name(entries, (*path, "on_red"), "the column's name"),
        tags=fields.names(entries, (*path, "tags"), "the tag"),
        work=fields.given_name(entries, (*path, "work"), "the column's name"),
    )


def _kind(fields: Fields, entries: Entries, path: Path) -> ColumnKind | None:
    return fields.choice(entries["kind"].value, path, "the kind", COLUMN_KINDS) if "kind" in entries else None
