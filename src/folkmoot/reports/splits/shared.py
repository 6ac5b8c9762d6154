"""What tasks share: contracts and meeting points, with their words or only by their names."""

import json
from collections import Counter
from typing import Any

from folkmoot.core.report import Contract
from folkmoot.core.vocabulary.patterns import pattern
from folkmoot.core.vocabulary.plans import split_field
from folkmoot.core.vocabulary.words import plain
from folkmoot.reports.fields import Taken

_POINT = ("point", "integration point")
_NAME = pattern(r"[^():{}=\n]{1,100}")


def contracts_in(said: Any) -> list[Contract]:
    """Contracts by name and words: in an object, in a list of objects or of texts, or in one text."""
    if isinstance(said, dict):
        if isinstance(said.get("name"), str):
            return [_contract(said)]
        return [Contract(name=name, text=as_text(text)) for name, text in said.items()]
    found = []
    fields = _fields_in(said)
    for part in said if isinstance(said, list) else [said]:
        if isinstance(part, str) and part.strip():
            name, _, text = part.partition(": ")
            # `find(id: string): User` is one name, and `User: id and mail` a name with its words.
            whole = _NAME.fullmatch(name) is None
            found.append(Contract(name=(part if whole else name).strip(), text="" if whole else text.strip()))
        elif isinstance(part, dict) and isinstance(part.get("name"), str):
            found.append(_contract(part))
        elif isinstance(part, dict) and len(part) > 1 and part.keys() & fields:
            named = next((name for name in part if name in fields and isinstance(part[name], str)), next(iter(part)))
            rest = {name: value for name, value in part.items() if name != named}
            found.append(_contract({**rest, "name": as_text(part[named])}))
        elif isinstance(part, dict):
            found += [Contract(name=name, text=as_text(text)) for name, text in part.items()]
    return found


def _fields_in(said: Any) -> set[str]:
    """The names that stand in several objects of a list: they are fields, and the first one names each object."""
    parts = [part for part in said if isinstance(part, dict)] if isinstance(said, list) else []
    counted = Counter(name for part in parts for name in part)
    return {name for name, times in counted.items() if times > 1}


def _contract(part: dict[str, Any]) -> Contract:
    rest = {key: value for key, value in part.items() if key != "name"}
    alone = next(iter(rest.values())) if len(rest) == 1 else rest
    alone = rest if isinstance(alone, bool) else alone  # `true` says nothing without its name
    return Contract(name=part["name"], text=as_text(alone) if rest else "")


def shared_contracts(place: dict[str, Any]) -> list[Contract]:
    """All that an object says of them, under whichever names."""
    return [one for name, said in place.items() if split_field(name) == "contracts" for one in contracts_in(said)]


def unwrapped(place: dict[str, Any]) -> dict[str, Any]:
    """The object with what stands in a wrapper of it, as types and meeting points in `sharedDependencies`."""
    found: dict[str, Any] = {}
    for name, said in place.items():
        found |= said if is_wrapper(name, said) else {name: said}
    return found


def is_wrapper(name: str, said: Any) -> bool:
    """Does a name for contracts hold only what has such a name of its own?"""
    known = split_field(name) == "contracts" and isinstance(said, dict) and bool(said)
    return known and all(split_field(inner) in ("contracts", "points") for inner in said)


def once_each(contracts: list[Contract]) -> list[Contract]:
    """Each name once: one that is only named says nothing against the words that another place has for it, and
    `AuthResult` is the `AuthResult type` of which there are words."""
    found: dict[str, Contract] = {}
    for one in contracts:
        known = found.get(one.name)
        if known is None or not known.text:
            found[one.name] = one
        elif one.text and one.text != known.text:
            found[one.name] = Contract(name=one.name, text=f"{known.text}\n{one.text}")
    told = [f" {plain(one.name)} " for one in found.values() if one.text]
    return [one for one in found.values() if one.text or not any(f" {plain(one.name)} " in name for name in told)]


def points_in(said: Any) -> dict[str, Any]:
    """Meeting points with what is said of each, or only named."""
    if isinstance(said, dict):
        return said
    if isinstance(said, list):
        said = [_with_name(part) if isinstance(part, dict) else part for part in said]
    if not isinstance(said, list) or all(isinstance(part, str) for part in said):
        names = [said] if isinstance(said, str) else said if isinstance(said, list) else []
        return {name: "" for name in names if name.strip()}
    points: dict[str, Any] = {}
    for one in contracts_in(said):
        known = points.get(one.name)
        points[one.name] = f"{known}\n{one.text}" if known and one.text else known or one.text
    return points


def _with_name(part: dict[str, Any]) -> dict[str, Any]:
    """A meeting point that is named as what it is: `{"point": "auth routes", "files": […]}`."""
    named = next((name for name in part if plain(name) in _POINT and isinstance(part[name], str)), "name")
    return {("name" if name == named else name): value for name, value in part.items()}


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def told_points(data: dict[str, Any]) -> dict[str, Any]:
    """Integration points with what is said of each, or only named."""
    points = points_in(data.get("integrationPoints", data.get("integration_points")))
    return {"integration_points": points} if points else {}


def shared_parts(said: Taken, data: dict[str, Any]) -> dict[str, Any]:
    """The contracts and meeting points of a decomposition, with their words or only by their names."""
    parts: dict[str, Any] = {}
    contracts = once_each(shared_contracts(data))
    if contracts:
        parts["contracts"] = contracts
        said.used |= {
            name for name, value in data.items() if split_field(name) == "contracts" and isinstance(value, dict)
        }
    points = told_points(data)
    if points:
        parts |= points
        said.used.add("integrationPoints")
    return parts
