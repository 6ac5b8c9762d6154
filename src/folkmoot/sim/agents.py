"""Scripted agents: each takes items, makes an effort, and ends it after its own character."""

from collections.abc import Callable, Generator

from folkmoot.api.views import ClaimView
from folkmoot.core import commands
from folkmoot.core.commands import Actor, Command
from folkmoot.core.flow import LANDING
from folkmoot.core.report import Report, Usage
from folkmoot.core.rules.children.making import PURPOSES
from folkmoot.core.rules.running.budgets import over_budget
from folkmoot.sim import craft, speech, teamwork
from folkmoot.sim.habits import lookers, planners, quarrels, quests, several, sloppy, tellers
from folkmoot.sim.habits.crossing import crossing
from folkmoot.sim.habits.posts import handing, printing
from folkmoot.sim.habits.talkative import talkative
from folkmoot.sim.habits.words import loose, reply
from folkmoot.sim.orders import Answer, Order
from folkmoot.sim.speech import PATHS, Scene
from folkmoot.sim.world import Script, World

PAUSED = ("paused", "stopped", "budget_spent", "too_many_starts")
Says = Callable[[Scene], Report]

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
    "splitting": teamwork.splitting,
    "delegating": teamwork.delegating,
    "redefining": teamwork.redefining,
    "outgrown": teamwork.outgrown,
    "thorough": quests.thorough,
    "loose": loose,
}
OTHERS = ("silent", "zombie", "releasing", "garbled", "adding", "talking", "sharing", "rejecting", "exhausted")
CHARACTERS = (*sorted(SAYS.keys() - {"good"}), *OTHERS)


