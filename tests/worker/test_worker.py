"""Agents that really run: real processes, real git, real gates; what comes out is landed or back with its reason."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from folkmoot.worker.jobs.effort import EffortJob
from tests.worker.yard import Yard, git

MakeYard = Callable[..., Yard]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[MakeYard]:
    made: list[Yard] = []

    def make(**wish: Any) -> Yard:
        made.append(Yard(tmp_path / f"yard{len(made)}", **wish))
        return made[-1]

    yield make
    for yard in made:
        yard.doctor()
        yard.close()


@pytest.mark.ledger("R-19", "R-21", "R-22", "E-14")
def test_work_is_proved_and_lands(make: MakeYard) -> None:
    yard = make(gate=["/bin/sh", "-c", "echo looking; test -f one.txt -o -f two.txt"])
    items = [yard.add(name, f"write {name}.txt made by {name}", "report done") for name in ("one", "two", "three")]
    yard.run()
    assert [yard.status(item) for item in items[:2]] == ["done", "done"]
    assert yard.landed("one.txt") == "made by one"
    shown = yard.show(items[0])
    assert shown["landed"] in git(yard.folder, "log", "--format=%H", "main")
    proof = shown["evidence"][0]
    assert proof["green"] and proof["evidence"]["exit_code"] == 0
    assert proof["evidence"]["command"] == ["/bin/sh", "-c", "echo looking; test -f one.txt -o -f two.txt"]
    assert "looking" in proof["evidence"]["output"]
    assert git(yard.folder, "rev-parse", f"{proof['evidence']['commit']}^{{tree}}") == proof["evidence"]["tree"]
    # The user's own tree came along, and nothing is left over.
    assert (yard.folder / "one.txt").read_text() == "made by one\n"
    assert git(yard.folder, "status", "--porcelain", "--untracked-files=no") == ""
    assert list((yard.folder / ".moot" / "runs").iterdir()) == []


@pytest.mark.ledger("R-21")
def test_a_red_gate_is_the_failure_of_the_run_it_checked(make: MakeYard) -> None:
    yard = make(
        gate=["/bin/sh", "-c", "if grep -rn BROKEN *.txt; then exit 1; fi"],
        agent="ladder: {0: small, 1: large, 2+: escalate}",
    )
    item = yard.add("mend", "once write m.txt BROKEN", "once report done", "write m.txt fine", "report done")
    yard.run()
    shown = yard.show(item)
    assert shown["status"] == "done" and yard.landed("m.txt") == "fine"
    assert [run["model"] for run in shown["runs"] if run["agent"] == "dev"] == ["small", "large"]
    red = next(proof for proof in shown["evidence"] if not proof["green"])
    assert "BROKEN" in red["evidence"]["output"]


CAUSES = [
    ("crash", ["say starting", "exit 3"], "transient", 2),
    ("no report", ["write n.txt x"], "protocol", 2),
    ("silence", ["wait 60"], "timeout", 2),
    ("trespass", ["write other.txt x", "report done"], "conflict", 3),
    ("its own word", ["report failed"], None, 1),
]


@pytest.mark.ledger("R-07", "Q-03", "R-20")
@pytest.mark.parametrize("name, lines, cause, runs", CAUSES, ids=[case[0] for case in CAUSES])
def test_each_cause_takes_its_own_way(
    make: MakeYard, name: str, lines: list[str], cause: str | None, runs: int
) -> None:
    yard = make(silence="1s", agent="ladder: {0: small, 1+: escalate}")
    item = yard.add(name, *lines, files=["n.txt"])
    yard.run()
    shown = yard.show(item)
    assert shown["status"] == "awaiting-divine-guidance"
    made = [run for run in shown["runs"] if run["agent"] == "dev"]
    assert [run["cause"] for run in made] == [cause] * runs
    assert yard.commits() == ["first"]


def test_no_report_is_told_to_the_next_run(make: MakeYard) -> None:
    yard = make()
    item = yard.add("forgetful", "once exit 0", "write f.txt x", "report done")
    yard.run()
    assert yard.status(item) == "done"
    assert len([run for run in yard.show(item)["runs"] if run["agent"] == "dev"]) == 2


BAD_FORM = '{"outcome": "asks", "comments": [{"content": "two readings"}]}'


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize("mends", [True, False])
def test_bad_form_is_refused_inside_the_run_and_recorded_only_when_nothing_better_comes(
    make: MakeYard, mends: bool
) -> None:
    yard = make(agent="ladder: {0: small, 1+: escalate}")
    lines = ["write n.txt x", f"shell echo '{BAD_FORM}' | moot report - ; echo exit $?"]
    item = yard.add("hasty", *lines, *(["report done"] if mends else []))
    yard.run()
    shown = yard.show(item)
    made = [run for run in shown["runs"] if run["agent"] == "dev"]
    printed = yard.output(made[0]["run"])
    assert "asks needs a question" in printed and "exit 2" in printed
    assert [comment["content"] for comment in shown["comments"]][:1] == ["two readings"]
    if mends:
        assert (shown["status"], len(made), len(shown["comments"])) == ("done", 1, 1)
    else:
        assert [run["cause"] for run in made] == ["protocol", "protocol"]
        assert made[0]["refused_for"] == "asks needs a question" and made[0]["report"]["outcome"] == "asks"


@pytest.mark.ledger("R-20")
def test_widening_in_the_middle_of_a_run(make: MakeYard) -> None:
    yard = make()
    item = yard.add(
        "wide", "moot widen more.txt", "write more.txt x", "moot comment 1 hello", "report done", files=["n"]
    )
    yard.run()
    shown = yard.show(item)
    assert shown["status"] == "done", yard.output(shown["runs"][0]["run"])
    assert yard.landed("more.txt") == "x"
    assert [comment["author"] for comment in shown["comments"]] == ["dev"]


def test_a_conflict_comes_back_marked_and_lands_when_it_is_mended(make: MakeYard) -> None:
    yard = make(files={"s.txt": "base\n"})
    first = yard.add("first", "write s.txt one", "report done")
    second = yard.add("second", "once write s.txt two", "once report done", "write s.txt both", "report done")
    yard.run(slots=2)
    assert [yard.status(first), yard.status(second)] == ["done", "done"]
    assert yard.landed("s.txt") in ("both", "one")
    assert any(event["event"] == "landing_failed" for event in yard.board.log()) or yard.landed("s.txt") == "one"


def test_a_dirty_tree_is_left_alone(make: MakeYard) -> None:
    yard = make(files={"s.txt": "base\n"})
    (yard.folder / "s.txt").write_text("the user is writing\n")
    item = yard.add("one", "write n.txt x", "report done")
    yard.run()
    shown = yard.show(item)
    assert (shown["status"], shown["landed_on"]) == ("done", "moot/main")
    assert (yard.folder / "s.txt").read_text() == "the user is writing\n"
    assert git(yard.folder, "show", "moot/main:n.txt") == "x"
    assert "moot/main" in shown["runs"][-1]["report"]["summary"]


@pytest.mark.ledger("R-19")
def test_what_does_not_land_can_be_brought_back(make: MakeYard) -> None:
    yard = make(agent="ladder: {0: small, 1+: escalate}")
    yard.add("lost", "write l.txt precious", "report failed")
    yard.run()
    boards, application = yard.board.boards, yard.board._application
    (kept,) = boards.unlanded(application).unlanded
    assert kept.files == ["l.txt"]
    branch = boards.salvage(application, kept.run, None).branch
    assert git(yard.folder, "show", f"{branch}:l.txt") == "precious"
    shown = yard.show("1")["runs"][0]
    assert shown["ref"] == kept.ref and shown["changed"] == [{"path": "l.txt", "how": "created"}]


def test_a_plain_folder_works_too(make: MakeYard) -> None:
    yard = make(plain=True)
    items = [yard.add(f"n{n}", f"write f{n}.txt x", "report done", files=[f"f{n}.txt"]) for n in range(3)]
    stray = yard.add("stray", "write elsewhere.txt x", "report done", files=["own.txt"])
    yard.run()
    assert [yard.status(item) for item in items] == ["done"] * 3
    assert (yard.folder / "f2.txt").read_text() == "x\n"
    assert yard.show(stray)["runs"][0]["cause"] == "conflict"


def test_what_an_agent_printed_is_kept(make: MakeYard) -> None:
    yard = make()
    item = yard.add("chatty", "say hello there", "write c.txt x", "report done")
    yard.run()
    run = yard.show(item)["runs"][0]["run"]
    assert "hello there" in yard.output(run)
    parts = yard.queries.output(run)["parts"]
    assert "+x" in next(part["text"] for part in parts if part["part"] >= 1_000_000)


@pytest.mark.ledger("R-24", "R-19")
def test_tasks_land_on_their_quest_and_the_quest_on_the_target(make: MakeYard) -> None:
    flow = """
