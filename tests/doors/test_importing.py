"""Lists of other tools: what we have a place for is kept, the rest is named; nothing begins, and none comes twice."""

import json
import os
import shutil
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from folkmoot.doors.bulk_add import read_many
from folkmoot.doors.importing.adding import in_order
from folkmoot.doors.importing.backlog import read_backlog
from folkmoot.doors.importing.beads import read_beads
from folkmoot.doors.importing.found import Found, Thing
from folkmoot.errors import Invalid
from tests.doors.conftest import Moot

ISSUES: list[dict[str, Any]] = [
    {
        "id": "shop-a3f2",
        "title": "Checkout",
        "description": "The whole way to pay.",
        "status": "open",
        "priority": 1,
        "issue_type": "epic",
        "labels": ["backend"],
        "created_at": "2026-01-15T10:30:00Z",
        "updated_at": "2026-01-15T10:30:00Z",
    },
    {
        "id": "shop-a3f2.1",
        "title": "Cart loses items",
        "description": "After a reload.",
        "design": "Keep it in the session.",
        "acceptance_criteria": "A reload keeps all.",
        "status": "in_progress",
        "priority": 0,
        "issue_type": "bug",
        "assignee": "ada",
        "estimated_minutes": 60,
        "dependencies": [
            {"issue_id": "shop-a3f2.1", "depends_on_id": "shop-a3f2", "type": "parent-child"},
            {"issue_id": "shop-a3f2.1", "depends_on_id": "shop-b1", "type": "blocks"},
            {"issue_id": "shop-a3f2.1", "depends_on_id": "shop-c9", "type": "discovered-from"},
        ],
    },
    {"id": "shop-b1", "title": "Sessions", "status": "closed", "priority": 2, "issue_type": "task"},
    {
        "id": "shop-c9",
        "title": "Tidy prices",
        "status": "open",
        "priority": 4,
        "issue_type": "chore",
        "dependencies": [{"issue_id": "shop-c9", "depends_on_id": "shop-a3f2.1", "type": "blocks"}],
    },
    {"id": "shop-d0", "title": "gone", "status": "tombstone", "priority": 2, "issue_type": "task"},
    {"id": "shop-e0", "title": "mail", "status": "open", "priority": 2, "issue_type": "message"},
]
TASKS = {
    "master": {
        "tasks": [
            {
                "id": 1,
                "title": "Set up",
                "description": "A repository.",
                "status": "done",
                "dependencies": [],
                "priority": "high",
                "subtasks": [],
            },
            {
                "id": 2,
                "title": "Log in",
                "description": "By mail.",
                "details": "Use a link.",
                "testStrategy": "Follow it twice.",
                "status": "pending",
                "dependencies": [1],
                "priority": "high",
                "complexity": 7,
                "subtasks": [
                    {"id": 1, "title": "Send the mail", "status": "pending", "dependencies": []},
                    {"id": 2, "title": "Take the link", "status": "pending", "dependencies": [1]},
                ],
            },
            {"id": "3", "title": "Log out", "status": "deferred", "dependencies": ["2.2"], "priority": "low"},
        ],
        "metadata": {"created": "2026-01-01T00:00:00Z", "description": "Tasks for master context"},
    },
    "later": {"tasks": [{"id": 1, "title": "Dark colours", "status": "pending", "dependencies": []}]},
}
MARKDOWN = {
    "task-1 - Set-up.md": "---\nid: TASK-1\ntitle: 'Set up: all'\nstatus: Done\n---\n",
    "task-2 - Log-in.md": (
        "---\nid: task-2\ntitle: Log in by mail\nstatus: In Progress\nassignee: ['@ada']\nlabels:\n  - auth\n  - web\n"
        "dependencies: [TASK-1]\npriority: high\nmilestone: v1\n---\n\n## Description\n\n"
        "<!-- SECTION:DESCRIPTION:BEGIN -->\nUsers get a link.\n<!-- SECTION:DESCRIPTION:END -->\n"
    ),
    "task-2.1 - Mail.md": "---\nid: task-2.1\ntitle: Send it\nstatus: To Do\nparent_task_id: TASK-2\n---\nSend it.\n",
    "task-3 - Out.md": "---\nid: task-3\ntitle: Log out\nstatus: To Do\ndependencies:\n  - task-2\n  - task-99\n---\n",
    "notes.md": "# Only words\n",
}


