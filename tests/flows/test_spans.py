from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.errors import Invalid
from folkmoot.flows.spans import format_span, parse_span


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("45s", 45),
        ("30m", 1800),
        ("2h", 7200),
        ("1d", 86_400),
        ("90", 90),
        ("0.5", 0.5),
        ("1.5h", 5400),
        ("1h30m", 5400),
        ("1d2h3m4s", 93_784),
        (" 30M ", 1800),
        ("0s", 0),
    ],
)
def test_a_span_is_read(text: str, seconds: float) -> None:
    assert parse_span(text) == seconds


@pytest.mark.parametrize(
    "text",
    ["", " ", "m", "30x", "30 m", "-5s", "5m5m", "30m1h", "1e3", "nan", "inf", "12:30:00", "1h 30m", "٣m", "9" * 400],
)
def test_what_is_no_span_is_refused_with_a_way_to_write_it(text: str) -> None:
    with pytest.raises(Invalid) as caught:
        parse_span(text)
    assert caught.value.code == "bad_span"
    assert "30m" in caught.value.hint


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"),
        (45, "45s"),
        (90, "1m30s"),
        (1800, "30m"),
        (5400, "1h30m"),
        (86_400, "1d"),
        (0.5, "0.5s"),
        (60.25, "1m0.25s"),
    ],
)
def test_a_span_is_written_short(seconds: float, text: str) -> None:
    assert format_span(seconds) == text


def test_no_span_is_negative() -> None:
    with pytest.raises(Invalid):
        format_span(-1)


@given(st.integers(min_value=0, max_value=10**12))
def test_what_is_written_is_read_back_to_the_millisecond(milliseconds: int) -> None:
    assert parse_span(format_span(milliseconds / 1000)) == milliseconds / 1000


@given(st.text())
def test_any_text_is_a_span_or_refused(text: str) -> None:
    with suppress(Invalid):
        assert parse_span(text) >= 0
