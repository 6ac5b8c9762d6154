"""What must hold of tasks: for which contracts they are done, and that what was made below them is not lost (R-24)."""

from collections.abc import Iterable

from folkmoot.core.enums import ENDED
from folkmoot.core.item import Item
from folkmoot.core.records import Run
from folkmoot.core.rules.children.outputs import OUTPUTS_KEPT


def check_task(item: Item, runs: list[Run], others: dict[str, Item]) -> Iterable[tuple[str, str]]:
    if item.kind != "task" or item.status != "done":
        return
    if item.column == item.home and not item.splits:  # of one that was split, its tasks were told
        yield from _contracts(item, runs)
    parent = others.get(item.parent or "")
    if parent is not None and parent.status not in ENDED:
        yield from _outputs(item, parent)


def _contracts(item: Item, runs: list[Run]) -> Iterable[tuple[str, str]]:
    """Its last run was told the contracts as they are now, or has made them so itself."""
    worked = [run for run in runs if run.end == "reported" and not run.gate and run.report is not None]
    last = max(worked, key=lambda run: run.token, default=None)
    if last is None or last.report is None or last.outcome != "done":
        return  # a person ended it
    own = {contract.name for contract in last.report.contracts}
    for name, text in last.contracts.items():
        if name not in own and item.contracts.get(name, text) != text:
            yield "R-24", f"it is done by {last.id}, which was told another contract {name}"


def _outputs(item: Item, parent: Item) -> Iterable[tuple[str, str]]:
    """Whoever has what it ended with has also what the tasks ended with into which it was split."""
    kept = parent.outputs.get(item.id)
    if kept is None or item.result is None or kept.run != item.result.run or len(parent.outputs) >= OUTPUTS_KEPT:
        return
    lost = [child for child, output in item.outputs.items() if output.kind == "task" and child not in parent.outputs]
    if lost:
        yield "R-24", f"what {', '.join(lost)} ended with did not reach item {parent.id}"
