"""The headings of a form, as agents write them, and what stands below each."""

SECTIONS = {
    "summary": "summary",
    "changes made": "changes",
    "changes": "changes",
    "files changed": "changes",
    "files modified": "changes",
    "issues found": "issues",
    "issues": "issues",
    "findings": "issues",
    "blocking issues": "issues",
    "next steps": "next",
    "next step": "next",
    "recommendations": "next",
    "status": "status",
    "final status": "status",
    "overall status": "status",
    "fixed issues": "fixed",
    "issues fixed": "fixed",
    "fixes applied": "fixed",
    "tests": "tests",
    "test results": "tests",
    "blockers": "blockers",
    # The quest document's report in words.
    "report": "report",
    "output": "output",
    "files created": "created",
    "files added": "created",
    "new files": "created",
    "interfaces": "interfaces",
    "integration points": "points",
    "retro": "retro",
    "retrospective": "retro",
    "lessons": "retro",
    "lessons learned": "retro",
}
# What only adds to a form: alone these make none, and without words they are a title of something else.
ADDING = {"report", "created", "interfaces", "points", "retro", "output"}
LONGEST_FIRST = sorted(SECTIONS, key=len, reverse=True)
