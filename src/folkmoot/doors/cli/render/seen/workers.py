"""The workers of a board, one on each line."""

from folkmoot.api.screen import Workers
from folkmoot.doors.cli.render.page import Page, one_line, when


def workers(view: Workers) -> None:
    page = Page()
    if not view.workers:
        page.line("no worker runs; begin with: moot run")
        return
    for one in view.workers:
        slots = f"{one.in_use} of {one.slots} slots" if one.slots is not None else f"{one.in_use} runs"
        told = [slots]
        told += [] if one.agents or one.clients else ["gates and landings only"]
        told += [f"labels {', '.join(one.labels)}"] if one.labels else []
        told += [f"clients {', '.join(one.clients)}"] if one.clients else []
        told += [f"Folkmoot {one.program}"] if one.program else []
        told += [f"since {when(one.since)}"] if one.since else []
        name = f"{one.host or one.worker}" + (f" (process {one.pid})" if one.pid is not None else "")
        page.line((one_line(name), "bold"), one_line(f": {'; '.join(told)}"), hang=2)
