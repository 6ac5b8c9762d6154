"""Which option a person's words choose: a number, its words, an unambiguous beginning; and what else they say (R-16).

Nothing is guessed. Where options decide, words that choose none of them are refused, and so are words that could choose
two. An open question takes any words; then a number, or the words of an option, stand for that option's full text.
"""

import re
from typing import Any

from msgspec import Struct

from folkmoot.core.records import Option, Question
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.errors import Invalid

BEGINNING_LETTERS = 3  # of a word that is cut off; a whole word may be shorter
SHOWN_LETTERS = 60
LABELS = "abcdefghijklmnopqrstuvwxyz"  # agents letter their options: a is the first, b the second
_WORD = pattern(r"[^\W_]+(?:['’][^\W_]+)*")
# How somebody goes on after an option: a mark and a space, or a dash with spaces.
_GOES_ON = pattern(r"\s*[,;:.!)]+\s+|\s+[-–—]+\s+|\s*\n\s*")
_NUMBER = pattern(r"(?:option\s+|no\.\s*|nr\.?\s*|#|\()?(\d+)[.)!]*", re.IGNORECASE)
# The head and the fields of a block DIVINE RESPONSE, in any capitals, with or without marks around them.
_RESPONSE = pattern(r"[#*_\s]*divine response[*_:\s]*", re.IGNORECASE)
_UNFILLED = ("[human response]", "[response summary]")  # as the block is printed: nobody has answered yet
_RESPONSE_FIELD = pattern(r"^[-#*_> \t]*(task|guidance)[*_]*:[*_]*", re.IGNORECASE | re.MULTILINE)
PLAIN = {"yes": "yes", "y": "yes", "no": "no", "n": "no"}
# What the documents' authors, and most people, call going on and giving up; understood where one option does that.
SAME = {
    ("continue",): "again",
    ("go", "on"): "again",
    ("proceed",): "again",
    ("try", "again"): "again",
    ("abort",): "cancel",
    ("cancel",): "cancel",
}
# Where nothing is tried again, these options go on: with the work as it is, or after a fix.
GOES_ON = ("finish", "waive", "fix", "go")
# Whoever goes on may mean so too, where the work can be taken as it is. Only "try again" cannot.
AS_IT_IS = ("finish", "waive")
TRIES = ("try", "again")
# Whoever goes on like this takes back, or leaves open, what came before.
TAKES_BACK = frozenset({"or", "no", "not", "nor", "unless", "if", "maybe", "perhaps"})
# What holds only in a case, or at another time, is not decided yet.
CONDITIONS = frozenset({"if", "unless", "until", "after", "before", "once", "later", "when", "except"})
# ... unless it only looks like that: "dev, once more" decides.
NO_CONDITIONS = pattern(r"\b(?:once (?:more|again)|after all|as before)\b")
# Behind a plain yes these may say the opposite of the option that it stands for: "Yes, a real concern, do not go on".
DENIES = frozenset(
    {
        *("not", "never", "nothing", "nobody", "stop", "halt", "wait", "hold", "pause", "park", "cannot", "dont"),
        *("don't", "can't", "won't", "isn't", "doesn't", "didn't", "shouldn't", "mustn't", "wouldn't", "wrong"),
    }
)
# Alone, as the answer to an agent's open question, these may be for the board: whether the item goes on at all.
_ORDER = pattern(
    r"(?:please )?(cancel|abort|stop|park|pause|wait|halt|later|not now|hold|drop|forget|abandon)"
    r"(?: (?:it|this|that|on|here|please|working|work|doing|about|the (?:item|task|work)))*"
)
# Words by which a sentence goes on from an option and leaves it standing. Without a mark, any other makes another
# sentence of it: "abort the old approach" gives up the approach, and not the item.
LEADS_ON = frozenset({"because", "since", "with", "please", "so", "and"})


class Chosen(Struct, frozen=True):
    """The option, if one was chosen, and the answer in full: the option's words, and what was said beside them."""

    option: Option | None
    text: str


def check_words(question: Question, said: str) -> None:
    if not said.strip():
        words = "an answer to {question} needs words"
        raise Invalid("empty_answer", words, "say it, or name an option by its number", question.id)


