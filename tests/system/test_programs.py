"""What a sandbox shows of the programs that a flow names: so much that each kind of them runs, and nothing private."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from folkmoot.system.programs import Programs
from folkmoot.system.sandbox import Bubblewrap

WHY = Bubblewrap().why
needs_bwrap = pytest.mark.skipif(bool(WHY), reason=f"NOT TESTED: {WHY}")
CANARY = "canary-" + "2c8e1f0b"
PATIENCE = 60


class Person:
    """A home with private things in it, and a box that covers it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.env = {"PATH": "/usr/bin:/bin", "HOME": str(home)}
        self.put({".ssh/config": "Host x\n", ".ssh/id_ed25519": CANARY, ".netrc": CANARY, "letter.txt": CANARY})

    def put(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
            path.chmod(0o755)

    def seen(self, named: Sequence[str], hidden: Sequence[str] = ()) -> set[str]:
        """Every file of the home that can be read in the box of a command with these words."""
        box = Bubblewrap(hidden, self.env)
        find = ["find", str(self.home), "-type", "f", "-readable"]
        words = box.wrap(find, writable=(), readable=(), cwd="/", network=False, named=named)
        ran = subprocess.run(words, env=self.env, capture_output=True, text=True, timeout=PATIENCE)
        return {os.path.relpath(line, self.home) for line in ran.stdout.splitlines()}

    def ran(self, *argv: str) -> str:
        words = Bubblewrap((), self.env).wrap(argv, writable=(), readable=(), cwd="/", network=False, named=argv)
        ran = subprocess.run(words, env=self.env, capture_output=True, text=True, timeout=PATIENCE)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path / "person")


@needs_bwrap
@pytest.mark.attack(
    "sandbox", "a command of the flow names a file beside private ones", "the file is shown, and not its neighbours"
)
def test_a_file_that_is_named_shows_nothing_beside_it(person: Person) -> None:
    person.put({"agents/run": "#!/bin/sh\n", "agents/token.json": CANARY, "agents/.env": CANARY})
    home = str(person.home)
    assert person.seen([f"{home}/.ssh/config"]) == {".ssh/config"}
    assert person.seen([f"{home}/agents/run", "--key", f"{home}/.ssh/config"]) == {"agents/run", ".ssh/config"}
    assert person.seen([]) == set()


@needs_bwrap
@pytest.mark.attack("sandbox", "a command names a folder that holds private things", "it is not shown")
def test_a_folder_that_is_named_is_shown_unless_it_is_private(person: Person) -> None:
    person.put({"tools/a/x": "x", ".config/app/token": CANARY, ".venv/pyvenv.cfg": "", "repo/.git/config": CANARY})
    home = str(person.home)
    assert person.seen([f"{home}/tools"]) == {"tools/a/x"}
    for private in (home, os.path.dirname(home), f"{home}/.ssh", f"{home}/.config/app"):
        assert person.seen([private]) == set(), private
    assert person.seen([f"{home}/repo", f"{home}/repo/.git"], [f"{home}/repo"]) == set()
    assert person.seen([f"{home}/.venv"]) == {".venv/pyvenv.cfg"}


@needs_bwrap
def test_a_script_runs_with_the_modules_beside_it(person: Person) -> None:
    person.put(
        {
            "agents/agent.py": "import helper, pack.inner; print(helper.WORD, pack.inner.WORD)",
            "agents/helper.py": "WORD = 'helped'",
            "agents/pack/__init__.py": "",
            "agents/pack/inner.py": "WORD = 'inside'",
            "agents/token.json": CANARY,
            "agents/.env": CANARY,
            "agents/notes/diary.txt": CANARY,
            "in-home.py": "print('alone')",
            "secrets.py": CANARY,
        }
    )
    python, script = "/usr/bin/python3", str(person.home / "agents" / "agent.py")
    if not os.path.exists(python):
        python = sys.executable
    assert person.ran(python, script) == "helped inside\n"
    seen = {"agents/agent.py", "agents/helper.py", "agents/pack/__init__.py", "agents/pack/inner.py"}
    assert {name for name in person.seen([script]) if not name.endswith(".pyc")} == seen
    assert person.seen([str(person.home / "in-home.py")]) == {"in-home.py"}, "a home is no folder of scripts"
    (person.home / "called").symlink_to("agents/agent.py")
    assert person.ran(python, str(person.home / "called")) == "helped inside\n"


