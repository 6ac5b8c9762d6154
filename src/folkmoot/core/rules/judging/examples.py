"""The form of each outcome in one line, for whoever tried to say it and was not understood (R-32)."""

import re

from folkmoot.core.report import OUTCOMES

EXAMPLES: dict[str, str] = {
    "done": '{"outcome": "done", "summary": "…"}',
    "changes_requested": '{"outcome": "changes_requested", "findings": [{"severity": "high", "issue": "…"}]}',
    "disputed": '{"outcome": "disputed", "comments": [{"artifact": "…", "content": "…"}]}',
    "failed": '{"outcome": "failed", "summary": "…", "attempts": [{"approach": "…", "outcome": "…"}]}',
    "stuck": '{"outcome": "stuck", "blockers": "…", "reason": "…"}',
    "asks": '{"outcome": "asks", "question": {"question": "…", "options": ["…"]}}',
    "delegates": '{"outcome": "delegates", "delegate": [{"to": "…", "task": "…"}]}',
    "split": '{"outcome": "split", "tasks": [{"key": "a", "title": "…", "files": ["…"]}]}',
    "incomplete": '{"outcome": "incomplete", "summary": "…", "next_steps": ["…"]}',
}
# Words of the documents by which a text that cannot be read still shows what it was meant to say, the most telling
# first. In any spelling: signs and case make no difference.
_SIGNS: tuple[tuple[str, str], ...] = (
    ("asks", r"seeking_divine_clarification|clarification_request"),
    ("failed", r"expert_unsuccessful|^attempt_\d"),
    ("incomplete", r"task_incomplete"),
    ("disputed", r"disputed"),
    ("changes_requested", r"changes_requested|needs_fixes|needs_changes|review_findings|test_failures|security_issues"),
    ("delegates", r"subagents|sub_agents|delegates?\b"),
    ("stuck", r"status\W{1,5}_{0,3}\W{0,3}(?:blocked|stuck)"),
)
_OUTCOME = re.compile(r"[\"']?outcome[\"']?\s{0,9}[:=]\s{0,9}[\"']?([A-Za-z][A-Za-z _-]{2,30})")
_LOOKED_AT = 100_000


def example_of(outcome: str) -> str:
    return f"such a report is {EXAMPLES[outcome if outcome in OUTCOMES else 'done']}"


def tried_in(text: str) -> str:
    """The outcome that a text was meant to say, as far as its words show it; `done` where they show nothing."""
    text = text[:_LOOKED_AT]
    for named in reversed(_OUTCOME.findall(text)):
        word = "_".join(named.lower().replace("-", " ").replace("_", " ").split())
        if word in OUTCOMES:
            return word
    words = re.sub(r"[ \-]", "_", text.lower())
    found = (outcome for outcome, sign in _SIGNS if re.search(sign, words, re.MULTILINE))
    return next(found, "done")
