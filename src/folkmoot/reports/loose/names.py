"""The names of a report's fields in whichever case they were written: `Status`, `NEXT_STEPS`, `Next Steps`."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.reports.canonical import FIELDS

# What the documents call their fields beside ours.
_DOCUMENTS = (
    *("status", "type", "decision", "agentType", "task", "output", "report", "nextSteps", "recommendations", "retro"),
    *("subAgents", "sharedTypes", "integrationPoints", "spec", "issues", "payload", "vulnerabilities", "failures"),
    *("approval", "context", "options", "source", "reviewer", "round", "max_rounds", "attempt"),
)
_SIGNS = pattern(r"[\W_]+")
# Only what says how a run ended is a report: in any other object a name is left as it stands.
_ENDS = ("outcome", "status", "type", "decision")


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
