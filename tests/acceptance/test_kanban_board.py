"""The kanban document's whole board, its simpler form and its ladder file, through the command line (K-12 to K-17)."""

from pathlib import Path

import pytest

from tests.acceptance.moot import Moot, View, new_board
from tests.documents import LADDER_FILE

NORMAL = ["ready", "stories", "arch", "tests", "dev", "review", "qa", "done"]
ESCALATION = ["needs-senior-dev", "needs-concurrency-expert", "needs-security-review", "needs-human"]
BACKFLOW = ["blocked-needs-story-clarification", "blocked-needs-arch-clarification", "blocked-needs-test-review"]
DISPUTE = ["dispute-test-vs-dev", "dispute-story-vs-arch"]
SPECIALISTS = ["needs-perf-tuning", "needs-arch-clarification"]  # from the document's table of reasons


def board(folder: Path, column: str) -> Moot:
    moot = new_board(folder)
    moot("add", "Issue 247", "--column", column)
    return moot


def fail(moot: Moot, agent: str, **parts: str) -> str:
    """One effort in a new way that fails; the model it was given."""
    claim = moot("claim", agent)
    moot.report(claim, "failed", attempts=[{"approach": 9 * chr(ord("a") + len(claim["brief"]["attempts"]))}], **parts)
    model: str = claim["model"]
    return model


@pytest.mark.ledger("K-12")
def test_the_board_has_every_column_of_the_document(tmp_path: Path) -> None:
    moot = new_board(tmp_path)
    columns = moot("board")["columns"]
    assert columns[:8] == NORMAL
    assert set(columns) == {*NORMAL, *ESCALATION, *SPECIALISTS, *BACKFLOW, *DISPUTE}


@pytest.mark.ledger("K-12", "K-16")
def test_an_item_passes_the_eight_columns_in_their_order(tmp_path: Path) -> None:
    moot = new_board(tmp_path)
    moot("add", "Issue 247")
    for agent in ("story-agent", "architect-agent", "test-architect", "dev-agent", "review-agent", "qa-agent"):
        assert moot("show", "1")["escalation_tier"] == 0
        moot.effort(agent, "done")
    events = [event for event in moot.events("1") if event["event"] in ("item_added", "item_moved", "phase_completed")]
    way = [events[0]["context"]["column"], *(event["context"]["to"] for event in events[1:])]
    assert way == NORMAL
    assert moot("show", "1")["status"] == "done"


HELP = [
    ("unknown", "needs-senior-dev", "senior-dev-agent"),
    ("concurrency", "needs-concurrency-expert", "concurrency-specialist"),
    ("security", "needs-security-review", "security-specialist"),
    ("performance", "needs-perf-tuning", "performance-specialist"),
    ("architecture", "needs-arch-clarification", "architect-agent"),
]


@pytest.mark.ledger("K-12", "K-16", "K-17", "R-09")
@pytest.mark.parametrize(("reason", "column", "agent"), HELP, ids=[column for _, column, _ in HELP])
def test_each_escalation_column_does_the_work_and_ends_with_a_human(
    tmp_path: Path, reason: str, column: str, agent: str
) -> None:
    moot = board(tmp_path, "dev")
    first = moot("claim", "dev-agent")
    assert (first["model"], first["item"]["escalation_tier"]) == ("glm-4", 0)
    item = moot.report(first, "stuck", reason=reason, summary="it hangs")
    assert (item["column"], item["escalation_tier"], item["watcher"]) == (column, 1, agent)
    claim = moot("claim", agent)
    assert claim["model"] == "sonnet", "it starts on a higher rung"
    instructions = claim["brief"]["instructions"]
    assert instructions.strip() and instructions != first["brief"]["instructions"], "with instructions of its own"
    assert moot.report(claim, "done")["column"] == "review"

    moot("add", "Issue 248", "--column", "dev")
    moot.effort("dev-agent", "stuck", reason=reason)
    assert [fail(moot, agent) for _ in range(4)] == ["sonnet", "sonnet", "opus", "opus"]
    item = moot("show", "2")
    if item["column"] == "needs-senior-dev":
        assert agent == "architect-agent", "the only one of them that has a senior"
        assert [fail(moot, "senior-dev-agent") for _ in range(4)] == ["sonnet", "sonnet", "opus", "opus"]
        item = moot("show", "2")
    assert (item["status"], item["escalation_tier"]) == ("awaiting-divine-guidance", 2)
    assert moot("doctor")["ok"]


