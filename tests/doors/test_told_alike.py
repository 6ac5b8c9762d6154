"""`moot run` says what `moot report` and `moot answer` say: phases, questions, answers, in the very same sentences."""

import io
import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from folkmoot.core.commands import Actor, AnswerQuestion
from folkmoot.doors.cli.render.running import Progress
from folkmoot.flows.preset import read_preset
from folkmoot.wiring.boards import FileBoards
from tests.documents import RESULTS
from tests.doors.conftest import Moot, environment
from tests.doors.terminal import Terminal, shown
from tests.doors.test_progress import COMMAND
from tests.some import some

# The pipeline document's example: a failure in round one, fixed, and passed in round two.
FAILED = {
    "type": "test_failures",
    "failures": [
        {"test": "TestFeatureAPI", "error": "expected 200, got 500", "file": "tests/integration/api_test.go:42"}
    ],
}
FIXED = """## Fixed Issues
- handlers/feature.go: Added error handling for missing input

## Tests
- Local test passes: go test ./internal/...
"""
# The escalation document's signal.
SEEKING = """SEEKING_DIVINE_CLARIFICATION

Task: 1
Agent: developer

Question: Which curve?

Context:
Two libraries disagree.

Options Considered:
1. ed25519: not allowed
2. p256: slow

What Would Help:
A decision
"""
SPLIT = {"outcome": "split", "tasks": [{"key": "a", "title": "User can register with email", "files": ["a.txt"]}]}
COMPLETE = {"status": "complete", "output": "files_created", "report": "all of it"}
DONE = {"outcome": "done", "summary": "all of it"}
# Who says done and has changed nothing is asked.
CHANGES = "echo more >> made.txt\n"


def says(*said: Mapping[str, object] | str) -> str:
    """A program that says the first of these in its first run in the folder, the next in its second, and so on."""
    cases = [f"{number}) cat <<'END'\n{_text(one)}\nEND\n;;" for number, one in enumerate(said)]
    last = f"*) cat <<'END'\n{_text(said[-1])}\nEND\n;;"
    count = 'at="$HOME_OF_TEST/$MOOT_AGENT"; n=$(cat "$at" 2>/dev/null || echo 0); echo $((n+1)) > "$at"'
    return f"{count}\ncase $n in\n" + "\n".join([*cases, last]) + "\nesac\n"


def _text(said: Mapping[str, object] | str) -> str:
    return said if isinstance(said, str) else json.dumps(said)


def board_of(moot: Moot, preset: str, agents: dict[str, str], **more: object) -> None:
    """A board of the preset in the folder, whose agents are these programs."""
    counts = moot.folder.parent / f"{moot.folder.name}-counts"
    counts.mkdir()
    for name, text in read_preset(preset).items():
        path = moot.folder / ".moot" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    file = moot.folder / ".moot" / "flow.yaml"
    flow = yaml.safe_load(file.read_text())
    for name, said in agents.items():
        # Who changes nothing is asked whether something had to change; the tasks of a quest name their files.
        program = said if preset == "quest" else f'echo "$MOOT_RUN" > "made-by-$MOOT_AGENT"\n{said}'
        command = ["/bin/sh", "-c", program.replace("$HOME_OF_TEST", str(counts))]
        flow["agents"][name]["run"] = {"command": command}
    flow |= {"sandbox": "never", **more}
    file.write_text(yaml.safe_dump(flow))
    moot("init")


def phases_in(text: str) -> list[str]:
    """The phases that a text tells of, each with its sentences: however they are laid out."""
    found: list[str] = []
    within = False
    for line in text.splitlines():
        words = line.strip().removeprefix("- ")
        begins = " Complete ✓" in words
        within = begins or (within and bool(words) and not re.match(r"\d+\.\ds |#\d", words))
        if begins:
            found.append(words)
        elif within:
            found[-1] += f" · {words}"
    return found


