"""What a shell script may run, by its text. Nothing is carried out, and more is found rather than less.

A word keeps its variables and substitutions as marks: which file it means is seen where it is held against a project.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct, field

from folkmoot.worker.git.harvest.scanner import OUTPUT, VARIABLE, Command, Scanner

MARK = re.compile(r"\x00[^\x00]*\x00|\x01[^\x01]*\x01")
NAMED = re.compile(r"\x00([^\x00]*)\x00")
NUMBERED = re.compile(r"\x01([^\x01]*)\x01")
LIST = re.compile(r"(?<![\w$])(\w+)\+?=\(([^()]*)\)")
HERE = re.compile(r"<<-?[ \t]*\\?(['\"]?)(\w+)\1[^\n]*\n")
FUNCTION = re.compile(r"(?:^|[\s;{])(?:function\s+)?([\w-]+)\s*\(\s*\)")
ASSIGNED = re.compile(r"(\w+)\+?=(.*)", re.DOTALL)
POSITION = re.compile(r"[\d@*]+")


def _of(words: str) -> frozenset[str]:
    return frozenset(words.split())


KEYWORDS = _of("if then else elif do while until ! { } in fi done esac case select coproc")
# Words before a command that begin it; what stands there as an option or a number is theirs.
BEGIN = _of("exec command builtin env nohup nice time timeout sudo doas setsid stdbuf xargs npx bunx")
RUNNERS = _of("poetry uv pipenv pdm hatch rye conda")  # with `run` behind them
ASSIGN = _of("export local declare typeset readonly")
SHELL = re.compile(r"(ba|da|z|k|mk|a|fi)?sh")
INTERPRETER = re.compile(
    r"(ba|da|z|k|mk|a|fi)?sh|python[\d.]*|pypy[\d.]*|node(js)?|ruby|perl|php[\d.]*|lua(jit)?|tsx|ts-node"
    r"|Rscript|pwsh|tclsh|osascript|groovy|julia"
)
TAKES_CODE = re.compile(r"-m(\S*)|-e|-c|-p|-pe|-ne|--eval|--print")  # and no file, in other languages than the shell's
IMPORTS = re.compile(
    r"\bfrom[ \t]+([\w.]+)[ \t]+import[ \t]+([\w., \t]+)|\bimport[ \t]+([\w., \t]+)"
    r"|\b(?:require|require_relative|import)\b[ \t(]*['\"]([^'\"\n]+)"
)
MODULES_FROM = ("PYTHONPATH", "NODE_PATH", "PERL5LIB", "RUBYLIB")
TEXT = re.compile(r"['\"]([^'\"\n]+)['\"]")
MODULE = ("{}.py", "{}/__init__.py", "{}/__main__.py")
ENDINGS = {"node": (".js", ".cjs", ".mjs", "/index.js"), "tsx": (".ts", "/index.ts"), "ts-node": (".ts", "/index.ts")}
# Options by which programs read in code: the program, and the option with what is written to it.
LOADS = [
    (re.compile(program), re.compile(option))
    for program, option in (
        (r"perl[\d.]*|ruby[\d.]*", r"(-[Ir])(.*)"),
        (r"pytest|py\.test", r"(-p)(.*)"),
        (r"java\w*|kotlin\w*|scala\w*|groovy\w*", r"(-cp|-classpath|--class-path)(?:=(.*))?"),
        (
            r"node(?:js)?|bun|deno|tsx|ts-node|mocha|jest",
            r"(-r|--require|--import|--(?:experimental-)?loader|--preload)(?:=(.*))?",
        ),
        (r"eslint|stylelint", r"(--rulesdir|--plugin|--resolve-plugins-relative-to)(?:=(.*))?"),
        (r"pylint|flake8", r"(--load-plugins)(?:=(.*))?"),
    )
]
PARTS = re.compile("[:,]")
COMPILES = _of("go bun deno")  # and runs, with `run` behind it
SHELL_CODE = re.compile(r"-\w*c")
ONLY_CHECKS = frozenset({"-n", "-l", "--check", "-wc", "--syntax-check", "--test"})
# What prints names or words of the project: whoever runs those runs what nobody can tell beforehand.
LISTS = _of("find ls cat grep egrep rg awk gawk sed jq yq head tail sort comm xargs fd tree")
GIT_LISTS = _of("ls-files ls-tree diff diff-index diff-tree diff-files show grep log status cat-file")
VALUED = frozenset({"-I", "-J", "-u", "-k", "-s", "-a", "-d"})  # options of such words with a value
COUNT = re.compile(r"[\d.]+[smhd]?")
DEEP_MAX = 8
HELD_MAX = 8  # readings of one word: more are not looked at


class Script(Struct):
    """What was found. `runs` are words that are run or read in, `bases` those that the others may be told from."""

    runs: dict[str, None] = field(default_factory=dict)
    bases: dict[str, None] = field(default_factory=dict)
    unclear: str = ""  # words of the text: what they run is computed from what the project holds


@lru_cache(256)
def understood(text: str) -> Script:
    """What a shell script may run. The same text is met again and again, and what was found is only read."""
    try:
        return _understood(text.replace("\\\n", " "))
    except RecursionError:
        return Script(unclear="it is nested too deep")


def _understood(text: str) -> Script:
    scanner = Scanner()
    bodies = []
    while here := HERE.search(text):
        end = re.compile(rf"^\t*{here[2]}$", re.MULTILINE).search(text, here.end())
        bodies.append(text[here.end() : end.start() if end else len(text)])
        text = (
            text[: here.start()] + here[0][here[0].index(here[2]) + len(here[2]) :] + (text[end.end() :] if end else "")
        )
    for part in (*bodies, text):
        scanner.is_open = False  # words for people have lone quotes
        scanner.read(LIST.sub(r"for \1 in \2\n", part))
    reader = _Reader(scanner, set(FUNCTION.findall(text)))
    reader.look()
    for body in bodies:  # it may be for another language
        reader.imports(body)
    return reader.script


class _Reader:
    def __init__(self, scanner: Scanner, functions: set[str]) -> None:
        self._scanner = scanner
        self._functions = functions
        self._values: dict[str, list[str]] = {}
        self._read: set[str] = set()  # variables that hold what was read
        self._calls: list[list[str]] = []  # what functions are called with
        self._followed: set[tuple[str, bool]] = set()
        self._deep = 0
        self.script = Script(unclear="a quote that is not closed" if scanner.is_open else "")

    def look(self) -> None:
        commands = list(self._scanner.commands)
        for command in commands:
            self._assign(command)
        for word in list(self.script.bases):
            self._lead(word, anew=True)
        for before, command in zip([Command(), *commands], commands, strict=False):
            self._command(command.words, before.words if command.piped else None)
        for path in self._values.get("PATH", []):
            self._path(path)
        for path in (path for name in MODULES_FROM for path in self._values.get(name, [])):
            self.script.bases |= {part: None for part in path.split(":") if MARK.sub("", part)}

    def _path(self, value: str) -> None:
        """Where programs are looked for by their name."""
        for part in value.split(":"):
            if part in ("", ".", "./"):
                self._is_unclear(f"PATH={value}")
            elif part != f"{VARIABLE}PATH{VARIABLE}" and not part.startswith("/"):
                self._run(part)

    def _assign(self, command: Command) -> None:
        words = [word for word in command.words if word not in KEYWORDS]
        if words[:1] == ["for"] and len(words) > 1:
            self._values.setdefault(words[1], []).extend(words[2:])
        if words and words[0] in ("read", "mapfile", "readarray"):
            self._read |= set(words[1:])
        if words and (words[0] in self._functions or words[0] == "set"):
            self._calls.append([word for word in words[1:] if word != "--"])
        if words and words[0] in ("cd", "pushd"):
            self.script.bases |= dict.fromkeys(word for word in words[1:] if not word.startswith("-"))
        self.script.bases |= {after: None for word, after in pairwise(words) if word == "-C"}
        for word in words:
            assigned = ASSIGNED.fullmatch(word)
            if assigned is None and words[0] not in ASSIGN:
                break
            if assigned is not None:
                self._values.setdefault(assigned[1], []).append(assigned[2])

    def _command(self, words: list[str], before: list[str] | None = None) -> None:
        begun, words = _begun(words)
        if not words or "case" in begun or "select" in begun:
            return
        head, rest = words[0], words[1:]
        name = MARK.sub("", head).rsplit("/", 1)[-1]
        if head in (".", "source"):
            self._run(*rest[:1])
        elif head == "eval":
            self._run(*rest, code=True)
        elif head == "run-parts":
            self._run(*[word for word in rest if not word.startswith("-")])
        elif head in ("find", "fd"):
            self._found(rest)
        elif head in ("trap", "alias", "bind"):
            self._again(" ".join(rest[:1]))
        elif INTERPRETER.fullmatch(name) or any(self._interprets(one) for one in NAMED.findall(head)):
            self._script(name, rest, before, listed="xargs" in begun)
        elif "xargs" in begun and (head == "{}" or NAMED.fullmatch(head)):
            self._is_unclear(" ".join(["xargs", *words]))
        if "/" in head or MARK.search(head):
            self._run(head)
        self._loads(name, rest)
        if name in COMPILES and rest[:1] == ["run"]:
            self._run(*[word for word in rest[1:] if not word.startswith("-")][:1])

    def _loads(self, name: str, rest: list[str]) -> None:
        """What its options let a program read in: files, folders of them, modules."""
        for option in (option for program, option in LOADS if program.fullmatch(name)):
            for number, word in enumerate(rest):
                if said := option.fullmatch(word):
                    for part in PARTS.split(said[2] or " ".join(rest[number + 1 : number + 2])):
                        self._run(part, *(part + ending for ending in (".rb", *ENDINGS["node"])))
                        self._modules(part)

    def _interprets(self, variable: str) -> bool:
        values = self._values.get(variable, [])
        return any(INTERPRETER.fullmatch(MARK.sub("", value).rsplit("/", 1)[-1]) for value in values)

    def _script(self, name: str, rest: list[str], before: list[str] | None, *, listed: bool) -> None:
        if any(word in ONLY_CHECKS for word in rest) or (name in ("ruby", "perl", "node") and "-c" in rest[:1]):
            return
        for number, word in enumerate(rest):
            if coded := (SHELL_CODE if SHELL.fullmatch(name) else TAKES_CODE).fullmatch(word):
                code = " ".join(rest[number + 1 : number + 2])
                if SHELL.fullmatch(name):
                    self._again(code)
                elif word.startswith("-m"):
                    self._modules(coded[1] or code)
                    self._loads(coded[1] or code, rest[number + 1 :])
                else:
                    self.imports(code)
                return
            if word == "{}":
                self._is_unclear(" ".join([name, *rest]))
            if not word.startswith(("-", "+")) or "/" in word:
                self._run(word, *(word + ending for ending in ENDINGS.get(name, ())))
                return
        if listed or (before is not None and _lists(before)):
            self._is_unclear(" ".join([*(before or ["xargs"]), "|", name, *rest]))

    def imports(self, code: str) -> None:
        """What a text in another language reads in, by the names that it has for it."""
        if "sys.path" in code:
            self.script.bases |= dict.fromkeys(TEXT.findall(code))
        for source, named, plain, path in IMPORTS.findall(code):
            self._modules(*(f"{source}.{one}" for one in named.split(",") if one), *plain.split(","))
            if path.strip("./"):
                self._run(*(path + ending for ending in ("", *ENDINGS["node"], ".rb")))

    def _modules(self, *names: str) -> None:
        """Modules of Python, and the packages that they are in: looked for first where the hook stands."""
        for name in names:
            steps = [step for step in name.split()[0].split(".") if step] if name.strip() else []
            for number in range(1, len(steps) + 1):
                self._run(*(form.format("/".join(steps[:number])) for form in MODULE))

    def _again(self, text: str) -> None:
        if self._deep < DEEP_MAX:
            self._deep += 1
            inner = Scanner()
            inner.outputs = self._scanner.outputs
            inner.read(text)
            for command in inner.commands:
                self._assign(command)
                self._command(command.words)
            self._deep -= 1

    def _found(self, rest: list[str]) -> None:
        for number, word in enumerate(rest):
            if word in ("-exec", "-execdir", "-ok", "-x"):
                _, words = _begun(rest[number + 1 :])
                runs = words[:1] == ["{}"] or (words and INTERPRETER.fullmatch(words[0]) and "{}" in words)
                if runs and not ONLY_CHECKS.intersection(words):
                    starts = [one for one in rest[:1] if not one.startswith("-")]
                    self._run(*starts)
                    if not starts or starts[0] in (".", "./") or MARK.fullmatch(starts[0]):
                        self._is_unclear(" ".join(["find", *rest]))

    def _run(self, *words: str, code: bool = False) -> None:
        """These words are run. What a variable at the end holds is run too; what one at the start holds leads there."""
        for word in words:
            if (word, code) in self._followed:
                continue
            self._followed.add((word, code))
            if code:
                self._again(word)
            self.script.runs |= dict.fromkeys(self._held(word))
            for mark in MARK.finditer(word):
                self._follow(mark[0], is_base="/" in MARK.sub("", word[mark.end() :]), word=word, code=code)

    def _follow(self, mark: str, *, is_base: bool, word: str, code: bool) -> None:
        if mark.startswith(OUTPUT):
            said = self._scanner.outputs[int(mark[1:-1])]
            firsts = [command for command in said if not command.piped]
            if not is_base and any(_lists(command.words) for command in firsts):
                self._is_unclear(" ".join(firsts[0].words))
            values = [one for command in firsts for one in command.words[1:] if not one.startswith("-")]
        else:
            name = mark[1:-1]
            if name in self._read and not is_base:
                self._is_unclear(word)
            values = self._positions(name) if POSITION.fullmatch(name) else self._values.get(name, [])
        for value in values:
            if is_base:
                self._lead(value)
            elif not mark.startswith(OUTPUT) or MARK.search(value) or "/" in value or "." in value:
                self._run(value, code=code)

    def _positions(self, name: str) -> list[str]:
        """What a word like "$1" or "$@" may be: words of a call. With "$@" all of them may be a command."""
        if name.isdigit():
            return [words[int(name) - 1] for words in self._calls if 0 < int(name) <= len(words)]
        if self._deep < DEEP_MAX:
            self._deep += 1
            for words in self._calls:
                self._command(words)
                self._command(words[1:])  # after a `shift`
            self._deep -= 1
        return [words[0] for words in self._calls if words and "/" in words[0]]

    def _held(self, word: str) -> list[str]:
        """A word with what its variables may hold in their places, as far as that is known."""
        found, waiting = [word], [word]
        while waiting and len(found) < HELD_MAX:
            one = waiting.pop()
            mark = next((mark for mark in NAMED.finditer(one) if mark[1] in self._values), None)
            more = [one[: mark.start()] + value + one[mark.end() :] for value in self._values[mark[1]]] if mark else []
            waiting += [other for other in more if other not in found]
            found += [other for other in more if other not in found]
        return found[:HELD_MAX]

    def _lead(self, value: str, *, anew: bool = False) -> None:
        if value in self.script.bases and not anew:
            return
        self.script.bases |= dict.fromkeys(self._held(value))
        for name in NAMED.findall(value):
            for one in self._values.get(name, []):
                self._lead(one)
        for number in NUMBERED.findall(value):
            for command in self._scanner.outputs[int(number)]:
                for one in command.words[1:]:
                    self._lead(one)

    def _is_unclear(self, words: str) -> None:
        shown = MARK.sub(lambda mark: f"${mark[0][1:-1]}" if mark[0][0] == VARIABLE else "$(…)", words)
        self.script.unclear = self.script.unclear or " ".join(shown.split())[:80]


def _begun(words: list[str]) -> tuple[list[str], list[str]]:
    """The words before a command, and the command."""
    begun: list[str] = []
    rest = list(words)
    while rest and (
        rest[0] in KEYWORDS | BEGIN | RUNNERS
        or (rest[0] == "run" and begun[-1:] and begun[-1] in RUNNERS)
        or ASSIGNED.fullmatch(rest[0])
        or (BEGIN.intersection(begun) and (rest[0].startswith("-") or COUNT.fullmatch(rest[0]) or begun[-1] in VALUED))
    ):
        begun.append(rest.pop(0))
    return begun, rest


def _lists(words: Iterable[str]) -> bool:
    _, command = _begun(list(words))
    if command[:1] == ["git"]:
        return bool(GIT_LISTS.intersection(command))
    return bool(command) and command[0] in LISTS
