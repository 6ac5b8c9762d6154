"""Questions and threads."""

from folkmoot.api.call import Ask
from folkmoot.api.requests import ShowFlow
from folkmoot.api.views import CommentView, ItemView, MessageView, OptionView, QuestionView
from folkmoot.core.enums import ENGINE_NAME
from folkmoot.core.item import Guidance
from folkmoot.doors.cli.render.messages import loose_messages
from folkmoot.doors.cli.render.page import (
    AGENT,
    CARE,
    COMMAND,
    GOOD,
    PERSON,
    QUIET,
    Page,
    Part,
    count,
    one_line,
    when,
    who,
)

LABEL = 8
ELSEWHERE = ("dispute", "decision")  # kinds of questions whose item a person may send anywhere
NARROW = 50  # cells; with less there is no room for words beside a label
SUMMARY_CELLS = 300  # of a question or an answer in a notice; all of it is in the inbox or on the item


def answer_command(question: QuestionView, option: int = 1) -> str:
    """What to type; the number of an option where there are some."""
    return f"moot answer {question.id} " + (str(option) if question.options else '"…"')


def inbox(questions: list[QuestionView], items: dict[str, ItemView], loose: list[MessageView]) -> None:
    """Every open question, oldest first, each with all that is needed to decide it; and what nobody has taken up."""
    page = Page()
    order = ", oldest first" if len(questions) > 1 else ""
    if questions:
        page.line((count(len(questions), "question") + " for you", "bold"), (order, QUIET))
    for question in questions:
        page.blank()
        item = items[question.task_id]
        parked = (" · parked", CARE) if item.status == "parked" else ""
        page.row((f"#{question.task_id}", "bold"), "  ", one_line(item.title), parked)
        question_lines(page, question)
    if loose:
        if questions:
            page.blank()
        page.line((count(len(loose), "message") + " about no item", "bold"))
        loose_messages(page, loose, whole=True)


def question_lines(page: Page, question: QuestionView, *, context: bool = True) -> None:
    """One question: who asks, the context, what is asked, the options by number, and the command."""
    by_rule = question.agent_id == ENGINE_NAME
    asked_by = [who(question.agent_id), " asks"] if question.agent_id else ["asked"]
    kind = (f" · {question.kind} · {when(question.requested_at)}", QUIET)
    free = "" if question.blocking or question.takes == "option" else (" · the work goes on meanwhile", QUIET)
    page.line((f"? {question.id}", CARE), "  ", *asked_by, kind, free, indent=2, hang=4)
    if context:
        needs = "" if by_rule else f"Agent {question.agent_id} working on {question.task_id} requires guidance."
        told = f"{needs}\n{question.context}".strip()
        if told:
            _field(page, "Context", told, QUIET)
    _field(page, "Question", one_line(question.question), "bold")
    ways_to_answer(page, question)


def ways_to_answer(page: Page, question: QuestionView, indent: int = 6) -> None:
    """The options by number, what would help, what holds if nobody answers, and the command."""
    narrow = page.width - indent < NARROW
    words: list[Part]
    for number, option in enumerate(question.options, start=1):
        if narrow:
            words = [(f"{number}. ", "bold"), one_line(option.option), (option_does(option), QUIET)]
            page.line(*words, indent=indent, hang=3)
            continue
        label = page.text(("Options" if number == 1 else "").ljust(LABEL), (f"  {number}.", "bold"))
        page.labelled(label, one_line(option.option), (option_does(option), QUIET), indent=indent, gap=1)
    if question.help:
        how = " (--to COLUMN)" if question.kind in ELSEWHERE and "column" in question.help else ""
        _field(page, "Help", one_line(question.help) + how, QUIET, indent)
    if question.default is not None:
        page.line(("if nobody answers in time: ", QUIET), one_line(question.default), indent=indent)
    words = []
    if question.takes == "option" and not narrow:
        words = [("  and, if you like, words for the agent: ", QUIET), ('"…"', COMMAND)]
    elif question.options and not narrow:
        words = [("  or  ", QUIET), (f'moot answer {question.id} "…"', COMMAND)]
    page.labelled(page.text("Answer".ljust(LABEL)), (answer_command(question), COMMAND), *words, indent=indent)


