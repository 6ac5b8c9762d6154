"""A file that somebody else has written: what it says beyond the board, said to the engine; or why it cannot be."""

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from msgspec.structs import replace

from folkmoot.core.commands import RaiseConflict
from folkmoot.core.records import Comment, Message, Wanted
from folkmoot.core.rules.sharing.mirrored import merged, stage_of_message
from folkmoot.core.vocabulary.roles import correspondent, message_type
from folkmoot.errors import Invalid, Refused
from folkmoot.mirror import names
from folkmoot.mirror.keys import digest_of, key_of, uuid_of
from folkmoot.mirror.reading.comments import Placed, Said, compare, first_of, read_meta
from folkmoot.mirror.reading.forms import (
    REASONS,
    Dropped,
    Handoff,
    read_dropped,
    read_handoff,
    read_item,
    reason_of,
    status_of,
)
from folkmoot.mirror.scribe import Scribe
from folkmoot.mirror.shared_taking import SharedTaking
from folkmoot.mirror.voice import NotYet, Voice
from folkmoot.mirror.writer import Aside
from folkmoot.mirror.writing.handoffs import envelope
from folkmoot.mirror.writing.items import EDITABLE, fields_of

# What of a sent message its sender has said; the rest is filled in, or says how it went on.
SENT = ("from", "to", "type", "priority", "payload")
_FROM = re.compile(rb"""["']?\b(?:from|agent)["']?\s*:\s*["']?([^"'\s,]{1,80})""", re.IGNORECASE)


