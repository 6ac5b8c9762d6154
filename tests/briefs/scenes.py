"""Briefs made by the real engine: for every role of every preset a board on which it is that role's turn."""

from functools import cache
from typing import Any

from folkmoot.core.commands import Actor
from folkmoot.testing.builders import PERSON, TrialBoard
from folkmoot.testing.builders import preset_flow as read_preset_flow

View = dict[str, Any]

preset_flow = cache(read_preset_flow)

PRESETS = ("escalation", "handoff", "kanban", "pipeline", "quest")
EXPERTS = ("crypto-expert", "protocol-expert", "database-expert")
TITLE, BODY = "Users can reset their password", "By a link in a mail that holds for an hour."
TRIES = ["write it by hand", "take the library of the framework", "ask the mail server itself"]
TASKS = [
    {"key": "form", "title": "the form", "files": ["src/form.py"], "contracts": ["User"]},
    {"key": "mail", "title": "the mail", "files": ["src/mail.py"], "after": ["form"], "contracts": ["User"]},
]
CONTRACT = {"name": "User", "text": "id and address"}


def take(board: TrialBoard, agent: str, **options: Any) -> tuple[Actor, View]:
    """A claim, and its brief."""
    view = board.engine.claim(PERSON, agent, **options)
    brief: View = view["brief"]
    return Actor(agent, view["run"], view["token"]), brief


def roles() -> list[tuple[str, str]]:
    """Every agent and every gate of every preset."""
    found = []
    for preset in PRESETS:
        flow = preset_flow(preset)
        found += [(preset, name) for name in (*flow.agents, *flow.gates)]
    return found


def brief_of(preset: str, role: str) -> View:
    """The first brief this role gets on a fresh board."""
    flow = preset_flow(preset)
    with TrialBoard(flow) as board:
        if role in EXPERTS:
            escalated(board)
            for expert in EXPERTS[: EXPERTS.index(role)]:
                board.effort(expert, "failed", summary="EXPERT_UNSUCCESSFUL")
        elif role in flow.gates:
            column = flow.watched_by(role)[0]
            board.add(TITLE, body=BODY, column=column, files=["src/reset.py"])
            board.effort(flow.columns[column].agents[0], "done", summary="all of it")
        else:
            board.add(TITLE, body=BODY, column=flow.watched_by(role)[0], files=["src/reset.py"])
        return take(board, role)[1]


def escalated(board: TrialBoard) -> str:
    """The developer of the escalation preset has used up its own tries."""
    item = board.add(TITLE, body=BODY, files=["src/reset.py"])
    for approach in TRIES:
        board.effort("developer", "failed", summary="still red", attempts=[{"approach": approach, "outcome": "red"}])
    return item


def quest(board: TrialBoard) -> str:
    """A quest that was split into two tasks, the second after the first."""
    item = board.add(TITLE, body=BODY)
    points = {"routes": "both add one to src/routes.py"}
    board.effort("pathseeker", "split", tasks=TASKS, contracts=[CONTRACT], integration_points=points)
    return item


def filled(brief: View, words: str) -> View:
    """A brief in which these words stand wherever somebody else's could."""
    stage: View = {"run": "r1", "item": "7", "agent": words, "column": "dev", "outcome": "done", "summary": words}
    finding: View = {
        "kind": "review",
        "severity": "high",
        "issue": words,
        "file": words,
        "line": 3,
        "recommendation": words,
    }
    finding |= {"test": words, "exploit": words, "category": words, "found_by": [words], "wordings": [words]}
    output: View = {"item": "4", "agent": words, "kind": "task", "outcome": "done", "title": words, "summary": words}
    output |= {"findings": [finding], "files": [words], "next_steps": [words], "integration_points": {words: words}}
    attempt = {"attempt": 1, "kind": "self_solve", "model": words, "agent": words, "counted": False, "reason": words}
    comment = {"id": "c1", "author": words, "artifact": words, "target": words, "content": words, "parent": words}
    dispute: View = {"thread": "c1", "artifact": words, "rounds": 1, "agents": [words]}
    dispute |= {"to_agree": {"comments": [{"resolution": "accepted"}]}}
    said = {"task": "7", "agent": "dev-agent", "question": words, "guidance": words, "by": words}
    related = [{"id": "9", "title": words, "status": "ready", "files": [words], "summary": words}]
    around: View = {
        "parent": {"id": "1", "title": words, "body": words, "guidance": [{"question": words, "answer": words}]}
    }
    around |= dict.fromkeys(("buildsOn", "waitingForIt", "askedBy", "tasks", "stopped"), related)
    message = {"type": "task_handoff", "from": words, "payload": {words: [words]}, "context": {"spec": words}}
    task = {**brief["task"], "title": words, "body": words, "why": words, "spec": words, "author": words}
    bounds: View = {
        "files": [words],
        "contracts": [{"name": words, "text": words}],
        "dependencies": [words],
        "rules": [words],
    }
    return {
        **brief,
        "task": task,
        "projectContext": {**brief["projectContext"], **around, "integrationPoints": {words: words}},
        "constraints": {**brief["constraints"], **bounds},
        "told": words,
        "guidance": [{"question": words + "?", "answer": words, "by": words}],
        "responses": [said],
        "disputes": [dispute],
        "findings": [finding],
        "previous": stage,
        "attempts": [{**attempt, "approach": words, "outcome": words + "!", "why_different": words}],
        "advice": {"expert": words, "advice": words, "steps": [words]},
        "outputs": [output | {"comments": [{"content": words}]}],
        "comments": [comment | {"status": "open", "resolution": None}],
        "messages": [message],
        "artifacts": [{"name": words, "path": words, "agent": words}],
        "lessons": [{"text": words, "agent": words, "item": "3"}],
    }
