"""What clients meet, and the words by which it is known: as data, in one place.

A trouble says to a person what happened; its cause says to the board what follows.
"""

import re
from collections.abc import Mapping
from typing import Literal

from folkmoot.core.enums import ClientCause
from folkmoot.core.vocabulary.cause_line import cause_line

WHY_MAX = 300  # characters of a reason that are shown

Trouble = Literal[
    "login",
    "payment",
    "refused",
    "quota",
    "outage",
    "unreachable",
    "cut",
    "proxy",
    "model",
    "size",
    "settings",
    "request",
    "program",
    "unknown",
]
"""What a client met. Its cause says what the board does; this says it to a person."""

CAUSE_OF: dict[Trouble, ClientCause] = {
    "login": "environment",
    "payment": "quota",
    "refused": "environment",
    "quota": "quota",
    "outage": "outage",
    "unreachable": "outage",
    "cut": "outage",
    "proxy": "environment",
    "model": "environment",
    "size": "size",
    "settings": "environment",
    "request": "environment",
    "program": "environment",
    "unknown": "transient",
}
# What is said of the client, before its own words.
_SAYS: dict[Trouble, str] = {
    "login": "is not signed in",
    "payment": "has no credit left",
    "refused": "is refused access",
    "quota": "has no quota left",
    "outage": "gets no answer: its provider fails",
    "unreachable": "cannot reach its provider",
    "cut": "lost the connection to its provider",
    "proxy": "is refused by the proxy",
    "model": "does not have that model",
    "size": "has a full context",
    "settings": "is not set up",
    "request": "is refused its request",
    "program": "cannot be started",
}
# What a person does about it, where nothing is known of the client itself.
_STEPS: dict[Trouble, str] = {
    "login": "sign in",
    "payment": "add credit, or wait for the next period",
    "refused": "look at what the account may use",
    "quota": "wait for the reset, or use another pool",
    "outage": "wait: it goes on by itself",
    "unreachable": "look at the network and the provider's address; it goes on by itself when it is there",
    "cut": "wait: it goes on by itself",
    "proxy": "look at the proxy (HTTPS_PROXY, NO_PROXY) and its password",
    "model": "name a model that the client has, under `models` in the flow",
    "size": "split the item",
    "settings": "set it up as its words say",
    "request": "look at the client's settings and its version",
    "program": "install it",
}


# What stands around the words that matter: the address that was asked, and a status that is told already.
_ADDRESS = re.compile(r" (?:at|for) https?://[^\s,]{1,300}?(?=[.,:]?(?:\s|$))")
_RESET_AT = re.compile(r" resets at \d{9,11}\b")  # as a field of an event has it
_STATUS_WORDS = re.compile(
    r"^.{0,120}?(?:\(?[45]\d\d(?: [A-Z][A-Za-z ]{2,40})?\)?[.:]{1,2}) (?:Response: )?(?=\S)"
    r"|^API Error: (?=\S)|^[45]\d\d (?=\S)"
)


def in_one_line(client: str, why: str, trouble: str, own_steps: Mapping[str, str]) -> str:
    """What happened to the client, and what a person does about it: its own way, where it is known."""
    step = own_steps.get(trouble) or next((step for name, step in _STEPS.items() if name == trouble), "")
    return f"{client} {why}; {step}" if step else f"{client} {why}"


def told(trouble: Trouble, text: str, status: int | None = None) -> str:
    """One line: what is said of the client, and its own words."""
    line = cause_line(text)
    if trouble == "unknown":
        return line or (f"status {status}" if status else "")
    number = f" ({status})" if status else ""
    line = _RESET_AT.sub("", _ADDRESS.sub("", line))
    line = _STATUS_WORDS.sub("", line) if status else line
    line = line.rstrip(". ")
    words = f": {line}" if line else ""
    return f"{_SAYS[trouble]}{number}{words}"[:WHY_MAX]


def by_words(text: str) -> Trouble:
    """By words alone, where no status says it."""
    return next((trouble for trouble, words in _WORDS if words.search(text)), "unknown")