@needs_bwrap
def test_a_virtual_environment_runs_as_a_whole(person: Person) -> None:
    """Its python is a link to another, whose libraries lie elsewhere in the same home."""
    base = person.home / ".tools" / "python"
    inner = person.home / "work" / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(inner)], check=True)
    site = next(inner.glob("lib/python3*/site-packages"))
    (site / "agent_module.py").write_text("print('in the venv')", "utf-8")
    person.put({"work/token": CANARY, ".tools/python/secret": CANARY})
    assert person.ran(str(inner / "bin" / "python"), "-m", "agent_module") == "in the venv\n"
    seen = person.seen([str(inner / "bin" / "python")])
    assert "work/token" not in seen and "work/venv/pyvenv.cfg" in seen
    (base / "bin").mkdir()
    (base / "lib").mkdir()
    (base / "bin" / "python3").write_text("")
    (base / "lib" / "os.py").write_text("")
    (inner / "bin" / "other").symlink_to(base / "bin" / "python3")
    seen = person.seen([str(inner / "bin" / "other")])
    assert {".tools/python/bin/python3", ".tools/python/lib/os.py"} <= seen and ".tools/python/secret" not in seen


@needs_bwrap
def test_a_package_of_node_comes_with_what_it_was_installed_with(person: Person) -> None:
    modules = "proj/node_modules"
    person.put(
        {
            f"{modules}/agent/cli.js": "",
            f"{modules}/agent/package.json": "{}",
            f"{modules}/dep/index.js": "",
            "proj/.env": CANARY,
            "proj/letter": CANARY,
            "own/package.json": "{}",
            "own/bin/agent": "#!/usr/bin/env node\n",
            "own/lib/part.js": "",
            "own/.env": CANARY,
            "own/.npmrc": CANARY,
            "package.json": "{}",
            "loose/a.mjs": "",
            "loose/b.js": "",
            "loose/data.json": CANARY,
        }
    )
    (person.home / modules / ".bin").mkdir()
    (person.home / modules / ".bin" / "agent").symlink_to("../agent/cli.js")
    home = str(person.home)
    named = person.seen([f"{home}/{modules}/.bin/agent"])
    assert named == {f"{modules}/agent/cli.js", f"{modules}/agent/package.json", f"{modules}/dep/index.js"}
    assert person.seen([f"{home}/own/bin/agent"]) == {"own/package.json", "own/bin/agent", "own/lib/part.js"}
    # The only package.json above lies in the home itself, which is no package.
    assert person.seen([f"{home}/loose/a.mjs"]) == {"loose/a.mjs", "loose/b.js"}


@needs_bwrap
@pytest.mark.attack("sandbox", "a folder of the PATH lies beside private things", "programs and libraries are shown")
def test_of_what_is_around_a_folder_of_the_path_little_is_shown(person: Person) -> None:
    person.put(
        {
            "work/bin/tool": "",
            "work/lib/part": "",
            "work/share/data": "",
            "work/letter": CANARY,
            "work/src/secret.py": CANARY,
            "go/bin/go": "",
            "go/go.env": "",
            "go/src/fmt.go": "",
            "scripts/deploy.sh": "",
            "scripts/token": CANARY,
            "bin/mine": "",
        }
    )
    (person.home / "bin" / "deploy").symlink_to("../scripts/deploy.sh")
    folders = [str(person.home / name) for name in ("work/bin", "go/bin", "bin")]
    person.env["PATH"] = ":".join([*folders, "/usr/bin", "/bin"])
    expected = {"work/bin/tool", "work/lib/part", "work/share/data", "go/bin/go", "go/go.env", "go/src/fmt.go"}
    assert person.seen([]) == {*expected, "bin/mine", "scripts/deploy.sh"}


@needs_bwrap
@pytest.mark.attack(
    "sandbox",
    "a link of the PATH leads to a program that lies beside credentials",
    "the program is shown alone; a tool's whole folder only where installers put tools",
)
def test_beside_what_a_link_of_the_path_leads_to_no_secret_is_shown(person: Person) -> None:
    alone = {
        "gwrap": ".config/gcloud/wrap",
        "tool": ".config/tool/run.py",
        "keys": ".local/share/keyrings/wrap",
        "chat": ".local/share/chat/chat",
        "sign": ".ssh/bin/sign",
        "cloud": ".aws/bin/cloud",
        "claude": ".local/share/claude/versions/1.2.3",
        "mine": "work/mine/run",
    }
    person.put(dict.fromkeys(alone.values(), "#!/bin/sh\n"))
    whole = {
        ".local/share/agent/versions/7/agent": "#!/bin/sh\n",
        ".local/share/agent/versions/7/index.js": "",
        ".claude/local/claude": "#!/bin/sh\n",
        ".claude/local/node_modules/x/cli.js": "",
        ".config/yarn/global/node_modules/y/cli.js": "",
        "tools/node_modules/@x/client/bin/client.js": "#!/usr/bin/env node\n",
        "tools/node_modules/@x/client/package.json": "{}",
        "tools/node_modules/@x/client-linux-x64/bin/client": "",
    }
    private = {
        ".config/gcloud/credentials.db": CANARY,
        ".config/tool/credentials.json": CANARY,
        ".local/share/keyrings/login.keyring": CANARY,
        ".local/share/chat/letters.db": CANARY,
        ".local/share/agent/auth.json": CANARY,
        ".ssh/bin/key": CANARY,
        ".ssh/lib/key": CANARY,
        ".aws/bin/credentials": CANARY,
        ".claude/.credentials.json": CANARY,
        ".config/yarn/token": CANARY,
        "work/mine/.env": CANARY,
        "tools/.env": CANARY,
        "notes/diary.txt": CANARY,
    }
    person.put({**whole, **private})
    (person.home / "notes/diary.txt").chmod(0o644)
    tops = [".local/share/agent/versions/7/agent", ".claude/local/claude", ".config/yarn/global/node_modules/y/cli.js"]
    tops.append("tools/node_modules/@x/client/bin/client.js")
    links = {**alone, **{f"whole-{number}": target for number, target in enumerate(tops)}}
    folder = person.home / ".local" / "bin"
    folder.mkdir()
    for name, target in {**links, "folder": "notes", "data": "notes/diary.txt", "ssh": ".ssh"}.items():
        (folder / name).symlink_to(person.home / target)
    person.env["PATH"] = f"{folder}:/usr/bin:/bin"
    assert person.seen([]) == {*alone.values(), *whole}


