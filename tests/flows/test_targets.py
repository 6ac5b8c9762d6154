"""`notify` is a command alone, or a list of targets."""

import pytest

from folkmoot.core.flow import Flow
from folkmoot.core.notices.targets import Target
from folkmoot.flows.faults import FlowFaults
from folkmoot.flows.load import load_flow

FLOW = "columns: {dev: {agents: [dev], next: done}}\nagents: {dev: {}}\n"


def read(notify: str, more: str = "") -> Flow:
    return load_flow(f"{FLOW}notify: {notify}\n{more}", "flow.yaml", lambda path: "")


def test_a_command_alone_is_told_of_questions_and_of_nothing_else() -> None:
    flow = read('["notify-send", "-u"]')
    assert flow.notify == ["notify-send", "-u"] and flow.notices == []
    assert flow.targets == [Target(command=["notify-send", "-u"], on=["question"])]


def test_each_way_is_read() -> None:
    flow = read(
        "[{command: [say], on: [landed]}, {desktop: true, quiet: '22:00-07:00'}, {slack: SLACK_URL}, "
        "{discord: DISCORD_URL}, {webhook: 'https://example.org/x?y=z', secret: KEY}, {webhook: HOOK, secret: KEY}]"
    )
    usual = ["question", "pause", "budget", "idle"]
    assert [(one.name, one.on) for one in flow.targets] == [
        ("say", ["landed"]),
        ("the desktop", usual),
        ("slack (SLACK_URL)", usual),
        ("discord (DISCORD_URL)", usual),
        ("webhook (KEY)", usual),
        ("webhook (HOOK)", usual),
    ]
    assert flow.targets[1].quiet == "22:00-07:00"


@pytest.mark.parametrize(
    ("notify", "said"),
    [
        ("{slack: X}", "a single target stands where a list belongs"),
        ("[{slack: X, discord: Y}]", "it says slack and discord"),
        ("[{on: [idle]}]", "it does not say where to"),
        ("[{desktop: false}]", "it does not say where to"),
        ("[say, {slack: X}]", "a single value stands where keys and values belong"),
        ("[{slack: 'https://hooks.example/T/B/x'}]", "an address is secret here"),
        ("[{slack: 'no variable'}]", "is no variable of the environment"),
        ("[{webhook: 'https://example.org'}]", "a webhook is signed, and no secret is named"),
        ("[{slack: X, secret: KEY}]", "only a webhook is signed"),
        ("[{webhook: 'ftp://example.org', secret: KEY}]", "this is no address"),
        ("[{webhook: 'file:///etc/passwd', secret: KEY}]", "this is no address"),
        ("[{webhook: 'https://me:pw@example.org', secret: KEY}]", "a password in an address is stored"),
        ("[{webhook: 'https://example.org:99999/', secret: KEY}]", "this is no address"),
        ("[{slack: X, on: [questions]}]", "did you mean 'question'"),
        ("[{slack: X, on: []}]", "nothing would be told"),
        ("[{slack: X, quiet: night}]", "is no time of the day"),
        (f"[{', '.join(['{slack: X}'] * 9)}]", "9 targets are too many"),
    ],
)
def test_what_cannot_be_meant_is_asked_back(notify: str, said: str) -> None:
    with pytest.raises(FlowFaults) as told:
        read(notify)
    assert said in str(told.value), str(told.value)


def test_the_secret_of_a_target_passes_into_no_run() -> None:
    with pytest.raises(FlowFaults) as told:
        read("[{webhook: HOOK, secret: KEY}]", "clients: {mine: {command: [x], env: [PATH_TO, KEY]}}\n")
    assert "KEY is a secret of this target, and passes into every run of mine" in str(told.value)
