"""One entry of a split as a task. Nothing of it is dropped: it is a field, an order, told to its agent, or a fault."""

from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from folkmoot.core.report import Contract, Task
from folkmoot.core.rules.children.ordering import Wish, name_of, names_of, resolved
from folkmoot.core.vocabulary.lines import as_path, names_no_path, paths_in
from folkmoot.core.vocabulary.plans import is_only_a_word, says_unwritten, smells_of_order, task_field
from folkmoot.core.vocabulary.words import plain
from folkmoot.reports.canonical import did_you_mean, shown
from folkmoot.reports.splits.shared import as_text, contracts_in

TITLE_MAX = 300
FIELDS = ("title", "key", "body", "agent", "files", "after", "contracts", "spec", "constraints", "more")


# What the document gives each agent that it spawns, and no field of a task has: its agent is told it as it stands.
_SPAWNED = ("project context", "escape hatch")


class Read(Struct):
    """The tasks that were read, the orders and contracts that they say, and what was wrong."""

    tasks: list[Task] = field(default_factory=list)
    wishes: list[Wish] = field(default_factory=list)
    contracts: list[Contract] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def read_entries(entries: list[tuple[str | None, Any]], *, strict: bool = False) -> Read:
    """Every entry as a task, or a fault that names it. `strict`: a name that nobody knows is a fault as well."""
    read = Read()
    for number, (key, part) in enumerate(entries, start=1):
        where = key or f"tasks[{number}]"
        if isinstance(part, str) and part.strip():
            read.tasks.append(_from_words(key, part.strip()))
        elif isinstance(part, dict) and part:
            _Entry(read, where, key, part, strict).read()
        else:
            form = '{"task": "what is to be done", "files": ["…"]}'
            more = "; give each of several a name of its own" if isinstance(part, list) else ""
            read.faults.append(f"{where}: {shown(part)} is no task: write it as {form}{more}")
    return read


def _from_words(key: str | None, words: str) -> Task:
    title = words.splitlines()[0][:TITLE_MAX]
    return Task(title=title, key=key, body=words if words != title else "")


def _flat(part: dict[str, Any]) -> list[tuple[str, Any]]:
    """The fields of an entry. `constraints` by name are files and an order, as the document has them, or what holds."""
    found: list[tuple[str, Any]] = []
    for name, value in part.items():
        if task_field(name) != "constraints" or not isinstance(value, dict):
            found.append((name, value))
            continue
        for inner, told in value.items():
            own = inner in FIELDS or task_field(inner) in ("files", "after", "before", "alone", "contracts")
            found.append((inner, told) if own else (name, f"{inner}: {as_text(told)}"))
    return found


