"""Names that follow from what a file is, so that the same file is taken in once."""

from hashlib import sha256


def key_of(path: str, data: bytes, stamp: str) -> str:
    """The same for the same file, so that it is taken in once; `stamp` tells it from a later one with its content."""
    return f"file:{sha256(f'{path} {stamp} '.encode('utf-8', 'surrogateescape') + data).hexdigest()[:40]}"


def digest_of(*parts: object) -> str:
    return sha256(repr(parts).encode("utf-8", "replace")).hexdigest()[:32]


def uuid_of(key: str) -> str:
    """A name for a message that was given none, the same each time the same file is taken in."""
    digits = sha256(key.encode()).hexdigest()
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:32]}"
