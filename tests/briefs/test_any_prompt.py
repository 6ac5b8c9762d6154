"""However a board got where it is: each prompt on the way has one way to report, and names only what it may use."""

import json
import random
import re
from typing import Any

import pytest

from folkmoot.briefs.prompt import PROMPT_SIZE, prompt
from folkmoot.core.commands import (
    Actor,
    AddComment,
    AnswerQuestion,
    AskPerson,
    Command,
    DispatchAgent,
    LockPaths,
    SendMessage,
    WidenRun,
)
from folkmoot.errors import MootError, NothingToDo
from folkmoot.testing.builders import PERSON, TrialBoard
from tests.briefs.forms import said_in, sections
from tests.briefs.scenes import PRESETS, View, preset_flow

STEPS = 60
PARTS: dict[str, View] = {
    "done": {"summary": "made it", "artifacts": [{"name": "notes.md"}]},
    "changes_requested": {"findings": [{"severity": "high", "issue": "wrong", "file": "src/a.py"}]},
    "disputed": {"comments": [{"content": "It contradicts the story.", "artifact": "notes.md"}]},
    "failed": {"summary": "red"},
    "stuck": {"blockers": "no key", "reason": "security"},
    "asks": {"question": {"question": "Which one?", "options": [{"option": "this"}, {"option": "that"}]}},
    "delegates": {"delegate": [{"task": "look at it", "scope": "discovery_only"}]},
    "split": {"tasks": [{"key": "a", "title": "one half", "files": ["src/a.py"]}, {"key": "b", "title": "the other"}]},
    "incomplete": {"summary": "half", "next_steps": ["the rest"]},
}
# Somebody else's word or hold may stand against a command; that this run may not give it at all must not.
FORBIDDEN = re.compile(r"may_not|not_for_|only_people|not_in_a_run|unknown|bad_")


def given(one: View, run: Actor, item: str) -> tuple[str, Command]:
    """A command of the brief as the command line gives it, and to which of the engine's calls."""
    name, use = one["command"].split()[1], one["use"]
    if name == "widen":
        return "handle_run", WidenRun(paths=["src/more.py"])
    if name == "ask":
        return "handle_run", AskPerson(question="QUESTION", options=["ONE WAY", "ANOTHER"])
    if name == "lock":
        return "lock", LockPaths(paths=["src/other.py"], seconds=60.0)
    if name == "dispatch":
        return "add", DispatchAgent(agent=re.findall(r"AGENT \(([\w-]+)", use)[0], task="TASK", purpose="fix")
    if name == "send":
        kind, to = re.findall(r"`(\w+)` to ([\w-]+)", use)[0]
        return "send", SendMessage(sender=run.name, to=to, type=kind, payload={"words": "of mine"})
    assert name == "comment", one
    return "handle_item", AddComment(content="WORDS")


class Walk:
    def __init__(self, preset: str, seed: int) -> None:
        self.chance = random.Random(f"{preset} {seed}")
        self.flow = preset_flow(preset)
        self.board = TrialBoard(self.flow)
        self.prompts = self.commands = 0

    def step(self) -> None:
        engine, chance = self.board.engine, self.chance
        if chance.random() < 0.15:
            self.board.add(f"item {chance.random()}", files=chance.choice(([], ["src/a.py"], ["src/b.py"])))
        for asked in self.board.queries.inbox()["questions"] if chance.random() < 0.3 else []:
            answer = asked["options"][0]["option"] if asked["options"] else "as you like"
            engine.answer(PERSON, AnswerQuestion(question=asked["id"], answer=answer))
        names = [*self.flow.agents, *self.flow.gates]
        claim = next(filter(None, (self.claim(agent) for agent in chance.sample(names, len(names)))), None)
        if claim is None:
            return
        run = Actor(claim["agent"], claim["run"], claim["token"])
        self.look(claim["brief"])
        for one in claim["brief"]["meanwhile"]:
            if chance.random() < 0.3 and " show " not in one["command"]:
                self.give(one, run, claim["item"]["id"])
        self.report(run, claim["brief"])

    def claim(self, agent: str) -> View | None:
        try:
            view: View = self.board.engine.claim(PERSON, agent)
        except NothingToDo:
            return None
        return view

    def look(self, brief: View) -> None:
        text = prompt(brief, "0123456789abcdef")
        assert len(text) <= PROMPT_SIZE
        found = sections(text)
        assert list(found)[-2:] == ["## When to stop", "## How to report"]
        found.pop("## A person has answered", None)  # each answer in the document's block
        said = said_in("\n\n".join(found.values()))
        assert [words for words in set(said) if said.count(words) > 1] == []
        self.prompts += 1

    def give(self, one: View, run: Actor, item: str) -> None:
        call, command = given(one, run, item)
        self.commands += 1
        try:
            if call == "handle_item":
                self.board.engine.handle_item(run, item, command)
            elif call == "handle_run":
                self.board.engine.handle_run(run, command)
            else:
                getattr(self.board.engine, call)(run, command)
        except MootError as error:
            if FORBIDDEN.search(error.code):
                pytest.fail(f"{one['command']}: {error.code}: {error.message}")

    def report(self, run: Actor, brief: View) -> None:
        outcomes = brief["report_format"]["outcomes"]
        outcome = self.chance.choice([*outcomes, *(["done"] * 4 if "done" in outcomes else [])])
        parts: dict[str, Any] = json.loads(json.dumps(PARTS[outcome]))
        if outcome == "failed":
            parts["attempts"] = [{"approach": f"way {self.chance.random()}", "outcome": "red"}]
        if outcome == "done" and brief["disputes"]:
            parts["comments"] = [comment for one in brief["disputes"] for comment in one["to_agree"]["comments"]]
        self.board.report(run, outcome, **parts)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("preset", PRESETS)
def test_every_prompt_of_a_walk_is_whole_and_names_only_what_the_run_may_use(preset: str, seed: int) -> None:
    walk = Walk(preset, seed)
    with walk.board:
        for _ in range(3):
            walk.board.add(f"item {walk.chance.random()}", files=["src/a.py"])
        for _ in range(STEPS):
            walk.step()
    assert walk.prompts > 20 and walk.commands > 10, "it has gone somewhere"