@pytest.mark.ledger("K-12", "K-10")
def test_a_person_answers_in_needs_human_and_the_item_returns(tmp_path: Path) -> None:
    moot = board(tmp_path, "dev")
    item = moot("move", "1", "needs-human", "--why", "I want to look at it myself")
    assert (item["status"], item["escalation_tier"]) == ("awaiting-divine-guidance", 2)
    item = moot("answer", "q1", "1", "It is fine")
    assert (item["column"], item["status"], item["escalation_tier"]) == ("dev", "ready", 0)


BACK = list(
    zip(["story", "arch", "tests"], BACKFLOW, ["story-agent", "architect-agent", "test-architect"], strict=True)
)


@pytest.mark.ledger("K-12", "K-16", "R-07", "R-09")
@pytest.mark.parametrize(("reason", "column", "agent"), BACK, ids=BACKFLOW)
@pytest.mark.parametrize(
    "said", [{"outcome": "stuck"}, {"outcome": "failed", "cause": "requirement"}], ids=["stuck", "unclear"]
)
def test_each_backflow_column_answers_and_the_item_returns(
    tmp_path: Path, reason: str, column: str, agent: str, said: dict[str, str]
) -> None:
    moot = board(tmp_path, "dev")
    item = moot.speak("dev-agent", {**said, "reason": reason, "summary": "What is a day?"})
    assert (item["column"], item["status"], item["watcher"]) == (column, "ready", agent)
    assert (item["escalation_tier"], item["failure_count"]) == (0, 0), "it was not too hard, it was not clear"
    claim = moot("claim", agent)
    assert claim["item"]["column"] == column and "What is a day?" in claim["brief"]["task"]["why"]
    item = moot.report(claim, "done", comments=[{"artifact": "spec.md", "content": "24 hours"}])
    assert (item["column"], item["watcher"]) == ("dev", "dev-agent")
    assert moot("claim", "dev-agent")["brief"]["comments"][-1]["content"] == "24 hours"


@pytest.mark.ledger("K-01", "R-09")
def test_what_a_backflow_column_answers_stays_with_the_item(tmp_path: Path) -> None:
    moot = board(tmp_path, "dev")
    moot.effort("dev-agent", "stuck", reason="story", blockers="Does a cancel refund?")
    moot.effort("story-agent", "done", summary="Yes, in full.")
    for number in range(2):
        claim = moot("claim", "dev-agent")
        (answer,) = claim["brief"]["comments"]
        assert answer["author"] == "story-agent"
        assert "Does a cancel refund?" in answer["content"] and "Yes, in full." in answer["content"]
        moot.report(claim, "failed", reason=f"red, the {number}. time")


@pytest.mark.ledger("R-09")
@pytest.mark.parametrize("summary", ["", "24 hours"])
def test_an_answer_that_a_comment_gives_stands_once(tmp_path: Path, summary: str) -> None:
    moot = board(tmp_path, "dev")
    moot.effort("dev-agent", "stuck", reason="story", blockers="What is a day?")
    item = moot.effort("story-agent", "done", summary=summary, comments=[{"content": "24 hours"}])
    assert [comment["content"] for comment in item["comments"]] == ["24 hours"]


@pytest.mark.ledger("R-12", "R-32")
def test_who_is_asked_and_disputes_says_whose_work(tmp_path: Path) -> None:
    moot = board(tmp_path, "stories")
    for agent, name in (("story-agent", "story.md"), ("architect-agent", "arch.md"), ("test-architect", "tests.md")):
        moot.effort(agent, "done", artifacts=[{"name": name}])
    moot.effort("dev-agent", "stuck", reason="arch", blockers="Is it async?")
    claim = moot("claim", "architect-agent")
    given = ["report", claim["run"], "-", "--token", str(claim["token"])]
    said = moot.say(*given, stdin='{"outcome": "disputed", "comments": [{"content": "Section 3 says so"}]}')
    assert said.error == "report_refused" and "name its artifact" in said.err and "report done" in said.err
    item = moot.report(claim, "disputed", comments=[{"content": "It contradicts itself", "artifact": "story.md"}])
    assert (item["column"], item["watcher"]) == ("stories", "story-agent")


