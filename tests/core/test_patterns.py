"""Patterns are made when they are first asked; so that a broken one is found here and not by a user, all are made."""

import importlib
import pkgutil
import re
from collections.abc import Iterator

import pytest

import folkmoot
from folkmoot.core.vocabulary.patterns import Later, pattern


def all_patterns() -> Iterator[tuple[str, Later]]:
    for room in ("core", "reports", "briefs"):
        package = importlib.import_module(f"{folkmoot.__name__}.{room}")
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            module = importlib.import_module(found.name)
            for name, value in vars(module).items():
                if isinstance(value, Later):
                    yield f"{found.name}.{name}", value


def test_every_pattern_can_be_made() -> None:
    made = {name: later.pattern for name, later in all_patterns()}
    assert len(made) > 100


def test_a_pattern_is_asked_as_a_compiled_one_is() -> None:
    later, compiled = pattern(r"a(b+)", re.IGNORECASE), re.compile(r"a(b+)", re.IGNORECASE)
    assert later.findall("xABb ab") == compiled.findall("xABb ab")
    assert later.sub("-", "xABb ab") == compiled.sub("-", "xABb ab")
    assert (later.pattern, later.flags, later.groups) == (compiled.pattern, compiled.flags, compiled.groups)


def test_a_broken_pattern_is_found_when_it_is_asked() -> None:
    broken = pattern("(")
    with pytest.raises(re.error):
        broken.search("(")
