"""One item: its story, and a line about what has just changed."""

from typing import Any

from folkmoot.api.pages import LostWork
from folkmoot.api.views import AttemptView, CommentView, ContractView, EventView, ItemView, OutputView, RunView
from folkmoot.core.enums import ENDED
from folkmoot.core.flow import LANDING, Flow
from folkmoot.core.rules.judging.carrying import shortly
from folkmoot.core.rules.running.spending import at_least
from folkmoot.core.vocabulary.phrases.tallies import told_tests
from folkmoot.doors.cli.render.board import aside_line, pause_lines
from folkmoot.doors.cli.render.events import steps, tell
from folkmoot.doors.cli.render.metrics import took
from folkmoot.doors.cli.render.page import (
    BAD,
    CARE,
    COMMAND,
    GOOD,
    PRIORITIES,
    QUIET,
    Page,
    Part,
    count,
    one_line,
    short_run,
    shortened,
    status_words,
    when,
    who,
)
from folkmoot.doors.cli.render.progress.blocked_reasons import Beside, run_command
from folkmoot.doors.cli.render.progress.found import findings_lines
from folkmoot.doors.cli.render.progress.item_runs import runs_lines
from folkmoot.doors.cli.render.progress.left import left_lines, left_of
from folkmoot.doors.cli.render.progress.lines import span
from folkmoot.doors.cli.render.questions import answer_command, guidance_lines, question_lines
from folkmoot.doors.cli.steering.printing import said_lines
from folkmoot.engine.reads.blocked import concerns

View = dict[str, Any]
STEPS_MAX = 60
TAIL_LINES = 10  # of what a red gate said last
ID_SHOWN = 12  # letters of a commit or tree


def story(view: ItemView, events: list[EventView], flow: Flow, beside: Beside) -> None:
    """Where an item is and why, what happened, what was tried and said, and what happens next."""
    page = Page()
    _heading(page, view, flow, beside.lost)
    if beside.aside and view.landed_on == beside.aside:
        aside_line(page, beside.aside, beside.in_the_way)
    page.blank()
    page.line(_why(view, beside.lost), indent=2)
    if view.body.strip():
        page.blank()
        page.block(view.body, indent=2)
    _facts(page, view, took(view.id, beside.measured))
    for question in view.questions:
        if question.state == "open":
            page.blank()
            # What was said in a dispute stands in its own place below.
            question_lines(page, question, context=question.kind != "dispute")
    _what_happened(page, view, events)
    _attempts(page, view)
    _disputes(page, view, events)
    findings_lines(page, view.findings)
    left_lines(page, left_of(view))
    outputs_lines(page, view.outputs)
    _contracts(page, view)
    _evidence(page, view)
    runs_lines(page, view, beside.kept)
    _guidance(page, view)
    said_lines(page, view)
    page.head("What happens next")
    page.line(*(_next(view, flow) if beside.lost is None else _brought_back(beside.lost)), indent=2)
    for pause in beside.pauses:
        if concerns(pause, view, flow):
            pause_lines(page, pause, indent=2)


def _why(view: ItemView, lost: LostWork | None) -> str:
    """Why it stands where it does. The board says what was so when the work landed; git may say otherwise by now."""
    if lost is None:
        return one_line(view.why)
    branch = one_line(lost.branch)
    if lost.undone_by is not None:
        return f"Done when its work landed on {branch}; since then {lost.undone_by[:ID_SHOWN]} has undone it there."
    return f"Done when its work landed on {branch}; since then {branch} was moved, and does not have it any more."


def _heading(page: Page, view: ItemView, flow: Flow, lost: LostWork | None) -> None:
    page.line((f"#{view.id}", "bold"), "  ", (one_line(view.title), "bold"), hang=len(view.id) + 3)
    parts: list[Part] = [
        page.mark(view.status),
        " ",
        (status_words(view.status, is_divine=flow.questions.notice == "divine"), "bold"),
    ]
    if view.column != view.status:
        parts += [" in ", (view.column, "bold")]
    parts += [(" · ", QUIET), (view.priority, PRIORITIES.get(view.priority, QUIET)), (f" {view.type}", QUIET)]
    if view.taken:
        parts += [(" · ", QUIET), (f"taken by {one_line(view.taken)}", "bold")]
    if view.kind != "item":
        parts += [(f" · {_kind(view)}", QUIET)]
    if view.failure_count:
        parts += [(f" · {count(view.failure_count, 'failure')}", BAD)]
    if view.cost_usd:
        unpriced = sum(run.cost_usd is None and not run.gate for run in view.runs)
        parts += [(f" · {at_least(view.cost_usd, unpriced)}", QUIET)]
    page.line(*parts, hang=2)
    if view.landed:
        landed = f"landed on {one_line(view.landed_on)} at {view.landed[:ID_SHOWN]}"
        since = "was undone there since" if lost and lost.undone_by else "is no longer there"
        page.line((f"{landed}, and {since}", BAD) if lost else (landed, GOOD))
    if view.issue is not None:
        page.line((f"from {one_line(view.issue.url)}", QUIET), hang=2)
    if view.proposal is not None and view.proposal.number:
        stands = f": {one_line(view.proposal.stands)}" if view.proposal.stands else ", not looked at since"
        page.line((f"proposed as {one_line(view.proposal.url)}", GOOD), (stands, QUIET), hang=2)
    if view.head:
        words = f"work that has not landed: {view.head[:ID_SHOWN]}"
        page.line((words, CARE), (f", kept as {view.branch} in .moot/repo.git", QUIET), hang=2)
    if view.flag:
        page.line((one_line(view.flag), CARE))


