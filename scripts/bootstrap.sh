#!/bin/sh
# Makes .venv/ ready for use: `bootstrap.sh runtime` (to run moot), `bootstrap.sh dev` (to work on it);
# `bootstrap.sh tools` installs programs of the system that some tests need; `bootstrap.sh lock` writes the lock files again.
# Needs python3 with pip and nothing else: no venv module, no uv, no root, no HOME that can be written to.
set -eu
cd "$(dirname "$0")/.."

PYTHON=${PYTHON:-python3}
WANTED=${1:-dev}
STAMPS=.venv/.stamps

die() { echo "bootstrap: $*" >&2; exit 1; }

check_machine() {
    command -v "$PYTHON" >/dev/null 2>&1 || die "$PYTHON was not found; install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3"
    "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        die "Python 3.11 or newer is needed, $PYTHON is older ($("$PYTHON" -V 2>&1)); name another: make PYTHON=python3.12"
    "$PYTHON" -m pip --version >/dev/null 2>&1 || die "pip is missing for $PYTHON; install it (Debian: apt install python3-pip)"
    [ -w . ] || die "this folder cannot be written to by $(id -un 2>/dev/null || id -u); take a checkout of your own"
}

set_up_environment() {
    # A HOME that is missing or read-only must not matter: caches then live in the checkout.
    if [ ! -w "${HOME:-/nonexistent}" ]; then
        export XDG_CACHE_HOME="$PWD/.bootstrap/cache" PIP_CACHE_DIR="$PWD/.bootstrap/cache/pip" UV_CACHE_DIR="$PWD/.bootstrap/cache/uv"
    fi
    export PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
    # Personal pip habits that would send packages elsewhere or refuse to install.
    unset PIP_USER PIP_TARGET PIP_PREFIX PIP_REQUIRE_VIRTUALENV 2>/dev/null || true
}

# Two makes in one checkout wait for each other, where flock exists.
wait_for_turn() {
    mkdir -p .bootstrap
    if command -v flock >/dev/null 2>&1; then
        exec 9>.bootstrap/lock
        flock 9
    fi
}

# What .venv was made from. The folder is part of it because a virtual environment cannot be moved.
fingerprint() {
    { pwd; cat pyproject.toml scripts/bootstrap.sh "$@"; } | cksum
}

runtime_fingerprint() { fingerprint requirements.lock; }
dev_fingerprint() { fingerprint requirements.lock requirements-dev.lock; }

is_ready() {
    [ "$(cat "$STAMPS/$1" 2>/dev/null)" = "$2" ] && .venv/bin/python -c '' 2>/dev/null
}

fetch_uv() {
    [ -x .bootstrap/uv/bin/uv ] && return
    rm -rf .bootstrap/uv
    "$PYTHON" -m pip install --quiet --target .bootstrap/uv --require-hashes -r requirements-bootstrap.lock
}

# Without ensurepip on purpose: Debian leaves it out, and the pip we have can install into any environment.
make_venv() {
    rm -rf .venv
    "$PYTHON" -m venv --without-pip .venv >/dev/null 2>&1 && .venv/bin/python -c '' 2>/dev/null && return
    echo "bootstrap: the venv module does not work here, using uv"
    rm -rf .venv
    fetch_uv
    .bootstrap/uv/bin/uv --quiet venv --no-config --no-python-downloads \
        --python "$("$PYTHON" -c 'import sys; print(sys.executable)')" .venv
}

# The machine's own pip, so that its mirrors, proxies and certificates count.
pip_install() {
    "$PYTHON" -m pip --python .venv/bin/python install --quiet "$@"
}

prepare_runtime() {
    is_ready runtime "$(runtime_fingerprint)" && return
    echo "bootstrap: making .venv"
    make_venv
    pip_install --require-hashes -r requirements.lock
    pip_install --no-deps --no-build-isolation --editable .
    mkdir -p "$STAMPS"
    runtime_fingerprint >"$STAMPS/runtime"
}

prepare_dev() {
    prepare_runtime
    is_ready dev "$(dev_fingerprint)" && return
    echo "bootstrap: adding the tools for development"
    pip_install --require-hashes -r requirements-dev.lock
    dev_fingerprint >"$STAMPS/dev"
}

apt() {
    DEBIAN_FRONTEND=noninteractive timeout 180 apt-get -qq -o Acquire::Retries=1 -o Acquire::http::Timeout=20 \
        -o Acquire::https::Timeout=20 -o DPkg::Lock::Timeout=60 "$@" >>.bootstrap/apt.log 2>&1
}

missing_tools() {
    command -v bwrap >/dev/null 2>&1 || echo bubblewrap
    command -v strace >/dev/null 2>&1 || echo strace
    command -v fusermount >/dev/null 2>&1 || command -v fusermount3 >/dev/null 2>&1 || echo fuse
    command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 ||
        command -v google-chrome >/dev/null 2>&1 || echo chromium
    command -v ip >/dev/null 2>&1 || echo iproute2
}

# Programs of the system, for the tests that need them. Without them those tests are left out, and say so.
install_tools() {
    missing=$(missing_tools | tr '\n' ' ')
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        echo "bootstrap: installing ${missing% }"
        # Lists of packages that are there already are good enough.
        # shellcheck disable=SC2086
        apt install -y --no-install-recommends $missing ||
            { apt update && apt install -y --no-install-recommends $missing; } || true
        missing=$(missing_tools | tr '\n' ' ')
        [ -n "$missing" ] || return 0
        why="apt-get could not install it, see .bootstrap/apt.log"
    else
        why="this is not root with apt-get; install it yourself"
    fi
    echo "*** NOT RUN: tests that need ${missing% }: $why" >&2
}

compile() {
    .bootstrap/uv/bin/uv --quiet pip compile --universal --generate-hashes --no-header --no-annotate \
        --no-emit-index-url --no-emit-find-links --python-version 3.11 --upgrade "$@"
}

write_locks() {
    fetch_uv
    compile pyproject.toml --group build --output-file requirements.lock
    # The same versions in both, so that going from runtime to dev only adds.
    compile pyproject.toml --extra all --group dev --constraint requirements.lock --output-file requirements-dev.lock
    compile --group bootstrap --output-file requirements-bootstrap.lock
}

check_machine
set_up_environment
wait_for_turn
case "$WANTED" in
    runtime) prepare_runtime ;;
    dev) prepare_dev ;;
    tools) install_tools ;;
    lock) write_locks ;;
    *) die "unknown: $WANTED (runtime, dev, tools or lock)" ;;
esac
