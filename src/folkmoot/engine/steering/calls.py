"""A person steers: says something to a run, or takes an item to do the work by hand."""

from typing import TYPE_CHECKING

from folkmoot.api.views import Sentences, TakenView
from folkmoot.briefs.brief import brief
from folkmoot.core import commands
from folkmoot.core.order import claimant
from folkmoot.core.records import Run
from folkmoot.core.rules.admission import check_claimer
from folkmoot.core.rules.claims import PERSON_LEASE
from folkmoot.core.rules.running.hearing import since
from folkmoot.engine.facts import facts
from folkmoot.engine.loading import known_item
from folkmoot.engine.naming import known_run
from folkmoot.engine.reads.views import claim_view, item_view, sentence_view
from folkmoot.engine.subjects import no_run, nothing_ready, own_item
from folkmoot.engine.unit_of_work import UnitOfWork

if TYPE_CHECKING:
    from folkmoot.api.views import ItemView
    from folkmoot.core.commands import Actor
    from folkmoot.engine.engine import Engine
    from folkmoot.store.port import Reading


def item_of(reading: "Reading", name: str) -> str:
    """The item that is meant by its number, or by one of its runs."""
    number = name.strip().removeprefix("#")
    if number.isascii() and number.isdecimal():
        return known_item(reading, number).id
    return known_run(reading, name).item


def say(engine: "Engine", actor: "Actor", to: str, text: str, key: str | None = None) -> "ItemView":
    item = engine.store.read(lambda reading: item_of(reading, to))
    return engine.handle_item(actor, item, commands.SayToAgent(text=text), key)


def hear(engine: "Engine", actor: "Actor") -> Sentences:
    """What people have said to a run since it was last told. It is told once."""

    def work(unit: UnitOfWork) -> Sentences:
        item = own_item(unit, actor) or no_run()
        before = unit.run
        unit.apply(commands.HearPeople(), item, actor)
        new = since(item, before) if before is not None and not before.gate else []
        return Sentences(sentences=[sentence_view(one) for one in new])

    return engine.transact(actor, commands.HearPeople(), work, None, "", Sentences)


def take(engine: "Engine", actor: "Actor", what: str, key: str | None = None) -> TakenView:
    """The item for this person, with the brief of its agent. The agent's run ends. Whoever has it already gets the same
    run again."""

    def work(unit: UnitOfWork) -> TakenView:
        check_claimer(actor, unit.tx.run(actor.run) if actor.run else None)
        item = item_of(unit.tx, what)
        unit.sweep_item(item)
        run = unit.tx.open_run(item)
        if run is not None and run.person == actor.name:
            unit.run = run
            unit.apply(commands.RenewRun(), unit.item(item), commands.Actor(actor.name, run.id, run.token))
            return _view(unit, item, unit.tx.run(run.id) or run, again=True)
        if run is not None:
            unit.run = run
            unit.apply(commands.TakeOver(), unit.item(item), actor)
            unit.run = None
        agent = claimant(unit.flow, unit.item(item))
        if agent is None or agent not in unit.flow.agents:
            raise nothing_ready(unit, agent or actor.name, item)
        order = commands.ClaimItem(
            agent=agent, lease=PERSON_LEASE, person=actor.name, took=run.id if run is not None else None
        )
        unit.apply(order, unit.item(item), actor)
        assert unit.run is not None, "a claim has just made it"
        return _view(unit, item, unit.run, again=False)

    return engine.transact(actor, commands.TakeOver(), work, key, what, TakenView)


def _view(unit: UnitOfWork, item: str, run: Run, *, again: bool) -> TakenView:
    claimed = unit.item(item)
    told = brief(unit.flow, claimed, run, facts(unit.tx, unit.flow, claimed, run))
    claim = claim_view(run, item_view(unit.tx, claimed, unit.flow, unit.moment), told, unit.moment)
    return TakenView(
        run=claim.run,
        token=claim.token,
        agent=claim.agent,
        model=claim.model,
        lease_expires_at=claim.lease_expires_at,
        workspace=claim.workspace,
        item=claim.item,
        brief=claim.brief,
        took=run.took,
        again=again,
    )
