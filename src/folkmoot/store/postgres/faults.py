"""What PostgreSQL complains about, in the words of Folkmoot. The one place where its codes are read."""

from collections.abc import Iterator
from contextlib import contextmanager

from folkmoot.errors import MootError, Unavailable
from folkmoot.store.codec import Unreadable
from folkmoot.store.postgres.wire import UNPREPARED, Lost, ServerError
from folkmoot.store.sql.faults import NoSuchRow, OutcomeUnknown, Undone, busy, conflict, failed, full, undone

# What `transact` and `read` translate; everything else that `work` raises is the caller's own and passes through.
STORE_FAULTS: tuple[type[Exception], ...] = (
    ServerError,
    Lost,
    Unreadable,
    UnicodeDecodeError,
    NoSuchRow,
    Undone,
    OutcomeUnknown,
)

BUSY = frozenset({"55P03", "57014", "40001", "40P01", "53300", "53400"})  # too long for a lock, or too many connections
FULL = frozenset({"53100"})
READ_ONLY = frozenset({"25006", "42501"})
NOT_OURS = frozenset({"42P01", "42703", "3F000"})  # no such table, column, schema
DENIED = frozenset({"28000", "28P01"})


def translate(fault: Exception, path: str) -> MootError:
    if isinstance(fault, OutcomeUnknown):
        return outcome_unknown(path, str(fault))
    if isinstance(fault, Lost):
        return unreachable(path, str(fault))
    if isinstance(fault, Unreadable | UnicodeDecodeError):
        return damaged(path, str(fault))
    if isinstance(fault, NoSuchRow):
        return conflict(path, str(fault))
    if isinstance(fault, Undone):
        return undone(path, str(fault))
    assert isinstance(fault, ServerError)
    code = fault.code
    if code in BUSY:
        return busy(path)
    if code in FULL:
        return full(path)
    if code in READ_ONLY:
        words = "{path} cannot be written by this user: {why}"
        hint = "give the user rights on the schema, or name a server that is no standby"
        return Unavailable("store_read_only", words, hint, path, str(fault))
    if code.startswith("23"):
        return conflict(path, str(fault))
    if code in NOT_OURS or code.startswith("XX00"):
        return damaged(path, str(fault))
    if code in DENIED or code == "3D000":
        words = "{path} does not let us in: {why}"
        hint = "look at user, database and password; the password may stand in PGPASSWORD or ~/.pgpass"
        return Unavailable("store_denied", words, hint, path, str(fault))
    return failed(path, code, str(fault))


@contextmanager
def telling(path: str) -> Iterator[None]:
    """What the server complains about, in our words."""
    try:
        yield
    except STORE_FAULTS as fault:
        raise translate(fault, path) from fault


def is_lost(fault: BaseException) -> bool:
    return isinstance(fault, Lost)


def may_repeat(fault: BaseException) -> bool:
    """Surely nothing of it was changed, and another connection may do better."""
    return isinstance(fault, Lost) or (isinstance(fault, ServerError) and fault.code in UNPREPARED)


def unreachable(path: str, why: str) -> Unavailable:
    words = "{path} cannot be reached: {why}; nothing was changed"
    return Unavailable(
        "store_unreachable", words, "look whether the server runs and can be reached, then repeat", path, why
    )


def outcome_unknown(path: str, why: str) -> Unavailable:
    words = "{path} went away at the commit: whether the change was made is not known ({why})"
    hint = "look at the board when it is back; or repeat the same call with its <.key>, so that it has one effect"
    return Unavailable("outcome_unknown", words, hint, path, why)


def damaged(path: str, what: str) -> Unavailable:
    hint = "bring the database back from its backup, or make the board anew from an exported log"
    return Unavailable("store_damaged", "{path} is damaged: {why}", hint, path, what)
