"""A day's budget through the commands of a user: spent, raised, lowered, first set; what each command then says."""

import json
import re
import time
from collections.abc import Callable

import pytest

from tests.doors.conftest import Moot
from tests.worker.yard import git

USED = {"input_tokens": 90, "output_tokens": 30, "cost_usd": 0.0048}
REPORT = json.dumps({"outcome": "done", "summary": "made", "usage": USED})
AGENT = f"""echo x > "$MOOT_RUN.txt"; printf '{REPORT}' > "$MOOT_REPORT\""""
Scene = Callable[[Moot], None]


def set_budget(moot: Moot, **budget: object) -> None:
    path = moot.folder / ".moot" / "flow.yaml"
    flow = json.loads(path.read_text())
    path.write_text(json.dumps({**flow, "budget": budget}))
    moot("apply")


def on_one_day(moot: Moot, scene: Scene, **budget: object) -> None:
    """Play the scene on a board with three items. A day that ends meanwhile takes its budget along: then once more."""
    base = moot.folder
    for place in ("first", "again"):
        moot.folder = base / place
        day = time.time() // 86_400
        try:
            _project(moot, budget)
            scene(moot)
            return
        except AssertionError:
            if time.time() // 86_400 == day:
                raise


def _project(moot: Moot, budget: dict[str, object]) -> None:
    folder = moot.folder
    (folder / ".moot").mkdir(parents=True)
    (folder / "a.txt").write_text("good\n")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "a.txt")
    git(folder, "commit", "-qm", "first")
    flow = {
        "columns": {"dev": {"agents": ["dev"], "next": "done"}},
        "agents": {"dev": {"run": {"command": ["/bin/sh", "-c", AGENT]}}},
        "limits": {"slots": 1},
        "sandbox": "never",
        "budget": budget,
    }
    (folder / ".moot" / "flow.yaml").write_text(json.dumps(flow))
    moot("init")
    for title in ("Paint the door", "Mend the roof", "Sweep the yard"):
        moot("add", title)


def runs(moot: Moot) -> int:
    return int(moot.json("usage")["total"]["runs"])


@pytest.mark.ledger("R-07")
def test_a_larger_budget_ends_the_wait_wherever_it_is_told(nowhere: Moot) -> None:
    def scene(moot: Moot) -> None:
        moot("run", "--until-idle")
        assert runs(moot) == 1
        for command in ("board", "status"):
            out = " ".join(moot(command).out.split())
            assert out.count("the day's budget is spent") == 1, command
            assert re.search(r"the day's budget is spent: no agent begins until [-:0-9 ]+ [A-Z]+", out), command
        assert [one["what"] for one in moot.json("status")["pauses"]] == ["day"]
        set_budget(moot, day_usd=5)
        for command in ("board", "status", "usage"):
            assert "no agent begins" not in moot(command).out, command
        assert moot.json("status")["pauses"] == moot.json("usage")["pauses"] == []
        assert "no agent begins" not in moot("run", "--until-idle").out
        assert runs(moot) == 3
        assert moot("doctor").code == 0

    on_one_day(nowhere, scene, day_usd=0.004)


@pytest.mark.ledger("R-07")
def test_a_smaller_budget_that_is_spent_already_begins_nothing(nowhere: Moot) -> None:
    def scene(moot: Moot) -> None:
        moot("run", "--until-idle")
        assert runs(moot) == 3
        moot("add", "Cut the hedge")
        set_budget(moot, day_usd=0.005)
        assert "no agent begins until" in moot("board").out
        assert "begins   " not in moot("run", "--until-idle").out
        assert runs(moot) == 3
        set_budget(moot, day_usd=0.006)  # larger, and spent as well
        moot("run", "--until-idle")
        assert runs(moot) == 3
        moot("resume")  # a person lets today go on, and that stands whatever the flow says then
        set_budget(moot, day_usd=0.005)
        moot("run", "--until-idle")
        assert runs(moot) == 4
        assert moot("doctor").code == 0

    on_one_day(nowhere, scene, day_usd=5)


