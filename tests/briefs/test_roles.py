"""What each role is told: the document's spawn shape, and the facts that this role needs."""

import pytest
from msgspec.structs import replace

from folkmoot.core.commands import AddComment, CancelItem, DispatchAgent, SendMessage
from folkmoot.core.enums import OUTCOMES
from folkmoot.core.rules.judging.carrying import PERMISSION, UNSPEAKABLE
from folkmoot.testing.builders import PERSON, TrialBoard
from tests.briefs.scenes import (
    BODY,
    CONTRACT,
    EXPERTS,
    TITLE,
    TRIES,
    View,
    brief_of,
    escalated,
    preset_flow,
    quest,
    roles,
    take,
)

CONTRACT_KEYS = {
    *("role", "task", "projectContext", "constraints", "escapeHatch", "attempts", "findings", "comments", "outputs"),
    *("round", "guidance", "messages", "lessons", "report_format"),
}


@pytest.mark.ledger("Q-06")
@pytest.mark.parametrize(("preset", "role"), roles())
def test_every_role_gets_the_documents_shape_and_its_own_ways_to_end(preset: str, role: str) -> None:
    flow, brief = preset_flow(preset), brief_of(preset, role)
    assert brief.keys() >= CONTRACT_KEYS
    assert brief["role"] == role and TITLE in brief["task"]["title"] and BODY in brief["task"]["body"]
    assert brief["constraints"].keys() >= {"files", "write", "contracts", "dependencies", "timeout"}
    assert brief["constraints"]["files"] == ["src/reset.py"]
    assert brief["projectContext"]["flow"] == preset
    said = brief["report_format"]["outcomes"]
    if role in flow.gates:
        assert (said, brief["constraints"]["write"], brief["instructions"]) == (["done", "failed"], "none", "")
        return
    agent, kind = flow.agents[role], brief["task"].get("kind", "item")
    assert brief["instructions"] == agent.instructions != ""
    assert brief["constraints"]["write"] == agent.write
    for outcome in OUTCOMES:
        permitted = outcome not in PERMISSION or PERMISSION[outcome] in agent.may
        assert (outcome in said) == (permitted and outcome not in UNSPEAKABLE.get(kind, ())), outcome
    assert brief["report_format"]["needs"].keys() == set(said)


@pytest.mark.ledger("Q-06", "E-04", "R-08")
def test_an_expert_gets_the_problem_and_every_attempt_and_is_told_what_it_cannot_do() -> None:
    with TrialBoard(preset_flow("escalation")) as board:
        item = escalated(board)
        board.on(item, AddComment(content="It worked last year."))
        expert, brief = take(board, EXPERTS[0])
        assert BODY in brief["task"]["body"] and brief["task"]["parent"] == item
        assert [attempt["approach"] for attempt in brief["attempts"]] == TRIES
        assert [comment["content"] for comment in brief["comments"]] == ["It worked last year."]
        assert brief["constraints"]["write"] == "none"
        for words in ("3 different approaches", "EXPERT_UNSUCCESSFUL", "cannot delegate, ask a person, or widen"):
            assert words in brief["escapeHatch"]
        board.report(expert, "done", summary="Use the queue", next_steps=["drain it"])
        advice = take(board, "developer")[1]["advice"]
        assert advice == {"expert": EXPERTS[0], "advice": "Use the queue", "steps": ["drain it"]}


@pytest.mark.ledger("Q-06", "E-03")
def test_the_next_expert_sees_what_the_one_before_said_and_the_developer_who_is_left_to_ask() -> None:
    with TrialBoard(preset_flow("escalation")) as board:
        escalated(board)
        board.effort(EXPERTS[0], "failed", summary="EXPERT_UNSUCCESSFUL: it is not the hash")
        second, brief = take(board, EXPERTS[1])
        assert [output["agent"] for output in brief["outputs"]] == [EXPERTS[0]]
        assert "it is not the hash" in brief["outputs"][0]["summary"]
        board.report(second, "done", summary="Try the socket")
        told = take(board, "developer")[1]["report_format"]["delegate_to"]
        assert told == {"experts": [EXPERTS[2]], "sub_agents": True}