@pytest.mark.ledger("P-10")
def test_the_pipelines_phases_with_tests_and_rounds_are_told_by_both(nowhere: Moot) -> None:
    agents = {
        "implementer": CHANGES + says(DONE, FIXED),
        "reviewer": says({"type": "review_findings", "status": "approved", "findings": []}),
        "devils-advocate": says({"type": "security_issues", "vulnerabilities": []}),
        "test-executor": says(FAILED, RESULTS),
    }
    board_of(nowhere, "pipeline", agents)
    nowhere("add", "Feature X with tests")
    told = nowhere("run", "--until-idle").out
    assert nowhere.json("show", "1")["status"] == "done", told
    nowhere("add", "The same by hand")
    steps: list[tuple[str, Any]] = [("implementer", DONE), ("reviewer", DONE), ("devils-advocate", DONE)]
    steps += [("test-executor", FAILED), ("implementer", FIXED), ("test-executor", RESULTS)]
    out = [nowhere.tell(agent, said) for agent, said in steps]
    by_hand = [re.sub(r"#\d+", "#1", words) for words in phases_in("\n\n".join(out))]
    assert phases_in(told) == by_hand
    assert by_hand == [
        "Phase 1 Complete ✓  implement of #1 · Proceeding to Phase 2: review...",
        "Phase 2 Complete ✓  review of #1 · Rounds: 1 · Proceeding to Phase 3: test...",
        "Phase 3 Complete ✓  test of #1 · Tests: 10/10 passed · Rounds: 2 (1 failure, fixed in round 2) · "
        "This was the last phase: it is done.",
    ]


@pytest.mark.ledger("P-10", "Q-12")
def test_a_quests_discovery_and_its_healing_are_phases_too(nowhere: Moot) -> None:
    agents = {
        "pathseeker": says(SPLIT),
        "codeweaver": "echo bad > a.txt\n" + says(COMPLETE),
        "lawbringer": says(COMPLETE),
        "siegemaster": says(COMPLETE),
        "spiritmender": "echo good > a.txt\n" + says(COMPLETE),
    }
    ward = {"ward": {"run": ["/bin/sh", "-c", "if grep -q bad a.txt; then echo red; exit 1; fi"]}}
    board_of(nowhere, "quest", agents, gates=ward)
    nowhere("add", "Users can register")
    told = nowhere("run", "--until-idle").out
    assert phases_in(told) == [
        "Phase 1 Complete ✓  discover of #1 · Proceeding to Phase 2: weave...",
        "Healing Complete ✓  mend of #1 · Rounds: 1 of 3 · Proceeding to ward of Phase 2: weave again...",
        "Phase 2 Complete ✓  weave of #1 · Rounds: 2 (1 failure, fixed in round 2) · Proceeding to Phase 3: review...",
        "Phase 3 Complete ✓  review of #1 · Rounds: 1 · Proceeding to Phase 4: siege...",
        "Phase 4 Complete ✓  siege of #1 · Rounds: 1 · This was the last phase: it is done.",
    ]
    nowhere("add", "By hand")
    assert phases_in(nowhere.tell("pathseeker", SPLIT)) == [
        "Phase 1 Complete ✓  discover of #3 · Split into #4 · Proceeding to Phase 2: weave..."
    ]


def notice_of(text: str, title: str) -> list[str]:
    """A notice, without the space that it stands in from."""
    lines = text[text.index(title) :].splitlines()
    indent = len(text[: text.index(title)].rpartition("\n")[2])
    end = next((n for n, line in enumerate(lines) if line.strip().startswith(("Answer ", "Agent resuming"))), 0)
    return [lines[0], *(line[indent:] for line in lines[1 : end + 1])]


