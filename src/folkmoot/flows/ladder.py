"""The model ladder of an agent: `{0-1: glm-4, 2-3: sonnet, 6+: escalate}` as rungs in order, from no failure on."""

import re

from folkmoot.core.flow import RUNG_ESCALATE, Flow, Rung
from folkmoot.core.vocabulary.roles import folded, role
from folkmoot.flows.faults import Findings, Path, did_you_mean, shown
from folkmoot.flows.fields import Fields
from folkmoot.flows.source import Node

NOTHING = ("none", "null", "nil", "~", "-")  # what a table in code says where nobody tries any more
RANGE = re.compile(r"([0-9]{1,6})(?:-([0-9]{1,6})|(\+))?")


def read_ladder(fields: Fields, node: Node, path: Path) -> list[Rung]:
    rungs: list[tuple[Rung, Path]] = []
    for key, entry in fields.entries(node, path).items():
        here = (*path, key)
        fields.findings.remember(here, entry.key_place)
        bounds = _bounds(fields.findings, key, here)
        model = fields.text(entry.value, here, "the model")
        if bounds is not None and model is not None:
            rungs.append((Rung(*bounds, model), here))
            fields.findings.rungs[here] = rungs[-1][0]
    rungs.sort(key=lambda pair: pair[0].low)
    if not fields.findings.is_faulty(*path):
        _check_escalate(fields.findings, rungs)
        _check_gapless(fields.findings, rungs)
    return [rung for rung, _ in rungs]


def _bounds(findings: Findings, key: str, here: Path) -> tuple[int, int | None] | None:
    """The first and last number of failures of a range; no last one if it is open."""
    match = RANGE.fullmatch(key)
    if match is None:
        findings.fault(here, f"{shown(key)} is no number of failures", "write 0, 0-1 or 6+")
        return None
    first, last, is_open = match.groups()
    low = int(first)
    high = None if is_open else int(last or first)
    if high is not None and high < low:
        findings.fault(here, "this range ends before it begins", f"write {high}-{low}")
        return None
    return low, high


def _check_escalate(findings: Findings, rungs: list[tuple[Rung, Path]]) -> None:
    for rung, here in rungs:
        if rung.model == RUNG_ESCALATE and rung.low == 0:
            findings.fault(here, "the ladder begins with 'escalate': nobody would ever try", "name a model for 0 first")
        elif rung.model == RUNG_ESCALATE and rung.high is not None:
            findings.fault(here, "'escalate' is for good, but this range ends", f"write {rung.low}+: escalate")
        elif rung.model.lower() in NOTHING:
            words = f"{shown(rung.model)} names no model"
            findings.fault(here, words, f"to give up here, write {rung.low}+: escalate")
        elif rung.model != RUNG_ESCALATE and did_you_mean(rung.model, [RUNG_ESCALATE]).startswith("did"):
            findings.warn(here, f"{shown(rung.model)} is taken for a model", "did you mean 'escalate'?")


def check_steps(flow: Flow, findings: Findings) -> None:
    """A step is a model, or `escalate`: where the item goes then is said once, by `escalate_to`."""
    columns = {folded(name): name for name, column in flow.columns.items() if column.kind != "flow"}
    for here, rung in findings.rungs.items():
        is_here = role(here[1], flow.agents) in flow.agents  # a shared file has ladders for other boards too
        if rung.model in flow.models or rung.model == RUNG_ESCALATE or not is_here:
            continue
        said = folded(rung.model)
        column = columns.get(said) or next((columns[part] for part in columns if f"-{part}-" in f"-{said}-"), None)
        if column is None and role(rung.model, flow.columns) in flow.columns:
            column = role(rung.model, flow.columns)
        if column is not None:
            helps = flow.columns[column].kind == "escalation" or flow.columns[column].human
            where = column if helps else "…, a column of kind escalation"
            advice = f"write {rung.low}+: escalate, and beside the ladder escalate_to: {where}"
            what = f"{shown(rung.model)} names the column '{column}': a step of a ladder is a model, or escalate"
            findings.fault(here, what, advice)
        elif role(rung.model, flow.agents) in flow.agents:
            advice = f"to give up here, write {rung.low}+: escalate, and in escalate_to the column where it works"
            findings.warn(here, f"{shown(rung.model)} is an agent's name, and is taken for a model", advice)


def _check_gapless(findings: Findings, rungs: list[tuple[Rung, Path]]) -> None:
    free: int | None = 0  # the first number of failures without a rung; None after an open one
    before = ""
    for rung, here in rungs:
        if free is None:
            findings.fault(
                here, f"nothing comes after '{before}', which has no end", f"end '{before}', or leave this out"
            )
        elif rung.low > free:
            gap = str(free) if rung.low - free == 1 else f"{free}-{rung.low - 1}"
            start = "the ladder must start at 0: " if free == 0 else ""
            findings.fault(here, f"{start}no model is named for {gap} failures", f"add {gap}: … before it")
        elif rung.low < free:
            findings.fault(here, f"this overlaps '{before}'", f"begin it at {free}")
        before = here[-1]
        if free is not None:
            free = None if rung.high is None else max(free, rung.high + 1)
