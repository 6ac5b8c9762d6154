"""A scripted agent: one small change and a report, or what its first word says it does wrong."""

import json
import os
import sys
from pathlib import Path


def say(**report: object) -> None:
    Path(os.environ["MOOT_REPORT"]).write_text(json.dumps(report), "utf-8")


def main(habit: str) -> None:
    name = f"hello-{os.environ['MOOT_ITEM']}.txt"
    match habit:
        case "silent":
            print("I looked at it, and I have nothing to add.")
        case "empty":
            say(outcome="done", summary="everything was there already")
        case "large":
            with open("model.bin", "wb") as file:
                file.write(os.urandom(3_000_000))
            say(outcome="done", summary="added the trained model")
        case "readme":
            Path("README.md").write_text("# A project, described\n", "utf-8")
            say(outcome="done", summary="described the project")
        case "media":
            Path("logo.png").write_bytes(b"\x89PNG new\n" * 100)
            say(outcome="done", summary="drew a new logo")
        case "library":
            Path("lib/used.txt").write_text("changed by an agent\n", "utf-8")
            say(outcome="done", summary="changed the library")
        case "fills":
            with open("big", "wb") as file:
                while True:
                    file.write(b"\0" * 1_000_000)
        case _:
            Path(name).write_text("hello\n", "utf-8")
            say(outcome="done", summary="said hello")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "good")