def _kind(view: ItemView) -> str:
    """What it is to another item, and whose alone it is."""
    kind: str = {"sub": "sub-agent", "dispatch": "dispatched"}.get(view.kind) or view.kind
    of = f" of #{view.parent}" if view.parent else ""
    of = f" by #{view.dispatched_by}" if view.dispatched_by and view.kind == "dispatch" else of
    why = f" ({view.purpose})" if view.purpose else ""
    return one_line(kind + of + (f" for {view.agent}" if view.agent else "") + why)


def _facts(page: Page, view: ItemView, took: list[str]) -> None:
    held = [path for path in view.holds if path not in view.files]
    holds, tests = "holds" if view.holds else "files", view.tests
    facts = {
        holds: [*view.files, *held],
        "after": [f"#{other}" for other in view.after],
        "part of": [f"#{view.parent}"] if view.parent else [],
        "parts": [f"#{child}" for child in view.children],
        "sent": [f"#{one.item} for {one.agent}" for one in view.dispatched],
        "tags": view.tags,
        "needs": [f"label {label}" for label in view.needs],
        "spec": [view.spec] if view.spec else [],
        "rules": view.constraints,
        "made": [artifact.name for artifact in view.artifacts],
        "tests": [told_tests(tests.total, tests.passed, tests.failed)] if tests else [],
        "rounds": [f"{view.iteration} of {view.max_rounds}"] if view.iteration else [],
        "took": took,
    }
    if any(facts.values()):
        page.blank()
    for name, values in ((name, values) for name, values in facts.items() if values):
        page.labelled(page.text((name.ljust(7), QUIET)), ", ".join(one_line(value) for value in values), indent=2)


def _what_happened(page: Page, view: ItemView, events: list[EventView]) -> None:
    comments = {comment.id: comment for comment in view.comments}
    told = steps(events, comments, {run.run: run for run in view.runs})
    page.head("What happened")
    if len(told) > STEPS_MAX:
        earlier = len(told) - STEPS_MAX
        page.line((f"… {earlier} earlier steps: moot log {view.id}", QUIET), indent=2)
    tell(page, told[-STEPS_MAX:])


def _attempts(page: Page, view: ItemView) -> None:
    if view.failure_history:
        page.head("What was tried")
    for attempt in view.failure_history:
        attempt_lines(page, attempt)


def attempt_lines(page: Page, attempt: AttemptView) -> None:
    """An attempt: who, with what, the verdict and its ground, and what came of it."""
    verdict = ("counts", BAD) if attempt.counted else ("does not count", QUIET)
    model = f" with {attempt.model}" if attempt.model else ""
    label = page.text((f"{attempt.attempt}.", "bold"))
    ground = (f": {one_line(attempt.ground)}", QUIET)
    page.labelled(label, who(attempt.agent), model, " – ", verdict, ground, indent=2, gap=1)
    more = attempt.reason.startswith(attempt.outcome or "")  # the reason is the outcome, and what was said beside it
    for words in dict.fromkeys([attempt.approach, attempt.reason if more else attempt.outcome]):
        if words:
            page.line(one_line(words), indent=5)


