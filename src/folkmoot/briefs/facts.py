"""The facts of a brief in words: what people decided, what was found, tried and said, each under its author's name."""

from collections.abc import Iterator
from typing import Any

from folkmoot.briefs.quote import LINE, inline, quoted, told, visible

View = dict[str, Any]

ANSWER_LINE_MAX = 2_000
RELATED = ("buildsOn", "waitingForIt", "askedBy", "tasks", "stopped", "unfinished", "whole")


def facts_told(brief: View) -> Iterator[str]:
    """Every fact there is, the most useful first."""
    for heading, lines in (
        ("A person has answered", _responses(brief)),
        ("What a person was asked, and has not answered yet: go on without the answer", _asked(brief)),
        ("What a person says to you", _said(brief, new=True)),
        ("What the board tells you", _told(brief)),
        ("What has changed in the contracts since the work was made", _changed(brief)),
        ("What people decided before", _guidance(brief)),
        ("What people said to those who worked on it before you; it holds for you too", _said(brief, new=False)),
        ("What is disputed", _disputes(brief)),
        ("What was found, and must change where it still holds", _findings(brief["findings"])),
        ("What was remarked beside a `done`; by itself it asks for no change", _findings(brief.get("remarks", []))),
        ("The advice to follow now", _advice(brief)),
        ("What was done about it before, and did not suffice", _heals(brief)),
        ("What the last run said", _previous(brief)),
        ("What was tried; do not repeat it", _attempts(brief)),
        ("What the others came to", _outputs(brief)),
        ("What was said", _comments(brief)),
        ("Where it belongs", _project(brief)),
        ("What was handed over", _messages(brief)),
        ("What was made so far", _artifacts(brief)),
        ("What others learnt", _lessons(brief)),
    ):
        body = list(lines)
        if body:
            yield "\n".join([f"## {heading}", "", *body])


def _responses(brief: View) -> Iterator[str]:
    for number, said in enumerate(brief["responses"]):
        if number:
            yield ""
        yield from response_block(said)
        beside = list(_asked_with(said))
        yield from ["", *beside] if beside else []


def _asked(brief: View) -> Iterator[str]:
    for one in brief.get("asked") or []:
        yield from quoted(f"Asked by {inline(one['by'])}", one["question"])
        yield from _asked_with(one)


def _asked_with(said: View) -> Iterator[str]:
    """What the agent wrote beside its question: an answer may refer to it, by number or by "the second"."""
    if said.get("options"):
        yield from quoted(
            "The options were", "\n".join(f"{n}. {one}" for n, one in enumerate(said["options"], start=1))
        )
    if said.get("context"):
        yield from quoted("Asked with this context", said["context"])
    if said.get("help"):
        yield from quoted("What would help, as it was asked", said["help"])


def response_block(said: View) -> list[str]:
    """The document's block, line by line. Words that do not fit on its line are quoted below it."""
    return [
        "DIVINE RESPONSE",
        "",
        f"Task: {inline(said['task'])}",
        f"Agent: {inline(said['agent'])}",
        "",
        *_answer_line("Question", said["question"]),
        *_answer_line("Guidance", said["guidance"]),
        "",
        "Resume work incorporating this guidance.",
    ]


def _answer_line(name: str, words: str) -> list[str]:
    lines = visible(words).strip().split("\n")
    # A brace could begin a report, a long line is hard to read, and an uneven quotation mark reaches beyond its line.
    risky = any(sign in words for sign in "{“”") or words.count('"') % 2
    plain = len(lines) == 1 and not risky and len(words) <= ANSWER_LINE_MAX
    return [f"{name}: {lines[0]}"] if plain else [f"{name}:", *(LINE + line for line in lines)]


def _said(brief: View, *, new: bool) -> Iterator[str]:
    for one in brief.get("said") or []:
        if one["new"] == new:
            yield from quoted(f"Said by {inline(one['by'])}", one["text"])


