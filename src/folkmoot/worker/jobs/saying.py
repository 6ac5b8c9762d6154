"""What a run has reported while its process still goes on: kept where it outlives the process and the worker."""

import os
import stat
from collections.abc import Callable
from typing import Any

import msgspec

from folkmoot.briefs.prompt import prompt
from folkmoot.core.commands import ReportRun
from folkmoot.core.decoding import reader
from folkmoot.core.input_limits import encoded
from folkmoot.core.report import Report
from folkmoot.errors import Invalid, Unavailable
from folkmoot.reports.read import read_report
from folkmoot.worker.environment import write_below
from folkmoot.worker.ports import Paths

SAID = "said"  # in a run's folder, beside its workspace: no process of the run can write there
REPORT_FILE = "report"  # in its spool, where it may write
REPORT_BYTES_MAX = 1_000_000
LOOK_SECONDS = 0.5  # between two looks at that file
LOOK_SHARE = 20  # a look is followed by a pause of so many times its length: an agent may write it anew all the time


def keep_said(paths: Paths, report: Report, fault: str | None) -> None:
    """Write down what was said by command, whole or not at all, before it is acknowledged."""
    path = os.path.join(paths.root, SAID)
    try:
        with open(f"{path}.new", "wb") as file:
            file.write(encoded(ReportRun(report=report, fault=fault)))
            file.flush()
            os.fsync(file.fileno())
        os.replace(f"{path}.new", path)
    except OSError as error:
        words = "the report could not be kept: {why}"
        hint = "try again; or write it to the file that MOOT_REPORT names"
        raise Unavailable("not_kept", words, hint, str(error.strerror or error)) from error


def said_before(paths: Paths) -> tuple[Report, str | None] | None:
    """What was acknowledged to a run whose worker is gone."""
    try:
        with open(os.path.join(paths.root, SAID), "rb") as file:
            said: ReportRun = reader(ReportRun)(file.read())
            return said.report, said.fault
    except (OSError, ValueError):
        return None


def written(paths: Paths) -> str:
    """What stands in the file in which a run may report: an agent may have put anything there."""
    try:
        fd = os.open(os.path.join(paths.spool, REPORT_FILE), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""  # there is none, or none that may be read
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        return ""
    with open(fd, "rb") as file:
        return file.read(REPORT_BYTES_MAX + 1).decode("utf-8", "replace")


def spooled(paths: Paths, brief: dict[str, Any], began: str | None) -> dict[str, str]:
    """The brief and the prompt as files, and where a report may be written; and the prompt itself."""
    text = prompt(brief, began)
    write_below(paths.spool, ["brief.json"], msgspec.json.encode(brief))
    write_below(paths.spool, ["prompt.txt"], text.encode())
    named = {"MOOT_BRIEF": "brief.json", "MOOT_PROMPT": "prompt.txt", "MOOT_REPORT": REPORT_FILE}
    return {"prompt": text, **{name: os.path.join(paths.spool, file) for name, file in named.items()}}


def looks_meant(text: str) -> bool:
    """Was a report tried, as opposed to an agent that just talked?"""
    return '"outcome"' in text


class ReportFile:
    """The file in which a run may report, looked at while its process goes on."""

    def __init__(self, paths: Paths, now: Callable[[], float]) -> None:
        self._paths = paths
        self._now = now
        self._look_at = 0.0
        self._seen: tuple[int, int, int] | None = None
        self.is_whole = False  # does it hold a report that can be read?

    def look(self) -> bool:
        """Has it changed, and holds a whole report now? A report that is still being written cannot be read yet.

        It is looked at now and then; the less often, the longer it takes to read.
        """
        began = self._now()
        if began < self._look_at:
            return False
        try:
            return self._read()
        finally:
            self._look_at = began + max(LOOK_SECONDS, (self._now() - began) * LOOK_SHARE)

    def _read(self) -> bool:
        try:
            found = os.lstat(os.path.join(self._paths.spool, REPORT_FILE))
        except OSError:
            self._seen, self.is_whole = None, False
            return False
        now = (found.st_mtime_ns, found.st_size, found.st_ino)
        if now == self._seen:
            return False
        self._seen = now
        try:
            read_report(written(self._paths))
        except Invalid:
            self.is_whole = False
        else:
            self.is_whole = True
        return self.is_whole
