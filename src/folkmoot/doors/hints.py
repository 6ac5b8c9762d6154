"""What to do next, as commands: for the command line, and for files, whose writers have it at hand."""

from shlex import quote

from folkmoot.errors import MootError, Step

# Arguments that have no name on the command line.
PLACED: dict[str, tuple[str, ...]] = {
    "answer": ("question", "answer", "more"),
    "check": ("flow",),
    "claim": ("agent",),
    "comment": ("item", "content"),
    "dispatch": ("agent", "task"),
    "move": ("item", "column"),
    "output": ("run",),
    "restore": ("backup",),
    "resume": ("pool",),
    "say": ("item", "text"),
    "unlock": ("paths",),
    "widen": ("paths",),
    **dict.fromkeys(("make_token", "revoke_token"), ("name",)),
    **dict.fromkeys(("accept", "complete", "reject"), ("message",)),
    **dict.fromkeys(("cancel", "comments", "edit", "end_run", "give", "park", "reopen"), ("item",)),
    **dict.fromkeys(("send_back", "show", "take", "unpark"), ("item",)),
}

# Calls whose command has another name.
NAMED = {
    "tokens": "token list",
    "make_token": "token add",
    "revoke_token": "token revoke",
    "login_code": "token link",
    "send_back": "send-back",
    "end_run": "end",
}
TEXTS = {"answer", "content", "more", "task", "text", "why"}


def in_commands(error: MootError) -> str:
    return error.told(command, option)


def option(name: str) -> str:
    return f"--{name}"


def command(step: Step) -> str:
    words = ["moot", NAMED.get(step.call, step.call)]
    for name, value in step.args.items():
        words += [] if name in PLACED.get(step.call, ()) else [option(name)]
        chosen = '"…"' if name in TEXTS else name.upper()
        words += [] if value is True else [chosen if value is None else quote(str(value))]
    return " ".join(words)
