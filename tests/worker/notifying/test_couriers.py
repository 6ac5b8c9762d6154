"""Each notice arrives in order and, as far as a receiver can tell, once: also if sending fails, hangs or is slowed."""

import base64
import hashlib
import hmac
import json
import re
import socket
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from folkmoot.api.requests import Pause, Resume
from folkmoot.core.notices.notice import Notice
from folkmoot.core.notices.targets import Target
from folkmoot.wiring.notifying import bodies, posting
from folkmoot.wiring.notifying.bodies import signed
from folkmoot.wiring.notifying.courier import Delivery, Failed
from tests.worker.notifying.receiver import Desk, Receiver, all_sent

SECRETS = {"HOOK_KEY": "a-very-secret-key"}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "yard")


def hook(receiver: Receiver) -> Target:
    return Target(webhook=receiver.address, secret="HOOK_KEY")


def test_a_webhook_gets_the_whole_notice_signed(desk: Desk) -> None:
    item = desk.asks("Reset by mail")
    with Receiver() as receiver:
        assert all_sent(desk.courier(hook(receiver), environ=SECRETS)) is None
    (got,) = receiver.got
    asked = desk.yard.show(item)["questions"][0]
    assert got.json["topic"] == "question" and got.json["text"] == f"item {item}: {asked['question']}"
    assert (got.json["item"], got.json["title"], got.json["question"]) == (item, "Reset by mail", asked["id"])
    assert got.json["id"] == got.headers["webhook-id"] and got.path == "/hook/of-mine"
    content = f"{got.headers['webhook-id']}.{got.headers['webhook-timestamp']}.".encode() + got.body
    made = base64.b64encode(hmac.new(SECRETS["HOOK_KEY"].encode(), content, hashlib.sha256).digest()).decode()
    assert got.headers["webhook-signature"] == f"v1,{made}"


