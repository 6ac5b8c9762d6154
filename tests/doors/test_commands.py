"""Every command, in words and as JSON."""

import json

import pytest

from folkmoot.doors.cli.main import COMMANDS
from tests.doors.conftest import Moot


def test_init_says_what_was_made_and_how_to_begin(nowhere: Moot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(nowhere.folder))  # whatever clients this machine has
    answer = nowhere("init")
    assert (nowhere.folder / ".moot" / "flow.yaml").exists()
    for words in (".moot", "simple", "moot add", "moot claim coder", "moot board", "takes 2 runs"):
        assert words in answer.out


def test_init_as_json(nowhere: Moot) -> None:
    made = nowhere.json("init")
    assert made["flow"] == "simple" and made["way"] == ["coder", "reviewer"] and made["columns"][-1] == "done"


def test_an_empty_board_says_what_to_do(moot: Moot) -> None:
    assert "moot add" in moot("board").out
    assert moot.json("board")["items"] == []


def test_add_and_show(moot: Moot) -> None:
    added = moot("add", "Users can reset their password", "--priority", "high")
    assert "#1 added" in added.out and "story-agent" in added.out
    item = moot.json("add", "Second", "--after", "#1", "--tag", "auth", "--files", "src/a.py")
    assert item["id"] == "2" and item["status"] == "waiting" and item["after"] == ["1"]
    shown = moot("show", "#2")
    assert "#2  Second" in shown.out and "moot show 1" in shown.out and "src/a.py" in shown.out
    assert moot.json("show", "2")["title"] == "Second"


def test_a_body_comes_from_a_file_or_from_standard_input(moot: Moot) -> None:
    (moot.folder / "body.md").write_text("First line\n\n    code\n", "utf-8")
    assert moot.json("add", "One", "--body-file", "body.md")["body"] == "First line\n\n    code\n"
    assert moot.json("add", "Two", "--body", "-", stdin="piped")["body"] == "piped"
    assert "    code" in moot("show", "1").out


def test_list(moot: Moot) -> None:
    moot("add", "One")
    moot("add", "Two", "--tag", "auth", "--column", "dev")
    assert [line.split()[1] for line in moot("list").out.splitlines()] == ["#1", "#2"]
    assert [item["id"] for item in moot.json("list", "--tag", "auth")["items"]] == ["2"]
    assert [item["id"] for item in moot.json("list", "--column", "stories")["items"]] == ["1"]
    assert [item["id"] for item in moot.json("list", "--after", "1")["items"]] == ["2"]
    assert "No item" in moot("list", "--status", "done").out


def test_the_board_has_every_column_in_flow_order_and_others_only_when_used(moot: Moot) -> None:
    moot("add", "In dev", "--column", "dev")
    moot("add", "In review", "--column", "review")
    moot("add", "With a senior", "--column", "needs-senior-dev")
    claim = moot.json("claim", "review-agent")
    lines = moot("board").out.splitlines()
    heads = [line.split()[0] for line in lines if line.startswith(" ") and not line.startswith("  ")]
    assert heads == ["stories", "arch", "tests", "dev", "review", "qa", "needs-senior-dev", "done"]
    running = next(line for line in lines if "#2" in line)
    assert "In review" in running and "review-agent at work" in running
    assert "needs-human" not in heads and claim["agent"] == "review-agent"


def test_the_board_shows_failures_pauses_and_what_is_done(moot: Moot) -> None:
    moot("add", "Hard", "--column", "dev")
    moot.work("dev-agent", outcome="failed", summary="red", attempts=[{"approach": "one", "outcome": "red"}])
    moot("add", "Flaky", "--column", "qa")
    moot.work("qa-agent", outcome="failed", cause="transient", summary="the network was away")
    moot("add", "Good", "--column", "qa")
    moot.work("qa-agent")
    out = moot("board").out
    assert "Hard  1 failure" in out
    assert "Flaky  again in " in out
    assert "\n done     1\n" in out and "✓ #3  Good" in out


def test_the_board_puts_questions_first_with_the_command(disputed: Moot) -> None:
    out = disputed("board").out
    assert out.index("moot answer q1 1") < out.index("stories")
    assert "Users can reset a forgotten password  dispute q1" in out
    assert disputed.json("board")["questions"][0]["id"] == "q1"


@pytest.mark.ledger("K-14")
def test_show_tells_the_dispute_and_how_to_decide_it(disputed: Moot) -> None:
    out = disputed("show", "1").out
    assert "needs-human-review in tests" in out
    assert "Agents disagree after 3 rounds" in out
    for words in ("The test contradicts the story.", "It does not.", "It does.", "No."):
        assert out.count(words) == 1, f"{words!r} is told once, in its thread"
    assert "disputed it, c001 → tests" in out and "disagreed, round 3" in out
    assert "1. dev-agent is right → goes to tests, the dispute accepted" in out
    assert out.rstrip().endswith("You decide: moot answer q1 1")


