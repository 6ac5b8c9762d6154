"""The page that tells agents how to report says what the ears hear."""

import re
from pathlib import Path

from folkmoot.reports.read import read_report

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "report-in-your-own-dialect.md"


def test_every_example_of_the_page_is_understood() -> None:
    shown = re.findall(r"^```\w+\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert [read_report(example).outcome for example in shown] == [
        "failed",
        "changes_requested",
        "done",
        "split",
        "changes_requested",
        "incomplete",
        "done",
        "asks",
    ]
