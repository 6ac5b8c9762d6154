"""What every agent reads: one way to report, one word on when to stop, real commands, real forms, nothing twice."""

import json
import re
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import pytest
from click import Context

from folkmoot.briefs.own_words import own_words
from folkmoot.briefs.prompt import PROMPT_SIZE, prompt
from folkmoot.config import Settings
from folkmoot.core.commands import DispatchAgent
from folkmoot.core.decoding import converted
from folkmoot.core.flow import Flow
from folkmoot.doors.cli.main import moot as every_command
from folkmoot.doors.cli.session import Session
from folkmoot.engine.registry import BY_NAME
from folkmoot.flows.load import load_flow
from folkmoot.reports.read import read_report
from folkmoot.testing.builders import PERSON, TrialBoard
from folkmoot.wiring.boards import FileBoards
from tests.acceptance.moot import Moot, new_board
from tests.briefs.forms import commands_in, filled_forms, said_in, sections, with_values
from tests.briefs.scenes import BODY, EXPERTS, TITLE, View, brief_of, escalated, preset_flow, quest, roles, take

FRESH_MAX, LATER_MAX = 5_000, 6_000  # characters of a prompt in which nothing has happened yet, or little
SUB_MAX = 2_000
BASE = "0123456789abcdef0123456789abcdef01234567"
ASKS = {"question": "Which one?", "options": [{"option": "this"}, {"option": "that"}]}


def _with(preset: str, act: Callable[[TrialBoard], View]) -> Callable[[], View]:
    def made() -> View:
        with TrialBoard(preset_flow(preset)) as board:
            return act(board)

    return made


def _sub(board: TrialBoard) -> View:
    board.add(TITLE, body=BODY)
    board.effort("pathseeker", "delegates", delegate=[{"task": "look at auth", "scope": "discovery_only"}])
    return take(board, "pathseeker")[1]


def _dispatched(board: TrialBoard) -> View:
    board.add(TITLE, body=BODY, files=["src/reset.py"])
    board.effort("implementer", "done")
    reviewer, _ = take(board, "reviewer")
    board.engine.add(reviewer, DispatchAgent(agent="implementer", task="Fix the typo", purpose="fix"))
    return take(board, "implementer")[1]


def _task(board: TrialBoard) -> View:
    quest(board)
    return take(board, "codeweaver")[1]


def _split_again(board: TrialBoard) -> View:
    quest(board)
    board.effort("codeweaver", "failed", cause="size", summary="three forms, not one")
    return take(board, "pathseeker")[1]


def _does_not_fit(board: TrialBoard) -> View:
    quest(board)
    board.effort("codeweaver", "failed", cause="conflict", summary="two kinds of user")
    return take(board, "pathseeker")[1]


def _fixing(board: TrialBoard) -> View:
    board.add(TITLE, body=BODY, column="review", files=["src/reset.py"])
    board.effort("reviewer", "changes_requested", findings=[{"severity": "high", "issue": "No check"}])
    return take(board, "fixer")[1]


def _repairing(board: TrialBoard) -> View:
    board.add(TITLE, body=BODY, column="test", files=["src/reset.py"])
    board.effort("test-executor", "changes_requested", findings=[{"kind": "test", "issue": "expected 200, got 500"}])
    return take(board, "implementer")[1]


def _red(board: TrialBoard) -> View:
    board.add(TITLE, body=BODY, column="review", files=["src/reset.py"])
    board.effort("lawbringer", "done")
    board.effort("ward", "failed", summary="3 tests are red", findings=[{"kind": "test", "issue": "red"}])
    return take(board, "spiritmender")[1]


def _answered(board: TrialBoard) -> View:
    from folkmoot.core.commands import AnswerQuestion

    board.add(TITLE, body=BODY, files=["src/reset.py"])
    view = board.effort("developer", "asks", question=ASKS)
    board.engine.answer(PERSON, AnswerQuestion(question=view["questions"][-1]["id"], answer="this"))
    return take(board, "developer")[1]


def _disputed(board: TrialBoard) -> View:
    board.add(TITLE, column="tests")
    board.effort("test-architect", "done", artifacts=[{"name": "test_reset.py"}])
    board.effort("dev-agent", "disputed", comments=[{"artifact": "test_reset.py", "content": "It is wrong."}])
    return take(board, "test-architect")[1]


