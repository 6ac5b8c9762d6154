"""Every key of a flow file, with its words. The readers know no other keys than these, and the reference is made from
them: so no key can be read that is not explained, and none explained that is not read."""

from msgspec import Struct


class Key(Struct, frozen=True):
    kind: str  # one of KINDS
    meaning: str
    default: str = ""  # in words, where the value that holds without it does not say enough


Keys = dict[str, Key]

KINDS = {
    "name": "letters, digits, `_`, `.` and `-`, at most 64; begins with a letter or digit",
    "names": "a list of names",
    "name or names": "a list of names, or one name",
    "text": "one line of at most 200 characters",
    "texts": "a list of texts",
    "count": "a whole number from 1 on; for `limits`, `null` where the default is none",
    "amount": "US dollars, like `5` or `0.50`, more than 0",
    "size": "a size with its unit: `512KB`, `200MB`, `8GB`; `null` for none",
    "span": "a time span with its unit: `45s`, `30m`, `2h`, `1d`, `1h30m`",
    "switch": "`true` or `false`",
    "choice": "one of the words that are named",
    "choices": "a list of such words",
    "choice or paths": "one of the words that are named, or a list of paths from the project's folder on",
    "path": "a path that stays in its folder",
    "command": "a list of words; it never goes through a shell",
    "command or targets": "a command, or a list of targets, see the section of that name",
    "command or text": "a list of words, or a text that is split at spaces",
    "commands": "a list of commands, one after the other",
    "keys": "keys and values, see the section of that name",
    "named": "names, and under each its keys, see the section of that name",
    "pairs": "names, and beside each its value",
}

