"""A scripted coding client for a night: it prints the events of Claude Code, and behaves as its item's title says.

It is a real program in a clone of its own. What it did before it asks the board, as any agent can: `moot show`.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

Json = dict[str, Any]


def emit(event: Json) -> None:
    print(json.dumps(event), flush=True)


def end(text: str, cost: float = 0.05) -> NoReturn:
    use = {"input_tokens": 1200, "output_tokens": 300}
    emit(
        {"type": "assistant", "message": {"id": "m1", "model": "scripted", "content": [{"type": "text", "text": text}]}}
    )
    emit(
        {
            "type": "result",
            "subtype": "success",
            "is_error": False,
            "result": text,
            "total_cost_usd": cost,
            "usage": use,
        }
    )
    sys.exit(0)


def refuse(status: int, words: str) -> NoReturn:
    event = {"type": "result", "subtype": "success", "is_error": True, "api_error_status": status, "result": words}
    emit({**event, "total_cost_usd": 0.0, "usage": {"input_tokens": 0, "output_tokens": 0}})
    sys.exit(1)


def report(outcome: str, summary: str, **more: Any) -> str:
    said = json.dumps({"outcome": outcome, "summary": summary, **more})
    return f"I have looked at it and this is how it went.\n\n```json\n{said}\n```"


def run_number() -> int:
    """Which run of this agent on this item it is: 1, 2, 3 …"""
    shown = subprocess.run(
        ["moot", "show", os.environ["MOOT_ITEM"], "--json"], capture_output=True, text=True, check=True
    )
    return sum(run["agent"] == os.environ["MOOT_AGENT"] for run in json.loads(shown.stdout)["runs"])


def write(number: str, value: str) -> None:
    Path(f"src/m{number}.py").write_text(f"def number():\n    return {value}\n", "utf-8")
    Path(f"tests/test_m{number}.py").write_text(
        "import unittest\n\n"
        f"from src.m{number} import number\n\n\n"
        f"class Number(unittest.TestCase):\n"
        f"    def test_it(self):\n        self.assertEqual(number(), {int(number)})\n",
        "utf-8",
    )


def review(kind: str, nth: int) -> NoReturn:
    if kind == "reviewed" and nth == 1:
        finding = {"severity": "high", "file": "src/", "issue": "no docstring", "recommendation": "say what it returns"}
        end(report("changes_requested", "one thing is missing", findings=[finding]))
    end(report("done", "nothing to change"))


def code(kind: str, number: str, nth: int) -> NoReturn:
    model = os.environ.get("MOOT_MODEL", "")
    if kind == "crashing" and nth == 1:
        sys.exit("Traceback (most recent call last):\nRuntimeError: the client lost its terminal")
    if kind == "hanging" and nth == 1:
        time.sleep(600)
    if kind == "silent" and nth == 1:
        end("I think that should do it.")
    if kind == "idle" and nth == 1:
        end(report("done", "it is all there"))
    if kind == "weak" and model == "small":
        end(report("failed", "could not find out", attempts=[{"approach": "guessing", "outcome": "tests are red"}]))
    if kind == "hopeless":
        approach = ["reading it backwards", "a table of all numbers", "asking the type system", "writing C"][nth % 4]
        end(report("failed", "no way known", attempts=[{"approach": approach, "outcome": f"red, try {nth}"}]))
    if kind == "asking" and nth == 1:
        end(report("asks", "only you know", question={"question": f"Is {number} a price or a count?"}))
    if kind == "wrong" and nth == 1:
        write(number, "0")
    elif kind == "straying" and nth == 1:
        write(number, str(int(number)))
        Path("README.md").write_text("mine now\n", "utf-8")
    else:
        write(number, str(int(number)))
    if kind == "sloppy":
        end(f"All good!\n\n## Status\n- [x] Complete\n\n## Summary\nWrote src/m{number}.py and its test.\n")
    end(report("done", f"m{number} returns {number}"), cost=3.5 if kind == "dear" else 0.05)


def main() -> None:
    title = json.loads(Path(os.environ["MOOT_BRIEF"]).read_text("utf-8"))["task"]["title"]
    kind, number = title.split()[0], title.split()[-1]
    nth = run_number()
    # The provider refuses: the first run of these items meets a used up quota, or a server that is out of order.
    if kind == "limited" and nth == 1:
        refuse(429, "rate limit reached, try again in 2 seconds")
    if kind == "unserved" and nth == 1:
        refuse(500, "Internal server error")
    if os.environ["MOOT_AGENT"] == "reviewer":
        review(kind, nth)
    code(kind, number, nth)


if __name__ == "__main__":
    main()
