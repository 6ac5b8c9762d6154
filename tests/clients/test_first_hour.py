"""From `pip install` to a landed change with three commands, with a client that nobody here wrote."""

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

from tests.clients.clients import CLIENTS, ROOT, STARTED
from tests.clients.first_hour import Visit, play

MINUTES = 5 * 60


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The folder of a `moot` that pip installed from the wheel of this checkout. What it needs is in the environment of
    the tests already: a test asks no registry."""
    folder = tmp_path_factory.mktemp("installed")
    built = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(built, cwd=ROOT, check=True, capture_output=True)
    [wheel] = folder.glob("folkmoot-*.whl")
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", str(wheel)]
    subprocess.run(pip, check=True, capture_output=True)
    [packages] = (folder / "venv" / "lib").glob("python*/site-packages")
    (packages / "needs.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    asked = [str(python), "-c", "import folkmoot; print(folkmoot.__file__)"]
    where = subprocess.run(asked, cwd=folder, check=True, capture_output=True, text=True, env={"PATH": os.defpath})
    assert where.stdout.startswith(str(folder)), "the wheel is what runs, not the checkout"
    return str(python.parent)


each_client = pytest.mark.parametrize(
    "client",
    [pytest.param(name, marks=[] if name == "goose" else [pytest.mark.slow]) for name in {**CLIENTS, **STARTED}],
    indirect=True,
)


@each_client
def test_three_commands_from_an_installed_wheel_to_a_landed_change(client: str, installed: str, tmp_path: Path) -> None:
    seen = play(Visit(client=client, folder=str(tmp_path), moot=installed))
    assert seen.landed.get("hello.txt") == "hello from the board\n", f"{seen}"
    assert [run["agent"] for run in seen.runs] == ["coder", "reviewer"], f"{seen}"
    assert f"client: {client}" in seen.flow and '["make", "test"]' in seen.flow
    assert seen.item["column"] == "done" and seen.seconds < MINUTES
    assert seen.ready["ok"], f"{seen}"
    assert {one["look"]: one["state"] for one in seen.ready["looks"]}["gate"] == "good"
