"""What the board says below the issue from which an item came: one comment, written anew as the item goes on.

It changes when work begins, when something is asked, when the work is proposed and when it ends: not at each step. What
agents wrote stands in blocks of code; what is said of a security issue stays on the board, since others read along.
"""

import re

from folkmoot.api.views import ItemView, QuestionView
from folkmoot.core.enums import ENDED
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.words import is_security
from folkmoot.worker.forge.wording import fenced

QUESTION_MAX = 4_000
REFUSED_MAX = 1_000
_KEPT = r"(?:password|credential|passphrase|secret|token|key|session|cookie|personal data)s?"
_LOST = r"(?:leak|expos|steal|stolen|disclos|plain.?text|clear.?text|guess|hard.?cod)"
ATTACKS = pattern(
    r"securit|vulnerab|exploit|attack|malicious|backdoor|hijack|spoof|phish|brute.?forc|zero.?day|0-day|privilege"
    r"|(?:sql|code|command|html|script|template|ldap|header|prompt|log).{0,2}inject|injected|cross.site"
    r"|\b(?:xss|csrf|ssrf|xxe|rce|idor|sqli|dos)\b|\b(?:cve|cwe|ghsa)-\w|remote code|arbitrary (?:code|file)"
    r"|(?:path|directory) traversal|(?:buffer|heap|stack|integer) overflow|use.after.free|deseriali[sz]|open redirect"
    r"|(?:bypass|circumvent|without|missing|no) (?:the )?(?:auth|login|permission|access)|unauth(?:ori[sz]ed|enticated)"
    rf"|{_LOST}\w*\W[\s\S]{{0,60}}{_KEPT}|{_KEPT}\W[\s\S]{{0,60}}{_LOST}",
    re.IGNORECASE,
)


def asked_below(view: ItemView) -> list[QuestionView]:
    """The questions that can be answered below the issue."""
    return [] if _is_private(view) else [one for one in view.questions if one.state == "open"]


def below_issue(view: ItemView, refused: str) -> str:
    """Empty: nobody has begun, and nothing is said."""
    if view.status in ENDED:
        return _ended(view)
    if not view.runs and view.proposal is None:
        return ""
    parts = [_stands(view)]
    if asked := asked_below(view):
        parts += [_question(one) for one in asked]
        parts.append(_how(asked))
        if refused:
            parts.append(f"The last answer was not taken:\n\n{fenced(refused[:REFUSED_MAX])}")
    elif any(one.state == "open" for one in view.questions):
        parts.append("A question about it waits on the board. It may be about security, so it is not shown here.")
    return "\n\n".join(parts)


def _ended(view: ItemView) -> str:
    if view.status == "done" and view.landed:
        where = f" by {view.proposal.url}" if view.proposal is not None and view.proposal.state == "merged" else ""
        return f"Done: the work is on `{view.landed_on}` at {view.landed[:12]}{where}."
    if view.status == "done":
        return "Done. Nothing had to be changed."
    return f"Nobody works on this any more: it is {view.status} on the board."


def _stands(view: ItemView) -> str:
    item = f"Item {view.id} of a board on which agents work."
    if view.status == "parked":
        return f"{item} It was put aside."
    if view.proposal is not None and view.proposal.state == "open" and view.proposal.number:
        return f"{item} Proposed as {view.proposal.url}."
    return f"{item} Work has begun."


def _question(question: QuestionView) -> str:
    lines = [f"**Question {question.id}**", "", fenced(question.question[:QUESTION_MAX])]
    if question.options:
        options = [f"{number}. {one.option}" for number, one in enumerate(question.options, 1)]
        lines += ["", fenced("\n".join(options)[:QUESTION_MAX])]
    return "\n".join(lines)


def _how(asked: list[QuestionView]) -> str:
    first, named = asked[0], f"{asked[0].id} " if len(asked) > 1 else ""
    words = "the option's number" if first.options else "your words"
    return (
        f"Whoever may write to this repository can answer in a comment that begins with `/answer {named}` and {words}. "
        "The rest of what there is to know is on the board."
    )


def _is_private(view: ItemView) -> bool:
    about = any(finding.kind == "security" for finding in view.findings)
    return about or is_security(view.escalation_reason) or any(_says_security(one) for one in view.questions)


def _says_security(question: QuestionView) -> bool:
    """By what an attack is called, not by what is attacked: how long a password may be is for everybody to read."""
    said = [question.question, question.context, *(one.option for one in question.options)]
    return question.state == "open" and any(ATTACKS.search(text) for text in said)
