"""How this process takes signals, whoever started it: `nohup`, a shell's background job, a service, a scheduler.

What is ignored or blocked here is inherited by every program that is started from here. An ignored SIGCHLD is worse:
then the kernel keeps no exit codes, and every command that fails looks as if it had ended well.
"""

import signal
from types import FrameType

# What a terminal does to jobs in the background. With a handler instead, writing to the terminal would never end.
OF_TERMINALS = {signal.SIGTTIN, signal.SIGTTOU, signal.SIGTSTP}
OURS = {signal.SIGPIPE, signal.SIGXFSZ}  # Python itself ignores these, and takes it back for what it starts


def begin_as_usual() -> None:
    """Let what is started from here begin with the usual signals, and let us be told of its end and be stopped.

    What was ignored still does nothing to this process: a handler that does nothing is not inherited.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number in signal.valid_signals() - OF_TERMINALS - OURS:
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, _nothing)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def exit_codes_are_kept() -> bool:
    return signal.getsignal(signal.SIGCHLD) != signal.SIG_IGN


def _nothing(number: int, frame: FrameType | None) -> None:
    pass