flow: small-quest
start: discover
discover: discover
arbiter: discover
columns:
  discover: {agents: [seeker], next: weave}
  weave: {agents: [weaver], next: done, gate: [ward]}
agents:
  seeker: {run: {command: ACTOR}, write: none, may: [split]}
  weaver: {run: {command: ACTOR}, write: own}
gates: {ward: {run: ["/bin/sh", "-c", "test -f a.txt && test -f b.txt && test -f c.txt"]}}
"""
    yard = make(flow=flow)
    tasks = [
        {"key": name, "title": name, "files": [f"{name}.txt"], "body": f"write {name}.txt {name}\nreport done"}
        for name in ("a", "b", "c")
    ]
    import json

    quest = yard.add("quest", f"report split {json.dumps({'tasks': tasks})}")
    yard.run()
    assert yard.status(quest) == "done"
    assert [yard.landed(f"{name}.txt") for name in ("a", "b", "c")] == ["a", "b", "c"]
    assert yard.show("2")["landed_on"] == f"item {quest}"


@pytest.mark.ledger("R-20", "R-32")
def test_a_merge_that_fails_leaves_the_agents_own_words(make: MakeYard, monkeypatch: pytest.MonkeyPatch) -> None:
    merge, met = EffortJob._merged, []

    def conflicts_once(self: EffortJob, *given: Any) -> Any:
        met.append(given)
        return merge(self, *given) if len(met) > 1 else (given[-1], ["s.txt"])

    monkeypatch.setattr(EffortJob, "_merged", conflicts_once)
    yard = make()
    said = '{"outcome": "done", "summary": "quick now", "comments": [{"content": "see s.txt"}], "lessons": ["measure"]}'
    item = yard.add("own words", "write s.txt x", f"once shell echo '{said}' | moot report -", "report done")
    yard.run()
    shown = yard.show(item)
    first = next(run for run in shown["runs"] if run["agent"] == "dev")
    assert (first["outcome"], first["cause"]) == ("failed", "conflict")
    assert "conflicts with what others made in s.txt" in first["report"]["summary"]
    assert first["report"]["extra"]["said"]["summary"] == "quick now"
    assert [comment["content"] for comment in shown["comments"]][:1] == ["see s.txt"]
    assert first["report"]["lessons"] == ["measure"] and shown["status"] == "done"


@pytest.mark.ledger("R-32", "Q-06")
def test_a_report_file_that_cannot_be_read_is_told_to_the_next_run(make: MakeYard) -> None:
    yard = make()
    item = yard.add(
        "unread", "write s.txt x", 'once shell echo "I mended s.txt, see there" > "$MOOT_REPORT"', "report done"
    )
    yard.run()
    shown = yard.show(item)
    first = next(run for run in shown["runs"] if run["agent"] == "dev")
    assert first["cause"] == "protocol" and "I mended s.txt, see there" in str(first["report"]["extra"])
