"""Looks at the issues that items came from, and says below each how its item stands; the rules decide what follows.

All that is said can be said again: the words that were written are noted afterwards, and nothing is written twice that
stands there already.
"""

import re
from collections import defaultdict

from folkmoot.api.requests import AnswerQuestion
from folkmoot.core.commands import ENGINE, Actor
from folkmoot.core.enums import ENGINE_NAME, ForgeKind
from folkmoot.core.flow import Flow
from folkmoot.core.proposals.issue import Tracked, mark_of
from folkmoot.core.proposals.orders import NoteIssue, PausePool, SeeIssue
from folkmoot.errors import MootError
from folkmoot.worker.forge.below import asked_below, below_issue
from folkmoot.worker.forge.port import POOL, ForgeLimited, IssueForge, IssuePicture, Reply
from folkmoot.worker.forge.turns import Turns
from folkmoot.worker.ports import WorkerEvent
from folkmoot.worker.tools import Tools
from folkmoot.worker.workspaces import GitWorkspaces

SECONDS = 60.0
WORDS_SHOWN = 200
ANSWER = re.compile(
    r"\s{0,20}/answer(?:[ \t]+(?P<question>q\d{1,9}))?(?:[ \t]+|\s*\n)(?P<words>\S.*)", re.DOTALL | re.I
)


class IssueWatch:
    def __init__(self, tools: Tools, turns: Turns) -> None:
        self._tools = tools
        self._turns = turns
        self._told = ""

    def look(self, *, now: bool = False) -> bool:
        """Ask, if it is time. False: nothing was asked."""
        try:
            return self._look(now)
        except MootError as error:
            self._tell(error.message)
        except OSError as error:
            self._tell(f"the forge was not asked: {error.strerror or error}")
        return False

    def _look(self, now: bool) -> bool:
        queries, workspaces = self._tools.application.queries, self._tools.workspaces
        if not isinstance(workspaces, GitWorkspaces):
            return False
        issues = queries.tracked_issues()
        if not issues or any(pause.what.endswith(POOL) for pause in queries.pauses().pauses):
            return False
        with self._turns.turn(workspaces.home, 0.0 if now else SECONDS) as is_turn:
            if is_turn:
                self._ask(queries.flow(), issues)
        return is_turn

    def _ask(self, flow: Flow, issues: dict[str, Tracked]) -> None:
        by_place: dict[tuple[ForgeKind, str], dict[str, Tracked]] = defaultdict(dict)
        for item, issue in issues.items():
            by_place[issue.forge, issue.repository][item] = issue
        for place, here in by_place.items():
            forge = self._tools.issues_of(flow, *place)
            try:
                found = forge.pictures(list(here.values()))
                for item, issue in here.items():
                    if (picture := found.get(issue.number)) is not None:
                        self._see(flow, forge, item, picture)
            except ForgeLimited as limited:
                self._pause(limited.seconds, limited.details["why"])
                return
            if forge.rests is not None:
                self._pause(forge.rests, "the rest of this hour's limit is for you")
                return
        self._told = ""

    def _see(self, flow: Flow, forge: IssueForge, item: str, picture: IssuePicture) -> None:
        """Each for itself: what is wrong with one keeps no other waiting."""
        engine = self._tools.application.engine
        try:
            for reply in picture.replies:
                self._hear(forge, item, reply)
            engine.act(ENGINE, SeeIssue(seen=picture.seen), item)
            self._say(flow, forge, item, picture)
        except ForgeLimited:
            raise
        except MootError as error:
            self._tell(f"item {item}: {error.message}")

    def _hear(self, forge: IssueForge, item: str, reply: Reply) -> None:
        """A comment that begins with `/answer`, by somebody who may change the repository, answers as any person. Each
        is heard once: what was said before a question stood there does not answer it."""
        said, issue = None if reply.own else ANSWER.match(reply.text), self._issue(item)
        name = str(reply.number or reply.id)
        if said is None or issue is None or issue.has_heard(name) or reply.id in issue.heard:
            return
        refused = issue.refused
        if forge.may_write(reply.by):
            refused = self._answer(item, issue, reply, (said["question"] or "").lower(), said["words"].strip())
        self._note(item, NoteIssue(heard=name, refused=refused))

    def _answer(self, item: str, issue: Tracked, reply: Reply, question: str, words: str) -> str:
        """Why it was not taken; empty: it was."""
        view = self._tools.application.queries.show(item)
        asked = [one.id for one in asked_below(view)]
        if not asked or issue.told != mark_of("", below_issue(view, issue.refused)):
            return f"{words[:WORDS_SHOWN]}: nothing was asked here when this was said"
        if question not in asked and (question or len(asked) > 1):
            return f"say which question is answered: {', '.join(f'/answer {one} …' for one in asked)}"
        person = Actor(f"{reply.by} on the forge")
        try:
            answer = AnswerQuestion(question=question or asked[0], answer=words)
            self._tools.application.asked_by(person)(answer, f"{issue.repository}:{reply.id}")
        except MootError as error:
            return error.message
        return ""

    def _say(self, flow: Flow, forge: IssueForge, item: str, picture: IssuePicture) -> None:
        view, issue = self._tools.application.queries.show(item), self._issue(item)
        if issue is None:
            return
        text = below_issue(view, issue.refused)
        mark = mark_of("", text) if text else ""
        if text and (mark, view.status) != (issue.told, issue.told_as):
            own = next((one for one in picture.replies if one.own), None)
            number = issue.comment or (own.number if own is not None else None)
            if own is None or not own.text.startswith(text):
                number = forge.comment(issue.number, text, number)
            self._tools.step("said", item)
            self._note(item, NoteIssue(told=mark, told_as=view.status, comment=number))
        if view.status == "done" and view.landed and not issue.closed:
            if picture.seen.is_open:
                forge.close(issue.number)
            self._tools.step("closed", item)
            self._note(item, NoteIssue(closed=True))

    def _issue(self, item: str) -> Tracked | None:
        return self._tools.application.queries.tracked_issues().get(item)

    def _note(self, item: str, command: NoteIssue) -> None:
        self._tools.application.engine.act(ENGINE, command, item)

    def _pause(self, seconds: float, why: str) -> None:
        self._tools.application.engine.on_board(ENGINE, PausePool(pool=POOL, seconds=seconds, why=why))

    def _tell(self, words: str) -> None:
        """What goes on is told once."""
        if words != self._told:
            self._tools.tell(WorkerEvent("fault", "", "", "", ENGINE_NAME, words, good=False))
        self._told = words
