"""A run's environment holds what was meant for it and nothing else of the worker's."""

import os
import stat
import subprocess
from pathlib import Path

import pytest

from folkmoot.errors import Invalid
from folkmoot.worker.environment import CACHES, environment, make_tmp, tmp
from folkmoot.worker.logins.placing import FILE_BYTES_MAX, Files, place, read_files
from folkmoot.worker.ports import Paths

RUN = Paths(root="/b/runs/r1", workspace="/b/runs/r1/workspace", home="/b/runs/r1/home", spool="/b/runs/r1/spool")
CANARY = "canary-3f9a1c"


def made(*names: str, worker: dict[str, str] | None = None, cache: str | None = None, **values: str) -> dict[str, str]:
    env = {"PATH": "/usr/bin:/bin", **(worker or {})}
    run = {"MOOT_RUN": "r1"}
    return environment(names, values, worker_env=env, paths=RUN, moot="/opt/moot/bin", cache=cache, run=run)


def test_nothing_of_the_worker_s_passes_unless_it_is_named() -> None:
    secret = {"API_KEY": CANARY, "HOME": f"/{CANARY}", "USER": CANARY, "SSH_AUTH_SOCK": CANARY, "LD_PRELOAD": CANARY}
    secret |= {"MOOT_TOKEN": CANARY, "GIT_DIR": CANARY, "PYTHONPATH": CANARY, "LANG": CANARY, "NAMED": "value"}
    env = made("NAMED", "NOT_SET", worker=secret)
    assert not [name for name, value in env.items() if CANARY in value]
    assert env["NAMED"] == "value" and "NOT_SET" not in env
    assert env["HOME"] == RUN.home and env["LANG"] == "C.UTF-8" and env["MOOT_RUN"] == "r1"


def test_what_the_entry_sets_goes_before_what_it_passes() -> None:
    env = made("A", "TERM", worker={"A": "worker", "TERM": "xterm"}, A="flow", B="flow")
    assert (env["A"], env["B"], env["TERM"]) == ("flow", "flow", "xterm")


@pytest.mark.parametrize(
    "name", ["MOOT_RUN", "MOOT_ANYTHING", "LD_PRELOAD", "LD_LIBRARY_PATH", "HOME", "GCONV_PATH", ""]
)
def test_an_entry_cannot_say_who_a_run_is_or_load_code(name: str) -> None:
    with pytest.raises(Invalid) as passed:
        made(name, worker={name: "x"})
    with pytest.raises(Invalid) as given:
        environment((), {name: "x"}, worker_env={}, paths=RUN, moot="/opt/moot/bin")
    assert passed.value.code == given.value.code == "client_env"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/usr/bin:/bin", "/opt/moot/bin:/usr/bin:/bin"),
        ("/bin:/opt/moot/bin:/bin", "/opt/moot/bin:/bin"),
        (":.:bin:/bin:", "/opt/moot/bin:/bin"),
        ("", "/opt/moot/bin:/usr/local/bin:/usr/bin:/bin"),
    ],
)
def test_the_path_is_the_worker_s_with_moot_first_and_nothing_relative(path: str, expected: str) -> None:
    assert made(worker={"PATH": path})["PATH"] == expected
    assert made("PATH", worker={"PATH": path})["PATH"] == expected
    assert made(PATH="/mine:x")["PATH"] == "/opt/moot/bin:/mine"


def test_tools_find_the_rest_of_themselves_though_home_is_another() -> None:
    env = made(worker={"PATH": "/u/.cargo/bin:/u/.pyenv/shims:/u/.volta/bin/:/usr/bin"})
    assert (env["RUSTUP_HOME"], env["PYENV_ROOT"], env["VOLTA_HOME"]) == ("/u/.rustup", "/u/.pyenv", "/u/.volta")
    assert "RUSTUP_HOME" not in made()


def test_caches_are_shared_where_that_is_allowed_and_private_elsewhere() -> None:
    shared = made(cache="/b/cache")
    assert {shared[name] for name in CACHES} == {f"/b/cache/{folder}" for folder in CACHES.values()}
    assert made()["XDG_CACHE_HOME"] == f"{RUN.home}/.cache" and "CARGO_HOME" not in made()


