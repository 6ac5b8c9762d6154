"""What comes onto the target branch has been before a stage that gives verdicts, as it is (R-13, R-19).

An item keeps where its branch was when it came to such a stage, or a run there began. A landing is for that and no
more: said here, and nowhere else.
"""

from typing import Any

from msgspec.structs import replace

from folkmoot.core.flow import END, Flow
from folkmoot.core.item import Item
from folkmoot.core.order import stage
from folkmoot.core.rules.judging.required import way


def shown(item: Item) -> dict[str, Any]:
    """What changes on an item whose work, as it is now, is before whoever decides about it."""
    return {"shown": item.head or ""} if item.shown != (item.head or "") else {}


def shown_in(flow: Flow, item: Item, column: str) -> dict[str, Any]:
    """The same, if the column gives verdicts."""
    return shown(item) if column in flow.columns and flow.checks(column) else {}


def carried(flow: Flow, item: Item, commit: str) -> dict[str, Any]:
    """What a stage makes behind which nobody gives verdicts lands by the flow's own word, if that lets it write: who
    helps a reader out makes other work. All that is shown to the stage that comes next, or that asked for it; where it
    goes round them, it is seen to before it lands."""
    if item.shown != (item.head or "") or item.column not in flow.columns:
        return {}
    here, stages = stage(flow, item), way(flow, item)
    if here in flow.columns and not flow.writes(here):
        return {}
    behind = stages[stages.index(here) + 1 :] if here in stages else stages
    return {} if any(flow.checks(column) for column in behind) else {"shown": commit}


def unseen_by(flow: Flow, item: Item) -> str | None:
    """The stage that is to look at the work before it lands: the first behind the stage that made it, or the last one.
    None: it has been seen as it is, it ends where it is and is for another item's branch, or nobody gives verdicts."""
    if item.column != END or item.head is None or item.shown == item.head:
        return None
    stages = way(flow, item)
    looks = [column for column in stages if flow.checks(column)]
    if item.made_by not in flow.stages(item.entry if item.entry in flow.columns else None):
        return looks[0] if looks else None
    behind = stages[stages.index(item.made_by) + 1 :] if item.made_by else []
    return next((column for column in looks if column in behind), looks[-1] if looks else None)


def looks_anew(flow: Flow, item: Item) -> dict[str, Any]:
    """Who looks again looks at all of it: nobody has said what is new (R-15)."""
    looks = [column for column in way(flow, item) if flow.checks(column)]
    return {"span": replace(item.span, unseen=list(dict.fromkeys([*item.span.unseen, *looks])))}
