"""Issues of a forge, to be brought onto the board."""

from folkmoot.core.flow import Flow
from folkmoot.core.proposals.issue import ForgeIssue, IssuePlace
from folkmoot.errors import Invalid
from folkmoot.wiring.forge.forges import Forges
from folkmoot.wiring.trust import Outside


def read_issues(home: str, flow: Flow, place: IssuePlace, label: str | None) -> list[ForgeIssue]:
    """One of them by its number; or the open ones with a label."""
    kind, repository, number = place
    forge = Forges(home, Outside(home)).of(flow, kind, repository)
    if number is None and label is None:
        words = "{repository} is not brought onto the board whole"
        hint = "name one issue: {kind}:{repository}#NUMBER; or those with a label: --label NAME"
        raise Invalid("bad_usage", words, hint, repository, kind=kind)
    return [forge.issue(number)] if number is not None else forge.issues(label or "")