def _told(brief: View) -> Iterator[str]:
    if brief["told"]:
        yield from quoted("What changed, or was wrong with the last report", brief["told"])
    for lost in brief.get("dropped") or []:
        label = f"Files that {inline(lost['agent'])} changed, and that were dropped since it only reads"
        yield from quoted(label, "\n".join(lost["files"]))


def _changed(brief: View) -> Iterator[str]:
    for one in brief["constraints"].get("changed_contracts", []):
        if isinstance(one, dict):
            yield from quoted(f"The contract {inline(one['name'])} said", one["before"])
            yield from quoted("and says now", one["now"])


def _guidance(brief: View) -> Iterator[str]:
    """Older answers; the new ones have a block of their own."""
    new = {(said["question"], said["guidance"]) for said in brief["responses"]}
    for said in brief["guidance"]:
        if (said["question"], said["answer"]) not in new:
            yield from quoted("Asked", said["question"])
            yield from _asked_with(said)
            yield from quoted(f"Answered by {inline(said['by'])}", said["answer"])


def _disputes(brief: View) -> Iterator[str]:
    for dispute in brief["disputes"]:
        between = " and ".join(dict.fromkeys(inline(agent) for agent in dispute["agents"]))
        rounds = f"round {dispute['rounds']}" if dispute["rounds"] else "not answered yet"
        yield from quoted(
            f"Dispute {inline(dispute['thread'])}, by {between}, {rounds}",
            f"It is about {dispute['artifact'] or 'the item'}.",
        )


def _findings(findings: list[View]) -> Iterator[str]:
    for number, found in enumerate(findings, start=1):
        line = f":{found['line']}" if found.get("line") is not None else ""
        place = f", {inline(found['file'])}{line}" if found.get("file") else ""
        by = ", ".join(inline(agent) for agent in found.get("found_by") or []) or "an earlier run"
        label = f"{number}. {inline(found.get('severity'))} ({inline(found.get('kind'))}){place}, found by {by}"
        more = {
            "Likely fix": found.get("recommendation"),
            "Failed test": found.get("test"),
            "Exploit": found.get("exploit"),
            "Why it matters": found.get("why"),
            "Category": found.get("category"),
            "Mended": found.get("fixed"),
            "Also said": found.get("wordings"),
        }
        yield from quoted(label, "\n".join(part for part in (found.get("issue"), told(more)) if part))


def _advice(brief: View) -> Iterator[str]:
    if brief["advice"]:
        advice = brief["advice"]
        tried = [_short(one) for one in advice.get("tried", [])]
        parts = [advice["advice"], told(advice["steps"]), told({"what it tried": tried}) if tried else ""]
        yield from quoted(f"Advice of {inline(advice['expert'])}", "\n".join(part for part in parts if part))


def _heals(brief: View) -> Iterator[str]:
    for number, one in enumerate(brief["heals"], start=1):
        yield from quoted(
            f"{number}. {inline(one['gate'])} was red", told({"summary": one["red"], "found": one["found"]})
        )
        done = {name: one[name] for name in ("outcome", "report", "blockers", "changed", "next_steps") if one.get(name)}
        yield from quoted(f"Then {inline(one['agent'])} did this", told(done) or "no words were given")


def _previous(brief: View) -> Iterator[str]:
    last = brief["previous"]
    if not last:
        return
    label = f"Report of {inline(last['agent'])} in {inline(last['column'])}"
    if "end" in last:
        label, last = f"The run of {inline(last['agent'])} ended without a report", {"end": last["end"]}
    else:
        last = {name: value for name, value in last.items() if name not in ("agent", "column", "run", "item")}
    yield from quoted(label, told(_with_points(last)))


def _attempts(brief: View) -> Iterator[str]:
    for tried in brief["attempts"]:
        model = f" with {inline(tried['model'])}" if tried["model"] else ""
        counted = "" if tried["counted"] else ", not counted"
        label = f"Attempt {tried['attempt']} by {inline(tried['agent'])}{model} ({inline(tried['kind'])}){counted}"
        reason = tried["reason"] if tried["reason"] != tried["outcome"] else None
        words = {
            "approach": tried["approach"],
            "outcome": tried["outcome"],
            "why different": tried["why_different"],
            "why it failed": reason,
        }
        yield from quoted(label, told(words) or "no words were given")


