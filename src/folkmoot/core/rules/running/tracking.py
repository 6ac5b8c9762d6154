"""An item that came from an issue on a forge: its words follow the issue while nobody works on it."""

from typing import Any

from msgspec.structs import asdict, replace

from folkmoot.core.enums import ENDED
from folkmoot.core.proposals.issue import IssueLink, Tracked, check_link, mark_of, words_of
from folkmoot.core.proposals.orders import NoteIssue, SeeIssue
from folkmoot.core.rules.questions import ask
from folkmoot.core.situation import Case
from folkmoot.core.vocabulary.ways import CANCEL, PARK, Way
from folkmoot.errors import Refused

GO_ON = Way("go on with it all the same", "again", says="yes")
AT_WORK = frozenset({"running", "proving"})


def tracked(case: Case, link: IssueLink | None, title: str, body: str) -> dict[str, Any]:
    """What an item keeps of its issue. A run links nothing: what the board says goes there, and it is closed."""
    if link is None:
        return {}
    if not case.actor.is_person:
        words = "a run cannot say from which issue an item came"
        raise Refused("only_people", words, "leave <.issue> out; a person may add it", issue=link.url[:200])
    check_link(link)
    return {"issue": Tracked(**asdict(link), taken=mark_of(title, body))}


def see_issue(case: Case, command: SeeIssue) -> None:
    item, seen = case.item, command.seen
    issue = item.issue
    if issue is None or item.status in ENDED or item.status in AT_WORK or item.run is not None:
        return
    if not seen.is_open and not issue.asked and not issue.closed:
        _ask(case, issue, seen.by)
    elif seen.is_open and issue.asked:
        _keep(case, issue, {"why": "it is open again"}, asked=False)
    elif seen.is_open:
        _follow(case, issue, *words_of(seen.title, seen.body))


def _follow(case: Case, issue: Tracked, title: str, body: str) -> None:
    """Words that a person has changed on the board since stand."""
    item, mark = case.item, mark_of(title, body)
    if mark == issue.taken or not title or mark_of(item.title, item.body) != issue.taken:
        return
    told = {"fields": ["body", "title"], "url": issue.url}
    case.set("item_edited", told, title=title, body=body, issue=replace(issue, taken=mark))


def _ask(case: Case, issue: Tracked, by: str) -> None:
    """What it means that somebody has closed it is theirs to say: the work may be wanted all the same, or not."""
    who = f" by {by}" if by else ""
    _keep(case, issue, {"why": f"it was closed{who}"}, asked=True)
    words = f"{issue.url} was closed{who}. What should become of the item?"
    ask(case, "decision", words, GO_ON, PARK, CANCEL, context=f"the item: {case.item.title}")


def note_issue(case: Case, command: NoteIssue) -> None:
    issue = case.item.issue
    if issue is None:
        return
    changed: dict[str, Any] = {}
    if command.told is not None:
        changed |= {"told": command.told, "told_as": command.told_as, "comment": command.comment or issue.comment}
    if command.closed:
        changed["closed"] = True
    if command.heard is not None:
        after = issue.after_hearing(command.heard)
        changed |= {"heard": after.heard, "heard_to": after.heard_to, "refused": command.refused}
    if any(getattr(issue, name) != value for name, value in changed.items()):
        what = "closed" if command.closed else "answer heard" if command.heard is not None else "told"
        _keep(case, issue, {"why": what}, **changed)


def _keep(case: Case, issue: Tracked, context: dict[str, Any], **changed: Any) -> None:
    case.set("issue_noted", {"url": issue.url, **context}, issue=replace(issue, **changed))
