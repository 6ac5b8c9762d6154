"""Links between our own pages lead somewhere, and the commands that pages show are commands that there are."""

import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace
from urllib.parse import unquote

import click
import pytest

from folkmoot.doors.cli.main import moot

ROOT = Path(__file__).parents[2]
PAGES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]

# Code is shown, not followed.
CODE = re.compile(r"^ *(```|~~~).*?^ *\1|`[^`\n]*`", re.DOTALL | re.MULTILINE)
FENCE = re.compile(r"^ *(```|~~~).*?^ *\1", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//", re.IGNORECASE)
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)

SHELL = re.compile(r"^( *)```sh\n(.*?)^ *```", re.DOTALL | re.MULTILINE)
HERE = re.compile(r"<<-?\s*'?(\w+)'?(.*?\n).*?^\1$", re.DOTALL | re.MULTILINE)
BETWEEN = {"|", "||", "&&", "&", ";", ";;", "\n", "(", ")", "{", "}", "then", "do", "else", "if", "while", "!"}
# What options of a command are kept in; nothing is done with them here.
SESSION = {"name": "ann", "json": False, "board_dir": None, "key": None, "run": None, "token": None}


def pages() -> Iterator[Path]:
    yield from (ROOT / name for name in PAGES if (ROOT / name).exists())
    yield from sorted((ROOT / "docs").rglob("*.md"))


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def anchors(page: Path) -> set[str]:
    """What a link may name in a page: its headings, as they are shown on the web."""
    found: set[str] = set()
    for heading in HEADING.findall(FENCE.sub("", page.read_text("utf-8"))):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        again = next(number for number in range(1000) if (f"{anchor}-{number}" if number else anchor) not in found)
        found.add(f"{anchor}-{again}" if again else anchor)
    return found


def dead_links(page: Path) -> list[str]:
    text = CODE.sub("", page.read_text("utf-8"))
    targets = [inline or reference for inline, reference in LINK.findall(text)]
    dead = []
    for target in (target for target in targets if not ELSEWHERE.match(target)):
        path, _, anchor = unquote(target).partition("#")
        there = page.parent / path if path else page
        if not there.exists() or (anchor and there.suffix == ".md" and anchor not in anchors(there)):
            dead.append(target)
    return dead


def shell_words(block: str) -> Iterator[str]:
    """The words of a shell script, with what stands between commands as words of their own."""
    word, quote, is_word = "", "", False
    text = HERE.sub(r"\2", block).replace("\\\n", " ")
    place = 0
    while place < len(text):
        letter = text[place]
        place += 1
        if quote:
            quote, word = ("", word) if letter == quote else (quote, word + letter)
        elif letter in "'\"":
            quote, is_word = letter, True
        elif letter in " \t\n;|&()<>" or (letter == "#" and not (word or is_word)):
            if word or is_word:
                yield word
            word, is_word = "", False
            if letter == "#":
                place = text.find("\n", place)
            elif letter not in " \t":
                yield letter
        else:
            word += letter
    if word or is_word:
        yield word


def moot_commands(block: str) -> Iterator[list[str]]:
    """The words after `moot`, of each such command in a block."""
    command: list[str] = []
    skipped = False
    for word in [*shell_words(block), "\n"]:
        if word in BETWEEN:
            if command[:1] == ["moot"]:
                yield command[1:]
            command, skipped = [], False
        elif word in ("<", ">"):
            skipped = True  # and the file after it
        elif skipped:
            skipped = False
        else:
            command.append(word)


def fault(words: list[str]) -> str | None:
    """Why `moot` would not understand these words, or None."""
    group = click.Context(moot, info_name="moot", obj=SimpleNamespace(**SESSION))
    rest = ["1" if "$" in word else word for word in words]  # what the shell will put there
    try:
        _, rest, _ = moot.make_parser(group).parse_args(rest)
        command = moot.get_command(group, rest[0]) if rest else moot
        if command is None:
            return f"there is no command {rest[0]!r}"
        if rest:
            command.make_context(rest[0], rest[1:], parent=group)
    except click.exceptions.Exit:
        return None  # --help and --version
    except click.ClickException as error:
        return error.format_message()
    return None


def blocks(page: Path) -> list[str]:
    return [dedent(block) for _, block in SHELL.findall(page.read_text("utf-8"))]


def test_every_link_between_pages_leads_somewhere() -> None:
    dead = [f"{name(page)}: {target}" for page in pages() for target in dead_links(page)]
    assert not dead, "\n" + "\n".join(dead)


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    (tmp_path / "there.md").write_text("# It's a `part`, no?\n```\n# no-part\n```\n## Part\n## Part\n", "utf-8")
    page.write_text(
        "# Own\n[a](there.md) [b](there.md#part-1) [c](#own) [d](https://example.com/x) ![e](gone.png 'title')\n"
        "[g](there.md#its-a-part-no) [h](there.md#no-part) [i](#lost)\n"
        "```\n[code](no.md)\n```\n`[code](no.md)` and [f]\n\n[f]: lost.md\n",
        "utf-8",
    )
    assert dead_links(page) == ["gone.png", "there.md#no-part", "#lost", "lost.md"]


def test_every_command_that_a_page_shows_is_understood() -> None:
    shown = [(page, words) for page in pages() for block in blocks(page) for words in moot_commands(block)]
    assert len(shown) > 60
    wrong = [f"{name(page)}: moot {' '.join(words)}: {why}" for page, words in shown if (why := fault(words))]
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize(
    "line",
    [
        "moot lst",
        "moot show",
        "moot show 1 2",
        "moot add a --colum b",
        "x && moot board --live-long",
        "moot claim a --lease",
    ],
)
def test_a_command_that_is_wrong_is_found(line: str) -> None:
    (words,) = moot_commands(line)
    assert fault(words)


def test_commands_are_found_in_a_script() -> None:
    block = (
        "cat > a.yaml <<'END' && moot check\nmoot nothing\nEND\n"
        "echo '{\"a\":\n1}' | moot report r --token 1 - > out.txt   # moot's own\n"
        'as() { moot claim "$1 two" --json; }\nif moot board; then moot list \\\n  --tag x; fi\n'
    )
    assert list(moot_commands(block)) == [
        ["check"],
        ["report", "r", "--token", "1", "-"],
        ["claim", "$1 two", "--json"],
        ["board"],
        ["list", "--tag", "x"],
    ]


def test_every_page_is_in_the_index() -> None:
    index = (ROOT / "docs" / "README.md").read_text("utf-8")
    listed = {(ROOT / "docs" / target.partition("#")[0]).resolve() for target, _ in LINK.findall(CODE.sub("", index))}
    decisions = ROOT / "docs" / "decisions"
    missing = [name(page) for page in pages() if page.parent != decisions and page.is_relative_to(ROOT / "docs")]
    assert [page for page in missing if page != "docs/README.md" and (ROOT / page).resolve() not in listed] == []
    assert decisions.resolve() in listed