def _advised(board: TrialBoard) -> View:
    escalated(board)
    board.effort(EXPERTS[0], "done", summary="Use the queue")
    return take(board, "developer")[1]


SCENES: dict[str, Callable[[], View]] = {
    **{f"{preset} {role}": partial(brief_of, preset, role) for preset, role in roles()},
    "a sub-agent": _with("quest", _sub),
    "dispatched": _with("pipeline", _dispatched),
    "a task": _with("quest", _task),
    "to be split again": _with("quest", _split_again),
    "what does not fit": _with("quest", _does_not_fit),
    "a fix": _with("handoff", _fixing),
    "a repair after tests": _with("pipeline", _repairing),
    "after a red gate": _with("quest", _red),
    "after an answer": _with("escalation", _answered),
    "after a dispute": _with("kanban", _disputed),
    "after advice": _with("escalation", _advised),
}


@cache
def scene(name: str) -> tuple[View, str]:
    brief = SCENES[name]()
    return brief, prompt(brief, BASE)


every = pytest.mark.parametrize("name", list(SCENES))


@every
def test_there_is_one_way_to_report_and_one_word_on_when_to_stop(name: str) -> None:
    brief, text = scene(name)
    found = sections(text)
    assert [heading for heading in found if "report" in heading.lower()] == ["## How to report"]
    assert [heading for heading in found if "stop" in heading.lower()] == ["## When to stop"]
    assert list(found)[-2:] == ["## When to stop", "## How to report"], "what is read last is remembered best"
    assert brief["escapeHatch"] in found["## When to stop"]
    assert brief["report_format"]["how"] in found["## How to report"]
    assert text.count(brief["report_format"]["how"]) == 1
    told = own_words(brief["instructions"])
    if brief["task"].get("kind") not in ("sub", "dispatch"):
        assert told.role in text and told.stop in found["## When to stop"] and told.report in found["## How to report"]
    else:
        assert told.report == "" or told.report not in text


@every
def test_every_outcome_that_is_usual_is_named_once_with_what_belongs_to_it(name: str) -> None:
    brief, text = scene(name)
    report = sections(text)["## How to report"]
    shape = brief["report_format"]
    if brief["task"].get("kind") in ("expert", "sub", "dispatch"):
        assert {"done", "failed"} <= set(shape["outcomes"])
        assert not re.search(r"`(stuck|incomplete|changes_requested)`", report), "it answers, and nothing else"
        return
    for outcome in shape["usual"]:
        assert re.search(rf'[`"|]{outcome}[`"|]', report), outcome
        assert report.count(f"- `{outcome}`") <= 1, outcome
    if "failed" in shape["outcomes"] and not brief["task"].get("gate"):
        assert report.count("The `cause` of a failure") == 1


@every
def test_every_form_filled_in_is_read_and_says_what_it_says(name: str) -> None:
    brief, text = scene(name)
    report = sections(text)["## How to report"]
    forms = list(filled_forms(report))
    if brief["task"].get("kind") in ("sub", "dispatch") or brief["task"].get("gate"):
        (line,) = [line for line in report.split("\n") if line.startswith("> | ")]
        form = json.loads(line.removeprefix("> | "))
        words = form["outcome"].split("|")
        assert words == brief["report_format"]["outcomes"]
        forms = [(json.dumps({**form, "outcome": word, "summary": "as it is", "findings": []}), word) for word in words]
    assert forms, "a role has a form of its own"
    for said, outcome in forms:
        read = read_report(said)
        assert read.outcome == outcome, said
        assert outcome in brief["report_format"]["outcomes"] or brief["task"].get("kind") == "task", said
        if outcome == "failed" and said.startswith("{"):
            assert read_report(said[:-1] + ', "cause": "size"}' if '"cause"' not in said else said).cause is not None


@every
def test_no_paragraph_and_no_point_stands_there_twice(name: str) -> None:
    said = said_in(scene(name)[1])
    assert sorted(words for words in set(said) if said.count(words) > 1) == []