def test_a_secret_of_the_standard_is_taken_from_base64() -> None:
    """The example of the Standard Webhooks specification."""
    body = b'{"test": 2432232314}'
    made = signed(body, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    assert made["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_all_come_in_order_and_none_twice(desk: Desk) -> None:
    with Receiver() as receiver:
        courier = desk.courier(hook(receiver), environ=SECRETS)
        all_sent(courier)
        items = [desk.asks(f"item {number}") for number in range(5)]
        all_sent(courier)
        all_sent(courier)
        courier._cursor.close()
        again = desk.courier(hook(receiver), environ=SECRETS)  # as another worker does
        all_sent(again)
    assert [got.json["item"] for got in receiver.got] == items
    assert len({got.headers["webhook-id"] for got in receiver.got}) == 5


def test_what_fails_is_sent_again_later_and_later_with_its_id_and_in_order(desk: Desk) -> None:
    with Receiver(500, 503, 502) as receiver:
        courier = desk.courier(hook(receiver), environ=SECRETS)
        first, second = desk.asks("a"), desk.asks("b")
        pauses = []
        while (wait := all_sent(courier)) is not None:
            pauses.append(wait)
            assert all_sent(courier) == wait, "it is not tried before"
            desk.hand.seconds += wait
    assert pauses == [2.0, 4.0, 8.0]
    assert [got.json["item"] for got in receiver.got] == [first] * 4 + [second]
    assert len({got.headers["webhook-id"] for got in receiver.got[:4]}) == 1
    assert desk.faults == [
        "nobody could be notified by webhook (HOOK_KEY): it answers 500; questions are in: moot inbox"
    ]


@pytest.mark.parametrize(("asked", "wait"), [("120", 120.0), ("1", 2.0), ("999999", 3600.0), ("soon", 2.0)])
def test_it_waits_as_long_as_it_is_asked_to_within_reason(asked: str, wait: float, desk: Desk) -> None:
    desk.asks()
    with Receiver(429, headers={"Retry-After": asked}) as receiver:
        courier = desk.courier(hook(receiver), environ=SECRETS)
        assert all_sent(courier) == wait
        desk.hand.seconds += wait
        assert all_sent(courier) is None
    assert len(receiver.got) == 2


def test_what_hangs_is_given_up_in_time(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(posting, "SOCKET_SECONDS", 0.2)
    desk.asks()
    with Receiver("hang") as receiver:
        courier = desk.courier(hook(receiver), environ=SECRETS)
        assert all_sent(courier) == 2.0
        desk.hand.seconds += 2.0
        assert all_sent(courier) is None
    assert len({got.headers["webhook-id"] for got in receiver.got}) == 1 and len(receiver.got) == 2
    assert "it did not answer in time" in desk.faults[0]


def test_after_a_day_the_next_one_goes_first(desk: Desk) -> None:
    first, second = desk.asks("a"), desk.asks("b")
    down = True
    sent: list[str | None] = []

    def send(delivery: Delivery) -> None:
        if down and delivery.notice.item == first:
            raise Failed("it is down")
        sent.append(delivery.notice.item)

    courier = desk.courier(Target(slack="X"), send)
    tries = 0
    while (wait := all_sent(courier)) is not None:
        desk.hand.seconds += wait
        tries += 1
    assert sent == [second] and 280 < tries < 310, "each five minutes, for a day"


def test_bytes_that_are_refused_are_not_sent_again(desk: Desk) -> None:
    desk.asks("a")
    desk.asks("b")
    with Receiver(413) as receiver:
        assert all_sent(desk.courier(hook(receiver), environ=SECRETS)) is None
    assert len(receiver.got) == 2 and "it answers 413; this notice is given up" in desk.faults[0]


@pytest.mark.attack("secrets", "a receiver of notices redirects to another host", "nothing is sent there")
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(status: int, desk: Desk) -> None:
    desk.asks()
    with Receiver() as other, Receiver(status, headers={"Location": other.address}) as receiver:
        assert all_sent(desk.courier(hook(receiver), environ=SECRETS)) == 2.0
    assert len(receiver.got) == 1 and other.got == []
    assert "sends us elsewhere, which is not followed" in desk.faults[0] and other.address not in desk.faults[0]


@pytest.mark.parametrize(
    "value", ["", "file:///etc/passwd", "ftp://127.0.0.1/x", "http://me:pw@127.0.0.1/", "http://[bad"]
)
def test_an_address_that_cannot_be_used_is_told_and_not_shown(value: str, desk: Desk) -> None:
    desk.asks()
    assert all_sent(desk.courier(Target(slack="SLACK_URL"), environ={"SLACK_URL": value})) == 2.0
    assert len(desk.faults) == 1 and "slack (SLACK_URL)" in desk.faults[0]
    assert not value or value not in desk.faults[0]


@pytest.mark.attack(
    "doors",
    "an agent's words call everybody in a chat, or hold a link there that says that it leads elsewhere",
    "nothing in them is a mark-up of Slack's, of Discord's or of the desktop's",
)
def test_slack_and_discord_get_their_own_shapes_and_nobody_is_called_by_words(desk: Desk) -> None:
    with Receiver() as receiver:
        environ = {"URL": receiver.address}
        for target in (Target(slack="URL"), Target(discord="URL")):
            words = "<!channel> & @everyone [ours](https://x) \\[a](b) \u202eback\x1b"
            notice = Notice(key="k", topic="question", words=words, at=0, options=["[one](https://x)"])
            desk.courier(target, environ=environ)._send(Delivery("1", notice))
    slack, discord = (got.json for got in receiver.got)
    assert slack["text"].startswith("&lt;!channel&gt; &amp; @everyone")
    assert discord == {"content": discord["content"], "allowed_mentions": {"parse": []}}
    assert discord["content"].startswith("\\<!channel\\> & @everyone \\[ours\\]\\(https://x\\) \\\\\\[a")
    for told in (slack["text"], discord["content"]):
        assert "\u202e" not in told and "\x1b" not in told
    unmarked = re.sub(r"\\.", "", discord["content"])
    assert not set("[]()<>*_~|`#\\") & set(unmarked), "a mark of Discord's is left"


@pytest.mark.parametrize("letter", ["[", "a", "\\", "é"])
def test_a_long_notice_is_cut_and_stays_whole_words_of_the_mark_up(letter: str) -> None:
    notice = Notice(key="k", topic="question", words=letter * 9_000, at=0)
    told = bodies.discord(notice, "http://127.0.0.1:1/#/item/7")["content"]
    assert 1_900 < len(told) <= bodies.DISCORD_MAX and told.endswith("…\nhttp://127.0.0.1:1/#/item/7")


def test_a_receiver_that_drips_is_given_up_though_it_was_slow_to_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    """The connection is there only after all of its time is over; then a letter comes now and then."""
    monkeypatch.setattr(posting, "WHOLE_SECONDS", 0.3)
    monkeypatch.setattr(posting, "LOOK_SECONDS", 0.1)
    real = socket.create_connection

    def slow(*args: Any, **more: Any) -> socket.socket:
        threading.Event().wait(1.0)
        return real(*args, **more)

    monkeypatch.setattr(socket, "create_connection", slow)
    with socket.create_server(("127.0.0.1", 0)) as server:
        over = threading.Event()

        def drip() -> None:
            with server.accept()[0] as there, suppress(OSError):
                for _ in range(300):  # until it is hung up, or far beyond the time
                    there.send(b"H")
                    over.wait(0.1)

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        began = time.monotonic()
        with pytest.raises(Failed):
            posting.post(f"http://127.0.0.1:{server.getsockname()[1]}/x", b"{}", {})
        assert time.monotonic() - began < 25.0
        over.set()
        thread.join()


def test_in_quiet_hours_nothing_is_sent_and_after_them_all_that_still_holds(desk: Desk) -> None:
    with Receiver() as receiver:
        target = Target(webhook=receiver.address, secret="HOOK_KEY", quiet="22:00-07:00")
        courier = desk.courier(target, environ=SECRETS)
        desk.hand.minute = 12 * 60
        all_sent(courier)
        desk.hand.minute = 23 * 60
        gone, kept = desk.asks("a"), desk.asks("b")
        assert all_sent(courier) == 300.0 and receiver.got == []
        desk.yard.board.cancel(gone)
        desk.hand.minute = 7 * 60 - 1
        assert all_sent(courier) == 60.0 and receiver.got == []
        desk.hand.minute = 7 * 60
        assert all_sent(courier) is None
    assert [got.json["item"] for got in receiver.got] == [kept]


def test_a_question_is_let_through_by_a_target_of_its_own(desk: Desk) -> None:
    loud = Target(slack="X", on=["question"])
    quiet = Target(slack="X", on=["pause"], quiet="22:00-07:00")
    told: list[tuple[str, str]] = []
    couriers = [
        desk.courier(loud, lambda delivery: told.append(("loud", delivery.notice.topic))),
        desk.courier(quiet, lambda delivery: told.append(("quiet", delivery.notice.topic)), before=[loud]),
    ]
    for courier in couriers:
        all_sent(courier)
    desk.hand.minute = 0
    desk.asks()
    desk.yard.board.ask(Pause())
    for courier in couriers:
        all_sent(courier)
    assert told == [("loud", "question")]
    desk.hand.minute = 8 * 60
    all_sent(couriers[1])
    assert told == [("loud", "question"), ("quiet", "pause")]


def test_of_the_past_a_new_target_is_told_only_what_waits_for_a_person(desk: Desk) -> None:
    desk.yard.board.ask(Pause())
    desk.yard.board.ask(Resume())
    item = desk.asks()
    told: list[tuple[str, str | None]] = []
    courier = desk.courier(Target(slack="X"), lambda d: told.append((d.notice.topic, d.notice.item)))
    all_sent(courier)
    assert told == [("question", item)]
    desk.yard.board.ask(Pause())
    all_sent(courier)
    assert told[1:] == [("pause", None)]


def test_of_two_workers_one_tells_and_the_other_takes_over(desk: Desk) -> None:
    told: list[str] = []
    first = desk.courier(Target(slack="X"), lambda d: told.append("first"))
    second = desk.courier(Target(slack="X"), lambda d: told.append("second"))
    all_sent(first)
    desk.asks()
    assert all_sent(second) == 5.0
    all_sent(first)
    first._cursor.close()  # as the end of its process does
    desk.asks()
    all_sent(second)
    assert told == ["first", "second"]


def test_a_killed_send_is_sent_again_with_the_same_id_and_body(desk: Desk) -> None:
    desk.asks()
    seen: list[tuple[str, str]] = []

    def dies(delivery: Delivery) -> None:
        seen.append((delivery.id, delivery.notice.words))
        raise KeyboardInterrupt

    target = Target(slack="X")
    courier = desk.courier(target, dies)
    with pytest.raises(KeyboardInterrupt):
        courier.step()
    courier._cursor.close()
    all_sent(desk.courier(target, lambda d: seen.append((d.id, d.notice.words))))
    assert len(seen) == 2 and seen[0] == seen[1]


def test_another_machine_that_keeps_a_place_of_its_own_sends_the_same_ids(desk: Desk) -> None:
    desk.asks()
    ids: list[str] = []
    target = Target(slack="X")
    for _ in range(2):
        courier = desk.courier(target, lambda delivery: ids.append(delivery.id))
        all_sent(courier)
        courier._cursor.close()
        for file in Path(desk.home).glob("notified*"):
            file.unlink()
    assert len(ids) == 2 and ids[0] == ids[1]


def test_the_place_in_the_log_holds_no_secret(desk: Desk) -> None:
    desk.asks()
    with Receiver() as receiver:
        environ = {"URL": receiver.address, **SECRETS}
        all_sent(desk.courier(Target(webhook="URL", secret="HOOK_KEY"), environ=environ))
    for file in Path(desk.home).glob("notified*"):
        assert receiver.address.encode() not in file.read_bytes() and b"a-very-secret" not in file.read_bytes()
    assert json.loads(next(f for f in Path(desk.home).glob("notified-*") if f.suffix == "").read_text())["seq"] > 0
