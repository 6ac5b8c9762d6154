"""What holds whatever happens: the rules under any sequence of words, in any order."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from folkmoot.core import commands
from folkmoot.core.commands import Actor, Command
from folkmoot.core.enums import ENDED
from folkmoot.core.events import evolve
from folkmoot.core.item import Item
from folkmoot.core.report import Finding
from folkmoot.core.rules.decide import decide
from folkmoot.core.situation import Case, Neighbour, Situation
from folkmoot.errors import MootError
from folkmoot.testing.builders import PERSON, Story, limited, preset_flow, report

FLOW = limited(preset_flow(), deadline=60, runs=12)
COLUMNS = sorted(FLOW.columns)
ENGINE = Actor("folkmoot")

TOLD: list[tuple[str, dict[str, Any]]] = [
    ("done", {}),
    ("done", {"artifacts": [{"name": "a.md"}], "reason": "security"}),
    ("done", {"comments": [{"parent": "c001", "content": "so be it", "resolution": "accepted"}]}),
    ("done", {"comments": [{"parent": "c001", "content": "so be it", "resolution": "rejected"}]}),
    ("changes_requested", {"findings": [{"issue": "a typo"}]}),
    ("disputed", {"comments": [{"artifact": "a.md", "content": "wrong"}]}),
    ("disputed", {"comments": [{"parent": "c001", "content": "no"}]}),
    (
        "disputed",
        {
            "comments": [
                {"parent": "c001", "content": "no"},
                {"parent": "c001", "content": "or", "resolution": "accepted"},
            ]
        },
    ),
    ("failed", {"attempts": [{"approach": "alpha"}]}),
    ("failed", {"attempts": [{"approach": "beta"}, {"approach": "gamma"}]}),
    ("failed", {"cause": "transient"}),
    ("failed", {"cause": "timeout"}),
    ("failed", {"cause": "requirement", "reason": "story"}),
    ("failed", {"cause": "size"}),
    ("failed", {"cause": "conflict"}),
    ("stuck", {"reason": "concurrency"}),
    ("stuck", {"reason": "arch"}),
    ("stuck", {}),
    ("asks", {"question": {"question": "which?"}}),
    ("asks", {"question": {"question": "which?", "blocking": False, "default": "one"}}),
    ("incomplete", {}),
    ("split", {}),
]
BY_PEOPLE: list[Command] = [
    commands.MoveItem(column="tests"),
    commands.MoveItem(column="needs-senior-dev"),
    commands.MoveItem(column="needs-human"),
    commands.SendBack(findings=[Finding(issue="a typo", file="a.md", line=1)]),
    commands.SendBack(why="not yet", column="tests"),
    commands.EndRun(),
    commands.EndRun(why="begin with the tests"),
    commands.ParkItem(),
    commands.ParkItem(why="after the release"),
    commands.UnparkItem(),
    commands.EditItem(title="another", overrule=1),
    commands.EditItem(after=["7"]),
    commands.EditItem(after=[]),
    commands.CancelItem(),
    commands.ReopenItem(),
    commands.AddComment(content="hello"),
    commands.AddComment(content="done with it", parent="c001", resolution="accepted"),
]
BY_NEIGHBOURS: list[Command] = [
    commands.AwaitChild(child="7"),
    commands.SettleDependency(dependency="7", status="cancelled"),
    commands.SettleDependency(dependency="7", status="ready"),
    commands.SettleDependency(dependency="7", status="done"),
    commands.RankItem(rank=3),
]
IN_RUN: list[Command] = [
    commands.RenewRun(),
    commands.NoteSetup(seconds=1.5),
    commands.ReleaseRun(),
    commands.AddComment(content="on my way"),
    commands.AddComment(content="yes", parent="c001", resolution="accepted"),
]
steps = st.one_of(
    st.tuples(st.just("effort"), st.sampled_from(TOLD)),
    st.tuples(st.just("claim"), st.none()),
    st.tuples(st.just("report"), st.sampled_from(TOLD)),
    st.tuples(st.just("run"), st.sampled_from(IN_RUN)),
    st.tuples(st.just("lapse"), st.none()),
    st.tuples(st.just("deadline"), st.none()),
    st.tuples(st.just("answer"), st.sampled_from([("1", None), ("2", None), ("so", None), ("so", "arch")])),
    st.tuples(st.just("person"), st.sampled_from(BY_PEOPLE)),
    st.tuples(st.just("neighbour"), st.sampled_from(BY_NEIGHBOURS)),
)
paths = st.lists(steps, max_size=25)
starts = st.sampled_from([column for column in COLUMNS if column != "done"])


def orders(story: Story, kind: str, word: Any) -> list[tuple[Command, Actor]]:
    """The commands of one step, each with who gives it; none if nobody could give it now."""
    run = story.run
    voice = Actor(run.agent, run.id, run.token) if run else None
    open_now = [question.id for question in story.open_questions]
    if kind in ("claim", "effort") and story.it.status == "ready":
        story.now = max(story.now, story.it.wake_at)
        agent = story.flow.watcher(story.it.column) or ""
        claim: list[tuple[Command, Actor]] = [(commands.ClaimItem(agent=agent, lease=60.0), PERSON)]
        if kind == "claim":
            return claim
        voice = Actor(agent, f"r{story.ids._runs + 1}", story.it.token + 1)
        return [*claim, (commands.ReportRun(report=report(word[0], **word[1])), voice)]
    if kind == "report" and voice:
        return [(commands.ReportRun(report=report(word[0], **word[1])), voice)]
    if kind == "run" and voice:
        return [(word, voice)]
    if kind == "lapse" and voice:
        return [(commands.LapseRun(), ENGINE)]
    if kind == "deadline" and open_now:
        return [(commands.PassDeadline(question=open_now[0]), ENGINE)]
    if kind == "answer" and open_now:
        return [(commands.AnswerQuestion(question=open_now[-1], answer=word[0], to=word[1]), PERSON)]
    if kind == "person":
        return [(word, PERSON)]
    # A child is never added to what has ended.
    possible = not (isinstance(word, commands.AwaitChild) and story.it.status in ENDED)
    return [(word, ENGINE)] if kind == "neighbour" and possible else []


class Watched(Story):
    """A story in which everything is decided twice, and what must hold is looked at after each command."""

    def do(self, command: Command, actor: Actor = PERSON) -> Case:
        if self.item is not None:
            self.neighbours = {self.item.id: self.neighbour(), **self.others()}
        before, ids = self.item, self.ids._runs
        situation = self.situation(command, actor)
        frozen = repr(situation)
        first = decided(situation, command)
        assert decided(situation, command) == first, "the same situation gave something else"
        assert repr(situation) == frozen, "a rule changed what it was given to look at"
        self.ids._runs = ids
        case = super().do(command, actor)
        assert self.item == case.item, "folding the events gives the item"
        for row in case.attempts:
            assert self.rows["attempts"][row.id] == row
        for table, rows in (("comments", case.comments), ("questions", case.questions)):
            assert {row_id: self.rows[table][row_id] for row_id in rows} == rows
        if case.run is not None:
            assert self.rows["runs"][case.run.id] == case.run
        check(self, before, actor)
        return case

    def others(self) -> dict[str, Neighbour]:
        return {"7": Neighbour("7", "ready")}


def decided(situation: Situation, command: Command) -> object:
    try:
        return decide(situation, command).events
    except MootError as error:
        return (error.code, error.message)


def check(story: Story, before: Item | None, actor: Actor) -> None:
    item = story.it
    if before is not None and (actor == ENGINE or not actor.is_person):
        for name in ("runs", "self_solve_attempts", "disputes", "questions"):
            assert getattr(item.span, name) >= getattr(before.span, name), f"{name} fell, and no person spoke"
        assert item.clarifications == before.clarifications and item.token >= before.token
        went_forward = item.forwards > before.forwards
        assert item.failure_count >= before.failure_count or went_forward, "failures fell, and it did not go forward"
        assert before.status not in ENDED or item.status in ENDED, "what has ended is opened again only by a person"
    blocking = [question for question in story.open_questions if question.blocking]
    assert sorted(item.open_questions) == sorted(question.id for question in story.open_questions)
    assert (item.status == "running") == (item.run is not None)
    assert len(item.origins) <= 2 and item.span.runs <= story.flow.limits.runs
    assert all(dispute.rounds <= story.flow.limits.dispute_rounds for dispute in item.disputes)
    if item.status == "ready":
        assert story.flow.watcher(item.column) and not blocking and not item.waits_for
    elif item.status == "waiting":
        assert item.waits_for and not blocking
    elif item.status not in ENDED and item.status != "running":
        assert blocking, f"{item.status}, but nobody is asked"


def play(start: str, path: list[tuple[str, Any]]) -> Watched:
    story = Watched(FLOW, start)
    for kind, word in path:
        for command, actor in orders(story, kind, word):
            try:
                story.do(command, actor)
            except MootError:
                break
    return story


@pytest.mark.ledger("R-02", "R-03", "R-18", "R-31")
@settings(max_examples=150)
@given(starts, paths)
def test_decide_is_deterministic_its_events_fold_and_somebody_can_always_act(
    start: str, path: list[tuple[str, Any]]
) -> None:
    play(start, path)


@pytest.mark.ledger("R-31")
@settings(max_examples=50)
@given(starts, paths)
def test_the_log_alone_gives_every_row(start: str, path: list[tuple[str, Any]]) -> None:
    story = play(start, path)
    rows: dict[tuple[str, str], Any] = {}
    for event in story.events:
        for change in event.changes:
            rows[change.table, change.id] = evolve(rows.get((change.table, change.id)), change)
    assert rows.pop(("items", "1")) == story.item
    assert rows == {(table, row.id): row for table, found in story.rows.items() for row in found.values()}
    assert [event.version for event in story.events] == list(range(1, len(story.events) + 1))


@pytest.mark.ledger("R-27")
@settings(max_examples=60)
@given(starts, paths, st.sampled_from([*IN_RUN, commands.ReportRun(report=report("done"))]), st.data())
def test_a_stale_token_changes_nothing(
    start: str, path: list[tuple[str, Any]], command: Command, data: st.DataObject
) -> None:
    story = play(start, path)
    run = story.run
    current = (run.id, run.token) if run else None
    known = [(found.id, found.token) for found in story.rows["runs"].values()]
    known += [("r1", story.it.token + 1), ("r99", story.it.token), ("r99", 0)]
    name, token = data.draw(st.sampled_from([pair for pair in known if pair != current]))
    before, length = story.item, len(story.events)
    with pytest.raises(MootError) as caught:
        story.do(command, Actor("dev-agent", name, token))
    assert caught.value.code == "stale_claim"
    assert story.item == before and len(story.events) == length