@pytest.fixture
def board(nowhere: Moot) -> Moot:
    nowhere("init")
    folder = nowhere.folder
    (folder / ".beads").mkdir()
    (folder / ".beads" / "issues.jsonl").write_text("".join(json.dumps(issue) + "\n" for issue in ISSUES))
    (folder / "tasks.json").write_text(json.dumps(TASKS))
    (folder / "backlog" / "tasks").mkdir(parents=True)
    for name, text in MARKDOWN.items():
        (folder / "backlog" / "tasks" / name).write_text(text)
    return nowhere


def items(board: Moot) -> dict[str, dict[str, Any]]:
    shown = board.json("list")["items"]
    return {item["title"]: board.json("show", item["id"]) for item in shown}


def test_beads_keeps_links_priorities_labels_and_texts(board: Moot) -> None:
    told = board.json("add", "--from", "beads:.beads/issues.jsonl")
    got = items(board)
    whole, cart, tidy = got["Checkout"], got["Cart loses items"], got["Tidy prices"]
    assert list(got) == ["Checkout", "Cart loses items", "Tidy prices"]
    assert (cart["priority"], cart["type"], cart["parent"]) == ("critical", "bugfix", whole["id"])
    assert (tidy["priority"], tidy["type"], tidy["after"]) == ("low", "refactor", [cart["id"]])
    assert whole["tags"] == ["beads:shop-a3f2", "backend"] and whole["priority"] == "high"
    assert cart["body"] == (
        "After a reload.\n\n## Design\n\nKeep it in the session.\n\n## Acceptance criteria\n\nA reload keeps all."
    )
    assert told["left_out"] == [
        "a link of the kind discovered-from",
        "deleted (tombstone)",
        "done or given up there already",
        "of the type message, which is no work",
        "that it is in-progress: it begins anew",
        "the field assignee",
        "the field estimated_minutes",
    ]


def test_task_master_keeps_tasks_of_tasks_and_its_tags(board: Moot) -> None:
    told = board.json("add", "--from", "task-master:tasks.json")
    got = items(board)
    whole, mail, link, out = (got[name] for name in ("Log in", "Send the mail", "Take the link", "Log out"))
    assert mail["parent"] == link["parent"] == whole["id"] and link["after"] == [mail["id"]]
    assert out["after"] == [link["id"]] and out["priority"] == "low"
    assert whole["body"].startswith("By mail.\n\n## Details\n\nUse a link.\n\n## How to test it")
    assert got["Dark colours"]["tags"] == ["task-master:later/1", "later"]
    assert told["left_out"] == ["done or given up there already", "the field complexity"]


def test_a_folder_of_markdown_keeps_front_matter_and_text(board: Moot) -> None:
    told = board.json("add", "--from", "backlog")  # a folder is one of Markdown files
    got = items(board)
    whole, mail, out = got["Log in by mail"], got["Send it"], got["Log out"]
    assert whole["body"] == "## Description\n\nUsers get a link." and whole["priority"] == "high"
    assert whole["tags"] == ["backlog:task-2", "auth", "web"] and mail["parent"] == whole["id"]
    assert out["after"] == [whole["id"]]
    assert told["left_out"] == [
        "a file without front matter",
        "done or given up there already",
        "something to wait for that is not in the list: task-99",
        "that it is in-progress: it begins anew",
        "the field assignee",
        "the field milestone",
    ]


SOURCES = ["beads:.beads/issues.jsonl", "task-master:tasks.json", "backlog:backlog"]


