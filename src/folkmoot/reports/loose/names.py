"""The names of a report's fields in whichever case they were written: `Status`, `NEXT_STEPS`, `Next Steps`."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from folkmoot.core.vocabulary.lines import is_misspelt
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.phrases.nothings import telling
from folkmoot.reports.canonical import FIELDS

# What the documents call their fields beside ours.
_DOCUMENTS = (
    *("status", "type", "decision", "agentType", "task", "output", "report", "nextSteps", "recommendations", "retro"),
    *("subAgents", "sharedTypes", "integrationPoints", "spec", "issues", "payload", "vulnerabilities", "failures"),
    *("approval", "context", "options", "source", "reviewer", "round", "max_rounds", "attempt"),
)
_SIGNS = pattern(r"[\W_]+")
# A label before what it says, and one that stands above it.
LABEL = pattern(
    r"(?:\d{1,3}[.)]\s{1,3})?[*_`#\s-]{0,8}([A-Za-z][A-Za-z '/-]{1,28}[A-Za-z])[*_`]{0,3}\s{0,3}"
    r"(?:\([^()\n]{0,40}\)\s{0,3})?:[*_`]{0,3}\s?(.*)"
)
_HEADED = pattern(r"#{1,6}\s{0,3}[*_`]{0,3}([A-Za-z][A-Za-z '/-]{1,28}[A-Za-z])[*_`:]{0,3}")
# Only what says how a run ended is a report: in any other object a name is left as it stands.
_ENDS = ("outcome", "status", "type", "decision")
# What a run used up, as others call it.
_SPENT = {
    "input_tokens": ("input", "prompt_tokens", "tokens_in"),
    "output_tokens": ("output", "completion_tokens", "tokens_out"),
    "cached_tokens": ("cached", "cache_read_input_tokens", "cached_input_tokens"),
    "cost_usd": ("cost", "usd", "total_cost_usd"),
}
_SPENT_AS = {name: own for own, names in _SPENT.items() for name in (own, *names)}


def _folded(name: str) -> str:
    return _SIGNS.sub("", name).casefold()


# Of two spellings of one name (`next_steps`, `nextSteps`) ours comes first.
_KNOWN = {_folded(name): name for name in (*_DOCUMENTS, *FIELDS)}
_EXACT = frozenset((*_DOCUMENTS, *FIELDS))


def is_known(name: str) -> bool:
    return name in _EXACT


def known_name(name: str, more: Iterable[str] = ()) -> str:
    """The name as the form, or one of `more`, spells it; one that nobody knows stays as it is."""
    if name in _EXACT:
        return name
    fold = _folded(name)
    return next((one for one in more if _folded(one) == fold), _KNOWN.get(fold, name))


def in_known_case(data: dict[str, Any]) -> dict[str, Any]:
    """The same object with its names as the form spells them."""
    if all(name in _EXACT for name in data):
        return data
    found = with_known_names(data)
    return found if any(name in found for name in _ENDS) else data


def with_known_names(data: dict[str, Any], more: Iterable[str] = ()) -> dict[str, Any]:
    """Its names as they are spelled, whatever it is. Where a name would then stand twice both stay as they are, so that
    none of the two is lost: the reader names them back."""
    meant = {name: known_name(name, more) for name in data}
    named = Counter(meant.values())
    return {name if named[as_known] > 1 else as_known: data[name] for name, as_known in meant.items()}


def label_in(words: str, labels: dict[str, str] | None) -> tuple[str, str] | None:
    """What the label of a line stands for, and what stands behind it; a small mistake in a known one is none.
    Without a list any label counts."""
    if "：" in words and ":" not in words.partition("：")[0]:
        words = words.replace("：", ": ", 1)  # the colon of other scripts
    if len(words) > 4000 or not (":" in words or words.startswith("#")):
        return None
    found = LABEL.fullmatch(words)
    title, rest = (found.group(1), found.group(2)) if found else ("", "")
    if not found and labels is not None:
        headed = _HEADED.fullmatch(words)
        title = headed.group(1) if headed else ""
    if not title:
        return None
    if labels is None:
        return (title.strip(), rest)
    title = title.strip().lower()
    name = labels.get(title) or next((labels[one] for one in labels if is_misspelt(title, one)), None)
    return (name, rest) if name is not None else None


def spent(data: dict[str, Any]) -> None:
    """Reads `usage` of a report in place. It is beside the work: a part that nobody knows is kept, and refuses nothing.
    What has a known name and cannot be is refused by name, as elsewhere."""
    told, extra = data.get("usage"), data.get("extra") or {}
    if not isinstance(told, dict) or not isinstance(extra, dict):
        return
    known: dict[str, Any] = {}
    rest: dict[str, Any] = {}
    for name, value in told.items():
        own = _SPENT_AS.get(str(name).casefold())
        if own is not None and own not in known:
            known[own] = value
        else:
            rest[str(name)] = value
    data["usage"] = known
    if rest:
        data["extra"] = {"usage": rest, **extra}


# What every report of the quest document has, under the names that our form has for it.
_QUEST = {"report": "summary", "retro": "lessons", "recommendations": "next_steps", "nextSteps": "next_steps"}


def in_our_words(data: dict[str, Any]) -> None:
    """The words of the quest's standard report beside an outcome. Whoever writes both forms at once means both."""
    for name, own in _QUEST.items():
        value = data.get(name)
        parts = value if isinstance(value, list) else [value]
        words = [part for part in parts if isinstance(part, str)]
        if len(words) < len(parts):
            continue
        if own != "summary":
            known = data.get(own) or []
            data[own] = [*([known] if isinstance(known, str) else known), *telling(words)]
        elif isinstance(value, str) and isinstance(data.get(own, ""), str):
            data[own] = "\n\n".join(filter(None, [data.get(own), value]))
        else:
            continue
        del data[name]
