"""What a hostile agent, or a hostile repository, tries against the worker, with real processes where one is needed."""

import os
import stat
import tracemalloc
from pathlib import Path

import pytest

from folkmoot.worker.folder import Folder
from folkmoot.worker.jobs import bounds
from folkmoot.worker.output import Lines
from folkmoot.worker.removing import remove_tree
from tests.worker.yard import ACTOR, Yard, git

SETUP = "setup: [[/bin/sh, ./setup.sh]]"


@pytest.mark.attack("tree", "setup plants links and pipes where the worker writes", "nothing is written through them")
@pytest.mark.ledger("Q-03")
def test_links_and_pipes_that_setup_plants_are_not_written_through(tmp_path: Path) -> None:
    """Setup runs what the repository holds, where the worker then writes the brief and the prompt."""
    mine = tmp_path / "mine.txt"
    mine.write_text("mine\n")
    plant = f"ln -s {mine} ../spool/prompt.txt\nmkfifo ../spool/brief.json\nln -s {mine} ../home/tmp/x\ntrue\n"
    yard = Yard(tmp_path / "yard", files={"setup.sh": plant}, agent=SETUP)
    item = yard.add("one", "write a.txt a", "report done")
    yard.run()
    assert mine.read_text() == "mine\n"
    assert yard.status(item) == "done"
    assert yard.landed("a.txt") == "a"


@pytest.mark.ledger("Q-03", "R-20")
def test_what_no_run_may_leave_is_refused_and_put_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twins in case, files without end, folders without end, more paths than can be judged, a folder as report."""
    monkeypatch.setattr(bounds, "PATHS_BYTES_MAX", 2_000)  # git takes its time for as many files as are too many
    yard = Yard(tmp_path / "yard", files={"src/a.txt": "a\n"})
    deep = "import os\nfor _ in range(45): os.mkdir('d' * 100); os.chdir('d' * 100)\nopen('x', 'w')"
    many = "import os\nos.mkdir('src/m')\nfor n in range(40): open(f'src/m/{n}', 'w').close()"
    python = "shell python3 -c \"exec('''{}''')\""
    acts = {
        "twin": "write SRC/x 1",
        "letter": "write \u017frc/x 1",
        "large": "shell truncate -s 40G src/large",
        "deep": python.format(deep.replace("\n", "\\n")),
        "many": python.format(many.replace("\n", "\\n")),
    }
    items = {name: yard.add(name, act, "report done", files=["src/"]) for name, act in acts.items()}
    said = 'report done {"summary": "nothing had to change"}'
    folder = yard.add("folder", "shell mkdir $MOOT_REPORT", said)
    yard.run()
    for name, item in items.items():
        last = yard.show(item)["runs"][-1]
        assert last["outcome"] == "failed" and last["cause"] == "conflict", (name, last)
    assert yard.status(folder) == "done"  # what it printed counts: there is no report in a folder
    assert yard.commits() == ["first"]
    assert os.listdir(yard.folder / ".moot" / "runs") == []
    yard.doctor()


@pytest.mark.ledger("Q-03")
def test_secrets_said_by_command_are_kept_by_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVIL_API_KEY", "fk-93jd82kd02ksl2920dk")
    client = f"clients: {{evil: {{command: {ACTOR}, speaks: text, env: [EVIL_API_KEY]}}}}"
    flow = f"""