def _disputes(page: Page, view: ItemView, events: list[EventView]) -> None:
    """Every dispute of the item, open or settled, with all that was said in it."""
    opened = [event.context for event in events if event.event == "dispute_opened"]
    settled = {one.context["thread"]: one.context for one in events if one.event == "dispute_settled"}
    for context in opened:
        thread = context["thread"]
        statements = _thread(view.comments, thread)
        sides = f"{context['by']} and {context['with']}" if context.get("with") else context["by"]
        about = statements[0].artifact if statements else None
        page.head(f"Dispute {thread}")
        ended = settled.get(thread)
        where: Part = (f"settled: {ended['resolution']}", GOOD) if ended else ("open", CARE)
        page.line(one_line(sides), f" about {one_line(about)}" if about else "", ", ", where, indent=2)
        for number, comment in enumerate(statements):
            round_: Part = (f" (round {number})", QUIET) if 0 < number <= _rounds(view, ended) else ""
            words = one_line(shortened(comment.content))
            page.labelled(page.text((comment.id, QUIET)), who(comment.author), round_, f": {words}", indent=2)


def _rounds(view: ItemView, settled: View | None) -> int:
    rounds: int = settled["rounds"] if settled else view.dispute_rounds
    return rounds


def _thread(comments: list[CommentView], thread: str) -> list[CommentView]:
    members, found = {thread}, []
    for comment in comments:
        if comment.id in members or comment.parent in members:
            members.add(comment.id)
            found.append(comment)
    return found


def outputs_lines(page: Page, outputs: list[OutputView]) -> None:
    """What came back from the items that were made for this one."""
    if outputs:
        page.head("What came back")
    ids = max((len(output.item) for output in outputs), default=0) + 1
    for output in outputs:
        outcome = output.outcome
        style = GOOD if outcome == "done" else BAD if outcome == "failed" else CARE
        label = page.text((f"#{output.item}".rjust(ids), "bold"))
        said: list[Part] = [(outcome, style), f": {one_line(output.summary or output.title)}"]
        page.labelled(label, who(one_line(output.agent)), (f" ({output.kind}) ", QUIET), *said, indent=2)
        for step in output.next_steps:
            page.line(f"- {one_line(step)}", indent=4, hang=2)
        for name, value in output.report.items():
            page.line((f"{one_line(name)}: ", QUIET), one_line(shortly(value)), indent=4, hang=2)


def contract_lines(page: Page, contracts: list[ContractView], title: str) -> None:
    if contracts:
        page.head(title)
    for contract in contracts:
        page.line((one_line(contract.name), "bold"), indent=2)
        if contract.text.strip():
            page.block(contract.text, indent=4)


def _contracts(page: Page, view: ItemView) -> None:
    title = "What it relies on" if view.kind == "task" else "What its tasks rely on"
    contract_lines(page, view.contracts, title)
    for name, value in view.integration_points.items():
        page.line(("meets ", QUIET), (one_line(name), "bold"), f": {one_line(value)}", indent=2, hang=2)


def _evidence(page: Page, view: ItemView) -> None:
    """The gates that ran: what each of them ran on what, how it ended, and the last words of a red one."""
    proofs = view.evidence if isinstance(view.evidence, list) else []
    if proofs:
        page.head("What shows it")
    for proof in proofs:
        verdict: Part = ("green", GOOD) if proof.green else ("red", BAD)
        words = f" in {one_line(proof.column)}"
        label = page.text(page.mark("done" if proof.green else "failed"), " ", (one_line(proof.gate), "bold"))
        if proof.evidence is None:  # somebody's word
            said = f": {one_line(proof.summary)}" if proof.summary else ""
            commit = f" at {one_line(proof.commit)[:ID_SHOWN]}" if proof.commit else ""
            page.labelled(label, verdict, (words + commit, QUIET), said, indent=2)
            continue
        seen = proof.evidence
        command = one_line(" ".join(seen.command))
        ended = "no exit code" if seen.exit_code is None else f"exit {seen.exit_code}"
        tree = f", on the tree {seen.tree[:ID_SHOWN]}" if seen.tree else ""
        others = f", together with item {', '.join(map(one_line, seen.beside))}" if seen.beside else ""
        facts = f", {ended} after {span(seen.seconds)}{tree}{others}"
        beside = page.labelled(label, verdict, (words, QUIET), f": {command}", (facts, QUIET), indent=2)
        if not proof.green:
            _last_words(page, seen.output, proof.run, beside)


def _last_words(page: Page, output: str, run: str, indent: int) -> None:
    lines = output.strip("\n").splitlines()
    if output.strip():
        page.block("\n".join(lines[-TAIL_LINES:]), indent=indent, style=BAD)
    page.line(("all of it: ", QUIET), (f"moot output {short_run(run)}", COMMAND), indent=indent)


def _guidance(page: Page, view: ItemView) -> None:
    if view.guidance:
        page.head("What people said")
    for guidance in view.guidance:
        guidance_lines(page, guidance)


