"""Who acts is known by its kind, and never by its name."""

import pytest

from folkmoot.core import commands
from folkmoot.core.commands import ENGINE, Actor
from folkmoot.core.enums import ENGINE_NAME
from folkmoot.testing.builders import SoundBoard, preset_flow

NAMES = [ENGINE_NAME, "orchestrator", "landing", "dev-agent", "r1", "all", "any"]


@pytest.mark.ledger("R-03", "R-18")
@pytest.mark.parametrize("name", NAMES)
def test_a_person_of_any_name_is_a_person(name: str) -> None:
    person = Actor(name)
    with SoundBoard(preset_flow("kanban")) as board:
        item = board.add(column="dev")
        board.effort("dev-agent", "asks", question={"question": "which one?"})
        before = board.log()[-1]["seq"]
        board.engine.answer(person, commands.AnswerQuestion(question=board.inbox()[0], answer="the first"))
        board.on(item, commands.MoveItem(column="arch"), person)
        board.on(item, commands.CancelItem(), person)
        board.on(item, commands.ReopenItem(), person)
        events = board.engine.store.read(lambda reading: reading.events(before))
        assert len(events) >= 4 and all(event.agent == name and event.by_person for event in events)


def test_what_the_rules_do_themselves_is_nobody_else_s() -> None:
    with SoundBoard(preset_flow("kanban")) as board:
        events = board.engine.store.read(lambda reading: reading.events(0))
        assert ENGINE.kind == "engine" and {event.actor for event in events} == {"engine"}
