"""The people of the world: one who works on the board, one who only answers, and readers of the log."""

import random

from folkmoot.core import commands
from folkmoot.core.commands import ENGINE, Actor, Command
from folkmoot.core.enums import PRIORITIES
from folkmoot.core.flow import END
from folkmoot.core.item import Item
from folkmoot.core.records import Question
from folkmoot.core.report import Finding
from folkmoot.core.rules.running.landing import unsettled
from folkmoot.sim.flows import choose_flow
from folkmoot.sim.orders import Answer, Order
from folkmoot.sim.speech import PATHS
from folkmoot.sim.world import Red, Script, World

BAD_TEXTS = ("a\0b", "lone \ud800 surrogate", " ", "x" * 600)
ANSWER_AGAIN = 0.1
STOP_RATE = 0.03
SETTLE_SECONDS = 30.0
IMPATIENT_RATE = 0.3
FILES_RATE = 0.12  # how many items declare what they will write


class Person:
    """Adds items, answers when there is time, and meddles."""

    def __init__(self, world: World, name: str, items: int) -> None:
        self.world = world
        self.actor = Actor(name)
        self.chance = world.chance
        self._left = items
        self._keys = 0

    def script(self) -> Script:
        while True:
            yield self.chance.expovariate(1 / 6)
            roll = self.chance.random()
            if self._left and roll < 0.5:
                self._add()
            elif roll < 0.85:
                yield from self._answer()
            else:
                self._meddle()

    def _say(self, command: Command, item: str | None = None) -> Answer:
        """A person whose answer was lost says it again, with the same key."""
        self._keys += 1
        key = f"{self.actor.name}-{self._keys}" if self.chance.random() < 0.6 else None
        order = Order(self.actor, command, item, key=key)
        answer = self.world.say(order)
        while answer.lost and key is not None:
            answer = self.world.say(order)
        if key is not None and self.chance.random() < 0.03:
            self.world.say(Order(self.actor, commands.AddComment(content="another command"), "1", key=key))
        return answer

    def _some(self, count: int) -> list[str]:
        known = list(self.world.items)
        return self.chance.sample(known, min(count, len(known)))

    def _add(self) -> None:
        chance = self.chance
        self._left -= 1
        unfinished = sorted(self.world.witness.unfinished)
        column = chance.choice(sorted(self.world.flow.columns)) if chance.random() < 0.15 else None
        self._say(
            commands.AddItem(
                title=f"item {self._left}" if chance.random() > 0.05 else chance.choice(BAD_TEXTS),
                column=column if column != END else None,
                priority=chance.choice(PRIORITIES) if chance.random() < 0.4 else "medium",
                tags=[chance.choice(("backend", "speed"))] if chance.random() < 0.3 else [],
                files=chance.sample(PATHS, chance.choice((1, 2))) if chance.random() < FILES_RATE else [],
                after=self._some(chance.randrange(1, 4)) if chance.random() < 0.3 else [],
                parent=chance.choice(unfinished) if unfinished and chance.random() < 0.1 else None,
            )
        )

    def _answer(self) -> Script:
        """The oldest question, mostly; now and then one that was answered, or one that never was."""
        chance, open_questions = self.chance, list(self.world.witness.open_questions)
        every = list(self.world.witness.audit.tables.get("questions", {}))
        if not every:
            return
        name = open_questions[0] if open_questions and chance.random() < 0.8 else chance.choice(every)
        yield chance.expovariate(1 / 10)
        columns = sorted(self.world.flow.columns)
        text = chance.choice(("1", "2", "3", "9", "yes, go on", "no"))
        to = chance.choice(columns) if chance.random() < 0.15 else None
        order = commands.AnswerQuestion(question=name, answer=text, to=to)
        self._say(order)
        if chance.random() < ANSWER_AGAIN:
            self._say(commands.AnswerQuestion(question=name, answer="on second thoughts, no"))

    def _stop_or_go(self) -> bool:
        """Now and then somebody stops the board; it does not stay so for long."""
        stopped = bool(self.world.witness.pauses(self.world.now))
        if self.chance.random() > (0.4 if stopped else STOP_RATE):
            return False
        command: Command = commands.ResumeBoard() if stopped else commands.StopBoard(why="lunch")
        self.world.say(Order(self.actor, command))
        return True

    def _meddle(self) -> None:
        if self._stop_or_go():
            return
        if self.chance.random() < 0.2:
            self._share()
            return
        found = self._some(1)
        if not found:
            return
        item = self.world.items[found[0]]
        self._say(self._whim(item), item.id)

    def _share(self) -> None:
        """Locks for a while, messages, and what becomes of them."""
        chance, flow = self.chance, self.world.flow
        paths = chance.sample(PATHS, chance.choice((1, 2)))
        messages = list(self.world.witness.audit.tables.get("messages", ()))
        known = chance.choice(messages) if messages else "m0"
        agents = [*flow.agents, "orchestrator"]
        kinds = [*flow.messages, "unheard_of"]
        about = self._some(1) if chance.random() < 0.7 else []
        orders: list[Command] = [
            commands.LockPaths(paths=paths, seconds=chance.choice((0.5, 20.0, 300.0))),
            commands.UnlockPaths(paths=paths),
            commands.SendMessage(
                sender=chance.choice(agents),
                to=chance.choice(agents),
                type=chance.choice(kinds),
                payload={"description": "by hand", "files": list(paths)},
                context={"item": about[0]} if about else {},
            ),
            commands.AcceptMessage(message=known),
            commands.CompleteMessage(message=known),
            commands.RejectMessage(message=known, why="no"),
            commands.DispatchAgent(agent=chance.choice([*flow.agents, "nobody"]), task="by hand"),
        ]
        self._say(chance.choice(orders))

    def _whim(self, item: Item) -> Command:
        chance = self.chance
        roll = chance.random()
        if item.head and roll < 0.4:
            return commands.MoveItem(column=END)  # it is good enough: it shall land
        if roll < 0.2:
            column = chance.choice(sorted(self.world.flow.columns))
            if roll < 0.16:
                return commands.MoveItem(column=column)
            found = [Finding(issue="it is not what was asked for", file=path, line=1) for path in item.files[:2]]
            return commands.SendBack(findings=found, why="not yet", column=None if roll < 0.19 else column)
        if roll < 0.23 or (item.status == "parked" and roll < 0.6):
            return commands.ParkItem(why="not now") if item.status != "parked" else commands.UnparkItem()
        if roll < 0.28:
            return commands.CancelItem(why="not wanted any more" if chance.random() < 0.5 else "")
        if roll < 0.5:
            return commands.ReopenItem()
        if roll < 0.75:
            return self._edit(item)
        comments = [row.id for row in self.world.witness.audit.tables.get("comments", {}).values()]
        parent = chance.choice([*comments[-5:], None])
        way = chance.choice((None, "accepted", "rejected")) if parent or chance.random() < 0.1 else None
        words = chance.choice(("look here", "look here", "look here", *BAD_TEXTS))
        return commands.AddComment(content=words, parent=parent, resolution=way)

    def _edit(self, item: Item) -> Command:
        chance = self.chance
        roll = chance.random()
        if roll < 0.5:
            return commands.EditItem(after=self._some(chance.randrange(4)))
        if roll < 0.6:
            return commands.EditItem(files=chance.sample(PATHS, chance.randrange(3)))
        if roll < 0.75:
            return commands.EditItem(overrule=chance.randrange(1, item.attempt_count + 2))
        return commands.EditItem(title="better words", priority=chance.choice(PRIORITIES), tags=["edited"])


