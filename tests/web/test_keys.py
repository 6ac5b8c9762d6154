"""Every command of the page's own table is done by its keys alone; a command without a case here fails the test."""

import json
from collections.abc import Callable
from typing import NamedTuple

import pytest
from playwright.sync_api import Page, expect

from tests.web.browser import PATIENCE, Visitor, until
from tests.web.stage import Stage

Staged = tuple[Stage, dict[str, str]]
expect.set_options(timeout=PATIENCE)


class Hands(NamedTuple):
    """A person without a pointer."""

    page: Page
    stage: Stage
    names: dict[str, str]
    keys: dict[str, list[str]]

    def press(self, command: str, which: int = 0) -> None:
        for key in self.keys[command][which].split(" ") if self.keys[command][which] != " " else ["Space"]:
            self.page.keyboard.press(key.replace("ctrl+", "Control+").replace("meta+", "Meta+"))

    def select(self, name: str) -> str:
        """Go to an item by its number, and back: its card is under the keys then."""
        item = self.names[name]
        self.press("board")
        self.page.keyboard.press("Control+k")
        self.page.keyboard.type(f"Item #{item} ")
        self.page.keyboard.press("Enter")
        expect(self.page.locator(".drawer")).to_contain_text(f"#{item}")
        self.page.keyboard.press("Escape")
        until(self.page, f"document.activeElement.dataset.card === '{item}'")
        return item

    @property
    def selected(self) -> str:
        return str(self.page.locator(".card.is-selected").get_attribute("data-card"))

    def show(self, name: str) -> dict[str, object]:
        return dict(self.stage.server.get("show", item=self.names[name]).json)

    def say(self, text: str) -> None:
        expect(self.page.locator("dialog")).to_be_visible()
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")
        expect(self.page.locator("dialog")).to_have_count(0)


def goes(path: str) -> Callable[[Hands, str], None]:
    def case(hands: Hands, command: str) -> None:
        hands.press(command)
        until(hands.page, f"location.hash === '#{path}'")

    return case


def opens(title: str) -> Callable[[Hands, str], None]:
    def case(hands: Hands, command: str) -> None:
        hands.press(command)
        expect(hands.page.get_by_role("dialog", name=title)).to_be_visible()
        hands.page.keyboard.press("Escape")
        expect(hands.page.locator("dialog")).to_have_count(0)

    return case


def steps(hands: Hands, command: str) -> None:
    """To the neighbour and back, by letters and by arrows."""
    back = {"down": "up", "up": "down", "left": "right", "right": "left"}[command]
    hands.press("board")
    hands.select("waiting")
    if command == "left":
        hands.press("right")
    if command == "up":
        hands.press("down")
    start = hands.selected
    for which in (0, 1):
        hands.press(command, which)
        expect(hands.page.locator(".card.is-selected")).not_to_have_attribute("data-card", start)
        assert hands.page.evaluate("document.activeElement.dataset.card") == hands.selected
        hands.press(back, which)
        if command in ("down", "up"):
            expect(hands.page.locator(".card.is-selected")).to_have_attribute("data-card", start)


def opens_item(hands: Hands, command: str) -> None:
    item = hands.select("reviewing")
    hands.press(command)
    until(hands.page, f"location.hash === '#/item/{item}'")
    hands.press("board")


def peeks(hands: Hands, command: str) -> None:
    hands.select("waiting")
    hands.press(command)
    expect(hands.page.locator(".peek")).to_contain_text("Only when the page is there.")
    hands.press(command)
    expect(hands.page.locator(".peek")).to_have_count(0)


def backs(hands: Hands, command: str) -> None:
    item = hands.select("reviewing")
    hands.page.keyboard.press("Enter")
    until(hands.page, f"location.hash === '#/item/{item}'")
    hands.press(command)
    until(hands.page, "location.hash === '#/'")


def filters(hands: Hands, command: str) -> None:
    hands.press("board")
    hands.press(command)
    hands.page.keyboard.type("passkey")
    expect(hands.page.locator(".columns [data-card]")).to_have_count(1)
    hands.page.keyboard.press("Escape")
    expect(hands.page.locator(".columns [data-card]")).not_to_have_count(1)


def groups(hands: Hands, command: str) -> None:
    hands.press(command)
    expect(hands.page.locator(".quests")).to_be_visible()
    hands.press(command)
    expect(hands.page.locator(".columns")).to_be_visible()


def goes_to_questions(hands: Hands, command: str) -> None:
    hands.press(command)
    until(hands.page, "document.activeElement.matches('[data-question]')")


def answers(hands: Hands, command: str) -> None:
    """Each number chooses that option: asked anew, with as many options as the number needs."""
    number = int(command.removeprefix("answer-"))
    item = hands.stage.add(f"Asks for option {number}")
    hands.stage.question(item, "story-agent", f"Which of {number}?", *(f"choice {n}" for n in range(1, number + 1)))
    question = hands.page.locator(".question", has_text=f"Which of {number}?")
    question.focus()
    hands.press(command)
    expect(question).to_have_count(0)
    until(
        hands.page,
        f"fetch('/v1/show?item={item}').then(r => r.json()).then(i => i.questions[0].answer === 'choice {number}')",
    )


