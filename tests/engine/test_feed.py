"""One reader of the log for many subscribers: nobody misses an event, and nobody gets one twice."""

import threading
from pathlib import Path

import pytest

from folkmoot.api.pages import EventPage
from folkmoot.core import commands
from folkmoot.core.commands import Actor
from folkmoot.engine.application import Application
from folkmoot.engine.reads import feed as feeds
from folkmoot.engine.reads.feed import Feed, Subscription
from folkmoot.errors import Unavailable
from folkmoot.testing.builders import TrialBoard
from folkmoot.wiring.boards import FileBoards
from tests.acceptance.moot import new_board

WRITERS = 8
SECONDS = 300.0  # what is waited for comes in a moment, or never


class Crowd:
    """Subscribers that one thread serves, whoever of them is woken."""

    def __init__(self, numbers: list[int]) -> None:
        self.had: list[list[int]] = [[] for _ in numbers]
        self.at = list(numbers)
        self._news = threading.Event()

    def serve(self, feed: Feed, until: threading.Event, last: list[int]) -> None:
        own = [feed.subscribe(after, self._news.set) for after in self.at]
        while not (until.is_set() and all(one.seq >= last[0] for one in own)):
            if not any(self._take(place, one) for place, one in enumerate(own)):
                self._news.wait(0.05)
                self._news.clear()
        for one in own:
            one.close()

    def _take(self, place: int, one: Subscription) -> bool:
        events = one.take(1 + place * 7)  # some are slow, and take a few at a time
        self.had[place] += [event.seq for event in events]
        self.at[place] = one.seq
        return bool(events)


def write(board: Application, count: int) -> None:
    """Eight at once, until so many items are there."""

    def add(writer: int) -> None:
        for number in range(count // WRITERS):
            board.engine.add(Actor(f"writer-{writer}"), commands.AddItem(title=f"{writer} {number}"))

    threads = [threading.Thread(target=add, args=(writer,)) for writer in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def watched(folder: Path, crowd: Crowd, items: int) -> int:
    """One life of a process that serves them while others write; gives the number of the last event."""
    board = FileBoards().open(str(folder))
    feed, until, last = Feed(board), threading.Event(), [0]
    before = threading.active_count()
    server = threading.Thread(target=crowd.serve, args=(feed, until, last))
    server.start()
    try:
        write(board, items)
        # One serves them all, and one listens to what other processes write.
        assert threading.active_count() <= before + 2, "no subscriber has a thread of its own"
        last[0] = board.last()
        until.set()
        server.join(SECONDS)
        assert not server.is_alive()
    finally:
        until.set()
        feed.close()
        board.close()
    return last[0]


def in_two_lives(folder: Path, subscribers: int, items: int) -> int:
    new_board(folder, "kanban")
    crowd = Crowd([place % 3 for place in range(subscribers)])
    watched(folder, crowd, items)
    last = watched(folder, crowd, items)
    for place, had in enumerate(crowd.had):
        assert had == list(range(place % 3 + 1, last + 1)), place
    return last


def test_many_subscribers_miss_and_double_nothing_over_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeds, "KEPT", 100)  # so that the slow ones are behind what is kept
    assert in_two_lives(tmp_path, 40, 400) > 1000


@pytest.mark.slow
def test_two_hundred_subscribers_and_a_hundred_thousand_events(tmp_path: Path) -> None:
    assert in_two_lives(tmp_path, 200, 26_000) > 100_000


def test_who_subscribes_late_gets_all_that_was_before(tmp_path: Path) -> None:
    with TrialBoard() as board:
        for number in range(5):
            board.add(f"item {number}")
        feed = Feed(board.application)
        woken = threading.Event()
        late, early = feed.subscribe(0, woken.set), feed.subscribe(board.application.last(), woken.set)
        assert [event.seq for event in late.take()] == list(range(1, board.application.last() + 1))
        assert early.take() == [] and late.take() == []
        board.add("one more")
        board.application.change_signal.notify()
        assert woken.wait(SECONDS)
        assert [event.seq for event in early.take()] == [event.seq for event in late.take()] != []
        feed.close()


def test_what_the_feed_keeps_is_bounded_in_bytes_and_nobody_misses_an_event(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few large events are as much as many small ones."""
    monkeypatch.setattr(feeds, "KEPT_BYTES", 40_000)
    with TrialBoard() as board:
        feed, woken = Feed(board.application), threading.Event()
        own = feed.subscribe(board.application.last(), woken.set)
        begin = own.seq
        for number in range(20):
            board.add("x" * 400, body="y" * 9_000 * (number % 3))
            board.application.change_signal.notify()
        last = board.application.last()
        while feed.last < last:
            assert woken.wait(SECONDS)
            woken.clear()
        kept = next(found for seq in range(begin, last) if (found := feed.recent(seq, 1_000)) is not None)
        assert 0 < sum(len(event.data) for event in kept) <= 2 * feeds.KEPT_BYTES
        assert [event.seq for event in own.take()] == list(range(begin + 1, last + 1))
        feed.close()


def test_a_store_that_could_not_be_read_for_a_moment_costs_no_event(tmp_path: Path) -> None:
    new_board(tmp_path)
    board = FileBoards().open(str(tmp_path))
    board.look_again = 0.05
    read, fails = board.queries.log, [3]

    def log(after: int = 0, item: str | None = None, limit: int = 1000) -> EventPage:
        if fails[0]:
            fails[0] -= 1
            raise Unavailable("store_busy", "the board is busy", "try again")
        return read(after, item, limit)

    board.queries.log = log  # type: ignore[method-assign]
    feed, news = Feed(board), threading.Event()
    subscription = feed.subscribe(feed.last, news.set)
    board.engine.add(Actor("ada"), commands.AddItem(title="one"))
    assert news.wait(SECONDS)
    assert subscription.take()[0].event == "item_added"
    feed.close()
    board.close()


def test_a_feed_to_which_nobody_listens_reads_nothing() -> None:
    with TrialBoard() as board:
        reads: list[int] = []
        read = board.application.queries.log

        def log(after: int = 0, item: str | None = None, limit: int = 1000) -> EventPage:
            reads.append(after)
            return read(after, item, limit)

        board.application.queries.log = log  # type: ignore[method-assign]
        feed, woken = Feed(board.application), threading.Event()
        own = feed.subscribe(0, woken.set)
        own.close()
        board.add("one")
        board.application.change_signal.notify()
        again = feed.subscribe(own.seq, woken.set)
        assert [event.event for event in again.take()] == [event.event for event in read(0).events] != []
        again.close()
        before = len(reads)
        for number in range(5):
            board.add(f"item {number}")
            board.application.change_signal.notify()
        assert len(reads) <= before + 1, "it may have been on its way when the last one left"
        feed.close()


def test_the_newest_event_is_known_before_the_feed_has_read_it() -> None:
    with TrialBoard() as board:
        feed = Feed(board.application)
        board.add("one")  # nobody tells the feed, which looks again after a while
        assert feed.newest() == board.application.last() > 0
        feed.close()
