"""The one object in a text that was sent as a message: bare, in a fence, or as the documents print a return.

What stands beside it has no place in a message, and what holds several is none: both are asked back, since whoever
sends is still there.
"""

import re
from typing import Any

from folkmoot.reports.canonical import Faulty, decoder, shown
from folkmoot.reports.listen import bare_object
from folkmoot.reports.scan import objects

_FENCE = re.compile(r"[`~]{3,}[^\n`]*\n(.*?)\n?[ \t]*[`~]{3,}", re.DOTALL)
_MARKS = re.compile(r"^[ \t]*[`~]{3,}[^\n]*$", re.MULTILINE)


def object_in(text: str) -> dict[str, Any]:
    """The object; Faulty with all that is wrong with the text if it is not just that."""
    text = text.strip().strip("\ufeff").strip()
    fenced = _FENCE.fullmatch(text)
    text = fenced.group(1).strip() if fenced else text
    if not text:
        raise Faulty(["it is empty"])
    try:
        data, end = decoder().raw_decode(text)
    except (ValueError, RecursionError) as error:
        found = bare_object(text)
        if found is None:
            bare = "" if "{" in text else "; what a run has done is its report: moot report"
            raise Faulty(_faults(text) or [f"it is not one JSON object: {error}{bare}"]) from error
        return found
    if isinstance(data, list):
        raise Faulty([f"it is a list of {len(data)}: send each message by itself"])
    if not isinstance(data, dict):
        raise Faulty(["it is not one JSON object"])
    if end != len(text):
        raise Faulty(_faults(text) or ["it is not one JSON object"])
    return data


def _faults(text: str) -> list[str]:
    """What else the text is than one object: several of them, words around it, one that is broken."""
    found = list(objects(text, lambda keys: True))
    faults = [one.fault for one in found if one.data is None]
    if len(found) > 1:
        faults.append(f"it holds {len(found)} objects: send each message by itself")
    around = text
    for one in reversed(found):
        around = f"{around[: one.start]} {around[one.end :]}" if one.end >= 0 else around[: one.start]
    words = " ".join(_MARKS.sub(" ", around).split())
    if found and words:
        faults.append(f"words stand beside the object: {shown(words)}; put them into its payload, or leave them out")
    return faults