class Quarrel:
    """Two agents argue in a dispute column over what the first of them made."""

    def __init__(self, folder: Path, column: str, stage: str, maker: str, disputer: str) -> None:
        self.moot, self.column, self.maker, self.disputer = board(folder, stage), column, maker, disputer
        self.moot.effort(maker, "done", artifacts=[{"name": "made.md"}])
        self.beyond = self.moot("show", "1")["column"]
        self.say(disputer, artifact="made.md", content="Cancelling is async", reason=column.removeprefix("dispute-"))

    def say(self, agent: str, content: str, reason: str | None = None, **comment: str) -> View:
        return self.moot.effort(agent, "disputed", comments=[{"content": content, **comment}], reason=reason)

    def reply(self, agent: str) -> View:
        return self.say(agent, "I do not agree", parent="c001")

    def settle(self, agent: str, resolution: str) -> View:
        said = {"parent": "c001", "content": "You're right", "resolution": resolution}
        return self.moot.effort(agent, "done", comments=[said])


QUARRELS = [
    ("dispute-test-vs-dev", "tests", "test-architect", "dev-agent"),
    ("dispute-story-vs-arch", "stories", "story-agent", "architect-agent"),
]


@pytest.fixture(params=QUARRELS, ids=[column for column, *_ in QUARRELS])
def quarrel(request: pytest.FixtureRequest, tmp_path: Path) -> Quarrel:
    return Quarrel(tmp_path, *request.param)


@pytest.mark.ledger("K-12", "K-06", "R-12")
def test_in_a_dispute_column_the_side_whose_turn_it_is_claims(quarrel: Quarrel) -> None:
    moot, turn, other = quarrel.moot, quarrel.maker, quarrel.disputer
    for rounds in (0, 1, 2):
        item = moot("show", "1")
        assert (item["column"], item["status"], item["watcher"]) == (quarrel.column, "ready", turn)
        assert item["dispute_rounds"] == rounds
        assert moot.say("claim", other).code == 3, "it is the other side's turn"
        claim = moot("claim", turn, "--column", quarrel.column)
        assert [dispute["thread"] for dispute in claim["brief"]["disputes"]] == ["c001"]
        assert claim["brief"]["comments"][0]["content"] == "Cancelling is async"
        moot.report(claim, "disputed", comments=[{"parent": "c001", "content": "I do not agree"}])
        turn, other = other, turn
    assert moot("doctor")["ok"]


@pytest.mark.ledger("K-12", "K-06", "R-12")
def test_agreement_in_a_dispute_column_flows_on_from_the_maker(quarrel: Quarrel) -> None:
    item = quarrel.settle(quarrel.maker, "accepted")
    assert (item["column"], item["watcher"]) == (quarrel.beyond, quarrel.disputer), "the change is seen by all after it"
    assert (item["dispute_rounds"], item["dispute_agents"]) == (0, [])
    assert item["comments"][0]["resolution"] == "accepted"


@pytest.mark.ledger("K-12", "K-06", "R-12")
def test_giving_in_in_a_dispute_column_flows_on_from_the_disputer(quarrel: Quarrel) -> None:
    quarrel.reply(quarrel.maker)
    item = quarrel.settle(quarrel.disputer, "rejected")
    assert item["column"] == NORMAL[NORMAL.index(quarrel.beyond) + 1]
    assert (item["dispute_rounds"], item["comments"][0]["resolution"]) == (0, "rejected")


