"""Paths of the project that the user's own git runs or reads settings from, because its settings or hooks lead there.

Whatever lands at such a path runs at the user's next git command. The settings are read as the user's git reads them,
with those of the user and of the machine, and whatever the condition is under which a file of them counts; nothing of
them is carried out.
"""

import contextlib
import os
import re
import shlex
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from folkmoot.worker.git.harvest import homes
from folkmoot.worker.git.harvest.hooks import Follower, passed
from folkmoot.worker.git.places import work_trees

if TYPE_CHECKING:
    from folkmoot.worker.git.repository import Repository

Setting = tuple[str, str, str]  # where it stands, its name, its value

# Settings that name a file with more settings, or a folder of programs; as git lists them, in lower case.
MORE = re.compile(r"include\.path|includeif\..*\.path")
FOLDER = re.compile(r"core\.hookspath|init\.templatedir")
# Settings that git neither runs nor reads settings from, whatever they hold. Every other one may name a program: a list
# of those that do would end with the next version of git.
HARMLESS = re.compile(
    r"(user|author|committer|branch|color|column|advice|fetch|push|pull|rebase|rerere|status|tag|stash|extensions|safe)\..*"
    r"|remote\..*\.(fetch|push|tagopt|mirror|prune)|submodule\..*\.(url|path|active|branch|ignore)|url\..*"
    r"|core\.(bare|filemode|symlinks|ignorecase|precomposeunicode|repositoryformatversion|logallrefupdates|worktree"
    r"|excludesfile|attributesfile|autocrlf|eol|safecrlf|whitespace|abbrev|compression|untrackedcache|quotepath)"
    r"|commit\.template|blame\.ignorerevsfile|diff\.orderfile|fsck\.skiplist|mailmap\.(file|blob)|pack\..*"
    r"|gc\.(auto|autodetach|autopacklimit|aggressive\w*|bigpackthreshold|cruftpacks|logexpiry|packrefs|pruneexpire"
    r"|reflogexpire\w*|worktreepruneexpire|writecommitgraph|rerere\w+|.*\.reflogexpire\w*)"
    r"|init\.defaultbranch|http\..*|log\..*|merge\.(ff|log|renames|conflictstyle)"
    r"|lfs\.(url|pushurl|.*\.access|.*\.locksverify|locksverify|fetchinclude|fetchexclude|concurrenttransfers|batch|dialtimeout|tlstimeout"
    r"|activitytimeout|keepalive|repositoryformatversion|skipdownloaderrors|allowincompletepush|lockignoredfiles|setlockablereadonly)"
)
# Variables of the user's that git takes settings, or programs, from: each one of its own, and some that others use too.
# What only names data is none of them: a file of certificates read as a script would be hundreds of commands.
_DATA = r"SSL|PROXY_SSL|CURL|HTTP|TRACE|TRACE2|AUTHOR|COMMITTER|CONFIG_KEY|CONFIG_VALUE|PS1"
_DATA_ALONE = (
    r"CONFIG_COUNT|CONFIG_NOSYSTEM|CONFIG_PARAMETERS|TERMINAL_PROMPT|OPTIONAL_LOCKS|MERGE_AUTOEDIT|REFLOG_ACTION"
)
OF_GIT = re.compile(
    rf"GIT_(?!(?:{_DATA})(?:_|$)|(?:{_DATA_ALONE})$)\w+|PAGER|SSH_ASKPASS|EDITOR|VISUAL|LESSOPEN|LESSCLOSE"
)
# Those that say what a setting says: a folder of hooks and programs, or a file with more settings.
SAME_AS = {
    **dict.fromkeys(("GIT_TEMPLATE_DIR", "GIT_EXEC_PATH"), "init.templatedir"),
    **dict.fromkeys(("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"), "include.path"),
}
BREAKS = re.compile(r"[\s;|&()<>'\"`$={}!,]+")
MOVES = frozenset({"cd", "pushd", "-C"})  # the words after which a folder follows
INCLUDES_MAX = 100
WORDS_MAX = 5_000
HOOKS = """
applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit
pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive post-receive post-update post-rewrite
reference-transaction push-to-checkout pre-auto-gc sendemail-validate fsmonitor-watchman post-index-change
p4-changelist p4-prepare-changelist p4-post-changelist p4-pre-submit
"""