class Taking:
    """`file` names what a file is by itself: its name, content and place on the disk, so that it is taken in once."""

    def __init__(self, scribe: Scribe, voice: Voice, aside: Aside) -> None:
        self._scribe = scribe
        self._picture = scribe.picture
        self._voice = voice
        self._aside = aside
        self.unheard: set[str] = set()  # agents of which something that they sent was refused, in this look
        self._noted: dict[str, tuple[str, str]] = {}  # what was sent in this look: its file, and what is told of it

    def begin(self) -> None:
        """Another look."""
        self.unheard.clear()
        self._noted.clear()
        self._aside.forget()

    def tell_unended(self) -> None:
        """Who tells the board that its work is over, and ends no run in the same look, is told what ends one."""
        for message, (name, note) in self._noted.items():
            known = self._picture.messages[message]
            if self._voice.has_yet_to_report(known):
                note = self._voice.ended_by(known, note)
                self._aside.put_note(name, f"{name} was taken in as message {message}. {note}")
        self._noted.clear()

    def take(self, path: str, data: bytes, stamp: str) -> str | None:
        """Say what the file says. Raises the refusal; gives the path where the file should be, if that is another."""
        key = key_of(path, data, stamp)
        folder, name = path.partition("/")[0], path.rpartition("/")[2]
        if path == names.STATE:
            SharedTaking(self._scribe, self._voice, self._check_heard).take(data, key)
        elif path in self._picture.artifacts:
            self._meta(path, data)
        elif folder == names.HANDOFFS:
            return self._handoff(path, data, key)
        elif names.item_of(path) in self._picture.items:
            self._item(path, data, key)
        elif path.endswith(names.META):
            words = "no item has an artifact, or a spec, beside which {path!r} lies"
            hint = 'whoever made it names it in its report: "artifacts": ["specs/auth.md"]'
            raise Invalid("unknown_artifact", words, hint, path[:120])
        else:
            words = "no file of this board is called {name!r}"
            raise Invalid("unknown_file", words, "see docs: work with files", name[:80])
        return None

    def refused(self, path: str, data: bytes) -> None:
        """Whoever sent it ends nothing in this look; where it does not say who did, nobody does."""
        if path.partition("/")[0] in (names.HANDOFFS, names.INBOX):
            flow, found = self._picture.flow, _FROM.findall(data)[:1]
            self.unheard |= {correspondent(flow, name.decode("utf-8", "replace")) for name in found} or {*flow.agents}

    # -- handoffs

    def _handoff(self, path: str, data: bytes, key: str) -> str | None:
        where = path.split("/")[1]
        if where not in names.STATUSES:
            words = "{path!r} lies in no folder of a message's state"
            raise Invalid("unknown_file", words, f"what is sent is put into {names.HANDOFFS}/pending/", path[:120])
        handoff = read_handoff(data, rejects=where == names.STATUSES[-1])
        named = names.HANDOFF.fullmatch(path.rpartition("/")[2])
        said, called = handoff.envelope.message_id, named.group(1) if named else None
        if said and called and said != called and called in self._picture.messages:
            words = "message_id: the file is named after {message}"
            raise Invalid("bad_message", words, "give both the same name", called)
        message = said or called or uuid_of(key)
        known = self._picture.messages.get(message)
        if known is None:
            if status_of(handoff) != names.STATUSES[0]:
                words, hint = "there is no message {message}", "what is sent is put into {folder}/pending/"
                raise Invalid("unknown_message", words, hint, message, names.HANDOFFS)
            sent = self._voice.send(handoff, message, key)
            known = self._sent(sent.message_id)
            if isinstance(sent.note, str):
                self._noted[known.id] = (path.rpartition("/")[2], sent.note)
            self._check_same(known, handoff)
            # Nobody has seen it in pending/ yet: where it cannot be taken up now, that is its place.
            with suppress(NotYet):
                self._move_on(known, handoff, where, key, path)
        else:
            if names.STATUSES[-1] in (where, status_of(handoff)):
                handoff = _with_reason(known, handoff)
            self._check_same(known, handoff)
            self._move_on(known, handoff, where, key, path)
        self._scribe.follow()
        return names.handoff_path(known.id, self._picture.messages[known.id].status)

    def _sent(self, message: str) -> Message:
        """It may have been moved on before it was seen."""
        self._scribe.follow()
        return self._picture.messages[message]

    def _check_same(self, known: Message, handoff: Handoff) -> None:
        board, said = envelope(known), handoff.envelope
        file: dict[str, Any] = {"from": said.sender, "to": said.to, "type": said.type, "priority": said.priority}
        file["payload"] = said.payload
        flow = self._picture.flow
        file |= {"from": correspondent(flow, said.sender), "to": correspondent(flow, said.to)}
        file["type"] = message_type(flow, said.type)
        # A priority that was not said is the item's.
        other = next((name for name in SENT if file[name] is not None and file[name] != board[name]), None)
        other = other or next((n for n, v in said.context.items() if board["context"].get(n) != v), None)
        if other is not None:
            words = "{other}: message {message} was sent as it is, and is not changed any more"
            hint = "send another one: a new file in pending/"
            if status_of(handoff) == names.STATUSES[-1]:
                hint = 'to reject it leave the rest as it was: the reason goes into "why", beside "status"'
            raise Refused("message_known", words, hint, other, known.id)

    def _move_on(self, known: Message, handoff: Handoff, where: str, key: str, path: str) -> None:
        """Folder and status of a file are one when it is written: where they differ, one of them was changed. Where
        they do not, both were, or it is an old file, which says nothing."""
        said, order = status_of(handoff), names.STATUSES.index
        if where == said and _has_been(known, said):
            return
        base, wanted = (names.STATUSES[0], said) if where == said else sorted((where, said), key=order)
        if where == base and said == known.status:
            words, hint = "message {message} is {status}, and a message never goes backwards", "leave it where it was"
            raise Refused("message_over", words, hint, known.id, known.status)
        if wanted == known.status:
            return
        if known.status not in (base, "accepted") or order(wanted) < order(known.status):
            self._conflict(known, wanted, path, key)
        elif wanted == "rejected":
            done = "its file was put into rejected/" if where == wanted else "its status was set to rejected"
            self._voice.reject(known, handoff.why or f"{done}, and no reason was given", key)
        elif wanted == "accepted":
            self._voice.accept(known, key)
        else:
            self._check_heard(known.to)
            if known.status == "pending" and where == wanted:
                # Moved twice before it was seen: who has it in completed/ has had it in hand.
                self._voice.accept(known, key)
                known = self._sent(known.id)
            self._voice.complete(known, key)

    def _check_heard(self, agent: str) -> None:
        """A review that ends beside a `fix_request` is no approval, also where that must be written anew."""
        if agent in self.unheard:
            words = "what {agent} sent beside it was refused, and may say how this ends"
            raise Refused("sent_refused", words, "mend that first: the reason is beside it", agent)

    def _conflict(self, known: Message, wanted: str, path: str, key: str) -> None:
        """The board has ended it otherwise since the file was read: a person decides (R-28)."""
        if known.item is None or self._voice.is_bound(known.item):
            words = "message {message} is {status} already"
            hint = "a message goes pending, accepted, completed, or rejected; never twice"
            raise Refused("message_over", words, hint, known.id, known.status)
        to = stage_of_message(self._picture.flow, known, wanted)
        name = f"status of message {known.id}"
        command = RaiseConflict(name=name, board=known.status, file=wanted, where=path, to=to)
        self._voice.conflict(known.to, known.item, command, key)

    # -- comments

    def _meta(self, path: str, data: bytes) -> None:
        said = read_meta(data)
        artifacts = {name: items for name, items in self._picture.artifacts[path].items() if items}
        changes = compare(said, self._picture.comments(path))
        for comment, one in changes.resolved:
            by = one.resolved_by or comment.author
            ends, parent = one.resolution, comment.id
            closing = Said(author=by, content=f"resolved: {ends}", parent=parent, resolution=ends, before=one.before)
            self._say(path, closing, artifacts, {})
        renamed: dict[str, str] = {}
        taken: list[Said] = []
        for number, one in enumerate(changes.added, 1):
            if one not in taken:
                taken += self._say(path, one, artifacts, renamed, changes.added[number:])

    def _say(
        self,
        path: str,
        one: Said,
        artifacts: dict[str, dict[str, None]],
        renamed: dict[str, str],
        others: Sequence[Said] = (),
    ) -> list[Said]:
        """Say it; those of the others that its author said with it, in the same effort, are given back."""
        comments = {comment.id: comment for comment in self._picture.comments(path)}
        placed = self._place(one, comments, artifacts, renamed)
        parts = (path, one.author, one.content.strip(), placed.parent, one.target, one.resolution, one.before)
        same = (other for other in others if other.author == one.author)
        known = (other for other in same if renamed.get(other.parent or "", other.parent) in {None, *comments})
        beside = (self._place(other, comments, artifacts, renamed) for other in known)
        key = f"comment:{digest_of(*parts)}"
        taken = self._voice.comment(self._picture.items[placed.item], placed, beside, key)
        self._scribe.follow()
        new = [comment.id for comment in self._picture.comments(path) if comment.id not in comments]
        renamed |= {own.id: known_as for own, known_as in zip([one, *taken], new, strict=False) if own.id}
        return taken

    def _place(
        self, one: Said, comments: dict[str, Comment], artifacts: dict[str, dict[str, None]], renamed: dict[str, str]
    ) -> Placed:
        parent = renamed.get(one.parent or "", one.parent)
        answered = comments.get(parent or "")
        if parent is not None and answered is None:
            raise Invalid(
                "unknown_comment", "there is no comment {parent!r} here", "reply to one of these", parent[:40]
            )
        artifact = (answered.artifact if answered else None) or one.artifact or next(iter(artifacts))
        if artifact not in artifacts:
            words = "artifact: {artifact!r} is not beside this file"
            raise Invalid("unknown_artifact", words, "leave it out", artifact[:80])
        item = answered.item if answered else self._item_of(one, artifacts[artifact])
        return Placed(item, artifact, one, parent, first_of(comments, parent))

    def _item_of(self, one: Said, items: dict[str, None]) -> str:
        if one.item is not None:
            if one.item not in items:
                raise Invalid("unknown_item", "item: {item!r} has no such artifact", "leave it out", one.item[:40])
            return one.item
        unfinished = [item for item in items if self._picture.items[item].status not in ("done", "failed", "cancelled")]
        return max(unfinished or items, key=int)

    # -- the inbox

    def begin_report(self, name: str, data: bytes, key: str) -> tuple[str, int] | None:
        """The run whose report was dropped, and its token; None: it is an answer, and was given."""
        dropped = self._read_dropped(name, data)
        if dropped.question is not None:
            self._voice.answer(dropped, key)
            return None
        actor = self._voice.reporter(dropped, key)
        return actor.run or "", actor.token or 0

    def end_report(self, name: str, data: bytes, run: str, token: int) -> None:
        self._voice.report(self._read_dropped(name, data), run, token)

    def _read_dropped(self, name: str, data: bytes) -> Dropped:
        return read_dropped(name, data, list(self._picture.flow.agents))

    # -- items

    def _item(self, path: str, data: bytes, key: str) -> None:
        as_json = path.startswith(names.QUESTS)
        edited = read_item(data, as_json=as_json)
        item = self._picture.items[names.item_of(path) or ""]
        base = item if edited.version == item.version else self._scribe.feed.item_at(item.id, edited.version)
        if base is None:
            words = "version: item {item} never had version {version}"
            raise Invalid("bad_version", words, "read it again", item.id, edited.version)
        written = self._as_written(path, edited.version == item.version)
        if written is not None:
            other = next((name for name in edited.others if edited.others[name] != written.others.get(name)), None)
            other = other or next((name for name in written.others if name not in edited.others), None)
            if other is not None:
                words = "{field}: it follows from what happened, and is not changed by hand"
                raise Refused("not_editable", words, "what can be changed: {known}", str(other)[:60], list(EDITABLE))
        both = merged(fields_of(base), fields_of(item), edited.fields)
        if not both.taken and not both.conflicts:
            return
        if edited.by is None:
            words = "it does not say who changed it"
            raise Refused("unknown_writer", words, "write your name beside edited_by; whose counts the flow says")
        if both.taken:
            self._voice.edit(edited.by, item.id, both.taken, key)
        for name, (board, file) in both.conflicts.items():
            self._voice.conflict(edited.by, item.id, _conflict(name, board, file, path), f"{key}:{name}")

    def _as_written(self, path: str, is_current: bool) -> Any:
        data = self._scribe.content(path) if is_current else None
        return read_item(data, as_json=path.startswith(names.QUESTS)) if data is not None else None


def _with_reason(known: Message, handoff: Handoff) -> Handoff:
    """A reason that a rejection has put into the payload is its reason, and no change of what was sent."""
    payload, said = known.payload, handoff.envelope.payload
    added = [name for name in REASONS if isinstance(said.get(name), str) and name not in payload]
    if {name: value for name, value in said.items() if name not in added} != payload:
        return handoff
    why = reason_of([handoff.why, *(said[name] for name in added)])
    return replace(handoff, why=why, envelope=replace(handoff.envelope, payload=payload))


def _has_been(known: Message, status: str) -> bool:
    return status in ("pending", known.status) or (status == "accepted" and known.status != "pending")


def _conflict(name: str, board: Any, file: Any, path: str) -> RaiseConflict:
    return RaiseConflict(
        name=name,
        board=_words(board),
        file=_words(file),
        where=path,
        to=str(file) if name == "column" else None,
        wanted=Wanted(files=list(file)) if name == "files" else None,
        cancels=name == "status" and file == "cancelled",
    )


def _words(value: Any) -> str:
    return ", ".join(str(one) for one in value) or "none" if isinstance(value, list) else str(value)
