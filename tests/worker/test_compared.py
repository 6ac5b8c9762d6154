"""A run is told with which commit to compare: what it then sees is the work on its item, all of it and nothing else."""

import json
from pathlib import Path

from tests.worker.yard import Yard, git

# Each prints what its prompt tells it to look at. The planner splits; each task writes a file; the reader only looks.
AGENT = r"""
look=$(sed -n 's/.*`\(git diff [0-9a-f]*\)`.*/\1/p' "$MOOT_PROMPT")
echo "LOOKS: $look"
$look --name-only | sed 's/^/SEES: /'
case $MOOT_AGENT in
  plan) echo '{"outcome": "split", "tasks": [{"key": "a", "title": "a", "files": ["a.txt"]},
    {"key": "b", "title": "b", "files": ["b.txt"], "after": ["a"]}]}' ;;
  read) if [ -e c.txt ]; then echo '{"outcome": "done", "summary": "fine"}'; else
    echo '{"outcome": "changes_requested", "findings": [{"issue": "c.txt is missing"}]}'; fi ;;
  mend) echo new > c.txt; echo '{"outcome": "done", "summary": "added it"}' ;;
  *) echo new > $(grep -m1 -o '^> | [ab].txt' "$MOOT_PROMPT" | cut -c5-)
    echo '{"outcome": "done", "summary": "wrote it"}' ;;
esac
"""
COMMAND = {"command": ["/bin/sh", "-c", AGENT]}
FLOW = {
    "flow": "compared",
    "start": "plan",
    "discover": "plan",
    "columns": {
        "plan": {"agents": ["plan"], "next": "write"},
        "write": {"agents": ["write"], "next": "read"},
        "read": {"agents": ["read"], "next": "done", "fix": "mend"},
        "mend": {"agents": ["mend"], "kind": "backflow"},
    },
    "agents": {
        "plan": {"run": COMMAND, "write": "none", "may": ["split"]},
        "write": {"run": COMMAND},
        "read": {"run": COMMAND, "write": "none"},
        "mend": {"run": COMMAND, "write": "any"},
    },
    "sandbox": "never",
}


def test_each_run_sees_the_work_on_its_item_from_where_that_began(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", flow=json.dumps(FLOW))
    first = git(yard.folder, "rev-parse", "main")
    item = yard.add("both files")
    yard.run()
    assert yard.status(item) == "done", yard.show(item)["why"]
    seen: dict[str, list[str]] = {}
    for one in (item, "2", "3"):
        for run in yard.show(one)["runs"]:
            if not run["gate"]:
                lines = yard.output(run["run"]).splitlines()
                assert sum(line.startswith("LOOKS: git diff ") for line in lines) == 1, "it is told what to look at"
                seen.setdefault(f"{run['agent']} {one}", []).append(
                    " ".join(line.removeprefix("SEES: ") for line in lines if line.startswith("SEES: "))
                )
                if run["agent"] in ("plan", "read", "mend"):
                    assert f"LOOKS: git diff {first[:12]}" in lines
    assert seen == {
        f"plan {item}": [""],
        "write 2": [""],
        "write 3": [""],  # what the task before it made is no part of it
        f"read {item}": ["a.txt b.txt", "a.txt b.txt c.txt"],
        f"mend {item}": ["a.txt b.txt"],
    }
