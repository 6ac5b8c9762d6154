"""What the scripted agents of the demo say. The words are invented; what follows from them is not."""

from folkmoot.core.report import AskedQuestion, Choice, NamedArtifact, Remark, Report, Try

RESET = "Users can reset a forgotten password"
EXPIRE = "Reset links expire after one hour"
INVOICE = "Invoices can be exported as PDF"
SIGN_IN = "The sign-in page says which password rule failed"

TESTS = "tests/test_reset.py"

# What an agent says when its stage simply goes well.
WELL = {
    "stories": "The story is written, with criteria that can be checked.",
    "arch": "Designed: what changes, where, and what stays as it is.",
    "tests": "The tests are written, and red for the right reason.",
    "dev": "All tests are green, the old ones too.",
    "review": "Read it all; nothing to change.",
    "qa": "Tried it as a user would; it does what the story says.",
}

THE_TESTS = Report.done("The tests are written, and red for the right reason.", artifacts=[NamedArtifact(name=TESTS)])

# The dispute: four statements are three rounds.
STATEMENTS = (
    "test_unknown_address wants a 404. The story says: never reveal who has an account. It must be a 200.",
    "A client must see that no mail was sent. The API guide says 404 for what does not exist.",
    "With a 404 anyone can find out who our users are. That is criterion 3 of the story.",
    "The API guide was never withdrawn, and every other endpoint follows it.",
)
THE_DECISION = "The story wins: answer 200, and never say who has an account."


def statement(number: int, thread: str | None) -> Report:
    words = STATEMENTS[number]
    remark = Remark(content=words, parent=thread) if thread else Remark(content=words, artifact=TESTS)
    return Report(outcome="disputed", summary="", comments=[remark])


def _failed(approach: str, outcome: str) -> Report:
    return Report.failed(outcome, attempts=[Try(approach=approach, outcome=outcome)])


# The climb: six different approaches fail; one is tried twice, which is noticed.
FAILURES = (
    _failed("Compare the link's age by the server's local time", "red when the clocks change in spring"),
    _failed("Compare the link's age by the server's local time", "red when the clocks change in spring"),
    _failed("Keep the expiry in UTC and compare it there", "red: the database drops the milliseconds"),
    _failed("Round both times down to whole seconds", "red: a link now dies one second early"),
    _failed("Let the database compare the times in its query", "red under load: two requests use one link"),
    _failed("Lock the row while the link is being checked", "red: a deadlock with the clean-up job"),
    _failed("Check first, use up afterwards, in two transactions", "red: a link works twice in between"),
)
SENIOR = Report.done("One UPDATE uses up the link, only if it is unused and not too old. All tests are green.")

# The question.
QUESTION = Report(
    outcome="asks",
    summary="The story cannot be written without knowing who may export.",
    question=AskedQuestion(
        question="Who may export an invoice?",
        context="Companies share one account. The request says “users”, which can mean two things.",
        options=[Choice(option="only the one who paid it"), Choice(option="everyone in the company's account")],
    ),
)
THE_ANSWER = "2"
