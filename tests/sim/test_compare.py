"""Two sides with the same seeds: equal sides do not differ, what is late changes nothing early, chance is called so."""

import os
import random
from collections import defaultdict
from typing import Any

import pytest
from msgspec.structs import replace

from folkmoot.core.flow import Flow
from folkmoot.errors import Invalid, NothingToDo, Unavailable
from folkmoot.flows.load import load_flow
from folkmoot.sim.population.calibrate import ENOUGH, calibrated
from folkmoot.sim.population.chance import Chance
from folkmoot.sim.population.compare import MEASURES, compare
from folkmoot.sim.population.ladders import read_said, with_ladders
from folkmoot.sim.population.paired import difference, t_95
from folkmoot.sim.population.population import Population
from folkmoot.sim.population.read import default_population, population_from
from folkmoot.sim.population.tally import Tally
from folkmoot.sim.population.trial import Trial
from folkmoot.sim.population.trials import Job, one_by_one, side_of
from folkmoot.wiring import process_pool

FLOW = """
flow: small
start: build
columns:
  build: {agents: [builder], next: check}
  check: {agents: [checker], next: ship, fix: build}
  ship: {agents: [shipper], next: done}
  you: {human: true}
agents:
  builder: {ladder: {0-1: cheap, 2-3: dear, 4+: escalate}}
  checker: {ladder: {0+: cheap}}
  shipper: {ladder: {0-2: cheap, 3+: escalate}}
reasons: {unknown: you}
"""
TEAM = """
models: {cheap: {success: 0.5, minutes: 5, cost_usd: 0.1}, dear: {success: 0.8, minutes: 10, cost_usd: 1}}
items: {count: 10}
"""


def read(text: str) -> Flow:
    return load_flow(text, "small.yaml", lambda _: None)


def team(flow: Flow, text: str = TEAM) -> Population:
    return population_from(text, "team.yaml", flow)[0]


@pytest.fixture(scope="module")
def small() -> Flow:
    return read(FLOW)


def rows(view: dict[str, Any]) -> dict[str, Any]:
    return {row["measure"]: row for row in view["measures"]}


# The same luck


def test_a_throw_depends_on_its_seed_its_subject_and_its_name_and_on_nothing_else() -> None:
    chance = Chance(1, "item 3", "dev", "dev-agent", 0)
    first = chance.roll("success")
    chance.roll("luck")
    assert chance.roll("success") == first == Chance(1, "item 3", "dev", "dev-agent", 0).roll("success")
    others = [Chance(2, "item 3", "dev", "dev-agent", 0), Chance(1, "item 3", "dev", "dev-agent", 1)]
    assert len({first, chance.roll("luck"), *(other.roll("success") for other in others)}) == 4
    assert Chance("a b", "c").roll("x") != Chance("a", "b c").roll("x")


def test_throws_are_spread_evenly() -> None:
    rolls = [Chance(1, "item", number).roll("difficulty") for number in range(2000)]
    assert all(0 <= roll < 1 for roll in rolls)
    tenths = [sum(part / 10 <= roll < (part + 1) / 10 for roll in rolls) for part in range(10)]
    assert min(tenths) > 150 and max(tenths) < 250
    chosen = [Chance(1, number).weighted("type", {"a": 0.5, "b": 0.25, "c": 0.25}) for number in range(1000)]
    assert 440 < chosen.count("a") < 560 and 200 < chosen.count("c") < 300


def test_two_equal_sides_have_no_difference_at_all(small: Flow) -> None:
    side = side_of(small, team(small))
    view = compare(side, side_of(read(FLOW), team(small)), [1, 2, 3])
    assert list(rows(view)) == list(MEASURES) and view["ok"]
    for row in view["measures"]:
        assert (row["difference"], row["low"], row["high"], row["verdict"]) == (0, 0, 0, "same"), row
    assert view["unclear"] == [] and view["more_seeds"] is None
    assert view["sides"]["a"]["trials"] == view["sides"]["b"]["trials"]


