"""The whole examination: the log's chain, the fold of the log against the rows, and every invariant."""

from typing import Any

from folkmoot.core.events import type_of_table
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.records import Question, Run
from folkmoot.engine.audit import Audit
from folkmoot.engine.engine import Engine
from folkmoot.engine.invariants import CHECKS, ONLY_IN_MOTION, Violation, check_circles, check_item
from folkmoot.engine.turn import flow_in_force
from folkmoot.store.base import Reading

PAGE = 5000


def examine(engine: Engine) -> dict[str, Any]:
    """Check everything that can be checked on a board, and name what is wrong."""
    violations = [Violation("chain", text) for text in engine.store.broken_links()]
    violations += engine.store.read(lambda reading: examine_rows(reading, engine.flows))
    checks = []
    for check, meaning in CHECKS.items():
        if check in ONLY_IN_MOTION:
            continue
        wrong = [violation for violation in violations if violation.check == check]
        checks.append({"check": check, "holds": meaning, "ok": not wrong, "wrong": [str(v) for v in wrong[:20]]})
    return {"ok": not violations, "checks": checks}


def examine_rows(reading: Reading, flows: dict[int, Flow]) -> list[Violation]:
    audit = Audit()
    while events := reading.events(audit.seq, limit=PAGE):
        audit.feed(events)
        if events[-1].seq != audit.seq:
            break
    audit.compare(reading, type_of_table)
    flow = flow_in_force(reading, reading.head().flow_version, flows)
    return [*audit.violations, *check_rows(audit, flow)]


def check_rows(audit: Audit, flow: Flow) -> list[Violation]:
    """Every item by its rows; the audit has them all, and has said where the store's differ."""
    items = {row.id: row for row in audit.tables.get("items", {}).values() if isinstance(row, Item)}
    runs: dict[str, list[Run]] = {}
    questions: dict[str, list[Question]] = {}
    for run in audit.tables.get("runs", {}).values():
        if isinstance(run, Run):
            runs.setdefault(run.item, []).append(run)
    for question in audit.tables.get("questions", {}).values():
        if isinstance(question, Question):
            questions.setdefault(question.item, []).append(question)
    found = check_circles(items.values())
    for item in items.values():
        found += check_item(flow, item, runs.get(item.id, []), questions.get(item.id, []), items)
    return found
