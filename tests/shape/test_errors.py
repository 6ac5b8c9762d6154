"""Every error stands in the one table of the contract, as what it is raised as; and nothing else stands there."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import click

from folkmoot import errors
from folkmoot.api.errors import ERRORS, REMEDIES
from folkmoot.doors.cli.main import moot
from folkmoot.doors.hints import PLACED, command
from folkmoot.engine.registry import CALLS

SOURCE = Path(__file__).parents[2] / "src" / "folkmoot"
KINDS = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, errors.MootError)}
# Whoever hands a code on to an error: what it is called with.
HANDS_ON = {"text_of", "_text", "_refused"}
ARGUMENT = re.compile(r"<\.([a-z]+)>")
CODE = re.compile(r"[a-z]+(_[a-z]+)+")


# Arguments that are no part of a request: who speaks, the key beside it, and what only the command line has.
BESIDE = {"as", "board", "branch", "dir", "from", "items", "key", "unproved", "widen"}
# Where nothing may speak of commands; and how often texts that are no refusals do so still: warnings about a flow, the
# pages of the reference, an option of git. Of core there is none: what it asks, notes and tells is read at every door.
ROOMS = {"errors.py", "api", "core", "engine", "store", "reports", "flows", "mirror"}
TOLD_OTHERWISE = {
    "flows/checking/agents.py": 2,
    "flows/checking/columns.py": 2,
    "flows/keys.py": 2,
    "mirror/tracked.py": 1,  # an option of git
    "reports/canonical.py": 2,
}
MOOT = re.compile(r"\bmoot (?!(?:cannot|for|in|is|keeps|looks|that|trusts)\b)[a-z]|(?<![\w-])--[a-z]")


class Raised(NamedTuple):
    where: str
    kind: str
    call: ast.Call
    inside: ast.AST  # the function, or the module


@cache
def trees() -> dict[str, ast.Module]:
    return {str(path.relative_to(SOURCE)): ast.parse(path.read_text("utf-8")) for path in sorted(SOURCE.rglob("*.py"))}


@cache
def kinds() -> dict[str, str]:
    """Every class of errors, and which of the kinds it is."""
    found = {name: name for name in KINDS}
    for tree in trees().values():
        for node in ast.walk(tree):
            bases = [ast.unparse(base) for base in node.bases] if isinstance(node, ast.ClassDef) else []
            if isinstance(node, ast.ClassDef) and bases and bases[0] in KINDS - {"MootError"}:
                found[node.name] = bases[0]
    return found


def raised(name: str, tree: ast.Module) -> Iterator[Raised]:
    """Where an error is made: by the name of its class, or in a class of its own."""
    nodes = list(ast.walk(tree))
    inside = {id(node): part for part in nodes if isinstance(part, ast.FunctionDef) for node in ast.walk(part)}
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in kinds() and node.args:
            yield Raised(f"{name}:{node.lineno}", kinds()[node.func.id], node, inside.get(id(node), tree))
        if isinstance(node, ast.ClassDef) and node.name in kinds() and name != "errors.py":
            for call in ast.walk(node):
                if isinstance(call, ast.Call) and ast.unparse(call.func) == "super().__init__":
                    yield Raised(f"{name}:{call.lineno}", kinds()[node.name], call, node)


@cache
def all_raised() -> list[Raised]:
    return [one for name, tree in trees().items() for one in raised(name, tree)]


def test_every_error_is_raised_as_the_table_says() -> None:
    wrong, others = [], set()
    for where, kind, call, _ in all_raised():
        code = call.args[0]
        if not isinstance(code, ast.Constant):
            others.add(ast.unparse(code))
        elif code.value not in ERRORS or ERRORS[code.value].kind.__name__ != kind:
            wrong.append(f"{where}: {code.value!r} as {kind}")
    assert wrong == [] and len(all_raised()) > 350
    # A file and its findings are what the two classes with many faults are made of.
    assert others == {"REPORT_REFUSED", "code", "f'too_many_{kind}'", "name"}


def test_every_code_that_is_handed_on_stands_in_the_table() -> None:
    for tree in trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in HANDS_ON:
                for given in [*node.args, *(keyword.value for keyword in node.keywords)]:
                    if isinstance(given, ast.Constant) and CODE.fullmatch(str(given.value)):
                        assert given.value in ERRORS, ast.unparse(node)


def test_every_code_of_the_table_is_raised() -> None:
    said = {
        node.value
        for name, tree in trees().items()
        if name != "api/errors.py"
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    made = {f"too_many_{kind}" for kind in ("comments", "messages", "questions")}
    assert sorted(ERRORS.keys() - said - made) == []


def test_a_code_says_one_thing_in_one_line() -> None:
    meanings = [row.meaning for row in ERRORS.values()]
    assert len(set(meanings)) == len(meanings) and all(0 < len(words) < 90 for words in meanings)
    assert {row.exit_code for row in ERRORS.values()} == {1, 2, 3, 4}
    assert all(400 <= row.http < 600 for row in ERRORS.values())


def written(node: ast.expr, one: Raised, seen: tuple[str, ...] = ()) -> str | None:
    """A text without values: written there, in a variable before it, or as one of several. None if it holds some."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    parts: list[ast.expr] = []
    if isinstance(node, ast.BinOp):
        parts = [node.left, node.right]
    elif isinstance(node, ast.IfExp):
        parts = [node.body, node.orelse]
    elif isinstance(node, ast.BoolOp | ast.JoinedStr):
        parts = node.values
    elif isinstance(node, ast.FormattedValue):
        parts = [node.value]
    elif isinstance(node, ast.Name) and node.id not in seen:
        parts, seen = last_set(node.id, one), (*seen, node.id)
    texts = [written(part, one, seen) for part in parts]
    return "".join(text or "" for text in texts) if texts and None not in texts else None


