"""How a run's item stands: what whoever makes its workspace, and brings its work home, must know."""

from msgspec import Struct, field

from folkmoot.core.enums import ENDED, STATUSES
from folkmoot.core.flow import LANDING, Flow
from folkmoot.core.item import Item
from folkmoot.core.proposals.issue import Tracked
from folkmoot.core.proposals.proposal import Proposal, Seen
from folkmoot.core.rules.judging.required import proved, required
from folkmoot.core.rules.running import proposing
from folkmoot.core.rules.running.landing import is_at_rest, moves_branch, unsettled
from folkmoot.core.rules.running.rights import may_write
from folkmoot.core.rules.running.work import ends_here
from folkmoot.core.rules.sharing.holds import branch_of
from folkmoot.core.work import Landing
from folkmoot.engine.loading import idle_waiters, known_item
from folkmoot.errors import Invalid
from folkmoot.store.port import Reading

ALL = 1_000_000
ENDED_LOOKED_AT = 200
ABOVE_MAX = 32  # more than splits and dispatches can lie above each other


class RunContext(Struct, frozen=True, kw_only=True):
    item: str
    title: str
    agent: str
    column: str
    write: str  # what its agent may change; a gate changes nothing
    live: bool  # False: the run has ended, whatever its processes do
    head: str | None  # where its own branch is; None: it begins from its parent's, or from the target
    parent: str | None  # whose branch its work is for, if that one has not ended
    parent_head: str | None
    begins_from: str | None  # the branch of the nearest item above that has work
    began_at: str | None  # where its own branch was when the run began
    ends_here: bool  # `done` ends it as a child, and its work goes to its parent at once
    branch: str  # the branch its work is for, in words
    target: str  # of the flow
    gates: list[str] = field(default_factory=list)  # with a command, that must be green on what lands
    proved: dict[str, list[str]] = field(
        default_factory=dict
    )  # tree -> gates that are green on it, as the flow has them
    landing: Landing | None = None
    proposal: Proposal | None = None  # by which its work was last proposed
    marked: str | None = None  # the commit in which a landing has marked conflicts, that somebody was to mend
    person: str | None = None  # who does its agent's work by hand
    has_landed: bool = False  # the run has ended, and the board says that by it the work is on its branch


def is_fresh(run_context: RunContext) -> bool:
    """Does its workspace begin with nothing but what has landed?"""
    return run_context.head is None and run_context.begins_from is None


def _begins_from(reading: Reading, above: Item | None) -> str | None:
    """Where a child's work begins: at the nearest item above it that has some (R-19)."""
    for _ in range(ABOVE_MAX):
        if above is None or above.head is not None or above.asker is None:
            break
        above = reading.item(above.asker)
    return above.head if above is not None and above.status not in ENDED else None


def run_context(reading: Reading, flow: Flow, run_id: str) -> RunContext:
    run = reading.run(run_id)
    if run is None:
        raise Invalid("unknown_run", "there is no run {run}", "see: <log>", run_id)
    item = known_item(reading, run.item)
    parent = reading.item(item.asker) if item.asker else None
    parent = parent if parent is not None and parent.status not in ENDED else None
    gates = required(flow, item, parent is None) if run.agent == LANDING else []
    return RunContext(
        item=item.id,
        title=item.title,
        agent=run.agent,
        column=run.column,
        write=may_write(flow, item, run.agent) if not run.gate else "none",
        live=run.ended_at is None,
        head=item.head,
        parent=parent.id if parent else None,
        parent_head=parent.head if parent else None,
        begins_from=_begins_from(reading, parent),
        began_at=run.head,
        ends_here=ends_here(item) and parent is not None,
        branch=branch_of(flow, item),
        target=flow.target,
        gates=[gate for gate in gates if flow.gates[gate].run],
        proved=proved(flow, item),
        landing=item.landing,
        proposal=item.proposal,
        marked=item.marked,
        person=run.person,
        has_landed=moves_branch(run),
    )


def proposals(reading: Reading) -> dict[str, Proposal]:
    """The pull requests about which people may yet decide, by item."""
    unfinished = (
        item for status in STATUSES if status not in ENDED for item in reading.items(status=status, limit=ALL)
    )
    open_ones = ((item.id, item.proposal) for item in unfinished if item.proposal is not None)
    return {item: one for item, one in open_ones if one.state != "merged" and one.number}


def tracked_issues(reading: Reading) -> dict[str, Tracked]:
    """The issues below which something may yet be said: of items that have not ended, and of those that ended last."""
    recent = reading.ended_items(ENDED_LOOKED_AT)
    found = [(item, item.issue) for item in [*reading.open_items(), *recent] if item.issue is not None]
    return {item.id: issue for item, issue in found if not issue.is_over(item.status, item.landed is not None)}


def is_to_be_merged(reading: Reading, flow: Flow, item_id: str, seen: Seen, at: int, now: float) -> bool:
    """Is the forge to be asked to merge what was proposed for the item? `at` is the time of day."""
    item = reading.item(item_id)
    if item is None or not proposing.is_to_be_merged(flow, item, seen, at):
        return False
    waiters = idle_waiters(reading, flow, item.id)
    return not proposing.is_kept_off(item, reading.holds(now), reading.pauses(), waiters, now)


def unsettled_landing(reading: Reading, item_id: str) -> tuple[bool, Landing | None]:
    """Whether a landing may yet be at work on an item; and the move that nobody has told of, if there is one."""
    item = reading.item(item_id)
    return (False, None) if item is None else (not is_at_rest(item), unsettled(item))
