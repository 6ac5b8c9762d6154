"""The log as a stream: from any event on, without a gap, over restarts, with a sign of life."""

import http.client
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from folkmoot.api.requests import Add
from tests.doors.http.served import ADA, SECONDS, Served, served


class Stream:
    """What a client of server-sent events has: the last id, and the events as they come."""

    def __init__(self, server: Served, at: int | None = 0, token: str = "", **fields: Any) -> None:
        """`at` is the last event that it has had; None: it does not say."""
        server.closing.callback(self.close)
        self._connection = http.client.HTTPConnection(server.host, timeout=SECONDS)
        headers = {"Authorization": f"Bearer {token or server.owner}"}
        if at is not None:
            headers["Last-Event-ID"] = str(at)
        query = "&".join(f"{name}={value}" for name, value in fields.items())
        self._connection.request("GET", f"/v1/events?{query}", headers=headers)
        self.answer = self._connection.getresponse()

    def frames(self) -> Iterator[dict[str, str]]:
        frame: dict[str, str] = {}
        while line := self.answer.readline().decode():
            name, _, value = line.rstrip("\n").partition(": ")
            if name:
                frame[name] = value
            elif "data" in frame:
                yield frame
                frame = {}

    def take(self, count: int) -> list[int]:
        found: list[int] = []
        for frame in self.frames():
            if "id" in frame:
                assert json.loads(frame["data"])["seq"] == int(frame["id"])
                found.append(int(frame["id"]))
            if len(found) == count:
                break
        return found

    def close(self) -> None:
        self.answer.close()
        self._connection.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path) as made:
        yield made


def add(server: Served, count: int) -> None:
    for number in range(count):
        server.board.asked_by(ADA)(Add(title=f"Item {number}"))


def test_a_stream_goes_on_where_its_caller_was(server: Served) -> None:
    add(server, 4)
    last = server.board.last()
    assert Stream(server, 0).take(last) == [*range(1, last + 1)]
    stream = Stream(server, last - 1)
    assert stream.take(1) == [last]
    add(server, 2)
    assert stream.take(2) == [last + 1, last + 2]
    by_query = Stream(server, None, after=last)
    assert by_query.take(2) == [last + 1, last + 2]


def test_what_a_caller_says_at_a_new_try_counts_more_than_its_address(server: Served) -> None:
    add(server, 3)
    assert Stream(server, 4, after=1).take(1) == [5]


def test_a_stream_without_a_place_begins_now(server: Served) -> None:
    add(server, 1)
    stream, last = Stream(server, None), server.board.last()
    add(server, 1)
    assert stream.take(1) == [last + 1]


def test_one_item_s_events_can_be_had_alone(server: Served) -> None:
    add(server, 3)
    frame = next(Stream(server, 0, item="2").frames())
    assert json.loads(frame["data"])["item"] == "2" and frame["event"] == "item_added"


def test_a_place_that_is_none_is_refused(server: Served) -> None:
    for place in ("x", "-1", "1.5", "9" * 30):
        heard = server.send("GET", f"/v1/events?after={place}")
        assert (heard.status, heard.code) == (400, "bad_request"), place


def test_a_stream_says_that_it_is_alive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("folkmoot.doors.http.streams.ALIVE_SECONDS", 0.05)
    with served(tmp_path) as server:
        last = server.board.last()
        frame = next(frame for frame in Stream(server, last).frames())
        assert frame["event"] == "alive" and json.loads(frame["data"]) == {"last": last} and "id" not in frame


def test_a_caller_who_knows_more_than_the_board_is_told_to_begin_anew(server: Served) -> None:
    frame = next(Stream(server, 10_000).frames())
    assert frame["event"] == "reset" and json.loads(frame["data"]) == {"last": server.board.last()}


def test_a_stream_ends_when_its_token_is_revoked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("folkmoot.doors.http.streams.ALIVE_SECONDS", 0.05)
    with served(tmp_path) as server:
        stream = Stream(server, None, server.token("dora", "observer"))
        assert next(stream.frames())["event"] == "alive"
        server.revoke("dora")
        assert [frame for frame in stream.frames() if frame["event"] != "alive"] == []


def test_the_server_ends_though_streams_are_open(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        streams = [Stream(server, None) for _ in range(5)]
    assert all(stream.answer.read().count(b"event: ") == 0 for stream in streams)


def test_no_subscriber_misses_or_doubles_an_event_while_writers_write_and_the_server_restarts(tmp_path: Path) -> None:
    """Each subscriber comes back with the last event it has had, as a browser does."""
    subscribers, items = 20, 60
    had: list[list[int]] = [[] for _ in range(subscribers)]
    for _ in range(2):
        with served(tmp_path) as server:
            last = server.board.last() + items
            writers = [threading.Thread(target=add, args=(server, items // 4)) for _ in range(4)]

            def follow(mine: list[int], server: Served = server, last: int = last) -> None:
                after = mine[-1] if mine else 0
                stream = Stream(server, after)
                mine += stream.take(last - after)
                stream.close()

            readers = [threading.Thread(target=follow, args=(mine,)) for mine in had]
            for thread in [*readers, *writers]:
                thread.start()
            for thread in [*writers, *readers]:
                thread.join(SECONDS)
    assert all(mine == [*range(1, last + 1)] for mine in had)
