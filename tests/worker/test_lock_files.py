"""A setup that only installs what a lock file names is known by its command; of any other nobody guesses."""

import subprocess
import sys
from pathlib import Path

import pytest

from folkmoot.worker.jobs import preparing
from folkmoot.worker.setups.locks import depends_on, reader_of
from tests.worker.test_clone_ready import FLOW, outputs, yard_of
from tests.worker.yard import Yard, git

NODE = {"package.json": "{}", "package-lock.json": "{}", "yarn.lock": "", "pnpm-lock.yaml": ""}
LOCKED = {"pyproject.toml": "[project]\n", "uv.lock": "", "poetry.lock": ""}
PLAIN = """\
# own
--index-url https://a/b
a[x,y]>=1,<2 ; python_version < '4'  # why
b ~= 1.0 \\
  --hash=sha256:0 \\
  --hash=sha256:1
"""


def found(files: dict[str, str], *commands: str) -> list[str]:
    return depends_on([command.split() for command in commands], files.get)


@pytest.mark.parametrize(
    ("command", "files", "lock"),
    [
        ("npm ci", NODE, "package-lock.json"),
        ("npm install --no-audit", NODE, "package-lock.json"),
        ("npm ci --ignore-scripts", {**NODE, "package.json": '{"scripts": {"prepare": "x"}}'}, "package-lock.json"),
        ("pnpm install --frozen-lockfile", NODE, "pnpm-lock.yaml"),
        ("yarn install", NODE, "yarn.lock"),
        ("uv sync", LOCKED, "uv.lock"),
        ("uv sync --no-install-project", {**LOCKED, "pyproject.toml": "[build-system]\n"}, "uv.lock"),
        ("poetry install --no-root", LOCKED, "poetry.lock"),
        (".venv/bin/pip install -r requirements-dev.txt", {"requirements-dev.txt": "a==1\n"}, "requirements-dev.txt"),
        ("python3 -m pip install -r r.txt", {"r.txt": "a==1 --hash=sha256:0\n"}, "r.txt"),
        (
            "pip install -q --only-binary :all: -r r.txt",
            {"r.txt": PLAIN},
            "r.txt",
        ),
        (
            "npm ci --omit=dev",
            {**NODE, "package.json": '{"main": "./a.js", "dependencies": {"a": "^1"}}'},
            "package-lock.json",
        ),
        ("uv sync --extra dev --frozen", {**LOCKED, "uv.lock": 'source = { virtual = "." }\n'}, "uv.lock"),
        ("bundle install --jobs 4", {"Gemfile": "", "Gemfile.lock": "GEM\n"}, "Gemfile.lock"),
        ("go mod download", {"go.sum": "", "go.mod": ""}, "go.sum"),
        ("cargo fetch", {"Cargo.lock": "", "Cargo.toml": ""}, "Cargo.lock"),
    ],
)
def test_a_setup_from_a_lock_file_depends_on_it(command: str, files: dict[str, str], lock: str) -> None:
    assert lock in found(files, command) and lock in found(files, "python3 -m venv .venv", command)
    assert found({}, command) == [], "without the lock file nobody can tell"
    assert found(files, command, "make build") == [], "another command may read anything"


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("npm ci", {**NODE, "package.json": '{"scripts": {"prepare": "tsc"}}'}),
        ("npm ci", {**NODE, "package.json": '{"workspaces": ["packages/*"]}'}),
        ("npm ci", {**NODE, "package.json": '{"dependencies": {"own": "file:lib"}}'}),
        ("npm ci", {**NODE, "package.json": "no JSON"}),
        ("npm install left-pad", NODE),
        ("npm run build", NODE),
        ("uv sync", {**LOCKED, "pyproject.toml": "[build-system]\n"}),
        ("poetry install", LOCKED),
        ("pip install -r r.txt", {"r.txt": "a==1\n-e .\n"}),
        ("pip install -r r.txt", {"r.txt": "-r other.txt\n"}),
        ("pip install -r r.txt .", {"r.txt": "a==1\n"}),
        ("pip install .", {}),
        ("npm ci", {**NODE, "package.json": '{"dependencies": {"own": "./lib"}}'}),
        ("npm ci", {**NODE, "package.json": '{"overrides": {"a": {"own": "../lib"}}}'}),
        ("npm ci", {**NODE, "package-lock.json": '{"packages": {"own": {"resolved": "lib", "link": true}}}'}),
        ("npm ci", {**NODE, "binding.gyp": "{}"}),
        ("npm ci", {**NODE, ".npmrc": "node-options=--require ./own.js\n"}),
        ("npm ci --prefix=web", NODE),
        ("npm ci", {**NODE, "package.json": "[" * 100_000}),
        ("npm ci", {**NODE, "package.json": '{"scripts": 5}'}),
        ("pip install -r r.txt", {"r.txt": "a" + " ~" * 1_000_000}),
        ("pip install -r r.txt", {"r.txt": "a~" + " " * 1_000_000 + "/"}),
        ("pnpm install", {**NODE, ".npmrc": "\n" * 1_000_000 + "prefix=web"}),
        ("pnpm install", {**NODE, ".pnpmfile.cjs": ""}),
        ("pnpm install", {**NODE, "package.json": '{"pnpm": {"patchedDependencies": {"a": "patches/a.patch"}}}'}),
        ("yarn install", {**NODE, "yarn.lock": '"own@file:./lib":\n'}),
        ("yarn install", {**NODE, ".yarnrc.yml": "yarnPath: .yarn/releases/yarn.cjs\n"}),
        ("uv sync", {**LOCKED, "uv.lock": 'source = { directory = "lib" }\n'}),
        ("uv sync", {**LOCKED, "pyproject.toml": "[tool.uv]\npackage = true\n"}),
        ("uv sync --project web", LOCKED),
        ("poetry install --no-root", {**LOCKED, "poetry.lock": '[package.source]\ntype = "directory"\n'}),
        ("poetry install --no-root -C web", LOCKED),
        ("pip install -r r.txt", {"r.txt": "vendor/own\n"}),
        ("pip install -r r.txt", {"r.txt": "own-1-py3-none-any.whl\n"}),
        ("pip install -r r.txt", {"r.txt": "own@file:///lib\n"}),
        ("pip install -r r.txt", {"r.txt": "a==1\n--find-links vendor\n"}),
        ("pip install -r r.txt", {"r.txt": "a \\\n @ ./own\n"}),
        ("pip install -r r.txt -e.", {"r.txt": "a==1\n"}),
        ("pip install -r r.txt --find-links=vendor", {"r.txt": "a==1\n"}),
        ("pip install -r r.txt --constraint=c.txt", {"r.txt": "a==1\n"}),
        ("go mod vendor", {"go.sum": "", "go.mod": ""}),
        ("bundle install", {"Gemfile": "gemspec\n", "Gemfile.lock": "PATH\n  remote: .\n"}),
        ("cargo build", {"Cargo.lock": "", "Cargo.toml": ""}),
        ("sh install.sh", NODE),
        ("npm ci", {**NODE, "package.json": '{"scripts": {"dependencies": "node gen.js"}}'}),
        ("pnpm install", {**NODE, "package.json": '{"scripts": {"pnpm:devPreinstall": "node gen.js"}}'}),
        ("npm ci", {**NODE, "package.json": '{"dependencies": {"own": "own.TGZ"}}'}),
        ("npm ci", {**NODE, "package.json": '{"dependencies": {"own": "vendor/libs/own"}}'}),
        ("npm ci", {**NODE, "package.json": '{"dependencies": {"own": "lib/"}}'}),
        ("npm ci", {**NODE, "package.json": '{"dependencies": {"own": "..\\\\lib"}}'}),
        ("npm ci", {**NODE, "package.json": '{"dependencies": {"own": "git+file:///lib"}}'}),
        ("npm ci", {**NODE, "package.json": '{"dependencies": {"own": "npm:./lib"}}'}),
        ("npm ci", {**NODE, "package-lock.json": '{"packages": {"own": {"resolved": "lib", "link" : true}}}'}),
        ("npm ci", {**NODE, "package-lock.json": '{"packages": {"own": {"resolved": "fil\\u0065:lib.tgz"}}}'}),
        ("npm ci", {**NODE, "package-lock.json": "no JSON"}),
        ("pnpm install", {**NODE, "pnpm-lock.yaml": 'a: "fil\\x65:lib"\n'}),
        ("pip install -r r.txt", {"r.txt": "own.zip[x]\n"}),
        ("pip install -r r.txt", {"r.txt": "own.zip;python_version>'3'\n"}),
        ("pip install -r r.txt", {"r.txt": "own.ZIP\n"}),
        ("uv sync", {**LOCKED, "pyproject.toml": "[ build-system ]\n"}),
        ("uv sync", {**LOCKED, "pyproject.toml": '[tool.uv]\n"package" = true\n'}),
        ("uv sync", {**LOCKED, "pyproject.toml": "no = = TOML"}),
        ("uv sync", {**LOCKED, "uv.lock": "[[package]]\nsource.editable='lib'\n"}),
        ("poetry install", {**LOCKED, "pyproject.toml": "# package-mode = false\n"}),
        ("poetry install --no-root", {**LOCKED, "poetry.lock": "[[package]]\nsource = {type='file'}\n"}),
    ],
)
def test_a_setup_that_may_read_more_is_not_guessed_at(command: str, files: dict[str, str]) -> None:
    assert found(files, command) == []


