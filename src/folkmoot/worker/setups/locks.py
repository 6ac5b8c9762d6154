"""What the setups of usual package managers depend on: a lock file, where nothing of the project itself is built.

A setup may compile the sources, and then a lock file says nothing about it: a gate would be green by what an earlier
tree left. So only commands that install what a lock file names are known here, with only those words that are known to
change nothing about that, and with only those packages that come from elsewhere. Any other command runs in each clone,
unless the flow says what it depends on (`setup_from`).
"""

import json
import os
import re
import stat
import tomllib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Read = Callable[[str], str | None]  # the text of a file of the clone; None if it has no such file
READ_MAX = 5_000_000
LINE_MAX = 500  # of requirements: whoever wrote it may want to keep us busy
_PYTHON = re.compile(r"(?:.*/)?python[\d.]*$")
_PIP = re.compile(r"(?:.*/)?pip[\d.]*$")

# Words of a command, without those that name another folder, file or package. Behind the second ones stands a value.
Words = tuple[frozenset[str], frozenset[str]]


def _words(flags: str, valued: str = "") -> Words:
    return frozenset(flags.split()), frozenset(valued.split())


_PIP_WORDS = _words(
    "-q -qq --quiet --no-index --require-hashes --no-cache-dir --no-deps -U --upgrade --no-input --pre --prefer-binary"
    " --disable-pip-version-check --no-warn-script-location --no-compile --break-system-packages",
    "--only-binary --no-binary --index-url --extra-index-url --root-user-action --progress-bar --timeout --retries",
)
_NODE_WORDS = _words(
    "--ignore-scripts --no-audit --no-fund --no-progress --silent -s --quiet -q --prefer-offline --offline --force -f"
    " --frozen-lockfile --immutable --production --legacy-peer-deps --no-save --no-optional --non-interactive",
    "--omit --include --only --loglevel --registry --network-timeout --audit --fund --progress --reporter --jobs",
)
_UV_WORDS = _words(
    "--frozen --locked --no-dev --dev --all-extras --all-groups --no-install-project --quiet -q --no-progress --exact"
    " --inexact --no-cache --no-default-groups --offline",
    "--extra --group --only-group --no-group --python -p",
)
_POETRY_WORDS = _words(
    "--no-root --no-interaction -n --sync --all-extras --all-groups --quiet -q --no-ansi",
    "--with --without --only --extras -E",
)
_CARGO_WORDS = _words("--locked --frozen --offline --quiet -q --verbose -v")
_BUNDLE_WORDS = _words("--quiet --frozen --deployment", "--jobs -j --retry")

# With what of the project itself they run; npm runs the last three whenever packages have changed.
_SCRIPTS = (
    *("preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare"),
    *("pnpm:devPreinstall", "predependencies", "dependencies", "postdependencies"),
)
# Files that say which version of a tool there is, for those who look for them where they are started.
_UV_HERE = ("editable", "directory", "path", "virtual", "workspace")
_PYTHON_IS = [".python-version", ".python-versions", ".tool-versions"]
_RUBY_IS = [".ruby-version", ".tool-versions"]
_NODE_IS = [".nvmrc", ".node-version", ".tool-versions"]
_NEEDS = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "overrides", "resolutions")
# What is surely no file or folder: versions, another name, an address. All else may be one.
_NODE_ELSEWHERE = re.compile(
    r"npm:(?:@[\w.-]+/)?[\w.-]+(?:@[\w.^~<>=|*+ -]*)?|\$[\w@/.-]+|[\w.^~<>=|*+ -]*"
    r"|(?:https?|git\+https?|git\+ssh|git|ssh)://\S+|(?:(?:github|gitlab|bitbucket):)?[\w.-]+/[\w.-]+(?:#\S*)?",
    re.IGNORECASE,
)
_NODE_ARCHIVES = (".tgz", ".tar", ".tar.gz")  # npm takes them for files
_NODE_LOCKED_HERE = re.compile(r"""["'@ ](?:file|link|portal|exec):\S|\\[ux]""")  # nor letters told by their numbers
_ARCHIVES = (".whl", ".zip", ".tar", ".tgz", ".tbz", ".txz", ".tlz", ".gz", ".bz2", ".xz", ".lz", ".lzma")
_NODE_CODE = ("pnpm-workspace.yaml", ".pnpmfile.cjs", ".pnpmfile.mjs", "pnpmfile.js", "binding.gyp")
_NODE_SETTINGS = re.compile(
    r"^[ \t]*(?:node-options|script-shell|shell|onload-script|prefix|git|.*pnpmfile|\"?yarn-path|yarnPath|plugins)\b",
    re.MULTILINE | re.IGNORECASE,
)
_PACKAGE = re.compile(  # one that pip gets by its name, or from an address
    r"(?P<name>[A-Za-z0-9][\w.-]*)\s*(?:\[[\w\s,.-]*\])?\s*(?:@\s*https?://\S+|\(?[=<>!~][^/;@]*?\)?)?\s*(?:;[^/]*)?"
)
_PIP_LINE = re.compile(
    r"(?:-i|--index-url|--extra-index-url)[= ]\s*https?://\S+|--(?:only|no)-binary[= ]\S+|--prefer-binary|--pre"
    r"|--require-hashes|--no-index"
)


