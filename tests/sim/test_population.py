"""A flow tried out: the numbers come from the population, the rest from the real rules, and a seed repeats it all."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from folkmoot.core.flow import Flow
from folkmoot.engine.checking.audit import Audit
from folkmoot.engine.engine import Engine
from folkmoot.flows.load import load_flow
from folkmoot.flows.preset import FLOW_FILE, preset_names, read_preset
from folkmoot.sim.population.population import Population
from folkmoot.sim.population.read import PopulationFaults, default_population, population_from
from folkmoot.sim.population.trial import Trial
from folkmoot.sim.population.trials import try_flow
from folkmoot.store.sql.writing import SqlTransaction
from tests.some import some

SMALL = """
flow: small
start: build
columns:
  build: {agents: [builder], next: check}
  check: {agents: [checker], next: done, fix: build}
agents:
  builder: {ladder: {0-1: cheap, 2-3: dear, 4+: escalate}}
  checker: {ladder: {0+: cheap}}
reasons: {unknown: you}
"""
YOU = "  you: {human: true}\n"
# Everybody can do everything, at once, and says so.
FLAWLESS = """
luck: 0
models: {default: {success: 1, minutes: 10, cost_usd: 1}}
roles:
  maker:
    {crash: 0, transient: 0, garbled: 0, asks: 0, disputes: 0, incomplete: 0, too_large: 0, stuck: {}, distinct: 1}
  checker: {success: 1, crash: 0, transient: 0, garbled: 0, disputes: 0, changes: 0, critical: 0}
