"""Who made what somebody speaks of (R-12): by its name, its path, or as much of the path as people write."""

import re

from folkmoot.core.item import Artifact, Item
from folkmoot.core.report import Files
from folkmoot.core.rules.sharing.paths import normal_path
from folkmoot.core.vocabulary.patterns import pattern

MADE_MAX = 500  # files of which an item remembers who made them
_PLACE = pattern(r"(?:#|::|:\d).*$", re.DOTALL)  # a section, a test or a line behind the file
_ABOUT = pattern(r"\.meta\.ya?ml$")  # the disputes document keeps comments in a file beside the artifact
_ENDING = pattern(r"(?<=[^/])\.[a-z0-9]{1,6}$")
_WORD = pattern(r"[^\W_]+")


def files_made(item: Item, files: Files, made: Artifact) -> dict[str, Artifact]:
    """Who made each file, with those of one more report. Who created a file made it; of one that was there before,
    whoever changed it last."""
    known = dict(item.files_made)
    for path in files.created:
        if path not in known or not known[path].path:
            known[path] = Artifact(made.column, made.agent, made.run, path)
    for path in files.modified:
        if path not in known or not known[path].path:
            known[path] = made
    return dict(list(known.items())[-MADE_MAX:])


def makers_of(item: Item, name: str | None) -> dict[str, str]:
    """The stages that made what this name means, each with its full name; several where it could be either."""
    if not name or not name.strip():
        return {}
    if name in item.artifacts:
        return {item.artifacts[name].column: name}
    things = [(known, made) for known, made in item.artifacts.items()]
    things += [(made.path, made) for _, made in things if made.path]
    things += list(item.files_made.items())
    for same in (_is_it, _ends_so, _is_called_so):
        found = {made.column: known for known, made in things if same(_bare(known), _bare(name))}
        if found:
            return found
    return {}


def is_same(item: Item, one: str, other: str) -> bool:
    """Do two names mean the same thing, as far as anybody can tell?"""
    first, second = _bare(one), _bare(other)
    if _is_it(first, second) or _ends_so(first, second) or _is_called_so(first, second):
        return True
    # "the trading tests" is how somebody speaks of 247-trading-tests.md; two paths are two things.
    spoken, path = (first, second) if _is_spoken(first) else (second, first)
    if _is_spoken(spoken) and set(_WORD.findall(spoken)) <= set(_WORD.findall(_stem(path))):
        return True
    known = [{name for name, made in item.artifacts.items() if name == it or made.path == it} for it in (one, other)]
    return bool(known[0] & known[1])


def _bare(name: str) -> str:
    words = normal_path(_PLACE.sub("", name.strip().strip("`'\"")))
    return _ABOUT.sub("", words.casefold().removeprefix("the "))


def _is_spoken(name: str) -> bool:
    return "/" not in name and not _ENDING.search(name) and bool(_WORD.search(name))


def _is_it(known: str, name: str) -> bool:
    return bool(name) and known == name


def _ends_so(known: str, name: str) -> bool:
    return bool(name and known) and (known.endswith(f"/{name}") or name.endswith(f"/{known}"))


def _is_called_so(known: str, name: str) -> bool:
    """The same last part, with or without its ending; where both name a folder it is not the same file."""
    if "/" in known and "/" in name and known.rpartition("/")[0] != name.rpartition("/")[0]:
        return False
    return bool(_stem(name)) and _stem(known) == _stem(name)


def _stem(name: str) -> str:
    return _ENDING.sub("", name.rstrip("/").rpartition("/")[2])
