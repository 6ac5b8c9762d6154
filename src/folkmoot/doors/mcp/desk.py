"""What each tool does: its arguments become requests of the registry, and the answer becomes few words and data."""

from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from folkmoot.api import requests
from folkmoot.api.call import Ask
from folkmoot.api.views import ClaimView
from folkmoot.core.commands import Actor, AddItem
from folkmoot.core.decoding import converted, misfit
from folkmoot.core.input_limits import checked_key
from folkmoot.core.report import Report
from folkmoot.doors.mcp import lean, tools
from folkmoot.doors.mcp.caller import Caller
from folkmoot.doors.mcp.resources import Briefs
from folkmoot.doors.mcp.runs import Runs
from folkmoot.doors.mcp.waits import Waiter
from folkmoot.doors.mcp.words import error_data, error_text, text_of
from folkmoot.errors import Invalid, MootError, Refused

if TYPE_CHECKING:
    from folkmoot.engine.application import Application

Data = dict[str, Any]
BY_TOOL = (
    "Once, at the end: the tool `report`, with these fields as its arguments; a report in another form goes into its "
    "`text`."
)
IN_CLONE = "Work in `workspace` only, as `prompt` says; then end the run with the tool `report`."
IN_FOLDER = (
    "There is no git repository, so there is no clone: work in the project's folder, as `prompt` says; then end the "
    "run with the tool `report`."
)


class Told(Struct, frozen=True):
    """The answer to a call: the same as text and as data."""

    text: str
    data: Data
    is_error: bool = False


