"""`moot usage`: what runs have used up, as a table and for scripts."""

import pytest
import yaml
from msgspec import convert

from folkmoot.api.usage import BudgetLine, UsageLine, UsageView
from folkmoot.core.rules.running.spending import dollars
from folkmoot.doors.cli.render.plot.usage import money, short, time, usage
from tests.doors.conftest import Moot

NONE: dict[str, object] = {
    "key": "",
    "title": "in all",
    "runs": 0,
    "running": 0,
    "input_tokens": 0,
    "cached_tokens": 0,
    "output_tokens": 0,
}
NONE |= {"untold": 0, "cost_usd": None, "unpriced": 0, "seconds": 0.0}


def line(**fields: object) -> UsageLine:
    return convert({**NONE, **fields}, UsageLine)


def test_what_nobody_can_tell_is_unknown(nowhere: Moot) -> None:
    nowhere("init")
    assert "No agent has run." in nowhere("usage").out
    nowhere("add", "Hello")
    nowhere.work("coder")
    out = nowhere("usage").out
    assert "#1 Hello" in out and "unknown" in out and "$0.00" not in out
    assert "an unknown part of $" in out
    assert "A budget in money ends nothing" in out and "set a budget in time" in " ".join(out.split())
    assert "1 run told no tokens" in out and "price" not in out  # of no tokens a price makes no money
    assert nowhere.json("usage")["total"]["cost_usd"] is None


def test_a_price_is_asked_for_where_it_makes_money_of_tokens(nowhere: Moot) -> None:
    nowhere("init")
    nowhere("add", "Hello")
    nowhere.work("coder", usage={"input_tokens": 10, "output_tokens": 5})
    out = nowhere("usage").out
    assert "The client chose the model: name it" in out and "ladder: {0-2: NAME, 3+: escalate}" in " ".join(out.split())
    flow = nowhere.folder / ".moot" / "flow.yaml"
    text = flow.read_text()
    assert "\nmodels:" not in text
    ladder = yaml.safe_load(text)["agents"]
    ladder["reviewer"]["ladder"] = {"0+": "small"}
    flow.write_text(yaml.safe_dump({**yaml.safe_load(text), "agents": ladder, "models": {"small": {}}}))
    nowhere("apply")
    nowhere.work("reviewer", usage={"input_tokens": 10, "output_tokens": 5})
    out = " ".join(nowhere("usage").out.split())
    assert "small has no price in .moot/flow.yaml: models: {small: {price: {input: …, output: …}}}" in out


def test_advice_about_prices_goes_with_what_it_was_about(nowhere: Moot) -> None:
    """Runs keep what was known of them when they ended; what is advised is for the next one."""
    nowhere("init")
    flow = nowhere.folder / ".moot" / "flow.yaml"
    before = yaml.safe_load(flow.read_text())

    def with_coder(ladder: dict[str, str], **models: object) -> str:
        agents = {**before["agents"], "coder": {**before["agents"]["coder"], "ladder": ladder}}
        flow.write_text(yaml.safe_dump({**before, "agents": agents, "models": models}))
        nowhere("apply")
        return " ".join(nowhere("usage").out.split())

    tokens = {"input_tokens": 10, "output_tokens": 5}
    with_coder({"0+": "small"}, small={})
    nowhere("add", "Hello")
    nowhere.work("coder", usage=tokens)
    nowhere.work("reviewer", usage=tokens)
    assert "small has no price" in nowhere("usage").out and "The client chose the model" in nowhere("usage").out
    assert "A budget in money ends nothing" in nowhere("usage").out
    priced = with_coder({"0+": "small"}, small={"price": {"input": 2, "output": 10}})
    assert "small has no price" not in priced and "A budget in money ends nothing" not in priced
    assert "small has no price" in with_coder({"0+": "small"}, small={}), "it has none again"
    assert "small has no price" not in with_coder({"0+": "large"}, large={}), "nobody starts it any more"
    with_coder({"0+": "small"}, small={})
    nowhere("add", "Hello again")
    nowhere.work("coder", usage={**tokens, "cost_usd": 0.42})
    assert "small has no price" not in nowhere("usage").out, "its client tells money by now"


def test_a_sum_that_lacks_a_run_says_so_wherever_it_is_told(nowhere: Moot) -> None:
    nowhere("init", "--no-gate")
    nowhere("add", "Hello")
    nowhere.work("coder", usage={"input_tokens": 10, "output_tokens": 5, "cost_usd": 0.42})
    assert "$0.42\n" in nowhere("status").out
    nowhere.work("reviewer")
    for command in (("status",), ("show", "1"), ("usage",), ("digest",)):
        assert "$0.42+" in nowhere(*command).out, command
    assert nowhere.json("status")["today"]["unpriced"] == 1