SIZE = re.compile(
    r"context[ _-]?(?:length|window|limit)[ _-]?(?:(?:is|still)[ _])?(?:exceeded|reached)|maximum context length"
    r"|exceed\w{0,4}.{0,40}context (?:window|length|limit|size)|ContextWindowExceeded|ContextOverflow|context_too_large"
    r"|(?:prompt|input) is too long|too many (?:input )?tokens|input token count.{0,40}exceeds"
    r"|ran out of room in the model's context|request too large for model|reduce the length of the (?:messages|prompt)",
    re.IGNORECASE,
)
QUOTA = re.compile(
    r"\b429\b|rate[ _-]?limit|quota|too many requests|usage[ _-]limit|(?:limit|allowance) (?:has been )?reached"
    r"|RESOURCE_EXHAUSTED|insufficient_quota|credit balance|out of credits|hit your (?:[\w-]{1,20} ){0,2}limit|\b402\b"
    r"|billing",
    re.IGNORECASE,
)
# Statuses below 500 are also said for an empty purse.
PURSE = re.compile(r"quota|usage[ _-]limit|credit balance|rate[ _-]limit", re.IGNORECASE)
CREDIT = re.compile(r"credit balance|out of credits|insufficient_quota|payment|billing|\b402\b", re.IGNORECASE)
EXPIRED = re.compile(r"(?:token|login|session|credentials?) (?:has |have |is )?expired", re.IGNORECASE)
# Words that say which trouble it is, in this order.
_BY_WORDS: tuple[tuple[Trouble, tuple[str, ...]], ...] = (
    (
        "proxy",
        (
            r"\bproxy\b.{0,80}(?:authentication|refused|denied|forbidden|40[37]|failed|unsuccessful)|\b407\b",
            r"tunnel(?:l?ing)? (?:socket|failed|unsuccessful)|CONNECT tunnel failed|proxy connect",
        ),
    ),
    (
        "unreachable",
        (
            r"ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT|connection (?:refused|error)",
            r"name resolution|resolve (?:host|address)|getaddrinfo|dns (?:error|lookup)|failed to lookup address",
            r"network is unreachable|no route to|(?:could not|cannot|unable to) (?:connect|reach)|fetch failed",
            r"error sending request",
        ),
    ),
    (
        "model",
        (
            r"model[ _]?not[ _]?found|(?:unknown|no such|invalid) model|not a valid model|ProviderModelNotFound",
            r"model.{0,100}(?:does not exist|not (?:found|supported|exist))|issue with the selected model",
        ),
    ),
    (
        "settings",
        (
            r"no (?:provider|model)(?: \w{1,12}){0,2} (?:is |was )?(?:configured|selected|set)|unknown provider",
            r"no auth type|auth (?:method|type)",
            r"environment variable.{0,80}(?:missing|not set|required|unset)",
            r"(?:missing|set the).{0,40}environment variable",
        ),
    ),
    (
        "login",
        (
            r"\b401\b|unauthori[sz]ed|authenticat|ProviderAuth|api[ _-]?key|not (?:logged|signed) in|oauth",
            r"please (?:log ?in|sign ?in|run /login)|no credentials",
            r"(?:token|login|session|credentials?) (?:has |have |is )?expired",
        ),
    ),
    (
        "outage",
        (
            r"overloaded|high demand|internal server error|bad gateway|service unavailable|server error",
            r"gateway time-?out|temporarily unavailable|timed out",
        ),
    ),
    ("refused", (r"\b403\b|forbidden|permission[_ ]?denied|not (?:allowed|permitted|authorized)",)),
    (
        "cut",
        (
            r"stream (?:error|disconnected|decode error|ended|closed)|connection (?:reset|closed|aborted|lost)",
            r"ECONNRESET|socket hang up|premature(?:ly)? (?:close|end)|unexpected (?:eof|end of)|broken pipe",
            r"incomplete (?:chunked|message|response)|error decoding response|terminated|empty response",
        ),
    ),
    (
        "request",
        (
            r"\b40[04]\b|invalid[ _](?:request|argument|configuration)|bad ?request|not[ _]?found|no such",
            r"not (?:supported|configured)",
        ),
    ),
)
_WORDS = [(trouble, re.compile("|".join(words), re.IGNORECASE)) for trouble, words in _BY_WORDS]
