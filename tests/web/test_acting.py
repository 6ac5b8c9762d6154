"""A person acts on the board: answers, adds, moves, is refused with the reason, and sees what came of it."""

import re

from playwright.sync_api import Page, expect

from tests.web.browser import PATIENCE, Visitor, until
from tests.web.stage import Stage

Staged = tuple[Stage, dict[str, str]]
expect.set_options(timeout=PATIENCE)


def card(page: Page, item: str, column: str = "") -> str:
    return (f'[data-column="{column}"] ' if column else "") + f'[data-card="{item}"]'


def test_a_question_is_answered_in_place_and_the_item_goes_on(visitor: Visitor, stage: Staged) -> None:
    made, names = stage
    page = visitor.sign_in()
    question = page.locator(".question", has_text="May we delete the invoices")
    expect(question).to_contain_text("The law asks for ten years")
    question.get_by_role("button", name="Keep them for ten years").click()
    expect(question).to_have_count(0)
    expect(page.locator(card(page, names["asking"]))).not_to_contain_text("waits for your answer")
    expect(page.locator(".needs-count")).to_have_text("2")
    shown = made.server.get("show", item=names["asking"]).json
    assert [one["answer"] for one in shown["questions"]] == ["Keep them for ten years"]
    assert shown["status"] == "ready"


def test_an_open_question_takes_words_and_the_focus_goes_to_the_next(visitor: Visitor, stage: Staged) -> None:
    made, names = stage
    page = visitor.sign_in()
    field = page.get_by_label("Answer to: What shall the new plan be called?")
    field.fill("The long plan")
    field.press("Enter")
    expect(page.locator(".question")).to_have_count(2)
    until(page, "document.activeElement?.matches('[data-question]')")
    expect(page.locator(card(page, names["open_words"]))).not_to_contain_text("waits for your answer")
    assert "The long plan" in str(made.server.get("show", item=names["open_words"]).json["guidance"])


def test_a_refused_answer_stays_with_its_reason(visitor: Visitor, stage: Staged) -> None:
    made, names = stage
    page = visitor.sign_in()
    question = page.locator(".question", has_text="May we delete the invoices")
    visitor.context.set_offline(True)
    question.get_by_role("button", name="Keep them for ten years").click()
    expect(question.get_by_role("alert")).to_contain_text("The server does not answer")
    assert made.server.get("show", item=names["asking"]).json["status"] == "awaiting-divine-guidance"


def test_an_item_is_added_and_seen(visitor: Visitor, stage: Staged) -> None:
    made, _names = stage
    page = visitor.sign_in()
    page.get_by_role("button", name="New", exact=True).click()
    page.get_by_role("textbox", name="Title").fill("Write the page of prices")
    page.get_by_label("Details").fill("With all taxes.")
    page.get_by_label("Priority").select_option("high")
    page.get_by_label("Files").fill("docs/prices.md, docs/tax.md")
    page.get_by_role("button", name="Add", exact=True).click()
    found = page.locator("[data-card]", has_text="Write the page of prices")
    expect(found).to_be_visible()
    shown = made.server.get("show", item=found.get_attribute("data-card")).json
    assert (shown["body"], shown["priority"]) == ("With all taxes.", "high")
    assert shown["files"] == ["docs/prices.md", "docs/tax.md"]


def test_many_items_are_added_at_once_and_a_refused_one_stays_in_the_sheet(visitor: Visitor, stage: Staged) -> None:
    made, _names = stage
    page = visitor.sign_in()
    page.keyboard.press("n")
    page.get_by_role("textbox", name="Title").fill("First of many\nSecond of many\n-\nNever reached")
    page.get_by_role("button", name="Add 4 items").click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text("'-' is no title")
    expect(page.get_by_role("textbox", name="Title")).to_have_value("-\nNever reached")
    titles = [one["title"] for one in made.server.get("list").json["items"]]
    assert titles[-2:] == ["First of many", "Second of many"]


def test_a_forbidden_column_is_grey_and_says_the_rules_own_reason(visitor: Visitor, stage: Staged) -> None:
    made, names = stage
    page = visitor.sign_in()
    said = made.server.get("moves", item=names["done"]).json["moves"]
    reason = next(move["why"] for move in said if move["column"] == "dev" and not move["allowed"])
    page.locator(card(page, names["done"])).hover()
    page.mouse.down()
    page.locator('[data-column="dev"] h2').hover()
    page.locator('[data-column="dev"] h2').hover()  # the second makes the first a drag
    expect(page.locator('[data-column="dev"] .column-refused')).to_have_text(reason)
    page.mouse.up()
    expect(page.locator(".column-refused")).to_have_count(0)
    expect(page.locator("dialog")).to_have_count(0)


def test_a_move_says_what_begins_anew_and_the_card_goes_there(visitor: Visitor, stage: Staged) -> None:
    made, names = stage
    page = visitor.sign_in()
    page.locator(card(page, names["coding"])).focus()
    page.keyboard.press("m")
    page.get_by_role("radio", name="5 Review").click()
    said = made.server.get("moves", item=names["coding"]).json["moves"]
    resets = next(move["resets"] for move in said if move["column"] == "review")
    expect(page.locator(".move-resets")).to_contain_text(resets[0])
    page.get_by_label("Why").fill("it is good enough")
    page.keyboard.press("Enter")
    expect(page.locator(card(page, names["coding"], "review"))).to_be_visible()
    expect(page.locator("dialog")).to_have_count(0)