items: {count: 6, hard: 0}
"""


def preset(name: str) -> Flow:
    files = read_preset(name)
    return load_flow(files[FLOW_FILE], FLOW_FILE, files.get)


@pytest.fixture(scope="module")
def small() -> Flow:
    return load_flow(SMALL.replace("agents:\n  builder", f"{YOU}agents:\n  builder"), "small.yaml", lambda _: None)


def flawless(flow: Flow, more: str = "") -> Population:
    """The flawless population with some lines in place of its own."""
    said = {line.split(":")[0]: line for line in more.splitlines() if line}
    kept = [line for line in FLAWLESS.splitlines() if line.strip().split(":")[0] not in said]
    return population_from("\n".join([*kept, *said.values()]), "some.yaml", flow)[0]


def one(flow: Flow, population: Population, **wishes: Any) -> dict[str, Any]:
    view = try_flow(flow, population, [1], **wishes)
    trial: dict[str, Any] = view["trials"][0]
    assert trial["broken"] == []
    return trial


def test_the_same_seed_gives_the_same_table_byte_for_byte() -> None:
    flow = preset("kanban")
    tables = [msgspec.json.encode(try_flow(flow, default_population(flow), [7, 8], items=12)) for _ in range(2)]
    assert tables[0] == tables[1]


def test_another_seed_gives_another_table() -> None:
    flow = preset("kanban")
    trials = try_flow(flow, default_population(flow), range(4), items=12)["trials"]
    assert len({msgspec.json.encode({**trial, "seed": 0}) for trial in trials}) == 4


def test_who_can_do_everything_needs_one_run_in_each_column(small: Flow) -> None:
    trial = one(small, flawless(small), slots=2)
    assert trial["items"]["done"] == trial["items"]["count"] == 6 and trial["success"] == 1
    assert trial["runs"]["count"] == 12 and trial["runs"]["wasted"] == 0 and trial["questions"]["asked"] == 0
    # Twelve runs of 5 to 15 minutes in two slots, at 0.50 to 1.50 each.
    assert 0.5 <= trial["hours"] <= 1.5 + 0.25
    assert 6 <= trial["cost_usd"] <= 18 and trial["cost_per_done_usd"] == pytest.approx(trial["cost_usd"] / 6, abs=0.01)


def test_items_that_come_one_by_one_take_as_long_as_they_come(small: Flow) -> None:
    trial = one(small, flawless(small, "items: {count: 5, hard: 0, arrive: every 2h}"))
    assert 8 < trial["hours"] < 9 and trial["median_item_hours"] < 0.6


def test_a_hard_item_fails_with_every_model_again_and_again(small: Flow) -> None:
    population = flawless(small, "items: {count: 4, hard: 1}\npeople: nobody")
    view = try_flow(small, replace(population), [1])
    trial = view["trials"][0]
    assert trial["items"]["asked"] == 4 and trial["success"] == 0 and trial["cost_per_done_usd"] is None
    assert [(s["agent"], s["model"], s["runs"], s["success"]) for s in view["agents"]] == [
        ("builder", "cheap", 8, 0.0),
        ("builder", "dear", 8, 0.0),
    ]


def test_a_stronger_model_does_what_a_weaker_one_cannot(small: Flow) -> None:
    models = "models: {cheap: {success: 0.3, minutes: 5}, dear: {success: 1, minutes: 5}}"
    view = try_flow(small, flawless(small, f"{models}\nitems: {{count: 60, hard: 0}}"), [1])
    cheap, dear = view["agents"][:2]
    assert view["trials"][0]["success"] == 1
    assert dear["success"] == 1.0
    # What is too difficult for the cheap one fails with it twice: 60 × 0.3 = 18 succeed at once, the others never.
    done = round(cheap["success"] * cheap["runs"])
    assert cheap["runs"] == 60 + (60 - done) and dear["runs"] == 60 - done and 10 <= done <= 28


def test_a_persons_word_makes_an_item_easier(small: Flow) -> None:
    people = "people: {answers_after: 1h, helps: 0.5}"
    trial = one(small, flawless(small, f"{people}\nitems: {{count: 4, hard: 1}}"))
    assert trial["items"]["done"] == 4 and trial["questions"] == {"asked": 4, "answered": 4}
    assert trial["hours"] > 1


def test_people_give_up_on_what_nobody_can_do(small: Flow) -> None:
    people = "people: {answers_after: 1m, helps: 0, gives_up_after: 2}"
    trial = one(small, flawless(small, f"{people}\nitems: {{count: 3, hard: 1}}"))
    assert trial["items"]["given_up"] == 3 and trial["questions"]["answered"] == 6


def test_what_is_tried_again_unchanged_is_a_wasted_run(small: Flow) -> None:
    text = FLAWLESS.replace("distinct: 1", "distinct: 0").replace("hard: 0", "hard: 1") + "people: nobody\n"
    assert one(small, population_from(text, "some.yaml", small)[0])["runs"]["repeats"] > 0


@pytest.mark.parametrize("trait, counted", [("crash", "lapsed"), ("garbled", "protocol"), ("transient", "transient")])
def test_each_fault_is_counted_under_its_name(small: Flow, trait: str, counted: str) -> None:
    text = f"agents: {{builder: {{{trait}: 0.3}}, checker: {{{trait}: 0}}}}"
    trial = one(small, flawless(small, f"{text}\nitems: {{count: 20, hard: 0}}"))
    wasted = {key: number for key, number in trial["runs"].items() if number and key not in ("count", "wasted")}
    assert list(wasted) == [counted] and trial["runs"]["wasted"] == wasted[counted] >= 2


def test_a_run_that_dies_is_missed_when_its_lease_has_run_out(small: Flow) -> None:
    population = flawless(small, "agents: {builder: {crash: 1}}\npeople: nobody\nitems: {count: 1, hard: 0}")
    trial = Trial(small, population, 1, 1)
    trial.play()
    runs = list(trial.seen.runs.values())
    trial.close()
    assert [run.end for run in runs] == ["rescued"] * small.limits.executions
    assert any(run.renewals for run in runs)
    for run in runs:
        # It was renewed while it lived, and rescued as soon as its last lease was over.
        assert run.ended_at is not None
        lived = run.renewals * run.lease / 3 + run.lease
        assert run.ended_at - run.started_at == pytest.approx(lived * 1000, abs=2)


def test_a_run_beyond_its_time_is_stopped(small: Flow) -> None:
    flow = replace(small, limits=replace(small.limits, timeout=60.0))
    trial = one(flow, flawless(flow, "people: nobody"))
    assert trial["items"]["done"] == 0 and trial["runs"]["transient"] == trial["runs"]["count"] > 0


def test_a_checker_sends_work_back_as_often_as_it_is_told(small: Flow) -> None:
    trial = one(small, flawless(small, "agents: {checker: {changes: 1, findings: 2}}\npeople: nobody"))
    assert trial["items"]["asked"] == 6
    assert trial["runs"]["count"] == 6 * 2 * small.limits.feedback_rounds


def test_disputes_are_opened_and_settled(small: Flow) -> None:
    text = "agents: {checker: {disputes: 0.5, agrees: 0.5}, builder: {agrees: 0.5}}"
    trial = Trial(small, flawless(small, f"{text}\nitems: {{count: 10, hard: 0}}"), 1, 4)
    trial.play()
    names = [event.name for event in trial.store.read(lambda reading: reading.events(0, limit=10_000))]
    trial.close()
    assert names.count("dispute_opened") > 2 and names.count("dispute_answered") and names.count("dispute_settled")
    assert {item.status for item in trial.seen.items.values()} == {"done"}


def moments(trial: Trial) -> Iterator[Audit]:
    """The board after everything that happened at one moment, moment by moment, by its log."""
    audit = Audit()
    events = trial.store.read(lambda reading: reading.events(0, limit=100_000))
    for _, together in groupby(events, key=lambda event: event.time):
        audit.feed(together)
        yield audit


@pytest.mark.parametrize("slots", [1, 3])
def test_slots_are_never_exceeded_and_never_idle_while_there_is_work(slots: int) -> None:
    flow = preset("kanban")
    population = default_population(flow)
    trial = Trial(flow, replace(population, items=replace(population.items, count=8)), 3, slots)
    trial.play()
    full = 0
    for audit in moments(trial):
        assert len(audit.open_runs) <= slots
        full += len(audit.open_runs) == slots
        items: dict[str, Any] = audit.tables.get("items", {})
        ready = [i for i in items.values() if i.status == "ready" and i.wake_at <= audit.time]
        assert not ready or len(audit.open_runs) == slots, f"{ready[0].id} could have been taken at {audit.time}"
    trial.close()
    assert full > 50


def test_more_slots_are_faster_with_the_same_items() -> None:
    flow = preset("kanban")
    hours = [one(flow, default_population(flow), items=15, slots=slots)["hours"] for slots in (1, 2, 8)]
    assert hours[0] > hours[1] > hours[2]


def test_dependencies_and_declared_files_are_part_of_the_items(small: Flow) -> None:
    text = "items: {count: 12, hard: 0, after: 1, files: {each: 2, of: 40}, types: {bugfix: 1}}"
    trial = Trial(small, flawless(small, text), 1, 4)
    trial.play()
    items = [trial.seen.items[name] for name in trial.brought]
    trial.close()
    assert all(len(item.files) == 2 and item.type == "bugfix" for item in items)
    assert [len(item.after) for item in items] == [0] + [1] * 11


@pytest.mark.parametrize("name", preset_names())
@pytest.mark.parametrize("seed", some([1, 2], [1]))
def test_every_preset_ends_with_the_default_population(name: str, seed: int) -> None:
    flow = preset(name)
    view = try_flow(flow, default_population(flow), [seed], items=10)
    trial = view["trials"][0]
    assert trial["broken"] == []
    ended = sum(trial["items"][end] for end in ("done", "given_up", "failed", "asked", "waiting"))
    assert ended == 10 and trial["items"]["done"] >= 6
    # Nobody stands idle who has a place on the way.
    working = {share["agent"] for share in view["agents"]}
    assert {agent for stage in flow.stages() for agent in flow.columns[stage].agents} <= working
    assert flow.gates.keys() <= working


ROUGH = """
people: nobody
luck: 0.6
models: {default: {success: 0.45}}
roles:
  maker: {crash: 0.05, garbled: 0.1, asks: 0.05, disputes: 0.1, distinct: 0.5, too_large: 0.08, delegates: 0.2}
  checker: {changes: 0.5, critical: 0.05, disputes: 0.1}
  splitter: {overlap: 0.6, delegates: 0.2}
  gate: {red: 0.4, crash: 0.05}