@pytest.mark.parametrize("source", SOURCES)
def test_nothing_begins_by_itself_unless_that_is_asked(source: str, board: Moot) -> None:
    board("add", "--from", source)
    assert {item["status"] for item in items(board).values()} == {"parked", "waiting"}
    assert "Nothing begins by itself" not in board("add", "--from", source).out
    board("claim", "coder", code=3)
    board("answer", "q1", "yes")
    assert board.json("doctor")["ok"]


@pytest.mark.parametrize("source", SOURCES)
def test_with_start_what_can_begin_may(source: str, board: Moot) -> None:
    board("add", "--from", source, "--start")
    assert {item["status"] for item in items(board).values()} == {"ready", "waiting"}
    board("inbox", code=3)  # nothing is asked


@pytest.mark.parametrize("source", SOURCES)
def test_bringing_it_in_again_adds_only_what_is_new(source: str, board: Moot) -> None:
    first = board.json("add", "--from", source)
    again = board.json("add", "--from", source)
    assert again["items"] == [] and len(again["known"]) == len(first["items"]) > 0


def test_what_came_later_finds_its_links_and_what_was_changed_stays_as_it_is_here(board: Moot) -> None:
    board("add", "--from", "beads:.beads")
    changed = [{**ISSUES[0], "title": "Renamed there"}, *ISSUES[1:]]
    new = {"id": "shop-z1", "title": "Receipts", "status": "open", "dependencies": ["shop-c9"]}
    file = board.folder / ".beads" / "issues.jsonl"
    file.write_text("".join(json.dumps(issue) + "\n" for issue in [*changed, new]))
    assert [item["title"] for item in board.json("add", "--from", "beads:.beads")["items"]] == ["Receipts"]
    got = items(board)
    assert got["Receipts"]["after"] == [got["Tidy prices"]["id"]] and "Checkout" in got


ONE_STEP = "flow: one\nstart: dev\ncolumns: {dev: {agents: [dev], next: done}}\nagents: {dev: {write: none}}\n"


@pytest.mark.attack(
    "claims",
    "a list that is brought in again has a new task after one that is done here, and still open there",
    "it waits for a person like any other: nothing of a list begins by itself",
)
def test_what_comes_after_something_done_here_waits_for_a_person(nowhere: Moot) -> None:
    (nowhere.folder / ".moot").mkdir()
    (nowhere.folder / ".moot" / "flow.yaml").write_text(ONE_STEP)
    nowhere("init")
    file = nowhere.folder / "list.jsonl"
    file.write_text('{"id": "a", "title": "A"}\n')
    nowhere("add", "--from", "beads:list.jsonl")
    nowhere("answer", "q1", "yes")
    claim = nowhere.json("claim", "dev")
    nowhere("report", claim["run"], "--token", str(claim["token"]), "-", stdin='{"outcome": "done", "summary": "x"}')
    assert nowhere.json("show", "1")["status"] == "done"
    file.write_text(file.read_text() + '{"id": "b", "title": "B", "dependencies": ["a"]}\n')
    nowhere("add", "--from", "beads:list.jsonl")
    assert nowhere("claim", "dev", "--json", code=3).error["code"] == "nothing_ready"
    assert nowhere.json("show", "2")["status"] == "parked"


STRANGE = {
    "backlog:backlog": "backlog/tasks/strange.md",
    "backlog:.": "backlog/tasks",
    "beads:.": "issues.jsonl",
    "beads:other": "other/.beads/issues.jsonl",
    "task-master:other": "other/.taskmaster/tasks",
}