@pytest.mark.ledger("K-14")
def test_show_tells_the_climb_with_verdicts_and_grounds(climbed: Moot) -> None:
    out = climbed("show", "1").out
    assert "ready in needs-senior-dev" in out and "6 failures" in out
    assert "1. dev-agent with glm-4 – counts: a new approach" in out
    assert "2. dev-agent with glm-4 – does not count: same as attempt 1" in out
    assert "7. dev-agent with opus – counts" in out
    assert "moot claim senior-dev-agent" in out


def test_show_folds_renewals_and_tells_who_is_at_work(moot: Moot) -> None:
    moot("add", "One", "--column", "dev")
    claim = moot.json("claim", "dev-agent")
    for _ in range(5):
        moot("renew", claim["run"], "--token", "1")
    out = moot("show", "1").out
    assert out.count("took it") == 1 and "lease" not in out.split("What happens next")[0]
    assert "dev-agent with glm-4 has been at work since" in out


def test_show_tells_findings_guidance_and_the_end(moot: Moot) -> None:
    moot("add", "One", "--column", "review")
    finding = {
        "kind": "review",
        "severity": "high",
        "file": "a.py",
        "line": 7,
        "issue": "wrong",
        "recommendation": "right",
    }
    moot.work("review-agent", outcome="changes_requested", summary="not yet", findings=[finding])
    assert "high a.py:7: wrong → right" in moot("show", "1").out
    moot.work("dev-agent", outcome="asks", question={"question": "Which?", "options": ["this", "that"]})
    answered = moot("answer", "q1", "2")
    assert "q1 answered: that" in answered.out and "dev-agent" in answered.out
    out = moot("show", "1").out
    assert "ada: that" in out and "answered q1" in out
    moot("cancel", "1", "--why", "no longer")
    assert "moot reopen 1" in moot("show", "1").out


def test_a_claim_in_words_is_enough_to_work_and_to_report(moot: Moot) -> None:
    moot("add", "One", "--column", "dev", "--body", "-", "--files", "src/a.py", stdin="The details.")
    moot.work("dev-agent", outcome="failed", summary="red", attempts=[{"approach": "the first way", "outcome": "red"}])
    moot("comment", "1", "Mind the edge.")
    out = moot("claim", "dev-agent").out
    run = moot.json("show", "1")["runs"][-1]
    for words in ("The details.", "src/a.py", "the first way", "Mind the edge.", run["run"], "token 2", "model glm-4"):
        assert words in out
    command = f'echo \'{{"outcome": "done", "summary": "…"}}\' | moot report {run["run"]} --token 2 -'
    assert command in out, "the command stands on one line, to be copied"


def test_a_claim_in_a_dispute_gives_the_exact_words_to_agree_and_to_disagree(moot: Moot) -> None:
    moot("add", "One", "--column", "tests")
    moot.work("test-architect")
    moot.work("dev-agent", outcome="disputed", comments=[{"content": "wrong"}])
    out = moot("claim", "test-architect").out
    agree = next(line for line in out.splitlines() if '"resolution": "accepted"' in line)
    report = agree[agree.index("{") : agree.rindex("}") + 1]
    run = moot.json("show", "1")["runs"][-1]
    assert '"outcome": "disputed", "comments": [{"parent": "c001"' in out
    assert '"outcome": "done", "summary"' not in out, "a plain done would leave the dispute open"
    after = moot.json("report", run["run"], "--token", str(run["token"]), "-", stdin=report)
    assert after["column"] == "dev" and after["comments"][0]["resolution"] == "accepted"


def test_a_disputer_is_told_that_done_speaks_of_its_own_work_too(moot: Moot) -> None:
    moot("add", "One", "--column", "tests")
    moot.work("test-architect")
    moot.work("dev-agent", outcome="disputed", comments=[{"content": "wrong"}])
    moot.work("test-architect", outcome="disputed", comments=[{"parent": "c001", "content": "right"}])
    claimed = moot("claim", "dev-agent").out
    assert "If your own work is still to do" in claimed
    assert '"outcome": "incomplete", "comments": [{"parent": "c001"' in claimed
    run = moot.json("show", "1")["runs"][-1]
    moot("release", run["run"], "--token", str(run["token"]))
    told = " ".join(moot("claim", "dev-agent", "--prompt").out.split())
    assert "beside `done` if your own work is done as well, beside `incomplete` if it is still to do" in told


def test_what_was_wrong_with_a_report_is_told_to_the_next_run(moot: Moot) -> None:
    moot("add", "One", "--column", "dev")
    claim = moot.json("claim", "dev-agent")
    moot("report", claim["run"], "--token", "1", "-", "--final", stdin="no JSON at all")
    assert "What was wrong with the last report" in moot("claim", "dev-agent").out
    cancelled = moot("cancel", "1").out
    assert "#1 cancelled" in cancelled and "the next run is told" not in cancelled, "there is none"