@pytest.mark.ledger("K-12", "K-07", "K-16", "R-12")
def test_the_breaker_trips_in_a_dispute_column_and_a_person_decides(quarrel: Quarrel) -> None:
    moot, maker, disputer = quarrel.moot, quarrel.maker, quarrel.disputer
    for agent in (maker, disputer, maker):
        item = quarrel.reply(agent)
    assert (item["column"], item["status"], item["escalation_tier"]) == (quarrel.column, "needs-human-review", 2)
    assert (item["dispute_rounds"], item["dispute_agents"]) == (3, [disputer, maker, disputer, maker])
    assert item["flag"] == "Agents disagree after 3 rounds - human decision needed"
    for agent in (maker, disputer):
        assert moot.say("claim", agent).code == 3
    item = moot("answer", "q1", "2")
    assert (item["column"], item["status"], item["flag"]) == (quarrel.beyond, "ready", None)
    assert moot("claim", disputer)["brief"]["disputes"] == []
    assert moot("doctor")["ok"]


@pytest.mark.ledger("K-12", "R-09", "R-12")
def test_a_senior_speaks_for_the_side_that_could_not(tmp_path: Path) -> None:
    quarrel = Quarrel(tmp_path, *QUARRELS[0])
    for _ in range(4):
        fail(quarrel.moot, "test-architect")
    item = quarrel.moot("show", "1")
    assert (item["column"], item["escalation_tier"]) == ("needs-senior-dev", 1)
    item = quarrel.settle("senior-dev-agent", "accepted")
    assert (item["column"], item["told"], item["comments"][0]["resolution"]) == ("dev", None, "accepted")


SIMPLER = """
flow: simpler
start: dev
columns:
  dev:      {agents: [dev-agent], next: review}
  review:   {agents: [review-agent], next: done, fix: dev}
  blocked:  {kind: escalation}
  hard:     {agents: [senior-dev-agent], kind: escalation, tags: [unknown]}
  races:    {agents: [concurrency-specialist], kind: escalation, tags: [concurrency]}
  unclear:  {agents: [story-agent], kind: backflow, tags: [story]}
agents:
  dev-agent: {ladder: {0-1: glm-4, 2+: escalate}, escalate_to: blocked}
  review-agent: {}
  senior-dev-agent: {ladder: {0-1: opus, 2+: escalate}}
  concurrency-specialist: {}
  story-agent: {}
reasons: {unknown: blocked, concurrency: blocked, story: blocked, licence: blocked}
"""


def simpler(folder: Path) -> Moot:
    (folder / ".moot").mkdir()
    (folder / ".moot" / "flow.yaml").write_text(SIMPLER, "utf-8")
    return board(folder, "dev")


@pytest.mark.ledger("K-13", "K-11", "K-16")
@pytest.mark.parametrize(
    ("reason", "agent", "tier", "following"),
    [
        ("unknown", "senior-dev-agent", 1, "review"),
        ("concurrency", "concurrency-specialist", 1, "review"),
        ("story", "story-agent", 0, "dev"),
    ],
)
def test_one_blocked_column_and_the_tag_says_why(
    tmp_path: Path, reason: str, agent: str, tier: int, following: str
) -> None:
    moot = simpler(tmp_path)
    item = moot.effort("dev-agent", "stuck", reason=reason, summary="it hangs")
    assert (item["column"], item["tags"], item["escalation_tier"]) == ("blocked", [reason], tier)
    assert [found["id"] for found in moot("list", "--column", "blocked", "--tag", reason)["items"]] == ["1"]
    for other in ("dev-agent", "senior-dev-agent", "concurrency-specialist", "story-agent"):
        if other != agent:
            assert moot.say("claim", other).code == 3
    item = moot.effort(agent, "done")
    assert (item["column"], item["tags"]) == (following, []), "the tag has done its work"
    assert moot("doctor")["ok"]


@pytest.mark.ledger("K-13", "R-07")
def test_what_is_unclear_waits_in_the_blocked_column_for_who_can_say_it(tmp_path: Path) -> None:
    moot = simpler(tmp_path)
    item = moot.effort("dev-agent", "failed", cause="requirement", reason="story", summary="What is a day?")
    assert (item["column"], item["tags"], item["watcher"]) == ("blocked", ["story"], "story-agent")


@pytest.mark.ledger("K-13", "K-17", "R-09")
def test_at_the_end_of_the_ladder_the_known_reason_is_the_tag(tmp_path: Path) -> None:
    moot = simpler(tmp_path)
    assert [fail(moot, "dev-agent", reason="concurrency") for _ in range(2)] == ["glm-4", "glm-4"]
    item = moot("show", "1")
    assert (item["column"], item["tags"], item["watcher"]) == ("blocked", ["concurrency"], "concurrency-specialist")


