"""A forge as a script of somebody's: it is asked by one JSON object and answers by one. `python speaker.py FOLDER`.

What people and machines do there stands in a file of the folder, `forge.json`, beside `shop.git`.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any


def main(folder: Path) -> None:
    asked = json.load(sys.stdin)
    with open(folder / "asked", "a", encoding="utf-8") as file:
        file.write(asked["ask"] + "\n")
    kept = json.loads((folder / "forge.json").read_text())
    if "says" in kept:
        print(kept["says"], flush=True)
        sys.exit(kept.get("code", 0))
    print("a secret of its own", os.environ.get("MOOT_GITHUB_TOKEN", ""), file=sys.stderr)
    print(json.dumps(ANSWERS[asked["ask"]](folder, kept, asked)))
    (folder / "forge.json").write_text(json.dumps(kept))


def propose(folder: Path, kept: dict[str, Any], asked: dict[str, Any]) -> dict[str, Any]:
    pulls = kept["pulls"]
    for number, pull in pulls.items():
        if pull["branch"] == asked["branch"] and pull["state"] == "open":
            return {"number": int(number), "url": f"https://forge/{number}"}
    number = str(len(pulls) + 1)
    pulls[number] = {"branch": asked["branch"], "state": "open", "draft": asked["draft"], "body": asked["body"]}
    return {"number": int(number), "url": f"https://forge/{number}"}


def state(folder: Path, kept: dict[str, Any], asked: dict[str, Any]) -> dict[str, Any]:
    return {"proposals": {str(one["number"]): stands(folder, kept, one) for one in asked["proposals"]}}


def stands(folder: Path, kept: dict[str, Any], one: dict[str, Any]) -> dict[str, Any]:
    pull, head = kept["pulls"][str(one["number"])], tip(folder, one["branch"])
    shown = {"state": pull["state"], "commit": head, "base": tip(folder, "main"), "merged": pull.get("merged")}
    checks = [{"name": name, **check} for name, check in kept["checks"].get(head, {}).items()]
    clear = bool(checks) and all(check["state"] == "success" for check in checks)
    said = pull.get("said", [])
    shown |= {"required": kept["required"], "checks": checks, "fits": "clean", "clear": clear, "said": said}
    shown |= {"all_said": True, **kept.get("shows", {})}
    return {name: value for name, value in shown.items() if name not in kept.get("without", [])}


def merge(folder: Path, kept: dict[str, Any], asked: dict[str, Any]) -> dict[str, Any]:
    pull = kept["pulls"][str(asked["number"])]
    if tip(folder, pull["branch"]) != asked["commit"]:
        return {"error": "refused", "why": "it has moved"}
    git(folder, "update-ref", "refs/heads/main", asked["commit"])
    pull |= {"state": "merged", "merged": asked["commit"]}
    return {"became": "merged"}


def tip(folder: Path, branch: str) -> str:
    return git(folder, "rev-parse", f"refs/heads/{branch}")


def git(folder: Path, *args: str) -> str:
    return subprocess.run(
        ["git", *args], cwd=folder / "shop.git", capture_output=True, text=True, check=True
    ).stdout.strip()


ANSWERS = {"propose": propose, "state": state, "merge": merge}

if __name__ == "__main__":
    main(Path(sys.argv[1]))