@pytest.mark.attack(
    "doors",
    "a list of another tool has links to the user's own files in it, or a pipe that never ends",
    "what lies below the folder that the user named is taken only if it is a file of its own; nothing is added",
)
@pytest.mark.parametrize("source", STRANGE)
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_a_list_has_files_of_its_own_alone(source: str, kind: str, board: Moot, tmp_path: Path) -> None:
    strange = board.folder / STRANGE[source]
    private = tmp_path / "private"
    private.mkdir()
    (private / "a.md").write_text("---\ntitle: private\n---\n")
    (private / "tasks.json").write_text('{"tasks": [{"id": 1, "title": "private"}]}')
    (private / "a.jsonl").write_text('{"id": "1", "title": "private"}\n')
    is_folder = not strange.suffix
    if is_folder and kind == "pipe":
        strange /= "strange.md" if source == "backlog:." else "tasks.json"
    elif is_folder and strange.is_dir():
        shutil.rmtree(strange)
    strange.parent.mkdir(parents=True, exist_ok=True)
    if kind == "link":
        strange.symlink_to(private if is_folder else private / f"a{strange.suffix}")
    else:
        os.mkfifo(strange)
    error = board("add", "--from", source, "--json", code=2).error
    assert "is no file of its own" in error["message"] and board.json("list")["items"] == []


@pytest.mark.attack(
    "doors",
    "a list of another tool is made so that reading it never ends: headings of blanks, everything after everything",
    "it is read in a time that grows with its size",
)
def test_a_list_is_read_in_a_time_that_grows_with_its_size(tmp_path: Path) -> None:
    began = time.process_time()
    (tmp_path / "a.md").write_text(f"---\nid: a\n---\n# {' ' * 50_000}x{' #' * 50_000}y\n")
    (tmp_path / "b.md").write_text("---\nid: b\n---\n# In C#\n")
    (tmp_path / "c.md").write_text("---\nid: c\n---\n## no\n#\n# Closed ##\n")
    _, second, third = read_backlog(str(tmp_path), "x").things
    assert (second.title, third.title) == ("In C#", "Closed")
    names = [str(number) for number in range(600)]
    issues = [{"id": name, "title": "t", "dependencies": [one for one in names if one != name]} for name in names]
    dense = read_beads("\n".join(map(json.dumps, issues)), "x")
    assert [thing.id for thing in in_order(dense)] == names[::-1]
    with pytest.raises(Invalid, match="lists no items"):
        read_many("\n" * 500_000 + "x", "list")
    assert time.process_time() - began < 30.0


@pytest.mark.parametrize("said", ["9" * 5_000, 10**400])
def test_a_priority_of_many_digits_is_named_and_medium(said: object, board: Moot) -> None:
    (board.folder / "x.jsonl").write_text(json.dumps({"id": "a", "title": "t", "priority": said}))
    if isinstance(said, str):
        assert "the priority '999" in board.json("add", "--from", "beads:x.jsonl")["left_out"][0]
    else:
        assert board("add", "--from", "beads:x.jsonl", "--json", code=2).error["code"] == "bad_file"


def test_all_files_of_a_folder_have_a_size_together(board: Moot) -> None:
    for number in range(3):
        (board.folder / "backlog" / "tasks" / f"{number}.md").write_text("---\nid: a\n---\n" + "x" * 9_000_000)
    error = board("add", "--from", "backlog:backlog", "--json", code=2).error
    assert "it has more than 20000000 bytes" in error["message"]


