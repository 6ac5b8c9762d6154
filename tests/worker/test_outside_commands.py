"""`moot claim --clone`, `moot report` and `moot release` by an agent from outside, each a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from folkmoot.wiring.boards import FileBoards
from tests.worker.test_outside import attended, board_of, clones
from tests.worker.yard import Yard

DONE = '{"outcome": "done", "summary": "wrote it"}'


def moot(
    yard: Yard, *words: str, stdin: str = "", cwd: Path | None = None, env: dict[str, str] | None = None
) -> tuple[int, str, str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MOOT_")}
    ended = subprocess.run(
        [sys.executable, "-m", "folkmoot", *words],
        input=stdin,
        capture_output=True,
        text=True,
        cwd=cwd or yard.folder,
        env={**clean, "PYTHONPATH": os.pathsep.join(sys.path), "COLUMNS": "400", **(env or {})},
        check=False,
    )
    return ended.returncode, ended.stdout, ended.stderr


def claimed(yard: Yard) -> dict[str, Any]:
    code, out, err = moot(yard, "claim", "--clone", "--json")
    assert code == 0, err
    view: dict[str, Any] = json.loads(out)
    return view


def in_run(view: dict[str, Any], yard: Yard) -> dict[str, str]:
    board = str(yard.folder / ".moot")
    return {"MOOT_RUN": view["run"], "MOOT_TOKEN": str(view["token"]), "MOOT_BOARD": board}


def test_a_shell_claims_works_and_reports_and_is_told_that_a_worker_is_missing(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", gate=["/bin/sh", "-c", "test -e new.txt"])
    item = yard.add("one")
    view = claimed(yard)
    clone = Path(view["workspace"])
    (clone / "new.txt").write_text("from a shell\n")
    code, out, err = moot(yard, "report", "-", stdin=DONE, cwd=clone, env=in_run(view, yard))
    assert code == 0, err
    assert "one" in out and "no worker is running here" in err and "moot run" in err
    assert not clone.exists()
    attended(yard, lambda: yard.status(item) == "done")
    assert yard.landed("new.txt") == "from a shell"
    yard.close()


def test_a_shell_is_told_why_its_change_was_not_taken(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    yard.add("one", files=["mine.txt"])
    view = claimed(yard)
    clone = Path(view["workspace"])
    (clone / "theirs.txt").write_text("from a shell\n")
    code, out, err = moot(yard, "report", "-", stdin=DONE, cwd=clone, env=in_run(view, yard))
    assert code == 0, err
    assert "reported done, taken as failed" in out
    assert "The change was not taken: theirs.txt" in out and "moot salvage" in out
    yard.close()


def test_where_somebody_attends_no_worker_is_missed(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", gate=["/bin/sh", "-c", "sleep 600"], timeout="900s")
    yard.add("one")
    view = claimed(yard)
    (Path(view["workspace"]) / "new.txt").write_text("new\n")
    boards, token = FileBoards(), str(view["token"])
    with boards.attend(board_of(yard), yard.told.append):
        code, out, err = moot(yard, "report", view["run"], "--token", token, "-", "--json", stdin=DONE)
        assert (code, json.loads(out)["status"], err) == (0, "proving", "")
    yard.close()


def test_the_words_name_the_clone_and_what_a_shell_must_know(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    yard.add("one")
    code, out, err = moot(yard, "claim", "dev", "--clone")
    assert code == 0, err
    (run,) = clones(yard)
    assert f"cd {yard.folder / '.moot' / 'runs' / run / 'workspace'}" in out
    assert f"export MOOT_BOARD={yard.folder / '.moot'} MOOT_RUN={run} MOOT_TOKEN=1" in out
    code, out, err = moot(yard, "claim", "dev", "--clone", "--json", env={"MOOT_RUN": run, "MOOT_TOKEN": "1"})
    assert (code, json.loads(err)["error"]["code"]) == (1, "inside_a_run")
    assert clones(yard) == [run]
    code, out, err = moot(yard, "release", run, "--token", "1", "--json")
    assert (code, json.loads(out)["status"], clones(yard)) == (0, "ready", [])
    yard.close()


def test_the_prompt_alone_can_be_had_with_a_clone(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    yard.add("one", "Write it down.")
    code, out, err = moot(yard, "claim", "--clone", "--prompt")
    assert code == 0, err
    (run,) = clones(yard)
    spool = yard.folder / ".moot" / "runs" / run / "spool"
    assert out.rstrip("\n") == (spool / "prompt.txt").read_text().rstrip("\n") and "Write it down." in out
    assert f"run {run}, token 1, item 1, clone {spool.parent / 'workspace'}" in err
    yard.close()


def test_a_report_that_cannot_be_read_leaves_the_clone(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    yard.add("one")
    view = claimed(yard)
    code, _, err = moot(yard, "report", "-", "--json", stdin="I am done, I think", env=in_run(view, yard))
    assert (code, clones(yard)) == (2, [view["run"]]), err
    (Path(view["workspace"]) / "new.txt").write_text("new\n")
    code, _, err = moot(yard, "report", "-", "--json", stdin=DONE, env=in_run(view, yard))
    assert (code, clones(yard)) == (0, []), err
    yard.close()
