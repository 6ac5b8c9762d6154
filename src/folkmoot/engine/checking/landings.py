"""The part of the audit that follows every landing: nothing comes onto the target branch past gates and reviews (R-19),
and nothing onto any branch beyond the item's files (R-20)."""

from collections.abc import Callable

from msgspec.structs import replace

from folkmoot.core.events import Event
from folkmoot.core.flow import END, Flow
from folkmoot.core.item import Item
from folkmoot.core.rules.judging.required import last_words, proved, required, waived
from folkmoot.core.rules.running.looking import unseen_by
from folkmoot.core.rules.sharing.paths import outside

Found = Callable[[str, str, str | None], None]


class Landings:
    """Fed by the audit like `Conduct`. A log may begin with landings of a version that did not say what was proved:
    from the first that says so on, each must."""

    def __init__(self, found: Found) -> None:
        self.found = found
        self._recorded: dict[str, str] = {}  # item -> the commit that it was about to land, proved
        self._moves: dict[str, str] = {}  # item -> where the branch was to go with it
        self._heads: dict[str, str | None] = {}  # item -> where its branch was before that changed
        self._said = False
        self._lasting: set[str] = set()  # items whose gates were waived when no log said for which work
        self._bound = False  # it has been said since
        self._shown = False  # the log says which work was before whoever gives verdicts

    def after(self, event: Event, before: Item | None, item: Item | None, flow: Flow | None, by_person: bool) -> None:
        if before is None or item is None or flow is None:
            return
        self._waived(event, before, item, by_person)
        self._shown = self._shown or item.shown is not None
        if item.head != before.head:
            self._heads[item.id] = before.head
        if event.name == "landing_recorded":
            self._record(event, item, flow)
        elif event.name == "work_landed":
            self._landed(event, item, flow)
        elif event.name == "proposal_seen" and "asked" in event.context:
            self._asked(event, item, flow)

    def _waived(self, event: Event, before: Item, item: Item, by_person: bool) -> None:
        """By a person's word alone, and for the work that is there then."""
        is_word = by_person and event.name == "gates_waived"
        new = [gate for gate in item.waived if gate not in before.waived or item.waived_at != before.waived_at]
        if new and not is_word:
            self.found("R-19", f"{event.name} by {event.agent} lets it go without {new[0]}", item.id)
        if event.name != "gates_waived":
            return
        self._bound = self._bound or "head" in event.context
        self._lasting.discard(item.id)
        if not self._bound:
            self._lasting.add(item.id)
        elif item.waived_at != item.head:
            words = f"event {event.seq} waives {new[0] if new else 'gates'} for {item.waived_at or 'no work'}"
            self.found("R-19", f"{words}, and its work is at {item.head or 'its start'}", item.id)

    def _record(self, event: Event, item: Item, flow: Flow) -> None:
        landing = item.landing
        if landing is None:
            return
        self._said = self._said or "tree" in event.context
        paths = [path for path in event.context.get("paths", ()) if path not in item.changed]
        strange = outside(paths, item.files) if item.files else []
        if strange:
            self.found("R-20", f"event {event.seq} is to land {strange[0]}, which is not among its files", item.id)
        look = unseen_by(flow, item) if self._shown and _is_for_target(landing.branch) else None
        if look is not None:
            self.found("R-19", f"event {event.seq} is to land {item.head}, and {look} has not seen it", item.id)
        missing = self._missing(item, flow, _is_for_target(landing.branch), landing.tree, item.head)
        self._recorded[item.id] = landing.commit
        self._moves[item.id] = landing.new
        if missing and self._said:
            words = f"event {event.seq} is to land {landing.new} on {landing.branch}, and {missing[0]} is not green"
            self.found("R-19", f"{words} on its tree", item.id)

    def _landed(self, event: Event, item: Item, flow: Flow) -> None:
        branch = item.landed_on or ""
        if not _is_for_target(branch):
            if item.asker is None or branch != f"item {item.asker}":
                self.found("R-19", f"it landed on the branch of {branch}, which did not send for it", item.id)
            return
        self._said = self._said or "proved" in event.context
        if not self._said:
            return
        apart = [one for one in event.context.get("beside", ()) if self._moves.get(one) != self._moves.get(item.id)]
        if apart:
            words = f"event {event.seq} landed it together with item {apart[0]}, which was to come by another move"
            self.found("R-19", words, item.id)
        if item.kind != "item" or item.column != END:
            self.found("R-19", f"it is a {item.kind} in {item.column}, and landed on {branch}", item.id)
        recorded = self._recorded.pop(item.id, None)
        if recorded != item.landed and not _is_by_hand(event, item, recorded):
            # By somebody's word, or under another flow than the one in force: the last word of each gate counts.
            missing = self._missing(item, flow, True, None, item.head or self._heads.get(item.id))
            if missing:
                self.found("R-19", f"event {event.seq} landed it on {branch}, and {missing[0]} was not green", item.id)

    def _asked(self, event: Event, item: Item, flow: Flow) -> None:
        """The forge was asked to merge it, by the flow's word alone: as for any landing, every gate of now is green."""
        tree = item.proposal.tree if item.proposal is not None else None
        if missing := self._missing(item, flow, True, tree, item.head):
            words = f"event {event.seq} says that the forge was asked to merge it, and {missing[0]} is not green"
            self.found("R-19", f"{words} on its tree", item.id)

    def _missing(self, item: Item, flow: Flow, for_target: bool, tree: str | None, head: str | None) -> list[str]:
        last = last_words(flow, item, head)
        there = proved(flow, item).get(tree or "", [])
        let_go = item.waived if item.id in self._lasting else waived(replace(item, head=head))
        return [
            gate
            for gate in required(flow, replace(item, waived=[]), for_target)
            if gate not in let_go
            and not (gate in there if tree is not None and flow.gates[gate].run else last.get(gate, False))
        ]


def _is_by_hand(event: Event, item: Item, recorded: str | None) -> bool:
    """Did people merge on a forge what had been proved when it was proposed? Which gates the flow has got since is
    theirs to judge."""
    return "url" in event.context and item.proposal is not None and recorded == item.proposal.commit


def _is_for_target(branch: str) -> bool:
    return not branch.startswith("item ")