def test_two_at_once_add_each_once(board: Moot) -> None:
    answers: list[int] = []

    def bring() -> None:
        answers.append(board.process("add", "--from", "beads:.beads").returncode)

    threads = [threading.Thread(target=bring) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [0, 0, 0] and len(board.json("list")["items"]) == 3


@pytest.mark.parametrize(
    ("file", "text", "source", "said"),
    [
        ("x.jsonl", "{", "beads:x.jsonl", "line 1 is not JSON"),
        ("x.jsonl", '{"id": "a"}\n', "beads:x.jsonl", "line 1 is no issue of Beads"),
        ("x.jsonl", "\n", "beads:x.jsonl", "it lists no tasks"),
        ("x.jsonl", '{"id": "a", "title": "t"}\n' * 2, "beads:x.jsonl", "the id 'a' stands twice"),
        ("x.json", "[]", "task-master:x.json", "there is no `tasks` in it"),
        ("x.json", '{"tasks": [{"id": 1}]}', "task-master:x.json", "has no id or no title"),
        ("x.json", '{"tasks": [{"id": 1, "title": "a\\u0000"}]}', "task-master:x.json", "holds a NUL"),
        ("f/a.md", "---\nid: [\n---\n", "backlog:f", "line 3: this is not YAML"),
        ("f/a.md", "no front matter", "backlog:f", "it lists no tasks"),
        ("f/a.md", "x", "backlog:nowhere", "there is no such folder"),
        ("f/a.md", "x", "taskmaster:f", "of taskmaster no list is known"),
    ],
)
def test_a_list_that_cannot_be_read_adds_nothing(file: str, text: str, source: str, said: str, nowhere: Moot) -> None:
    nowhere("init")
    (nowhere.folder / file).parent.mkdir(exist_ok=True)
    (nowhere.folder / file).write_text(text)
    error = nowhere("add", "--from", source, "--json", code=2).error
    assert said in error["message"] and nowhere.json("list")["items"] == [], error


@pytest.mark.parametrize("words", [["--priority", "high"], ["--key", "k"], ["--start", "--parked"], ["--tag", "x"]])
def test_options_that_say_nothing_here_are_asked_back(words: list[str], board: Moot) -> None:
    assert board("add", "--from", "beads:.beads", *words, "--json", code=2).error["code"] == "bad_usage"


def test_start_belongs_to_the_list_of_another_tool(board: Moot) -> None:
    assert board("add", "One", "--start", "--json", code=2).error["code"] == "bad_usage"
    assert board.json("add", "One", "--parked")["status"] == "parked"


def ordered(*things: Thing) -> tuple[list[str], Found]:
    found = Found(tool="beads", source="x", things=list(things))
    return [thing.id for thing in in_order(found)], found


def test_links_that_would_let_two_wait_for_each_other_are_left_out_and_named() -> None:
    order, found = ordered(Thing(id="a", title="a", after=["b"]), Thing(id="b", title="b", after=["a"]))
    assert order == ["b", "a"] and list(found.left) == ["that b waits for a: they would wait for each other"]
    order, found = ordered(Thing(id="w", title="w"), Thing(id="p", title="p", parent="w", after=["w"]))
    assert order == ["w", "p"] and list(found.left) == ["that p waits for w: they would wait for each other"]
    order, found = ordered(Thing(id="a", title="a", parent="b"), Thing(id="b", title="b", parent="a"))
    assert sorted(order) == ["a", "b"] and len(found.left) == 1
    order, found = ordered(Thing(id="a", title="a", after=["a"]))
    assert order == ["a"]


def test_whatever_names_another_comes_after_it() -> None:
    order, found = ordered(
        Thing(id="p", title="p", parent="w"), Thing(id="w", title="w", after=["d"]), Thing(id="d", title="d")
    )
    assert order == ["d", "w", "p"] and not found.left


def test_a_part_that_others_wait_for_whom_its_whole_waits_for_is_named() -> None:
    order, found = ordered(
        Thing(id="w", title="w", after=["d"]),
        Thing(id="d", title="d", after=["p"]),
        Thing(id="p", title="p", parent="w"),
    )
    assert sorted(order) == ["d", "p", "w"] and len(found.left) == 1


def test_a_title_that_is_too_long_stands_whole_in_the_text() -> None:
    found = read_beads(json.dumps({"id": "a", "title": "x" * 600}), "x")
    assert len(found.things[0].title) == 500 and found.things[0].body == "x" * 600


def test_a_file_that_is_called_like_a_tool_is_the_file(board: Moot, tmp_path: Path) -> None:
    (board.folder / "beads:list.md").write_text("- one\n- two\n")
    assert len(board.json("add", "--from", "beads:list.md")["items"]) == 2