def depends_on(commands: Sequence[Sequence[str]], read: Read) -> list[str]:
    """The files that all these commands depend on; empty: nobody can tell."""
    found: list[str] = []
    for argv in commands:
        try:
            files = _files(list(argv), read)
        except RecursionError:  # of a JSON that is too deep
            return []
        if files is None:
            return []
        found += files
    return sorted(set(found))


def reader_of(workspace: str) -> Read:
    """Regular files of a fresh clone, if they can be read whole; links are not followed."""

    def read(name: str) -> str | None:
        try:
            fd = os.open(os.path.join(workspace, name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            is_file = stat.S_ISREG(os.fstat(fd).st_mode)
            data = os.read(fd, READ_MAX + 1) if is_file else None
            return data.decode("utf-8", "replace") if data is not None and len(data) <= READ_MAX else None
        finally:
            os.close(fd)

    return read


def _files(argv: list[str], read: Read) -> list[str] | None:
    """What one command depends on; nothing for one that only makes a place; None if it may depend on anything."""
    if len(argv) >= 3 and _PYTHON.match(argv[0]) and argv[1] == "-m":
        argv = [argv[2], *argv[3:]]
    if argv[:1] == ["venv"]:
        return []
    if argv and _PIP.match(argv[0]):
        return _pip(argv[1:], read)
    words = argv[2:]
    match argv[:2]:
        case ["npm", "ci" | "install" | "i"]:
            return _node(words, ["package-lock.json", "npm-shrinkwrap.json"], read)
        case ["pnpm", "install" | "i"]:
            return _node(words, ["pnpm-lock.yaml"], read)
        case ["yarn", "install"] | ["yarn"]:
            return _node(words, ["yarn.lock"], read)
        case ["uv", "sync"] if _are_known(words, _UV_WORDS):
            return _uv(words, read)
        case ["poetry", "install"] if _are_known(words, _POETRY_WORDS):
            return _poetry(words, read)
        case ["go", "mod"] if words == ["download"]:
            return _locked(["go.sum"], ["go.mod", ".tool-versions"], read)
        case ["cargo", "fetch" | "vendor"] if _are_known(words, _CARGO_WORDS):
            beside = ["Cargo.toml", ".cargo/config.toml", ".cargo/config", "rust-toolchain", "rust-toolchain.toml"]
            return _locked(["Cargo.lock"], beside, read)
        case ["bundle", "install"] if _are_known(words, _BUNDLE_WORDS):
            has_own = re.search(r"^PATH\s*$", read("Gemfile.lock") or "", re.MULTILINE)
            return None if has_own else _locked(["Gemfile.lock"], ["Gemfile", ".bundle/config", *_RUBY_IS], read)
    return None


def _are_known(words: Sequence[str], known: Words) -> bool:
    flags, valued = known
    rest = iter(words)
    for word in rest:
        name, is_valued, _ = word.partition("=")
        if name in valued:
            if not is_valued:
                next(rest, None)
        elif word not in flags:
            return False
    return True


def _locked(locks: list[str], beside: list[str], read: Read) -> list[str] | None:
    there = [name for name in locks if read(name) is not None]
    return [*there, *beside] if there else None


def _node(words: list[str], locks: list[str], read: Read) -> list[str] | None:
    """With the project's own scripts, or packages inside it, it may read any file."""
    try:
        package = json.loads(read("package.json") or "")
    except ValueError:
        return None
    scripts = package.get("scripts", {}) if isinstance(package, dict) else None
    if not isinstance(scripts, dict) or not _are_known(words, _NODE_WORDS):
        return None
    runs = "--ignore-scripts" not in words and any(name in scripts for name in _SCRIPTS)
    settings = [".npmrc", ".yarnrc", ".yarnrc.yml"]
    inside = (
        "workspaces" in package
        or "patchedDependencies" in json.dumps(package)
        or any(_is_here(text) for name in (*_NEEDS, "pnpm") for text in _texts(package.get(name)))
        or any(read(name) is not None for name in _NODE_CODE)
        or any(_NODE_SETTINGS.search(read(name) or "") for name in settings)
        or any(_NODE_LOCKED_HERE.search(text) or _has_link(name, text) for name in locks if (text := read(name)))
    )
    if runs or inside:
        return None
    return _locked(locks, ["package.json", *settings, *_NODE_IS], read)


def _is_here(text: str) -> bool:
    """May a package of Node's be a file or a folder of the project?"""
    is_file = text.lower().endswith(_NODE_ARCHIVES) and "://" not in text
    return is_file or ".." in text or text.startswith(("./", "~/")) or _NODE_ELSEWHERE.fullmatch(text) is None


def _has_link(name: str, text: str) -> bool:
    """Does a lock of npm's lead to a folder of the project, however its lines are set?"""
    if not name.endswith(".json"):
        return False
    try:
        return any(entry.get("link") for entry in _tables(json.loads(text)))
    except ValueError:
        return True  # nobody can tell


def _tables(value: Any) -> Iterator[dict[str, Any]]:
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            yield one
        waiting += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for one in value.values() for text in _texts(one)]
    return [value] if isinstance(value, str) else []


def _uv(words: list[str], read: Read) -> list[str] | None:
    project, lock = _toml("pyproject.toml", read), _toml("uv.lock", read)
    if project is None or lock is None:
        return None
    builds = "build-system" in project or _at(project, "tool", "uv", "package") is True
    if (builds and "--no-install-project" not in words) or any(
        where not in (".", None) for source in _sources(lock) for where in map(source.get, _UV_HERE)
    ):
        return None
    return _locked(["uv.lock"], ["pyproject.toml", "uv.toml", *_PYTHON_IS], read)


def _toml(name: str, read: Read) -> dict[str, Any] | None:
    try:
        return tomllib.loads(read(name) or "")
    except tomllib.TOMLDecodeError:
        return None


def _at(value: Any, *names: str) -> Any:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _sources(lock: dict[str, Any]) -> list[dict[str, Any]]:
    """Where the packages of a lock come from."""
    found = [table["source"] for table in _tables(lock) if "source" in table]
    return [one for one in found if isinstance(one, dict)]


def _poetry(words: list[str], read: Read) -> list[str] | None:
    project, lock = _toml("pyproject.toml", read), _toml("poetry.lock", read)
    if project is None or lock is None:
        return None
    builds = "--no-root" not in words and _at(project, "tool", "poetry", "package-mode") is not False
    if builds or any(source.get("type") in ("directory", "file") for source in _sources(lock)):
        return None
    return _locked(["poetry.lock"], ["pyproject.toml", "poetry.toml", *_PYTHON_IS], read)


def _pip(words: list[str], read: Read) -> list[str] | None:
    """`pip install -r FILE`, where the file names packages and nothing beside them."""
    if words[:1] != ["install"]:
        return None
    files: list[str] = []
    others: list[str] = []
    rest = iter(words[1:])
    for word in rest:
        if word in ("-r", "--requirement"):
            files.append(next(rest, ""))
        else:
            others.append(word)
    texts = [read(name) for name in files]
    if not files or not _are_known(others, _PIP_WORDS) or any(text is None or not _only_names(text) for text in texts):
        return None
    return [*files, *_PYTHON_IS]


def _only_names(text: str) -> bool:
    """Does a file of requirements name packages, each by its name or an address, and no file or folder?"""
    lines = text.replace("\r\n", "\n").replace("\\\n", " ").split("\n")
    told = [" ".join(re.sub(r"(?:^|\s)#.*$", "", line).split()) for line in lines]
    return all(not line or _is_name(line) for line in told)


def _is_name(line: str) -> bool:
    named, *hashes = re.split(r" --hash[= ]", line)
    if len(named) > LINE_MAX or any(" " in one for one in hashes):
        return False
    package = _PACKAGE.fullmatch(named)
    if package is not None and package["name"].lower().endswith(_ARCHIVES):
        return False  # a file, whatever stands behind its name
    return bool(package or _PIP_LINE.fullmatch(named))