@needs_bwrap
@pytest.mark.attack(
    "sandbox",
    "a project with its programs in the PATH has a folder `release`, or is a virtual environment itself",
    "it is not taken for one tool that is shown whole",
)
def test_a_project_is_not_taken_for_a_tool(person: Person) -> None:
    person.put(
        {
            "work/proj/bin/tool": "",
            "work/proj/release/notes": CANARY,
            "work/proj/.env": CANARY,
            "work/text/bin/tool": "",
            "work/text/release": "1.0\n",
            "work/text/secrets.py": CANARY,
            "work/venv/bin/python": "",
            "work/venv/lib/part": "",
            "work/venv/pyvenv.cfg": "",
            "work/venv/.git/config": CANARY,
            "work/venv/secrets.py": CANARY,
            "jdk/bin/java": "",
            "jdk/release": 'IMPLEMENTOR="x"\nJAVA_VERSION="21"\n',
            "jdk/conf/net.properties": "",
        }
    )
    folders = [str(person.home / name / "bin") for name in ("work/proj", "work/text", "work/venv", "jdk")]
    person.env["PATH"] = ":".join([*folders, "/usr/bin", "/bin"])
    venv = {"work/venv/bin/python", "work/venv/lib/part", "work/venv/pyvenv.cfg"}
    jdk = {"jdk/bin/java", "jdk/release", "jdk/conf/net.properties"}
    assert person.seen([]) == {"work/proj/bin/tool", "work/text/bin/tool", *venv, *jdk}


@needs_bwrap
@pytest.mark.attack(
    "sandbox", "the PATH, or a link in it, leads into a work tree of the user's", "nothing of the tree is shown"
)
def test_nothing_is_shown_below_what_is_hidden(person: Person) -> None:
    person.put({"proj/bin/tool": "", "proj/bin/.env": CANARY, "proj/lib/x.py": "", "proj/tools/run": "", "bin/own": ""})
    (person.home / "bin/run").symlink_to(person.home / "proj/tools/run")
    (person.home / "other").symlink_to(person.home / "proj/bin")
    home = str(person.home)
    person.env["PATH"] = f"{home}/proj/bin:{home}/other:{home}/bin:/usr/bin:/bin"
    assert person.seen([], [f"{home}/proj"]) == {"bin/own"}
    assert person.seen([f"{home}/proj/tools/run"], [f"{home}/proj"]) == {"bin/own", "proj/tools/run"}, "it is named"


def test_a_folder_with_very_many_files_is_none_of_scripts(tmp_path: Path) -> None:
    for number in range(501):
        (tmp_path / f"{number}.py").write_text("")
    programs = Programs(["/nowhere"])
    assert programs.named([str(tmp_path / "1.py")]) == [str(tmp_path / "1.py")]


def test_what_is_given_anyway_is_not_named_again(tmp_path: Path) -> None:
    """Else a program in a folder that may be written could not be written any more."""
    (tmp_path / "agent.py").write_text("")
    programs = Programs(["/nowhere"])
    assert programs.named([str(tmp_path / "agent.py")], [str(tmp_path)]) == []
    assert programs.named(["relative", "/not/there", "--flag"]) == []


@needs_bwrap
@pytest.mark.attack("sandbox", "a `bwrap` lies in a folder where work lands", "it is not used")
def test_bwrap_is_never_one_that_landed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "defpath", str(tmp_path / "nothing"))
    shutil.copy(shutil.which("bwrap") or "", tmp_path / "bwrap")
    env = {"PATH": f"{tmp_path}:/usr/sbin", "HOME": "/nowhere"}
    assert "not installed" in Bubblewrap([str(tmp_path)], env).why