@pytest.mark.ledger("K-13", "R-03")
def test_a_tag_that_nobody_watches_asks_a_person(tmp_path: Path) -> None:
    moot = simpler(tmp_path)
    item = moot.effort("dev-agent", "stuck", reason="licence")
    assert (item["column"], item["tags"], item["status"]) == ("blocked", ["licence"], "awaiting-divine-guidance")
    item = moot("edit", "1", "--tag", "unknown")
    assert moot("answer", "q1", "The senior knows", "--to", "blocked")["watcher"] == "senior-dev-agent"


# The board's own flow says something else, so that only the file can be the reason for the document's models.
OTHER = """
columns:
  stories: {agents: [story-agent], next: tests}
  tests: {agents: [test-architect], next: dev}
  dev: {agents: [dev-agent], next: qa}
  qa: {agents: [qa-agent], next: done}
  needs-senior-dev: {agents: [senior-dev-agent], kind: escalation}
agents:
  story-agent: {ladder: {0: gpt, 1+: escalate}, escalate_to: needs-senior-dev}
  test-architect: {ladder: {0: gpt, 1+: escalate}, escalate_to: needs-senior-dev}
  dev-agent: {ladder: {0: gpt, 1+: escalate}, escalate_to: needs-senior-dev}
  qa-agent: {ladder: {0: gpt, 1+: escalate}, escalate_to: needs-senior-dev}
  senior-dev-agent: {ladder: {0+: opus}}
"""
MODELS = {
    "dev-agent": ["glm-4", "glm-4", "sonnet", "sonnet", "opus", "opus"],
    "test-architect": ["sonnet", "sonnet", "opus", "opus"],
    "story-agent": ["haiku", "haiku", "haiku", "sonnet", "sonnet"],
    "qa-agent": ["sonnet", "sonnet", "opus", "opus"],
}
COLUMNS = {"dev-agent": "dev", "test-architect": "tests", "story-agent": "stories", "qa-agent": "qa"}


def place(home: Path, path: str, text: str = LADDER_FILE) -> None:
    file = home / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def started(project: Path) -> Moot:
    """A board made by a process of its own, which looks for the person's home where the environment says it is."""
    place(project, ".moot/flow.yaml", OTHER)
    moot = Moot(project)
    assert moot.process("init").json["flow"] == "flow"
    return moot


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person's home, empty but for what the test puts there."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.mark.ledger("K-15", "K-09")
@pytest.mark.parametrize("path", ["project/.moot/escalation.yaml", "home/.oi/config/escalation.yaml"])
def test_the_documents_ladder_file_is_read_unchanged_from_both_its_places(
    tmp_path: Path, home: Path, path: str
) -> None:
    project = home.parent / "project"
    place(tmp_path, path)
    moot = started(project)
    for agent, models in MODELS.items():
        item = moot("add", f"For {agent}", "--column", COLUMNS[agent])["id"]
        assert [fail(moot, agent) for _ in models] == models
        assert moot("show", item)["column"] == "needs-senior-dev", "6+, 4+ and 5+ say escalate"
    assert moot("claim", "senior-dev-agent")["model"] == "opus", "whom the file does not name keeps its own"


@pytest.mark.ledger("K-15", "R-30")
def test_the_boards_own_ladder_file_comes_first_and_a_change_is_taken_in_by_check(tmp_path: Path, home: Path) -> None:
    project = tmp_path / "project"
    place(home, ".oi/config/escalation.yaml")
    place(project, ".moot/escalation.yaml", "model_ladder:\n  dev-agent:\n    0+: haiku\n")
    moot = started(project)
    moot("add", "Issue 247", "--column", "dev")
    claim = moot("claim", "dev-agent")
    assert claim["model"] == "haiku"
    moot("release", claim["run"], "--token", str(claim["token"]))
    place(project, ".moot/escalation.yaml")
    assert moot.process("apply").json["taken_in"]
    assert moot("claim", "dev-agent")["model"] == "glm-4"
