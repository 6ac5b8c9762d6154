"""One item in its drawer: its story, what it changed, its runs, what was said, what proves it."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.doors.http.served import Served, served
from tests.some import some
from tests.web.browser import PATIENCE, Visitor, visiting
from tests.web.conftest import assert_at_home
from tests.web.world import lively

expect.set_options(timeout=PATIENCE)
TABS = ("story", "changes", "runs", "talk", "proof")
SMALL = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("world")
    yard = lively(folder)
    yard.board.close()
    with served(folder) as server:
        yield server


@pytest.fixture
def person(browser: object, world: Served) -> Iterator[Visitor]:
    with visiting(browser, world) as made:  # type: ignore[arg-type]
        made.sign_in().close()
        yield made
        assert not made.faults, made.faults
        assert_at_home(made)


def opened(person: Visitor, item: str, tab: str = "story") -> Page:
    page = person.tab(f"/item/{item}/{tab}")
    expect(page.get_by_role("tab", selected=True)).to_have_text(re.compile(f"^{tab.capitalize()}"))
    return page


def test_each_tab_has_an_address_and_keys_lead_through_them(person: Visitor) -> None:
    page = person.tab("/")
    page.locator('[data-card="1"]').first.click()
    drawer = page.get_by_role("dialog")
    expect(drawer.get_by_role("heading", name="Limit tries to sign in")).to_be_visible()
    for tab in TABS[1:]:
        page.keyboard.press("]")
        expect(page.get_by_role("tabpanel")).to_have_attribute("aria-labelledby", f"item-tab-{tab}")
        assert page.url.endswith(f"#/item/1/{tab}")
    page.go_back()
    expect(page.get_by_role("tab", name="Talk")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Escape")
    expect(drawer).to_have_count(0)
    assert page.evaluate("document.activeElement.closest('[data-card=\\'1\\']') !== null"), "the focus is where it was"


def test_the_story_has_a_row_for_each_run_and_gate_with_its_outcome(person: Visitor, world: Served) -> None:
    page = opened(person, "1")
    runs = world.get("show", item="1").json["runs"]
    expect(page.locator(".bar")).to_have_count(len(runs))
    expect(page.get_by_role("button", name="check 1: red")).to_be_visible()
    expect(page.get_by_role("button", name="check 2: green")).to_be_visible()
    expect(page.get_by_role("img", name="Answered after")).to_have_count(1)
    page.get_by_role("button", name="compact").click()
    expect(page.locator(".lane-agent")).to_have_count(3)
    expect(page.locator(".bar")).to_have_count(len(runs))
    page.get_by_role("button", name="check 1: red").click()
    expect(page.locator(".run-opened")).to_contain_text("FAILED the sixth try was let in")


def test_a_slider_goes_back_in_time_and_shows_the_item_as_it_was(person: Visitor, world: Served) -> None:
    page = opened(person, "1")
    events = world.get("log", item="1").json["events"]
    answered = next(at for at, one in enumerate(events) if one["event"] == "divine_response_received")
    page.get_by_role("slider").fill(str(answered - 1))
    was = page.locator(".as-it-was")
    expect(was).to_contain_text("Needs you")
    expect(was).to_contain_text("in dev")
    expect(was).to_contain_text("2 runs so far")
    expect(page.locator(".bar")).to_have_count(2)
    expect(page.locator(".asked-open")).to_have_count(1)
    page.locator(".drawer-body").click(position={"x": 5, "y": 5})
    for _ in range(answered):
        page.keyboard.press(",")
    expect(was).to_contain_text("0 runs so far")
    page.get_by_role("button", name="Back to now").click()
    expect(was).to_have_count(0)
    expect(page.locator(".bar")).to_have_count(len(world.get("show", item="1").json["runs"]))


def test_a_diff_is_read_by_keys_and_ticks_last_until_the_file_changes(person: Visitor) -> None:
    page = opened(person, "1", "changes")
    files = page.locator(".file")
    expect(files).to_have_count(4)
    page.keyboard.press("j")
    expect(files.nth(0).locator(".file-fold")).to_be_focused()
    page.keyboard.press("j")
    page.keyboard.press("v")
    expect(files.nth(1).get_by_role("checkbox")).to_be_checked()
    expect(files.nth(1).locator(".line")).to_have_count(0)
    page.keyboard.press("n")
    expect(page.locator(".line-number:focus")).to_have_attribute("data-kind", "added")
    page.reload()
    expect(page.get_by_text("1 of 4 reviewed")).to_be_visible()
    key = page.evaluate("Object.keys(localStorage).find((key) => key.endsWith(':1:ticks'))")
    page.evaluate(
        '(key) => localStorage.setItem(key, localStorage.getItem(key).replace(/"[0-9a-f]{16}"/, \'"0"\'))', key
    )
    page.reload()
    expect(page.get_by_text("it has changed since")).to_be_visible()
    expect(page.get_by_text("0 of 4 reviewed")).to_be_visible()


def test_lines_stand_side_by_side_with_their_words_marked(person: Visitor) -> None:
    page = opened(person, "1", "changes")
    page.get_by_role("combobox", name="Which change").select_option(index=1)
    page.get_by_role("button", name="split").click()
    pair = page.locator(".row-pair", has=page.locator(".line-removed"), has_text="MOST").first
    expect(pair.locator(".line-removed mark")).to_have_text("5")
    expect(pair.locator(".line-added mark")).to_have_text("MOST")
    page.keyboard.press("u")
    expect(page.locator(".row-pair")).to_have_count(0)


def test_what_is_being_written_stays_while_the_item_changes(person: Visitor, world: Served) -> None:
    page = opened(person, "3", "talk")
    field = page.get_by_role("textbox", name="Comment on the item")
    field.fill("I am still writing")
    top = page.locator(".drawer-body").evaluate("(body) => (body.scrollTop = 40, body.scrollTop)")
    assert world.post("comment", item="3", content="Somebody else was quicker").status == 200
    expect(page.get_by_text("Somebody else was quicker")).to_be_visible()
    expect(field).to_be_focused()
    expect(field).to_have_value("I am still writing")
    assert page.locator(".drawer-body").evaluate("(body) => body.scrollTop") == top


def test_a_person_ends_a_quarrel(person: Visitor, world: Served) -> None:
    page = opened(person, "2", "talk")
    rounds = page.get_by_role("group", name="Round")
    expect(rounds).to_have_count(2)
    expect(rounds.nth(0).locator(".dispute-said").nth(1)).to_contain_text("The story says per address")
    expect(page.get_by_text("You decide, at the top.")).to_be_visible()
    expect(page.locator(".drawer .button.main")).to_have_count(1)
    page.get_by_role("radio", name="tester is right").check()
    page.locator(".drawer").get_by_role("button", name="Answer", exact=True).click()
    expect(page.get_by_text("Settled: tester was right.")).to_be_visible()
    item = world.get("show", item="2").json
    assert (item["column"], item["comments"][0]["resolution"]) == ("dev", "rejected")


def test_a_change_goes_back_with_two_comments_that_its_agent_is_told(person: Visitor, world: Served) -> None:
    page = opened(person, "1", "changes")
    expect(page.locator(".file")).to_have_count(4)
    made = page.locator('.file[data-path="limits.py"]')
    hint = page.get_by_text("To comment, choose a line by its number.")
    expect(hint).to_be_visible()
    made.locator('.line-number[data-line="6"]').click()
    page.get_by_role("textbox", name="Comment on limits.py, line 6").fill("Say where the five comes from.")
    page.get_by_role("button", name="Add comment").click()
    first, last = (made.locator(f'.line-number[data-line="{line}"]') for line in (15, 17))
    first.scroll_into_view_if_needed()
    first.hover()
    page.mouse.down()
    last.hover()
    page.mouse.up()
    box = page.get_by_role("textbox", name="Comment on limits.py, lines 15 to 17")
    box.fill("An address that never comes back is kept for ever.")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("button", name="Send back with 2 comments")).to_be_visible()
    expect(hint).to_have_count(0)
    expect(page.locator(".drawer .button.main")).to_have_count(1)
    page.reload()
    expect(page.locator(".draft")).to_have_count(2)
    page.keyboard.press("s")
    expect(page.locator(".draft")).to_have_count(0)
    item = world.get("show", item="1").json
    told = [(one["file"], one["line"], one["issue"]) for one in item["findings"]]
    assert told == [
        ("limits.py", 6, "Say where the five comes from."),
        ("limits.py", 15, "Lines 15 to 17: An address that never comes back is kept for ever."),
    ]
    page.get_by_role("tab", name="Proof").click()
    expect(page.get_by_text("Would not land now: 2 findings are open.")).to_be_visible()
    claim = world.post("claim", agent="dev", item="1").json
    assert [one["issue"] for one in claim["brief"]["findings"]] == [issue for _, _, issue in told]


def test_on_a_small_screen_the_focus_stays_in_the_item(browser: object, world: Served) -> None:
    with visiting(browser, world, viewport=SMALL) as person:  # type: ignore[arg-type]
        person.sign_in().close()
        page = opened(person, "1", "proof")
        expect(page.get_by_role("dialog")).to_have_attribute("aria-modal", "true")
        inside = "document.querySelector('.drawer').contains(document.activeElement)"
        page.keyboard.press("Shift+Tab")
        assert page.evaluate(inside) and page.evaluate("document.activeElement.matches('summary')"), (
            "the last comes first"
        )
        page.keyboard.press("Tab")
        assert page.evaluate(inside) and page.evaluate("document.activeElement.matches('.drawer-bar button')")


@pytest.mark.parametrize("size", some([SMALL, {"width": 1440, "height": 900}], [SMALL]))
def test_hostile_words_run_nothing_and_break_no_layout(browser: object, world: Served, size: dict[str, int]) -> None:
    with visiting(browser, world, viewport=size) as person:  # type: ignore[arg-type]
        person.sign_in().close()
        page = opened(person, "3")
        for tab in TABS:
            page.get_by_role("tab", name=tab.capitalize()).click()
            expect(page.get_by_role("tabpanel")).to_have_attribute("aria-labelledby", f"item-tab-{tab}")
            if tab == "changes":
                expect(page.locator(".unseen").first).to_have_text("U+202E")
            if tab == "runs":
                page.locator(".run-head").last.click()
                expect(page.locator(".output")).to_contain_text("onerror")
            assert page.evaluate("window.hit") is None
            wide = "(body) => body.scrollWidth <= body.clientWidth"
            assert page.locator(".drawer-body").evaluate(wide), tab
            assert page.locator(".drawer-body img, .drawer-body script").count() == 0
        assert not person.faults, person.faults
        assert_at_home(person)
