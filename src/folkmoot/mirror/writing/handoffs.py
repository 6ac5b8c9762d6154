"""A message as the file of a handoff: the envelope of the document, and nothing else (H-04)."""

from typing import Any

from msgspec import to_builtins

from folkmoot.core.records import Message
from folkmoot.engine.reads.views import message_view
from folkmoot.mirror.writing.items import pretty

BESIDE = ("item", "run", "why")


def envelope(message: Message) -> dict[str, Any]:
    view = {name: value for name, value in to_builtins(message_view(message)).items() if name not in BESIDE}
    return {**view, "why": message.why} if message.why is not None else view


def handoff_file(message: Message) -> bytes:
    return pretty(envelope(message))