def led_to(repository: "Repository") -> list[str]:
    """The paths, from the top of the work tree."""
    trees = work_trees(repository.user)
    follower = Follower(trees)
    places = [*_places(repository, trees, follower), *follower.led.places]
    return list(dict.fromkeys(below for place in dict.fromkeys(places) for below in _below(place, trees)))


def unclear_hooks(repository: "Repository") -> str:
    """Which of the user's hooks may run anything that lands, in words; empty if there is none."""
    trees = work_trees(repository.user)
    follower = Follower(trees)
    for _ in _places(repository, trees, follower):
        pass
    return follower.led.unclear


def of_the_path(repository: "Repository") -> list[str]:
    """The folders of the project that stand in the user's PATH, from the top of the work tree; the top itself is empty.
    There git, as the user calls it, looks for `less`, `ssh`, `gpg`, `git-lfs` and whatever else it starts."""
    trees = work_trees(repository.user)
    found: dict[str, None] = {}
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        for tree in trees:
            place = os.path.normpath(os.path.join(tree, folder))  # one that is relative: from where the user stands
            found |= dict.fromkeys(["", *_below(place, trees)] if place == tree else _below(place, trees))
    return list(found)


def in_force(repository: "Repository", git_dir: str) -> dict[str, str]:
    """The settings of a work tree as the user's git has them, by name."""
    own, shared = _users_files()
    files = [file for file in (shared, own) if file == own or os.path.exists(file)]
    found = {name: value for file in files for _, name, value in _listed(repository, git_dir, file)}
    return found | dict(_of_environment())


def attributes_file(settings: dict[str, str]) -> str:
    """Where the user's own attributes are, which are no part of any project."""
    named = settings.get("core.attributesfile")
    return os.path.expanduser(named) if named else os.path.join(os.path.dirname(_users_files()[1]), "attributes")


