"""Which option a person's words choose, and which words choose none (R-16)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.records import Option, Question
from folkmoot.core.rules.asking.choosing import SAME, choose
from folkmoot.core.vocabulary.ways import AGAIN, CANCEL, NOT_NOW, PARK, Way
from folkmoot.errors import Invalid

RISK = (Way("fix it", "fix", "dev"), Way("accept the risk and go on", "finish"), Way("abort", "cancel"))
SIDES = (Way("dev-agent is right", "uphold", "tests"), Way("test-architect is right", "dismiss", "dev"), PARK, CANCEL)
SPLIT = (Way("split it", "split", says="yes"), Way("do it in one piece", "whole", says="no"), PARK, CANCEL)
TRIED = (AGAIN, NOT_NOW, CANCEL)


def deciding(*ways: Way) -> Question:
    options = [way.option for way in ways]
    return Question(id="q1", item="1", kind="decision", question="?", options=options, takes="option")


def open_one(*options: str) -> Question:
    """An agent's own question."""
    known = [Option(option=option) for option in options]
    return Question(id="q1", item="1", kind="clarification", question="?", options=known, takes="words")


KEYS = open_one("Share the signing key", "A key for each service")


@pytest.mark.ledger("R-16")
@pytest.mark.parametrize(
    ("ways", "said", "number"),
    [
        (RISK, "1", 1),
        (RISK, " 2. ", 2),
        (RISK, "#3", 3),
        (RISK, "option 3", 3),
        (RISK, "FIX  it!", 1),
        (RISK, "Accept the risk, and go on.", 2),
        (RISK, "accept", 2),
        (RISK, "acc", 2),
        (RISK, "Abort", 3),
        (SIDES, "test-architect is right", 2),
        (SIDES, "Test-Architect", 2),
        (SIDES, "dev-agent is right.", 1),
        (TRIED, "Abort", 3),
        (TRIED, "continue", 1),
        (TRIED, "go on", 1),
        (TRIED, "yes", 1),
        (TRIED, "no", 2),
        (TRIED, "can", 3),
        (SPLIT, "Yes", 1),
        (SPLIT, "y", 1),
        (SPLIT, "No.", 2),
        (SPLIT, "go on", 1),
        (SPLIT, "do it in one", 2),
    ],
)
def test_an_option_is_named_by_number_words_beginning_or_a_plain_yes(
    ways: tuple[Way, ...], said: str, number: int
) -> None:
    found = choose(deciding(*ways), said)
    assert found.option == ways[number - 1].option and found.text == ways[number - 1].words


@pytest.mark.ledger("R-16")
@pytest.mark.parametrize(
    ("ways", "said", "number", "text"),
    [
        (RISK, "2, but keep the old API", 2, "accept the risk and go on, but keep the old API"),
        (RISK, "fix it - and add a test", 1, "fix it - and add a test"),
        (RISK, "accept - it is internal", 2, "accept the risk and go on - it is internal"),
        (TRIED, "try again with the new library", 1, "try again with the new library"),
        (TRIED, "No, stop. Do not spend any more.", 2, "park it: No, stop. Do not spend any more."),
        (TRIED, "Yes, it is", 1, "try again: Yes, it is"),
        (SIDES, "test-architect is right: the design says async", 2, "test-architect is right: the design says async"),
        (SPLIT, "yes, but no further", 1, "split it: yes, but no further"),
        (TRIED, "try again and keep the old API", 1, "try again and keep the old API"),
        (RISK, "abort because nobody needs it", 3, "abort because nobody needs it"),
        (RISK, "abort, nobody needs it", 3, "abort, nobody needs it"),
        (TRIED, "1, once more", 1, "try again, once more"),
        (TRIED, "try again, as before", 1, "try again, as before"),
        (RISK, "2, after all it is internal", 2, "accept the risk and go on, after all it is internal"),
    ],
)
def test_what_follows_an_option_is_kept_as_words_for_the_agent(
    ways: tuple[Way, ...], said: str, number: int, text: str
) -> None:
    found = choose(deciding(*ways), said)
    assert (found.option, found.text) == (ways[number - 1].option, text)
    assert choose(deciding(*ways), str(number), "as said").text == f"{ways[number - 1].words}: as said"


