"""The form of each outcome in one line, for whoever tried to say it and was not understood (R-32)."""

import re
from collections.abc import Sequence

from folkmoot.core.enums import OUTCOMES
from folkmoot.core.vocabulary.patterns import pattern

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
# The same as the handoff document's roles return it, for whoever wrote a status and no form with boxes.
RETURNS: dict[str, str] = {
    "done": '{"status": "completed", "summary": "…"}',
    "changes_requested": '{"status": "needs_fixes", "issues": ["…"]}',
    "failed": '{"status": "failed", "error": "…"}',
    "stuck": '{"status": "blocked", "blockers": "…"}',
    "incomplete": '{"status": "incomplete", "nextSteps": ["…"]}',
}
_OWN_WORDS = ("approved", "fixes_applied")  # of `done`, in which it is said again
_BOXES = pattern(r"\[[ xX_~✓✔-]?\]|needs[ -]follow|^\s{0,3}#{1,6}\s|^\s{0,3}[*_]{2}\w", re.MULTILINE | re.IGNORECASE)
# Words of the documents by which a text that cannot be read still shows what it was meant to say, the most telling
# first. In any spelling: signs and case make no difference.
_SIGNS: tuple[tuple[str, str], ...] = (
    ("asks", r"seeking_divine_clarification|clarification_request|status\W{1,5}_{0,3}\W{0,3}needs_human"),
    ("failed", r"expert_unsuccessful|^attempt_\d"),
    ("incomplete", r"task_incomplete"),
    ("disputed", r"disputed|^\W{0,5}disagrees?\b|\b(?:outcome|status)\W{1,5}_{0,3}\W{0,3}disagree"),
    ("changes_requested", r"changes_requested|needs_fixes|needs_changes|review_findings|test_failures|security_issues"),
    ("delegates", r"subagents|sub_agents|delegates?\b"),
    ("stuck", r"status\W{1,5}_{0,3}\W{0,3}(?:blocked|stuck)"),
    ("split", r"^\W{0,9}_{0,3}(?:sub_?)?(?:tasks|task_?(?:decomposition|breakdown|list))_{0,3}\W{0,5}$"),
    ("split", r"\boutcome\W{1,5}_{0,3}\W{0,3}split\b|\"task_?decomposition\""),
)
_OUTCOME = pattern(r"[\"']?outcome[\"']?\s{0,9}[:=]\s{0,9}[\"']?([A-Za-z][A-Za-z _-]{2,30})")
_LOOKED_AT = 100_000
# How a fault says that a dispute is ended, and which outcome it names as the way out.
_ENDING = pattern(r"parent (\w+) and resolution (\w+)")
_NAMED = pattern(r"\breport (\w+)")
_INSTEAD = ("stuck", "failed")


def way_on(fault: str, outcome: str, sayable: Sequence[str]) -> str:
    """What to write next, after a refusal: never just what was refused. The outcome that the fault names as the way
    out, else the same in its full form; where this run may not say it at all, one that it may."""
    endings = _ENDING.findall(fault) if outcome != "disputed" else []
    if endings:
        ends = [f'{{"parent": "{thread}", "resolution": "{way}", "content": "…"}}' for thread, way in endings]
        return f'such a report is {{"outcome": "{outcome}", "comments": [{", ".join(ends)}]}}'
    named = next((word for word in _NAMED.findall(fault) if word in sayable and word != outcome), None)
    if outcome in sayable:
        return f"such a report is {EXAMPLES[named or outcome]}"
    other = named or next((word for word in _INSTEAD if word in sayable), "done")
    return f"this run may report {', '.join(sayable)}; such a report is {EXAMPLES[other]}"


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


def returned_in(text: str) -> str | None:
    """The form of what a text tried to return, if it is no form with boxes and headings."""
    text = text[:_LOOKED_AT]
    if _BOXES.search(text):
        return None
    tried = tried_in(text)
    word = next((word for word in _OWN_WORDS if word in text.lower().replace(" ", "_")), None)
    if tried == "done" and word is not None:
        return f'{{"status": "{word}", "summary": "…"}}'
    if tried == "done" and re.search(r"status\W{1,6}failed", text, re.IGNORECASE):
        tried = "failed"
    return RETURNS.get(tried)