def _users_files() -> tuple[str, str]:
    own = os.environ.get("GIT_CONFIG_GLOBAL") or os.path.expanduser("~/.gitconfig")
    shared = os.path.join(os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config"), "git", "config")
    return own, shared


def _of_the_home() -> Iterator[str]:
    """What git and what it calls read below the user's home, there or not: a link may lead from it into the project."""
    own, shared = _users_files()
    yield from (own, shared, os.path.expanduser("~/.gitconfig"), os.path.expanduser("~/.config/git/config"))
    yield from homes.folders()


def _of_ssh(named: list[str], trees: list[str], follower: Follower) -> Iterator[str]:
    """What the settings of the user's ssh are read from, and what they run."""
    for kind, value in homes.ssh_settings(named):
        if kind == "file":
            yield value
        else:
            follower.command(value)
            yield from _named(value, trees)


def _places(repository: "Repository", trees: list[str], follower: Follower) -> Iterator[str]:
    yield from (repository.user.common, repository.user.git_dir)  # wherever they lie, and however they are called
    yield from _of_the_home()
    yield from _hooks(os.path.join(repository.user.common, "hooks"), follower)
    to_ssh: list[str] = []
    for origin, name, value in _settings(repository):
        yield origin
        if name in homes.SSH_COMMANDS:
            to_ssh += homes.given_to_ssh(value)
        if MORE.fullmatch(name):
            yield os.path.join(os.path.dirname(origin), os.path.expanduser(value))
        elif FOLDER.fullmatch(name):
            for tree in trees:
                place = os.path.normpath(os.path.join(tree, os.path.expanduser(value)))
                yield from _hooks(place, follower)
                yield from (os.path.join(place, hook) for hook in HOOKS.split()) if place == tree else [place]
                if os.path.basename(place) == "_":  # husky: what lies there only calls what lies above it
                    yield from _hooks(os.path.dirname(place), follower)
        elif not HARMLESS.fullmatch(name):
            follower.command(value)
            yield from _named(value, trees)
    yield from _of_ssh(to_ssh, trees, follower)


def _of_environment() -> Iterator[tuple[str, str]]:
    """Settings that stand in the user's variables, and the variables that name a program or a folder for git."""
    env = os.environ
    with contextlib.suppress(ValueError):  # no number, or a quote without an end: git itself refuses that
        for word in shlex.split(env.get("GIT_CONFIG_PARAMETERS", "")):
            name, _, value = word.partition("=")
            yield name.lower(), value
        for number in range(min(int(env.get("GIT_CONFIG_COUNT") or 0), WORDS_MAX)):
            yield env.get(f"GIT_CONFIG_KEY_{number}", "").lower(), env.get(f"GIT_CONFIG_VALUE_{number}", "")
    for name, value in env.items():
        if OF_GIT.fullmatch(name):
            yield SAME_AS.get(name, f"env.{name.lower()}"), value


def _settings(repository: "Repository") -> Iterator[Setting]:
    """Of the repository and of each of its work trees, with the user's and the machine's."""
    common = repository.user.common
    yield from ((os.path.join(common, "config"), name, value) for name, value in _of_environment())
    read: set[str] = set()
    waiting: list[str] = []
    for number, file in enumerate(_users_files()):
        if number == 0 or os.path.exists(file):
            for setting in _listed(repository, common, file):
                read.add(os.path.realpath(setting[0]))
                waiting += _more(setting)
                yield setting
    linked = os.path.join(common, "worktrees")
    trees = [common, *(os.path.join(linked, name) for name in _entries(linked))]
    waiting += [os.path.join(git_dir, "config.worktree") for git_dir in trees]
    while waiting and len(read) < INCLUDES_MAX:
        file = os.path.realpath(waiting.pop())
        if file in read or not os.path.isfile(file):
            continue
        read.add(file)
        for setting in _listed(repository, common, None, file):
            waiting += _more(setting)
            yield setting


def _listed(repository: "Repository", git_dir: str, own: str | None, file: str = "") -> Iterator[Setting]:
    env = {"GIT_CONFIG_GLOBAL": own or os.devnull, "GIT_CONFIG_NOSYSTEM": "0", "HOME": os.path.expanduser("~")}
    env |= {name: os.environ[name] for name in ("GIT_CONFIG_SYSTEM",) if name in os.environ}
    which = ("--file", file, "--no-includes") if file else ("--includes",)
    said = repository.git("config", *which, "--list", "--show-origin", "-z", git_dir=git_dir, env=env, check=not file)
    parts = said.out.decode("utf-8", "surrogateescape").split("\0")
    for origin, words in zip(parts[::2], parts[1::2], strict=False):
        name, _, value = words.partition("\n")
        if origin.startswith("file:"):
            yield os.path.join(git_dir, origin.removeprefix("file:")), name.lower(), value


def _more(setting: Setting) -> list[str]:
    """The file that a setting includes: its condition may hold at another time, or on another branch."""
    origin, name, value = setting
    return [os.path.join(os.path.dirname(origin), os.path.expanduser(value))] if MORE.fullmatch(name) else []


def _hooks(folder: str, follower: Follower) -> Iterator[str]:
    """A folder of hooks, and each hook. What they name is followed."""
    yield folder
    for name in sorted(set(HOOKS.split()).intersection(_entries(folder))):
        hook = os.path.join(folder, name)
        yield hook
        follower.hook(hook)


def _named(value: str, trees: list[str]) -> Iterator[str]:
    """What the words of a setting may lead to, wherever in the project they are said."""
    words = list(filter(None, BREAKS.split(value)))[:WORDS_MAX]
    folders = ["", *(after for word, after in pairwise(words) if word in MOVES)]
    for number, word in enumerate(words):
        for tree in trees:
            for folder in folders:
                for place in _from(tree, folder, word):
                    # A plain name is looked for in PATH; behind a program it may be a file for that to run.
                    if "/" in word or (number and os.path.isfile(place)):
                        yield place


def _from(tree: str, folder: str, word: str) -> Iterator[str]:
    word, folder = os.path.expanduser(word), os.path.expanduser(folder)
    yield os.path.join(tree, folder, word)
    # What stood before it may have been the top folder: "$(git rev-parse --show-toplevel)/tools/run.sh".
    if word.startswith("/"):
        yield os.path.join(tree, folder.lstrip("/"), word.lstrip("/"))
    elif folder.startswith("/"):
        yield os.path.join(tree, folder.lstrip("/"), word)


def _entries(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _below(place: str, trees: list[str]) -> Iterator[str]:
    for at in dict.fromkeys(passed(place)):
        for tree in trees:
            below = os.path.relpath(at, tree)
            if below != os.curdir and below.split(os.sep)[0] not in (os.pardir, ".git"):
                yield below
