"""The check that a project already has: a new flow proves work with it."""

import json
import os
import re
from collections.abc import Iterator

from folkmoot.api.machine import GateFound

BYTES_MAX = 1_000_000
_TEST_TARGET = re.compile(r"^(?:test|check)(?=\s*:(?!=))", re.MULTILINE)
_NPM_PLACEHOLDER = "no test specified"  # as `npm init` writes it: it is always red
_NPM_LOCKS = {"package-lock.json": "npm ci", "pnpm-lock.yaml": "pnpm install --frozen-lockfile", "yarn.lock": "yarn"}


def found_gate(folder: str) -> GateFound | None:
    """The first that is there: what the project's authors wrote themselves comes before what its language has."""
    return next(_gates(folder), None)


def _gates(folder: str) -> Iterator[GateFound]:
    for name in ("Makefile", "makefile", "GNUmakefile"):
        if target := _TEST_TARGET.search(_text(folder, name)):
            yield GateFound(command=f"make {target.group()}", where=name)
    if _npm_test(_text(folder, "package.json")):
        lock = next((name for name in _NPM_LOCKS if os.path.isfile(os.path.join(folder, name))), None)
        yield GateFound(command="npm test", where="package.json", setup=_NPM_LOCKS[lock] if lock else None)
    if os.path.isfile(os.path.join(folder, "Cargo.toml")):
        yield GateFound(command="cargo test", where="Cargo.toml")
    if os.path.isfile(os.path.join(folder, "go.mod")):
        yield GateFound(command="go test ./...", where="go.mod")
    for name, says in (
        ("pytest.ini", ""),
        ("pyproject.toml", "pytest"),
        ("tox.ini", "[pytest]"),
        ("setup.cfg", "pytest"),
    ):
        if os.path.isfile(os.path.join(folder, name)) and says in _text(folder, name):
            yield GateFound(command="python -m pytest -q", where=name)


def _npm_test(text: str) -> bool:
    try:
        told = json.loads(text)
    except ValueError:  # none is there, or npm itself will say what is wrong with it
        return False
    scripts = told.get("scripts") if isinstance(told, dict) else None
    script = scripts.get("test") if isinstance(scripts, dict) else None
    return isinstance(script, str) and bool(script.strip()) and _NPM_PLACEHOLDER not in script


def _text(folder: str, name: str) -> str:
    """What the file says; nothing where it is not there, or is no ordinary file of text."""
    path = os.path.join(folder, name)
    if not os.path.isfile(path) or os.path.getsize(path) > BYTES_MAX:
        return ""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
