"""A Python function as an agent, in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from folkmoot.core.report import Finding, Report
from folkmoot.errors import Invalid
from folkmoot.reports.read import read_report
from folkmoot.worker.clients.function import as_text

MODULE = """
import os
from folkmoot.core.report import Report, Finding

def report(effort):
    with open(os.path.join(effort.workspace, "made.txt"), "w") as file:
        file.write(effort.prompt + " " + effort.brief["task"] + " " + str(effort.model))
    return Report.done("made", findings=[Finding(issue="x", file="a.py", line=3)], next_steps=["more"])

def plain(effort):
    return {"outcome": "failed", "summary": "no", "cause": "capability"}

async def later(effort):
    return '{"outcome": "done", "summary": "waited"}'

def broken(effort):
    raise RuntimeError("no luck")

def nothing(effort):
    pass

number = 3
"""


@pytest.fixture
def run(tmp_path: Path) -> "Run":
    return Run(tmp_path)


class Run:
    def __init__(self, folder: Path) -> None:
        self.workspace = folder / "workspace"
        self.workspace.mkdir()
        self.report = folder / "report"
        (self.workspace / "crew.py").write_text(MODULE, "utf-8")
        (folder / "brief.json").write_text('{"task": "paint"}', "utf-8")
        (folder / "prompt.txt").write_text("Please", "utf-8")
        self.env = {"PATH": os.environ["PATH"], "MOOT_MODEL": "m-1", "MOOT_REPORT": str(self.report)}
        self.env |= {"MOOT_BRIEF": str(folder / "brief.json"), "MOOT_PROMPT": str(folder / "prompt.txt")}

    def __call__(self, name: str) -> "subprocess.CompletedProcess[str]":
        argv = [sys.executable, "-P", "-m", "folkmoot.worker.clients.function", name]
        return subprocess.run(argv, cwd=self.workspace, env=self.env, capture_output=True, text=True, check=False)


def test_what_it_returns_is_its_report(run: Run) -> None:
    ran = run("crew:report")
    assert ran.returncode == 0, ran.stderr
    assert (run.workspace / "made.txt").read_text("utf-8") == "Please paint m-1"
    report = read_report(run.report.read_text("utf-8"))
    assert (report.outcome, report.summary, report.findings[0].line) == ("done", "made", 3)


@pytest.mark.parametrize(("name", "summary"), [("crew:plain", "no"), ("crew:later", "waited")])
def test_a_dict_a_text_and_a_coroutine_will_do(run: Run, name: str, summary: str) -> None:
    ran = run(name)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(run.report.read_text("utf-8"))["summary"] == summary


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("crew:broken", "no luck"),
        ("crew:nothing", "NoneType"),
        ("crew:gone", "gone"),
        ("crew:number", "no function"),
        ("nowhere:f", "nowhere"),
        ("crew", "names no function"),
    ],
)
def test_a_failure_is_told_and_leaves_no_report(run: Run, name: str, words: str) -> None:
    ran = run(name)
    assert ran.returncode == 1
    assert words in ran.stderr and not run.report.exists()


def test_modules_of_the_clone_do_not_stand_in_for_ours(run: Run) -> None:
    """An agent may have written anything into the clone, also something with the name of a module of ours."""
    (run.workspace / "msgspec.py").write_text("raise SystemExit(9)", "utf-8")
    assert run("crew:report").returncode == 0


def test_a_report_survives_being_written() -> None:
    report = Report.failed("why", cause="size", findings=[Finding(issue="x")], lessons=["a", "b"])
    assert read_report(as_text(report)) == report
    with pytest.raises(Invalid, match="extra"):
        as_text(Report.done(extra={"mood": "low"}))
