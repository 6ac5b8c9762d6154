"""What blobs hold, read from the repository in portions."""

from collections.abc import Callable, Iterator, Sequence

from folkmoot.worker.ports import Ran

BLOB_BYTES_MAX = 16_000_000  # a larger one is not read here
PORTION_BYTES = 32_000_000


def contents(git: Callable[..., Ran], blobs: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Each blob with what it holds, but for those that are too large."""
    portion: list[str] = []
    room = PORTION_BYTES
    for blob, size in _sizes(git, list(dict.fromkeys(blobs))):
        if size > BLOB_BYTES_MAX:
            continue
        if size > room:
            yield from _read(git, portion)
            portion, room = [], PORTION_BYTES
        portion.append(blob)
        room -= size
    yield from _read(git, portion)


def _sizes(git: Callable[..., Ran], blobs: list[str]) -> list[tuple[str, int]]:
    if not blobs:
        return []
    asked = "".join(f"{blob}\n" for blob in blobs).encode()
    said = git("cat-file", "--batch-check=%(objectname) %(objectsize)", stdin=asked).out.decode().splitlines()
    return [(blob, int(size)) for blob, size in (line.split(" ") for line in said)]


def _read(git: Callable[..., Ran], blobs: list[str]) -> Iterator[tuple[str, bytes]]:
    if not blobs:
        return
    said = git("cat-file", "--batch", stdin="".join(f"{blob}\n" for blob in blobs).encode()).out
    at = 0
    for blob in blobs:
        end = said.index(b"\n", at)
        size = int(said[at:end].split(b" ")[2])
        yield blob, said[end + 1 : end + 1 + size]
        at = end + 1 + size + 1
