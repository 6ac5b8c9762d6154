"""`moot simulate`: a flow tried out, in words and as JSON, without a board and without touching one."""

import json
import re
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.core.report import Report, Usage
from folkmoot.store.sql.writing import SqlTransaction
from folkmoot.wiring.boards import FileBoards
from tests.doors.conftest import Moot

FLOW = """
flow: tiny
start: build
columns: {build: {agents: [builder], next: check}, check: {agents: [checker], next: done, fix: build}}
agents: {builder: {}, checker: {}}
limits: {slots: 3}
"""


def trial_of(view: Any) -> Any:
    assert len(view["trials"]) == 1
    return view["trials"][0]


def test_without_a_board_kanban_is_tried(nowhere: Moot) -> None:
    told = nowhere("simulate", "--items", "6").out
    assert told.startswith("kanban") and "population default · 6 items · 4 slots · seed 1" in told
    for words in (
        "Items",
        "Success",
        "Time",
        "Cost",
        "Questions",
        "Runs",
        "dev-agent",
        "glm-4",
        "every invariant held",
    ):
        assert words in told
    assert list(nowhere.folder.iterdir()) == []


def test_the_board_s_own_flow_is_tried_and_the_board_is_left_alone(nowhere: Moot) -> None:
    home = nowhere.folder / ".moot"
    home.mkdir()
    (home / "flow.yaml").write_text(FLOW, "utf-8")
    nowhere("init")
    before = nowhere.json("log")["next"]
    view = nowhere.json("simulate", "--items", "5")
    assert view["flow"] == "tiny" and view["slots"] == 3 and trial_of(view)["items"]["count"] == 5
    assert nowhere.json("log")["next"] == before and nowhere.json("list")["items"] == []
    assert nowhere.json("simulate", "--preset", "kanban", "--items", "2")["flow"] == "kanban"


def test_a_flow_and_a_population_from_files(nowhere: Moot) -> None:
    (nowhere.folder / "flow.yaml").write_text(FLOW, "utf-8")
    (nowhere.folder / "team.yaml").write_text("people: nobody\nroles: {maker: {asks: 1}}\n", "utf-8")
    arguments = ["--flow", "flow.yaml", "--population", "team.yaml", "--slots", "2", "--items", "3", "--seed", "9"]
    view = nowhere.json("simulate", *arguments)
    assert (view["population"], view["slots"], view["seeds"], view["ok"]) == ("team.yaml", 2, [9], True)
    # Sooner or later each item has a run that lives to ask, and nobody answers.
    assert trial_of(view)["items"]["asked"] == 3 and trial_of(view)["success"] == 0
    told = nowhere("simulate", *arguments).out
    assert "3 still asking" in told and "for each done item" not in told


def test_several_seeds_give_means_and_ranges(nowhere: Moot) -> None:
    view = nowhere.json("simulate", "--seeds", "3-6", "--items", "4")
    hours = [trial["hours"] for trial in view["trials"]]
    assert view["seeds"] == [3, 4, 5, 6] and view["mean"]["hours"] == pytest.approx(sum(hours) / 4, abs=0.001)
    told = nowhere("simulate", "--seeds", "3-6", "--items", "4").out
    assert f"({min(hours):.1f} h–{max(hours):.1f} h)" in told and "Means of 4 trials" in told


def test_the_same_seed_tells_the_same_in_every_process(nowhere: Moot) -> None:
    told = {
        nowhere.process("simulate", "--items", "8", "--seed", "5", *more, env={"PYTHONHASHSEED": number}).stdout
        for number in ("1", "2")
        for more in ([], ["--json"])
    }
    assert len(told) == 2  # one in words, one as JSON


def test_the_table_is_plain_and_fits_the_screen(nowhere: Moot) -> None:
    told = nowhere.process("simulate", "--items", "8", env={"COLUMNS": "80"}).stdout.decode()
    assert "\x1b" not in told and [line for line in told.splitlines() if len(line) > 80] == []
    rows = re.findall(r"^  (\S+)? +(haiku|sonnet|opus|glm-4) +\d+ +\d+% +[\d.]+ +\$[\d.]+$", told, re.MULTILINE)
    assert [agent for agent, _ in rows if agent][:4] == [
        "story-agent",
        "architect-agent",
        "test-architect",
        "dev-agent",
    ]


def test_a_faulty_population_names_every_place(nowhere: Moot) -> None:
    (nowhere.folder / "team.yaml").write_text("luck: 2\nagents:\n  dev-agnt: {success: 1}\n", "utf-8")
    answer = nowhere("simulate", "--population", "team.yaml", code=2)
    assert "team.yaml:1:7: luck: '2' is out of range — write one from 0 to 1" in answer.err
    assert "team.yaml:3:3: agents.dev-agnt" in answer.err and "did you mean 'dev-agent'?" in answer.err
    assert nowhere("simulate", "--population", "team.yaml", "--json", code=2).error["code"] == "population_faults"


