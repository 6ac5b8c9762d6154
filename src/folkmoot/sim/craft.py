"""What scripted agents make: commits that nobody looks into, changes that are allowed and that are not, landings."""

from msgspec.structs import replace

from folkmoot.core.commands import Command, PauseRun, RecordLanding, ReportRun
from folkmoot.core.enums import ENDED
from folkmoot.core.flow import LANDING
from folkmoot.core.item import Item
from folkmoot.core.report import Report
from folkmoot.core.rules.judging.required import required
from folkmoot.core.rules.running.rights import may_write
from folkmoot.core.rules.running.work import is_last_word
from folkmoot.core.rules.sharing.holds import branch_of
from folkmoot.core.work import Evidence, Secret, Touched, Work
from folkmoot.sim.speech import PATHS, Scene

WORK_RATE = 0.4  # how many reports tell of a change
WICKED = (
    Touched(".git/config"),
    Touched("src/.GIT/hooks/post-commit", "created", "100755"),
    Touched("sub/.Moot/board.db"),
    Touched("way-out", "created", "120000", "../../etc/passwd"),
    Touched("vendor", "created", "160000"),
)


def commit(scene: Scene) -> str:
    return f"{scene.chance.getrandbits(160):040x}"


def made(scene: Scene, said: Report, parent: Item | None) -> Work | None:
    """The change that comes with a report, if one does; a good agent's is always one that it may make."""
    chance, good = scene.chance, scene.is_good
    if scene.is_gate or chance.random() > WORK_RATE:
        return None
    touched = allowed = fitting(scene)
    if not good and chance.random() < 0.25:
        wild = [Touched(path.rstrip("/") + ("/x.py" if path.endswith("/") else "")) for path in chance.sample(PATHS, 2)]
        touched = [*touched, chance.choice((*wild, *WICKED))]
    if not touched:
        return Work(base=scene.item.head)
    work = Work(touched=touched, base=scene.item.head, commit=commit(scene), tree=commit(scene))
    work = _flawed(work, allowed) if touched is not allowed else work
    if parent is None or parent.status in ENDED or not is_last_word(scene.item, said.outcome):
        return work
    if not good and chance.random() < 0.2:
        return work  # nobody has merged it: it lands by itself
    onto = parent.head if good or chance.random() < 0.8 else commit(scene)
    lands = touched if good or chance.random() < 0.7 else [*touched, Touched("core/renamed.py")]
    return replace(work, onto=onto, merged=commit(scene), lands=lands)


def _flawed(work: Work, allowed: list[Touched]) -> Work:
    """Now and then not its paths are wrong: nobody could look at it whole, or a secret is in it. The commit's own luck
    decides."""
    match (work.commit or "")[-1:]:
        case "0" | "1":
            return replace(work, touched=allowed, secrets=[Secret("src/key.py", 3, "API_KEY")])
        case "2":
            return replace(work, touched=allowed, secrets=[Secret("src/key.py", 3)])
        case "3" | "4":
            return replace(work, touched=allowed, files=9_000)
        case "5":
            return replace(work, touched=allowed, aside=".moot/set-aside/r1", why="it took too long")
    return work


def fitting(scene: Scene) -> list[Touched]:
    """What this agent may change for this item, and nobody else holds."""
    item = scene.item
    write = may_write(scene.flow, item, scene.agent)
    if write == "none":
        return [Touched("notes.txt", "created")] if scene.chance.random() < 0.3 else []
    if write == "new_tests":
        path = f"tests/test_i{item.id}.py"
        return [Touched(path, "modified" if path in item.new_tests else "created")]
    if write == "own" and item.files:
        return [Touched(path + "x.py" if path.endswith("/") else path) for path in item.files[:1]]
    return [Touched(f"src/i{item.id}.py", scene.chance.choice(("created", "modified")))]


LONG = 30_000.0  # seconds; said by an event of the client, as against by its words


def shown_by_client(scene: Scene) -> PauseRun:
    """The client has shown that its pool cannot work: mostly that there is no quota left, and now and then when there
    will be."""
    touched = fitting(scene) if scene.chance.random() < 0.5 else [Touched("docs/x.md"), WICKED[0]]
    work = Work(touched=touched, base=scene.item.head, commit=commit(scene)) if scene.chance.random() < 0.4 else None
    seconds = scene.chance.choice((*(None,) * 6, 20.0, 20.0, 20.0, 4000.0, 4000.0, LONG))
    match scene.chance.choice(("quota",) * 6 + ("outage", "outage", "hang", "environment", "login")):
        case "outage":
            return PauseRun(why="503", cause="outage", work=work)
        case "hang":
            return PauseRun(why="it said nothing", cause="outage", hung=True, work=work)
        case "environment":
            return PauseRun(why="no such program", cause="environment", work=work)
        case "login":
            return PauseRun(why="401", cause="environment", login=True, work=work)
    return PauseRun(why="429", seconds=seconds, shown=seconds == LONG, work=work)


def landing(scene: Scene, parent: Item | None) -> list[Command]:
    """What a landing says: the move it is about to make, then how it went."""
    chance, item = scene.chance, scene.item
    new = commit(scene)
    wild = not scene.is_good and chance.random() < 0.3
    touched = chance.sample(PATHS, 2) if wild else item.changed[:2] or [f"src/i{item.id}.py"]
    parent = parent if parent is not None and parent.status not in ENDED else None
    gates = required(scene.flow, item, parent is None)
    green = [Evidence(gate=gate, green=True, command=scene.flow.gates[gate].run, tree=new) for gate in gates]
    branch = branch_of(scene.flow, item)
    paths = [Touched(path.rstrip("/") + ("/x.py" if path.endswith("/") else "")) for path in touched]
    record = RecordLanding(branch=branch, old=None, new=new, tree=new, touched=paths, evidence=green)
    work = None
    if parent is not None:
        work = Work(base=parent.head, commit=item.head, onto=parent.head, merged=new)
    done = ReportRun(report=Report.done("landed", commit=new), work=work, evidence=green)
    if scene.is_good:
        return [record, done]
    both = Work(base=item.head, commit=new, tree=commit(scene))
    red = [Evidence(gate=chance.choice(gates), green=False, output="1 failed")] if gates else []
    ways: list[list[Command]] = [
        [record, done],
        [record, done],
        [record, done],
        [done],
        [replace(record, evidence=[]), done],
        [record, ReportRun(report=Report.failed("they disagree in a.py", "conflict"), work=both)],
        [ReportRun(report=Report.failed("red on main", "gate"), work=both, evidence=red)],
        [record, ReportRun(report=Report.done("red, but landed"), evidence=red, work=work)],
        [
            record,
            ReportRun(report=Report.failed("the disk is full", chance.choice(("transient", "environment", None)))),
        ],
        [ReportRun(report=Report(outcome="asks"), fault="a landing asks nobody")],
        [record, ReportRun(report=Report.done("by word of mouth"))],
        [record, PauseRun(why="429")],
    ]
    return chance.choice(ways)


def is_landing(scene: Scene) -> bool:
    return scene.agent == LANDING
