"""Paths as the board compares them: from the project's root on, one spelling each; a folder ends in a slash."""

import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Generic, TypeVar

from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.errors import Invalid

Kept = TypeVar("Kept")

PATH_CHARACTERS_MAX = 1_000
PATH_BYTES_MAX = 1_500  # what is held is found by owner and path: in an index of PostgreSQL longer ones have no room
CONTROL = pattern(r"[\x00-\x1f\x7f-\x9f]")


@lru_cache(4096)
def bad_path(path: str) -> str | None:
    """What is wrong with a path, or None."""
    if not normal_path(path).strip("/"):
        return "it names no file"
    if len(path) > PATH_CHARACTERS_MAX:
        return f"it has more than {PATH_CHARACTERS_MAX} characters"
    if max(len(one.encode("utf-8", "surrogatepass")) for one in (normal_path(path), path_key(path))) > PATH_BYTES_MAX:
        return f"it has more than {PATH_BYTES_MAX} bytes"
    parts = path.replace("\\", "/").split("/")
    if path.startswith(("/", "~", "\\")) or (len(parts[0]) == 2 and parts[0][1] == ":"):
        return "write it from the project's root on, not from the machine's"
    if ".." in parts:
        return "it leads out of the project"
    if CONTROL.search(path):
        return "it holds a control character"
    return None


@lru_cache(4096)
def normal_path(path: str) -> str:
    """The one spelling of a good path."""
    path = unicodedata.normalize("NFC", path.strip().replace("\\", "/"))
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return "/".join(parts) + ("/" if path.endswith("/") else "")


def overlap(mine: Iterable[str], theirs: Iterable[str]) -> list[str]:
    """Those of my paths that meet one of theirs: the same, or one inside the other. Twins in case are the same file
    on some machines, so they count as one everywhere."""
    meets = meeting(theirs)
    return [path for path in mine if meets(path)]


def meeting(theirs: Iterable[str]) -> Callable[[str], bool]:
    """A way to tell whether a path meets one of theirs."""
    others = {path_key(path) for path in theirs}
    above = {parent for key in others for parent in _parents(key)}

    def meets(path: str) -> bool:
        key = path_key(path)
        return key in others or key in above or not others.isdisjoint(_parents(key))

    return meets


class Places(Generic[Kept]):
    """Things by their paths: what meets a path is found without a look at the others."""

    def __init__(self, things: Iterable[tuple[Iterable[str], Kept]] = ()) -> None:
        self._at: dict[str, list[Kept]] = {}
        self._below: dict[str, list[Kept]] = {}
        for paths, thing in things:
            self.add(paths, thing)

    def add(self, paths: Iterable[str], thing: Kept) -> None:
        for key in {path_key(path) for path in paths}:
            self._at.setdefault(key, []).append(thing)
            for parent in _parents(key):
                self._below.setdefault(parent, []).append(thing)

    def meeting(self, paths: Iterable[str]) -> Iterator[Kept]:
        """Each as often as it meets."""
        for key in {path_key(path) for path in paths}:
            for where in (key, *_parents(key)):
                yield from self._at.get(where, ())
            yield from self._below.get(key, ())


class Standing(Generic[Kept]):
    """Things by a name and one path each, that come and go: what meets a path is found without a look at the others."""

    def __init__(self) -> None:
        self._paths: dict[str, str] = {}
        self._at: dict[str, dict[str, Kept]] = {}
        self._below: dict[str, dict[str, Kept]] = {}

    def put(self, name: str, path: str, thing: Kept) -> None:
        self.drop(name)
        key = self._paths[name] = path_key(path)
        self._at.setdefault(key, {})[name] = thing
        for parent in _parents(key):
            self._below.setdefault(parent, {})[name] = thing

    def drop(self, name: str) -> None:
        if (key := self._paths.pop(name, None)) is None:
            return
        for index, where in ((self._at, key), *((self._below, parent) for parent in _parents(key))):
            del index[where][name]
            if not index[where]:
                del index[where]

    def values(self) -> Iterator[Kept]:
        for things in self._at.values():
            yield from things.values()

    def meeting(self, paths: Iterable[str]) -> list[Kept]:
        """Each once."""
        found: dict[str, Kept] = {}
        for key in {path_key(path): None for path in paths}:
            for where in (key, *_parents(key)):
                found.update(self._at.get(where, {}))
            found.update(self._below.get(key, {}))
        return list(found.values())


class LastPlaces:
    """Chains of names, one for all that stand at a path and one for all below it. Each link is named after its place in
    its chain; a new one leads to the one before it."""

    def __init__(self) -> None:
        self._at: dict[str, str] = {}
        self._below: dict[str, str] = {}
        self._links = 0

    def meeting(self, paths: Iterable[str]) -> list[str]:
        """The last links of all chains that meet the paths."""
        found: dict[str, None] = {}
        for key in {path_key(path): None for path in paths}:
            names = [self._at.get(where) for where in (key, *_parents(key))]
            found.update(dict.fromkeys(name for name in (*names, self._below.get(key)) if name is not None))
        return list(found)

    def add(self, paths: Iterable[str], name: str) -> list[tuple[list[str], str]]:
        """New links for a name in all its chains: which link each leads to, if any, and how it is called."""
        made = []
        for key in {path_key(path): None for path in paths}:
            for chain, where in ((self._at, key), *((self._below, parent) for parent in _parents(key))):
                self._links += 1
                before, link = chain.get(where), f"{name} at {where} ({self._links})"
                chain[where] = link
                made.append(([before] if before is not None else [], link))
        return made


def outside(mine: Iterable[str], theirs: Iterable[str]) -> list[str]:
    """Those of my paths that are neither one of theirs nor inside one, by their exact names: a right to `makefile` is
    none to `Makefile`, which is another file where names have a case. Only composed letters count as one."""
    others = {normal_path(path).rstrip("/") for path in theirs}
    exact = {path: unicodedata.normalize("NFC", path).rstrip("/") for path in mine}
    return [path for path, name in exact.items() if name not in others and others.isdisjoint(_parents(name))]


def crowd(groups: Iterable[Iterable[str]]) -> Callable[[str], int]:
    """A way to tell how many of these groups of paths meet a path: there, in it, or above it."""
    exact: Counter[str] = Counter()
    within: Counter[str] = Counter()
    for group in groups:
        keys = {path_key(path) for path in group}
        exact.update(keys)
        within.update(keys | {parent for key in keys for parent in _parents(key)})
    return lambda path: within[path_key(path)] + sum(exact[parent] for parent in _parents(path_key(path)))


@lru_cache(4096)
def path_key(path: str) -> str:
    """Twins in case or in the way a letter is composed have one key."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold()).rstrip("/")


@lru_cache(4096)
def _parents(key: str) -> tuple[str, ...]:
    parts = key.split("/")
    return tuple("/".join(parts[:length]) for length in range(1, len(parts)))


def good_files(paths: list[str]) -> list[str]:
    """Paths as they are compared, each once; refused if one leads out of the project."""
    for path in paths:
        if bad_path(path):
            words = "{path!r} is no file here: {why}"
            raise Invalid("bad_path", words, "like src/auth/reset.py or src/auth/", path[:80], bad_path(path))
    return list(dict.fromkeys(normal_path(path) for path in paths))
