"""Which run is heard by itself, and which only by way of the workplace: found out where its words are taken in."""

from typing import Any

import apsw
import pytest

from folkmoot.api.requests import Release, Request, SendReport
from folkmoot.core.commands import Actor
from folkmoot.core.report import Report
from folkmoot.store.postgres.store import PostgresStore
from folkmoot.testing.builders import PERSON, SoundBoard

DONE = SendReport(report=Report.done("It is done."))


class Heard(list[Any]):
    """A workplace that only notes what comes to it."""

    def submit(self, actor: Actor, command: Any, key: str | None) -> None:
        self.append(("submit", key))

    def cleaned(self, actor: Actor, value: Any) -> Any:
        return value

    def give_up(self, actor: Actor, key: str | None) -> None:
        self.append(("give_up", key))


@pytest.mark.parametrize("key", [None, "k"])
@pytest.mark.parametrize(("said", "how"), [(DONE, "submit"), (Release(), "give_up")])
def test_a_run_with_a_clone_is_heard_by_the_workplace_alone(said: Request[Any], how: str, key: str | None) -> None:
    with SoundBoard() as board:
        heard: Any = Heard()
        board.application.open_workplace = lambda application: heard
        board.add(column="dev")
        view = board.engine.claim(PERSON, "dev-agent", cloned=True)
        calls = board.application.asked_by(Actor("dev-agent", view["run"], view["token"]))
        before = board.application.last()
        calls(said, key)
        calls.tell(said, key)
        assert heard == [(how, key)] * 2
        assert board.application.last() == before


def test_a_repeated_key_of_a_run_with_a_clone_goes_to_the_workplace_too() -> None:
    """Whoever was interrupted after the report was taken says it again; only the workplace clears the clone away."""
    with SoundBoard() as board:
        heard: Any = Heard()
        board.application.open_workplace = lambda application: heard
        board.add(column="dev")
        view = board.engine.claim(PERSON, "dev-agent", cloned=True)
        actor = Actor("dev-agent", view["run"], view["token"])
        board.engine.report(actor, DONE.report, key="k")
        board.application.asked_by(actor)(DONE, "k")
        assert heard == [("submit", "k")]


def test_a_report_of_a_run_without_a_clone_is_one_transaction() -> None:
    with SoundBoard() as board:
        store: Any = board.application.engine.store
        if isinstance(store, PostgresStore):
            pytest.skip("its round trips are counted in tests/store/test_postgres.py")
        board.add(column="dev")
        calls = board.application.asked_by(board.claim("dev-agent"))
        begun: list[str] = []

        def trace(cursor: apsw.Cursor, sql: str, bindings: Any) -> bool:
            begun.extend([sql] if sql.startswith("BEGIN") or " FROM runs WHERE id" in sql else [])
            return True

        store._connection.exec_trace = trace
        calls.tell(DONE, "k")
        store._connection.exec_trace = None
        assert begun == ["BEGIN IMMEDIATE", "SELECT doc FROM runs WHERE id = ?"]