@pytest.mark.ledger("E-15", "E-10")
def test_a_question_is_put_alike_by_a_report_by_a_run_and_again_when_one_starts(nowhere: Moot) -> None:
    board_of(nowhere, "escalation", {"developer": CHANGES + says(SEEKING, DONE)})
    nowhere("add", "Verify signatures")
    title = "DIVINE CLARIFICATION REQUESTED"
    opened = nowhere("run", "--until-idle").out
    again = nowhere("run", "--until-idle").out
    assert opened.count(title) == 1 == again.count(title)
    nowhere("add", "The same by hand")
    by_hand = [line.replace("q2", "q1").replace("Task: 2", "Task: 1") for line in _hand(nowhere)]
    assert notice_of(opened, title) == notice_of(again, title) == by_hand
    words = " ".join(by_hand)
    assert "1. ed25519 – not allowed" in words and "2. p256 – slow" in words and "moot answer q1 1" in words
    third = nowhere("run", "--until-idle").out
    assert [int(number) for number in re.findall(r"Task: (\d)", third)] == [1, 2], "in the order received"
    delivered = nowhere("answer", "q1", "2").out
    assert "DIVINE GUIDANCE DELIVERED\n\nAgent: developer\nTask: 1\nGuidance: p256\n" in delivered
    assert nowhere("run", "--until-idle").out.count(title) == 1, "what is answered is not asked again"


def _hand(moot: Moot) -> list[str]:
    return notice_of(moot.tell("developer", SEEKING), "DIVINE CLARIFICATION REQUESTED")


@pytest.mark.ledger("E-15")
def test_an_answer_that_comes_while_agents_run_is_told_by_the_run_too(nowhere: Moot) -> None:
    nowhere("init", "--preset", "escalation")
    nowhere("add", "Verify signatures")
    nowhere.tell("developer", SEEKING)
    board = FileBoards().open(str(nowhere.folder))
    screen = io.StringIO()
    progress = Progress(screen, board.asked_by(Actor("ada")))
    progress.start()
    board.engine.answer(Actor("ada"), AnswerQuestion(question="q1", answer="2"))
    progress.stop()
    board.close()
    told = screen.getvalue()
    assert notice_of(told, "DIVINE GUIDANCE DELIVERED") == [
        "DIVINE GUIDANCE DELIVERED",
        "",
        "Agent: developer",
        "Task: 1",
        "Guidance: p256",
        "",
        "Agent resuming work with guidance.",
    ]


def test_many_questions_are_asked_again_in_part_and_the_rest_is_named(nowhere: Moot) -> None:
    nowhere("init", "--preset", "escalation")
    for number in range(12):
        nowhere("add", f"Item {number}")
        nowhere.tell("developer", {"outcome": "asks", "question": {"question": f"Which one, {number}?"}})
    told = nowhere("run", "--until-idle").out
    assert told.count("DIVINE CLARIFICATION REQUESTED") == 10 and "and 2 more: moot inbox" in told
    assert "Which one, 0?" in told and "Which one, 11?" not in told, "the oldest first"


def test_a_rules_question_names_whose_word_made_it_ask(nowhere: Moot) -> None:
    failed = {"status": "needs_fixes", "findings": [{"severity": "high", "issue": "still wrong"}]}
    fixer = CHANGES + says({"status": "fixes_applied"})
    board_of(nowhere, "handoff", {"reviewer": says(failed), "fixer": fixer})
    nowhere("add", "One", "--column", "review")
    told = nowhere("run", "--until-idle").out
    assert told.count("WAITING FOR YOU\n\n          Agent: reviewer\n          Task: 1\n") == 1
    assert "moot answer q1" in told


@pytest.mark.parametrize("columns", some([28, 44, 80, 120], [28, 80]))
def test_no_notice_is_wider_than_the_terminal(nowhere: Moot, columns: int) -> None:
    board_of(nowhere, "escalation", {"developer": says(SEEKING)})
    nowhere("add", "Verify signatures")
    for _ in ("opened", "asked again"):
        terminal = Terminal(COMMAND, columns=columns, env=environment(), folder=nowhere.folder)
        told = shown(terminal.read_to_end())
        assert terminal.code == 0 and "ed25519" in told and "moot answer q1 1" in " ".join(told.split())
        assert [line for line in told.splitlines() if len(line) > columns] == []
