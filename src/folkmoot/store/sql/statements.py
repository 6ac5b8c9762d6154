"""SQL stands in `.sql` files as named statements, and is read from there once."""

import os

NAME = "-- name: "


def load(path: str | os.PathLike[str]) -> dict[str, str]:
    """The statements of a file by name, without comments and line breaks: a short text is found sooner in a cache."""
    statements: dict[str, str] = {}
    with open(path, encoding="utf-8") as file:
        _, *parts = file.read().split(NAME)
    for part in parts:
        name, *lines = part.splitlines()
        words = " ".join(line.strip() for line in lines if not line.startswith("--"))
        if not words or name in statements:
            raise ValueError(f"{os.fspath(path)}: statement {name!r} is empty or stands there twice")
        statements[name] = words.strip().removesuffix(";")
    return statements
