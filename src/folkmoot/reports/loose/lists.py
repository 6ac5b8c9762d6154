"""A list of findings that stands by itself in a fence, beside a report or a form: it adds to what that says."""

import json
from collections.abc import Iterator
from typing import Any

from folkmoot.core.vocabulary.problems import tells_severity
from folkmoot.reports.canonical import decoder
from folkmoot.reports.page import Page

_LANGUAGES = ("", "json", "json5", "jsonc")
LIST_CHARS_MAX = 200_000


def lists_in(page: Page) -> Iterator[tuple[int, int, list[Any]]]:
    """Each with its first and last line; what only shows what others said is none."""
    for fence in page.fences:
        lines = page.inside(fence)
        if fence.language not in _LANGUAGES or not lines or page.only_shows(fence.before):
            continue
        text = "\n".join(line.text for line in lines).strip()
        if not (text.startswith("[") and text.endswith("]")) or len(text) > LIST_CHARS_MAX or lines[0].quoted:
            continue
        try:
            data = decoder().decode(text)
        except (json.JSONDecodeError, ValueError, RecursionError):
            continue  # no list after all: whoever reads the whole text says what is wrong with it
        if isinstance(data, list) and tells_severity(data):
            yield lines[0].number, lines[-1].number, data