@pytest.mark.ledger("R-07")
def test_the_first_budget_of_a_day_counts_what_the_day_has_used(nowhere: Moot) -> None:
    def scene(moot: Moot) -> None:
        moot("run", "--until-idle")
        moot("add", "Cut the hedge")
        set_budget(moot, day_usd=5, day_tokens=10_000, day_time="1h")
        used = {one["unit"]: one["used"] for one in moot.json("usage")["budgets"]}
        assert used["usd"] == pytest.approx(0.0144) and used["tokens"] == 360 and 0 < used["seconds"] < 600
        set_budget(moot, day_tokens=360)
        moot("run", "--until-idle")
        assert runs(moot) == 3
        assert moot("doctor").code == 0

    on_one_day(nowhere, scene)


@pytest.mark.ledger("R-07")
def test_a_board_that_begins_no_agents_is_not_ready(nowhere: Moot) -> None:
    def scene(moot: Moot) -> None:
        assert moot("ready").out.rstrip().endswith("Ready: moot run --until-idle")
        moot("run", "--until-idle")
        spent = moot("ready", code=1)
        assert "the day's budget is spent: no agent begins until" in spent.out and "moot resume" in spent.out
        assert "Ready:" not in spent.out
        set_budget(moot, day_usd=5)
        assert "Ready:" in moot("ready").out
        moot("pause", "--why", "the bill")
        assert "the board is paused" in moot("ready", code=1).out
        moot("resume")
        assert "Ready:" in moot("ready").out

    on_one_day(nowhere, scene, day_usd=0.004)


def test_a_sum_is_told_alike_wherever_it_is_told(nowhere: Moot) -> None:
    def scene(moot: Moot) -> None:
        moot("run", "--until-idle")
        assert "$0.0048" in moot("usage").out and "$0.0048 of $0.004" in moot("usage").out
        for command in (("metrics",), ("show", "1"), ("status",), ("digest",)):
            out = moot(*command).out
            assert "$0.0048" in out and "$0.00 " not in out and "<$" not in out, command
        assert "at most $0.004 a day" in moot("ready", code=1).out
        moot("resume")
        set_budget(moot, item_usd=0.0012)
        moot.work("dev", outcome="incomplete", usage=USED)
        inbox = moot("inbox").out
        assert "$0.0048 of $0.0012" in inbox and "$0.00 " not in inbox

    on_one_day(nowhere, scene, day_usd=0.004)


def test_usage_names_the_items_whose_budget_it_tells(nowhere: Moot) -> None:
    def scene(moot: Moot) -> None:
        assert re.search(r"an item, in money +nothing of \$0\.006 used\n", moot("usage").out)
        moot("run", "--until-idle")
        out = moot("usage").out
        first = r"an item, in money +\$0\.0048 of \$0\.006 used, 80% \(#1, and 2 more as much\)\n"
        assert re.search(first, out), out
        assert re.search(r"the day \(UTC\), in tokens +360 of 9,000 tokens used, 4%\n", out), out
        alone = moot("usage", "2").out
        assert (
            re.search(r"an item, in money +\$0\.0048 of \$0\.006 used, 80% \(#2\)\n", alone) and "the day" not in alone
        )
        moot("add", "Cut the hedge")
        for _ in range(2):
            moot.work("dev", outcome="incomplete", usage=USED)
        spent = r"an item, in money +\$0\.0096 of \$0\.006 used: used up \(#4, the most of all items\)\n"
        assert re.search(spent, moot("usage").out)
        assert "used so far: 2 runs, 240 tokens, $0.0096" in moot.json("inbox")["questions"][0]["context"]
        moot("answer", "q1", "go on")
        since = r"an item, in money +nothing of \$0\.006 used since your last answer \(#4\)\n"
        assert re.search(since, moot("usage", "4").out)
        for _ in range(2):
            moot.work("dev", outcome="incomplete", usage=USED)
        assert "used since the last answer: 2 runs, 240 tokens" in moot.json("inbox")["questions"][0]["context"]
        assert "(7 of agents, 3 of gates and landings)" in moot("metrics").out

    on_one_day(nowhere, scene, item_usd=0.006, day_usd=5, day_tokens=9000)
