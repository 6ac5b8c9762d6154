"""Where notices go, as a flow says it. What is secret stands in a variable of the environment, here only its name."""

import re
from typing import Literal, get_args

from msgspec import Struct, field

Topic = Literal["question", "failure", "pause", "budget", "landed", "idle"]
TOPICS: tuple[Topic, ...] = get_args(Topic)
# What needs a person, and that nothing is left to do. Failures the rules see to; what landed fills a digest.
USUAL: tuple[Topic, ...] = ("question", "pause", "budget", "idle")
DAY_MINUTES = 24 * 60
QUIET = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)\s*[-–]\s*([01]?\d|2[0-3]):([0-5]\d)")


class Target(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Exactly one of the ways is set."""

    command: list[str] = field(default_factory=list)
    desktop: bool = False
    webhook: str | None = None  # an address, or the variable that holds it
    slack: str | None = None  # the variable that holds the address
    discord: str | None = None
    secret: str | None = None  # of a webhook: the variable that holds what signs it
    on: list[Topic] = field(default_factory=lambda: list(USUAL))
    quiet: str | None = None

    @property
    def name(self) -> str:
        """What it is called where somebody is told of it. Addresses can be secrets, so none stands here."""
        if self.command:
            return self.command[0]
        if self.desktop:
            return "the desktop"
        way = "webhook" if self.webhook else "slack" if self.slack else "discord"
        variable = self.variables[:1]
        return f"{way} ({variable[0]})" if variable else way

    @property
    def variables(self) -> list[str]:
        """The variables that it needs: their values are secrets."""
        hook = self.webhook if self.webhook and not is_address(self.webhook) else None
        return [name for name in (hook, self.slack, self.discord, self.secret) if name]

    @property
    def place(self) -> str:
        """Where it goes, and nothing about what and when: by this its place in the log is kept."""
        return "\0".join([*self.command, f"{self.desktop:d}", self.webhook or "", self.slack or "", self.discord or ""])


def is_address(text: str) -> bool:
    return "://" in text


def minutes_of(quiet: str) -> tuple[int, int] | None:
    """From which minute of the day to which it is quiet; None where the text says no such time."""
    found = QUIET.fullmatch(quiet.strip())
    if found is None:
        return None
    hours, minutes, until_hours, until_minutes = map(int, found.groups())
    begin, end = hours * 60 + minutes, until_hours * 60 + until_minutes
    return (begin, end) if begin != end else None


def quiet_minutes(quiet: str | None, minute: int) -> int:
    """How many minutes of quiet are left at this minute of the day; 0: it is not quiet."""
    span = minutes_of(quiet) if quiet else None
    if span is None:
        return 0
    begin, end = span
    since = (minute - begin) % DAY_MINUTES
    return (end - minute) % DAY_MINUTES if since < (end - begin) % DAY_MINUTES else 0
