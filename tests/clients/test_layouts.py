"""Where installers put a client: its platform package is found in the sandbox, or it is said that it is missing."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.clients.clients import CLIENTS, search_path
from tests.worker.yard import git

PLATFORM = "codex-linux-x64"
# As pnpm writes it for a global package.
SHIM = '#!/bin/sh\nbasedir=$(dirname "$0")\nexec node "$basedir/{script}" "$@"\n'


def link(source: str, target: str) -> None:
    """A client has hundreds of megabytes: its files are shared where the disk can."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def put(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copytree(source, target, copy_function=link)


def nested(packages: Path, top: Path) -> None:
    """The package with its platform package in it, as npm has it in a global prefix."""
    put(packages / "codex", top / "@openai" / "codex")
    put(packages / PLATFORM, top / "@openai" / "codex" / "node_modules" / "@openai" / PLATFORM)


def npm_global(packages: Path, home: Path) -> Path:
    nested(packages, home / ".npm-global" / "lib" / "node_modules")
    return linked(home / ".npm-global" / "bin", "../lib/node_modules/@openai/codex/bin/codex.js")


def npm_local(packages: Path, home: Path) -> Path:
    """In a folder of the user's that is no project of the board: its packages lie beside each other."""
    for name in ("codex", PLATFORM):
        put(packages / name, home / "tools" / "node_modules" / "@openai" / name)
    return linked(home / "tools" / "node_modules" / ".bin", "../@openai/codex/bin/codex.js")


def nvm(packages: Path, home: Path) -> Path:
    version = home / ".nvm" / "versions" / "node" / "v20.0.0"
    nested(packages, version / "lib" / "node_modules")
    folder = linked(version / "bin", "../lib/node_modules/@openai/codex/bin/codex.js")
    node = shutil.which("node", path=search_path())
    assert node is not None
    shutil.copy2(node, folder / "node")
    return folder


def pnpm(packages: Path, home: Path) -> Path:
    top = home / ".local" / "share" / "pnpm"
    store = top / "global" / "5" / ".pnpm"
    put(packages / "codex", store / "@openai+codex@1" / "node_modules" / "@openai" / "codex")
    put(packages / PLATFORM, store / "@openai+codex@1-linux-x64" / "node_modules" / "@openai" / "codex")
    beside = store / "@openai+codex@1" / "node_modules" / "@openai" / PLATFORM
    beside.symlink_to("../../../@openai+codex@1-linux-x64/node_modules/@openai/codex")
    script = "global/5/.pnpm/@openai+codex@1/node_modules/@openai/codex/bin/codex.js"
    (top / "codex").write_text(SHIM.format(script=script))
    (top / "codex").chmod(0o755)
    return top


def linked(folder: Path, target: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "codex").symlink_to(target)
    (folder / "codex").resolve().chmod(0o755)
    return folder


def looked(tmp_path: Path, programs: Path) -> dict[str, str]:
    """What `moot ready` says of the client, where its programs are in this folder."""
    project, home = tmp_path / "project", tmp_path / "home"
    env = {"HOME": str(home), "LANG": "C.UTF-8", "USER": "alice", "OPENAI_API_KEY": "none"}
    env["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), str(programs), search_path()])
    if not project.exists():
        project.mkdir()
        (project / "README.md").write_text("# A project\n")
        git(project, "init", "-q", "-b", "main", ".")
        git(project, "add", ".")
        git(project, "commit", "-q", "-m", "first")
    moot = [sys.executable, "-m", "folkmoot"]
    subprocess.run([*moot, "init"], cwd=project, env=env, check=False, capture_output=True)
    said = subprocess.run([*moot, "ready", "--json"], cwd=project, env=env, check=False, capture_output=True, text=True)
    looks: list[dict[str, str]] = json.loads(said.stdout)["looks"]
    [client] = [one for one in looks if one["look"] == "client"]
    return client


@pytest.mark.slow
@pytest.mark.parametrize("layout", [npm_global, npm_local, nvm, pnpm])
@pytest.mark.parametrize("client", ["codex"], indirect=True)
def test_a_client_answers_in_the_sandbox_wherever_it_was_installed(
    client: str, layout: Callable[[Path, Path], Path], tmp_path: Path
) -> None:
    packages = CLIENTS[client].folder / "node_modules" / "@openai"
    programs = layout(packages, tmp_path / "home")
    found = looked(tmp_path, programs)
    assert found["state"] == "good" and CLIENTS[client].version in found["words"], found
    for platform in [*(tmp_path / "home").rglob(PLATFORM)]:
        platform.unlink() if platform.is_symlink() else shutil.rmtree(platform)
    found = looked(tmp_path, programs)
    assert found["state"] == "act" and "Missing optional dependency" in found["words"], found


@pytest.mark.slow
@pytest.mark.parametrize("client", ["codex"], indirect=True)
def test_a_client_among_the_packages_of_the_project_is_named_as_such(client: str, tmp_path: Path) -> None:
    looked(tmp_path, CLIENTS[client].bin)  # a board, made with a client that can be started
    project = tmp_path / "project"
    put(CLIENTS[client].folder / "node_modules" / "@openai", project / "node_modules" / "@openai")
    programs = linked(project / "node_modules" / ".bin", "../@openai/codex/bin/codex.js")
    found = looked(tmp_path, programs)
    assert found["state"] == "act" and "a folder of the project" in found["words"], found
