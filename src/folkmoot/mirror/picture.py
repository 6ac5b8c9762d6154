"""The rows of the board in memory, folded from the log in commit order, and which files each event changes."""

from collections.abc import Iterable, Iterator
from typing import Any

from folkmoot.core.enums import ONE_SHOT_KINDS
from folkmoot.core.events import Event, evolve
from folkmoot.core.flow import Flow
from folkmoot.core.item import Item
from folkmoot.core.records import ORCHESTRATOR, Attempt, Comment, Hold, Message, Question, Run
from folkmoot.engine.reads.history import TABLES, Snapshot
from folkmoot.mirror import names

WORKER = "mirror"  # as which runs are claimed for agents that only write files


class Picture:
    def __init__(self, snapshot: Snapshot) -> None:
        self.seq = snapshot.seq
        self._tables: dict[str, dict[str, Any]] = {table: {} for table in TABLES}
        self._attempts: dict[str, dict[str, Attempt]] = {}
        self._comments: dict[str, dict[str, Comment]] = {}  # by the file they stand in
        self._said: dict[str, dict[str, Comment]] = {}  # by the item, those about an artifact
        self._stands: dict[str, set[tuple[str, str]]] = {}  # item -> files, and the artifact that each is beside
        self._children: dict[str, dict[str, None]] = {}
        self._runs: dict[str, dict[str, Run]] = {}
        self.open_runs: dict[str, Run] = {}
        self.open_questions: dict[str, Question] = {}
        self.artifacts: dict[str, dict[str, dict[str, None]]] = {}  # file -> artifact -> the items that have it
        self.last_handoff: str | None = None
        for table, rows in snapshot.tables.items():
            for row in rows:
                self._put(table, row)

    @property
    def flow(self) -> Flow:
        flows = self._tables["flows"]
        flow: Flow = flows[max(flows, key=int)].flow
        return flow

    @property
    def items(self) -> dict[str, Item]:
        return self._tables["items"]

    @property
    def messages(self) -> dict[str, Message]:
        return self._tables["messages"]

    @property
    def runs(self) -> dict[str, Run]:
        return self._tables["runs"]

    @property
    def holds(self) -> dict[str, Hold]:
        return self._tables["holds"]

    def attempts(self, item: str) -> list[Attempt]:
        return sorted(self._attempts.get(item, {}).values(), key=lambda attempt: attempt.number)

    def comments(self, file: str) -> list[Comment]:
        return sorted(self._comments.get(file, {}).values(), key=lambda comment: int(comment.id[1:]))

    def children(self, item: str) -> list[Item]:
        return [self.items[child] for child in sorted(self._children.get(item, ()), key=int)]

    def runs_of(self, item: str) -> list[Run]:
        return list(self._runs.get(item, {}).values())

    def fold(self, event: Event) -> Iterator[str]:
        """Take in an event; gives the keys of the files that it may change."""
        self.seq = event.seq
        for change in event.changes:
            if change.table in self._tables:
                row: Any = evolve(self._tables[change.table].get(change.id), change)
                yield from self._put(change.table, row)

    def keys(self, table: str, row_id: str) -> list[str]:
        """The keys of the files in which a row is shown."""
        row = self._tables.get(table, {}).get(row_id)
        if isinstance(row, Item):
            beside = [f"meta:{file}" for file, _ in self._stands.get(row.id, ())]
            return [f"item:{row.id}", f"quest:{row.top}", *beside]
        if isinstance(row, Run):
            return [f"quest:{self._top(row.item)}"]
        if isinstance(row, Attempt):
            return [f"item:{row.item}"]
        if isinstance(row, Comment):
            file = self._file_of(row)
            return [f"meta:{file}"] if file is not None else []
        return [f"message:{row_id}"] if isinstance(row, Message) else ["all"] if table == "flows" else []

    def _put(self, table: str, row: Any) -> Iterable[str]:
        before = self._tables[table].get(row.id)
        self._tables[table][row.id] = row
        if isinstance(row, Item):
            return self._put_item(row, before)
        if isinstance(row, Run):
            self._runs.setdefault(row.item, {})[row.id] = row
            self.open_runs.pop(row.id, None)
            if row.ended_at is None:
                self.open_runs[row.id] = row
            return [f"quest:{self._top(row.item)}"]
        if isinstance(row, Attempt):
            self._attempts.setdefault(row.item, {})[row.id] = row
            return [f"item:{row.item}"]
        if isinstance(row, Comment):
            return self._put_comment(row)
        if isinstance(row, Question):
            self.open_questions.pop(row.id, None)
            if row.state == "open":
                self.open_questions[row.id] = row
            return []
        if isinstance(row, Message):
            if before is None and row.to != ORCHESTRATOR:  # what is told to the rules hands nothing over
                self.last_handoff = row.id
            return [f"message:{row.id}"]
        return ["all"] if table == "flows" else []

    def _put_item(self, row: Item, before: Item | None) -> list[str]:
        if row.parent:
            self._children.setdefault(row.parent, {})[row.id] = None
        touched = [f"item:{row.id}", f"quest:{row.top}"]
        told = (row.artifacts, row.spec)
        if any(told) and (before is None or (before.artifacts, before.spec) != told):
            touched += self._place(row.id)
        return touched

    def _put_comment(self, row: Comment) -> list[str]:
        if row.artifact is None:
            return []
        self._said.setdefault(row.item, {})[row.id] = row
        touched = self._place(row.item)
        file = self._file_of(row)
        if file is not None:
            self._comments[file][row.id] = row
            touched.append(f"meta:{file}")
        return touched

    def _file_of(self, comment: Comment) -> str | None:
        made = self.items[comment.item].artifacts.get(comment.artifact or "") if comment.item in self.items else None
        return names.meta_path((made.path if made else None) or comment.artifact or "")

    def _place(self, item: str) -> list[str]:
        """In which files an item's artifacts and the comments on them stand: it may learn later where one lies."""
        row, said = self.items.get(item), self._said.get(item, {})
        made = row.artifacts if row is not None else {}
        wanted = {(names.meta_path(one.path or name), name) for name, one in made.items()}
        # Whoever disagrees with the spec says so beside it, also where nobody has called it an artifact.
        known = {file for file, _ in wanted}
        if row is not None and row.spec and row.kind not in ONE_SHOT_KINDS and names.meta_path(row.spec) not in known:
            wanted.add((names.meta_path(row.spec), row.spec))
        placed = {comment.id: self._file_of(comment) for comment in said.values()}
        wanted |= {(placed[one.id], one.artifact or "") for one in said.values()}
        before = self._stands.get(item, set())
        now = {(file, name) for file, name in wanted if file is not None}
        if now == before:
            return []
        self._stands[item] = now
        for file, name in before - now:
            self.artifacts[file][name].pop(item, None)
            for comment in said:
                self._comments[file].pop(comment, None)
        for file, name in now:
            self.artifacts.setdefault(file, {}).setdefault(name, {})[item] = None
            self._comments.setdefault(file, {})
        for one, place in placed.items():
            if place is not None:
                self._comments[place][one] = said[one]
        return [f"meta:{file}" for file, _ in before ^ now]

    def _top(self, item: str) -> str:
        """The quest that an item is part of."""
        found = self.items.get(item)
        return found.top if found is not None else item
