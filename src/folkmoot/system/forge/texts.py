"""What the board says in the description of a pull request, on any forge."""

from folkmoot.worker.forge.port import BEGIN, END

TITLE_MAX, BODY_MAX = 250, 60_000


def renewed(there: str, ours: str) -> str:
    """What people wrote around the board's part stays; where they took that part out, it stays out."""
    before, begin, rest = there.partition(BEGIN)
    _, end, after = rest.partition(END)
    part = ours.partition(BEGIN)[2].partition(END)[0]
    return f"{before}{BEGIN}{part}{END}{after}" if begin and end else there
