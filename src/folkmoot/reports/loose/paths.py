"""Paths in a list or a text, each with what an agent says of it in brackets."""

import re

# Several paths in one text: only where each has an ending or is a folder, so that a name with a comma stays whole.
_BETWEEN = re.compile(r"\s{0,3}[,;]\s{0,3}|\s{1,3}and\s{1,3}")
PATH = re.compile(r"[^\s,;]{0,300}(?:\.\w{1,10}|/)")
_BESIDE = re.compile(
    r"\s{1,3}\((?:new|modif|creat|updat|delet|edit|exist|test|shared)[^()]{0,60}\)\s{0,3}$", re.IGNORECASE
)


def paths_in(words: list[str]) -> list[str]:
    """The paths that are named: one text may name several, and say of each in brackets what becomes of it."""
    found = []
    for one in words:
        parts = [_BESIDE.sub("", part).strip() for part in _BETWEEN.split(one)]
        found += parts if all(PATH.fullmatch(part) for part in parts) else [_BESIDE.sub("", one).strip()]
    return [path for path in found if path]
