"""Paths of the project that the user's hooks run, by the words of their texts; and hooks of which that cannot be told.

A text is never understood wholly, so more counts rather than less: each path that a word may mean, from the top, from
every folder that the text names as one to go to, and from its own; whether it is there by now or not. But a folder, or
a pattern of files, that is only handed to a tool is what that works on: a hook that says `eslint src/*.js` runs nothing
of `src`.
"""

import os
import re
from collections.abc import Iterator
from itertools import pairwise

from msgspec import Struct, field

from folkmoot.worker.git.harvest.shell import MARK, SHELL, Script, understood

BREAKS = re.compile(r"[\s;|&()<>'\"`={}!,\[\]\\:]+")
VARIABLE = re.compile(r"\$\{?\w+[^\s/}]*\}?|\$|[()`]")
GLOB = re.compile(r"[*?\[{]")
UP = re.compile(r"^(/?\.\.(?=/|$))+")
MOVES = frozenset({"cd", "pushd", "-C"})  # the words after which a folder follows
ENDINGS = ("", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".pm", ".php", ".lua", ".sh")
SCRIPT = re.compile(r"\w[\w.+-]*\.(sh|bash|zsh|py|[mc]?[jt]s|rb|p[lm]|php|lua|jar|exe|bin|out)")
# How other languages come to names that no text has, and how they run something.
LOOKS = re.compile(r"sys\.path|listdir|iterdir|scandir|glob|\bwalk|readdir|opendir|\bDir\b|LOAD_PATH|use lib")
RUNS = re.compile(r"subprocess|system|exec|spawn|popen|runpy|import|require|eval|load|`")

BYTES_MAX = 100_000
WORDS_MAX = 5_000
BASES_MAX = 50
SCRIPTS_MAX = 100  # that are followed from one hook to the next script
LOOKED_AT_MAX = 40_000  # paths that words may mean, of all hooks


class Led(Struct):
    """What hooks lead to. `unclear` says of which hook it cannot be told, and why."""

    places: dict[str, None] = field(default_factory=dict)
    unclear: str = ""