def test_renew_release_and_report(moot: Moot) -> None:
    moot("add", "One", "--column", "dev")
    claim = moot.json("claim", "dev-agent", "--lease", "10m", "--worker", "here")
    assert "#1 keeps its run" in moot("renew", claim["run"], "--token", "1").out
    assert "#1 given back" in moot("release", claim["run"], "--token", "1").out
    again = moot.json("claim", "dev-agent", "--item", "1")
    (moot.folder / "report.json").write_text('{"outcome": "done", "summary": "made"}', "utf-8")
    reported = moot("report", again["run"], "--token", str(again["token"]), "report.json")
    assert "#1 reported" in reported.out and "review-agent" in reported.out


def test_inside_a_run_the_environment_speaks_for_it(moot: Moot) -> None:
    moot("add", "One", "--column", "dev")
    claim = moot.json("claim", "dev-agent")
    inside = {"MOOT_RUN": claim["run"], "MOOT_TOKEN": str(claim["token"])}
    moot("comment", "1", "from inside", env=inside)
    moot("add", "Found on the way", env=inside)
    assert moot.json("comments", "1")["comments"][0]["author"] == "dev-agent"
    refused = moot("answer", "q1", "yes", "--as", "ada", "--json", env=inside, code=2)
    assert refused.error["code"] == "unknown_question"
    refused = moot("move", "1", "qa", "--as", "ada", "--json", env=inside, code=1)
    assert refused.error["code"] == "only_people", "a run cannot give itself a person's name"
    moot("report", "-", env=inside, stdin='{"outcome": "done"}')
    assert moot("add", "Too late", "--json", env=inside, code=1).error["code"] == "stale_claim"


def test_a_run_can_be_named_by_options(moot: Moot) -> None:
    moot("add", "One", "--column", "dev")
    claim = moot.json("claim", "dev-agent")
    as_run = ("--run", claim["run"], "--token", "1")
    moot("add", "Found on the way", *as_run)
    added = moot.json("log", "2")["events"][0]
    assert claim["run"] in (added["run"], added["agent"])
    assert moot("add", "Stale", "--run", claim["run"], "--token", "7", "--json", code=1).error["code"] == "stale_claim"
    assert moot("comment", "1", "x", "--run", claim["run"], "--json", code=2).error["code"] == "no_run"


def test_hands(moot: Moot) -> None:
    moot("add", "One")
    assert "#1 moved" in moot("move", "1", "dev", "--why", "it is clear").out
    assert "it is clear" in moot("show", "1").out
    assert "#1 edited" in moot("edit", "1", "--title", "Other", "--priority", "low").out
    assert moot.json("show", "1")["title"] == "Other"
    assert "#1 cancelled" in moot("cancel", "1").out
    assert "#1 reopened" in moot("reopen", "1").out
    assert moot.json("show", "1")["status"] == "ready"


def test_comments_stand_in_threads(moot: Moot) -> None:
    moot("add", "One")
    moot("comment", "1", "First", "--artifact", "spec.md", "--target", "Limits")
    moot("comment", "1", "Beside")
    assert "Reply" in moot("comment", "1", "Reply", "--parent", "c001", "--resolve", "accepted").out
    lines = [line.strip() for line in moot("comments", "1").out.splitlines()]
    assert [line for line in lines if line in ("First", "Reply", "Beside")] == ["First", "Reply", "Beside"]
    assert any("Limits on spec.md" in line and "resolved: accepted" in line for line in lines)
    assert len(moot.json("comments", "1")["comments"]) == 3
    moot("add", "Two")
    assert "Nobody" in moot("comments", "2").out


def test_the_inbox_has_all_that_is_needed_to_answer(disputed: Moot) -> None:
    asked = {
        "question": "Who may?",
        "context": "Two readings.",
        "options": ["one", {"option": "all", "why_insufficient": "too many"}],
    }
    disputed.work("dev-agent", outcome="asks", question=asked)
    out = disputed("inbox").out
    assert out.index("q1") < out.index("q2"), "oldest first"
    for words in ("Who may?", "Two readings.", "1. one", "2. all – too many", "moot answer q2 1", 'moot answer q2 "…"'):
        assert words in out
    assert [question["id"] for question in disputed.json("inbox")["questions"]] == ["q1", "q2"]
    assert "q2 answered: all" in disputed("answer", "q2", "2").out
    assert disputed.json("answer", "q1", "1", "the story wins", "--to", "dev")["column"] == "dev"