@pytest.mark.ledger("Q-09", "R-25")
def test_sub_agents_analyse_only_and_their_parent_gets_all_outputs() -> None:
    with TrialBoard(preset_flow("quest")) as board:
        item = board.add(TITLE, body=BODY)
        looks = [{"task": f"look at {what}", "scope": "discovery_only"} for what in ("auth", "mail", "forms")]
        board.effort("pathseeker", "delegates", delegate=looks)
        for look in looks:
            sub, brief = take(board, "pathseeker")
            assert (brief["task"]["kind"], brief["task"]["title"]) == ("sub", look["task"])
            assert brief["constraints"]["write"] == "none" and "write nothing" in brief["escapeHatch"]
            assert brief["projectContext"]["parent"] == {"id": item, "title": TITLE, "body": BODY}
            assert not {"asks", "delegates", "split"} & set(brief["report_format"]["outcomes"])
            board.report(sub, "done", summary=f"found: {look['task']}")
        brief = take(board, "pathseeker")[1]
        assert [output["summary"] for output in brief["outputs"]] == [f"found: {look['task']}" for look in looks]
        assert brief["report_format"]["delegate_to"]["sub_agents"] is False, "one fan-out per item"


@pytest.mark.ledger("Q-06", "P-12", "R-14")
def test_a_part_gives_a_verdict_on_its_items_work_and_knows_what_others_found() -> None:
    with TrialBoard(preset_flow("pipeline")) as board:
        item = board.add(TITLE, body=BODY)
        files = {"created": ["src/reset.py"]}
        board.effort("implementer", "done", summary="built with a queue", files=files, commit="abc123")
        found = {"severity": "high", "file": "src/reset.py", "line": 3, "issue": "No check", "recommendation": "Add it"}
        board.effort("reviewer", "changes_requested", findings=[found])
        brief = take(board, "devils-advocate")[1]
        assert (brief["task"]["kind"], brief["task"]["parent"]) == ("part", item)
        previous = brief["previous"]
        assert (previous["summary"], previous["commit"]) == ("built with a queue", "abc123")
        assert previous["files"] == ["src/reset.py"]
        assert brief["projectContext"]["others"] == ["reviewer"]
        assert brief["outputs"][0]["findings"][0]["issue"] == "No check"
        assert f"item {item}" in brief["escapeHatch"] and "do not repeat" in brief["escapeHatch"]


@pytest.mark.ledger("P-06")
def test_whoever_fixes_gets_the_failures_with_their_likely_fixes_and_the_round() -> None:
    with TrialBoard(preset_flow("pipeline")) as board:
        board.add(TITLE, column="test", files=["src/reset.py"])
        failure = {"kind": "test", "test": "TestAPI", "issue": "expected 200, got 500", "recommendation": "handle it"}
        for number in (1, 2):
            board.effort("test-executor", "changes_requested", findings=[failure])
            fixer, brief = take(board, "implementer")
            assert (brief["round"], brief["max_rounds"]) == (number, 3)
            assert brief["task"]["returns_to"] == "test"
            (found,) = brief["findings"]
            assert (found["test"], found["recommendation"]) == ("TestAPI", "handle it")
            assert found["found_by"] == ["test-executor"]
            board.report(fixer, "done", summary="handled")


@pytest.mark.ledger("Q-05", "Q-06")
def test_a_task_gets_its_files_its_contracts_where_parts_meet_and_what_hangs_on_it() -> None:
    with TrialBoard(preset_flow("quest")) as board:
        quest(board)
        form, brief = take(board, "codeweaver")
        assert brief["constraints"]["files"] == ["src/form.py"] and brief["constraints"]["contracts"] == [CONTRACT]
        assert brief["projectContext"]["integrationPoints"] == {"routes": "both add one to src/routes.py"}
        assert [one["title"] for one in brief["projectContext"]["waitingForIt"]] == ["the mail"]
        assert "cause size, or conflict" in brief["escapeHatch"]
        board.report(form, "done", summary="the form posts to /reset")
        brief = take(board, "codeweaver")[1]
        built = brief["projectContext"]["buildsOn"]
        assert [(one["title"], one["summary"]) for one in built] == [("the form", "the form posts to /reset")]
        assert brief["constraints"]["contracts"] == [CONTRACT], "every task that needs it has it"