def choose(question: Question, answer: str, more: str = "", *, text: bool = False, free: bool = False) -> Chosen:
    """What the answer means. `text`: it is words and nothing else; `free`: something else decides, so words will do."""
    said, more = answer.strip(), more.strip()
    if text:
        if question.decides and not free:
            raise _refused(question, said, f"{question.id} takes an option, not words of your own")
        return Chosen(None, _joined(said, more))
    said = _guidance_in(question, said)
    option = _meant(question, said)
    if option is not None:
        if question.decides and more and _named_beside(question, option, more):
            words = f"{_short(said)!r} and {_short(more)!r} choose two options"
            raise _refused(question, said, words, "ambiguous_option")
        return Chosen(option, _joined(option.option, more))
    going_on = _with_more(question, said)
    if going_on is not None:
        return Chosen(going_on.option, _joined(going_on.text, more))
    if question.decides and not free:
        raise _refused(question, said)
    if not (free or more):
        _check_order(question, said)
    return Chosen(None, _joined(said, more))


def _guidance_in(question: Question, said: str) -> str:
    """What a block DIVINE RESPONSE says, if the answer is one. It must be for this item."""
    head, _, rest = said.partition("\n")
    fields = list(_RESPONSE_FIELD.finditer(rest)) if _RESPONSE.fullmatch(head) else []
    found = next((field for field in fields if field[1].lower() == "guidance"), None)
    if found is None:
        return said
    tasks = (rest[field.end() :].partition("\n")[0] for field in fields if field.start() < found.start())
    task = next(tasks, "").strip("#*_ \t\r")
    if task.isdecimal() and task != question.item:
        words, hint = "{question} is of item {item}, and the response is for task {task}", "answer that item's question"
        raise Invalid("two_answers", words, f"{hint}, or give the guidance alone", question.id, question.item, task)
    guidance = rest[found.end() :].partition("\nResume work")[0].strip()
    check_words(question, "" if guidance.lower() in _UNFILLED else guidance)
    return guidance


def _check_order(question: Question, said: str) -> None:
    """A lone "stop" to what an agent asks: sent on, the work would go on. If the question names it, it answers that."""
    order = _ORDER.fullmatch(" ".join(_words(said))) if not said.endswith("?") else None
    asked = " ".join((question.question, question.context, question.help or ""))
    if order is None or order[1] in " ".join(_words(asked)):
        return
    words = "{said!r} may be for the agent, which goes on with it, or for the board: which holds?"
    hint = "to give the item up: <cancel item>; not now: leave it unanswered; for the agent: <answer question text=yes>"
    raise Invalid("choose_option", words, hint, _short(said), item=question.item, **_details(question))


def fitting(options: list[Option], words: str) -> Option | None:
    """The option that these words choose for certain: a default, say, that must be one of them."""
    number = _NUMBER.fullmatch(words.strip())
    if number is not None:
        index = int(number[1]) if len(number[1]) < 5 else 0
        return options[index - 1] if 1 <= index <= len(options) else None
    found = _by_words(options, words)
    return found[0] if len(found) == 1 and _labelled(options, words) in (None, found[0]) else None


