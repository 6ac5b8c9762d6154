"""Can what is to be told reach whoever is to hear it? And a notice to try it with."""

import time
from collections.abc import Iterator

from folkmoot.api.machine import Look
from folkmoot.core.flow import Flow
from folkmoot.core.notices.notice import Notice
from folkmoot.core.notices.targets import Target
from folkmoot.wiring.notifying.courier import Delivery, Failed
from folkmoot.wiring.notifying.sending import Sender
from folkmoot.wiring.notifying.users_programs import sender_of

TRIAL = "a trial notice: what moot tells arrives here"


def notice_looks(home: str, flow: Flow, *, trial: bool) -> Iterator[Look]:
    """A line for each target of `notify`; with `trial` each gets a notice. Runs need none of them."""
    sender = sender_of(home) if flow.targets else None
    for target in flow.targets if sender is not None else ():
        assert sender is not None
        words = f"{', '.join(target.on)}: {target.name}"
        try:
            told = _tried(sender, target) if trial else ""
            sender.check(target)
        except Failed as failed:
            act = "mend it, or name another target under `notify` in .moot/flow.yaml; then moot ready --notice"
            yield Look(look="notify", state="note", about=target.name, words=f"{words}: {failed.why}", next=act)
        else:
            yield Look(look="notify", state="good", about=target.name, words=f"{words}{told}")


def _tried(sender: Sender, target: Target) -> str:
    at = round(time.time() * 1000)
    sender.to(target)(Delivery(f"trial-{at}", Notice(key=f"trial {at}", topic=target.on[0], words=TRIAL, at=at)))
    return " has got a trial notice"
