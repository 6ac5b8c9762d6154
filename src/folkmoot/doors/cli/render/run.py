"""A claim in words: everything an agent without JSON needs to do the work and to report it."""

import json
from contextlib import suppress
from shlex import quote
from typing import Any, TypeVar

import msgspec

from folkmoot.api.views import AttemptView, ClaimView, CommentView, ContractView, OutputView
from folkmoot.core.decoding import converted
from folkmoot.core.item import Guidance
from folkmoot.core.report import Finding
from folkmoot.doors.cli.render.item import attempt_lines, contract_lines, outputs_lines
from folkmoot.doors.cli.render.page import CARE, QUIET, Page, one_line, when, who
from folkmoot.doors.cli.render.progress.found import findings_lines
from folkmoot.doors.cli.render.progress.left import left_lines
from folkmoot.doors.cli.render.questions import comment_lines, guidance_lines

View = dict[str, Any]
Entry = TypeVar("Entry")


def claimed(view: ClaimView, board: str = "") -> None:
    page = Page()
    brief = view.brief
    task = brief["task"]
    page.line(who(view.agent), " takes ", (f"#{task['id']}  {one_line(task['title'])}", "bold"))
    model = f" · model {view.model}" if view.model else ""
    until = f" · lease until {when(view.lease_expires_at)}"
    token = (str(view.token), "bold")
    page.line(("run ", QUIET), (view.run, "bold"), (" · token ", QUIET), token, (model + until, QUIET))
    if view.workspace:
        _where(page, view, view.workspace, board)
    page.head("What to do")
    if task["body"].strip():
        page.block(task["body"], indent=2)
    because = f" because {one_line(task['why'])}" if task["why"] else ""
    page.line(f"It is in {one_line(task['column'])}{because}.", indent=2)
    if task.get("command"):
        page.line("Run this, and report done if it is green, failed with findings if it is red:", indent=2)
        page.exact(" ".join(one_line(word) for word in task["command"]), indent=4)
    if brief["constraints"]["files"]:
        page.line(f"Files: {', '.join(one_line(path) for path in brief['constraints']['files'])}", indent=2, hang=2)
    for rule in brief["constraints"].get("rules", []):
        page.line(f"- {one_line(rule)}", indent=2, hang=2)
    if brief["artifacts"]:
        made = [f"{one_line(made['name'])} ({one_line(made['agent'])})" for made in brief["artifacts"]]
        page.line(f"Made so far: {', '.join(made)}", indent=2, hang=2)
    _heard(page, brief)
    for dispute in brief["disputes"]:
        _dispute(page, dispute)
    if brief["instructions"].strip():
        page.head(f"How {view.agent} works")
        page.prose(brief["instructions"], indent=2)
    _left_out(page, brief)
    _how_to_report(page, view)


def _where(page: Page, view: ClaimView, workspace: str, board: str) -> None:
    """The clone, and what a shell must know to be part of the run."""
    page.head("Where to work")
    page.line("In this clone. What you change there, committed or not, is taken in with your report.", indent=2)
    page.exact(f"cd {quote(workspace)}", indent=2)
    page.exact(f"export MOOT_BOARD={quote(board)} MOOT_RUN={view.run} MOOT_TOKEN={view.token}", indent=2)


def _heard(page: Page, brief: View) -> None:
    """What others have said about the work so far."""
    if brief["told"]:
        page.head(("What was wrong with the last report", CARE))
        page.line(one_line(brief["told"]), indent=2)
    if brief["guidance"]:
        page.head("What people said")
    for guidance in _entries(brief["guidance"], Guidance):
        guidance_lines(page, guidance)
    if brief["advice"]:
        page.head("What the expert advises; follow it first")
        page.line(who(brief["advice"]["expert"]), ": ", one_line(brief["advice"]["advice"]), indent=2, hang=2)
        for step in brief["advice"]["steps"]:
            page.line(f"- {one_line(step)}", indent=4, hang=2)
    findings_lines(page, _entries([*brief["findings"], *brief["remarks"]], Finding))
    left_lines(page, brief["previous"])
    if brief["attempts"]:
        page.head("What was tried; do not repeat it")
    for attempt in _entries(brief["attempts"], AttemptView):
        attempt_lines(page, attempt)
    outputs_lines(page, _entries(brief["outputs"], OutputView))
    contracts = _entries(brief["constraints"]["contracts"], ContractView)
    contract_lines(page, contracts, "What others rely on; keep to it")
    if brief["comments"]:
        page.head("What was said")
    for comment in _entries(brief["comments"], CommentView):
        comment_lines(page, comment, 1)
    if brief["lessons"]:
        page.head("What others have learnt")
    for lesson in brief["lessons"]:
        page.line(who(lesson["agent"]), ": ", one_line(lesson["text"]), indent=2, hang=2)


def _entries(told: list[Any], kind: type[Entry]) -> list[Entry]:
    """The entries of a brief that are whole enough to be shown; of a large one some are cut to a mark."""
    found = []
    for entry in told:
        with suppress(msgspec.ValidationError):
            found.append(converted(entry, kind))
    return found


def _left_out(page: Page, brief: View) -> None:
    if brief["left_out"]:
        page.head("What is left out here")
    for one in brief["left_out"]:
        count = f"{one['count']} more" if one["count"] else "shortened"
        page.line(f"{one_line(one['what'])}: {count}; see: {one_line(one['see'])}", indent=2, hang=2)


def _dispute(page: Page, dispute: View) -> None:
    page.head((f"A dispute is open: {dispute['thread']}", CARE))
    between = " and ".join(dict.fromkeys(one_line(agent) for agent in dispute["agents"]))
    rounds = f"round {dispute['rounds']}" if dispute["rounds"] else "not answered yet"
    page.line(f"{between}, {rounds}; it is your turn to agree or disagree.", indent=2)


def _how_to_report(page: Page, view: ClaimView) -> None:
    page.head("When you are done")
    disputes = view.brief["disputes"]
    if disputes:
        # A plain `done` would leave a dispute open, and be refused.
        agreed = [comment for dispute in disputes for comment in dispute["to_agree"]["comments"]]
        page.line("Agree:", indent=2)
        page.exact(_report(view, {"outcome": "done", "comments": agreed}), indent=2)
        if all("to_go_on" in dispute for dispute in disputes):
            page.line("If your own work is still to do:", indent=2)
            page.exact(_report(view, {"outcome": "incomplete", "comments": agreed}), indent=2)
        page.line("Disagree:", indent=2)
        page.exact(_report(view, disputes[-1]["to_disagree"]), indent=2)
    else:
        page.exact(_report(view, {"outcome": "done", "summary": "…"}), indent=2)
    outcomes = ", ".join(outcome for outcome in view.brief["report_format"]["outcomes"] if outcome != "done")
    run = f"{view.run} --token {view.token}"
    page.blank()
    page.line(("Other outcomes: ", QUIET), f"{outcomes}.", indent=2, hang=2)
    page.line(("To keep the claim: ", QUIET), f"moot renew {run}", indent=2, hang=2)
    page.line(("To give it back: ", QUIET), f"moot release {run}", indent=2, hang=2)


def _report(view: ClaimView, report: View) -> str:
    """The command that reports this; ours to write, so no quote in it can end the shell's."""
    said = json.dumps(report, ensure_ascii=False)
    return f"echo '{said}' | moot report {view.run} --token {view.token} -"
