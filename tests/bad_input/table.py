"""All cases, by the rows of the matrix they belong to."""

from tests.bad_input import files, flows, items, keeping, paths, reports, surroundings, text
from tests.bad_input.yard import Case

ROWS = {
    "B1": "a NUL byte",
    "B2": r"`\u0000` in JSON",
    "B3": "half a character, and bytes that are no text",
    "B4": "numbers too large to count to",
    "B5": "NaN, Infinity, -0 and 1e999",
    "B6": "a key twice",
    "B7": "100,000 levels",
    "B8": "a body without an end, or slow to come",
    "B9": "a packed body that grows",
    "B10": "YAML that is more than data, or looks like something else",
    "B11": "a report made to be slow",
    "B12": "a report that says several things, or nothing",
    "B13": "a report about another's work",
    "B14": "empty and large texts, and letters that are not for a screen",
    "B15": "paths that lead out, or that no machine could have",
    "B16": "paths that are twins",
    "B17": "paths that only begin alike",
    "B18": "patterns, everything, and too many paths",
    "B19": "items that wait for themselves, for none, or for a long chain",
    "B20": "cursors",
    "B21": "what is past, or yet to come",
    "B22": "unknown words",
    "B23": "JSON-RPC that is none",
    "B24": "sockets of a web page",
    "B25": "words that a shell or a template would obey",
    "B26": "names of branches",
    "B27": "boards that are not whole when a command starts",
    "B28": "spans of time",
    "B29": "SQL",
    "B30": "files that are none, and streams that are closed or full",
}
# These come through a server, a page or a protocol between programs.
WITHOUT_A_DOOR = ("B8", "B9", "B23", "B24")

CASES: list[Case] = [
    case for module in (text, paths, items, reports, flows, files, keeping, surroundings) for case in module.CASES
]