def efforts(flow: Flow, population: Population, seed: int) -> dict[tuple[str, str, int], tuple[object, ...]]:
    """What became of each effort, by its item, its agent and its number there."""
    trial = Trial(flow, population, seed, 3)
    trial.play()
    number: dict[tuple[str, str], int] = defaultdict(int)
    found: dict[tuple[str, str, int], tuple[object, ...]] = {}
    for run in sorted(trial.seen.runs.values(), key=lambda run: run.token):
        key = (run.item, run.agent)
        # What it cost stands for how long it took, which the log has rounded.
        found[(*key, number[key])] = (trial.spent[run.id].cost, run.model, run.end, run.outcome, run.cause)
        number[key] += 1
    trial.close()
    return found


@pytest.mark.parametrize("seed", [1, 2])
def test_a_change_in_a_late_column_changes_no_luck_before_it(small: Flow, seed: int) -> None:
    # Nobody answers, and nothing is sent back from there: both would be heard before it.
    alone = team(small, f"{TEAM}people: nobody\nagents: {{shipper: {{disputes: 0, stuck: {{}}, too_large: 0}}}}\n")
    other = with_ladders(small, read_said("shipper=0+:dear", "--ladder"))
    before, after = efforts(small, alone, seed), efforts(other, alone, seed)
    early = [key for key in before.keys() & after.keys() if key[1] != "shipper"]
    assert len(early) > 20 and [key for key in early if before[key] != after[key]] == []
    assert {key: before[key] for key in before if key[1] == "shipper"} != {
        key: after[key] for key in after if key[1] == "shipper"
    }


def test_tasks_meet_the_same_luck_whatever_numbers_they_get_on_the_board(small: Flow) -> None:
    trial = Trial(small, team(small), 1, 3)
    trial.play()
    names = {trial._name(item) for item in trial.seen.items.values()}
    trial.close()
    assert {f"item {number}" for number in range(10)} <= names and len(names) == len(trial.seen.items)


def test_pairing_by_seed_tells_what_unpaired_seeds_cannot(small: Flow) -> None:
    """A little is changed: with the same luck on both sides it shows, with other luck it drowns."""
    slower = team(small, TEAM.replace("minutes: 5", "minutes: 5.5"))
    a = [t.seconds for t in one_by_one([Job(side_of(small, team(small)), seed) for seed in range(1, 7)])]
    b = [t.seconds for t in one_by_one([Job(side_of(small, slower), seed) for seed in range(1, 7)])]
    paired, unpaired = difference([*a], [*b]), difference([*a], [*b[3:], *b[:3]])
    assert paired.high is not None and paired.low is not None and unpaired.high is not None and unpaired.low is not None
    assert paired.high - paired.low < (unpaired.high - unpaired.low) / 2


# What may be chance


def test_the_interval_is_that_of_student() -> None:
    found = difference([1, 2, 3, 4], [2, 4, 4, 6])
    assert (found.a, found.b, found.mean, found.pairs) == (2.5, 4.0, 1.5, 4)
    assert found.low == pytest.approx(0.581, abs=0.001) and found.high == pytest.approx(2.419, abs=0.001)
    assert found.is_clear and not found.is_none
    assert (
        t_95(9) == 2.262
        and t_95(25) == pytest.approx(2.060, abs=0.003)
        and t_95(199) == pytest.approx(1.972, abs=0.002)
    )


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    chance = random.Random(5)
    held = 0
    for _ in range(600):
        a = [chance.gauss(10, 3) for _ in range(6)]
        found = difference([*a], [value + 1 + chance.gauss(0, 2) for value in a])
        assert found.low is not None and found.high is not None
        held += found.low <= 1 <= found.high
    assert 0.93 <= held / 600 <= 0.97


def test_where_a_side_has_no_number_the_pair_is_left_out() -> None:
    found = difference([1.0, None, 3.0], [2.0, 5.0, 4.0])
    assert (found.pairs, found.mean, found.low, found.high) == (2, 1.0, 1.0, 1.0)
    nothing = difference([None], [2.0])
    assert (nothing.pairs, nothing.mean, nothing.a, nothing.b) == (0, None, None, 2.0) and not nothing.is_clear
    assert difference([1.0], [2.0]).low is None and difference([2.0], [2.0]).is_none


