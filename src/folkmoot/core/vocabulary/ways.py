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


# Under which names an object tells what can be chosen, the best first; a name or a number alone says too little.
_NAMED = ("option", "label", "name", "title", "text", "choice", "value", "description", "id", "key")
_WHY = ("why_insufficient", "why", "description")
# Said of an option, and never itself what can be chosen.
_SAID_OF = frozenset({*_WHY, *_NAMED, "pros", "cons", "reason", "context", "note", "notes", "cost", "risk", "risks"})
_MARKS = ("id", "key", "letter", "number", "index")  # only number it
AN_OPTION = 'an option is a text, or an object such as {"option": "JWT", "why_insufficient": "…"}'


def options_told(value: Any) -> list[tuple[Any, tuple[str, str | None] | None]]:
    """Each entry of a list of options, or of an object, with what can be chosen by it and why that is not enough.
    `{"A": "JWT"}` names the option `JWT`, `{"JWT": "no revocation"}` says something of it. None: nothing can be."""
    if not isinstance(value, dict):
        return [(one, option_told(one)) for one in value]
    if not value or any(not isinstance(told, str | dict) for told in value.values()) or _is_option(value):
        return [(value, None)]
    marked = all(_is_mark(str(name)) for name in value)
    return [
        (told, _lettered(str(name), option_told(told)) if marked else _of_pair(str(name), told))
        for name, told in value.items()
    ]


def option_told(value: Any) -> tuple[str, str | None] | None:
    """What can be chosen, by whichever name it has, and all else that is said of it."""
    if not isinstance(value, dict):
        words = str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
        return (words, None) if words else None
    named = [name for name in _NAMED if isinstance(value.get(name), str) and value[name].strip()]
    own = next((name for name in named if not _is_mark(value[name])), next(iter(named), None))
    if own is None:
        pair = next(iter(value.items())) if len(value) == 1 else None
        named_so = pair is not None and isinstance(pair[1], str) and str(pair[0]).casefold() not in _SAID_OF
        return _of_pair(str(pair[0]), pair[1]) if pair is not None and named_so else None
    why = next((name for name in _WHY if name != own and isinstance(value.get(name), str)), None)
    counted = [name for name in dict.fromkeys((*_MARKS, *_NAMED)) if name != own and _is_mark(str(value.get(name, "")))]
    rest = {name: _words(told) for name, told in value.items() if name not in (own, why, *_MARKS, *counted)}
    told = [str(value[why]).strip() if why else "", *(f"{name}: {one}" for name, one in rest.items() if one)]
    found = (value[own].strip(), "; ".join(part for part in told if part) or None)
    return _lettered(str(value[counted[0]]), found) if counted else found


def _lettered(mark: str, found: tuple[str, str | None] | None) -> tuple[str, str | None] | None:
    """With the letter that it has beside others: whoever asks may speak of `A` elsewhere. A number it gets here."""
    bare = mark.strip("(). ")
    return (f"{bare}: {found[0]}", found[1]) if found is not None and bare.isalpha() else found


def _is_mark(name: str) -> bool:
    """A letter or a number, as options are counted."""
    bare = name.strip("(). ")
    return len(bare) == 1 or bare.isdecimal()


def _of_pair(name: str, told: Any) -> tuple[str, str | None] | None:
    if isinstance(told, dict):
        return option_told({"option": name, **told})
    return (name.strip(), told.strip() or None) if name.strip() else None


def _is_option(value: dict[Any, Any]) -> bool:
    """Is it one option, and no list of them?"""
    return any(name in value for name in ("option", "options", "label", "title", "alternatives", "recommended"))


def _words(said: Any) -> str:
    if isinstance(said, list):
        return ", ".join(filter(None, map(_words, said)))
    if said is None or isinstance(said, str):
        return (said or "").strip()
    return {True: "yes", False: "no"}[said] if isinstance(said, bool) else json.encode(said).decode()
