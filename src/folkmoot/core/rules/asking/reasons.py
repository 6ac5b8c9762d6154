"""What follows from the reason that a report names, in words for whoever reports: it depends on how the run ended."""

from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.report import Report
from folkmoot.core.vocabulary.words import is_security


def reason_does(flow: Flow, item: Item, agent: str, said: Report) -> str:
    """Empty where there is no reason, or where the item is shows what it did (R-09, R-10)."""
    reason = said.escalation_reason
    target = flow.reasons.get(reason or "")
    if target is None or item.column == target:
        return ""
    if is_security(reason):
        if said.outcome in ("stuck", "asks"):
            return ""
        counts = "; the failure is kept, and not counted" if said.outcome == "failed" else ""
        return f"{reason} is put before a person at once{counts}; to have it in {target} now, report stuck"
    argued = flow.columns[target].kind == "dispute"
    match said.outcome:
        case "failed" if not argued and target not in item.span.off_columns:
            return f"{reason} leads to {target} when {agent} is at its end; to have it there now, report stuck"
        case "disputed" if not argued:
            return f"{reason} is told to whoever answers; a dispute goes to who made the work"
        case "stuck" | "disputed":
            return ""
    way = "disputed" if argued else "stuck"
    return f"nothing follows from {reason} beside {said.outcome}; {way} would lead to {target}"