def test_better_is_more_success_and_less_of_the_rest(small: Flow) -> None:
    strong = team(small, TEAM.replace("success: 0.5", "success: 0.95").replace("success: 0.8", "success: 1"))
    alone = [replace(population, people=None) for population in (team(small), strong)]
    view = compare(side_of(small, alone[0]), side_of(small, alone[1]), list(range(1, 5)))
    found = rows(view)
    assert found["success"]["verdict"] == "better" and found["success"]["difference"] > 0
    assert found["questions"]["verdict"] == "better" and found["questions"]["difference"] < 0
    back = rows(compare(side_of(small, alone[1]), side_of(small, alone[0]), list(range(1, 5))))
    assert back["success"]["verdict"] == "worse" and back["success"]["difference"] == -found["success"]["difference"]


def test_what_cannot_be_told_is_called_unclear_and_more_seeds_are_named(small: Flow) -> None:
    a = side_of(small, team(small), items=4)
    b = side_of(with_ladders(small, read_said("shipper=0+:dear", "--ladder")), team(small), items=4)
    view = compare(a, b, [7, 8])
    assert view["unclear"] and view["more_seeds"] == "7-26"
    assert compare(a, b, [7])["measures"][3]["low"] is None


def test_the_curves_end_with_all_that_is_done(small: Flow) -> None:
    view = compare(side_of(small, team(small)), side_of(small, team(small), slots=1), [1, 2])
    curve = view["plots"]["finished"]
    for name in "ab":
        assert curve[name] == sorted(curve[name]) and curve[name][0] == 0
        assert curve[name][-1] == view["sides"][name]["mean"]["items"]["done"]
    # With one slot it takes longer: at every hour no more is finished.
    assert all(slow <= fast for fast, slow in zip(curve["a"], curve["b"], strict=True))
    spread = view["plots"]["item_cost_usd"]["a"]
    assert spread["least"] <= spread["low"] <= spread["lower"] <= spread["median"] <= spread["upper"] <= spread["most"]
    assert spread["count"] == 20


# Ladders and populations


@pytest.mark.parametrize(
    "said, words",
    [
        ("builder", "is no ladder"),
        ("builder=", "is no ladder"),
        ("=0+:cheap", "is no ladder"),
        ("builder=cheap", "is no ladder"),
        ("builder=0-1:cheap,,2+:dear", "is no ladder"),
        ("builder=1+:cheap", "must start at 0"),
        ("builder=0-1:cheap,3+:dear", "no model is named for 2 failures"),
        ("builder=0+:escalate", "nobody would ever try"),
        ("builder=x:cheap", "is no number of failures"),
    ],
)
def test_a_ladder_that_makes_no_sense_is_named(said: str, words: str) -> None:
    with pytest.raises(Invalid) as caught:
        read_said(said, "--ladder")
    assert caught.value.code == "bad_ladder" and words in caught.value.message and caught.value.hint


def test_a_ladder_is_for_an_agent_of_the_flow_and_a_model_may_have_a_colon(small: Flow) -> None:
    flow = with_ladders(small, read_said("builder= 0-1: qwen:7b , 2+:dear", "--ladder"))
    assert [(rung.low, rung.high, rung.model) for rung in flow.agents["builder"].ladder] == [
        (0, 1, "qwen:7b"),
        (2, None, "dear"),
    ]
    with pytest.raises(Invalid, match="no agent 'bulder'") as caught:
        with_ladders(small, read_said("bulder=0+:dear", "--ladder"))
    assert "builder" in caught.value.hint


def test_a_population_may_speak_of_the_agents_of_both_flows(small: Flow) -> None:
    other = read(FLOW.replace("shipper", "carrier"))
    text = "agents: {shipper: {success: 1}, carrier: {success: 0.5}}"
    for flow in (small, other):
        assert population_from(text, "p.yaml", flow, [small, other])[1] == []
    with pytest.raises(Invalid, match="carrier"):
        population_from(text, "p.yaml", small)


# On all cores