@pytest.mark.parametrize(
    ("command", "files", "which"),
    [
        ("uv sync", LOCKED, ".python-version"),
        ("pip install -r r.txt", {"r.txt": "a==1\n"}, ".python-version"),
        ("npm ci", NODE, ".nvmrc"),
        ("bundle install", {"Gemfile": "", "Gemfile.lock": "GEM\n"}, ".ruby-version"),
        ("cargo fetch", {"Cargo.lock": "", "Cargo.toml": ""}, "rust-toolchain.toml"),
    ],
)
def test_which_version_of_its_tool_there_is_counts_too(command: str, files: dict[str, str], which: str) -> None:
    assert which in found(files, command)


@pytest.mark.parametrize(
    "said", ["^1.2.3 || >=2", "latest", "", "npm:other@^1", "npm:@a/other", "acme/own#v1", "https://a/own.tgz", "$own"]
)
def test_a_package_of_node_that_comes_from_elsewhere_is_known(said: str) -> None:
    files = {**NODE, "package.json": f'{{"dependencies": {{"own": "{said}"}}}}'}
    assert "package-lock.json" in found(files, "npm ci")


WHEEL = """
import sys, zipfile
with zipfile.ZipFile("vendor/own-1-py3-none-any.whl", "w") as wheel:
    wheel.writestr("own.py", f"OK = {sys.argv[1]}")
    wheel.writestr("own-1.dist-info/METADATA", "Metadata-Version: 2.1\\nName: own\\nVersion: 1\\n")
    wheel.writestr("own-1.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr("own-1.dist-info/RECORD", "")
"""
VENDORED = """
flow: vendored
start: dev
limits: {slots: 1, lease: 90s, timeout: 90s, silence: 80s, executions: 1, feedback_rounds: 1}
columns: {dev: {agents: [dev], next: done, gate: [check]}}
agents: {dev: {run: {command: ACTOR}, write: own, ladder: {0: small, 1+: escalate}}}
gates: {check: {run: [sh, -c, ".venv/bin/python -c 'import own; assert own.OK'"]}}
clone: {setup: [[python3, -m, venv, .venv], [.venv/bin/pip, install, -q, --no-index, -r, r.txt]]}
"""