@every
def test_every_command_that_is_named_is_one_of_moot(name: str) -> None:
    for command in commands_in(scene(name)[1]):
        words = with_values(command)
        known = every_command.get_command(Context(every_command), words[0])
        assert known is not None, command
        session = Session(FileBoards(), Settings(board=None, user="ada", run="r1", token=1))
        known.make_context(words[0], words[1:], obj=session)  # raises where an option or an argument is not known


@every
def test_a_prompt_is_short(name: str) -> None:
    brief, text = scene(name)
    fresh = not (brief["attempts"] or brief["previous"])
    most = SUB_MAX if brief["task"].get("kind") == "sub" else FRESH_MAX if fresh else LATER_MAX
    assert len(text) <= most < PROMPT_SIZE


@every
def test_where_the_flow_has_checks_of_its_own_they_are_named_with_their_command(name: str) -> None:
    brief, text = scene(name)
    told = "is checked by the gate ward, with the command:\n> | make check\n" in text
    looks = brief["task"].get("kind") in ("expert", "sub") or brief["task"].get("gate")
    # What a person puts straight where things are mended has no gate on its way.
    on_a_way = brief["projectContext"]["flow"] == "quest" and name != "quest spiritmender"
    assert told == (on_a_way and not looks)
    if brief["task"].get("kind") == "task":
        assert "With the other tasks, when all are done, your work is checked" in text
    assert (f"`git diff {BASE[:12]}`" in text) == (not brief["task"].get("gate"))
    assert "git diff" not in prompt(brief), "without a repository there is nothing to compare"


def test_what_the_task_says_is_not_handed_over_again() -> None:
    brief, text = scene("pipeline implementer")
    assert [message["type"] for message in brief["messages"]] == ["task_assignment"], "it is in the brief"
    assert text.count(TITLE) == 1 and text.count(BODY) == 1 and "What was handed over" not in text
    said = {"from": "planner", "type": "task_handoff", "payload": {"task_id": "1", "mind": "the clock"}, "context": {}}
    assert "> | payload:\n> |   mind: the clock\n" in prompt({**brief, "messages": [said]})
    assert scene(f"escalation {EXPERTS[0]}")[1].count(BODY) == 1, "and an expert reads the problem once"


def _gated(**gates: list[str]) -> Flow:
    flow = {
        "flow": "own",
        "columns": {"dev": {"agents": ["dev"], "next": "done", "gate": list(gates)}},
        "agents": {"dev": {}},
        "gates": {name: {"run": run} if run else {} for name, run in gates.items()},
    }
    return load_flow(json.dumps(flow), "flow.yaml", lambda path: None)


def test_a_command_is_shown_as_it_would_be_typed_and_a_gate_without_one_as_somebodys() -> None:
    with TrialBoard(_gated(unit=["sh", "-c", "make test && make lint"], sign=[])) as board:
        board.add(TITLE)
        text = prompt(take(board, "dev")[1])
    assert "> Your work is checked by the gate unit, with the command:\n> | sh -c 'make test && make lint'\n" in text
    assert "Your work is checked by the gate sign, which somebody plays by hand." in text


def test_a_role_without_words_of_its_own_is_told_the_boards_form() -> None:
    with TrialBoard(_gated(unit=["make", "test"])) as board:
        board.add(TITLE)
        brief = take(board, "dev")[1]
    found = sections(prompt(brief))
    assert '> | {"outcome":"done|' in found["## How to report"] and "<instructions>" not in prompt(brief)
    for outcome in brief["report_format"]["usual"]:
        assert f"- `{outcome}`: " in found["## How to report"]


@pytest.mark.parametrize(
    ("instructions", "stop", "report"),
    [
        ("# Dev\n\nBuild.\n\n## How to report\n\nIn JSON.\n\n## When to stop\n\nAt noon.", "At noon.", "In JSON."),
        (
            "# Dev\n\nBuild.\n\n### when to stop and ask\n\nAt noon.\n#### Really\nYes.",
            "At noon.\n#### Really\nYes.",
            "",
        ),
        ("# Dev\n\nBuild.\n\n## How to report\n```\n## Status\n```\nSo.", "", "```\n## Status\n```\nSo."),
        ("Build. How to report: in JSON.", "", ""),
        ("", "", ""),
    ],
)
def test_a_roles_own_words_on_reporting_and_stopping_are_found(instructions: str, stop: str, report: str) -> None:
    own = own_words(instructions)
    assert (own.stop, own.report) == (stop, report)
    assert own.role == instructions.split("\n\n## ")[0].split("\n\n### ")[0].strip()


