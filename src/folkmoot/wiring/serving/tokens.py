"""The tokens of a board in `.moot/access/`: a folder that only its owner can look into, and that git passes over."""

import os
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from secrets import token_bytes

import msgspec

from folkmoot.core.access.tokens import SECRET_BYTES, Token
from folkmoot.core.decoding import reader
from folkmoot.engine.access.tokens import LoginFor
from folkmoot.errors import Unavailable
from folkmoot.system.file_lock import alone
from folkmoot.wiring.trust import check_untracked

FOLDER, TOKENS, KEY, LOCK, CODES, OWNER = "access", "tokens.json", "key", "lock", "codes", "owner.token"
KEPT_SECONDS = 86_400.0


class FileAccess:
    """Every process that serves the board has the same: what one revokes is refused by all from then on."""

    def __init__(self, home: str) -> None:
        self._home = os.path.join(home, FOLDER)
        self._seen: tuple[tuple[int, int, int], list[Token]] | None = None
        self._key: bytes | None = None
        self._is_ours = False

    def _check_ours(self) -> None:
        """Who is let in is not said by whoever made the repository."""
        if not self._is_ours:
            with suppress(Unavailable):  # there is no git to ask
                check_untracked(os.path.dirname(self._home))
            self._is_ours = True

    def tokens(self) -> list[Token]:
        self._check_ours()
        path = self._path(TOKENS)
        try:
            found = os.stat(path)
        except FileNotFoundError:
            return []
        stamp = (found.st_ino, found.st_mtime_ns, found.st_size)
        if self._seen is None or self._seen[0] != stamp:
            self._seen = (stamp, self._read())
        return list(self._seen[1])

    def change(self, make: Callable[[list[Token]], list[Token]]) -> None:
        self._made()
        with alone(self._path(LOCK)):
            new = make(self._read())
            self._write(TOKENS, msgspec.json.format(msgspec.json.encode(new)) + b"\n")

    def key(self) -> bytes:
        self._check_ours()
        if self._key is None:
            self._made()
            with alone(self._path(LOCK)):
                if not os.path.exists(self._path(KEY)):
                    self._write(KEY, token_bytes(SECRET_BYTES).hex().encode())
                self._key = bytes.fromhex(self._private(KEY).decode())
        return self._key

    def secret(self, size: int) -> bytes:
        return token_bytes(size)

    def keep_code(self, digest: str, code: LoginFor) -> None:
        self._made()
        folder = self._path(CODES)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        for one in os.scandir(folder):  # those that nobody has used
            with suppress(FileNotFoundError):
                if one.stat().st_mtime < time.time() - KEPT_SECONDS:
                    os.unlink(one.path)
        self._write(os.path.join(CODES, digest), msgspec.json.encode(code))

    def take_code(self, digest: str) -> LoginFor | None:
        name = os.path.join(CODES, digest)
        try:
            data = self._private(name)
            os.unlink(self._path(name))  # whoever removes it has it
        except FileNotFoundError:
            return None
        login: LoginFor = reader(LoginFor)(data)
        return login

    # The owner's own token is the only one that is kept in clear: whoever can read it could read the board, too.

    @property
    def owner_file(self) -> str:
        return self._path(OWNER)

    def keep_owner(self, token: str) -> None:
        self._made()
        self._write(OWNER, token.encode() + b"\n")

    def owner_token(self) -> str | None:
        try:
            return self._private(OWNER).decode().strip()
        except FileNotFoundError:
            return None

    def _path(self, name: str) -> str:
        return os.path.join(self._home, name)

    def _made(self) -> None:
        os.makedirs(self._home, mode=0o700, exist_ok=True)
        self._check(self._home, os.lstat(self._home))
        # Of its own, since the board's folder may have been made before there were tokens.
        if not os.path.exists(self._path(".gitignore")):
            self._write(".gitignore", b"*\n")

    def _read(self) -> list[Token]:
        try:
            kept: list[Token] = reader(list[Token])(self._private(TOKENS))
            return kept
        except FileNotFoundError:
            return []
        except msgspec.MsgspecError as error:
            words = "{path} cannot be read: {why}"
            hint = "remove it: then there are no tokens, and new ones can be made"
            raise Unavailable("damaged_access", words, hint, self._path(TOKENS), str(error)) from error

    def _private(self, name: str) -> bytes:
        fd = os.open(self._path(name), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        with open(fd, "rb") as file:
            self._check(self._path(name), os.fstat(fd))
            return file.read()

    def _check(self, path: str, found: os.stat_result) -> None:
        if found.st_uid != os.geteuid() or stat.S_IMODE(found.st_mode) & 0o077 or stat.S_ISLNK(found.st_mode):
            words = "{path} can be read by others, or is theirs: what it holds opens the board"
            raise Unavailable("access_open", words, "chmod go= {path}, then revoke the tokens and make new ones", path)

    def _write(self, name: str, data: bytes) -> None:
        beside = f"{self._path(name)}.{token_bytes(6).hex()}"
        fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with open(fd, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(fd)
            os.rename(beside, self._path(name))
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(beside)
            raise