class Dying(Job, frozen=True):
    def play(self) -> Tally:
        os._exit(3)


def test_where_trials_are_played_changes_nothing(small: Flow, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = [Job(side_of(small, team(small), items=3), seed) for seed in range(1, 5)]
    alone = process_pool.play_all(jobs)
    assert [tally.seed for tally in alone] == [1, 2, 3, 4]
    monkeypatch.setattr(process_pool, "WORTH_IT", 1)
    monkeypatch.setattr(process_pool, "_cores", lambda: 2)
    told: list[tuple[int, int]] = []
    assert process_pool.play_all(jobs, lambda over, of: told.append((over, of))) == alone
    assert told == [(over, 4) for over in range(5)]
    with pytest.raises(Unavailable, match="seed 9 died"):
        process_pool.play_all([*jobs[:1], Dying(jobs[0].side, 9)])


# The figures of a board


def test_a_board_s_own_figures_come_back_from_it(small: Flow) -> None:
    known = """
people: {answers_after: 2h}
luck: 0
models: {cheap: {success: 0.6, minutes: 6, cost_usd: 0.2}, dear: {success: 0.8, minutes: 20, cost_usd: 3}}
roles: {maker: {garbled: 0.1, transient: 0, crash: 0, asks: 0.1, disputes: 0}, checker: {changes: 0.4, findings: 3}}
agents: {shipper: {success: 1, asks: 0}}
items: {count: 80, hard: 0, types: {bugfix: 1}, files: {each: 1, of: 400}}
"""
    trial = Trial(small, team(small, known), 1, 20)
    trial.play()
    view = trial.store.read(lambda reading: calibrated(reading, small))
    trial.close()
    text = view["population"]
    measured, warnings = population_from(text, "team.yaml", small)
    assert warnings == [] and measured.people is not None
    assert measured.people.answers_after == pytest.approx(7200, rel=0.1)
    assert measured.items.types == {"bugfix": 1} and measured.items.files_each == 1

    def number(name: str, agent: str, role: str, model: str) -> float:
        return measured.number(name, agent, role, model)

    assert number("success", "builder", "maker", "cheap") == pytest.approx(0.6, abs=0.12)
    # The dearer model only ever saw what the cheap one could not do.
    assert number("success", "builder", "maker", "dear") == pytest.approx(0.8, abs=0.12)
    assert number("minutes", "builder", "maker", "cheap") == pytest.approx(6, rel=0.1)
    assert number("cost_usd", "builder", "maker", "dear") == pytest.approx(3, rel=0.1)
    assert number("garbled", "builder", "maker", "cheap") == pytest.approx(0.1, abs=0.05)
    assert number("asks", "builder", "maker", "cheap") == pytest.approx(0.1, abs=0.05)
    assert number("changes", "checker", "checker", "cheap") == pytest.approx(0.4, abs=0.1)
    assert number("findings", "checker", "checker", "cheap") == pytest.approx(3, abs=0.7)
    assert view["agents"]["builder"] > 80 and "# maker" in text


def test_what_was_seen_too_seldom_stays_as_it_is_by_default_and_the_file_says_so(small: Flow) -> None:
    trial = Trial(
        small, team(small, f"{TEAM}luck: 0\nitems: {{count: 2, hard: 0}}\n".replace("items: {count: 10}\n", "")), 1, 2
    )
    trial.play()
    view = trial.store.read(lambda reading: calibrated(reading, small))
    trial.close()
    text = view["population"]
    assert "too few to tell; as default" in text and f"at least {ENOUGH} times" in text
    measured, usual = population_from(text, "team.yaml", small)[0], default_population(small)
    assert measured.items == usual.items and measured.people == usual.people
    assert measured.number("success", "checker", "checker", "cheap") == 0.98


def test_a_board_without_runs_has_nothing_to_measure(small: Flow) -> None:
    trial = Trial(small, team(small), 1, 2)
    with pytest.raises(NothingToDo) as caught:
        trial.store.read(lambda reading: calibrated(reading, small))
    trial.close()
    assert caught.value.code == "no_runs" and caught.value.exit_code == 3
