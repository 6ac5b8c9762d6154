"""Plays `moot demo` in a terminal and draws it as docs/recording.svg: `python -m scripts.recording`.

The picture moves: each line appears when it was printed, and the screen scrolls. A test holds that it tells what a demo
tells now. It needs no script and no font of its own, so that a page can show it as a plain image.
"""

import html
import os
import re
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.doors.terminal import ERASE, Terminal

PICTURE = Path(__file__).parent.parent / "docs" / "recording.svg"
COLUMNS, ROWS = 80, 30
ANSWER = "2"
HOLD = 6.0  # seconds for which the last screen stays
WIDTH, HEIGHT, MARGIN, BAR = 8.4, 18, 16, 30  # of a letter, of a line, around the text, of the window's head

STYLE = re.compile(r"\x1b\[([0-9;]*)m")
OTHER = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
CLASSES = {"1": "b", "2": "d", "3": "i", "31": "red", "32": "green", "33": "yellow", "36": "cyan"}
# What is different each time: times, how long it took, names of commits and how many merges were needed, lengths that
# depend on them.
HARMLESS = re.compile(
    r"\b\d+(\.\d+)?s\b|\b[0-9a-f]{7}\b|over \d+ events|all \d+ invariants|\d+ agents at work at once|\d+ commits"
    r"|in \d+ m\b"
)
FOLDER = re.compile(r"\S*/folkmoot-demo\S*?(?=\x1b|\s|$)")
GRAPH = re.compile(r"  [*|]")
LAST = "moot doctor:"  # what comes below it are paths of the machine
SHOWN = re.compile(r"<title>(.*?)</title>", re.DOTALL)


@dataclass
class Line:
    at: float
    text: str  # with the terminal's styles


def kept(written: str) -> list[str]:
    """The lines that stay on the screen, with their styles: a line that was erased is gone."""
    lines = [line.split(ERASE)[-1] for line in written.replace("\r\n", "\n").split("\n")]
    lines = [line.split("\r")[-1] for line in lines]
    return [OTHER.sub(lambda found: found[0] if STYLE.fullmatch(found[0]) else "", line) for line in lines]


def plain(line: str) -> str:
    return STYLE.sub("", line).rstrip()


def told(lines: list[str]) -> Counter[str]:
    """What a demo tells, in any order, without the graph of commits and words that the screen's width cuts."""
    found = (
        FOLDER.sub("", HARMLESS.sub("", plain(line)))
        for line in up_to_the_doctor(lines)
        if not GRAPH.match(plain(line))
    )
    return Counter(" ".join(re.sub(r"\S*…$", "", line).split()) for line in found if line.strip())


def up_to_the_doctor(lines: list[str]) -> list[str]:
    ends = [number for number, line in enumerate(lines) if LAST in plain(line)]
    return lines[: ends[0] + 1] if ends else lines


def play(folder: Path) -> list[Line]:
    """A demo, watched by somebody who answers its question."""
    command = [sys.executable, "-m", "folkmoot", "demo"]
    env = {**os.environ, "TMPDIR": str(folder), "TERM": "xterm-256color", "COLUMNS": str(COLUMNS)}
    watched = Terminal(command, columns=COLUMNS, env=env, folder=folder)
    began, lines = time.monotonic(), list[Line]()
    answered = False
    while watched.read_some():
        now = time.monotonic() - began
        whole = kept(watched.said.decode(errors="ignore"))[:-1]
        lines.extend(Line(now, FOLDER.sub("/tmp/folkmoot-demo", text)) for text in whole[len(lines) :])
        if not answered and b"or in words" in watched.said and now > 4:
            watched.type(ANSWER)
            answered = True
    watched.read_to_end()
    return lines


def spans(text: str) -> str:
    """The line as text elements of SVG, one for each style, each where the terminal has it."""
    drawn, column, classes = [], 0, ""
    for number, piece in enumerate(re.split(r"\x1b\[([0-9;]*)m", text)):
        if number % 2:
            classes = " ".join(CLASSES[code] for code in piece.split(";") if code in CLASSES)
        elif piece:
            if piece.strip():
                style = f' class="{classes}"' if classes else ""
                length = f' textLength="{len(piece) * WIDTH:.1f}"'
                drawn.append(f'<text x="{MARGIN + column * WIDTH:.1f}"{style}{length}>{html.escape(piece)}</text>')
            column += len(piece)
    return "".join(drawn)


def picture(lines: list[Line]) -> str:
    length = lines[-1].at + HOLD
    width, height = MARGIN * 2 + COLUMNS * WIDTH, BAR + ROWS * HEIGHT + MARGIN
    scrolled, steps = 0, ["0%{transform:translateY(0)}"]
    rows, moments = [], dict[str, str]()
    for number, line in enumerate(lines):
        at = 100 * line.at / length
        if number >= ROWS:
            scrolled = (number - ROWS + 1) * HEIGHT
            steps.append(f"{at:.3f}%{{transform:translateY(-{scrolled}px)}}")
        drawn = spans(line.text)
        if drawn:
            place = f'transform="translate(0 {BAR + (number + 1) * HEIGHT})"'
            moment = moments.setdefault(f"{at:.2f}", f"m{len(moments)}")
            rows.append(f'<g {place}><g class="l" style="animation-name:{moment}">{drawn}</g></g>')
    last = f"transform:translateY(-{scrolled}px)"
    steps.append(f"100%{{{last}}}")
    shows = "".join(f"@keyframes {name}{{0%{{opacity:0}}{at}%{{opacity:1}}}}" for at, name in moments.items())
    title = html.escape("\n".join(plain(line.text) for line in lines))
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img">
<title>{title}</title>
<style>
text{{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d5dae2;white-space:pre}}
.b{{font-weight:700}} .d{{fill:#8b93a3}} .i{{font-style:italic}}
.red{{fill:#ff7b72}} .green{{fill:#7ee787}} .yellow{{fill:#e3b341}} .cyan{{fill:#76d9e6}}
.l{{animation-duration:{length:.2f}s;animation-timing-function:step-end;animation-iteration-count:infinite}}
.all{{animation:scroll {length:.2f}s step-end infinite;{last}}}
{shows}
@keyframes scroll{{{"".join(steps)}}}
@media (prefers-reduced-motion:reduce){{.l,.all{{animation:none}}}}
</style>
<rect width="100%" height="100%" rx="8" fill="#12161e"/>
<clipPath id="screen"><rect x="0" y="{BAR}" width="100%" height="{ROWS * HEIGHT + 6}"/></clipPath>
<g clip-path="url(#screen)"><g class="all">
{chr(10).join(rows)}
</g></g>
<g fill="#3a4252"><circle cx="20" cy="15" r="5"/><circle cx="37" cy="15" r="5"/><circle cx="54" cy="15" r="5"/></g>
<text x="{width / 2:.0f}" y="20" text-anchor="middle" class="d">moot demo</text>
</svg>
"""


def recorded() -> list[str]:
    """The lines that the picture shows, as text."""
    found = SHOWN.search(PICTURE.read_text("utf-8"))
    assert found is not None, f"{PICTURE.name} has no title"
    return html.unescape(found[1]).split("\n")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        lines = play(Path(folder))
    whole = up_to_the_doctor([line.text for line in lines])
    PICTURE.write_text(picture(lines[: len(whole)]), "utf-8")


if __name__ == "__main__":
    main()
