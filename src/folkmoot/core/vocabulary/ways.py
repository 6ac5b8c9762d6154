"""The ways in which a question of the rules can be answered, and what each of them does. Nowhere else is it said. And
what an agent offers as an option, however it writes it."""

from typing import Any, Literal

from msgspec import Struct, json

from folkmoot.core.records import Option

Effect = Literal[
    "again",
    "join",
    "move",
    "fix",
    "finish",
    "waive",
    "uphold",
    "dismiss",
    "split",
    "whole",
    "delegate",
    "drop",
    "give",
    "keep",
    "take",
    "more",
    "go",
    "wait",
    "park",
    "cancel",
]
# What a person who chooses it is told beforehand, about the item. `{to}` is the column it names.
DOES: dict[str, str] = {
    "again": "goes on where it asked, its counters at zero",
    "join": "goes on with what is there by now, which becomes part of it",
    "move": "goes to {to}",
    "fix": "goes to {to}, then back to whoever asked; its rounds are counted from 1 again",
    "finish": "counts as done here, and goes on",
    "waive": "goes on: these findings change nothing",
    "uphold": "goes to {to}, the dispute accepted",
    "dismiss": "goes to {to}, the dispute rejected",
    "split": "is split into the proposed tasks",
    "whole": "goes on as it is; a split would ask again",
    "delegate": "waits for that expert's advice, then goes on",
    "drop": "waits for it no longer",
    "give": "gets the files",
    "keep": "does not get them, and cannot ask again",
    "take": "has what the file says, and goes on",
    "more": "may make as many again",
    "go": "is tried now: the pause ends",
    "wait": "is tried when the pause is over",
    "park": "rests until you answer again",
    "cancel": "ends, with its runs and children",
}
# Where no column is named.
HERE: dict[str, str] = {
    "fix": "is fixed when everybody has spoken",
    "uphold": "goes on here, the dispute accepted",
    "dismiss": "goes on here, the dispute rejected",
}


class Way(Struct, frozen=True):
    """A way that the rules offer: short words, and what choosing it does. `says` is the plain answer it stands for."""

    words: str
    effect: Effect
    to: str | None = None
    says: Literal["yes", "no"] | None = None

    @property
    def option(self) -> Option:
        return Option(option=self.words, effect=self.effect, to=self.to, says=self.says)


PARK = Way("park it", "park")
NOT_NOW = Way("park it", "park", says="no")  # where the question is whether it goes on
CANCEL = Way("cancel it", "cancel")
AGAIN = Way("try again", "again", says="yes")
GO_ON = Way("go on", "again", says="yes")
# Where the question states a concern: a yes would say that it is one, and not that anybody goes on.
AGAIN_ALL_THE_SAME, GO_ON_ALL_THE_SAME = Way("try again", "again"), Way("go on", "again")


def does(option: Option) -> str | None:
    """What choosing an option does beyond its words; None: its words are all there is."""
    effect = option.effect
    if effect is None:
        return f"the item goes to {option.to}" if option.to else None
    words = DOES.get(effect) if option.to else HERE.get(effect, DOES.get(effect))
    return words.format(to=option.to) if words else None


# Under these names an option of an agent says what can be chosen, and why it is not chosen yet, the nearest name first.
_NAMES = ("option", "label", "name", "title", "text", "value", "description", "id")
_WHYS = ("why_insufficient", "why", "description")
_LETTERS = ("id", "key", "letter")  # what it is called beside others: A, B
_LETTER_MAX = 3


def option_told(value: dict[str, Any]) -> Option | None:
    """An option by whichever name it has, with all that is said of it: whoever chooses reads nothing else. None if
    there is nothing to choose."""
    name, why = _first(value, _NAMES), _first(value, _WHYS)
    if name is None:
        return None
    words, told = value[name].strip(), []
    if why is not None and why != name:
        told.append(value[why].strip())
    letter = _first(value, _LETTERS)
    if letter is not None and letter != name and _is_letter(value[letter].strip()):
        words = f"{value[letter].strip()}: {words}"
    else:
        letter = None
    rest = ((key, _words(said)) for key, said in value.items() if key not in (name, why, letter))
    told += [f"{key}: {said}" for key, said in rest if said]
    return Option(option=words, why_insufficient="; ".join(told) or None)


def _first(value: dict[str, Any], names: tuple[str, ...]) -> str | None:
    return next((name for name in names if isinstance(told := value.get(name), str) and told.strip()), None)


def _is_letter(word: str) -> bool:
    return word.isalnum() and not word.isdigit() and len(word) <= _LETTER_MAX


def _words(said: Any) -> str:
    if isinstance(said, list):
        return ", ".join(filter(None, map(_words, said)))
    if said is None or isinstance(said, str):
        return (said or "").strip()
    return {True: "yes", False: "no"}[said] if isinstance(said, bool) else json.encode(said).decode()
