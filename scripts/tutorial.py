"""Plays docs/tutorial/first-board.md as a reader would, and writes what the commands print into the page:
`python -m scripts.tutorial`. A test holds that the page shows what is printed."""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "tutorial" / "first-board.md"

BLOCK = re.compile(r"^```(sh|text)\n(.*?)^```", re.DOTALL | re.MULTILINE)
RUN = re.compile(r"\br[0-9a-f]{4,12}\b")  # whole, or so much of it as is unique; it may be letters alone
# What is different each time, and the space that keeps columns straight around it.
HARMLESS = [
    (re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d\b(?!:)"), "TIME"),  # of tomorrow, if it is late in the day
    (re.compile(r"\b\d{4}-\d\d-\d\d\b"), "DATE"),
    (re.compile(r"\b\d\d:\d\d:\d\d\b"), "TIME"),
    (re.compile(r"\b\d+(\.\d+)?(ms|s|m)( ?\d+s)?\b"), "SPAN"),
    (re.compile(r"\b(?:(?=[0-9a-f]*\d)[0-9a-f]{7,11}|[0-9a-f]{12,40})\b"), "COMMIT"),
    (re.compile(r"[ \n]+"), " "),
]
# Said where the machine has no sandbox.
BARE = re.compile(r"^! not sandboxed.*\n(?:  .*\n)?|, not sandboxed", re.MULTILINE)
END = "--- end of the block"
# Stands for the network: what it installs is this checkout.
PIP = """#!/bin/sh
test "$*" = "install folkmoot" || exit 1
printf '#!/bin/sh\\nexec "{python}" -m folkmoot "$@"\\n' > "$(dirname "$0")/moot"
chmod +x "$(dirname "$0")/moot"
"""


@dataclass
class Step:
    commands: str
    shown: str | None  # what the page has right below the commands
    printed: str

    @property
    def is_true(self) -> bool:
        return harmless(self.printed) == harmless(self.shown or "")


class Reader:
    """Types what the page says into one shell. Where the page has an id, the reader puts in the one it was given."""

    def __init__(self, shell: subprocess.Popen[str]) -> None:
        self.shell = shell
        self.own: dict[str, str] = {}

    def types(self, commands: str) -> str:
        assert self.shell.stdin and self.shell.stdout
        typed = RUN.sub(lambda found: self.own.get(found[0], found[0]), commands)
        self.shell.stdin.write(f"{typed}\necho '{END}'\n")
        self.shell.stdin.flush()
        lines: list[str] = []
        for line in self.shell.stdout:
            if line.strip() == END:
                return "".join(lines)
            lines.append(line)
        raise RuntimeError(f"the shell ended at:\n{commands}\n{''.join(lines)}")

    def reads(self, shown: str, printed: str) -> str:
        """What was printed, in the ids of the page; new ids are noted where the page has others."""
        for theirs, own in zip(RUN.findall(shown), RUN.findall(printed), strict=False):
            self.own.setdefault(theirs, own)
        theirs_of = {own: theirs for theirs, own in self.own.items()}
        return RUN.sub(lambda found: theirs_of.get(found[0], found[0]), printed)


def harmless(text: str) -> str:
    text = BARE.sub("", text)
    for pattern, word in HARMLESS:
        text = pattern.sub(word, text)
    return text.strip()


def played(page: str, folder: Path) -> Iterator[Step]:
    """Each block of commands, with what it shows and what it prints, run in a folder that is empty."""
    with _reader(folder) as reader:
        blocks = list(BLOCK.finditer(page))
        for block, after in zip(blocks, [*blocks[1:], None], strict=True):
            if block[1] != "sh":
                continue
            follows = after is not None and after[1] == "text" and not page[block.end() : after.start()].strip()
            shown = after[2] if after is not None and follows else None
            yield Step(block[2], shown, reader.reads(shown or "", reader.types(block[2])))


@contextmanager
def _reader(folder: Path) -> Iterator[Reader]:
    """Somebody with git, Python and a name, and without any client, board or settings."""
    for name in ("bin", "home"):
        (folder / name).mkdir()
    (folder / "bin" / "pip").write_text(PIP.replace("{python}", sys.executable))
    (folder / "bin" / "pip").chmod(0o755)
    (folder / "home" / ".gitconfig").write_text("[user]\n\tname = Ann\n\temail = ann@example.invalid\n")
    # What the system brings along, and a Python: a client that is installed here must not be found.
    system = "/usr/bin:/bin"
    if shutil.which("python3", path=system) is None:
        system = f"{system}:{Path(sys.executable).resolve().parent}"
    own = {"PATH": f"{folder / 'bin'}:{system}", "HOME": str(folder / "home")}
    env = {**own, "USER": "ann", "COLUMNS": "100", "LANG": "C.UTF-8"}
    with subprocess.Popen(
        ["bash", "-e"],
        cwd=folder,
        env=env,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    ) as shell:
        yield Reader(shell)


def main() -> int:
    page = PAGE.read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for step in played(page, Path(folder)):
            if step.shown is None or step.is_true:
                continue
            page = page.replace(
                f"{step.commands}```\n```text\n{step.shown}", f"{step.commands}```\n```text\n{step.printed}", 1
            )
            print(f"mended what is shown below: {step.commands.strip().splitlines()[-1]}")
    PAGE.write_text(page, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