def test_the_log_has_a_line_for_each_event(disputed: Moot) -> None:
    events = disputed.json("log")["events"]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert len(disputed("log").out.splitlines()) == len(events)
    assert "dev-agent       disputed it, c001" in disputed("log", "1").out
    assert disputed.json("log", "--after", "3", "--limit", "2")["next"] == 5


def test_doctor_has_a_line_for_each_check(disputed: Moot) -> None:
    view = disputed.json("doctor")
    out = disputed("doctor").out
    assert view["ok"] is True
    assert all(f" {check['check']} " in out for check in view["checks"])
    assert f"All {len(view['checks'])} checks hold." in out


def test_check_says_what_is_in_force(moot: Moot) -> None:
    assert "in force already, as version 1" in moot("check").out
    flow = moot.folder / ".moot" / "flow.yaml"
    flow.write_text(flow.read_text("utf-8").replace("dispute_rounds: 3", "dispute_rounds: 2"), "utf-8")
    noted = moot("board")
    assert "moot apply" in noted.err, "a changed flow is noted, beside the answer"
    checked = moot.json("check")
    assert checked["changes"] == [{"key": "limits.dispute_rounds", "before": 3, "after": 2}]
    assert (checked["taken_in"], checked["version"]) == (False, 1), "a check changes nothing"
    assert "limits.dispute_rounds: 3 → 2" in moot("check").out and "version 1 is" in moot("check").out
    assert "in force now, as version 2" in moot("apply").out
    assert moot.json("apply")["taken_in"] is False


def test_check_prints_every_fault_on_its_line(moot: Moot) -> None:
    (moot.folder / "bad.yaml").write_text("flow: x\nstart: nowhere\ncolumns:\n  a: {agents: [b], nxt: c}\n", "utf-8")
    answer = moot("check", "bad.yaml", code=2)
    lines = [line for line in answer.err.splitlines() if line.startswith("bad.yaml:")]
    faults = moot("check", "bad.yaml", "--json", code=2).error["faults"]
    assert len(lines) == len(faults) >= 2
    assert [f"{f['file']}:{f['line']}:{f['column']}:" for f in faults] == [line.split(" ")[0] for line in lines]


def test_help_is_grouped_by_what_people_do(moot: Moot) -> None:
    out = moot("--help", "--all").out
    heads = ["Make a board:", "Give it work:", "Be an agent:", "Talk:", "Look:"]
    assert sorted(heads, key=out.index) == heads
    assert "..." not in out.split("Make a board:")[1], "every short help fits on its line"
    assert moot().out == moot("--help").out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_with_an_example(nowhere: Moot, command: str) -> None:
    out = nowhere(command, "--help").out
    usage, rest = out.split("\n\n", 1)
    assert usage.startswith(f"Usage: moot {command}")
    assert f"moot {command}" in rest


def test_options_may_stand_before_the_command(moot: Moot) -> None:
    moot("--board", str(moot.folder), "--as", "eve", "add", "One")
    shown = json.loads(moot("--json", "show", "1").out)
    assert "eve" in moot("log").out and shown["id"] == "1"


def test_a_column_that_does_not_exist_is_named(moot: Moot) -> None:
    error = moot("claim", "dev-agent", "--column", "devv", "--json", code=2).error
    assert error["code"] == "unknown_column" and error["message"] == "there is no column 'devv'"
    assert error["hint"].startswith("did you mean: dev;")
    assert moot("claim", "dev-agent", "--column", "arch", "--json", code=2).error["code"] == "not_watched"


def test_a_persons_words_are_quoted_in_a_sentence_of_ours(moot: Moot) -> None:
    moot("add", "One", "--column", "dev")
    moot("move", "1", "review", "--why", "We need it after all")
    assert moot.json("show", "1")["why"].endswith(", because ada said “We need it after all”.")
    moot("cancel", "1")
    moot("reopen", "1", "--why", "Yes")
    assert " because ada said “Yes”." in moot.json("show", "1")["why"]
    moved = [event["context"] for event in moot.json("log", "1")["events"] if event["event"] == "item_moved"]
    assert moved[0]["why"] == "We need it after all", "the log has the words as they were said"


def test_work_is_sent_back_with_what_must_change(moot: Moot) -> None:
    moot("add", "One", "--column", "review")
    told = moot("send-back", "1", "--finding", "high: src/reset.py:42: the link never expires", "--finding", "no tests")
    assert "#1 sent back" in told.out
    view = moot.json("show", "1")
    assert view["column"] == "dev" and "asks for changes: the link never expires" in view["why"]
    assert [(one["issue"], one["file"], one["line"], one["severity"]) for one in view["findings"]] == [
        ("the link never expires", "src/reset.py", 42, "high"),
        ("no tests", None, None, "medium"),
    ]
    assert moot("send-back", "1", "--json", code=2).error["code"] == "nothing_found"
    assert "asks for changes" in moot("log", "1").out