class Desk:
    """One board and its tools."""

    def __init__(self, board: "Application", runs: Runs) -> None:
        self.board = board
        self.runs = runs
        self.waiter = Waiter(board)
        self.briefs = Briefs()
        self._does: dict[str, Callable[[Caller, Any], Data]] = {
            "board": self._board,
            "show": self._show,
            "add": self._add,
            "claim": self._claim,
            "report": self._report,
            "comment": self._comment,
            "ask": self._ask,
            "wait": self._wait,
        }

    def call(self, caller: Caller, name: str, arguments: Data) -> Told:
        """What a tool answers; a refusal is an answer too."""
        try:
            tool = tools.BY_NAME[name]
            if caller.role not in tool.roles:
                words = "{call} is not for the role {role}"
                may = [one.name for one in tools.tools_for(caller.role)]
                raise Refused("not_for_role", words, "your tools: {may}", name, caller.role, may)
            data = self._does[name](caller, _typed(tool, arguments))
            return Told(text_of(data), data)
        except MootError as error:
            return Told(error_text(error), error_data(error), is_error=True)

    def asked_by(self, caller: Caller) -> Ask:
        return self.board.asked_by(caller.actor, caller.role)

    def run_of(self, caller: Caller, run: str) -> Actor:
        """The run that a call is about: the caller itself, or one that it has claimed."""
        if caller.role == "run":
            return caller.actor
        return self.runs.named(run)

    def _for_run(self, caller: Caller, run: str) -> tuple[Ask, Actor]:
        actor = self.run_of(caller, run)
        return self.board.asked_by(actor, "run"), actor

    def _item(self, caller: Caller, run: str = "") -> str:
        """The item of the run that calls."""
        actor = self.run_of(caller, run)
        return self.asked_by(caller)(requests.FindRun(run=actor.run or "")).item

    def _board(self, caller: Caller, asked: tools.Board) -> Data:
        ask = self.asked_by(caller)
        seen = self.waiter.last(ask)
        page = ask(requests.ListItems(column=asked.column or None, open=True, after=asked.after))
        return {**lean.board(ask(requests.ShowStatus()), page), "seen": seen}

    def _show(self, caller: Caller, asked: tools.Show) -> Data:
        ask = self.asked_by(caller)
        seen = self.waiter.last(ask)
        return {**lean.item(ask(requests.Show(item=asked.item or self._item(caller)))), "seen": seen}

    def _add(self, caller: Caller, asked: tools.Add) -> Data:
        from folkmoot.doors.bulk_add import Entries, Entry, add_all, plan

        ask = self.asked_by(caller)
        named = [{name: value for name, value in msgspec.to_builtins(one).items() if value} for one in asked.items]
        entries = [converted(one, Entry) for one in named]
        if not entries:
            raise Invalid("bad_usage", "add needs at least one item", "give `items`, each with a title")
        planned = plan(Entries(entries), AddItem(title=""), ask(requests.ShowFlow()), "items")
        views = add_all(ask, planned, checked_key(asked.key or None), "items")
        return {"added": [lean.line(view) for view in views]}

    def _claim(self, caller: Caller, asked: tools.Claim) -> Data:
        from folkmoot.briefs.prompt import DoorWords, in_words, prompt

        ask = self.asked_by(caller)
        lease = self.runs.lease(ask(requests.ShowFlow()).limits.lease)
        request = requests.Claim(
            agent=asked.agent or None, item=asked.item or None, lease=lease, show=False, clone=True, agents_only=True
        )
        view = _cloned(ask, request, checked_key(asked.key or None))
        named = self.runs.claimed(view.run, view.token)
        text = in_words(view.prompt or prompt(view.brief), view.brief, DoorWords(BY_TOOL))
        self.briefs.keep(view.run, text)
        told = {
            "run": named,
            "item": view.brief["task"]["id"],
            "title": view.brief["task"]["title"],
            "agent": view.agent,
            "workspace": view.workspace,
            "lease_expires_at": view.lease_expires_at,
            "next": IN_CLONE if view.workspace else IN_FOLDER,
            "prompt": text,
        }
        return lean.without_empty(told)

    def _report(self, caller: Caller, asked: Data) -> Data:
        fields = {name: value for name, value in asked.items() if name not in ("run", "text")}
        ask, actor = self._for_run(caller, str(asked.get("run") or ""))
        report = self._read(ask, fields, str(asked.get("text") or ""))
        before = self.waiter.last(ask)
        view = self._ended(actor, lambda: ask(requests.SendReport(report=report), _key("report", actor, asked)))
        self.runs.ended(actor)
        told = {"reported": report.outcome, **lean.state(view), "note": view.note if view.note else None}
        kept = [msgspec.to_builtins(one) for one in view.kept or []]
        seen = self.waiter.after_own(ask, before, actor)
        return {**lean.without_empty({**told, "without_effect": kept}), "seen": seen}

    def _read(self, ask: Ask, fields: Data, text: str) -> Report:
        """The report in fields or in a text. What cannot be read is refused, the run lives, and its words are kept."""
        from folkmoot.reports.read import read_report

        if bool(fields) == bool(text):
            words = "a report is needed: fields with an outcome, or a text, and not both"
            raise Invalid("bad_usage", words, "give `outcome` and `summary`, or `text`")
        try:
            return read_report(text or msgspec.json.encode(fields).decode())
        except Invalid as error:
            unread = Report.unread(error.message, text or str(fields.get("summary") or ""))
            with suppress(Invalid):  # what is told to the agent is what is wrong with its report
                ask(requests.OfferReport(report=unread, fault=error.message))
            raise

    def _ended(self, actor: Actor, call: Callable[[], Any]) -> Any:
        """What the call gives. A run that is not the current one any more is forgotten here too."""
        try:
            return call()
        except Refused as error:
            if error.code == "stale_claim":
                self.runs.ended(actor)
            raise

    def _comment(self, caller: Caller, asked: tools.Comment) -> Data:
        ask, actor = self._speaker(caller, asked.run, asked.item)
        request = requests.AddComment(
            content=asked.content,
            item=asked.item or None,
            artifact=asked.artifact or None,
            parent=asked.parent or None,
        )
        key = _key("comment", actor, msgspec.to_builtins(asked)) if actor.run else None
        before = self.waiter.last(ask)
        view = ask(request, key)
        made = [one for one in view.comments if one.content == asked.content]
        told = {"comment": made[-1].id if made else None, "item": view.id, "status": view.status}
        seen = self.waiter.after_own(ask, before, actor)
        return {**lean.without_empty({**told, "people_say": self._heard(ask, actor)}), "seen": seen}

    def _speaker(self, caller: Caller, run: str, item: str) -> tuple[Ask, Actor]:
        """The run that comments; a person who names an item and no run speaks as themselves."""
        if caller.role != "run" and item and not run:
            return self.asked_by(caller), caller.actor
        return self._for_run(caller, run)

    def _ask(self, caller: Caller, asked: tools.Ask) -> Data:
        ask, actor = self._for_run(caller, asked.run)
        request = requests.AskPerson(question=asked.question, options=asked.options, context=asked.context)
        key = _key("ask", actor, msgspec.to_builtins(asked))
        before = self.waiter.last(ask)
        view = self._ended(actor, lambda: ask(request, key))
        one = next(each for each in reversed(view.questions) if each.question == asked.question)
        following = f"go on, or wait for the answer: the tool `wait` with question={one.id}, item={one.task_id}"
        told = {**lean.question(one), "next": following, "people_say": self._heard(ask, actor)}
        return {**lean.without_empty(told), "seen": self.waiter.after_own(ask, before, actor)}

    def _heard(self, ask: Ask, actor: Actor) -> list[str]:
        """What people have said to the run since it was last told."""
        return [said.text for said in ask(requests.Hear()).sentences] if actor.run else []

    def _wait(self, caller: Caller, asked: tools.Wait) -> Data:
        if asked.run:
            self.run_of(caller, asked.run)  # that it waits shows that it lives
        item = asked.item
        if not item and (asked.question or caller.role == "run"):
            with suppress(MootError):  # an answer that came stands on the item
                item = self._item(caller, asked.run)
        told = self.waiter.wait(self.asked_by(caller), item, asked.question, asked.seen, asked.seconds)
        if asked.question and told["changed"]:
            with suppress(MootError):  # a person waited, or the run has ended
                told |= lean.without_empty({"people_say": self._heard(*self._for_run(caller, asked.run))})
        return told


def _cloned(ask: Ask, request: requests.Claim, key: str | None) -> ClaimView:
    """The claim with a clone; where nothing could be cloned, agents work in the folder itself."""
    try:
        return ask(request, key)
    except Refused as error:
        if error.code != "no_repository":
            raise
        return ask(msgspec.structs.replace(request, clone=False), key)


def _typed(tool: tools.Tool, arguments: Data) -> Any:
    """The arguments as the tool's own; what models often write otherwise is read too: null for nothing, 7 or #7."""
    given = {name: value for name, value in arguments.items() if value is not None}
    for name in ("item", "parent", "question"):
        value = given.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            given[name] = str(value)
        elif isinstance(value, str) and name == "item":
            given[name] = value.removeprefix("#")
    if tool.name == "report":
        return given  # its form is read by those who know it
    try:
        return converted(given, tool.arguments)
    except (msgspec.ValidationError, RecursionError, OverflowError) as error:
        words = "the arguments of {tool} do not fit: {why}"
        known = list(tool.schema["properties"])
        raise Invalid("bad_arguments", words, "it takes: {known}", tool.name, misfit(error), known) from error


def _key(call: str, actor: Actor, arguments: Data) -> str:
    """The same call of the same run twice is one: clients repeat what they have no answer to."""
    said = {name: value for name, value in arguments.items() if name != "run"}
    digest = sha256(msgspec.json.encode(said, order="deterministic")).hexdigest()[:32]
    return f"mcp/{call}/{actor.run}/{digest}"
