"""A scripted agent: a real program that does what its item's text says, line by line, in its clone."""

import json
import os
import signal
import sys
import time


def main() -> None:
    with open(os.environ["MOOT_BRIEF"], encoding="utf-8") as file:
        brief = json.load(file)
    for line in brief["task"]["body"].splitlines():
        act, _, rest = line.strip().partition(" ")
        if act:
            ACTS[act](rest, brief)


def write(rest: str, brief: dict) -> None:
    path, _, text = rest.partition(" ")
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + "\n")


def remove(rest: str, brief: dict) -> None:
    os.remove(rest)


def say(rest: str, brief: dict) -> None:
    print(rest, flush=True)


def report(rest: str, brief: dict) -> None:
    outcome, _, more = rest.partition(" ")
    idle = outcome == "done" and not any(act in brief["task"]["body"] for act in ("write ", "shell ", "remove "))
    summary = "said done: nothing had to change" if idle else f"said {outcome}"
    said = {"outcome": outcome, "summary": summary, **(json.loads(more) if more else {})}
    print(json.dumps(said), flush=True)


def once(rest: str, brief: dict) -> None:
    """Only in the item's first run: the board's own facts tell which one it is."""
    if not brief["attempts"] and not brief["findings"] and not brief["told"]:
        act, _, more = rest.partition(" ")
        ACTS[act](more, brief)
        if act in ("exit", "report"):
            sys.exit(int(more) if act == "exit" else 0)


def unanswered(rest: str, brief: dict) -> None:
    """Only before a person has answered something about the item."""
    if not brief["guidance"]:
        act, _, more = rest.partition(" ")
        ACTS[act](more, brief)
        sys.exit(0)


def moot(rest: str, brief: dict) -> None:
    import subprocess  # takes a third of a start, and most items need none

    ran = subprocess.run(["moot", *rest.split()], capture_output=True, text=True, check=False)
    print(f"moot {rest}: exit {ran.returncode} {ran.stdout} {ran.stderr}", flush=True)


def shell(rest: str, brief: dict) -> None:
    import subprocess

    subprocess.run(["/bin/sh", "-c", rest], check=False)


def only(rest: str, brief: dict) -> None:
    """Only if the run is of the named agent."""
    agent, act, more = [*rest.split(" ", 2), ""][:3]
    if os.environ["MOOT_AGENT"] == agent:
        ACTS[act](more, brief)


def wait(rest: str, brief: dict) -> None:
    time.sleep(float(rest))


def deaf(rest: str, brief: dict) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


ACTS = {
    "write": write,
    "remove": remove,
    "say": say,
    "unanswered": unanswered,
    "report": report,
    "once": once,
    "moot": moot,
    "shell": shell,
    "only": only,
    "wait": wait,
    "deaf": deaf,
    "exit": lambda rest, brief: sys.exit(int(rest)),
}

if __name__ == "__main__":
    main()
