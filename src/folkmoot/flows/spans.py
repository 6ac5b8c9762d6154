"""Time spans as people write them: `45s`, `30m`, `2h`, `1d`, `1h30m`, or a plain number of seconds."""

import re

from folkmoot.errors import Invalid

UNITS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}
NUMBER = r"[0-9]{1,9}(?:\.[0-9]{1,3})?"
SPAN = re.compile("".join(rf"(?:({NUMBER}){unit})?" for unit in UNITS))
SECONDS = re.compile(NUMBER)


def parse_span(text: str) -> float:
    """The seconds of a span; each unit at most once, the largest first."""
    word = text.strip().lower()
    if SECONDS.fullmatch(word):
        return float(word)
    match = SPAN.fullmatch(word)
    if not match or not word:
        raise Invalid("bad_span", "{text!r} is not a time span", "write it like 45s, 30m, 2h, 1d or 1h30m", text[:60])
    parts = zip(match.groups(), UNITS.values(), strict=True)
    # In whole milliseconds, so that 0.1 + 0.2 is what it should be.
    return sum(round(float(number) * 1000) * size for number, size in parts if number) / 1000


def format_span(seconds: float) -> str:
    """The shortest spelling that `parse_span` reads back, to the millisecond."""
    left = round(seconds * 1000)
    if left < 0:
        raise Invalid("bad_span", "{seconds} seconds is not a time span", "a span is 0 seconds or more", seconds)
    words = []
    for unit, size in UNITS.items():
        count, rest = divmod(left, size * 1000)
        if unit == "s" and rest:
            words.append(f"{left / 1000:.3f}".rstrip("0") + "s")
        elif count:
            words.append(f"{count}{unit}")
        left = rest
    return "".join(words) or "0s"