def _meant(question: Question, said: str) -> Option | None:
    """The option that the whole answer names, or None."""
    options = question.options
    if not options:
        return None
    if said.endswith("?") and all(option.option.casefold() != said.casefold() for option in options):
        return None  # who asks has not chosen
    plain = _plain(options, said)
    if plain is not None:
        return plain
    exact = next((option for option in options if option.option == said), None)
    number = _NUMBER.fullmatch(said)
    by_number = fitting(options, said) if number is not None else None
    if exact is not None and by_number not in (None, exact):
        words = f"{_short(said)!r} is the number of {_short(by_number.option)!r} and the words of another option"
        raise _refused(question, said, words, "ambiguous_option")
    if exact is not None:
        return exact
    if number is not None:
        found = by_number
        if found is None:
            raise _no_such_number(question, number[1])
        return found
    candidates = _by_words(options, said)
    if not candidates and question.decides:
        spoken = tuple(_words(said))
        effect = SAME.get(spoken, "")
        candidates = [option for option in options if option.effect == effect]
        if candidates and effect == "again" and spoken != TRIES:
            candidates += [option for option in options if option.effect in AS_IT_IS]
        if not candidates and effect == "again":
            candidates = [option for option in options if option.says == "yes"]
            candidates = candidates or [option for option in options if option.effect in GOES_ON]
    if not candidates and not question.decides:
        candidates = _by_letters(question, said)
    if len(candidates) > 1:
        both = " and ".join(f"{options.index(option) + 1} ({_short(option.option)})" for option in candidates[:3])
        raise _refused(question, said, f"{_short(said)!r} could be {both}", "ambiguous_option")
    labelled = _labelled(options, said)
    if candidates and labelled not in (None, candidates[0]):
        begun = _short(candidates[0].option)
        words = f"{_short(said)!r} begins {begun!r}, and as a label it is {_short(labelled.option)!r}"
        raise _refused(question, said, words, "ambiguous_option")
    return candidates[0] if candidates else None


def _labelled(options: list[Option], said: str) -> Option | None:
    """What a single letter names as a label: a is the first. An option that is just this letter comes before."""
    words = _words(said)
    place = LABELS.find(words[0]) if len(words) == 1 and len(words[0]) == 1 else -1
    named = next((option for option in options if _words(option.option) == words), None)
    return named or (options[place] if 0 <= place < len(options) else None)


def _plain(options: list[Option], said: str) -> Option | None:
    """A plain yes or no, where exactly one option stands for it."""
    words = _words(said)
    wanted = PLAIN.get(words[0]) if len(words) == 1 else None
    found = [option for option in options if wanted and option.says == wanted]
    return found[0] if len(found) == 1 else None


def _by_words(options: list[Option], said: str) -> list[Option]:
    """Those with just these words; else those that begin with them, the last of which may be cut off."""
    words = _words(said)
    if not words:
        return []
    told = [(option, _words(option.option)) for option in options]
    if len(words) == 1 and words[0] in PLAIN:
        return [option for option, own in told if own == words]  # a plain no is not the beginning of "no backup first"
    return (
        [option for option, own in told if own == words]
        or [option for option, own in told if own[: len(words)] == words]
        or [option for option, own in told if _is_cut_off(words, own)]
    )


def _by_letters(question: Question, said: str) -> list[Option]:
    """A letter or two in an open question: what begins so, or is asked back. It is no answer in words of its own."""
    word = said.casefold()
    if not (word.isalpha() and len(said) < BEGINNING_LETTERS) or PLAIN.get(word) == word:
        return []
    own = [(option, _words(option.option)) for option in question.options]
    plain = [option for option, words in own if words == [PLAIN.get(word)]]
    begun = [option for option, words in own if words and words[0].startswith(word)]
    found = begun if plain or word not in PLAIN else []  # without a plain yes or no a letter for one means neither
    if not found:
        raise _refused(question, said)
    return found


def _is_cut_off(words: list[str], own: list[str]) -> bool:
    *whole, last = words
    place = len(whole)
    is_begun = len(own) > place and own[place].startswith(last) and len(last) >= BEGINNING_LETTERS
    return is_begun and own[:place] == whole


def _with_more(question: Question, said: str) -> Chosen | None:
    """An option, and then further words that are for whoever goes on: '2, but keep the old API'."""
    options = question.options
    mark = _GOES_ON.search(said)
    if mark is not None:
        head, rest = said[: mark.start()], said[mark.start() :]
        number = _NUMBER.fullmatch(head)
        plain = _plain(options, head) if question.decides else None
        option = plain or fitting(options, head)
        # In an open question words stay as they are; only a number stands for something else, or what does something.
        if option is not None and not (number is not None or question.decides or option.effect):
            option = None
        clear = option and "?" not in head and _is_clear(question, option, said[mark.end() :], plain=plain is not None)
        if option is not None and clear:
            # A number or a beginning stands for the option's words; a yes is a word of its own, and stays.
            if plain is not None:
                return Chosen(option, _joined(option.option, said))
            return Chosen(option, option.option + (_beyond(option, rest) if number is not None else rest))
    if not question.decides:
        return None
    words = list(_WORD.finditer(said))
    spoken = [word[0].casefold() for word in words]
    begun = [(option, len(own)) for option in options if (own := _words(option.option)) and spoken[: len(own)] == own]
    if not begun:
        return None
    option, length = max(begun, key=lambda found: found[1])
    rest = said[words[length - 1].end() :]
    leads = spoken[length] if len(spoken) > length else ""
    leads_on = leads in LEADS_ON and not (leads == "and" and option.effect == "cancel")
    marked = _GOES_ON.match(rest) is not None
    if rest[:1] == "?" or not (marked or leads_on) or not _is_clear(question, option, rest):
        return None
    return Chosen(option, said)


