"""A role's prompt, taken apart: what it says of reporting and of stopping belongs beside what the board says of it."""

from msgspec import Struct

REPORT, STOP = "how to report", "when to stop"


class OwnWords(Struct, frozen=True):
    """The words of a flow about one of its roles."""

    role: str
    stop: str  # below its heading "When to stop"; empty if it has none
    report: str  # below "How to report"


def own_words(instructions: str) -> OwnWords:
    """A section goes up to the next heading that is not below it. What stands in a fence is no heading."""
    found: dict[str, list[str]] = {"": [], STOP: [], REPORT: []}
    into, depth, fence = "", 0, ""
    for line in instructions.strip().split("\n"):
        words = line.strip()
        mark = words[:3]
        if mark in ("```", "~~~"):
            fence = "" if fence == mark else fence or mark
        hashes = len(words) - len(words.lstrip("#"))
        is_heading = not fence and 1 <= hashes <= 6 and words[hashes : hashes + 1] == " "
        if is_heading and not (into and hashes > depth):
            title = words[hashes:].strip().lower()
            into = next((name for name in (STOP, REPORT) if title.startswith(name)), "")
            depth = hashes
            if into:
                continue
        found[into].append(line)
    role, stop, report = ("\n".join(lines).strip() for lines in found.values())
    return OwnWords(role, stop, report)