def test_what_is_not_used_is_noted(nowhere: Moot) -> None:
    (nowhere.folder / "team.yaml").write_text("models: {sonet: {success: 1}}\n", "utf-8")
    answer = nowhere("simulate", "--population", "team.yaml", "--items", "2")
    assert "note: team.yaml:1:10" in answer.err and "did you mean 'sonnet'?" in answer.err


@pytest.mark.parametrize(
    "arguments, code, words",
    [
        (["--seeds", "5-1"], "bad_seeds", "1-10"),
        (["--seeds", "x"], "bad_seeds", "1-10"),
        (["--seeds", "1-1000"], "bad_seeds", "200"),
        (["--seed", "1", "--seeds", "1-2"], "bad_usage", "one of them"),
        (["--flow", "a.yaml", "--preset", "kanban"], "bad_usage", "one of them"),
        (["--preset", "kanbn"], "unknown_preset", "kanban"),
        (["--flow", "gone.yaml"], "unreadable_flow", "flow"),
        (["--population", "gone.yaml"], "unreadable_population", "--population"),
        (["--items", "0"], "bad_usage", "--help"),
        (["--against", "kanbn"], "unknown_flow", "kanban"),
        (["--against", "."], "unknown_flow", "known are"),
        (["--against-population", "gone.yaml"], "unreadable_population", "--against-population"),
        (["--against-slots", "0"], "bad_usage", "--help"),
        (["--ladder", "dev-agent=2+:opus"], "bad_ladder", "add 0-1"),
        (["--against-ladder", "dev-agnt=0+:opus"], "bad_ladder", "dev-agent"),
        (["--ladder", "gone.yaml"], "unreadable_ladders", "ladder file"),
        (["--calibrate", "--items", "3"], "bad_usage", "leave"),
    ],
)
def test_what_cannot_be_meant_is_refused(nowhere: Moot, arguments: list[str], code: str, words: str) -> None:
    error = nowhere("simulate", *arguments, "--json", code=2).error
    assert error["code"] == code and words in error["hint"]


def test_a_named_board_that_is_not_there_is_an_error(nowhere: Moot) -> None:
    assert nowhere("simulate", "--board", "elsewhere", "--json", code=4).error["code"] == "no_board"


def test_a_broken_invariant_ends_with_1_and_names_the_seed(nowhere: Moot, monkeypatch: pytest.MonkeyPatch) -> None:
    true_save = SqlTransaction.save

    def forgetful(self: SqlTransaction, events: Any, rows: Any, places: Any) -> None:
        wrong = [(table, replace(row, title="?") if table == "items" else row, new) for table, row, new in rows]
        true_save(self, events, wrong, places)

    monkeypatch.setattr(SqlTransaction, "save", forgetful)
    answer = nowhere("simulate", "--items", "2", "--seed", "41", code=1)
    assert "seed 41" in answer.out and "I14" in answer.out and "seed 41" in answer.err
    answer = nowhere("simulate", "--items", "2", "--seed", "41", "--json", code=1)
    assert not answer.json["ok"] and json.loads(answer.err)["error"]["code"] == "trial_broken"


# Two sides


def test_a_ladder_is_compared_with_the_flow_s_own(nowhere: Moot) -> None:
    arguments = ["--items", "3", "--seeds", "1-2", "--against-ladder", "dev-agent=0-1:haiku,2+:opus"]
    view = nowhere.json("simulate", *arguments)
    assert view["ok"] and view["seeds"] == [1, 2] and len(view["measures"]) == 8
    labels = {name: side["label"] for name, side in view["sides"].items()}
    assert labels == {"a": "kanban", "b": "kanban, with dev-agent=0-1:haiku,2+:opus"}
    models = {share["model"] for share in view["sides"]["b"]["agents"] if share["agent"] == "dev-agent"}
    assert models <= {"haiku", "opus"} and view["notes"] == []
    assert all(len(view["sides"][name]["trials"]) == 2 for name in "ab")
    for row in view["measures"]:
        apart = [row[key] for key in ("a", "b", "difference")]
        assert None in apart or apart[1] - apart[0] == pytest.approx(apart[2], abs=0.001)
    told = nowhere("simulate", *arguments).out
    for words in (
        "B − A",
        "95% interval",
        "cost of a done item",
        "Paired by seed",
        "Items finished",
        "Cost of an item",
    ):
        assert words in told
    assert "Cannot tell apart with 2 seeds:" in told and "(use --seeds 1-20)" in told