items: {count: 8, after: 0.3, hard: 0.2, files: {each: 2, of: 12}, arrive: every 15m}
"""


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_comes_to_rest_when_much_goes_wrong_and_nobody_is_there(name: str) -> None:
    flow = preset(name)
    view = try_flow(flow, population_from(ROUGH, "rough.yaml", flow)[0], range(1, 4))
    assert [trial["broken"] for trial in view["trials"]] == [[], [], []]
    assert sum(trial["items"]["asked"] for trial in view["trials"]) > 0


def test_with_nobody_there_what_was_asked_stays_asked() -> None:
    flow = preset("kanban")
    population, _ = population_from("people: nobody\nroles: {maker: {asks: 0.3}}", "alone.yaml", flow)
    trial = one(flow, population, items=10)
    assert trial["items"]["asked"] >= 5 and trial["questions"]["answered"] == 0


def test_a_broken_promise_is_named(small: Flow, monkeypatch: pytest.MonkeyPatch) -> None:
    true_save = SqlTransaction.save

    def forgetful(self: SqlTransaction, events: Any, rows: Any, places: Any) -> None:
        wrong = [(table, replace(row, title="?") if table == "items" else row, new) for table, row, new in rows]
        true_save(self, events, wrong, places)

    monkeypatch.setattr(SqlTransaction, "save", forgetful)
    view = try_flow(small, flawless(small), [5])
    assert not view["ok"] and any("I14" in words for words in view["trials"][0]["broken"])


def test_an_engine_that_breaks_is_named_and_leaves_the_other_trials(
    small: Flow, monkeypatch: pytest.MonkeyPatch
) -> None:
    true_act, acts = Engine.act, []

    def breaks_once(self: Engine, *arguments: Any, **more: Any) -> Any:
        acts.append(1)
        if len(acts) == 3:
            raise ValueError("a hole")
        return true_act(self, *arguments, **more)

    monkeypatch.setattr(Engine, "act", breaks_once)
    view = try_flow(small, flawless(small), [1, 2])
    assert view["trials"][0]["broken"] == ["the engine broke: ValueError: a hole"]
    assert view["trials"][1]["broken"] == [] and view["trials"][1]["items"]["done"] == 6


FAULTS = {
    "people: {answer_after: 20m}": "p.yaml:1:10: people.answer_after: unknown key — did you mean 'answers_after'?",
    "people: {answers_after: soon}": "p.yaml:1:25: people.answers_after: 'soon' is not a time span",
    "people: nobdy": "p.yaml:1:9: people: 'nobdy' is not known here — did you mean 'nobody'?",
    "people: {decides: best}": "p.yaml:1:19: people.decides: 'best' is not known here",
    "agents:\n  bilder: {success: 1}": "p.yaml:2:3: agents.bilder: the flow small has no agent and no gate 'bilder'"
    " — did you mean 'builder'?",
    "agents: {builder: {succes: 1}}": "p.yaml:1:20: agents.builder.succes: unknown key — did you mean 'success'?",
    "agents: {builder: {success: 1.5}}": "p.yaml:1:29: agents.builder.success: '1.5' is out of range"
    " — write one from 0 to 1",
    "agents: {builder: {success: {dear: x}}}": "p.yaml:1:36: agents.builder.success.dear: 'x' is not a number",
    "agents: {builder: {stuck: {unknow: 0.1}}}": "p.yaml:1:28: agents.builder.stuck.unknow: the flow small has no"
    " reason 'unknow' — did you mean 'unknown'?",
    "roles: {builder: {asks: 1}}": "p.yaml:1:9: roles.builder: unknown key",
    "models: {cheap: {crash: 1}}": "p.yaml:1:18: models.cheap.crash: unknown key",
    "items: {count: 0}": "p.yaml:1:16: items.count: '0' is out of range — write one from 1 to 2000",
    "items: {count: 2.5}": "p.yaml:1:16: items.count: 2.5 is not a whole number",
    "items: {arrive: often}": "p.yaml:1:17: items.arrive: 'often' is not known here — write all, or every 10m",
    "items: {arrive: every day}": "p.yaml:1:17: items.arrive: 'day' is not a time span",
    "items: {types: {featur: 1}}": "p.yaml:1:17: items.types.featur: unknown key — did you mean 'feature'?",
    "luck: -1": "p.yaml:1:7: luck: '-1' is not a number",
    "- a list": "p.yaml:1:1: a population is a mapping of keys to values",
    "items: [": "p.yaml:1:9: this is not YAML",
}


@pytest.mark.parametrize("text", FAULTS)
def test_a_fault_is_named_with_its_place_and_a_suggestion(small: Flow, text: str) -> None:
    with pytest.raises(PopulationFaults) as caught:
        population_from(text, "p.yaml", small)
    assert str(caught.value.faults[0]).startswith(FAULTS[text]), str(caught.value.faults[0])


def test_all_faults_are_named_at_once_in_the_order_of_the_file(small: Flow) -> None:
    with pytest.raises(PopulationFaults) as caught:
        population_from("luck: 2\nitems: {count: x}\npeople: {helps: 7}\n", "p.yaml", small)
    assert [fault.line for fault in caught.value.faults] == [1, 2, 3] and "3 faults" in caught.value.message


def test_a_model_that_no_ladder_names_is_a_warning(small: Flow) -> None:
    _, warnings = population_from("models: {chep: {success: 1}}", "p.yaml", small)
    assert len(warnings) == 1 and "did you mean 'cheap'?" in warnings[0]


@pytest.mark.parametrize("text", ["", "# nothing\n", "people:\n"])
def test_a_population_that_says_nothing_is_the_default_one(small: Flow, text: str) -> None:
    population, base = population_from(text, "p.yaml", small)[0], default_population(small)
    assert (population.people, population.items, population.luck) == (base.people, base.items, base.luck)
    assert population.number("changes", "checker", "checker", "cheap") == 0.25


def test_the_most_particular_number_holds(small: Flow) -> None:
    text = """
models: {cheap: {success: 0.1}, default: {success: 0.2, minutes: 3}}
roles: {maker: {crash: 0.3}}
agents: {builder: {success: {dear: 0.4}, minutes: 9}}
"""
    population = population_from(text, "p.yaml", small)[0]

    def number(name: str, agent: str = "builder", role: str = "maker", model: str | None = "cheap") -> float:
        return population.number(name, agent, role, model)

    assert (number("success"), number("success", model="dear"), number("success", model=None)) == (0.1, 0.4, 0.2)
    assert (number("minutes"), number("minutes", "checker", "checker")) == (9, 3)
    assert (number("crash"), number("crash", "checker", "checker")) == (0.3, 0.01)
    # What the default population says of a role is not undone by what a model usually does.
    assert number("success", "checker", "checker") == 0.98 and number("minutes", "ward", "gate", None) == 3
