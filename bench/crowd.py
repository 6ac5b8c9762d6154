"""The worst wait when many processes want the board at once."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

CROWD = Path(__file__).parent.parent / "tests" / "acceptance" / "crowd.py"


def run() -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="moot-bench-") as folder:
        command = [sys.executable, str(CROWD), "laps", folder, "64", "1000"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)
    return {f"worst wait for a claim, {lap}, seconds": result[lap]["worst wait"] for lap in ("lap 1", "lap 2")}
