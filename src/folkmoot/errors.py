"""The few errors Folkmoot knows. The reader is often an agent: each says what holds and what to do next."""


class MootError(Exception):
    """Base of all of them. `code` is stable and `exit_code` is what the command line ends with."""

    exit_code = 1

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint

    def as_json(self) -> dict[str, dict[str, str]]:
        return {"error": {"code": self.code, "message": self.message, "hint": self.hint}}


class Refused(MootError):
    """The rules do not allow it now; nothing was changed."""

    exit_code = 1


class Invalid(MootError):
    """The input cannot be read or names something that does not exist; nothing was changed."""

    exit_code = 2


class NothingToDo(MootError):
    """No item is ready, no question is open."""

    exit_code = 3


class Unavailable(MootError):
    """The store cannot be reached, is not ours, or is damaged."""

    exit_code = 4