class Agent:
    """One worker. It has a character, but no memory: what it knows comes with the claim."""

    def __init__(self, world: World, name: str, character: str) -> None:
        self.world = world
        self.name = name
        self.character = character
        self.chance = world.chance
        self._keys = 0
        self._in_vain = 0

    def script(self) -> Script:
        while True:
            yield self.chance.expovariate(1 / 5)
            answer = yield from self._claim()
            if answer is not None and isinstance(answer.view, ClaimView):
                yield from self._work(answer.view)
            if answer is not None and answer.code in (*PAUSED, "nothing_ready"):
                # What waits for others' paths, or for a person, is looked for less and less often.
                self._in_vain = min(self._in_vain + 1, 6)
                yield self.chance.expovariate(1 / (120 if answer.code in PAUSED else 5 * 2**self._in_vain))
            elif answer is None and self.world.witness.has_limits:
                yield self.chance.expovariate(1 / 300)
            elif answer is not None:
                self._in_vain = 0

    def _claim(self) -> "Generator[float, None, Answer | None]":
        """Mostly where the board hints that there is work; sometimes anywhere, as after a lost wake-up."""
        world, chance = self.world, self.chance
        agents = self._hints()
        if not agents and chance.random() > 0.1:
            return None
        if not agents or chance.random() < 0.05:
            agents = [*world.flow.agents, *world.flow.gates, LANDING]
        agent = chance.choice(sorted(agents))
        lease = chance.choice((0.0, 0.0, 0.0, 10.0, 300.0))
        order = Order(Actor(self.name), commands.ClaimItem(agent=agent, lease=lease, worker=self.name))
        if self.character != "good" and chance.random() < 0.1:
            columns = world.flow.watched_by(agent)
            item = chance.choice(sorted(world.items)) if world.items and chance.random() < 0.5 else None
            order = Order(order.actor, order.command, item, chance.choice(columns) if columns else None)
        return (yield from self._insist(order))

    def _hints(self) -> list[str]:
        """The agents for whom there is something, now or after a pause, and who may begin a run."""
        witness = self.world.witness
        if not witness.has_limits:
            return [agent for agent, items in witness.queues.items() if items]
        now = self.world.now
        return [agent for agent, items in witness.queues.items() if items and witness.may_begin(agent, now)]

    def _insist(self, order: Order) -> "Generator[float, None, Answer]":
        """Say it with a key; if no answer came, say it again under that key, unless this process is gone for good."""
        self._keys += 1
        key = f"{self.name}-{self.character}-{self._keys}" if self.chance.random() < 0.7 else None
        order = Order(order.actor, order.command, order.item, order.column, key)
        answer = self.world.say(order)
        while answer.lost and key is not None and self.chance.random() < 0.7:
            yield self.chance.uniform(0.1, 200.0)
            answer = self.world.say(order)
        if answer.view is not None and key is not None and self.chance.random() < 0.05:
            answer = self.world.say(order)
        return answer

    def _work(self, claim: ClaimView) -> Script:
        character = self.character
        if character != "good" and self.chance.random() < 0.4:
            character = self.chance.choice(("obedient", "obedient", "obedient", *CHARACTERS))
        actor = Actor(claim.agent, claim.run, claim.token)
        if actor.name == LANDING and character not in ("good", "silent", "zombie", "releasing", "slow"):
            character = "obedient"
        lease = self._lease(claim)
        if character == "silent":
            yield self.chance.uniform(0, 4 * lease)
        elif character == "zombie":
            yield from self._rise(claim, actor, lease)
        else:
            kept = yield from self._effort(actor, lease, character)
            if kept:
                yield from self._end(claim, actor, character)

    def _lease(self, claim: ClaimView) -> float:
        run = self.world.witness.run(claim.run)
        return run.lease if run else 60.0

    def _effort(self, actor: Actor, lease: float, character: str) -> "Generator[float, None, bool]":
        """Work, and renew at a third of the lease. False: the lease was lost, so nothing more is said."""
        seconds = self.chance.uniform(2, 6) * lease if character == "slow" else self.chance.expovariate(1 / 15)
        if character == "good":
            seconds = min(seconds, lease / 4)
        while seconds > lease / 3:
            yield lease / 3
            seconds -= lease / 3
            answer = yield from self._insist(Order(actor, self._renewal(actor)))
            if answer.view is None:
                return False
            if (yield from self._is_over_budget(actor)):
                return False
        yield seconds
        return True

    def _renewal(self, actor: Actor) -> commands.RenewRun:
        """Where there are budgets, a client tells what it has used by now."""
        run = self.world.witness.run(actor.run)
        if run is None or not self.world.flow.budget.is_set:
            return commands.RenewRun()
        before = run.usage or Usage()
        usd = (before.cost_usd or 0.0) + self.chance.choice((0.0, 0.1, 0.5))
        return commands.RenewRun(usage=Usage(input_tokens=before.input_tokens + 10, cost_usd=usd))

    def _is_over_budget(self, actor: Actor) -> "Generator[float, None, bool]":
        """Its worker ends a run whose budget is used up, mostly, and keeps what it made."""
        run = self.world.witness.run(actor.run)
        if run is None or run.gate or not over_budget(self.world.flow, self.world.items[run.item]):
            return False
        if self.chance.random() < 0.2:
            return False
        yield from self._insist(Order(actor, commands.StopRun()))
        return True

    def _rise(self, claim: ClaimView, actor: Actor, lease: float) -> Script:
        """Sleeps beyond its lease, then goes on as if nothing had happened. The world sees that it is refused."""
        yield lease * self.chance.uniform(1.01, 10)
        item = claim.brief["task"]["id"]
        last_words: list[tuple[Command, str | None]] = [
            (commands.RenewRun(), None),
            (commands.ReleaseRun(), None),
            (commands.ReportRun(report=speech.obedient(self._scene(claim))), None),
            (commands.ReportRun(report=speech.wrong(self._scene(claim))), None),
            (commands.LockPaths(paths=["src/a.py"], seconds=60), None),
            (commands.WidenRun(paths=["src/"]), None),
            (commands.PauseRun(why="a ghost has no quota"), None),
            (commands.StopRun(), None),
            (commands.RecordLanding(branch="main", old=None, new="0" * 40), None),
            (commands.DispatchAgent(agent=next(iter(self.world.flow.agents)), task="for a ghost"), None),
            (commands.AddComment(content="I am still here"), item),
            (commands.AddItem(title="made by a ghost"), None),
            (commands.MoveItem(column="dev"), item),
        ]
        self.chance.shuffle(last_words)
        for command, about in last_words[: self.chance.randrange(1, len(last_words) + 1)]:
            yield from self._insist(Order(actor, command, about))
            yield self.chance.expovariate(1 / 5)

    def _scene(self, claim: ClaimView) -> Scene:
        item = self.world.items[claim.brief["task"]["id"]]
        return Scene(self.chance, claim, self.world.flow, item, self.character == "good")

    def _says(self, scene: Scene, character: str) -> Says:
        """What a run says follows from its character, mostly; a gate and an expert have words of their own."""
        if character != "good" and scene.is_gate:
            return teamwork.proving
        if character != "good" and scene.item.kind in ("expert", "sub") and self.chance.random() < 0.6:
            return teamwork.advising
        if character != "good" and scene.claim.brief["disputes"] and self.chance.random() < 0.3:
            return reply
        if character == "obedient" and scene.must_split and self.chance.random() < 0.7:
            return speech.good
        if character == "obedient" and scene.item.column == scene.flow.discover and self.chance.random() < 0.5:
            return teamwork.splitting
        return SAYS.get(character, speech.obedient)

    def _end(self, claim: ClaimView, actor: Actor, character: str) -> Script:
        chance, item = self.chance, claim.brief["task"]["id"]
        if character == "releasing":
            yield from self._insist(Order(actor, commands.ReleaseRun()))
            return
        if character == "garbled":
            said = Report.failed("prose", "protocol")
            yield from self._insist(Order(actor, commands.ReportRun(report=said, fault="no report could be read")))
            return
        if character == "adding":
            parent = item if chance.random() < 0.5 else None
            after = [] if chance.random() < 0.7 else [item]
            more = commands.AddItem(title="something more", parent=parent, after=after)
            yield from self._insist(Order(actor, more))
        if character == "sharing":
            yield from self._share(actor)
        if character == "talking":
            yield from self._talk(claim, actor)
            return
        if character == "rejecting" and claim.brief["messages"]:
            message = claim.brief["messages"][0]["message_id"]
            yield from self._insist(Order(actor, commands.RejectMessage(message=message, why="this is not for me")))
            return
        scene = self._scene(claim)
        if character == "exhausted":
            yield from self._insist(Order(actor, craft.shown_by_client(scene)))
            return
        if craft.is_landing(scene):
            yield from self._land(scene, actor)
            return
        yield from self._report(actor, self._says(scene, character)(scene), claim)

    def _land(self, scene: Scene, actor: Actor) -> Script:
        for command in craft.landing(scene, self.world.items.get(scene.item.asker or "")):
            answer = yield from self._insist(Order(actor, command))
            if answer.view is None or self.world.items[scene.item.id].run != actor.run:
                return
            yield self.chance.expovariate(1 / 3)

    def _share(self, actor: Actor) -> Script:
        """In the middle of a run: locks, wider files, messages, others sent for."""
        chance, flow = self.chance, self.world.flow
        paths = chance.sample(PATHS, chance.choice((1, 2)))
        kinds = [*flow.messages, "unheard_of"]
        receivers = [*flow.agents, "orchestrator"]
        kept = list(self.world.witness.audit.tables.get("messages", ()))
        known = chance.choice(kept) if kept else "m0"
        orders: list[Command] = [
            commands.LockPaths(paths=paths, seconds=chance.choice((0.0, 5.0, 60.0))),
            commands.UnlockPaths(paths=paths),
            commands.WidenRun(paths=[*paths, "../out"] if chance.random() < 0.1 else paths),
            commands.SendMessage(
                sender=actor.name if chance.random() < 0.9 else "somebody",
                to=chance.choice(receivers),
                type=chance.choice(kinds),
                message_id=known if chance.random() < 0.1 else None,
                payload={"title": "please", "options": ["yes", "no"], "reason": chance.choice(("security", "scope"))},
            ),
            commands.AcceptMessage(message=known),
            commands.CompleteMessage(message=known),
            commands.DispatchAgent(
                agent=chance.choice([*flow.agents, "nobody"]),
                task=chance.choice(("mend this", "say why\nin words", " ")),
                purpose=chance.choice((*PURPOSES, "coordination")),
            ),
        ]
        for _ in range(chance.choice((1, 2, 4))):
            yield from self._insist(Order(actor, chance.choice(orders)))
            yield chance.expovariate(1 / 3)

    def _talk(self, claim: ClaimView, actor: Actor) -> Script:
        """Comments during the run, and reports that refer to them."""
        chance, item = self.chance, claim.brief["task"]["id"]
        disputes = [dispute["thread"] for dispute in claim.brief["disputes"]]
        ids = [comment.id for comment in self._scene(claim).view.comments]
        parent = chance.choice(disputes) if disputes and chance.random() < 0.7 else chance.choice([*ids, None])
        way = chance.choice((None, "accepted", "rejected")) if parent else None
        words = commands.AddComment(content="about this", parent=parent, resolution=way, artifact="dev.md")
        yield from self._insist(Order(actor, words, item))
        yield from self._report(actor, chance.choice((Report.done("said"), Report(outcome="disputed"))), claim)

    def _report(self, actor: Actor, report: Report, claim: ClaimView) -> Script:
        """With what it made; a child's is merged anew as long as its parent's branch moves. Its process is over then,
        and what it says before that may be refused."""
        first = self._scene(claim)
        for command in handing.sends(first):
            yield from self._insist(Order(actor, command))
        for words in [*tellers.wants(first), *sloppy.first_words(first, report), *printing.first(first, report)]:
            answer = self.world.say(Order(actor, words, key=f"{type(words).__name__}-{actor.run}"))
            yield 0.5
            if answer.code == "report_refused" and sloppy.leaves(first):
                return
            if self.world.items[first.item.id].run != actor.run:
                return
        for told in several.in_one_text(first):
            self.world.say(Order(actor, told))
            yield 0.5
            if self.world.items[first.item.id].run != actor.run:
                return
        report = tellers.loosely(first, sloppy.hasty(first, planners.in_own_words(first, report)))
        report = lookers.so_far(first, talkative(first, quarrels.several(first, report)))
        report = printing.printed(first, report)
        while True:
            scene = self._scene(claim)
            work = crossing(scene, craft.made(scene, report, self.world.items.get(scene.item.asker or "")))
            order = Order(actor, commands.ReportRun(report=report, work=work, final=True))
            answer = yield from self._insist(order)
            if answer.code != "branch_moved":
                break
        if answer.view is not None and self.chance.random() < 0.03:
            # A process that does not know it is finished.
            self.world.say(Order(actor, commands.RenewRun()))
