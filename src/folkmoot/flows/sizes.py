"""Sizes as people write them: `512KB`, `200MB`, `8GB`, `1TB`; each is 1024 times the one before."""

import re

from folkmoot.errors import Invalid

UNITS = {"TB": 1 << 40, "GB": 1 << 30, "MB": 1 << 20, "KB": 1 << 10}
SIZE = re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,3})?) ?(KB|MB|GB|TB)", re.IGNORECASE)


def parse_size(text: str) -> int:
    """The bytes of a size."""
    match = SIZE.fullmatch(text.strip())
    if not match:
        raise Invalid("bad_size", "{text!r} is not a size", "write it with its unit, like 512MB or 8GB", text[:60])
    return round(float(match[1]) * UNITS[match[2].upper()])


def format_size(size: int) -> str:
    """In the largest unit that it fills; what is not whole there is rounded to a tenth."""
    for unit, one in UNITS.items():
        if size >= one:
            return f"{size / one:.1f}".removesuffix(".0") + unit
    return f"{size} bytes"