class Helper:
    """Answers every question, and nothing else: sends an item that asks again and again to a stage of the flow."""

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.actor = Actor(name)
        self._answered: dict[str, int] = {}

    def script(self) -> Script:
        while True:
            yield self.world.chance.expovariate(1 / 4)
            question = next(iter(self.world.witness.open_questions.values()), None)
            taken = next((item for item in self.world.items.values() if item.taken), None)
            if self.world.witness.pauses(self.world.now):
                self.world.say(Order(self.actor, commands.ResumeBoard()))
            elif taken is not None:  # whoever took it has gone
                self.world.say(Order(Actor(taken.taken or "", taken.run, taken.token), commands.ReleaseRun()))
            elif question is not None:
                self.world.say(Order(self.actor, self._answer(question)))

    def _answer(self, question: Question) -> Command:
        count = self._answered[question.item] = self._answered.get(question.item, 0) + 1
        to = None
        if count % 3 == 0 and self.world.items[question.item].status != "running":
            flow = self.world.flow
            to = next(name for name in flow.stages() if flow.watcher(name))
        text = "1" if question.options else "go on"
        return commands.AnswerQuestion(question=question.id, answer=text, to=to)


def reader(world: World) -> Script:
    """Reads the log in pieces with a cursor; what it has must be the log, event for event (I17)."""
    cursor = 0
    while True:
        yield world.chance.expovariate(1 / 40)
        page = world.queries.log(cursor, limit=world.chance.randrange(1, 200))
        for event in page.events:
            cursor += 1
            told = (event.event, event.item, event.run, event.agent)
            if event.seq != cursor or cursor > len(world.witness.log) or told != world.witness.log[cursor - 1]:
                raise Red(world.step, [f"I17: a reader got event {event.seq} after {cursor - 1}"])
        if page.next != cursor:
            raise Red(world.step, [f"I17: a reader at {cursor} is sent on to {page.next}"])