def test_git_neither_asks_nor_waits_nor_finds_a_repository_above(tmp_path: Path) -> None:
    workspace = tmp_path / "runs" / "workspace"
    workspace.mkdir(parents=True)
    paths = Paths(root=str(tmp_path / "runs"), workspace=str(workspace), home=str(tmp_path), spool=str(tmp_path))
    env = environment((), {}, worker_env=dict(os.environ), paths=paths, moot="/opt/moot/bin")

    def git(*args: str, cwd: Path = workspace) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["git", *args], cwd=cwd, env=env, capture_output=True, text=True, timeout=60)

    assert git("init", "-q", cwd=tmp_path).returncode == 0
    assert git("status").returncode == 128  # the repository above is not taken for its own
    assert git("init", "-q").returncode == 0
    (workspace / "a").write_text("a", "utf-8")
    assert git("add", "a").returncode == 0
    assert git("commit", "-q").returncode == 1  # an editor that nobody closes would wait here
    done = git("commit", "-q", "-m", "one")
    assert done.returncode == 0, done.stderr
    assert git("log", "--format=%an").stdout == "Folkmoot agent\n"


def place_files(names: list[str], home: str, worker_home: str) -> Files:
    """As a run without a sandbox gets them."""
    read = read_files(names, worker_home)
    placed = place(read.contents, home, in_memory=False)
    there = {name: text for name, text in read.texts.items() if os.path.join(home, name[2:]) in placed.disk}
    return Files(texts=there, notes=[*read.notes, *placed.notes])


@pytest.fixture
def homes(tmp_path: Path) -> tuple[Path, Path]:
    run, worker = tmp_path / "run", tmp_path / "worker"
    run.mkdir()
    (worker / ".codex").mkdir(parents=True)
    (worker / ".codex" / "auth.json").write_text('{"token": "abc"}', "utf-8")
    return run, worker


def test_credential_files_come_to_the_same_place(homes: tuple[Path, Path]) -> None:
    run, worker = homes
    os.chmod(worker / ".codex" / "auth.json", 0o644)
    placed = place_files(["~/.codex/auth.json"], str(run), str(worker))
    file = run / ".codex" / "auth.json"
    assert file.read_text("utf-8") == placed.texts["~/.codex/auth.json"] == '{"token": "abc"}'
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert placed.notes == []
    (worker / ".codex" / "auth.json").write_text("new", "utf-8")
    place_files(["~/.codex/auth.json"], str(run), str(worker))
    assert file.read_text("utf-8") == "new"


def test_the_folder_for_temporary_files_is_its_own(homes: tuple[Path, Path]) -> None:
    make_tmp(str(homes[0]))
    make_tmp(str(homes[0]))
    assert stat.S_IMODE(Path(tmp(str(homes[0]))).stat().st_mode) == 0o700


def test_what_is_missing_or_not_fit_is_noted(homes: tuple[Path, Path]) -> None:
    run, worker = homes
    os.mkfifo(worker / "pipe")
    (worker / "folder").mkdir()
    (worker / "large").write_bytes(b"x" * (FILE_BYTES_MAX + 1))
    (worker / "linked").symlink_to(worker / ".codex" / "auth.json")
    names = ["~/gone", "~/pipe", "~/folder", "~/large", "~/linked", "~/.codex/auth.json/x"]
    placed = place_files(names, str(run), str(worker))
    assert placed.notes == [
        "~/pipe is not a regular file",
        "~/folder is not a regular file",
        f"~/large has more than {FILE_BYTES_MAX} bytes",
        "~/.codex/auth.json/x cannot be placed: Not a directory",
    ]
    assert sorted(entry.name for entry in run.iterdir()) == ["linked"]
    assert not (run / "linked").is_symlink()


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "~", "~/", "~/../x", "~/a/../../x", "~root/x", "x", "", "~/./x", "~//x"]
)
def test_only_files_below_home_can_be_named(homes: tuple[Path, Path], name: str) -> None:
    with pytest.raises(Invalid, match="not a file below a home"):
        place_files([name], str(homes[0]), str(homes[1]))


def test_a_planted_link_is_not_followed(homes: tuple[Path, Path], tmp_path: Path) -> None:
    run, worker = homes
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "auth.json").write_text("mine", "utf-8")
    (run / ".codex").symlink_to(outside)
    placed = place_files(["~/.codex/auth.json"], str(run), str(worker))
    assert (outside / "auth.json").read_text("utf-8") == "mine"
    assert len(placed.notes) == 1 and placed.texts == {}

    (run / ".codex").unlink()
    (run / ".codex").mkdir()
    (run / ".codex" / "auth.json").symlink_to(outside / "auth.json")
    assert place_files(["~/.codex/auth.json"], str(run), str(worker)).notes == []
    assert (outside / "auth.json").read_text("utf-8") == "mine"
    assert (run / ".codex" / "auth.json").read_text("utf-8") == '{"token": "abc"}'
