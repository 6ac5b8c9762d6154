"""What a person is told who ends a dispute by a comment: only ways that are open then (R-12, R-32)."""

import pytest

from folkmoot.core.commands import AddComment
from folkmoot.errors import Refused
from tests.core.test_disputes import disputed_by_dev, reply


@pytest.mark.ledger("R-12", "R-32")
@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_a_question_is_named_only_where_one_is_open(rounds: int) -> None:
    story = disputed_by_dev()
    for _ in range(rounds):
        reply(story)
    asked = bool(story.open_questions)
    assert asked == (rounds == 3)
    with pytest.raises(Refused) as refused:
        story.do(AddComment(content="no", parent="c001", resolution="rejected"))
    calls = [step.call for step in refused.value.next]
    assert "move" in calls and ("inbox" in calls) == asked, refused.value.hint
    if not asked:
        story.do(AddComment(content="no", parent="c001"))
        assert story.comments[-1].content == "no" and len(story.it.disputes) == 1
