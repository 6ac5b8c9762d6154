"""How far a run may widen an item's files by itself: beyond that a person is asked (R-20)."""

from collections.abc import Iterable

from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.rules.sharing.paths import outside
from folkmoot.core.vocabulary.patterns import pattern

GUARDED, ASK, ALLOW, DENY = "guarded", "ask", "allow", "deny"
# What decides how a project is built, checked and from what it is made: whoever changes it changes what others trust.
FOLDERS = frozenset({".github", ".gitlab", ".circleci", ".buildkite", ".woodpecker", ".forgejo", ".gitea", ".ci"})
_NAMES = """
.gitlab-ci.yml .travis.yml .drone.yml jenkinsfile azure-pipelines.yml appveyor.yml bitbucket-pipelines.yml
cloudbuild.yaml .pre-commit-config.yaml makefile gnumakefile justfile rakefile taskfile.yml cmakelists.txt
dockerfile containerfile docker-compose.yml docker-compose.yaml compose.yml compose.yaml build.gradle
build.gradle.kts settings.gradle settings.gradle.kts gradlew pom.xml build.xml meson.build build.bazel
module.bazel workspace.bazel tox.ini noxfile.py setup.py setup.cfg build.rs configure configure.ac package.json
pyproject.toml pipfile environment.yml cargo.toml go.mod gemfile composer.json mix.exs deno.json package.swift
pubspec.yaml package-lock.json npm-shrinkwrap.json pnpm-lock.yaml bun.lockb pipfile.lock go.sum
packages.lock.json
"""
NAMES = frozenset(_NAMES.split())
PATTERN = pattern(r".+\.(lock|mk|cmake|gemspec|csproj)|(requirements|constraints)\b.*\.(txt|in)|dockerfile\..+")


def is_guarded(path: str) -> bool:
    """Is it a file of the CI, of the build, a list of dependencies, or a lock file?"""
    parts = [part for part in path.casefold().split("/") if part]
    return any(part in FOLDERS or part in NAMES or PATTERN.fullmatch(part) is not None for part in parts)


def beyond(flow: Flow, files: list[str], wanted: Iterable[str]) -> list[str]:
    """Those of the wanted paths that a run cannot give to an item by itself. One without files may write anything."""
    new = outside(wanted, files) if files else []
    if isinstance(flow.widen, list):
        return outside(new, flow.widen)
    if flow.widen in (ASK, DENY):
        return new
    return [path for path in new if is_guarded(path)] if flow.widen == GUARDED else []


def not_given(flow: Flow, item: Item, paths: Iterable[str]) -> list[str]:
    """Which of these paths are not the item's. A folder that a run has taken by itself covers nothing in it that a run
    would have to ask for: only whoever names such a file can give it."""
    paths = list(paths)
    if not item.files:
        return []
    left = outside(paths, item.files)
    if not item.widened or flow.widen != GUARDED:
        return left
    given = [path for path in item.files if path not in item.widened]
    guarded = [path for path in paths if is_guarded(path)]
    return list(dict.fromkeys([*left, *outside(guarded, given)]))


def handed_on(maker: Item, files: list[str]) -> tuple[list[str], list[str]]:
    """The files of an item that a run makes, and those of them that nobody but runs has given. One that names none gets
    those of the run's own item: without any it might change everything."""
    if not maker.files:
        return files, []
    files = files or maker.files
    given = [path for path in maker.files if path not in maker.widened]
    return files, outside(files, given)
