"""The forms in a prompt, filled in as an agent would: every choice that a form leaves, with words for its dots."""

import json
import re
from collections.abc import Iterator
from typing import Any

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
INLINE = re.compile(r"`(\{[^`]*\})`", re.DOTALL)
# The words of the documents for our outcomes.
MEANS = {
    "completed": "done",
    "complete": "done",
    "approved": "done",
    "fixes_applied": "done",
    "needs_fixes": "changes_requested",
    "blocked": "stuck",
    "escalation": "asks",
    "clarification_request": "asks",
    "security_issues": "changes_requested",
    "test_failures": "changes_requested",
    "test_results": "done",
    "delegate": "delegates",
    "Complete": "done",
    "Needs follow-up": "incomplete",
    "Blocked": "stuck",
}
NAMING = ("outcome", "status", "type", "decision")


def sections(text: str) -> dict[str, str]:
    """The parts of a prompt under their headings; a heading in a fence or between tags is none of the board's."""
    found: dict[str, list[str]] = {}
    into: list[str] = []
    fenced = told = False
    for line in text.split("\n"):
        fenced = fenced != line.startswith("```")
        told = line == "<instructions>" or (told and line != "</instructions>")
        if line.startswith("## ") and not fenced and not told:
            assert line not in found, f"twice: {line}"
            into = found.setdefault(line, [])
        else:
            into.append(line)
    return {heading: "\n".join(lines).strip() for heading, lines in found.items()}


PATH = "src/part.py"


def filled_forms(text: str) -> Iterator[tuple[str, str]]:
    """Every form of a report in a text, filled in, and the outcome that it says."""
    for language, body in FENCE.findall(text):
        if language == "markdown":
            yield from _ticked(body)
        elif language == "text":
            yield _dotted(body.replace("ATTEMPT …", "ATTEMPT 1").replace("|Expert Delegation", "")), "failed"
    for body in [form for language, form in FENCE.findall(text) if language == "json"] + INLINE.findall(text):
        yield from _chosen(json.loads(body))


def _ticked(body: str) -> Iterator[tuple[str, str]]:
    for box in re.findall(r"\[ \] ([A-Z][\w -]*\w)", body):
        yield _dotted(body).replace(f"[ ] {box}", f"[x] {box}"), MEANS[box]


def _chosen(form: dict[str, Any]) -> Iterator[tuple[str, str]]:
    naming = next(name for name in NAMING if "|" in str(form.get(name)))
    for word in str(form[naming]).split("|"):
        if word != "…":
            said = _filled({**form, naming: word})
            # What belongs to a failure alone is not said of anything else.
            yield json.dumps(said, ensure_ascii=False), MEANS.get(word, word)


def _filled(value: Any) -> Any:
    if isinstance(value, dict):
        # Of a task's files words would name none.
        is_task = "files" in value and isinstance(value["files"], list)
        filled = {_dotted(name): _filled(part) for name, part in value.items()}
        return {**filled, "files": [PATH]} if is_task else filled
    if isinstance(value, list):
        return [_filled(part) for part in value]
    if isinstance(value, str):
        return _dotted(value.split("|")[0])
    return value


def _dotted(words: str) -> str:
    return words.replace("…", "words of mine")


def commands_in(text: str) -> list[str]:
    """Every command of moot that a prompt names, as code, in words of ours."""
    own = "\n".join(line for line in text.split("\n") if not line.startswith(">"))
    return re.findall(r"`(moot [^`]+)`", own)


def with_values(command: str) -> list[str]:
    """The words of a command, those in capitals replaced."""
    import shlex

    values = {"PATH": "src/more.py", "ITEM": "1", "FILE": "-", "AGENT": "implementer", "NAME": "x", "PLACE": "y"}
    return [values.get(word, word.lower() if word.isupper() else word) for word in shlex.split(command)[1:]]


def said_in(text: str) -> list[str]:
    """Paragraphs and bullets of a prompt's own words, each on one line; quoted lines are somebody else's."""
    found: list[str] = []
    joined = False
    for line in text.split("\n"):
        words = line.strip()
        if not words or line.startswith((">", "#", "<", "```")):
            joined = False
        elif joined and not line.startswith("- "):
            found[-1] += f" {words}"
        else:
            found.append(words)
            joined = True
    return [words for words in found if len(words.split()) >= 4]