@pytest.mark.ledger("R-16")
@pytest.mark.parametrize(
    ("ways", "said"),
    [
        (RISK, "No, stop. Do not spend any more."),
        (RISK, "Close that hole first"),
        (RISK, "fix it or abort"),
        (RISK, "fix it? No"),
        (RISK, "1 or 2"),
        (RISK, "2 more tries"),
        (RISK, "yes"),
        (SIDES, "dev-agent is wrong"),
        (SIDES, "I am not sure that dev-agent is right"),
        (SIDES, "the tests must change"),
        (SIDES, "is right"),
        (TRIED, "No, go on"),
        (TRIED, "no problem, go on"),
        (TRIED, "Use the new library"),
        (TRIED, "n't"),
        # Behind a yes that may be about something else.
        (TRIED, "Yes, this is a real concern, do not go on"),
        (TRIED, "Yes, stop"),
        (TRIED, "yes, but don’t try it again"),
        (SPLIT, "yes - I would not do that"),
        # A sentence that only begins like an option says something else.
        (RISK, "abort the openssl approach and use AES"),
        (RISK, "abort using openssl, use AES instead"),
        (RISK, "Abort nothing, go on with AES"),
        (SIDES, "dev-agent is right about async but the test stays as it is"),
        (SIDES, "dev-agent is right is wrong"),
        (TRIED, "cancel it later, first ask the architect"),
        (TRIED, "abort and use AES"),
        # What holds only in a case, or later, is not decided yet.
        (TRIED, "cancel it only if AES fails too"),
        (TRIED, "cancel it after one more try with AES"),
        (TRIED, "cancel it, but only if AES fails too"),
        (TRIED, "cancel it: once the audit is there"),
        (TRIED, "try again only after the audit"),
        (TRIED, "try again because it may work, unless it costs money"),
        (RISK, "2, but later"),
    ],
)
def test_where_options_decide_other_words_are_refused_with_the_options(ways: tuple[Way, ...], said: str) -> None:
    with pytest.raises(Invalid) as refused:
        choose(deciding(*ways), said)
    assert refused.value.exit_code == 2 and refused.value.code == "choose_option"
    for number, way in enumerate(ways, start=1):
        assert f"{number} {way.words}" in refused.value.message
    assert choose(deciding(*ways), said, free=True).option is None, "a column decides too"


@pytest.mark.ledger("R-16")
def test_a_beginning_that_two_options_share_is_refused_with_both() -> None:
    ways = Way("try again in mend", "move", "mend"), Way("try again in weave", "move", "weave")
    with pytest.raises(Invalid) as refused:
        choose(deciding(*ways), "try")
    assert refused.value.code == "ambiguous_option"
    assert "1 (try again in mend) and 2 (try again in weave)" in refused.value.message
    with pytest.raises(Invalid, match="1 to 2"):
        choose(deciding(*ways), "3")


@pytest.mark.ledger("R-16")
@pytest.mark.parametrize("said", ["continue", "Go on", "proceed"])
def test_going_on_is_known_wherever_one_option_does_and_asked_back_where_two_do(said: str) -> None:
    with pytest.raises(Invalid) as refused:
        choose(deciding(*RISK), said)
    assert refused.value.code == "ambiguous_option"
    assert "1 (fix it) and 2 (accept the risk and go on)" in refused.value.message
    for way in RISK[:2]:
        assert choose(deciding(way, RISK[-1]), said).text == way.words


@pytest.mark.ledger("R-16", "E-07")
@pytest.mark.parametrize(
    ("said", "text", "number"),
    [
        ("2", "A key for each service", 2),
        ("share", "Share the signing key", 1),
        ("a KEY for each service!", "A key for each service", 2),
        ("2, but keep the old API", "A key for each service, but keep the old API", 2),
        ("2) but only for new keys", "A key for each service but only for new keys", 2),
        ("A third key, for billing only", "A third key, for billing only", None),
        ("Share the signing key is a bad idea", "Share the signing key is a bad idea", None),
        ("No, stop. Do not spend any more.", "No, stop. Do not spend any more.", None),
        ("2 factor auth", "2 factor auth", None),
        ("1.5 seconds", "1.5 seconds", None),
    ],
)
def test_an_open_question_takes_words_and_its_options_by_name(said: str, text: str, number: int | None) -> None:
    found = choose(KEYS, said)
    assert found.text == text
    assert found.option == (KEYS.options[number - 1] if number else None)