class Follower:
    """Follows hooks, and the scripts of the project that they run."""

    def __init__(self, trees: list[str]) -> None:
        self._trees = trees
        self._seen: set[str] = set()
        self._left = LOOKED_AT_MAX
        self.led = Led()

    def hook(self, file: str) -> None:
        self._script(file, is_hook=True)

    def command(self, text: str) -> None:
        """A command of the settings'."""
        self._shell(text.removeprefix("!"))

    def settings(self, text: str) -> None:
        """Settings of another program: each path that they name may be what it runs."""
        before = set(self.led.places)
        self._words(text)
        for place in [place for place in self.led.places if place not in before]:
            if SCRIPT.fullmatch(os.path.basename(place)) or os.access(place, os.X_OK):
                self._script(place)

    def _script(self, file: str, *, is_hook: bool = False) -> None:
        if not os.path.isfile(file) or (real := os.path.realpath(file)) in self._seen:
            return
        if len(self._seen) >= SCRIPTS_MAX:
            self._is_too_much()
            return
        self._seen.add(real)
        try:
            with open(real, "rb") as opened:
                data = opened.read(BYTES_MAX + 1)
        except OSError:
            return
        if b"\0" in data[:BYTES_MAX]:
            return  # a program: a tool like others
        text = data[:BYTES_MAX].decode("utf-8", "surrogateescape")
        first = text.partition("\n")[0] if text.startswith("#!") else ""
        language = next((word for word in reversed(BREAKS.split(first.replace("/", " "))) if word[:1].isalpha()), "")
        unclear = "it is too long to be read" if len(data) > BYTES_MAX else ""
        others = not SHELL.fullmatch(language) if language else real.endswith(ENDINGS[1:-1])
        own = [os.path.dirname(file), os.path.dirname(real)]
        said = self._other(text, own, is_hook=is_hook) if others else self._shell(text, *own)
        unclear = unclear or said
        if is_hook:
            self._words(text)
        # A hook that git does not run, and a script elsewhere, which is a tool like others, say nothing.
        if unclear and (os.access(real, os.X_OK) if is_hook else self._is_inside(real)):
            self.led.unclear = self.led.unclear or f"{file} runs what cannot be told beforehand ({unclear})"

    def _is_inside(self, file: str) -> bool:
        return any(file.startswith(f"{tree}/") for tree in self._trees)

    def _shell(self, text: str, *folders: str) -> str:
        script = understood(text)
        bases = self._bases(script, folders)
        # One after the other, as in "$ROOT/$SUB/run.sh".
        two = [os.path.join(one, other) for one in bases for other in bases if one and other and one != other]
        for word in script.runs:
            for tree, place in self._meant(word, [*bases, *two] if len(MARK.findall(word)) > 1 else bases):
                if not self._may_look():
                    return script.unclear
                if os.path.normpath(place) != tree:
                    self._add(place)
                    self._script(place)
        return script.unclear

    def _bases(self, script: Script, folders: tuple[str, ...]) -> list[str]:
        """From where words are told: the top, the folders that the text goes to or puts before a name, its own."""
        found = ["", *folders]
        for word in list(script.bases)[:WORDS_MAX]:
            found += [one for path in _paths(word) for one in (path.lstrip("/"), os.path.expanduser(path))]
        found = list(dict.fromkeys(found))
        if len(found) > BASES_MAX:
            self._is_too_much()
        return found[:BASES_MAX]

    def _meant(self, word: str, bases: list[str]) -> Iterator[tuple[str, str]]:
        for path in _paths(word):
            for tree in self._trees:
                for base in bases:
                    yield tree, os.path.join(tree, base, path.lstrip("/"))
                    yield tree, os.path.join(tree, base, os.path.expanduser(path))
                for rest in _after(path, tree):
                    yield tree, os.path.join(tree, rest)

    def _words(self, text: str) -> None:
        """Whatever else a hook names: it may be what is run, told in a way that was not understood."""
        whole = [VARIABLE.sub("", word) for word in BREAKS.split(text)]
        words = list(dict.fromkeys(filter(None, whole)))[:WORDS_MAX]
        folders = ["", *(after for word, after in pairwise(filter(None, whole)) if word in MOVES)]
        folders = list(dict.fromkeys(folders))[:BASES_MAX]
        for word in words:
            if GLOB.search(word) or word.endswith("/") or not self._may_look(len(folders)):
                continue
            for tree in self._trees:
                for base in folders:
                    places = [os.path.join(tree, base.lstrip("/"), word.lstrip("/")), os.path.join(tree, base, word)]
                    for place in places:
                        counts = "/" in word.strip("/") or SCRIPT.fullmatch(word.strip("/")) or os.path.isfile(place)
                        if counts and not os.path.isdir(place):
                            self._add(place)
                for rest in _after(word, tree) if "/" in word else ():
                    self._add(os.path.join(tree, rest))

    def _other(self, text: str, own: list[str], *, is_hook: bool) -> str:
        """Another language: names stand in it as texts of their own, folder and file often apart. A script that a hook
        runs has much to do with files; what it reads in lies beside it."""
        words = list(dict.fromkeys(filter(None, BREAKS.split(text))))[:WORDS_MAX]
        found = ""
        for tree in self._trees:
            named = [word.lstrip("/") for word in words if word.strip("./")] if is_hook else []
            folders = [word for word in named if os.path.isdir(os.path.join(tree, word))][:BASES_MAX]
            if LOOKS.search(text):
                for folder in folders:
                    self._add(os.path.join(tree, folder))
                if is_hook and not folders and RUNS.search(text):
                    found = "it looks for files, and runs something"
            for base in [*own, *(["", *folders] if is_hook else [])]:
                for word in words:
                    if not self._may_look():
                        return found
                    at = os.path.normpath(os.path.join(tree, base, word.lstrip("/")))
                    # A module is told without its ending; but not every word is one.
                    endings = ENDINGS if "/" in word or base in own else ENDINGS[:1]
                    is_there = [at + ending for ending in endings if os.path.isfile(at + ending)]
                    for place in is_there or ([at] if SCRIPT.fullmatch(word) else []):
                        self._add(place)
        return found

    def _may_look(self, often: int = 1) -> bool:
        self._left -= often
        if self._left < 0:
            self._is_too_much()
        return self._left >= 0

    def _is_too_much(self) -> None:
        self.led.unclear = self.led.unclear or "your hooks name more files than can be looked at"

    def _add(self, place: str) -> None:
        self.led.places[os.path.normpath(place)] = None


def _paths(word: str) -> list[str]:
    """What a word says of a path: without what stands before it in a variable, up to where it cannot be told."""
    parts = MARK.split(word)
    at = next((number for number, part in enumerate(parts) if part), None)
    if at is None:
        return []
    path, is_cut = parts[at], len(parts) > at + 1
    if glob := GLOB.search(path):
        path, is_cut = path[: glob.start()], True
    if is_cut:
        path = path.rpartition("/")[0]
    rest = [tail for tail in parts[at + 1 :] if tail.strip("/") and not GLOB.search(tail)][-1:]
    # Where it goes up from what cannot be told, such as the hook's own folder, it may come to the top.
    down = UP.sub("", path) if at else path
    return [one for one in dict.fromkeys((path, down, *rest)) if one.strip("/.")]


def _after(path: str, tree: str) -> Iterator[str]:
    """Ends of a path that may be told from further up: those that are there, and those behind the tree's own name."""
    steps = [step for step in path.split("/") if step]
    for number in range(1, len(steps)):
        rest = "/".join(steps[number:])
        if steps[number - 1] == os.path.basename(tree) or os.path.isfile(os.path.join(tree, rest)):
            yield rest


def passed(path: str) -> Iterator[str]:
    """A path, each link on the way to what is there, and that itself: to change one of them changes what is run."""
    yield os.path.abspath(path)
    rest, real, links = os.path.abspath(path).split("/")[::-1], "/", 0
    while rest:
        part = rest.pop()
        if part in ("", "."):
            continue
        step = os.path.dirname(real) if part == ".." else os.path.join(real, part)
        if part != ".." and os.path.islink(step) and links < 40:
            links += 1
            yield step
            words = os.readlink(step)
            real = "/" if words.startswith("/") else real
            rest += words.split("/")[::-1]
        else:
            real = step
    yield real
