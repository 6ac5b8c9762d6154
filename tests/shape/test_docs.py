"""Links between our own pages lead somewhere."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).parents[2]
PAGES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"]

# Code is shown, not followed.
CODE = re.compile(r"^(```|~~~).*?^\1|`[^`\n]*`", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s*(\S+)", re.MULTILINE)
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//|#", re.IGNORECASE)


def pages() -> Iterator[Path]:
    yield from (ROOT / name for name in PAGES if (ROOT / name).exists())
    yield from sorted((ROOT / "docs").rglob("*.md"))


def dead_links(page: Path) -> list[str]:
    text = CODE.sub("", page.read_text("utf-8"))
    targets = [inline or reference for inline, reference in LINK.findall(text)]
    ours = [target for target in targets if not ELSEWHERE.match(target)]
    return [target for target in ours if not (page.parent / unquote(target.split("#")[0])).exists()]


def test_every_link_between_pages_leads_somewhere() -> None:
    dead = [f"{page.relative_to(ROOT).as_posix()}: {target}" for page in pages() for target in dead_links(page)]
    assert not dead, "\n" + "\n".join(dead)


def test_a_dead_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    (tmp_path / "there.md").touch()
    page.write_text(
        "[a](there.md) [b](there.md#part) [c](#part) [d](https://example.com/x) ![e](gone.png 'title')\n"
        "```\n[code](no.md)\n```\n`[code](no.md)` and [f]\n\n[f]: lost.md\n",
        "utf-8",
    )
    assert dead_links(page) == ["gone.png", "lost.md"]
