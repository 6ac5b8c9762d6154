"""What a person sees: readable for everybody, no harm by what agents wrote, and no more than their role may do."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.some import some
from tests.web.browser import PATIENCE, Visitor, until, visiting
from tests.web.shots import SCHEMES, opened, pages
from tests.web.stage import HOSTILE, Stage

Staged = tuple[Stage, dict[str, str]]
expect.set_options(timeout=PATIENCE)
AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
needs_axe = pytest.mark.skipif(not AXE.is_file(), reason="NOT TESTED: axe-core is not installed (make web)")


EVERYTHING = "{ resultTypes: ['violations'] }"
COLOURS = "{ resultTypes: ['violations'], runOnly: ['color-contrast'] }"


def violations(page: Page, rules: str) -> list[str]:
    if not page.evaluate("'axe' in window"):
        page.add_script_tag(path=AXE)
    found: Any = page.evaluate(f"axe.run(document, {rules})")
    return [
        f"{page.url}: {one['id']}: {one['help']}: {node['html'][:160]} {node.get('failureSummary', '')[:200]}"
        for one in found["violations"]
        for node in one["nodes"][:3]
    ]


def looked_at(browser: Browser, shared: Staged, scheme: str, width: int, rules: str) -> str:
    stage, names = shared
    options = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme, "reduced_motion": "reduce"}
    found = []
    # The page lets no script in but its own; for this test alone the browser does.
    with visiting(browser, stage.server, bypass_csp=True, **options) as visitor:
        page = visitor.sign_in()
        for name, path in pages(names).items():
            page.goto(f"{visitor.address}/#{path}")
            expect(
                page.locator(".drawer h1, .drawer h2" if name in ("item", "changes") else "main h1").first
            ).to_be_attached()
            found += violations(page, rules)
        page.goto(f"{visitor.address}/#/")
        for sheet in ("keys", "palette", "add", "move", "peek"):
            opened(page, sheet)
            found += violations(page, rules)
            page.keyboard.press("Escape")
            expect(page.locator("dialog, .peek")).to_have_count(0)
    return "\n".join(found)


@needs_axe
def test_no_page_has_a_barrier_that_axe_finds(browser: Browser, shared: Staged) -> None:
    found = looked_at(browser, shared, "light", 1440, EVERYTHING)
    assert not found, found


@needs_axe
def test_every_word_can_be_read_in_the_dark(browser: Browser, shared: Staged) -> None:
    found = looked_at(browser, shared, "dark", 1440, COLOURS)
    assert not found, found


@needs_axe
@pytest.mark.slow
@pytest.mark.parametrize("scheme", SCHEMES)
def test_no_page_of_a_phone_has_a_barrier_that_axe_finds(browser: Browser, shared: Staged, scheme: str) -> None:
    found = looked_at(browser, shared, scheme, 390, EVERYTHING)
    assert not found, found


@pytest.mark.parametrize("width", some([390, 1440], [390]))
def test_what_agents_wrote_is_text_and_breaks_no_layout(browser: Browser, shared: Staged, width: int) -> None:
    stage, names = shared
    with visiting(browser, stage.server, viewport={"width": width, "height": 900}) as visitor:
        page = visitor.sign_in()
        expect(page.locator(f'[data-card="{names["hostile"]}"]')).to_contain_text(HOSTILE)
        expect(page.locator(".question", has_text="onerror").locator("h3")).to_have_text(HOSTILE)
        for path in pages(names).values():
            page.goto(f"{visitor.address}/#{path}")
            page.wait_for_timeout(200)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
            assert page.evaluate("window.pwned") is None, path
            assert page.locator("img[src=x]").count() == 0
        assert not visitor.faults, visitor.faults


def test_who_only_looks_is_offered_nothing_to_do(browser: Browser, shared: Staged) -> None:
    stage, _names = shared
    token = stage.server.token(f"wall-{id(browser)}", "observer")
    headers = {"Authorization": f"Bearer {token}"}
    with visiting(browser, stage.server, extra_http_headers=headers) as visitor:
        visitor.context.add_init_script("delete window.SharedWorker")  # Playwright gives a worker no headers
        page = visitor.tab()
        expect(page.locator(".header")).to_contain_text("You only look")
        expect(page.locator(".question").first).to_be_visible()
        expect(page.get_by_role("button", name="New", exact=True)).to_have_count(0)
        expect(page.locator(".question-option, .question-own")).to_have_count(0)
        page.keyboard.press("n")
        page.keyboard.press("j")
        page.keyboard.press("m")
        expect(page.locator("dialog")).to_have_count(0)


def test_a_strange_browser_is_told_how_to_get_in(browser: Browser, shared: Staged) -> None:
    stage, _names = shared
    with visiting(browser, stage.server) as visitor:
        page = visitor.context.new_page()
        page.goto(visitor.address)
        expect(page.get_by_role("heading")).to_have_text("This board does not know your browser yet")
        expect(page.locator("pre")).to_have_text("moot token link")


def test_the_first_screen_says_what_moves_and_what_it_cost(looker: Visitor) -> None:
    page = looker.sign_in()
    expect(page.locator(".pulse")).to_contain_text("3 working")
    expect(page.locator(".pulse")).to_contain_text("next landing #")
    expect(page.locator(".pulse")).to_contain_text("today")


def test_a_card_has_its_lines_in_a_fixed_order(looker: Visitor, shared: Staged) -> None:
    page = looker.sign_in()
    coding = page.locator(f'[data-card="{shared[1]["coding"]}"]')
    classes = coding.evaluate("card => [...card.children].map(child => child.classList[0])")
    assert classes == ["card-title", "card-state", "card-doing", "card-means", "card-bar"]
    expect(coding.locator(".card-rungs")).to_have_attribute("aria-label", "sonnet, step 2 of 3 on its ladder")
    expect(page.locator(f'[data-card="{shared[1]["waiting"]}"] .card-still')).to_have_text(
        f"waits for #{shared[1]['story']}"
    )


def test_empty_columns_fold_and_those_off_the_way_are_there_only_with_something_in_them(looker: Visitor) -> None:
    page = looker.sign_in()
    expect(page.locator('[data-column="tests"]')).to_have_class("column is-flow is-folded  ")
    expect(page.locator('[data-column="dispute-test-vs-dev"]')).to_be_visible()
    expect(page.locator('[data-column="needs-human"]')).to_have_count(0)


def test_the_back_button_goes_back(looker: Visitor, shared: Staged) -> None:
    page = looker.sign_in()
    page.locator(f'[data-card="{shared[1]["coding"]}"] h3').click()
    until(page, f"location.hash === '#/item/{shared[1]['coding']}'")
    page.go_back()
    until(page, "['', '#/'].includes(location.hash)")
    expect(page.locator(".columns")).to_be_visible()
