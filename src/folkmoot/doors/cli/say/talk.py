"""Questions and threads."""

from typing import Any

from folkmoot.doors.cli.say.page import AGENT, CARE, COMMAND, GOOD, QUIET, Page, Part, count, one_line, time_of, who

View = dict[str, Any]


def answer_command(question: View, option: int = 1) -> str:
    """What to type; the number of an option where there are some."""
    return f"moot answer {question['id']} " + (str(option) if question["options"] else '"…"')


def inbox(questions: list[View], titles: dict[str, str]) -> None:
    """Every open question, oldest first, each with all that is needed to decide it."""
    page = Page()
    page.line((count(len(questions), "question") + " for you", "bold"), (", oldest first", QUIET))
    for question in questions:
        page.blank()
        title = one_line(titles.get(question["task_id"], ""))
        page.row((f"#{question['task_id']}", "bold"), "  ", page.cut(page.text(title), page.width - 8))
        question_lines(page, question)


def question_lines(page: Page, question: View, *, context: bool = True) -> None:
    """One question: who asks, what, the context, the options by number, and the command."""
    asked_by = [who(question["agent_id"]), " asks"] if question["agent_id"] else ["asked"]
    kind = (f" · {question['kind']} · {time_of(question['requested_at'])}", QUIET)
    free = "" if question["blocking"] else (" · the work goes on meanwhile", QUIET)
    page.line((f"? {question['id']}", CARE), "  ", *asked_by, kind, free, indent=2)
    page.line((one_line(question["question"]), "bold"), indent=6)
    if question["context"] and context:
        page.block(question["context"], indent=6, style=QUIET)
    for number, option in enumerate(question["options"], start=1):
        to = f" → {option['to']}" if option["to"] and option["to"] not in option["option"] else ""
        but = f" – {one_line(option['why_insufficient'])}" if option["why_insufficient"] else ""
        page.line((f"{number}. ", "bold"), one_line(option["option"]), (to + but, QUIET), indent=6, hang=3)
    if question["help"]:
        page.line((one_line(question["help"]), QUIET), indent=6)
    if question["default"] is not None:
        page.line(("if nobody answers in time: ", QUIET), one_line(question["default"]), indent=6)
    words: list[Part] = (
        [("  or  ", QUIET), (f'moot answer {question["id"]} "…"', COMMAND)] if question["options"] else []
    )
    page.line(("answer:  ", QUIET), (answer_command(question), COMMAND), *words, indent=6, hang=2)


def answered(view: View, question: str) -> None:
    """What was answered, and where the item goes on with it."""
    page = Page()
    given = next((q for q in view["questions"] if q["id"] == question), None)
    if given is not None and given["state"] == "answered":
        page.line((f"{question} answered", GOOD), ": ", one_line(given["answer"]), hang=2)
    else:
        page.line((f"{question} was no longer open; your words are kept as a comment", CARE))
    page.line(page.mark(view["status"]), (f" #{view['id']}", "bold"), "  ", one_line(view["title"]), hang=2)
    page.line(one_line(view["why"]), indent=2)
    left = [q["id"] for q in view["questions"] if q["state"] == "open"]
    if left:
        page.line(("still open: ", QUIET), ", ".join(left), indent=2)


def comments(said: list[View]) -> None:
    """Comments as threads: a reply stands under what it replies to."""
    page = Page()
    if not said:
        page.line(("Nobody has commented yet.", QUIET))
    known = {comment["id"] for comment in said}
    tops = [comment for comment in said if comment["parent"] not in known]
    for top in tops:
        comment_lines(page, top, 0)
        for depth, reply in _replies(said, top["id"], 1):
            comment_lines(page, reply, depth)


def _replies(said: list[View], parent: str, depth: int) -> list[tuple[int, View]]:
    # The rules keep threads free of circles; depth is only how far a reply is moved in.
    found: list[tuple[int, View]] = []
    stack = [(depth, comment) for comment in reversed(said) if comment["parent"] == parent]
    while stack:
        deep, comment = stack.pop()
        found.append((deep, comment))
        stack += [(deep + 1, reply) for reply in reversed(said) if reply["parent"] == comment["id"]]
    return found


def comment_lines(page: Page, comment: View, depth: int) -> None:
    indent = 2 * min(depth, 4)
    about = " on ".join(one_line(part) for part in (comment["target"], comment["artifact"]) if part)
    state: Part = ""
    if comment["status"] == "resolved":
        state = (f" · resolved: {comment['resolution']}", GOOD)
    page.line(
        (comment["id"], "bold"),
        "  ",
        (one_line(comment["author"]), AGENT),
        (f" · {time_of(comment['timestamp'])}", QUIET),
        (f" · {about}" if about else "", QUIET),
        state,
        indent=indent,
        hang=2,
    )
    page.block(comment["content"], indent=indent + 6)