def _outputs(brief: View) -> Iterator[str]:
    for output in brief["outputs"]:
        label = (
            f"Item {inline(output['item'])} ({inline(output['kind'])}) by {inline(output['agent'])}: "
            f"{inline(output['outcome'])}"
        )
        said = {name: output.get(name) for name in ("title", "summary", "files", "interfaces", "next_steps")}
        said["integration_points"] = _points(output.get("integration_points"))
        said["found"] = [_short(found) for found in output["findings"]]
        said["tried"] = [_short(tried) for tried in output.get("attempts", [])]
        rest = {name: output.get(name) for name in ("blockers", "comments", "tests", "report")}
        yield from quoted(label, told(_without_empty({**said, **rest})) or "no words were given")


def _points(points: Any) -> Any:
    """Where parts meet: by name and in words, or by name alone, as a report may say it."""
    if not isinstance(points, dict) or all(points.values()):
        return points
    return [f"{name}: {words}" if words else name for name, words in points.items()]


def _short(found: Any) -> Any:
    return _without_empty(found) if isinstance(found, dict) else found


def _without_empty(view: View) -> View:
    return {name: value for name, value in view.items() if value not in (None, "", [], {})}


def _comments(brief: View) -> Iterator[str]:
    for comment in brief["comments"]:
        about = f" on item {inline(comment['item'])}" if comment.get("item") else ""  # another's: a task of this one
        about += f" on {inline(comment['artifact'])}" if comment["artifact"] else ""
        about += f", {inline(comment['target'])}" if comment["target"] else ""
        about += f", in answer to {inline(comment['parent'])}" if comment["parent"] else ""
        state = comment["resolution"] or comment["status"]
        label = f"Comment {inline(comment['id'])} by {inline(comment['author'])}{about} ({inline(state)})"
        yield from quoted(label, comment["content"])


def _project(brief: View) -> Iterator[str]:
    project = brief["projectContext"]
    parent = project.get("parent")
    if isinstance(parent, dict) and brief["task"].get("kind") != "part":  # a part has its parent's words
        words = [parent.get("title"), parent.get("body"), told(parent.get("guidance") or [])]
        yield from quoted(
            f"Item {inline(parent.get('id'))}, which it belongs to", "\n\n".join(part for part in words if part)
        )
    names = {
        "integrationPoints": "Where parts meet, as the split says",
        "split": "What the split said beside its tasks, and who looked at the whole since",
        "buildsOn": "What it builds on, each as its agent reported it",
        "waitingForIt": "What waits for it",
        "askedBy": "The item whose agent asks",
        "tasks": "The tasks of the same whole, each as its agent reported it",
        "whole": "The whole that all of this is for",
        "unfinished": "Earlier reports that nobody has gone on from since",
        "stopped": "Reports of tasks that do not fit, and wait for this",
    }
    for name, label in names.items():
        if project.get(name):
            views = [_with_points(one) for one in project[name]] if name in RELATED else project[name]
            yield from quoted(label, told(_points(views) if name == "integrationPoints" else views))


def _with_points(view: Any) -> Any:
    if not isinstance(view, dict) or "integration_points" not in view:
        return view
    return {**view, "integration_points": _points(view["integration_points"])}


def _messages(brief: View) -> Iterator[str]:
    for message in brief["messages"]:
        label = f"Message {inline(message['type'])} from {inline(message['from'])}"
        yield from quoted(label, told({"payload": message["payload"], "context": message["context"]}))


def _artifacts(brief: View) -> Iterator[str]:
    for made in brief["artifacts"]:
        yield from quoted(f"Made by {inline(made['agent'])}", told({"name": made["name"], "path": made["path"]}))


def _lessons(brief: View) -> Iterator[str]:
    for lesson in brief["lessons"]:
        yield from quoted(f"Learnt by {inline(lesson['agent'])} on item {inline(lesson['item'])}", lesson["text"])
