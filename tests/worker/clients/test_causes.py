"""What the words of an error mean."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.worker.clients.causes import cause_of, recognised, reset_after
from folkmoot.worker.clients.troubles import WHY_MAX

NOW = 1_800_000_000.0  # 2027-01-15 08:00:00 UTC


@pytest.mark.parametrize(
    ("error", "status", "cause"),
    [
        ("Rate limit exceeded: scripted failure", None, "quota"),
        ("exceeded retry limit, last status: 429 Too Many Requests", None, "quota"),
        ("You've hit your usage limit. Upgrade to Pro", None, "quota"),
        ("Your credit balance is too low to access the API", 400, "quota"),
        ("RESOURCE_EXHAUSTED", None, "quota"),
        ("anything", 429, "quota"),
        ("5-hour limit reached ∙ resets 3pm", None, "quota"),
        ("API Error: 400 scripted failure", None, "environment"),
        ("Authentication failed. Status: 401 Unauthorized", None, "environment"),
        ("Invalid API key · Please run /login", None, "environment"),
        ("No auth type is selected", None, "environment"),
        ("model_not_found", None, "environment"),
        ("anything", 403, "environment"),
        ("Server error (500 Internal Server Error) at http://127.0.0.1:8811/x", None, "outage"),
        ("We're currently experiencing high demand", None, "outage"),
        ("stream disconnected before completion", None, "outage"),
        ("connect ECONNREFUSED 127.0.0.1:443", None, "outage"),
        ("socket hang up", None, "outage"),
        ("Request timed out.", None, "outage"),
        ("overloaded_error", 529, "outage"),
        ("upstream rate limit of the server", 503, "outage"),
        ("", None, "transient"),
        ("This model's maximum context length is 128000 tokens", 400, "size"),
        ("prompt is too long: 210000 tokens > 200000 maximum", 400, "size"),
        ("Codex ran out of room in the model's context window. Start a new thread", None, "size"),
        ('{"error":{"code":"context_length_exceeded"}}', None, "size"),
        ("Unable to continue: Context limit still exceeded after compaction.", None, "size"),
        ("Failed to compact: the base prompt exceeds the model's effective context window", None, "size"),
        ("Network error: Stream decode error: error decoding response body", None, "outage"),
        ("The input token count (2000000) exceeds the maximum number of tokens allowed", 400, "size"),
    ],
)
@pytest.mark.ledger("R-07")
def test_words_have_a_cause(error: str, status: int | None, cause: str) -> None:
    assert cause_of(error, status).cause == cause


def test_words_that_say_nothing_plain_are_not_recognised() -> None:
    assert recognised("something went wrong") is None
    assert recognised("file not found") is None


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Please try again in 1.5s.", 1.5),
        ("Try again in 20ms", 0.02),
        ("try again in 3m20s", 200.0),
        ("try again in 1 day, 2 hours and 3 minutes", 93_780.0),
        ('"retryDelay": "37s"', 37.0),
        ("retry-after: 30", 30.0),
        ("Retry-After: 12 seconds", 12.0),
        ("retry after 5 minutes", 300.0),
        ("Claude AI usage limit reached|1800003600", 3600.0),
        ("resets at 2027-01-15T08:10:00Z", 600.0),
        ("resets 10am (UTC)", 7200.0),
        ("resets 9:30am (Europe/Berlin)", 1800.0),
        ("try again at 07:00 UTC", 82_800.0),
        ("in 5 parts", None),
        ("resets in the morning", None),
        ("try again at 99:99", None),
        ("try again in 999999999 days", 35 * 86_400.0),
    ],
)
def test_the_time_until_a_quota_is_there_again(text: str, seconds: float | None) -> None:
    assert reset_after(text, lambda: NOW) == (seconds if seconds is None else pytest.approx(seconds))


def test_without_a_clock_an_hour_says_nothing() -> None:
    assert reset_after("resets 10am (UTC)") is None
    assert reset_after("try again in 10s") == 10.0


def test_the_clock_that_the_tests_use_is_what_they_think() -> None:
    assert datetime.fromtimestamp(NOW, ZoneInfo("UTC")).isoformat() == "2027-01-15T08:00:00+00:00"


@given(st.text(), st.none() | st.integers(-1000, 1000))
def test_no_words_raise(text: str, status: int | None) -> None:
    found = cause_of(text, status, lambda: NOW)
    assert found.cause in ("quota", "environment", "outage", "transient", "size") and len(found.why) <= WHY_MAX


@pytest.mark.parametrize(
    "piece", ["exceed", "hit your ", "try again in 1 ", "1s ", "input token count ", "retry-after ", "(4"]
)
def test_a_long_error_made_to_be_slow_is_cut(piece: str) -> None:
    """What is looked at has a bound, and every pattern is bounded too: this ends at once or not at all."""
    assert cause_of(piece * 200_000).why