@pytest.mark.ledger("Q-08", "Q-06")
def test_whoever_splits_again_has_the_failure_in_hand_and_cannot_say_done() -> None:
    with TrialBoard(preset_flow("quest")) as board:
        quest(board)
        left = {"next_steps": ["split off the captcha"], "files": {"created": ["src/form.py"]}}
        board.effort("codeweaver", "failed", cause="size", summary="three forms, not one", **left)
        brief = take(board, "pathseeker")[1]
        previous = brief["previous"]
        assert (previous["agent"], previous["cause"]) == ("codeweaver", "size")
        assert previous["summary"] == "three forms, not one" and previous["next_steps"] == ["split off the captcha"]
        assert [one["title"] for one in brief["projectContext"]["tasks"]] == ["the mail"]
        said = brief["report_format"]["outcomes"]
        assert "split" in said and "asks" in said and "done" not in said
        assert "came back to be split" in brief["escapeHatch"]


@pytest.mark.ledger("Q-10", "R-24")
def test_whoever_looks_at_the_whole_has_the_report_of_what_does_not_fit() -> None:
    with TrialBoard(preset_flow("quest")) as board:
        item = quest(board)
        board.effort("codeweaver", "failed", cause="conflict", summary="User has no address")
        brief = take(board, "pathseeker")[1]
        assert brief["task"]["id"] == item
        (stopped,) = brief["projectContext"]["stopped"]
        assert (stopped["cause"], stopped["summary"]) == ("conflict", "User has no address")
        assert "done" in brief["report_format"]["outcomes"], "contracts may be all that it takes"


@pytest.mark.ledger("Q-09", "Q-12")
def test_whoever_reviews_a_quest_gets_the_outputs_of_all_tasks_and_the_gate_what_to_run() -> None:
    with TrialBoard(preset_flow("quest")) as board:
        item = quest(board)
        for words in ("form stands", "mail goes out"):
            board.effort("codeweaver", "done", summary=words, files={"created": [f"src/{words[:4]}.py"]})
        ward, brief = take(board, "ward")
        task = brief["task"]
        assert (task["id"], task["gate"], task["command"]) == (item, "ward", ["make", "check"])
        assert brief["constraints"]["timeout"] == 600
        board.report(ward, "done", summary="all green")
        lawbringer, brief = take(board, "lawbringer")
        assert [output["summary"] for output in brief["outputs"]] == ["form stands", "mail goes out"]
        assert [output["files"] for output in brief["outputs"]] == [["src/form.py"], ["src/mail.py"]]
        board.report(lawbringer, "done", summary="one hand")
        ward, brief = take(board, "ward")
        assert brief["task"]["checks"] == lawbringer.run and brief["task"]["checks_agent"] == "lawbringer"
        assert brief["previous"]["summary"] == "one hand"
        red = {"kind": "test", "issue": "names differ", "recommendation": "rename one"}
        board.report(ward, "failed", summary="1 failed", findings=[red])
        brief = take(board, "spiritmender")[1]
        assert (brief["round"], brief["max_rounds"]) == (1, 3)
        assert [(f["issue"], f["recommendation"], f["found_by"]) for f in brief["findings"]] == [
            ("names differ", "rename one", ["ward"])
        ]
        assert brief["previous"]["agent"] == "lawbringer", "the gate's words are findings"


@pytest.mark.ledger("H-07", "Q-06")
def test_what_a_claim_accepts_is_in_its_brief_the_handoff_first() -> None:
    with TrialBoard(preset_flow("handoff")) as board:
        item = board.add(TITLE, body=BODY)
        planner, _ = take(board, "planner")
        note = SendMessage(sender="planner", to="builder", type="task_handoff", payload={"spec": "specs/reset.md"})
        board.engine.send(planner, note)
        board.report(planner, "done", summary="the spec stands")
        board.engine.send(PERSON, replace(note, payload={"note": "mind the clock"}, context={"item": item}))
        handed, other = take(board, "builder")[1]["messages"]
        assert (handed["from"], handed["status"], handed["payload"]) == (
            "planner",
            "accepted",
            {"spec": "specs/reset.md"},
        )
        assert (other["status"], other["payload"]) == ("accepted", {"note": "mind the clock"})