@pytest.mark.ledger("R-16")
def test_a_number_that_is_the_answer_itself_is_given_as_text() -> None:
    with pytest.raises(Invalid) as refused:
        choose(KEYS, "8080")
    assert "1 to 2" in refused.value.message and refused.value.next[0].args["text"] is True
    assert choose(KEYS, "8080", text=True).text == "8080"
    assert choose(KEYS, "2", text=True).option is None
    assert choose(open_one(), "8080").text == "8080", "without options there is nothing to mistake it for"
    with pytest.raises(Invalid):
        choose(deciding(*RISK), "fix it", text=True)


NAMES = st.text(st.characters(categories=["L", "Nd", "P", "Zs"]), min_size=1, max_size=30)


@pytest.mark.ledger("R-16")
@given(st.lists(NAMES, min_size=1, max_size=5, unique=True), st.data())
def test_an_options_very_words_always_choose_it(names: list[str], data: st.DataObject) -> None:
    ways = [Way(name.strip(), "again") for name in names if name.strip()]
    said = data.draw(st.sampled_from([way.words for way in ways] or [""]))
    if said and len({way.words for way in ways}) == len(ways) and not said.strip("#().!").isdecimal():
        assert choose(deciding(*ways), said).text == said


@pytest.mark.ledger("R-16")
@given(st.text(st.characters(categories=["L", "Nd", "P", "Zs"]), max_size=60))
def test_no_words_ever_choose_an_option_that_they_do_not_begin_to_name(said: str) -> None:
    """Whatever is typed: it is refused, or it begins with the option's number, its words, or a plain yes or no."""
    question = deciding(*TRIED)
    try:
        found = choose(question, said)
    except Invalid:
        return
    assert found.option is not None
    begins = re.sub(r"^[\W_]+", "", said.casefold())
    named = [found.option.option, str(question.options.index(found.option) + 1), found.option.says or ""]
    named += [" ".join(words) for words, effect in SAME.items() if effect == found.option.effect]
    assert any(name and name[0] == begins[:1] for name in named) or begins.startswith("option")


def asked(*options: str) -> Question:
    return Question(
        id="q1", item="1", kind="clarification", question="?", agent="a", options=[Option(option=o) for o in options]
    )


def test_a_number_that_is_also_the_words_of_another_option_is_asked_back() -> None:
    with pytest.raises(Invalid) as told:
        choose(asked("3", "1"), "1")
    assert told.value.code == "ambiguous_option"
    assert choose(asked("3", "1"), "3").text == "3" and choose(asked("1", "3"), "1").text == "1"


@pytest.mark.parametrize("said", ["no", "No.", "yes"])
def test_a_plain_no_is_not_the_beginning_of_an_option(said: str) -> None:
    assert choose(asked("no backup first", "yes men only"), said).option is None


@pytest.mark.ledger("R-16")
@pytest.mark.parametrize(
    ("ways", "more"),
    [(TRIED, "no, cancel it"), (SIDES, "test-architect is right though"), (RISK, "then abort"), (TRIED, "3")],
)
def test_words_beside_an_option_that_name_another_are_asked_back(ways: tuple[Way, ...], more: str) -> None:
    with pytest.raises(Invalid) as refused:
        choose(deciding(*ways), "1", more)
    assert refused.value.code == "ambiguous_option"
    assert choose(deciding(*ways), "1", "not with openssl this time").option == ways[0].option


@pytest.mark.ledger("R-16")
@pytest.mark.parametrize("said", ["cancel it", "Stop working on this.", "forget about it", "drop the task please"])
def test_an_order_to_an_open_question_that_may_be_for_the_board_is_asked_back(said: str) -> None:
    with pytest.raises(Invalid, match="for the board"):
        choose(KEYS, said)
    assert choose(KEYS, said, text=True).text == said
    assert choose(KEYS, f"{said} Use AES instead").option is None, "it tells the agent what to do"


AUTH = ("JWT", "Session", "OAuth")  # of the handoff document
PAGES = ("Add pagination (offset/limit)", "Add cursor-based pagination", "Return all items (no pagination)")