@pytest.mark.attack(
    "gates",
    "a change breaks a package of the project that setup installs, and leaves the file that names it as it is",
    "what an earlier setup left is not taken for it: a lock file speaks for packages from elsewhere alone",
)
def test_a_package_of_the_project_is_installed_anew_for_the_gate(tmp_path: Path) -> None:
    files = {"make.py": WHEEL, "r.txt": "vendor/own-1-py3-none-any.whl\n", ".gitignore": ".venv/\n", "vendor/x": ""}
    yard = Yard(tmp_path / "yard", files=files, flow=VENDORED)
    subprocess.run([sys.executable, "make.py", "True"], cwd=yard.folder, check=True)
    git(yard.folder, "add", ".")
    git(yard.folder, "commit", "-qm", "a package")
    item = yard.add("one", "shell python3 make.py False", "report done")
    yard.run()
    assert yard.status(item) != "done"
    assert [proof["green"] for proof in yard.show(item)["evidence"]] == [False]


def test_no_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "away").write_text("{}")
    (tmp_path / "package.json").symlink_to(tmp_path / "away")
    (tmp_path / "folder").mkdir()
    read = reader_of(str(tmp_path))
    assert (read("package.json"), read("away"), read("folder"), read("none")) == (None, "{}", None, None)


def test_such_a_setup_runs_once_though_the_flow_does_not_say_on_what_it_depends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparing, "depends_on", lambda commands, read: ["lock.txt", "install.sh"])
    yard = yard_of(tmp_path / "yard", flow=FLOW.replace(", setup_from: [lock.txt, install.sh]", ""))
    item = yard.add("one", "write own.txt x", "report done")
    yard.run()
    assert ["ran" in words.split() for words in outputs(yard, item)] == [True, False]