def test_a_dispatched_agent_knows_who_asks_and_does_not_ask_itself() -> None:
    with TrialBoard(preset_flow("pipeline")) as board:
        board.add(TITLE, column="test")
        tester, _ = take(board, "test-executor")
        board.engine.add(tester, DispatchAgent(agent="implementer", task="Fix the port", purpose="fix"))
        brief = take(board, "implementer")[1]
        assert (brief["task"]["kind"], brief["task"]["purpose"]) == ("dispatch", "fix")
        assert [one["title"] for one in brief["projectContext"]["askedBy"]] == [TITLE]
        assert not {"asks", "delegates", "split", "disputed"} & set(brief["report_format"]["outcomes"])


def test_what_is_left_unfinished_and_how_a_run_ended_reach_the_next() -> None:
    with TrialBoard(preset_flow("kanban")) as board:
        board.add(TITLE, column="dev")
        board.effort("dev-agent", "incomplete", summary="half of it", next_steps=["the other half"])
        previous = take(board, "dev-agent")[1]["previous"]
        assert (previous["outcome"], previous["next_steps"]) == ("incomplete", ["the other half"])
        board.sleep(3600)
        board.add("another", column="qa")  # any command sees that the lease is over
        board.sleep(60)
        previous = take(board, "dev-agent")[1]["previous"]
        assert previous["since"] == "a run of dev-agent ended without a report"
        assert (previous["summary"], previous["next_steps"]) == ("half of it", ["the other half"]), "nothing is lost"


def test_a_run_that_ended_without_a_word_is_told_of_where_nothing_was_left_before() -> None:
    with TrialBoard(preset_flow("kanban")) as board:
        board.add(TITLE, column="dev")
        board.crash(board.claim("dev-agent"))
        previous = take(board, "dev-agent")[1]["previous"]
        assert previous["end"] == "rescued" and "summary" not in previous


@pytest.mark.ledger("Q-13")
def test_lessons_reach_the_same_role_and_the_same_files_the_five_newest() -> None:
    with TrialBoard(preset_flow("kanban")) as board:
        for number in range(7):
            item = board.add("one", column="dev", files=[f"src/{number}.py"])
            board.effort("dev-agent", "done", lessons=[f"lesson {number}"])
            board.on(item, CancelItem())  # so that others may take its file
        board.add("two", column="dev", files=["src/other.py"])
        assert [one["text"] for one in take(board, "dev-agent")[1]["lessons"]] == [
            f"lesson {number}" for number in (6, 5, 4, 3, 2)
        ]
        board.add("three", column="stories", files=["src/4.py"])
        assert [one["text"] for one in take(board, "story-agent")[1]["lessons"]] == ["lesson 4"]


@pytest.mark.ledger("Q-06")
def test_a_brief_never_holds_what_other_runs_printed() -> None:
    """Only what a report says travels on, and all of it: what its dialect says beyond the contract is no output."""
    with TrialBoard(preset_flow("kanban")) as board:
        board.add(TITLE, column="dev")
        beside = {"log": "SAID BESIDE IT"}
        run = board.claim("dev-agent")
        board.engine.keep_output(run, [(1, "RAW OUTPUT of the run")])
        board.report(run, "failed", summary="red", extra=beside, usage={"input_tokens": 123_456})
        run, brief = take(board, "dev-agent")
        assert "RAW OUTPUT" not in str(brief) and "123456" not in str(brief)
        assert brief["previous"]["summary"] == "red" and "SAID BESIDE IT" in str(brief)
        board.report(run, "done", summary="green", extra=beside)
        told = str(take(board, "review-agent")[1])
        assert "RAW OUTPUT" not in told and "SAID BESIDE IT" in told


def test_the_report_format_names_this_run() -> None:
    with TrialBoard(preset_flow("kanban")) as board:
        board.add(TITLE, column="dev")
        view: View = board.engine.claim(PERSON, "dev-agent")
        assert view["brief"]["report_format"]["how"] == f"moot report {view['run']} --token {view['token']} FILE"