def test_a_move_that_came_too_late_is_refused_with_the_reason(visitor: Visitor, stage: Staged) -> None:
    made, names = stage
    page = visitor.sign_in()
    page.locator(card(page, names["queued"])).focus()
    page.keyboard.press("m")
    page.get_by_role("radio", name="2 Arch").click()
    made.ok("cancel", item=names["queued"])
    page.get_by_role("button", name="Move to Arch").click()
    expect(page.get_by_role("dialog").get_by_role("alert")).to_contain_text(f"item {names['queued']} is cancelled")


def test_a_card_is_dragged_to_another_column(visitor: Visitor, stage: Staged) -> None:
    made, names = stage
    page = visitor.sign_in()
    item = names["queued"]
    page.locator(card(page, item)).drag_to(page.locator('[data-column="dev"]'))
    expect(page.locator("dialog")).to_contain_text("Move #")
    page.keyboard.press("Enter")
    expect(page.locator(card(page, item, "dev"))).to_be_visible()
    assert made.server.get("show", item=item).json["column"] == "dev"


def test_the_menu_of_a_card_offers_what_can_be_done_now(visitor: Visitor, stage: Staged) -> None:
    _made, names = stage
    page = visitor.sign_in()
    page.locator(card(page, names["queued"])).hover()
    page.get_by_role("button", name=f"What can be done with #{names['queued']}").click()
    menu = page.get_by_role("menu")
    expect(menu.get_by_role("menuitem", name=re.compile("^Move"))).to_be_visible()
    expect(menu.get_by_role("menuitem", name=re.compile("^Reopen"))).to_have_count(0)
    menu.get_by_role("menuitem", name=re.compile("^Cancel")).click()
    page.get_by_role("button", name="Cancel the item").click()
    expect(page.locator(card(page, names["queued"], "done"))).to_contain_text("Cancelled")


def test_a_pause_stands_in_words_above_the_board(visitor: Visitor, stage: Staged) -> None:
    _made, _names = stage
    page = visitor.sign_in()
    page.locator("body").press("p")
    page.get_by_role("dialog").get_by_role("textbox").fill("lunch")
    page.keyboard.press("Enter")
    expect(page.locator(".pulse")).to_contain_text("The board is paused until somebody resumes it: lunch")
    page.locator("body").press("p")
    expect(page.locator(".pulse")).not_to_contain_text("paused")


def test_several_cards_are_chosen_and_what_is_refused_stays_chosen_with_its_reason(
    visitor: Visitor, stage: Staged
) -> None:
    made, _names = stage
    first, second, third = (made.add(f"One of three {number}") for number in range(3))
    page = visitor.sign_in()
    card = {item: page.locator(f'[data-card="{item}"]') for item in (first, second, third)}
    card[first].click(modifiers=["Control"])
    card[third].click(modifiers=["Shift"])
    bar = page.locator(".chosen-bar")
    expect(bar).to_contain_text("3 chosen")
    made.ok("cancel", item=second)
    page.locator(f'[data-column="done"] [data-card="{second}"]').wait_for()
    bar.get_by_role("button", name="Priority").click()
    page.keyboard.type("soonest")
    page.keyboard.press("Enter")
    expect(card[first]).to_contain_text("Refused: 'soonest' is no priority")
    expect(bar).to_contain_text("2 refused")
    bar.get_by_role("button", name="Cancel").click()
    page.keyboard.press("Enter")
    for item in (first, third):
        expect(page.locator(f'[data-column="done"] [data-card="{item}"]')).to_be_visible()
        assert made.server.get("show", item=item).json["status"] == "cancelled"


def test_the_filter_finds_words_that_were_said_about_an_item(visitor: Visitor, stage: Staged) -> None:
    made, names = stage
    made.ok("comment", item=names["queued"], content="The xylophone must stay.")
    page = visitor.sign_in()
    page.keyboard.press("/")
    page.keyboard.type("xylophone")
    expect(page.locator(".columns [data-card]")).to_have_count(1)
    expect(page.locator(card(page, names["queued"]))).to_be_visible()


def test_a_quest_is_shown_with_its_tasks_and_what_comes_after_what(visitor: Visitor, stage: Staged) -> None:
    made, _names = stage
    quest = made.add("Move house")
    first = made.add("Pack the books", parent=quest)
    second = made.add("Carry the books", parent=quest, after=[first])
    page = visitor.sign_in()
    page.get_by_role("button", name="Group by quest").click()
    tree = page.locator(".quest", has=page.locator(card(page, quest))).first
    expect(tree).to_contain_text("0 of 2 tasks done")
    expect(tree.locator(card(page, second))).to_be_visible()
    expect(tree.locator(".quest-after")).to_have_text(f"after #{first}")
