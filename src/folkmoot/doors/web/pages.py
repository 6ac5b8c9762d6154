"""The files of the web board, as a server hands them out. They hold no word of a board: who sees what, calls decide."""

import gzip
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

from msgspec import Struct

from folkmoot.doors.web.saved import BUILT, SCRIPT, STYLE

KINDS = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "woff2": "font/woff2",
}
# Scripts and styles are files of this server, and nothing is loaded from or sent to anywhere else.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
OF_FILES = (SCRIPT, STYLE)  # parts of a page that is saved as one file: no server hands them out
ASK_AGAIN = "no-cache"  # a browser keeps them, and asks by their tag whether they are still so


class Page(Struct, frozen=True):
    kind: str
    plain: bytes
    packed: bytes
    etag: str


def pages() -> dict[str, Page]:
    """By the path at which each is asked for."""
    found: dict[str, Page] = {}
    root = files(__package__) / BUILT
    if root.is_dir():
        _gather(root, "/", found)
        found["/"] = found.pop("/index.html")
    return found


def _gather(folder: Traversable, path: str, found: dict[str, Page]) -> None:
    for one in folder.iterdir():
        if one.name in OF_FILES:
            continue
        if one.is_dir():
            _gather(one, f"{path}{one.name}/", found)
        else:
            found[path + one.name] = _page(one.name, one.read_bytes())


def _page(name: str, data: bytes) -> Page:
    ending = name.rpartition(".")[2]
    return Page(
        kind=KINDS[ending],
        plain=data,
        packed=gzip.compress(data, mtime=0),
        etag=f'"{sha256(data).hexdigest()[:20]}"',
    )
