"""What a file is and where it lies, found out before SQLite may touch it."""

import os
import stat

import apsw

from folkmoot.errors import Unavailable
from folkmoot.store.sqlite import faults

APPLICATION_ID = 0x4D4F4F54  # "MOOT"
MOUNTS = "/proc/self/mountinfo"

# On these, locks or shared memory do not hold between machines, or not at all.
NETWORK_FILE_SYSTEMS = frozenset(
    (
        *("9p", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "fuse.ceph", "fuse.davfs", "fuse.gcsfuse"),
        *("fuse.glusterfs", "fuse.goofys", "fuse.juicefs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs", "glusterfs"),
        *("gpfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "pvfs2", "smb2", "smb3", "smbfs", "vboxsf"),
        "virtiofs",
    )
)
OVERLAYS = frozenset(["overlay", "aufs", "fuse.fuse-overlayfs"])


def check_file(path: str) -> None:
    """Refuse what is no board. SQLite would make one of an empty file, and repair what it takes for its own."""
    try:
        found = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        raise Unavailable("store_missing", "there is no board at {path}", "make one with `<init>`", path) from None
    except PermissionError:
        raise faults.read_only(path) from None
    if not stat.S_ISREG(found.st_mode):
        what = "a directory" if stat.S_ISDIR(found.st_mode) else "no ordinary file"
        raise not_a_board(path, f"is {what}")
    if found.st_size == 0:
        raise not_a_board(path, "is an empty file")
    header = read_header(path)
    if header[:16] != b"SQLite format 3\0":
        raise not_a_board(path, "is no SQLite file")
    if int.from_bytes(header[68:72], "big") != APPLICATION_ID:
        raise not_a_board(path, "is the SQLite file of another program")


def not_a_board(path: str, words: str) -> Unavailable:
    hint = "give the path of a board, or make one with `<init>`"
    return Unavailable("not_a_board", "{path} {what}, not a board", hint, path, words)


def read_header(path: str) -> bytes:
    """Through SQLite's own file layer: closing a plain file would drop the locks of other stores of this process."""
    flags = [apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_MAIN_DB, 0]
    try:
        file = apsw.VFSFile("", path, flags)
    except (apsw.CantOpenError, apsw.PermissionsError) as fault:
        raise faults.read_only(path) from fault
    try:
        size = min(file.xFileSize(), 100)
        return file.xRead(size, 0)
    finally:
        file.xClose()


def check_mount(path: str, mounts: str | None = None) -> list[str]:
    """Refuse network file systems; the list holds what a person should know all the same."""
    kind = file_system(os.path.realpath(path), read_mounts() if mounts is None else mounts)
    if kind in NETWORK_FILE_SYSTEMS:
        words = "{path} is on a network file system ({kind}), where SQLite loses data"
        raise Unavailable("network_file_system", words, "put the board on a local disk", path, kind)
    if kind in OVERLAYS:
        return [f"{path} is on {kind}: the board is gone when the container is; put it on a volume"]
    return []


def read_mounts() -> str:
    try:
        with open(MOUNTS, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except FileNotFoundError:  # a system without it; there is nothing to go by
        return ""


def file_system(path: str, mounts: str) -> str:
    """The type of the file system a path lies on, as mountinfo tells it; "" if it does not."""
    best, kind = -1, ""
    for line in mounts.splitlines():
        left, dash, right = line.partition(" - ")
        columns = left.split(" ")
        if not dash or len(columns) < 5:
            continue
        point = unescape(columns[4]).rstrip("/")
        # Of two mounts on one point the later covers the earlier.
        if len(point) >= best and (path == point or path.startswith(f"{point}/")):
            best, kind = len(point), right.split(" ", 1)[0]
    return kind


def unescape(text: str) -> str:
    for code, letter in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(code, letter)
    return text