class _Entry:
    """The fields of one entry while they are read."""

    def __init__(self, read: Read, where: str, key: str | None, part: dict[str, Any], strict: bool) -> None:
        self.all, self.where, self.key, self.strict = read, where, key, strict
        self.said: dict[str, list[tuple[str, Any]]] = {}
        self.more: dict[str, Any] = {}
        for name, value in _flat(part):
            known = name if name in FIELDS else task_field(name)
            if known == "more" and isinstance(value, dict):
                self.more |= value
            elif known is None or known == "more" or (known == "rank" and is_only_a_word(name, value)):
                self._unknown(name, value)
            else:
                self.said.setdefault(known, []).append((name, value))

    def read(self) -> None:
        words = [*self._texts("title"), *self._texts("body")]
        if not words and not self.strict:
            self._fault("it does not say what is to be done: say it in `task`")
            return
        title, *rest = words or [""]
        first = title.strip().splitlines()[0] if title.strip() else ""
        from_body = not self.said.get("title")
        if from_body and (first != title.strip() or len(first) > TITLE_MAX):
            title, rest = first[:TITLE_MAX], words
        keys, agents, specs = self._texts("key"), self._texts("agent"), self._texts("spec")
        self._contracts = [one for _, value in self.said.get("contracts", []) for one in contracts_in(value)]
        task = Task(
            title=title,
            key=keys[0] if keys else self.key,
            body="\n\n".join(dict.fromkeys(rest)),
            agent=agents[0] if agents else None,
            files=self._files(),
            after=self._after(),
            contracts=list(dict.fromkeys(one.name for one in self._contracts)),
            spec=specs[0] if specs else None,
            constraints=self._listed("constraints"),
            more=self.more,
        )
        self.all.tasks.append(task)
        self.all.contracts += [one for one in self._contracts if one.text]
        for known in ("after", "before", "alone", "rank"):
            told = [(name, value) for name, value in self.said.get(known, []) if name != "after"]
            self.all.wishes += [Wish(name, _named(value), name_of(task)) for name, value in told]

    def _unknown(self, name: str, value: Any) -> None:
        if smells_of_order(name):
            hint = "an order of tasks is said in `after`, with the keys of those that come before"
            self._fault(f"nobody knows `{name}` ({shown(value)}): {hint}")
        elif self.strict and plain(name) not in _SPAWNED:
            near = did_you_mean(name, list(FIELDS))
            self._fault(f"unknown field `{name}`{near}; its fields are {', '.join(FIELDS)}")
        elif value not in (None, "", [], {}):
            self.more[name] = value

    def _fault(self, words: str) -> None:
        self.all.faults.append(f"{self.where}: {words}")

    def _texts(self, known: str) -> list[str]:
        found = []
        for name, value in self.said.get(known, []):
            if isinstance(value, str | int | float) and not isinstance(value, bool):
                found += [str(value)] if str(value).strip() else []
            elif isinstance(value, list) and known == "body" and all(isinstance(part, str) for part in value):
                found.append("\n".join(f"- {part}" for part in value))
            elif value is not None:
                self._fault(f"{name}: {shown(value)} is not a text")
        return found

    def _listed(self, known: str) -> list[str]:
        """Texts of all names of a field: one or several each, or by what is to be done with them."""
        found: list[str] = []
        for name, value in self.said.get(known, []):
            by_use = isinstance(value, dict) and known == "files"
            for use in value if by_use else ():
                if says_unwritten(str(use)):
                    words = f"`{use}` of `{name}` names what it does not write, and a task owns its `{name}`"
                    self._fault(f"{words}: say that in `body`")
            parts = list(value.values()) if by_use else [value]
            parts = [one for part in parts for one in (part if isinstance(part, list) else [part])]
            if all(isinstance(part, str) for part in parts):
                found += [part for part in parts if part.strip()]
            elif value is not None:
                self._fault(f"{name}: {shown(value)} is not a list of texts")
        return found

    def _files(self) -> list[str]:
        """A task that names its files owns them. One that says `files` and names none says that it owns nothing, or
        forgot them: that is asked, since without files it could write whatever nobody holds."""
        said = self.said.get("files", [])
        told = self._listed("files")
        paths = paths_in(told)
        for one in filter(names_no_path, paths):
            self._fault(f"{shown(one)} is the path of no file: name the files that it alone may write, or their folder")
        if said and not paths and not any(fault.startswith(f"{self.where}: ") for fault in self.all.faults):
            name, value = said[0]
            self._fault(f"`{name}` is {shown(value)}: name the files that it alone may write; if nobody can know them ")
            self.all.faults[-1] += f"beforehand, leave `{name}` out"
        as_said = [path for path in told if as_path(path) != path and as_path(path) in paths]
        if any(sign in path.strip() for path in as_said for sign in ":# "):
            self.more["files"] = told  # also the lines in them, and what is said of them
        return list(dict.fromkeys(paths))

    def _after(self) -> list[str]:
        found: list[str] = []
        for name, value in self.said.get("after", []):
            if name != "after" or value is None:
                continue
            parts = _named(value) if isinstance(value, list) else [_named(value)]
            if all(isinstance(part, str | int) and not isinstance(part, bool) for part in parts):
                found += [str(part) for part in parts]
            else:
                self._fault(f"{name}: {shown(value)} is not a list of texts")
        return found


def _named(value: Any) -> Any:
    """Tasks that are named by an object each."""
    if isinstance(value, list):
        return [_named(part) for part in value]
    if not isinstance(value, dict):
        return value
    named = [inner for name, inner in value.items() if task_field(name) in ("title", "key")]
    return named[0] if len(named) == 1 and len(value) == 1 else value


def with_owners(tasks: list[Task], owners: dict[str, Any]) -> tuple[list[Task], list[str]]:
    """The tasks with the files that the split assigns beside them, by task or by file; what is not understood is a
    fault, since a task without files could write whatever nobody holds."""
    keys, faults = names_of(tasks), []
    own: dict[str, list[str]] = {}
    for name, said in owners.items():
        given = _owned(said, keys)
        if given is None:
            known = ", ".join(repr(key) for key in dict.fromkeys(keys.values()))
            words = f"`{name}` says who owns which files, and is not understood ({shown(said)})"
            faults.append(
                f"{words}: write them as `files` of each task, or by the keys of the tasks; these are {known}"
            )
        for key, path in given or []:
            own.setdefault(key, []).append(path)
    files = {key: list(dict.fromkeys(paths)) for key, paths in own.items()}
    return [
        replace(task, files=list(dict.fromkeys([*task.files, *files.get(name_of(task), [])]))) for task in tasks
    ], faults


def _owned(said: Any, keys: dict[str, str]) -> list[tuple[str, str]] | None:
    """Each file with the key of its task: `{task: files}` or `{file: task}`; None if that is not all that is said."""
    found: list[tuple[str, str]] = []
    for left, right in said.items() if isinstance(said, dict) else [("", None)]:
        named = resolved([str(left)], keys)
        files: list[str] = [path for path in (right if isinstance(right, list) else [right]) if isinstance(path, str)]
        if isinstance(right, list) and len(files) < len(right):
            return None
        if not all(name in keys for name in named):
            named, files = resolved(files, keys), [str(left)]
        paths = paths_in(files)
        if not paths or len(named) != 1 or named[0] not in keys:
            return None
        found += [(keys[named[0]], path) for path in paths]
    return found
