"""What a run may do while it works: only what the rules would not refuse.

Each stands there as the command that does it, and as a call, which a door that has no commands says in its own words.
"""

from typing import Any

from folkmoot.core.enums import ONE_SHOT_KINDS
from folkmoot.core.flow import Agent, Flow
from folkmoot.core.item import Item
from folkmoot.core.records import ANY, Run
from folkmoot.core.rules.children.making import PURPOSES
from folkmoot.core.rules.messages.kinds import asks_person
from folkmoot.core.rules.running.rights import LOOKING, may_write

View = dict[str, Any]

# Words in capitals are for the agent to fill in. Where there are two, the second speaks of no command.
WIDEN = "asks for a file beyond the item's. You are told at once whether you have it; one path too many refuses it all."
LOCK = "keeps others off a file that you are about to change. It ends with your run, or by `moot unlock PATH`."
LOCK_CALL = "keeps others off a file that you are about to change. It ends with your run at the latest."
LOCK_SECONDS = 600
ASK = "asks a person, and you go on. The answer is in the item's next brief; `--wait 10m` waits for it."
ASK_CALL = (
    "asks a person, and you go on. The answer is in the item's next brief, and on the item as soon as it is given."
)
COMMENT = "says something to whoever works on the item after you; add `--artifact NAME --target PLACE` for one spot."
COMMENT_CALL = "says something to whoever works on the item after you; add `artifact` and `target` for one spot."
SHOW = "shows any item of the board, such as those named above."
DISPATCH = "has AGENT ({agents}) do one small thing, and you go on. `--purpose` says why: {purposes}."
DISPATCH_CALL = "has AGENT ({agents}) do one small thing, and you go on. `purpose` says why: {purposes}."
SEND = (
    "sends a message; FILE holds its `from`, `to`, `type` and `payload` as JSON. You may send: {types}. What you "
    "report the board hands on by itself: send only what goes beyond it."
)
SEND_CALL = (
    "sends a message. You may send: {types}. What you report the board hands on by itself: send only what goes beyond "
    "it."
)


def meanwhile(flow: Flow, item: Item, run: Run) -> list[View]:
    """The commands, and what each is for. A gate has none: it runs its check, and says what came out."""
    agent = flow.agents.get(run.agent)
    if agent is None or run.gate:
        return []
    write = may_write(flow, item, run.agent)
    found = []
    if write == "own" and item.files:
        found.append(_one("widen PATH", WIDEN, WIDEN, paths=["PATH"]))
    elif write != "none":
        found.append(_one("lock PATH", LOCK, LOCK_CALL, paths=["PATH"], seconds=LOCK_SECONDS))
    if "ask" in agent.may and item.kind not in ONE_SHOT_KINDS:
        words = 'ask "QUESTION" --option "ONE WAY" --option "ANOTHER"'
        found.append(_one(words, ASK, ASK_CALL, question="QUESTION", options=["ONE WAY", "ANOTHER"]))
    found += _dispatch(flow, item, agent) + _send(flow, item, agent)
    if item.kind not in ONE_SHOT_KINDS:
        found.append(_one(f'comment {item.id} "WORDS"', COMMENT, COMMENT_CALL, item=item.id, content="WORDS"))
    return [*found, _one("show ITEM", SHOW, SHOW, item="ITEM")]


def _one(command: str, use: str, does: str, **args: Any) -> View:
    """The call has the name of the command."""
    told = {"command": f"moot {command}", "use": use}
    return {**told, "call": command.partition(" ")[0], "args": args, "does": does}


def _dispatch(flow: Flow, item: Item, agent: Agent) -> list[View]:
    if "dispatch" not in agent.may or item.kind == "dispatch" or item.kind in LOOKING:
        return []
    others = [name for name, one in flow.agents.items() if name != agent.name and not one.expert]
    others = [name for name in others if flow.watched_by(name)]
    if not others:
        return []
    agents, purposes = ", ".join(others), " or ".join(f"`{purpose}`" for purpose in PURPOSES)
    use, does = (words.format(agents=agents, purposes=purposes) for words in (DISPATCH, DISPATCH_CALL))
    words = f'dispatch AGENT "TASK" --purpose {PURPOSES[0]}'
    return [_one(words, use, does, agent="AGENT", task="TASK", purpose=PURPOSES[0])]


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
    use, does = (words.format(types=", ".join(told)) for words in (SEND, SEND_CALL))
    return [_one("send FILE", use, does, sender=agent.name, to="RECEIVER", type="TYPE", payload={})]