FLOW: Keys = {
    "flow": Key("name", "the flow's name", "the file's name"),
    "start": Key("name", "the column where new items begin; they end in `done`, which is always there", "the first"),
    "discover": Key("name", "the column that splits what is too large; without one a person is asked"),
    "arbiter": Key("name", "the column that settles work which does not fit together; without one a person is asked"),
    "limits": Key("keys", "what may happen how often and how long before a person is asked"),
    "columns": Key("named", "the stages of the work, and the columns beside them", "needed"),
    "agents": Key("named", "who works in the columns", "needed"),
    "reasons": Key("pairs", "why an agent may be stuck or dispute something, and the column that helps then"),
    "gates": Key("named", "checks of your own"),
    "messages": Key("named", "which types of message there are, and who may send them to whom"),
    "questions": Key("keys", "what an open question to a person means for the rest"),
    "run": Key("keys", "how agents are started that have no `run` of their own, experts too"),
    "models": Key("named", "what the name of a rung means"),
    "pools": Key("named", "how many runs share a quota at once"),
    "clients": Key("named", "how a client is started, and what it may see; one that is known needs no entry"),
    "notify": Key(
        "command or targets",
        "where you are told of what happens; a command alone is run with the question's text when a question opens",
    ),
    "budget": Key("keys", "what may be used up on one item and on one day"),
    "target": Key("text", "the branch that finished work lands on"),
    "remote": Key(
        "text",
        "the git remote that several machines share: its name in your repository, like `origin`, or its address. "
        "Commits of items are kept there, and work lands on its branch `target`",
        "none: all on this machine",
    ),
    "land": Key("keys", "how finished work comes to the branch `target`: moved there, or by a pull request"),
    "clone": Key("keys", "what the clone of each run gets, so that the project runs in it"),
    "secrets": Key("keys", "which files may hold what looks like a secret"),
    "widen": Key(
        "choice or paths",
        "what a run may add to its item's files by itself: `guarded` (all but CI and build files, lists of "
        "dependencies and lock files), `allow`, `ask`, `deny`, or a list of paths; about the rest a person is asked",
    ),
    "sandbox": Key("choice", "`auto`: where the machine can; `always`: else nothing runs; `never`"),
    "mirror": Key("keys", "the folder where the board is shown as files, and files are taken in"),
}
COLUMN: Keys = {
    "agents": Key("names", "who works here. Several: each makes its part, and the strictest verdict holds"),
    "next": Key("name", "where an item goes when it is done here; without agents it flows on by itself"),
    "fix": Key("name", "where it goes when changes are requested; after the repair it comes back here"),
    "kind": Key(
        "choice",
        "`flow`, or beside the flow: `escalation` does the stage's work, `backflow` answers or repairs and the item "
        "returns, in `dispute` two agents settle who is right",
        "`flow`; `escalation` for a `human` column without `next`",
    ),
    "human": Key("switch", "items here are questions to a person, whose answer sends them on"),
    "gate": Key("name or names", "the gates that must be green before an item leaves"),
    "on_red": Key("name", "who mends it when a gate is red; without it: back to its agent, as a failed attempt"),
    "tags": Key("names", "acts on items with one of these tags in a column that nobody watches"),
    "work": Key("name", "the column an item is in from its first claim on"),
}
AGENT: Keys = {
    "run": Key("keys", "how it is started; without it people and scripts claim for it", "the flow's `run`"),
    "prompt": Key("path", "a file beside the flow with its instructions"),
    "ladder": Key(
        "pairs",
        "the model of its next run, by how often it has failed on the item: `{0-1: haiku, 2+: escalate}`, from 0, "
        "without gaps; `escalate` ends it, and so do `own_attempts` failures on a last step without an end",
    ),
    "escalate_to": Key("name", "the column that helps at the end of the ladder; without one a person is asked"),
    "experts": Key("names", "who is asked for advice, one after the other, when its own attempts have failed"),
    "expert": Key("switch", "it is such an expert: watches no column, only gives advice"),
    "write": Key("choice", "what it may change: `none`, `own` (the item's files), `new_tests`, `any`"),
    "may": Key("choices", "what it may do beside its work: `ask`, `delegate`, `dispatch`, `split`", "`[ask]`"),
    "setup": Key("commands", "run in its fresh clone before it is started"),
    "timeout": Key("span", "the longest that one run of it may take", "`limits.timeout`"),
    "network": Key("switch", "`false`: in the sandbox its processes reach no network"),
    "needs": Key(
        "name or names", "labels that its worker must have, like `gpu`: a worker is started with those it has"
    ),
}
START: Keys = {
    "client": Key("name", "a client that is known, or has an entry in `clients`"),
    "acp": Key("command or text", "a known client, or a command, driven by the Agent Client Protocol"),
    "command": Key("command", "any command; its words may hold `{brief}`, `{prompt}`, `{model}` and more"),
    "python": Key("text", "a function, like `module:function`"),
}
GATE: Keys = {
    "run": Key("command", "green is exit code 0; without it only `moot claim GATE` can play the gate"),
    "setup": Key("commands", "run in its fresh clone before it"),
    "timeout": Key("span", "the longest it may take", "`limits.timeout`"),
    "network": Key("switch", "`false`: in the sandbox it reaches no network"),
    "needs": Key(
        "name or names", "labels that its worker must have, like `macos`: a worker is started with those it has"
    ),
}
MESSAGE: Keys = {
    "from": Key("name or names", "who may send it; `any` is every agent", "needed"),
    "to": Key("name or names", "who may get it; `orchestrator` is the board itself", "needed"),
}
QUESTIONS: Keys = {
    "pause_all": Key("switch", "while a question to a person is open, no other item goes on either"),
    "deadline": Key("span", "how long a question waits before its default holds, or its item is parked", "for ever"),
    "notice": Key("choice", "how you are told of a question: `plain`, or `divine`: in the escalation document's words"),
    "critical": Key("switch", "every critical finding asks you, also one that would go back to be fixed by itself"),
}
MODEL: Keys = {
    "client": Key("name", "the client that has it; stronger than the agent's own", "the agent's"),
    "id": Key("text", "what the client calls it; without it the choice is the client's"),
    "pool": Key("name", "whose quota it uses", "the client"),
    "price": Key("keys", "dollars for a million tokens; it comes before what the client says", "the client's word"),
}
PRICE: Keys = {
    "input": Key("amount", "of tokens that are read", "needed"),
    "output": Key("amount", "of tokens that are written", "needed"),
    "cached": Key("amount", "of tokens that are read from a cache", "as `input`"),
}
POOL: Keys = {"slots": Key("count", "runs at the same time", "no limit")}
CLIENT: Keys = {
    "env": Key("texts", "variables of yours that pass into its clean environment; no others do", "as known"),
    "files": Key("texts", "files of your home that its own home gets, like `~/.codex/auth.json`", "as known"),
    "set": Key("pairs", "variables with a value of the flow's own; secrets belong into `env`"),
    "command": Key("command", "how it is started without a terminal", "as known"),
    "acp": Key("command or text", "how it is started to speak the Agent Client Protocol", "as known"),
    "speaks": Key("name", "the dialect of what it prints: `text`, or a known client whose stream it shares"),
    "permissions": Key("choice", "what it is answered when it asks before an act: `allow`, `deny`, `ask`"),
}
BUDGET: Keys = {
    "item_usd": Key(
        "amount",
        "money on one item; then its run ends, its work kept, and you are asked; to go on gives as much again",
        "no limit",
    ),
    "day_usd": Key("amount", "money on one day (UTC); then runs end, and agents begin again the next day", "no limit"),
    "item_tokens": Key("count", "tokens on one item", "no limit"),
    "day_tokens": Key("count", "tokens on one day", "no limit"),
    "item_time": Key("span", "running time on one item", "no limit"),
    "day_time": Key("span", "running time on one day", "no limit"),
}
NOTIFY: Keys = {
    "command": Key("command", "run with the notice in words as its last argument, and as JSON on standard input"),
    "desktop": Key("switch", "shown on the screen of this machine, by `notify-send` or `kdialog`"),
    "webhook": Key("text", "an address, or the variable that holds it: gets the notice as JSON, signed"),
    "slack": Key("text", "the variable that holds the address of an incoming webhook of Slack"),
    "discord": Key("text", "the variable that holds the address of a webhook of Discord"),
    "secret": Key("text", "of a webhook: the variable that holds the secret by which it is signed", "needed"),
    "on": Key(
        "choices",
        "what is told: `question`, `failure`, `pause`, `budget`, `landed`, `idle`",
        "`[question, pause, budget, idle]`",
    ),
    "quiet": Key("text", 'when nothing is sent, in local time: `"22:00-07:00"`; what comes then is sent after'),
}
LAND: Keys = {
    "mode": Key(
        "choice",
        "`branch`: the branch is moved when the gates are green; `pr`: the work is pushed to a branch of its own, and "
        "a pull request asks people to merge it",
    ),
    "batch": Key(
        "count",
        "how many finished items at most are merged and proved together, at most 100; where a gate is red, fewer are, "
        "until it is known whose work it is: that goes back, the others land",
        "1: one after the other",
    ),
    "remote": Key("text", "of a pull request: the git remote that has `target`, by name or address", "`origin`"),
    "branch": Key("text", "of a pull request: the branch that is pushed; `{item}` is the item's number"),
    "draft": Key("switch", "of a pull request: is it opened as a draft?"),
    "checks": Key(
        "choice",
        "of a pull request: `required`: the checks count that the rules of the branch name; where "
        "they name none, all count",
    ),
    "merge": Key(
        "choice",
        "of a pull request: `never`: people merge it; `when_green`: the forge is asked to, once every required check "
        "is successful on exactly the pushed commit, nobody asks for changes, and it is no draft",
    ),
    "forge": Key(
        "choice",
        "of a pull request: what the forge speaks, `github` or `gitlab`",
        "by the remote: `gitlab` where its host is gitlab.com or begins with `gitlab.`, else `github`",
    ),
    "command": Key(
        "command",
        "of a pull request, for any other forge: a command of yours that "
        "[speaks to it](../how-to/propose-pull-requests.md#any-other-forge); its program lies outside of the project",
        "none",
    ),
    "repository": Key(
        "text",
        "of a pull request: OWNER/NAME on the forge, on GitLab with all groups",
        "as the address of the remote says",
    ),
    "api": Key(
        "text",
        "of a pull request: the address of the forge's REST interface, such as `https://github.example.org/api/v3`",
        "as the address of the remote says",
    ),
}
CLONE: Keys = {
    "setup": Key("commands", "run in the fresh clone of agents and gates that have no `setup` of their own", "none"),
    "setup_from": Key(
        "texts",
        "the files and folders that `setup` depends on, such as a lock file: while these are the same, what it left is "
        "put into the clone instead of running it",
        "the lock file, where `setup` installs from one and builds nothing of the project; else all files",
    ),
    "teardown": Key("commands", "run in the clone after the run, however it ended, for a minute at most", "none"),
    "ports": Key("count", "how many ports a run has to itself, from `MOOT_PORT` on; at most 100"),
}
SECRETS: Keys = {
    "allow": Key(
        "texts", "files and folders where what looks like a token or a key is none, such as test data", "none"
    ),
}
MIRROR: Keys = {
    "dir": Key("path", "the folder, from the project's on; without it `moot run` writes no files"),
    "people": Key("names", "whose files there are a person's word; an agent's never are"),
    "visible": Key("switch", "may agents in a sandbox see the folder?"),
}
# First those that count, then the time spans, then what a run may use up.
LIMITS: Keys = {
    "slots": Key("count", "runs at the same time"),
    "attempts": Key("count", "new approaches that may fail, whoever tried", "none: the ladders decide"),
    "own_attempts": Key(
        "count", "attempts of an agent without a ladder, on a last step without an end, or before its experts are asked"
    ),
    "executions": Key("count", "runs of one effort after passing faults"),
    "dispute_rounds": Key("count", "answers in a dispute"),
    "disputes": Key("count", "disputes on one item"),
    "feedback_rounds": Key("count", "verdicts of one checking column, and red gates that go to `on_red`"),
    "repeats": Key("count", "the same approach again, before it counts as an attempt"),
    "splits": Key("count", "how deep, and how often, work is split"),
    "runs": Key("count", "runs of one item between two answers of a person"),
    "starts": Key("count", "runs that one agent may begin within any `window`", "none"),
    "change_files": Key("count", "files that one run may change; a larger change is refused whole, and kept aside"),
    "change_bytes": Key("count", "bytes that the files it changed may have in all"),
    "lease": Key("span", "a run that is not heard of for so long is lost"),
    "timeout": Key("span", "the longest one run may take"),
    "silence": Key("span", "the longest a run may say nothing"),
    "after_report": Key("span", "what a process may still take once its run has reported; then it is ended"),
    "starve": Key("span", "an item that was ready for so long goes first"),
    "window": Key("span", "how long a start counts"),
    "items": Key("count", "items that runs make below one that a person added, between two answers of a person"),
    "messages": Key("count", "messages that one run may send"),
    "comments": Key("count", "comments that one run may write"),
    "questions": Key("count", "questions that one run may ask"),
    "memory": Key("size", "memory that the processes of a run may use together"),
    "processes": Key("count", "processes that a run may have at once; `null` for none"),
    "open_files": Key("count", "files that each process of a run may have open at once; `null` for none"),
    "disk": Key("size", "what the clone and the home of a run may take on the disk"),
}