def last_set(name: str, one: Raised) -> list[ast.expr]:
    """What a variable was last set to before the error was made, and what was added to it since."""
    found: list[tuple[int, ast.expr, bool]] = []
    for node in [*ast.walk(one.inside), *ast.iter_child_nodes(trees()[one.where.split(":")[0]])]:
        if isinstance(node, ast.Assign | ast.AugAssign) and (node.lineno < one.call.lineno or name.isupper()):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(target.elts, node.value.elts, strict=False))
            found += [(node.lineno, value, isinstance(node, ast.Assign)) for to, value in pairs if said(to) == name]
    start = max((line for line, _, is_new in found if is_new), default=0)
    return [value for line, value, _ in found if line >= start]


def said(node: ast.AST) -> str:
    return ast.unparse(node)


def made_of_words() -> list[Raised]:
    """Those that are raised with words; of a file with many faults there are lines instead."""
    return [one for one in all_raised() if said(one.call.func) not in ("FlowFaults", "PopulationFaults")]


def test_every_value_in_the_words_of_an_error_is_one_of_its_details() -> None:
    """Words name their values, `{item}`: so that a program finds each of them in `details`."""
    assert [one.where for one in made_of_words() if written(one.call.args[1], one) is None] == []
    planted = ast.parse('def planted(item):\n    words = f"no {item}"\n    raise Refused("x", words)')
    trees()["planted"] = planted
    assert [written(one.call.args[1], one) for one in raised("planted", planted)] == [None]
    del trees()["planted"]


def test_every_name_in_the_words_of_an_error_has_a_value() -> None:
    wrong, whole = [], 0
    for one in made_of_words():
        texts = [written(text, one) for text in one.call.args[1:3]]
        if None in texts or any(keyword.arg is None for keyword in one.call.keywords) or "*told" in said(one.call):
            continue
        whole += 1
        named = {mark[1] for text in texts for mark in errors.NAMED.finditer(text or "") if mark[1]}
        if len(named - {keyword.arg for keyword in one.call.keywords}) != len(one.call.args[3:]):
            wrong.append(f"{one.where}: {sorted(named)}")
    assert wrong == [] and whole > 330


def test_every_refusal_of_a_rule_says_in_data_what_it_is_about() -> None:
    """A program acts on the code and the details; a code alone seldom says of which item, field or column it speaks."""
    rules = [one for one in made_of_words() if one.where.startswith("core/")]
    assert [one.where for one in rules if not (one.call.args[3:] or one.call.keywords)] == [] and len(rules) > 130


@cache
def steps() -> list[tuple[str, errors.Step]]:
    """Every call and argument that is named where errors are raised; a detail that is not known here is None."""
    found = []
    for name in {one.where.split(":")[0] for one in all_raised()} - {"errors.py"}:
        for text in texts_in(trees()[name]):
            alone = [errors.Step("", {argument: None}) for argument in ARGUMENT.findall(text)]
            found += [(f"{name}: {text}", step) for step in [*errors.Refused("x", "", text).next, *alone]]
    return found


def texts_in(tree: ast.Module) -> list[str]:
    """All texts of a module but its docstrings."""
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in prose]
    return [text for text in texts if isinstance(text, str) and "(?P<" not in text]


def test_a_hint_names_calls_and_their_arguments() -> None:
    known = {call.name: {*call.request.__struct_fields__, "as"} for call in CALLS}
    anywhere = BESIDE.union(*known.values())
    for where, step in steps():
        assert step.call in known.keys() | REMEDIES.keys() | {""}, f"{where}: {step}"
        assert step.args.keys() <= known.get(step.call, anywhere | {"backup", "flow", "move", "at"}), f"{where}: {step}"
    assert len(steps()) > 80


def test_the_command_line_has_every_command_that_a_hint_becomes() -> None:
    context = click.Context(moot)
    for where, step in steps():
        if step.call:
            words = command(step).split()
            made = moot.get_command(context, words[1])
            if isinstance(made, click.Group):
                made = made.get_command(context, words[2])
            assert made is not None, f"{where}: {words}"
            options = {name for parameter in made.params for name in parameter.opts}
            assert {word for word in words if word.startswith("--")} <= options, f"{where}: {words}"
            placed = [parameter for parameter in made.params if isinstance(parameter, click.Argument)]
            assert len(PLACED.get(step.call, ())) <= len(placed), f"{where}: {words}"


def test_the_rules_do_not_speak_of_commands() -> None:
    """What a door is called stands in the door: a refusal names calls, and each door says them in its own way."""
    found = {
        name: count
        for name, tree in trees().items()
        if name.split("/")[0] in ROOMS and (count := sum(bool(MOOT.search(text)) for text in texts_in(tree)))
    }
    assert found == TOLD_OTHERWISE
    said = [
        "see: moot list",
        "leave --column ",
        "`moot add`",
        "it is part of the moot that runs here",
        "a -- b",
        "x--y",
    ]
    assert [text for text in said if MOOT.search(text)] == said[:3]
