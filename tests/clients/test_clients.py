"""Installing clients: what cannot be had is said, and never half there."""

from pathlib import Path

import pytest

from tests.clients import clients
from tests.clients.clients import ALL, CLIENTS, STARTED, PythonClient, install


def test_a_client_that_cannot_be_installed_is_said_loudly_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(clients, "PLACE", tmp_path)
    monkeypatch.setattr(clients, "NODE", tmp_path / "node")
    monkeypatch.setenv("PATH", str(tmp_path))  # no npm, and no pip to get one with
    monkeypatch.setenv("PYTHON", str(tmp_path / "no-python"))
    goose = CLIENTS["goose"]
    assert not install(goose)
    assert "*** NOT RUN: goose 1.52.0: " in capsys.readouterr().err
    assert "no-python" in goose.why_not
    assert [path.name for path in tmp_path.iterdir()] == ["goose-1.52.0.failed"]


def test_a_client_in_python_whose_packages_cannot_be_had_leaves_no_environment_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(clients, "PLACE", tmp_path)
    monkeypatch.setattr(clients, "PACKAGES", tmp_path / "no-packages")
    aider = STARTED["aider"]
    assert not install(aider)
    assert "*** NOT RUN: aider 0.86.2: " in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["aider-0.86.2.failed"]


def test_a_client_in_python_says_which_versions_run_it_where_none_is_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients, "PLACE", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYTHON", str(tmp_path / "no-python"))
    aider = STARTED["aider"]
    assert not install(aider)
    assert aider.why_not == "it needs Python 3.12, 3.11, 3.10, and none of them is here"


def test_a_client_made_from_another_lock_is_not_taken_for_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients, "PLACE", tmp_path)
    goose = CLIENTS["goose"]
    goose.folder.mkdir()
    (goose.folder / "package-lock.json").write_text("{}", "utf-8")
    assert not goose.installed
    (goose.folder / "package-lock.json").write_bytes(goose.lock.read_bytes())
    assert goose.installed


@pytest.mark.parametrize("name", ALL)
def test_every_package_is_pinned_by_version_and_hash(name: str) -> None:
    lock = ALL[name].lock.read_text("utf-8")
    assert ALL[name].version in lock
    if isinstance(ALL[name], PythonClient):
        packages = lock.split("\n", 2)[2].replace("\\\n", " ").splitlines()
        assert all("==" in package and "--hash=sha256:" in package for package in packages)
        return
    assert lock.count('"integrity": "sha512-') == lock.count('"node_modules/')
