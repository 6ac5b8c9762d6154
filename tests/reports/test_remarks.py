"""A comment of the disputes document in labels means what the document's YAML means."""

import pytest

from folkmoot.core.report import Remark, Report
from folkmoot.errors import Invalid
from folkmoot.reports.read import read_report

TESTS = "tests/247-trading-tests.md"
CONCERN = """\
## Dispute

- Artifact: tests/247-trading-tests.md
- Target: test_trade_cancellation
- Content: This test assumes synchronous cancellation, but the
  architecture doc specifies async.
- Status: open
"""
AGREES = """\
## Reply to c001

**Status:** resolved
**Resolution:** Accepted

You're right. Updating test
to use async/await.

The mocking is new, too.
"""
TWO = """\
### First
- **Artifact:** `tests/247-trading-tests.md`
- **Target:** `test_a`
- **Status:** Open

It assumes sync.

### Second
- **Artifact:** `tests/247-trading-tests.md`
- **Target:** `test_b`
- **Status:** Open

The order is not given.
"""


@pytest.mark.ledger("K-05", "R-32")
def test_an_open_comment_in_labels_disputes() -> None:
    said = read_report(CONCERN)
    content = "This test assumes synchronous cancellation, but the\narchitecture doc specifies async."
    concern = Remark(artifact=TESTS, target="test_trade_cancellation", content=content, status="open")
    assert (said.outcome, said.comments) == ("disputed", [concern])


@pytest.mark.ledger("K-05", "K-06", "R-32")
def test_a_reply_in_labels_ends_the_thread_that_its_heading_names() -> None:
    said = read_report(AGREES)
    content = "You're right. Updating test\nto use async/await.\n\nThe mocking is new, too."
    agreed = Remark(parent="c001", content=content, status="resolved", resolution="accepted")
    assert (said.outcome, said.comments, said.extra) == ("done", [agreed], {})


@pytest.mark.ledger("K-05", "R-32")
def test_each_block_of_labels_is_a_comment() -> None:
    said = read_report(TWO)
    told = [(one.target, one.content) for one in said.comments]
    assert told == [("test_a", "It assumes sync."), ("test_b", "The order is not given.")]
    assert {one.artifact for one in said.comments} == {TESTS}


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize(
    "end", ['{"outcome": "done", "summary": "x"}', "## Status\n- [x] Complete / [ ] Needs follow-up / [ ] Blocked"]
)
def test_beside_an_outcome_that_outcome_holds(end: str) -> None:
    said = read_report(f"{CONCERN}\n{end}\n")
    assert said.outcome == "done" and [one.status for one in said.comments] == ["open"]


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize(
    "text",
    [
        "- Artifact: tests/a.md\n- Content: It assumes sync.\n",  # nothing says how it ended
        "- Content: It assumes sync.\n- Status: open\n",  # of what, nobody knows
        CONCERN.replace("open", "reopened"),
        CONCERN.replace(
            "This test assumes synchronous cancellation, but the\n  architecture doc specifies async.", "…"
        ),
    ],
)
def test_what_is_no_whole_comment_is_asked_back(text: str) -> None:
    with pytest.raises(Invalid, match="cannot be read"):
        read_report(text)


@pytest.mark.ledger("R-32")
@pytest.mark.parametrize(
    "shown",
    [
        "A comment looks like this:\n\n- Artifact: tests/a.md\n- Target: test_b\n- Status: open\n- Content: x\n",
        "> - Artifact: tests/a.md\n> - Status: open\n> - Content: x\n",
        "```yaml\n- Artifact: tests/a.md\n- Status: open\n- Content: x\n```\n",
    ],
)
def test_what_only_shows_a_comment_is_none(shown: str) -> None:
    assert read_report(f'{shown}\n{{"outcome": "done", "summary": "ok"}}\n').comments == []


def test_labels_of_a_form_stay_the_forms() -> None:
    said = read_report("## Summary\nBuilt.\n\n**Target:** production\n\n## Status\n- [x] Complete\n")
    assert (said.outcome, said.comments) == ("done", [])
    assert isinstance(said, Report) and said.summary.startswith("Built.")
