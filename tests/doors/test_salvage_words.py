"""Who brings a run's work back by hand is told what the item does when it goes again, and it does that."""

import json

from tests.doors.conftest import Moot
from tests.worker.yard import git

# The builder makes a part, and fails, leaves it unfinished or is done, as the title says.
AGENT = """
import json, os, pathlib
task = json.loads(pathlib.Path(os.environ["MOOT_BRIEF"]).read_text())["task"]
seen = sorted(path.name for path in pathlib.Path(".").glob("*.txt"))
pathlib.Path("part.txt").write_text("half\\n")
how = task["title"].split(":")[0]
said = {"outcome": how, "summary": f"it saw {seen}"}
if how == "failed":
    said["attempts"] = [{"approach": "as it stands", "outcome": "red"}]
print(json.dumps(said))
"""
FLOW = {
    "flow": "house",
    "columns": {"build": {"agents": ["builder"], "next": "done"}},
    "agents": {"builder": {"run": {"command": ["python3", "builder.py"]}, "ladder": {"0": "small", "1+": "escalate"}}},
}


def words(text: str) -> str:
    return " ".join(text.split())


def salvaged(moot: Moot, title: str) -> str:
    """The branch of the work of a run on an item with this title, merged by hand, and what was said of it."""
    folder = moot.folder
    git(folder, "init", "-q", "-b", "main")
    (folder / "builder.py").write_text(AGENT)
    git(folder, "add", "builder.py")
    git(folder, "commit", "-qm", "start")
    (folder / ".moot").mkdir()
    (folder / ".moot" / "flow.yaml").write_text(json.dumps(FLOW))
    moot("init")
    moot("add", title)
    moot("run", "--until-idle")
    run = moot.json("salvage")["unlanded"][0]["run"]
    out = moot("salvage", run).out
    git(folder, "merge", "-q", f"moot/salvage/{run}")
    return words(out)


def test_an_item_without_work_begins_at_the_branch_and_has_what_was_merged(nowhere: Moot) -> None:
    said = salvaged(nowhere, "failed: a part")
    assert "#1 is not changed by this: its next run begins at main as it is then." in said
    assert "what you merge is all it needs: moot move 1 done --why …" in said
    nowhere("answer", "q1", "1")
    nowhere("run", "--until-idle")
    assert "it saw ['part.txt']" in nowhere("show", "1").out
    nowhere("move", "1", "done", "--why", "merged by hand")
    assert nowhere.json("show", "1")["status"] == "done"
    again = words(nowhere("salvage", nowhere.json("show", "1")["runs"][0]["run"]).out)
    assert "#1 is done, and no run comes again unless you say: moot reopen 1 --why …" in again


def test_an_item_with_work_goes_on_from_it_and_not_from_what_was_merged(nowhere: Moot) -> None:
    said = salvaged(nowhere, "incomplete: a part")
    (nowhere.folder / "by_hand.txt").write_text("by hand\n")
    git(nowhere.folder, "add", "by_hand.txt")
    git(nowhere.folder, "commit", "-qm", "by hand")
    assert "its next run goes on from the item's own work (moot diff 1), and sees neither this branch" in said
    assert "That work is merged with main when it lands." in said and "moot cancel 1 --why …" in said
    nowhere("answer", nowhere.json("inbox")["questions"][0]["id"], "1")
    nowhere("run", "--until-idle")
    assert "it saw ['part.txt']" in nowhere("show", "1").out
