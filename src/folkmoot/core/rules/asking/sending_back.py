"""A person has looked at the work and asks for changes: what they found goes with the item to whoever makes them."""

from folkmoot.core.commands import SendBack
from folkmoot.core.flow import END
from folkmoot.core.report import Finding
from folkmoot.core.rules.children.reopening import sent_to_fix
from folkmoot.core.rules.judging.required import begins_at
from folkmoot.core.rules.judging.verdicts import fixed_in
from folkmoot.core.rules.manual import LIST_MAX, check_moves, known_column, take_in_hand
from folkmoot.core.rules.movement import abandon, enter, leaves_children, origins_for, stage_of, without_parts
from folkmoot.core.rules.sharing.findings import identity
from folkmoot.core.situation import Case
from folkmoot.errors import Invalid, Refused


def send_back(case: Case, command: SendBack) -> None:
    """A person's verdict on the work: to the column that makes the changes, as a checking stage would send it. It is
    guidance, so it counts as nobody's failure and as no round (R-13)."""
    found = _found(case, command)
    if command.column is not None:
        known_column(case, command.column)
    check_moves(case)
    stage = stage_of(case)
    target = command.column or fixed_in(case, stage)
    if target is None or target == END:
        words = "no column makes the changes that are asked for on item {item}"
        raise Refused("nobody_fixes", words, "name a column of the flow that does: <.column>", case.item.id)
    words = command.why or found[0].issue
    because = f"{case.actor.name} asks for changes: {words}"
    origins = origins_for(case, target)
    take_in_hand(case, because, None)
    known = {identity(finding) for finding in found}
    others = [finding for finding in case.item.findings if identity(finding) not in known]
    left = abandon(case, because) if leaves_children(case, "") else {"join": None}
    left |= without_parts(case.item) | {"proving": None, "clarifications": case.item.clarifications + 1}
    told = {"column": stage, "findings": len(found), "why": words}
    case.set("changes_asked", told, findings=[*others, *found], **left)
    # Whoever gives verdicts there sees the changes first, as if it had asked for them itself.
    target, fixes = sent_to_fix(case, target, because) if case.flow.checks(stage) else (target, {"returns_to": None})
    assert target is not None
    enter(case, target, because, origins=origins, **fixes, **begins_at(case, target))


def _found(case: Case, command: SendBack) -> list[Finding]:
    """What the person has found: it must change, whatever anybody marked it as."""
    if not (command.why.strip() or command.findings):
        words = "nothing is said of what must change on item {item}"
        raise Invalid("nothing_found", words, "name a finding, or say it in <.why>", case.item.id)
    if any(not finding.issue.strip() for finding in command.findings):
        raise Invalid("nothing_found", "a finding of item {item} has no words", "say what must change", case.item.id)
    if len(command.findings) > LIST_MAX:
        words, hint = "{count} {name} are too many", "at most {limit}"
        raise Invalid("too_many", words, hint, len(command.findings), "findings", LIST_MAX)
    by = [case.actor.name]
    return [
        Finding(issue=f.issue, file=f.file, line=f.line, severity=f.severity, found_by=by) for f in command.findings
    ]