def impatient(world: World) -> Script:
    """Now and then cancels what is just about to land. By a chance of its own: it is there for that moment only."""
    chance = random.Random(f"impatient {world.seed}")
    while True:
        yield chance.expovariate(1 / 3)
        landing = next((item for item in world.items.values() if item.landing and item.run), None)
        if landing is not None and chance.random() < IMPATIENT_RATE:
            world.say(Order(Actor("ivy"), commands.CancelItem(why="too late?"), landing.id))


def settler(world: World) -> Script:
    """What a worker does now and then: says what git shows of landings that ended before they could say it (R-19)."""
    while True:
        yield SETTLE_SECONDS
        settle(world)


def settle(world: World) -> None:
    for item in list(world.items.values()):
        intent = unsettled(item)
        if intent is not None:
            found = commands.SettleLanding(branch=intent.branch, new=intent.new, moved=intent.new in world.branch)
            world.say(Order(ENGINE, found, item.id))


def onlooker(world: World) -> Script:
    """Looks at items and lists; a look never writes (R-29)."""
    while True:
        yield world.chance.expovariate(1 / 120)
        before = world.witness.seq
        found = list(world.items)
        if found:
            world.queries.show(world.chance.choice(found))
        world.queries.list(column=world.chance.choice(sorted(world.flow.columns)))
        if world.store.read(lambda reading: reading.head().seq) != before:
            raise Red(world.step, ["R-29: a look has written"])


def reformer(world: World) -> Script:
    """Changes the flow now and then, on a board full of work; mostly into a variant of the same."""
    while True:
        yield world.chance.expovariate(1 / 400)
        name = world.flow.name if world.chance.random() < 0.9 else None
        world.adopt(Actor("ann"), choose_flow(world.chance, name))


def weather(world: World) -> Script:
    """Clocks that are wrong and machines that start again."""
    while True:
        yield world.chance.expovariate(1 / 200)
        roll = world.chance.random()
        if roll < 0.3:
            world.clock.set_wall(world.chance.uniform(-2, 2) * 86_400)
        elif roll < 0.65:
            world.clock.turn_back(world.chance.uniform(0, 200))
        else:
            world.clock.reboot()
