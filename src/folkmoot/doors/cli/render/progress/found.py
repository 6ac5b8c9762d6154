"""What was found in the work, in words: what must change, and what was only remarked."""

from collections.abc import Sequence

from folkmoot.core.report import Finding, NamedFinding
from folkmoot.doors.cli.render.page import BAD, CARE, QUIET, Page, Part, one_line, who

# What a finding says beside its words, each on a line of its own.
MORE = {"test": "failed test", "exploit": "exploit", "why": "why it matters", "fixed": "mended"}


def findings_lines(page: Page, findings: Sequence[Finding]) -> None:
    for title, are in (("What must change", False), ("What was remarked; nothing must change for it", True)):
        found = [finding for finding in findings if finding.remark == are]
        if found:
            page.head(title)
        for finding in found:
            finding_line(page, finding)


def finding_line(page: Page, finding: Finding) -> None:
    severity = finding.severity
    place = one_line(finding.file or "") + (f":{finding.line}" if finding.line else "")
    style = BAD if severity in ("critical", "high") else CARE
    issue, advice = one_line(finding.issue), _told(finding, finding.recommendation)
    words: list[Part] = [(severity, style), (f" {place}" if place else "", "bold"), f": {issue}"]
    name = (f" {finding.id}", QUIET) if isinstance(finding, NamedFinding) else ""
    page.line(*words, f" → {advice}" if advice else "", name, indent=2, hang=2)
    for name, label in MORE.items():
        told = _told(finding, getattr(finding, name))
        if told and told != issue:
            page.line((f"{label}: ", QUIET), told, indent=4, hang=2)
    if finding.found_by:
        page.line(("found by ", QUIET), *_names(finding.found_by), indent=4)
    for wording in finding.wordings:
        page.line((f"also: {one_line(wording)}", QUIET), indent=4, hang=2)


def _told(finding: Finding, words: str | None) -> str:
    """On one line; where several found it, each line may be the words of another."""
    between = "; " if len(finding.found_by) > 1 else " "
    return between.join(filter(None, map(one_line, (words or "").splitlines())))


def _names(agents: list[str]) -> list[Part]:
    parts: list[Part] = []
    for agent in agents:
        parts += [(", ", QUIET) if parts else "", who(one_line(agent))]
    return parts