def test_a_title_that_is_cut_says_so(nowhere: Moot) -> None:
    nowhere("init")
    nowhere("add", "A title that is much longer than a line of this table has room for")
    nowhere.work("coder")
    assert "#1 A title that is much longe… " in nowhere("usage").out


def test_tokens_money_and_time_by_anything(nowhere: Moot) -> None:
    nowhere("init")
    nowhere("add", "Hello")
    nowhere.work("coder", usage={"input_tokens": 123_456, "output_tokens": 789, "cost_usd": 0.42})
    nowhere.work("reviewer")
    out = nowhere("usage", "--by", "agent").out
    assert "coder" in out and "123.5k" in out and "$0.42" in out and "$0.42+" in out  # the sum lacks the reviewer's
    assert [one["key"] for one in nowhere.json("usage", "1", "--by", "agent")["lines"]] == ["coder", "reviewer"]
    for by in ("item", "run", "model", "pool", "day"):
        assert nowhere.json("usage", "--by", by, "--since", "1d")["total"]["cost_usd"] == 0.42
    assert nowhere.json("usage", "--since", "2100-01-01")["total"]["runs"] == 0
    assert nowhere("usage", "--since", "soon", "--json", code=2).error["code"] == "bad_span"
    assert nowhere("usage", "9", "--json", code=2).error["code"] == "unknown_item"


def test_numbers_are_short_and_never_a_wrong_nothing() -> None:
    assert [short(number) for number in (0, 9_999, 10_000, 1_234_567)] == ["0", "9,999", "10.0k", "1.2M"]
    assert [time(seconds) for seconds in (0, 2.649, 59, 59.96, 3599, 3600, 7260)] == [
        "0s",
        "2.6s",
        "59s",
        "1m",
        "1h00m",
        "1h00m",
        "2h01m",
    ]
    sums = {0.0: "$0.00", 0.0048: "$0.0048", 0.004: "$0.004", 0.00999: "$0.01", 0.000012: "$0.000012", 0.01: "$0.01"}
    sums |= {12.345: "$12.35", 2.5: "$2.50", 999.99: "$999.99", 12345.6: "$12346", -0.0048: "-$0.0048", -1.5: "-$1.50"}
    assert {usd: dollars(usd) for usd in sums} == sums
    assert dollars(0.1 + 0.2 - 0.3) == "$0.00"
    assert money(line(runs=1)) == "unknown" and money(line()) == "-"
    assert money(line(runs=2, cost_usd=1.0, unpriced=1)) == "$1.00+" and money(line(runs=1, cost_usd=0.0)) == "$0.00"


def test_days_budgets_and_quota_are_pictured(capsys: pytest.CaptureFixture[str]) -> None:
    days = [line(key=f"2026-11-1{n}", title="", runs=1, cost_usd=float(n)) for n in range(1, 4)]
    view = UsageView(
        by="day",
        since=None,
        lines=days,
        total=line(runs=3, cost_usd=6.0),
        days=days,
        gate_runs=2,
        gate_seconds=90.0,
        budgets=convert(
            [
                {"of": "day", "unit": "usd", "used": 3.0, "most": 20.0, "item": None},
                {"of": "item", "unit": "tokens", "used": 2e6, "most": 2e6, "item": "7"},
                {"of": "item", "unit": "seconds", "used": 0, "most": 7200, "item": None},
            ],
            type=list[BudgetLine],
        ),
        windows=[],
        pauses=[],
    )
    usage(view)
    out = capsys.readouterr().out
    bars = [row.count("█") + row.count("#") for row in out.splitlines() if row.startswith("11-1")]
    assert len(bars) == 3 and bars[0] < bars[1] < bars[2]
    assert "the day (UTC), in money  $3.00 of $20.00 used, 15%\n" in out
    assert "an item, in tokens       2.0M of 2.0M tokens used: used up (#7)\n" in out
    assert "an item, in time         nothing of 2h used\n" in out and "2 runs of gates and landings, 2m" in out
    words = " ".join(out.split())
    ends = "none begins before midnight (UTC) or moot resume.", "and you are asked whether it goes on."
    assert all(words.count(end) == 1 for end in ends), "what happens at its end is said once of each"
