"""Scripted agents: each takes items, makes an effort, and ends it after its own character."""

import random
from collections.abc import Callable, Generator
from typing import Any

from folkmoot.core import commands
from folkmoot.core.commands import Command, Speaker
from folkmoot.core.report import Report
from folkmoot.sim import speech
from folkmoot.sim.orders import Answer, Order
from folkmoot.sim.world import Script, World

View = dict[str, Any]
Says = Callable[[random.Random, View], Report]

# What a run of this character says at its end; the others have scripts of their own below.
SAYS: dict[str, Says] = {
    "obedient": speech.obedient,
    "good": speech.good,
    "slow": speech.obedient,
    "wrong": speech.wrong,
    "repeating": speech.repeating,
    "disputing": speech.disputing,
    "asking": speech.asking,
    "stuck": speech.stuck,
    "incomplete": speech.incomplete,
    "causes": speech.causes,
    "dangerous": speech.dangerous,
    "lying": speech.lying,
}
CHARACTERS = (*sorted(SAYS.keys() - {"good"}), "silent", "zombie", "releasing", "garbled", "adding", "talking")


class Agent:
    """One worker. It has a character, but no memory: what it knows comes with the claim."""

    def __init__(self, world: World, name: str, character: str) -> None:
        self.world = world
        self.name = name
        self.character = character
        self.chance = world.chance
        self._keys = 0

    def script(self) -> Script:
        while True:
            yield self.chance.expovariate(1 / 5)
            answer = yield from self._claim()
            if answer is not None and answer.view is not None:
                yield from self._work(answer.view)
            elif answer is not None and answer.code in ("paused", "nothing_ready"):
                yield self.chance.expovariate(1 / (120 if answer.code == "paused" or not self._hints() else 5))

    def _claim(self) -> "Generator[float, None, Answer | None]":
        """Mostly where the board hints that there is work; sometimes anywhere, as after a lost wake-up."""
        world, chance = self.world, self.chance
        agents = self._hints()
        if not agents and chance.random() > 0.1:
            return None
        if not agents or chance.random() < 0.05:
            agents = list(world.flow.agents)
        agent = chance.choice(sorted(agents))
        lease = chance.choice((0.0, 0.0, 0.0, 10.0, 300.0))
        order = Order(Speaker(self.name), commands.ClaimItem(agent=agent, lease=lease, worker=self.name))
        if self.character != "good" and chance.random() < 0.1:
            columns = world.flow.watched_by(agent)
            item = chance.choice(sorted(world.items)) if world.items and chance.random() < 0.5 else None
            order = Order(order.speaker, order.command, item, chance.choice(columns) if columns else None)
        return (yield from self._insist(order))

    def _hints(self) -> list[str]:
        """The agents for whom there is something, now or after a pause."""
        return [agent for agent, items in self.world.witness.queues.items() if items]

    def _insist(self, order: Order) -> "Generator[float, None, Answer]":
        """Say it with a key; if no answer came, say it again under that key, unless this process is gone for good."""
        self._keys += 1
        key = f"{self.name}-{self.character}-{self._keys}" if self.chance.random() < 0.7 else None
        order = Order(order.speaker, order.command, order.item, order.column, key)
        answer = self.world.say(order)
        while answer.lost and key is not None and self.chance.random() < 0.7:
            yield self.chance.uniform(0.1, 200.0)
            answer = self.world.say(order)
        if answer.view is not None and key is not None and self.chance.random() < 0.05:
            answer = self.world.say(order)
        return answer

    def _work(self, claim: View) -> Script:
        character = self.character
        if character != "good" and self.chance.random() < 0.4:
            character = self.chance.choice(("obedient", "obedient", "obedient", *CHARACTERS))
        speaker = Speaker(claim["agent"], claim["run"], claim["token"])
        lease = self._lease(claim)
        if character == "silent":
            yield self.chance.uniform(0, 4 * lease)
        elif character == "zombie":
            yield from self._rise(claim, speaker, lease)
        else:
            kept = yield from self._effort(speaker, lease, character)
            if kept:
                yield from self._end(claim, speaker, character)

    def _lease(self, claim: View) -> float:
        run = self.world.witness.run(claim["run"])
        return run.lease if run else 60.0

    def _effort(self, speaker: Speaker, lease: float, character: str) -> "Generator[float, None, bool]":
        """Work, and renew at a third of the lease. False: the lease was lost, so nothing more is said."""
        seconds = self.chance.uniform(2, 6) * lease if character == "slow" else self.chance.expovariate(1 / 15)
        if character == "good":
            seconds = min(seconds, lease / 4)
        while seconds > lease / 3:
            yield lease / 3
            seconds -= lease / 3
            answer = yield from self._insist(Order(speaker, commands.RenewRun()))
            if answer.view is None:
                return False
        yield seconds
        return True

    def _rise(self, claim: View, speaker: Speaker, lease: float) -> Script:
        """Sleeps beyond its lease, then goes on as if nothing had happened. The world sees that it is refused."""
        yield lease * self.chance.uniform(1.01, 10)
        item = claim["item"]["id"]
        last_words: list[tuple[Command, str | None]] = [
            (commands.RenewRun(), None),
            (commands.ReleaseRun(), None),
            (commands.ReportRun(report=speech.obedient(self.chance, claim)), None),
            (commands.ReportRun(report=speech.wrong(self.chance, claim)), None),
            (commands.AddComment(content="I am still here"), item),
            (commands.AddItem(title="made by a ghost"), None),
            (commands.MoveItem(column="dev"), item),
        ]
        self.chance.shuffle(last_words)
        for command, about in last_words[: self.chance.randrange(1, len(last_words) + 1)]:
            yield from self._insist(Order(speaker, command, about))
            yield self.chance.expovariate(1 / 5)

    def _end(self, claim: View, speaker: Speaker, character: str) -> Script:
        chance, item = self.chance, claim["item"]["id"]
        if character == "releasing":
            yield from self._insist(Order(speaker, commands.ReleaseRun()))
            return
        if character == "garbled":
            said = Report.failed("prose", "protocol")
            yield from self._insist(Order(speaker, commands.ReportRun(report=said, fault="no report could be read")))
            return
        if character == "adding":
            parent = item if chance.random() < 0.5 else None
            after = [] if chance.random() < 0.7 else [item]
            more = commands.AddItem(title="something more", parent=parent, after=after)
            yield from self._insist(Order(speaker, more))
        if character == "talking":
            yield from self._talk(claim, speaker)
            return
        says = SAYS.get(character, speech.obedient)
        yield from self._report(speaker, says(chance, claim))

    def _talk(self, claim: View, speaker: Speaker) -> Script:
        """Comments during the run, and reports that refer to them."""
        chance, item = self.chance, claim["item"]["id"]
        disputes = [dispute["thread"] for dispute in claim["brief"]["disputes"]]
        ids = [comment["id"] for comment in claim["item"]["comments"]]
        parent = chance.choice(disputes) if disputes and chance.random() < 0.7 else chance.choice([*ids, None])
        way = chance.choice((None, "accepted", "rejected")) if parent else None
        words = commands.AddComment(content="about this", parent=parent, resolution=way, artifact="dev.md")
        yield from self._insist(Order(speaker, words, item))
        yield from self._report(speaker, chance.choice((Report.done("said"), Report(outcome="disputed"))))

    def _report(self, speaker: Speaker, report: Report) -> Script:
        answer = yield from self._insist(Order(speaker, commands.ReportRun(report=report)))
        if answer.view is not None and self.chance.random() < 0.03:
            # A process that does not know it is finished.
            self.world.say(Order(speaker, commands.RenewRun()))