def option_does(option: OptionView) -> str:
    """What stands beside an option: what choosing it does, or why it was not enough for whoever asks."""
    told = f" → {one_line(option.does)}" if option.does else ""
    return told + (f" – {one_line(option.why_insufficient)}" if option.why_insufficient else "")


def _field(page: Page, label: str, words: str, style: str, indent: int = 6) -> None:
    """A label, and words beside it that may have lines of their own."""
    first, *rest = words.split("\n")
    indent = page.labelled(page.text(label.ljust(LABEL)), (one_line(first), style), indent=indent)
    if rest:
        page.block("\n".join(rest), indent=indent, style=style)


def block(page: Page, title: str, fields: dict[str, str], ending: str, indent: int = 0) -> None:
    """A notice in the form of the escalation document: its title, its fields, how it goes on (E-15)."""
    page.blank()
    page.line((title, f"bold {CARE}"), indent=indent)
    page.blank()
    for name, words in fields.items():
        shown = page.cut(page.text(one_line(words)), SUMMARY_CELLS)
        hang = 2 if page.width - indent < NARROW else len(name) + 2
        page.line((f"{name}: ", QUIET), shown, indent=indent, hang=hang)
    page.blank()
    page.line(ending, indent=indent)


def is_divine(ask: Ask) -> bool:
    """Does the flow want questions told in the words of the escalation document?"""
    return ask(ShowFlow()).questions.notice == "divine"


def requested(ask: Ask, question: QuestionView, agent: str, page: Page | None = None, indent: int = 0) -> None:
    """What the user sees when an agent needs an answer: the notice, then the ways to answer it."""
    page = page or Page()
    fields = {"Agent": agent or question.agent_id, "Task": question.task_id}
    fields["Question"] = question.question
    told = ("DIVINE CLARIFICATION REQUESTED", "Awaiting human guidance...")
    title, ending = told if is_divine(ask) else ("WAITING FOR YOU", "Other items go on.")
    block(page, title, fields, ending, indent)
    page.blank()
    ways_to_answer(page, question, indent + 2)


def comments(said: list[CommentView]) -> None:
    """Comments as threads: a reply stands under what it replies to."""
    page = Page()
    if not said:
        page.line(("Nobody has commented yet.", QUIET))
    known = {comment.id for comment in said}
    tops = [comment for comment in said if comment.parent not in known]
    for top in tops:
        comment_lines(page, top, 0)
        for depth, reply in _replies(said, top.id, 1):
            comment_lines(page, reply, depth)


def _replies(said: list[CommentView], parent: str, depth: int) -> list[tuple[int, CommentView]]:
    # The rules keep threads free of circles; depth is only how far a reply is moved in.
    found: list[tuple[int, CommentView]] = []
    stack = [(depth, comment) for comment in reversed(said) if comment.parent == parent]
    while stack:
        deep, comment = stack.pop()
        found.append((deep, comment))
        stack += [(deep + 1, reply) for reply in reversed(said) if reply.parent == comment.id]
    return found


def comment_lines(page: Page, comment: CommentView, depth: int) -> None:
    indent = 2 * min(depth, 4)
    artifact = comment.artifact if not depth else None  # a reply is about what its thread is about
    about = " on ".join(one_line(part) for part in (comment.target, artifact) if part)
    state: Part = ""
    if comment.status == "resolved":
        state = (f" · resolved: {comment.resolution}", GOOD)
    page.line(
        (comment.id, "bold"),
        "  ",
        (one_line(comment.author), AGENT),
        (f" · {when(comment.timestamp)}", QUIET),
        (f" · {about}" if about else "", QUIET),
        state,
        indent=indent,
        hang=2,
    )
    page.block(comment.content, indent=indent + 6)


def guidance_lines(page: Page, guidance: Guidance) -> None:
    page.line((one_line(guidance.question), QUIET), indent=2)
    beside = [f"{number}. {words}" for number, words in enumerate(guidance.options, start=1)]
    for words in filter(None, [*beside, guidance.context, guidance.help]):
        page.line((one_line(words), QUIET), indent=4, hang=2)
    page.line((one_line(guidance.by), PERSON), ": ", one_line(guidance.answer), indent=2, hang=2)
