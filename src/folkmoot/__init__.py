"""Folkmoot: run many AI coding agents on one repository."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from folkmoot.core.report import Report
    from folkmoot.doors.python import Board

__all__ = ["Board", "Report", "__version__"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """The public names, loaded when first asked for: the command line starts without what it does not need."""
    if name == "Report":
        from folkmoot.core.report import Report

        return Report
    if name == "Board":
        from folkmoot.wiring import board_class

        return board_class()
    raise AttributeError(f"module 'folkmoot' has no attribute {name!r}")
