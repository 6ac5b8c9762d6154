"""The environment of a run: made from nothing, so that only what the client's entry names gets in."""

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress

from folkmoot.errors import Invalid
from folkmoot.worker.ports import Paths
from folkmoot.worker.removing import remove_tree

PORT = "port"  # a file in a run's folder: the first of its ports
DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"

# MOOT_* says who a run is. The others make a loader run code of its choice, in bwrap too, which stands outside the box.
NOT_FOR_CLIENTS = ("MOOT_", "LD_", "DYLD_", "GCONV_PATH", "GLIBC_TUNABLES")
OURS = {"HOME"}  # credential files are placed there, and nothing of the user's is

# A tool's program alone is not enough: it looks for the rest below HOME, which is another one here. Where its folder of
# programs is in the PATH, the rest is near: how that folder ends, the variable, and the way to go.
TOOL_FOLDERS = (
    ("/.asdf/shims", "ASDF_DATA_DIR", ".."),
    ("/.cargo/bin", "RUSTUP_HOME", "../../.rustup"),
    ("/.pyenv/bin", "PYENV_ROOT", ".."),
    ("/.pyenv/shims", "PYENV_ROOT", ".."),
    ("/.rbenv/shims", "RBENV_ROOT", ".."),
    ("/.volta/bin", "VOLTA_HOME", ".."),
)

# Folders of the cache that runs share, by the variable that leads a tool there.
CACHES = {
    "XDG_CACHE_HOME": "xdg",
    "PIP_CACHE_DIR": "pip",
    "UV_CACHE_DIR": "uv",
    "POETRY_CACHE_DIR": "poetry",
    "PRE_COMMIT_HOME": "pre-commit",
    "npm_config_cache": "npm",
    "npm_config_store_dir": "pnpm",
    "YARN_CACHE_FOLDER": "yarn",
    "BUN_INSTALL_CACHE_DIR": "bun",
    "DENO_DIR": "deno",
    "CARGO_HOME": "cargo",
    "GOCACHE": "go-build",
    "GOMODCACHE": "go-mod",
    "GRADLE_USER_HOME": "gradle",
    "NUGET_PACKAGES": "nuget",
    "COMPOSER_CACHE_DIR": "composer",
    "BUNDLE_USER_CACHE": "bundle",
    "CCACHE_DIR": "ccache",
}

FIXED = {
    "LANG": "C.UTF-8",
    "TERM": "dumb",
    "NO_COLOR": "1",
    "USER": "agent",
    "LOGNAME": "agent",
    "SHELL": "/bin/sh",
    "PAGER": "cat",
    "DO_NOT_TRACK": "1",
    # Nobody is there to type a password or to close an editor.
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_ASKPASS": "true",
    "GIT_SSH_COMMAND": "ssh -o BatchMode=yes",
    "GIT_EDITOR": "true",
    "GIT_PAGER": "cat",
    "GIT_AUTHOR_NAME": "Folkmoot agent",
    "GIT_AUTHOR_EMAIL": "agent@folkmoot.invalid",
    "GIT_COMMITTER_NAME": "Folkmoot agent",
    "GIT_COMMITTER_EMAIL": "agent@folkmoot.invalid",
    # A hard link into the shared cache would let an edit in one clone change it for all.
    "UV_LINK_MODE": "copy",
    "npm_config_package_import_method": "copy",
    "npm_config_update_notifier": "false",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
}


def environment(
    names: Iterable[str],
    values: Mapping[str, str],
    *,
    worker_env: Mapping[str, str],
    paths: Paths,
    moot: str,
    cache: str | None = None,
    run: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """All variables of a run's processes.

    `names` (the client's `env`) pass from the worker's environment; one that is not set there is left out. `values`
    (its `set`) go before them. `moot` is the folder of the `moot` command, `cache` the shared cache if the processes
    may write it (as `setup` does), and `run` what only the worker may say: MOOT_RUN and its like.
    """
    names = list(names)
    for name in [*names, *values]:
        if name.startswith(NOT_FOR_CLIENTS) or name in OURS or not name or "=" in name:
            words = "The entry of a client cannot give {name!r} to its runs."
            raise Invalid("client_env", words, "Take it out of the client's `env` or `set`.", name)
    path = _path(worker_env.get("PATH") or DEFAULT_PATH, moot)
    made = {
        **FIXED,
        "PATH": path,
        "HOME": paths.home,
        "TMPDIR": tmp(paths.home),
        # Without its own .git, a workspace is not to be taken for a part of the repository around it.
        "GIT_CEILING_DIRECTORIES": os.path.dirname(paths.workspace),
        **_tools(path),
        **_caches(paths.home, cache),
    }
    made |= {name: worker_env[name] for name in names if name in worker_env and name != "PATH"}
    made |= values
    if "PATH" in values:
        made["PATH"] = _path(values["PATH"], moot)
    return {**made, **(run or {})}


def note_port(root: str, first: int) -> None:
    """In a run's folder, for whoever tears down after a worker that died."""
    with open(os.path.join(root, PORT), "w", encoding="ascii") as file:
        file.write(str(first))


def noted_port(root: str) -> str:
    with suppress(OSError, UnicodeDecodeError), open(os.path.join(root, PORT), encoding="ascii") as file:
        return file.read(8)
    return ""


def tmp(home: str) -> str:
    """The folder for temporary files."""
    return os.path.join(home, "tmp")


def make_tmp(home: str) -> None:
    os.makedirs(tmp(home), mode=0o700, exist_ok=True)


def _path(path: str, moot: str) -> str:
    """The folder of `moot` goes first. What is relative would mean a folder of the clone, so it is left out."""
    folders = [moot, *path.split(os.pathsep)]
    return os.pathsep.join(dict.fromkeys(folder for folder in folders if os.path.isabs(folder)))


def _tools(path: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for folder in path.split(os.pathsep):
        for end, name, way in TOOL_FOLDERS:
            if folder.rstrip("/").endswith(end):
                found.setdefault(name, os.path.normpath(os.path.join(folder, way)))
    return found


def _caches(home: str, cache: str | None) -> dict[str, str]:
    if cache is None:
        return {"XDG_CACHE_HOME": os.path.join(home, ".cache")}
    return {name: os.path.join(cache, folder) for name, folder in CACHES.items()}


def write_below(top: str, parts: list[str], content: bytes) -> None:
    """Step by step, never through a symlink, never into what is there: an earlier process of the run, such as its
    setup, may have put anything into a folder that it can write."""
    folder = enter_below(top, parts[:-1])
    try:
        make_new(folder, parts[-1], content)
    finally:
        os.close(folder)


def enter_below(top: str, parts: list[str]) -> int:
    """Open a folder below another, made where it is missing, through no link."""
    folder = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts:
            with suppress(FileExistsError):  # if what is there is no folder, opening it says so
                os.mkdir(part, 0o700, dir_fd=folder)
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
            os.close(folder)
            folder = below
    except BaseException:
        os.close(folder)
        raise
    return folder


def make_new(folder: int, name: str, content: bytes = b"") -> None:
    """Make a file in an open folder, in the place of whatever is there."""
    try:
        os.unlink(name, dir_fd=folder)
    except FileNotFoundError:
        pass
    except IsADirectoryError:
        remove_tree(f"/proc/self/fd/{folder}/{name}")
    fd = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder)
    with open(fd, "wb") as file:
        file.write(content)