flow: secrets
start: dev
columns: {{dev: {{agents: [dev], next: done}}}}
agents: {{dev: {{run: {{client: evil}}, ladder: {{0: small, 1+: escalate}}}}}}
models: {{small: {{client: evil}}}}
{client}
"""
    yard = Yard(tmp_path / "yard", flow=flow)
    item = yard.add(
        "one",
        'shell moot comment $MOOT_ITEM "it is $EVIL_API_KEY" && moot ask "is it $EVIL_API_KEY?"',
        'shell echo "{\\"outcome\\": \\"done\\", \\"summary\\": \\"with $EVIL_API_KEY\\"}" | moot report -',
    )
    yard.run()
    assert "[secret:EVIL_API_KEY]" in str(yard.show(item))
    for file in (yard.folder / ".moot").glob("board.db*"):
        assert b"fk-93jd82kd02ksl2920dk" not in file.read_bytes()


@pytest.mark.ledger("R-21")
def test_of_a_gate_that_talks_and_talks_only_the_end_is_kept(tmp_path: Path) -> None:
    """It runs the agent's code: all of its lines in memory would be as much as that code likes."""
    yard = Yard(tmp_path / "yard", gate=["/bin/sh", "-c", "seq 1 400000; echo the end"])
    item = yard.add("one", "write a.txt a", "report done")
    tracemalloc.start()
    try:
        yard.run(slots=1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert yard.status(item) == "done"
    assert "the end" in str(yard.show(item))
    assert peak < 18_000_000, peak  # the lines alone would be some 25 million


def test_a_drip_on_an_endless_line_is_not_copied_for_each_drop() -> None:
    lines = Lines(most=10)
    assert lines.feed(b"abc") == ("abc", [])
    assert lines.feed(b"d\ne\nf") == ("d\ne\nf", ["abcd", "e"])
    assert lines.feed(b"0123456789") == ("0123456789", ["f0123456789"])
    assert lines.feed(b"\n") == ("\n", [""])
    assert lines.feed(b"x", last=True) == ("x", ["x"])
    assert len(lines._parts) == 0


def test_deleting_goes_through_no_link_and_opens_what_is_locked(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o755)
    (outside / "file").write_text("mine")
    (outside / "file").chmod(0o644)
    tree = tmp_path / "tree"
    (tree / "locked" / "inner").mkdir(parents=True)
    (tree / "locked" / "file").symlink_to(outside / "file")
    (tree / "locked" / "folder").symlink_to(outside)
    (tree / "0.1.gone").write_text("a name like ours")
    (tree / "locked" / "inner").chmod(0)
    (tree / "locked").chmod(0o500)
    remove_tree(str(tree))
    assert not tree.exists()
    assert stat.S_IMODE((outside / "file").stat().st_mode) == 0o644
    assert stat.S_IMODE(outside.stat().st_mode) == 0o755


def test_a_repository_planted_in_a_plain_folder_is_seen(tmp_path: Path) -> None:
    folder = Folder(str(tmp_path))
    before = folder.listing()
    git(tmp_path, "init", "-q", "sub")
    touched = {one.path: one.mode for one in folder.work(before, folder.listing()).touched}
    assert touched == {"sub/.git": "160000"}


ROUND = """
flow: round
start: dev
columns:
  dev: {agents: [dev], next: done, gate: [check]}
  quick: {agents: [dev], next: done}
agents: {dev: {run: {command: ACTOR}, write: own, ladder: {0: small, 1+: escalate}}}
gates: {check: {run: [/bin/false]}}
"""


@pytest.mark.ledger("R-21")
def test_a_run_cannot_go_round_a_gate_by_adding_an_item_behind_it(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", flow=ROUND)
    item = yard.add("sly", "moot add evil --column quick", "moot add good --column dev", "write a.txt a", "report done")
    yard.run()
    said = yard.output(yard.show(item)["runs"][0]["run"])
    assert "cannot add an item to quick" in said
    assert [one["title"] for one in yard.board.list(column="quick")] == []
    assert "good" in {one["title"] for one in yard.board.list()}
    assert yard.commits() == ["first"]


def test_only_what_has_landed_fills_the_shared_cache(tmp_path: Path) -> None:
    """Setup at an item's own commit runs what an agent wrote: it gets a cache of its own."""
    setup = "mkdir -p $PIP_CACHE_DIR; cp mark $PIP_CACHE_DIR/mark\n"
    yard = Yard(
        tmp_path / "yard", files={"setup.sh": setup, "mark": "clean\n"}, agent=SETUP, gate=["/bin/sh", "-c", "exit 0"]
    )
    item = yard.add("one", "write mark poisoned", "report incomplete")
    yard.run()
    assert len(yard.show(item)["runs"]) > 1, "a second run began from the first one's commit"
    assert (yard.folder / ".moot" / "cache" / "pip" / "mark").read_text() == "clean\n"