def _brought_back(lost: LostWork) -> list[Part]:
    """A merge brings it back as it was proved; whoever took it off the branch on purpose has it made again, or not."""
    again = f"moot reopen {lost.item} --why …"
    return ["Bring it back: ", (lost.brings_back, COMMAND), ". Or have it made again: ", (again, COMMAND)]


def _next(view: ItemView, flow: Flow) -> list[Part]:
    """Who must act, and the command by which they do."""
    number, status = view.id, view.status
    if status == "done":
        return [("Nothing: it is done.", GOOD), " If it is not: ", (f"moot reopen {number} --why …", COMMAND)]
    if status == "failed":
        return ["Nothing: it has ended without success, and what it was made for goes on."]
    if status == "cancelled":
        return ["Nothing: it is cancelled. To take it up again: ", (f"moot reopen {number}", COMMAND)]
    if asked := next((q for q in view.questions if q.state == "open"), None):
        decides: list[Part] = ["You decide: ", (answer_command(asked), COMMAND)]
        taken_up: list[Part] = [", or as it stood before: ", (f"moot unpark {number}", COMMAND)]
        return decides + taken_up if status == "parked" else decides
    if status == "waiting":
        first = view.waits_for[0]
        return ["It goes on by itself when that has ended: ", (f"moot show {first}", COMMAND)]
    running = next((run for run in view.runs if run.ended_at is None), None)
    if view.taken:
        words = "), or hands it back; no agent begins it before."
        return [who(view.taken), " gives it (", (f"moot give {number}", COMMAND), words]
    if status == "running" and running is not None:
        bare: list[Part] = [" (", ("not sandboxed", BAD), ")"] if running.sandboxed is False else []
        return [
            who(running.agent),
            _model(running),
            *bare,
            f" has been at work since {when(running.started_at)}; "
            "if it goes silent, its lease runs out and the item is given to the next.",
        ]
    if status == "blocked":
        return ["It can be taken when the path is free: ", ("moot locks", COMMAND)]
    if status == "proving" and view.watcher is None and view.proposal is not None:
        return [
            f"People look at {one_line(view.proposal.url)} and merge it; a worker sees that: ",
            ("moot run", COMMAND),
        ]
    agent = view.watcher if status == "proving" else view.agent or view.watcher
    if status == "proving" and agent == LANDING:
        whose = f"#{view.parent}" if view.parent else flow.target
        return [f"A worker brings its work to {one_line(whose)}: ", (run_command(view.runs_on), COMMAND)]
    runs = flow.gates[agent].run if agent in flow.gates else agent in flow.agents and flow.agents[agent].run
    ways: list[Part] = [(run_command(view.runs_on), COMMAND), ", or by hand: "] if runs else []
    return [who(agent), " takes it: ", *ways, (f"moot claim {agent}", COMMAND)]


def _model(run: RunView) -> str:
    return f" with {run.model}" if run.model else ""


def changed(view: ItemView, done: str) -> None:
    """What became of an item after a command on it."""
    page = Page()
    page.line(page.mark(view.status), " ", (f"#{view.id} {done}", "bold"), "  ", one_line(view.title), hang=2)
    if view.told and view.status not in ENDED:
        page.line((f"What was wrong: {one_line(view.told)}; the next run is told", CARE), indent=2, hang=2)
    page.line(one_line(view.why), indent=2)
    _note(page, view)
    if view.status == "parked":
        page.line(("next: ", QUIET), (f"moot unpark {view.id}", COMMAND), (" takes it up again", QUIET), indent=2)
        return
    for question in view.questions:
        if question.state == "open":
            page.line(("next: ", QUIET), (answer_command(question), COMMAND), indent=2)


def added(view: ItemView, whom: str = "") -> None:
    page = Page()
    done = f"#{view.id} added" + (f" {one_line(whom)}" if whom else "")
    page.line(page.mark(view.status), " ", (done, "bold"), "  ", one_line(view.title), hang=2)
    page.line(one_line(view.why), indent=2)
    _note(page, view)


def _note(page: Page, view: ItemView) -> None:
    if view.note:
        page.line((f"{one_line(view.note)}: ", CARE), (run_command(view.runs_on), COMMAND), indent=2, hang=2)


def added_many(views: list[ItemView], skipped: int) -> None:
    page = Page()
    for view in views:
        page.row(page.mark(view.status), (f" #{view.id}", "bold"), "  ", one_line(view.title))
    page.line((f"{len(views)} added", "bold"), f", {skipped} ticked off and left out" if skipped else "")
    page.line(("next: ", QUIET), ("moot board", COMMAND))
