"""The documents' own examples of agents that meet in one file, or send for each other, through the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.moot import Moot, new_board
from tests.documents import FAILURES, REVIEW
from tests.worker.yard import ACTOR, git

View = dict[str, Any]
ROUTES = "login = 1\n# \n# \n# \n# \nregistration = 1\n"


def project(folder: Path, preset: str, **files: str) -> Moot:
    """A repository with a board of a preset, in which every agent is a program that does what its item's text says."""
    git(folder, "init", "-q", "-b", "main", ".")
    for name, text in {"README.md": "a project\n", **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    moot = new_board(folder, preset)
    flow = folder / ".moot" / "flow.yaml"
    text = flow.read_text().replace("# run: {client: claude-code}", f"run: {{command: {json.dumps(ACTOR)}}}")
    flow.write_text(text.replace('["make", "check"]', '["true"]'))
    moot("apply")
    return moot


def runs_of(moot: Moot, item: str, agent: str) -> list[View]:
    return [run for run in moot("show", item)["runs"] if run["agent"] == agent]


@pytest.mark.ledger("Q-03", "Q-05", "R-07", "R-20")
def test_registration_and_login_both_modify_one_file_and_nobody_does_it_twice(tmp_path: Path) -> None:
    """Quest: "auth routes": "registration + login both modify routes/auth.ts". One task declares it, one finds out."""
    moot = project(tmp_path, "quest", **{"routes/auth.ts": ROUTES})
    tasks = [
        {
            "key": "codeweaver-1",
            "title": "User can register with email",
            "files": ["src/auth/registration.ts", "src/auth/registration.test.ts", "routes/auth.ts"],
            "body": "shell sed -i s/registration\\ =\\ 1/registration=2/ routes/auth.ts\n"
            'shell until moot show 3 --json | grep -q \'"status": *"proving"\'; do sleep 0.1; done\nreport done',
        },
        {
            "key": "codeweaver-2",
            "title": "User can reset password",
            "body": "shell sed -i s/login\\ =\\ 1/login=2/ routes/auth.ts\nreport done",
        },
    ]
    body = f"only pathseeker report split {json.dumps({'tasks': tasks})}"
    lines = [body, "only lawbringer report done", "only siegemaster report done"]
    moot("add", "Auth", "--body", "-", stdin="\n".join(lines))
    ran = moot.process("run", "--until-idle")
    assert ran.code == 0, ran.err
    assert moot.say("inbox").code == 3, "nobody is asked"
    assert [run["outcome"] for run in runs_of(moot, "2", "codeweaver")] == ["done"]
    assert [run["outcome"] for run in runs_of(moot, "3", "codeweaver")] == ["done"], "it waited, and did nothing again"
    assert len(runs_of(moot, "1", "pathseeker")) == 1, "nothing was split again"
    assert "work_waits" in [event["event"] for event in moot.events("3")]
    landed = git(tmp_path, "show", "main:routes/auth.ts")
    assert "login=2" in landed and "registration=2" in landed and moot("show", "1")["status"] == "done"


@pytest.mark.ledger("P-03", "P-06", "R-20")
def test_a_test_run_that_touches_a_file_loses_the_file_and_not_the_failures(tmp_path: Path) -> None:
    """Pipeline: `test_failures` of the test-executor, whose own test run has written go.sum."""
    moot = project(tmp_path, "pipeline", **{"go.sum": "one\n"})
    broken = {**FAILURES, "round": 1}
    lines = [
        "only implementer shell test -e handler.go && echo fixed > handler.go || echo draft > handler.go",
        "only test-executor shell echo two >> go.sum",
        f"only test-executor shell grep -q draft handler.go && printf '%s' '{json.dumps(broken)}' > $MOOT_REPORT",
        'only test-executor shell test -e $MOOT_REPORT || echo \'{"outcome": "done"}\' > $MOOT_REPORT',
        "only implementer report done",
        "only reviewer report done",
        "only devils-advocate report done",
    ]
    moot("add", "Feature X with tests", "--body", "-", stdin="\n".join(lines))
    ran = moot.process("run", "--until-idle")
    assert ran.code == 0, ran.err
    tested = runs_of(moot, "1", "test-executor")
    assert [run["outcome"] for run in tested] == ["changes_requested", "done"]
    assert all(run["dropped"] and run["changed"] == [{"path": "go.sum", "how": "modified"}] for run in tested)
    assert git(tmp_path, "show", "main:go.sum") == "one" and git(tmp_path, "show", "main:handler.go") == "fixed"
    story = moot.process("show", "1").out
    assert "work_dropped" in [event["event"] for event in moot.events("1")] and "go.sum" in story


@pytest.mark.ledger("P-02", "R-25")
def test_a_dispatched_fix_knows_what_it_is_for_and_its_asker_hears_of_it(tmp_path: Path) -> None:
    """Pipeline: {"agent": "implementer", "task": "Fix the following issues found by reviewer:\\n\\n<issues>"}."""
    moot = new_board(tmp_path, "pipeline")
    words = "Users see their orders. The list has pages."
    moot("add", "Feature X with tests", "--body", "-", "--files", "handlers/feature.go", stdin=words)
    moot.effort("implementer", "done")
    claim = moot("claim", "reviewer")
    issue = REVIEW["findings"][0]["issue"]
    inside = ["--run", claim["run"], "--token", str(claim["token"])]
    sent = moot("dispatch", "implementer", f"Fix the following issues found by reviewer:\n\n{issue}", *inside)
    asker = moot("show", "1")
    assert asker["dispatched"] == [{"item": sent["id"], "agent": "implementer"}]
    assert sent["files"] == ["handlers/feature.go"], "a part's fix may change what its item may, and nothing else"
    fix = moot("claim", "implementer", "--item", sent["id"])
    (about,) = fix["brief"]["projectContext"]["askedBy"]
    assert (about["id"], about["title"], about["body"]) == ("1", "Feature X with tests", words)
    assert fix["brief"]["task"]["purpose"] == "fix" and "reviewer dispatched implementer" in fix["brief"]["task"]["why"]
    moot.report(fix, "done", summary="Added error handling for missing input")
    asker = moot("show", "1")
    assert asker["dispatched"] == []
    assert [(o["kind"], o["outcome"], o["summary"]) for o in asker["outputs"]] == [
        ("dispatch", "done", "Added error handling for missing input")
    ]
    names = [event["event"] for event in moot.events("1")]
    assert names.index("agent_dispatched") < names.index("output_received")
    moot.hand_in(claim, json.dumps(REVIEW))
    moot.effort("devils-advocate", "done")
    outputs = moot("claim", "implementer")["brief"]["outputs"]
    assert "Added error handling for missing input" in [output["summary"] for output in outputs]


@pytest.mark.ledger("R-25")
def test_whoever_sent_for_an_item_that_was_cancelled_hears_of_that_too(tmp_path: Path) -> None:
    moot = new_board(tmp_path, "pipeline")
    moot("add", "Feature X with tests", "--column", "test")
    claim = moot("claim", "test-executor")
    sent = moot("dispatch", "implementer", "Fix it", "--run", claim["run"], "--token", str(claim["token"]))
    moot("cancel", sent["id"])
    (output,) = moot("show", "1")["outputs"]
    assert (output["item"], output["outcome"]) == (sent["id"], "failed") and "cancelled" in output["summary"]
    assert moot("show", "1")["dispatched"] == []