# Through the command line, as they work inside a run.

ENVELOPE = {"payload": {"words": "of mine"}}


def _board(folder: Path, preset: str, role: str) -> tuple[Moot, View]:
    """A board on which it is this role's turn, and its claim."""
    moot, flow = new_board(folder, preset), preset_flow(preset)
    if role in EXPERTS:
        moot("add", TITLE)
        for tried in ("by hand", "by a library", "by mail"):
            attempts = [{"approach": tried, "outcome": "red"}]
            moot.effort("developer", "failed", summary="still red", attempts=attempts)
        for expert in EXPERTS[: EXPERTS.index(role)]:
            moot.effort(expert, "failed", summary="EXPERT_UNSUCCESSFUL")
    else:
        moot("add", TITLE, "--column", flow.watched_by(role)[0], "--files", "src/reset.py")
    return moot, moot("claim", role)


def _stdin(command: str, role: str) -> str:
    kind, to = re.findall(r"`(\w+)` to ([\w-]+)", command)[0] if " send " in command else ("", "")
    return json.dumps({"from": role, "to": to, "type": kind, **ENVELOPE}) if kind else ""


@pytest.mark.parametrize(("preset", "role"), [one for one in roles() if one[1] != "ward"])
def test_what_a_run_may_do_meanwhile_it_can_do_by_these_very_commands(preset: str, role: str, tmp_path: Path) -> None:
    moot, claim = _board(tmp_path, preset, role)
    assert claim["brief"]["meanwhile"]
    for one in claim["brief"]["meanwhile"]:
        words = with_values(one["command"])
        if words[0] == "dispatch":
            words[1] = re.findall(r"AGENT \(([\w-]+)", one["use"])[0]
        stdin = _stdin(f"{one['command']} {one['use']}", role)
        said = moot.say(*words, stdin=stdin, run_id=claim["run"], token=claim["token"])
        assert said.code == 0, f"{one['command']}: {said.err}"


@pytest.mark.parametrize(("preset", "role"), [one for one in roles() if one[1] != "ward"])
def test_what_a_run_may_do_meanwhile_is_also_a_call_that_a_run_may_make(preset: str, role: str, tmp_path: Path) -> None:
    """For doors that have no commands: they say it in words of their own, and nothing of ours names a command."""
    _, claim = _board(tmp_path, preset, role)
    for one in claim["brief"]["meanwhile"]:
        call = BY_NAME[one["call"]]
        assert converted(one["args"], call.request) and call.allows("run")
        assert not re.search(r"`(moot|--)|FILE", one["does"]), one


# Whose files are others than the item's own.
PATHS = {"siegemaster": "tests/test_reset.py"}


@pytest.mark.parametrize(("preset", "role"), [one for one in roles() if one[1] != "ward"])
def test_the_first_form_of_each_role_is_taken_as_it_stands(preset: str, role: str, tmp_path: Path) -> None:
    moot, claim = _board(tmp_path, preset, role)
    report = sections(prompt(claim["brief"]))["## How to report"]
    said, outcome = next(iter(filled_forms(report)))
    # Where paths belong, words of mine would be files that nobody owns.
    said = re.sub(
        r'("(?:created|filesCreated)": )\["words of mine"\]', rf'\1["{PATHS.get(role, "src/reset.py")}"]', said
    )
    said = re.sub(r'("(?:modified|filesModified|after)": )\["words of mine"\]', r"\1[]", said)
    item = moot.hand_in(claim, said)
    run = next(one for one in item["runs"] if one["run"] == claim["run"])
    assert (item["told"], run["cause"]) == (None, None if outcome != "failed" else "capability")
    # A verdict on one's own finding is stricter than its word: a grave finding beside "done" asks for changes.
    assert run["outcome"] in (outcome, "changes_requested")
