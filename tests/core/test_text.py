"""What no store can keep is refused at the gate, wherever in a command it stands."""

import pytest

from folkmoot.core.commands import AddComment, AddItem, Command, LockPaths, ReportRun, SendMessage
from folkmoot.core.input_limits import encoded
from folkmoot.core.report import Report
from folkmoot.errors import Invalid


@pytest.mark.parametrize(
    "command",
    [
        ReportRun(report=Report(outcome="done", integration_points={"a": 10**25})),
        ReportRun(report=Report(outcome="done", integration_points={"a": float("inf")})),
        ReportRun(report=Report(outcome="done", extra={"a": [{"b": 2**63}]})),
        SendMessage(sender="a", to="b", type="c", payload={"n": float("nan")}),
        SendMessage(sender="a", to="b", type="c", context={"n": 10**30}),
        LockPaths(paths=["a"], seconds=float("inf")),
        LockPaths(paths=["a\0b"], seconds=1.0),
        # JSON writes these as null, which a field that may be left out would take for nothing.
        AddComment(content="x", artifact=float("nan")),  # type: ignore[arg-type]
        AddItem(title="x", column=float("inf")),  # type: ignore[arg-type]
    ],
)
def test_it_is_refused(command: Command) -> None:
    with pytest.raises(Invalid) as refused:
        encoded(command)
    assert refused.value.code == "bad_text"


def test_what_can_be_kept_passes() -> None:
    assert encoded(SendMessage(sender="a", to="b", type="c", payload={"n": 2**62, "x": -0.5}))
