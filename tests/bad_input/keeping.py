"""B27 and B30 for what was kept: exports and backups that are none, are cut, or were changed."""

import json
import os
from collections.abc import Callable

from tests.bad_input.yard import NOTHING, Case, Seen, Yard, clean, refusal, refused

Spoil = Callable[[list[bytes]], list[bytes]]


def _flipped(lines: list[bytes]) -> list[bytes]:
    return [line.replace(b'"One"', b'"Own"') for line in lines]


SPOILS: dict[str, tuple[str, Spoil]] = {
    "empty": ("nothing", lambda lines: []),
    "text": ("a text", lambda lines: [b"dear board\n"]),
    "cut": ("half an export", lambda lines: lines[: len(lines) // 2]),
    "cut-line": ("an export cut in the middle of a line", lambda lines: [*lines[:-2], lines[-2][:20]]),
    "changed": ("an export with a changed word", _flipped),
    "dropped": ("an export without one of its events", lambda lines: [*lines[:3], *lines[4:]]),
    "swapped": ("an export with two events swapped", lambda lines: [*lines[:2], lines[3], lines[2], *lines[4:]]),
    "twice": ("an export with an event twice", lambda lines: [*lines[:3], *lines[2:]]),
    "deep": ("a line of 100,000 levels", lambda lines: [lines[0], b"[" * 100_000 + b"\n", *lines[1:]]),
    "nul": ("a NUL in an export", lambda lines: [lines[0], b"\0\n", *lines[1:]]),
    "bytes": ("bytes that are no text", lambda lines: [b"\xff\xfe\n"]),
    "numbers": ("a number of 10,000 digits", lambda lines: [lines[0], b"9" * 10_000 + b"\n", *lines[1:]]),
    "more": ("an export, and more after its end", lambda lines: [*lines, b"{}\n"]),
}


def _import(name: str, given: str, spoil: Spoil) -> Case:
    """Into a folder without a board: there must be none afterwards, and nothing else."""

    def act(yard: Yard) -> Seen:
        yard.done("export", "given/log.jsonl")
        whole = (yard.folder / "given" / "log.jsonl").read_bytes().splitlines(keepends=True)
        place = yard.folder / "given" / "other"
        place.mkdir()
        data = b"".join(spoil(whole))
        assert data != b"".join(whole)
        (yard.folder / "given" / "bad.jsonl").write_bytes(data)
        told = refusal(Yard(place).moot("import", "../bad.jsonl", "--json"))
        shown = Yard(place).moot("import", "../bad.jsonl")
        assert shown.exit == told[0] and clean(shown.err), shown
        left = sorted(os.listdir(place))
        return Seen(*told, NOTHING if not left else f"left behind: {left}")

    return Case("B27", f"import-{name}", given, "`moot import`", act, 2, "bad_log")


def _no_backup(name: str, given: str, data: bytes) -> Case:
    return refused(
        "B27", f"restore-{name}", given, "restore", "given/b.moot", files={"b.moot": data}, code="not_a_backup"
    )


def _pipe(*command: str) -> Case:
    def act(yard: Yard) -> Seen:
        if not (yard.folder / "given" / "waits").exists():
            os.mkfifo(yard.folder / "given" / "waits")
        before = yard.state()
        return Seen(*refusal(yard.moot(*command, "given/waits", "--json")), yard.after(before))

    name = f"{command[0]}-waits"
    return Case(
        "B30",
        name,
        "a named pipe that nobody writes to",
        f"`moot {command[0]}`",
        act,
        2,
        "unreadable_file",
        fresh=False,
    )


CASES = [
    *(_import(name, given, spoil) for name, (given, spoil) in SPOILS.items()),
    _no_backup("empty", "an empty backup", b""),
    _no_backup("text", "a text for a backup", b"dear board\n" * 1000),
    _no_backup("json", "JSON for a backup", json.dumps({"a": 1}).encode()),
    refused("B27", "restore-missing", "a backup that is not there", "restore", "given/none", code="unreadable_file"),
    refused("B20", "restore-zero", "0 as an event to go back to", "restore", "--at", "0", code="bad_usage"),
    refused("B20", "restore-beyond", "an event that is yet to come", "restore", "--at", "99999", code="unknown_event"),
    refused(
        "B30",
        "export-there",
        "an export over a file that is there",
        "export",
        ".moot/flow.yaml",
        code="file_exists",
        exit=1,
    ),
    _pipe("import"),
    _pipe("restore"),
]
