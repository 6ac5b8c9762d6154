"""`moot stop --now`: what runs ends, its item is given back, and what was made is kept."""

import threading
from pathlib import Path

from folkmoot.core.commands import Actor, ResumeBoard, StopBoard
from tests.worker.yard import Yard, git

ADA = Actor("ada")


def test_runs_end_at_once_and_their_work_is_kept(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    item = yard.add("long", "write half.txt half a thought", "say here", "wait 300")
    engine = yard.board._application.engine
    began = threading.Event()

    def stop() -> None:
        began.wait(60)
        engine.on_board(ADA, StopBoard())
        assert yard.show(item)["status"] == "running", "a pause alone lets it finish"
        engine.on_board(ADA, StopBoard(now=True))

    other = threading.Thread(target=stop)
    other.start()
    yard.run(step=lambda name, run: began.set() if name == "spawn" else None)
    other.join()
    shown = yard.show(item)
    assert shown["status"] == "ready" and shown["failure_count"] == 0
    run = shown["runs"][0]
    assert run["end"] == "released"
    kept = git(yard.folder / ".moot" / "repo.git", "show", f"refs/moot/runs/{run['run']}:half.txt")
    assert kept == "half a thought"
    assert yard.queries.pauses()["pauses"][0]["now"]
    engine.on_board(ADA, ResumeBoard())
    assert yard.queries.pauses()["pauses"] == []
    yard.doctor()
    yard.close()