def _beyond(option: Option, rest: str) -> str:
    """What is said behind a number; `2) Session` says the option's own words again, and nothing more."""
    own, words = _words(option.option), list(_WORD.finditer(rest))
    if not own or [word[0].casefold() for word in words[: len(own)]] != own:
        return rest.lstrip(").") if rest.startswith((")", ".")) else rest  # the mark was the number's
    return rest[words[len(own) - 1].end() :].rstrip(" .!)")


def _is_clear(question: Question, option: Option, rest: str, *, plain: bool = False) -> bool:
    """Do the further words leave standing what was chosen? They name no other option, and do not take it back.
    After a plain yes or no they may be what was really meant, so there less is taken for granted."""
    words = [word.replace("’", "'") for word in _words(rest)]
    if not words or words[0] in TAKES_BACK or all(word.isdecimal() for word in words):
        return False
    if question.decides and not CONDITIONS.isdisjoint(NO_CONDITIONS.sub(" ", " ".join(words)).split()):
        return False
    if plain and option.says == "yes" and not DENIES.isdisjoint(words):
        return False
    return not _names_other(question, option, words, plain=plain)


def _named_beside(question: Question, option: Option, more: str) -> bool:
    """Do the words beside a chosen option choose another, or name it?"""
    other = fitting(question.options, more)
    return other not in (None, option) or _names_other(question, option, _words(more))


def _names_other(question: Question, option: Option, words: list[str], *, plain: bool = False) -> bool:
    others = [_words(other.option) for other in question.options if other is not option]
    others += [list(said) for said, effect in SAME.items() if plain and effect != option.effect]
    return any(own and own == words[at : at + len(own)] for own in others for at in range(len(words)))


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _joined(text: str, more: str) -> str:
    return f"{text}: {more}" if text and more else text or more


def _short(words: str) -> str:
    one = " ".join(words.split())
    return one if len(one) <= SHOWN_LETTERS else f"{one[: SHOWN_LETTERS - 1]}…"


def shown(question: Question) -> str:
    """The options as a person types them."""
    return ", ".join(f"{number} {_short(option.option)}" for number, option in enumerate(question.options, start=1))


def _refused(question: Question, said: str, why: str = "", code: str = "choose_option") -> Invalid:
    why = why or f"{_short(said)!r} is none of the options of {question.id}"
    if question.decides:
        on = next((number for number, one in enumerate(question.options, start=1) if one.effect == "again"), 1)
        hint = "{help}; words for the agent go beside it: <answer question answer=on more>"
        hint += "; elsewhere: <answer question to>" if question.kind in ("dispute", "decision") else ""
        more = {"help": question.help or "answer by number", "on": on}
    else:
        hint, more = "answer by number; or, if these are the words: add <.text>", {}
    words = "{why}. Its options: {choices}"
    return Invalid(code, words, hint, why, shown(question), **more, **_details(question))


def _details(question: Question) -> dict[str, Any]:
    return {"question": question.id, "options": [one.option for one in question.options], "open": not question.decides}


def _no_such_number(question: Question, number: str) -> Invalid:
    words, hint = "{question} has options 1 to {count}, not {number}: {choices}", "answer with one of them"
    if not question.decides:
        hint += ", or in words; if {number} is the answer: <answer question text=yes answer>"
    count = len(question.options)
    return Invalid("no_such_option", words, hint, count, number[:20], shown(question), **_details(question))