def moves(hands: Hands, command: str) -> None:
    item = hands.select("queued")
    hands.press(command)
    expect(hands.page.get_by_role("dialog")).to_contain_text(f"Move #{item}")
    hands.page.keyboard.press("2")
    expect(hands.page.get_by_role("button", name="Move to Arch")).to_be_enabled()
    hands.page.keyboard.type("look at the design first")
    hands.page.keyboard.press("Enter")
    expect(hands.page.locator(f'[data-column="arch"] [data-card="{item}"]')).to_be_visible()


def comments(hands: Hands, command: str) -> None:
    hands.select("queued")
    hands.press(command)
    hands.say("mind the old settings")
    assert "mind the old settings" in str(hands.show("queued")["comments"])


def says(hands: Hands, command: str) -> None:
    hands.select("coding")
    hands.press(command)
    hands.say("use the other library")
    assert "use the other library" in str(hands.show("coding")["said"])


def edits(hands: Hands, command: str) -> None:
    hands.select("waiting")
    hands.press(command)
    title = hands.page.get_by_role("textbox", name="Title")
    expect(title).to_be_focused()
    hands.page.keyboard.press("End")
    hands.page.keyboard.type(" and month")
    hands.page.keyboard.press("Enter")
    expect(hands.page.locator("dialog")).to_have_count(0)
    assert hands.show("waiting")["title"] == "Show the numbers by week and month"


def ends_run(hands: Hands, command: str) -> None:
    hands.select("story")
    hands.press(command)
    hands.say("begin anew")
    assert hands.show("story")["status"] == "ready"


def cancels(hands: Hands, command: str) -> None:
    item = hands.select("queued")
    hands.press(command)
    hands.say("nobody wants it")
    expect(hands.page.locator(f'[data-column="done"] [data-card="{item}"]')).to_contain_text("nobody wants it")


def reopens(hands: Hands, command: str) -> None:
    hands.select("cancelled")
    hands.press(command)
    hands.say("after all")
    assert hands.show("cancelled")["status"] == "ready"


def chooses(hands: Hands, command: str) -> None:
    hands.select("queued")
    hands.press(command)
    expect(hands.page.locator(".chosen-bar")).to_contain_text("chosen")
    hands.page.keyboard.press("Escape")
    expect(hands.page.locator(".chosen-bar")).to_have_count(0)


def edits_many(field: str, text: str, shown: object) -> Callable[[Hands, str], None]:
    def case(hands: Hands, command: str) -> None:
        for name in ("waiting", "queued"):
            hands.select(name)
            hands.press("choose")
        hands.press(command)
        hands.say(text)
        assert [hands.show(name)[field] for name in ("waiting", "queued")] == [shown, shown]

    return case


def pauses(hands: Hands, command: str) -> None:
    hands.press(command)
    hands.say("a walk")
    expect(hands.page.locator(".pulse")).to_contain_text("a walk")


def resumes(hands: Hands, command: str) -> None:
    hands.press(command)
    expect(hands.page.locator(".pulse")).not_to_contain_text("a walk")


def turns(hands: Hands, command: str) -> None:
    hands.press(command)
    until(hands.page, "document.documentElement.dataset.theme === 'dark'")
    hands.press(command)
    until(hands.page, "document.documentElement.dataset.theme === 'light'")


def agrees(hands: Hands, command: str) -> None:
    hands.page.evaluate("Notification.requestPermission = async () => { window.wasAsked = true; return 'denied' }")
    hands.press(command)
    until(hands.page, "window.wasAsked === true")


CASES: dict[str, Callable[[Hands, str], None]] = {
    "board": goes("/"), "numbers": goes("/numbers"), "workers": goes("/workers"), "log": goes("/log"),
    "palette": opens("Find anything"), "sheet": opens("Keys"), "add": opens("New item"), "back": backs,
    "down": steps, "up": steps, "left": steps, "right": steps, "open": opens_item, "peek": peeks,
    "choose": chooses, "choose-column": chooses, "priority": edits_many("priority", "high", "high"),
    "tag": edits_many("tags", "later", ["later"]), "filter": filters, "quests": groups, "questions": goes_to_questions,
    **{f"answer-{number}": answers for number in range(1, 10)},
    "comment": comments, "say": says, "edit": edits, "end-run": ends_run, "move": moves, "cancel": cancels,
    "reopen": reopens, "pause": pauses, "resume": resumes, "theme": turns, "notify": agrees,
}  # fmt: skip
OFTEN = [case for case in CASES if not case.startswith("answer-") or case in ("answer-1", "answer-9")]


def walk(visitor: Visitor, stage: Staged, commands: list[str]) -> None:
    page = visitor.sign_in()
    page.keyboard.press("?")
    lines = page.locator("[data-command]")
    expect(lines.first).to_be_visible()
    told = lines.evaluate_all("all => all.map(one => [one.dataset.command, one.dataset.keys])")
    keys = {command: json.loads(those) for command, those in told}
    here = {command for command in keys if not command.startswith("item-")}  # those of an open item: test_item.py
    assert here == set(CASES), "the sheet of keys and the cases of this test differ"
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    hands = Hands(page, stage[0], stage[1], keys)
    for command in commands:
        if command not in ("board", "numbers", "workers", "log", "resume"):
            hands.press("board")
        CASES[command](hands, command)


def test_every_command_is_done_by_its_keys_alone(visitor: Visitor, stage: Staged) -> None:
    walk(visitor, stage, OFTEN)


@pytest.mark.slow
def test_every_number_answers_with_that_option(visitor: Visitor, stage: Staged) -> None:
    walk(visitor, stage, [case for case in CASES if case.startswith("answer-")])
