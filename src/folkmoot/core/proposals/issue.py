"""An issue on a forge, from which an item came: what is kept of it, and which of its words the item has."""

import re
from hashlib import sha256
from typing import NamedTuple

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from folkmoot.core.enums import ENDED, ForgeKind
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.errors import Invalid

TITLE_MAX = 500
BODY_MAX = 200_000
HEARD_KEPT = 200
# A project of GitLab may lie in groups of groups.
_REPOSITORY: dict[ForgeKind, re.Pattern[str]] = {
    "github": pattern(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}/[A-Za-z0-9_.-]{1,100}"),
    "gitlab": pattern(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}(?:/[A-Za-z0-9_.-]{1,100}){1,20}"),
}
URL = pattern(r"https?://[^\s<>\"'`]{1,480}")
_NODE = pattern(r"[A-Za-z0-9_=+/.:-]{0,200}")


class IssuePlace(NamedTuple):
    """Where issues are; with a number, one of them."""

    forge: ForgeKind
    repository: str
    number: int | None


class IssueLink(Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """Which issue it is."""

    forge: ForgeKind = "github"
    repository: str  # OWNER/NAME
    number: int
    url: str
    node: str = ""  # its name in the forge's own queries


class Tracked(IssueLink, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """The issue of an item, and what the board and people have said to each other there."""

    taken: str = ""  # of its words that the item was given: by it a change on the board is told from one there
    told: str = ""  # of the words that the board last wrote below it
    told_as: str = ""  # how the item stood then
    comment: int | None = None  # the number of the comment in which they stand
    closed: bool = False  # by the board, when the work had landed
    asked: bool = False  # a person was asked, because somebody closed it
    heard: list[str] = field(default_factory=list)  # comments with an answer: each is heard once
    heard_to: int = 0  # none up to this number is heard any more: those that were are no longer all in the list
    refused: str = ""  # why the last of these was not taken

    def is_over(self, status: str, has_landed: bool) -> bool:
        """Has the last word been said there?"""
        return status in ENDED and self.told_as == status and (self.closed or status != "done" or not has_landed)

    def has_heard(self, comment: str) -> bool:
        return comment in self.heard or 0 < _number(comment) <= self.heard_to

    def after_hearing(self, comment: str) -> "Tracked":
        """Only so many are kept by name. For those before, numbers do: comments are numbered as they come."""
        heard = [*self.heard, comment]
        over = heard[:-HEARD_KEPT]
        return replace(self, heard=heard[-HEARD_KEPT:], heard_to=max([self.heard_to, *map(_number, over)]))

    @property
    def link(self) -> IssueLink:
        """Which issue it is, and no more."""
        return IssueLink(forge=self.forge, repository=self.repository, number=self.number, url=self.url, node=self.node)


class ForgeIssue(Struct, frozen=True, gc=False, kw_only=True):
    """An issue that may be brought onto the board."""

    link: IssueLink
    title: str
    body: str = ""
    is_open: bool = True
    labels: list[str] = field(default_factory=list)


class SeenIssue(Struct, frozen=True, gc=False, kw_only=True):
    """An issue as the forge shows it at one moment."""

    title: str
    body: str = ""
    is_open: bool = True
    by: str = ""  # who closed it


def _number(comment: str) -> int:
    return int(comment) if comment.isascii() and comment.isdecimal() and len(comment) < 19 else 0


def check_link(link: IssueLink) -> None:
    whole = (
        _REPOSITORY[link.forge].fullmatch(link.repository) and URL.fullmatch(link.url) and _NODE.fullmatch(link.node)
    )
    if not whole or not 0 < link.number < 1 << 53:
        words = "{repository}#{number} is no issue that can be followed"
        hint = "give repository as OWNER/NAME, the number, and the url that a browser has"
        raise Invalid("bad_issue", words, hint, link.repository[:200], link.number)


def words_of(title: str, body: str) -> tuple[str, str]:
    """The words of an issue as an item has them. What a title cannot hold stands in the body."""
    title, body = " ".join(title.split()), body.replace("\r\n", "\n").strip()
    if len(title) > TITLE_MAX:
        title, body = f"{title[: TITLE_MAX - 1]}…", f"{title}\n\n{body}".strip()
    return title, body[:BODY_MAX]


def mark_of(title: str, body: str) -> str:
    return sha256(msgspec.json.encode([title, body])).hexdigest()[:24]
