"""What a run may do while it works, each as the command that does it: only what the rules would not refuse."""

from typing import Any

from folkmoot.core.enums import ONE_SHOT_KINDS
from folkmoot.core.flow import Agent, Flow
from folkmoot.core.item import Item
from folkmoot.core.records import ANY, Run
from folkmoot.core.rules.children.making import PURPOSES
from folkmoot.core.rules.messages.kinds import asks_person
from folkmoot.core.rules.running.rights import LOOKING, may_write

View = dict[str, Any]

# Words in capitals are for the agent to fill in.
WIDEN = "asks for a file beyond the item's. You are told at once whether you have it; one path too many refuses it all."
LOCK = "keeps others off a file that you are about to change. It ends with your run, or by `moot unlock PATH`."
ASK = "asks a person, and you go on. The answer is in the item's next brief; `--wait 10m` waits for it."
COMMENT = "says something to whoever works on the item after you; add `--artifact NAME --target PLACE` for one spot."
SHOW = "shows any item of the board, such as those named above."
DISPATCH = "has AGENT ({agents}) do one small thing, and you go on. `--purpose` says why: {purposes}."
SEND = (
    "sends a message; FILE holds its `from`, `to`, `type` and `payload` as JSON. You may send: {types}. What you "
    "report the board hands on by itself: send only what goes beyond it."
)


def meanwhile(flow: Flow, item: Item, run: Run) -> list[View]:
    """The commands, and what each is for. A gate has none: it runs its check, and says what came out."""
    agent = flow.agents.get(run.agent)
    if agent is None or run.gate:
        return []
    write = may_write(flow, item, run.agent)
    found = []
    if write == "own" and item.files:
        found.append(_one("widen PATH", WIDEN))
    elif write != "none":
        found.append(_one("lock PATH", LOCK))
    if "ask" in agent.may and item.kind not in ONE_SHOT_KINDS:
        found.append(_one('ask "QUESTION" --option "ONE WAY" --option "ANOTHER"', ASK))
    found += _dispatch(flow, item, agent) + _send(flow, item, agent)
    if item.kind not in ONE_SHOT_KINDS:
        found.append(_one(f'comment {item.id} "WORDS"', COMMENT))
    return [*found, _one("show ITEM", SHOW)]


def _one(command: str, use: str) -> View:
    return {"command": f"moot {command}", "use": use}


def _dispatch(flow: Flow, item: Item, agent: Agent) -> list[View]:
    if "dispatch" not in agent.may or item.kind == "dispatch" or item.kind in LOOKING:
        return []
    others = [name for name, one in flow.agents.items() if name != agent.name and not one.expert]
    others = [name for name in others if flow.watched_by(name)]
    if not others:
        return []
    use = DISPATCH.format(agents=", ".join(others), purposes=" or ".join(f"`{purpose}`" for purpose in PURPOSES))
    return [_one(f'dispatch AGENT "TASK" --purpose {PURPOSES[0]}', use)]


def _send(flow: Flow, item: Item, agent: Agent) -> list[View]:
    """The types that its name may send, and to whom. Children that only look and answer hand nothing on."""
    if item.kind in LOOKING:
        return []
    is_bound = item.kind in ONE_SHOT_KINDS  # who makes one effort where it is asks nobody itself
    types = {
        kind: [to for to in rule.receivers if to not in (ANY, agent.name) and not (is_bound and asks_person(kind, to))]
        for kind, rule in flow.messages.items()
        if agent.name in rule.senders or ANY in rule.senders
    }
    told = [f"`{kind}` to {' or '.join(to)}" for kind, to in types.items() if to]
    if not told:
        return []
    return [_one("send FILE", SEND.format(types=", ".join(told)))]