def test_a_comparison_fits_80_columns_in_a_pipe_and_is_ascii_where_the_screen_is(nowhere: Moot) -> None:
    arguments = ["simulate", "--preset", "handoff", "--against", "escalation", "--items", "3", "--seeds", "1-2"]
    fancy = nowhere.process(*arguments).stdout.decode()
    assert "\x1b" not in fancy and [line for line in fancy.splitlines() if len(line) > 80] == [] and "█" in fancy
    simple = nowhere.process(*arguments, env={"PYTHONIOENCODING": "ascii"})
    assert simple.stdout.isascii() and simple.returncode == 0
    assert b"#" in simple.stdout and b"|" in simple.stdout and b"+---" in simple.stdout and b"?" not in simple.stdout
    assert b"trials" not in simple.stderr and b"no agent in common" in simple.stderr


def test_what_is_not_named_for_the_other_side_is_the_same_on_both(nowhere: Moot) -> None:
    (nowhere.folder / "team.yaml").write_text("people: nobody\n", "utf-8")
    (nowhere.folder / "ladders.yaml").write_text(
        "model_ladder: {dev-agent: {0+: opus}, other-agent: {0+: opus}}", "utf-8"
    )
    common = ["--items", "2", "--seed", "4", "--ladder", "dev-agent=0+:sonnet"]
    view = nowhere.json("simulate", *common, "--against-slots", "1")
    assert [view["sides"][name]["slots"] for name in "ab"] == [4, 1]
    for name in "ab":
        assert {s["model"] for s in view["sides"][name]["agents"] if s["agent"] == "dev-agent"} == {"sonnet"}
    view = nowhere.json("simulate", *common, "--against-population", "team.yaml", "--against-ladder", "ladders.yaml")
    assert [view["sides"][name]["population"] for name in "ab"] == ["default", "team.yaml"]
    models = {s["model"] for s in view["sides"]["b"]["agents"] if s["agent"] == "dev-agent"}
    assert models <= {"opus"} and any("other-agent" in note for note in view["notes"])
    view = nowhere.json("simulate", "--items", "1", "--seed", "1", "--against", "kanban")
    assert any("the same" in note for note in view["notes"])


def test_a_model_without_figures_is_noted(nowhere: Moot) -> None:
    notes = nowhere.json("simulate", "--items", "1", "--ladder", "dev-agent=0+:sonet")["notes"]
    assert len(notes) == 1 and "did you mean 'sonnet'?" in notes[0]


def test_a_comparison_is_the_same_in_every_process(nowhere: Moot) -> None:
    told = {
        nowhere.process(
            "simulate", "--preset", "handoff", "--against", "escalation", "--items", "3", "--seeds", "1-2", "--json",
            env={"PYTHONHASHSEED": number},
        ).stdout
        for number in ("1", "2")
    }  # fmt: skip
    assert len(told) == 1 and json.loads(told.pop())["plots"]["finished"]["items"] == 3


def test_the_figures_of_a_board_become_a_population(moot: Moot) -> None:
    assert moot("simulate", "--calibrate", "--json", code=3).error["code"] == "no_runs"
    with closing(FileBoards().open(str(moot.folder))) as board:
        for number in range(11):
            board.engine.add(Actor("ada"), commands.AddItem(title=f"Item {number}"))
            claim = board.engine.claim(Actor("worker"), "story-agent")
            report = Report.done("it is done", usage=Usage(cost_usd=0.25))
            board.engine.report(Actor("story-agent", claim.run, claim.token), report)
    before = moot.json("log")["next"]
    text = moot("simulate", "--calibrate").out
    assert (
        "story-agent:  # maker, 11 runs" in text and "success: {haiku: 1}" in text and "cost_usd: {haiku: 0.25}" in text
    )
    assert moot.json("simulate", "--calibrate")["population"] == text and moot.json("log")["next"] == before
    (moot.folder / "team.yaml").write_text(text, "utf-8")
    view = moot.json("simulate", "--population", "team.yaml", "--items", "2")
    assert view["ok"] and view["notes"] == []


def test_the_examples_of_the_docs_are_true(nowhere: Moot) -> None:
    """What the page shows is what the command says. If it says something else for a good reason, paste it anew."""
    folder = Path(__file__).parents[2] / "docs" / "how-to"
    page = (folder / "try-a-flow.md").read_text("utf-8")
    examples = re.findall(r"```sh\nmoot (simulate [^\n]*)\n```\n\n```text\n(.*?)\n```", page, re.DOTALL)
    assert len(examples) == 2
    for command, shown in examples:
        said = nowhere.process(*command.split(), env={"COLUMNS": "80"}).stdout.decode()
        assert said.rstrip() == shown


def test_the_example_of_the_docs_is_read(nowhere: Moot) -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "try-a-flow.md").read_text("utf-8")
    examples = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert examples
    for text in examples:
        (nowhere.folder / "team.yaml").write_text(text, "utf-8")
        view = nowhere.json("simulate", "--population", "team.yaml", "--items", "3")
        assert view["ok"] and view["notes"] == []
