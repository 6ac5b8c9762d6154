"""Agents that are shell scripts: they have `cat`, `mv`, `sed` and `grep`, and no `moot`."""

import os
import subprocess
from pathlib import Path

# No folder with a `moot` in it, and no Python.
PLAIN_TOOLS = "/usr/bin:/bin"
COMMON = """
set -eu
D=.claude
wait_for() {
  n=0
  until eval "$1" 2>/dev/null; do
    n=$((n+1)); [ $n -lt 1500 ] || { echo "waited in vain: $1" >&2; exit 9; }
    sleep 0.02
  done
}
drop() { cat > "$D/$1.part" && mv "$D/$1.part" "$D/$1"; }
find_for() { grep -l "\\"to\\": \\"$1\\"" $D/handoffs/pending/handoff-*.json 2>/dev/null | head -1; }
sent() { wait_for "grep -qs '\\"type\\": \\"$1\\"' $D/handoffs/*/handoff-*.json"; }
take_up() {
  wait_for "[ -n \\"\\$(find_for $1)\\" ]"
  mine=$(basename "$(find_for $1)")
  mv "$D/handoffs/pending/$mine" "$D/handoffs/accepted/$mine"
  wait_for "grep -q '\\"status\\": \\"accepted\\"' $D/handoffs/accepted/$mine"
}
"""


def play(root: Path, script: str) -> str:
    """Run a script to its end; what it printed."""
    environment = {"PATH": PLAIN_TOOLS, "HOME": str(root), "LC_ALL": "C"}
    assert not any(os.path.exists(f"{place}/moot") for place in PLAIN_TOOLS.split(":"))
    done = subprocess.run(
        ["/bin/sh", "-c", COMMON + script], cwd=root, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def begin(root: Path, script: str) -> "subprocess.Popen[str]":
    environment = {"PATH": PLAIN_TOOLS, "HOME": str(root), "LC_ALL": "C"}
    return subprocess.Popen(
        ["/bin/sh", "-c", COMMON + script],
        cwd=root,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