@pytest.mark.ledger("R-16", "H-09")
@pytest.mark.parametrize(
    ("options", "said", "meant"),
    [
        (AUTH, "S", "Session"),
        (AUTH, "s", "Session"),
        (AUTH, "jw", "JWT"),
        (AUTH, " O ", "OAuth"),
        (AUTH, "1", "JWT"),
        (PAGES, "R", PAGES[2]),
        (("yes", "no"), "y", "yes"),
        (("yes", "no"), "N", "no"),
        (("yes, all of them", "no"), "n", "no"),
    ],
)
def test_a_letter_that_only_one_option_begins_with_means_it(options: tuple[str, ...], said: str, meant: str) -> None:
    assert choose(open_one(*options), said).text == meant


@pytest.mark.ledger("R-16", "H-09")
@pytest.mark.parametrize(
    ("options", "said", "code"),
    [
        (AUTH, "y", "choose_option"),
        (AUTH, "n", "choose_option"),
        (AUTH, "b", "choose_option"),
        (AUTH, "ok", "choose_option"),
        (PAGES, "a", "ambiguous_option"),
        (PAGES, "Ad", "ambiguous_option"),
        (("yes", "no", "not now"), "n", "ambiguous_option"),
        (("no backup first", "yes men only"), "n", "choose_option"),
        (("no backup first", "yes men only"), "y", "choose_option"),
    ],
)
def test_a_letter_or_two_that_mean_no_option_are_asked_back(options: tuple[str, ...], said: str, code: str) -> None:
    with pytest.raises(Invalid) as told:
        choose(open_one(*options), said)
    assert told.value.code == code and options[0] in told.value.message and "add text" in told.value.hint
    assert choose(open_one(*options), said, text=True).text == said
    assert choose(open_one(), said).text == said, "without options they are the answer"


@pytest.mark.ledger("R-16")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("bcrypt", "argon2"), "b"),
        (("bcrypt", "argon2"), "A"),
        (("Share the signing key", "A key for each service"), "a"),
        (("Share the signing key", "A key for each service"), "a)"),
        (("cursor", "offset", "none"), "c"),
    ],
)
def test_a_letter_that_is_the_label_of_another_option_is_asked_back(options: tuple[str, ...], said: str) -> None:
    with pytest.raises(Invalid) as told:
        choose(open_one(*options), said)
    assert told.value.code == "ambiguous_option" and "label" in told.value.message
    assert all(f"{number} {option}" in told.value.message for number, option in enumerate(options, start=1))


@pytest.mark.ledger("R-16")
@pytest.mark.parametrize(
    ("options", "said", "meant"),
    [
        (("argon2", "bcrypt"), "b", "bcrypt"),
        (("argon2", "cursor"), "c", "cursor"),
        (("B", "A"), "b", "B"),
        (("bcrypt", "argon2"), "bc", "bcrypt"),
    ],
)
def test_a_letter_whose_readings_agree_means_what_it_begins(options: tuple[str, ...], said: str, meant: str) -> None:
    assert choose(open_one(*options), said).text == meant


@pytest.mark.ledger("R-16")
@given(
    st.lists(st.sampled_from(["JWT", "Session", "OAuth", "yes", "no", "Small", "x"]), unique=True), st.text(max_size=2)
)
def test_a_short_answer_is_an_option_that_begins_so_or_not_taken_for_one(options: list[str], said: str) -> None:
    try:
        found = choose(open_one(*options), said)
    except Invalid:
        return
    word = said.strip().casefold()
    if found.option is not None and word.isalpha():
        assert found.option.option.casefold().startswith(word)
    elif options and word.isalpha() and word.isascii():
        assert word == "no", "the only short word that says something by itself"


@pytest.mark.ledger("R-16")
@pytest.mark.parametrize("said", ["Cancel it?", "cancel?", "Try again?", "yes?", "abort ?", "2?"])
def test_who_asks_has_not_chosen(said: str) -> None:
    with pytest.raises(Invalid, match="none of the options"):
        choose(deciding(*TRIED), said)
    chosen = choose(open_one("Cancel it", "Try again"), said)
    assert (chosen.option, chosen.text) == (None, said), "the agent reads the doubt"
    assert choose(open_one("Cancel it?", "Why?"), "why?").text == "Why?"
