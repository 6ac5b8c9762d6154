"""Words for people. A module of it is loaded when it is named: rich takes longer to load than most commands to run."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from folkmoot.doors.cli.render import (
        board,
        ends,
        events,
        item,
        locks,
        messages,
        metrics,
        page,
        phases,
        questions,
        run,
        setup,
        simulate,
    )
else:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(name)
        from importlib import import_module

        return import_module(f"{__name__}.{name}")


__all__ = ["board", "ends", "events", "item", "locks", "messages", "metrics"]
__all__ += ["page", "phases", "questions", "run", "setup", "simulate"]
