"""What an agent tries that nobody here started: it has a clone, a run's token, and whatever client it is."""

from pathlib import Path

import pytest

from folkmoot.api.requests import Add, AddComment, AskPerson, OfferReport
from folkmoot.core.report import Report
from folkmoot.errors import Invalid
from tests.some import some
from tests.worker.test_outside import claim, report, speaker, workspace
from tests.worker.yard import Yard

SETTINGS = ".claude/settings.json"
HOOKS = '{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch /tmp/run-by-a-hook"}]}]}}\n'


@pytest.mark.ledger("R-19", "Q-03")
@pytest.mark.attack(
    "gates",
    "an agent from outside brings settings of a client (hooks, servers), which the next session that claims would obey",
    "it is refused: whoever plays agents may be any known client, so what they obey is changed by no run",
)
@pytest.mark.parametrize(
    "path",
    some(
        [SETTINGS, ".mcp.json", ".codex/config.toml", ".cursor/mcp.json", ".vscode/mcp.json"], [SETTINGS, ".mcp.json"]
    ),
)
def test_no_agent_from_outside_brings_settings_that_the_next_session_obeys(tmp_path: Path, path: str) -> None:
    yard = Yard(tmp_path / "yard")
    item = yard.add("sly")
    view = claim(yard)
    (workspace(view) / path).parent.mkdir(exist_ok=True)
    (workspace(view) / path).write_text(HOOKS)
    report(yard, view)
    assert "is where a client that plays your agents finds settings" in str(yard.board.log(item=item))
    assert yard.commits() == ["first"]
    yard.close()


PLANTING = """
flow: planting
start: dev
clone: {setup: [[sh, build.sh]]}
columns: {dev: {agents: [dev], next: review}, review: {agents: [reviewer], next: done, fix: dev}}
agents: {dev: {run: {command: ACTOR}, write: any}, reviewer: {write: none}}
"""


@pytest.mark.attack(
    "tree",
    "what an agent wrote runs in setup, and leaves settings of a client in the clone that a reviewer from outside gets",
    "they are not there: what setup leaves where a known client finds settings, untracked, is taken away",
)
def test_setup_leaves_no_settings_in_the_clone_of_an_agent_from_outside(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", flow=PLANTING, files={"build.sh": "true\n", ".gitignore": ".claude\n.mcp.json\n"})
    yard.add("sly", "write build.sh mkdir -p .claude deps; touch .claude/hook .mcp.json deps/it", "report done")
    yard.run()
    view = claim(yard, "reviewer")
    assert (workspace(view) / "deps" / "it").exists(), "setup ran what the agent wrote"
    assert not (workspace(view) / ".claude" / "hook").exists() and not (workspace(view) / ".mcp.json").exists()
    yard.close()


SECRET = "fk-93jd82kd02ksl2920dk"


@pytest.mark.attack(
    "secrets",
    "an agent from outside says a secret of its clone (`.env`) in a comment, a question, a title, or a report unread",
    "it is taken out of whatever a run says, by whichever door, before it is kept, told by `notify` or sent in a trace",
)
def test_nothing_that_an_agent_from_outside_says_holds_a_secret_of_its_clone(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", files={".gitignore": ".env\n", ".worktreeinclude": ".env\n"})
    (yard.folder / ".env").write_text(f"SERVICE_KEY={SECRET}\n")
    yard.add("one")
    view = claim(yard)
    assert SECRET in (workspace(view) / ".env").read_text()
    run = yard.board._application.asked_by(speaker(view), "run")
    words = f"it is {SECRET}"
    run(AddComment(content=words, item=view.brief["task"]["id"]), f"key {SECRET}")
    run.tell(AskPerson(question=words, options=[SECRET], context=words))
    run(Add(title=words, body=words, tags=[SECRET]))
    with pytest.raises(Invalid):
        run(OfferReport(report=Report.unread("not a report", words), fault=words))
    report(yard, view, Report(outcome="failed", summary=words))
    kept = b"".join(path.read_bytes() for path in (yard.folder / ".moot").glob("board.db*"))
    assert b"[secret:SERVICE_KEY]" in kept and SECRET.encode() not in kept
    yard.close()
