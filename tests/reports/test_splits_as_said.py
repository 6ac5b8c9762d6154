"""Every entry of a split is a task, every order in it holds, every path keeps its meaning; or the entry is named back.

The decomposition is the quest document's own, with what pathseekers put into it beside.
"""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from folkmoot.core.report import Report
from folkmoot.core.vocabulary.plans import TASK_NAMES, task_field
from folkmoot.errors import Invalid
from folkmoot.reports.read import read_report
from tests.documents import QUEST_LONG, SHARED, TASKS

View = dict[str, Any]
FIRST, SECOND = TASKS["codeweaver-1"], TASKS["codeweaver-2"]
SIGNED = {**QUEST_LONG, "agentType": "pathseeker", "status": "complete", "output": {}, "blockers": "none"}


def read(said: View) -> Report:
    return read_report(json.dumps(said))


def refused(said: View) -> str:
    with pytest.raises(Invalid) as caught:
        read(said)
    return str(caught.value)


@pytest.mark.ledger("Q-04", "Q-07")
@pytest.mark.parametrize("signed", [{}, SIGNED], ids=["bare", "signed"])
@pytest.mark.parametrize(
    ("entry", "title", "files"),
    [
        ({"task": "User can log out"}, "User can log out", []),
        ({"task": "User can log out", "file": "src/auth/logout.ts"}, "User can log out", ["src/auth/logout.ts"]),
        (
            {"task": "User can log out", "filesCreated": ["a.ts"], "filesModified": ["b.ts"]},
            "User can log out",
            ["a.ts", "b.ts"],
        ),
        ({"description": "User can log out"}, "User can log out", []),
        ("User can log out", "User can log out", []),
        ({"title": "User can log out", "files": {"create": ["a.ts"], "modify": ["b.ts"]}}, None, ["a.ts", "b.ts"]),
    ],
)
def test_an_entry_in_another_shape_is_a_task_all_the_same(
    signed: View, entry: Any, title: str | None, files: list[str]
) -> None:
    report = read({**signed, **TASKS, "codeweaver-3": entry})
    assert report.outcome == "split"
    assert [task.key for task in report.tasks] == ["codeweaver-1", "codeweaver-2", "codeweaver-3"]
    assert (report.tasks[2].title, report.tasks[2].files) == (title or "User can log out", files)


@pytest.mark.ledger("Q-04", "R-32")
@pytest.mark.parametrize(
    "entry", [[{"task": "a", "files": ["a.ts"]}], ["a.ts"], 7, None, {}, {"files": ["a.ts"]}, {"task": {"a": 1}}]
)
@pytest.mark.parametrize("nested", [False, True])
def test_an_entry_that_is_no_task_is_named_back(entry: Any, nested: bool) -> None:
    said = {**TASKS, "codeweaver-3": entry}
    assert "codeweaver-3: " in refused({**SIGNED, "output": {"taskDecomposition": said}} if nested else said)


@pytest.mark.ledger("Q-04")
@pytest.mark.parametrize(
    "said",
    [
        {"codeweaver-1": {"description": "a form"}, "codeweaver-2": {"description": "a mail"}},
        {"codeweaver-1": "a form", "codeweaver-2": "a mail"},
        {"codeweaver-1": {"task": "a form"}, "codeweaver-2": "a mail"},
    ],
)
def test_a_split_without_any_files_is_a_split(said: View) -> None:
    report = read({**SIGNED, **said})
    assert (report.outcome, [task.title for task in report.tasks]) == ("split", ["a form", "a mail"])


@pytest.mark.parametrize(
    "beside",
    [
        {"issue-1": {"description": "a b", "file": "x"}, "issue-2": {"description": "c", "file": "x"}},
        {"python-3": "all green"},
        {"phase1": "mapped", "phase2": "written"},
        {"tests": {"total": 2, "passed": 2}},
    ],
)
def test_numbered_names_that_are_no_tasks_split_nothing(beside: View) -> None:
    assert read({**QUEST_LONG, "status": "complete", "blockers": "none", **beside}).outcome == "done"


@pytest.mark.ledger("Q-07", "Q-04")
@pytest.mark.parametrize("name", ["taskDecomposition", "task_decomposition", "decomposition", "tasks", "subtasks"])
@pytest.mark.parametrize("shape", [TASKS, [*TASKS.values()], {"tasks": [*TASKS.values()], **SHARED}, {"tasks": TASKS}])
@pytest.mark.parametrize("in_output", [True, False])
def test_a_nested_decomposition_is_the_split(name: str, shape: Any, in_output: bool) -> None:
    inner = {name: shape, "observableActions": ["User can register with email"]}
    report = read({**SIGNED, "output": inner} if in_output else {**SIGNED, **inner})
    assert report.outcome == "split"
    assert [(task.title, task.files) for task in report.tasks] == [(t["task"], t["files"]) for t in TASKS.values()]
    assert len(report.contracts) == (2 if isinstance(shape, dict) and "sharedTypes" in shape else 0)


@pytest.mark.ledger("Q-06")
@pytest.mark.parametrize(
    "order",
    [
        {"depends_on": "codeweaver-1"},
        {"dependsOn": ["codeweaver-1"]},
        {"depends": ["Codeweaver 1"]},
        {"requires": ["codeweaver-1"]},
        {"needs": "User can register with email"},
        {"blockedBy": ["codeweaver-1"]},
        {"blocked_by": "`codeweaver-1`"},
        {"after": "codeweaver-1"},
        {"after": [{"task": "codeweaver-1"}]},
        {"prerequisites": "codeweaver-1"},
        {"execution": "sequential"},
        {"execution": "after codeweaver-1"},
        {"parallel": False},
        {"canRunInParallel": "no"},
        {"sequential": True},
        {"sequential": "yes"},
        {"exclusive": "true"},
    ],
)
@pytest.mark.parametrize("form", ["keyed", "listed", "canonical"])
def test_an_order_of_a_task_holds_under_each_of_its_names(order: View, form: str) -> None:
    tasks = {"codeweaver-1": FIRST, "codeweaver-2": {**SECOND, **order}}
    listed = [{"key": key, **task} for key, task in tasks.items()]
    said = {"keyed": tasks, "listed": {"tasks": listed}, "canonical": {"outcome": "split", "tasks": listed}}[form]
    report = read(said)
    assert [task.after for task in report.tasks] == [[], ["codeweaver-1"]]
    assert not any(task.more for task in report.tasks)


@pytest.mark.ledger("Q-06")
@pytest.mark.parametrize(
    ("order", "after"),
    [
        ({"execution": "sequential"}, [[], ["codeweaver-1"]]),
        ({"parallel": False}, [[], ["codeweaver-1"]]),
        ({"executionOrder": ["codeweaver-2", "codeweaver-1"]}, [["codeweaver-2"], []]),
        ({"execution_order": "codeweaver-2 -> codeweaver-1"}, [["codeweaver-2"], []]),
        ({"executionOrder": [["codeweaver-1"], ["codeweaver-2"]]}, [[], ["codeweaver-1"]]),
        ({"phases": {"phase 1": ["codeweaver-2"], "phase 2": ["codeweaver-1"]}}, [["codeweaver-2"], []]),
        ({"dependencies": {"codeweaver-2": ["codeweaver-1"]}}, [[], ["codeweaver-1"]]),
        ({"dependencies": [{"task": "codeweaver-2", "dependsOn": ["codeweaver-1"]}]}, [[], ["codeweaver-1"]]),
        ({"execution": "parallel"}, [[], []]),
        ({"parallel": True}, [[], []]),
        ({"dependencies": "none"}, [[], []]),
    ],
)
def test_an_order_of_the_whole_split_holds(order: View, after: list[list[str]]) -> None:
    for said in (
        {**TASKS, **order},
        {**SIGNED, "output": {**TASKS, **order}},
        {**SIGNED, "output": {"taskDecomposition": {**TASKS, **order}}},
    ):
        assert [task.after for task in read(said).tasks] == after


@pytest.mark.ledger("Q-06", "R-32")
@pytest.mark.parametrize(
    ("task", "whole", "key"),
    [
        ({"requires": ["bcrypt"]}, {}, "`requires`"),
        ({"execution": "when the moon is full"}, {}, "`execution`"),
        ({"runOnlyAfterDeploy": True}, {}, "`runOnlyAfterDeploy`"),
        ({"parallelismLevel": 3}, {}, "`parallelismLevel`"),
        ({"order": 2}, {}, "`order`"),
        ({}, {"executionOrder": "first the database"}, "`executionOrder`"),
        ({}, {"executionOrder": ["codeweaver-1", "codeweaver-9"]}, "`executionOrder`"),
        ({}, {"blockingRules": "two first"}, "`blockingRules`"),
        ({}, {"dependencies": [{"from": "codeweaver-1", "to": "codeweaver-2"}]}, "`dependencies`"),
        ({}, {"dependencies": [["codeweaver-1", "codeweaver-2"]]}, "`dependencies`"),
    ],
)
def test_an_order_that_is_not_understood_is_asked_back_by_its_name(task: View, whole: View, key: str) -> None:
    words = refused({"codeweaver-1": FIRST, "codeweaver-2": {**SECOND, **task}, **whole})
    assert key in words and (not task or "codeweaver-2" in words)


@pytest.mark.ledger("Q-04")
def test_what_is_said_of_a_task_under_a_name_that_nobody_knows_stays_with_the_task() -> None:
    report = read({**TASKS, "codeweaver-2": {**SECOND, "estimate": "2h", "tools": ["jest"], "empty": None}})
    assert [task.more for task in report.tasks] == [{}, {"estimate": "2h", "tools": ["jest"]}]
    assert report.extra == {}


def test_the_form_itself_names_an_unknown_field_of_a_task_back() -> None:
    words = refused({"outcome": "split", "tasks": [{"title": "a"}, {"titel": "b", "depends_on": "a"}]})
    assert "tasks[2]: unknown field `titel`, did you mean 'title'" in words


@pytest.mark.ledger("Q-03")
@pytest.mark.parametrize("files", [[], None, "", [" "]])
@pytest.mark.parametrize("form", ["keyed", "canonical"])
def test_files_that_name_none_are_asked_back(files: Any, form: str) -> None:
    second = {"key": "codeweaver-2", **SECOND, "files": files}
    said = {**TASKS, "codeweaver-2": second}
    words = refused(said if form == "keyed" else {"outcome": "split", "tasks": [{"title": "a"}, second]})
    assert "`files` is" in words and "leave `files` out" in words


@pytest.mark.ledger("Q-03")
@pytest.mark.parametrize(
    ("files", "paths", "told"),
    [
        (["src/auth/reset.ts:10-20"], ["src/auth/reset.ts"], ["src/auth/reset.ts:10-20"]),
        (["src/auth/reset.ts:10", "src/b.ts#L3-L9"], ["src/auth/reset.ts", "src/b.ts"], None),
        (["`src/auth/reset.ts`", "'src/b.ts'"], ["src/auth/reset.ts", "src/b.ts"], []),
        ("`src/auth/reset.ts`, `src/b.ts`", ["src/auth/reset.ts", "src/b.ts"], []),
        (["src/auth/**", "src/mail/**/*", "src/x/*"], ["src/auth/", "src/mail/", "src/x/"], []),
        (["app/[id]/page.tsx", "src/(group)/a.ts"], ["app/[id]/page.tsx", "src/(group)/a.ts"], []),
    ],
)
def test_a_path_is_understood_through_its_marks(files: Any, paths: list[str], told: list[str] | None) -> None:
    task = read({"codeweaver-1": {**FIRST, "files": files}}).tasks[0]
    assert task.files == paths
    assert task.more.get("files", []) == (files if told is None else told), "its lines are for its agent"


@pytest.mark.ledger("Q-03")
def test_the_files_of_a_report_are_understood_in_the_same_way() -> None:
    output = {"filesCreated": ["`src/a.ts`"], "filesModified": ["src/b.ts:10-20"]}
    report = read({**QUEST_LONG, "status": "complete", "blockers": "none", "output": output})
    assert (report.files.created, report.files.modified) == (["src/a.ts"], ["src/b.ts"])


@pytest.mark.ledger("Q-05")
@pytest.mark.parametrize(
    "said",
    [
        {"interfaces": {"User": "id and mail"}},
        {"interfaces": ["User: id and mail"]},
        {"contracts": {"User": "id and mail"}},
        {"contracts": [{"name": "User", "text": "id and mail"}]},
        {"contracts": [{"User": "id and mail"}]},
        {"interfaceContracts": {"User": "id and mail"}},
        {"interface_contracts": [{"name": "User", "definition": "id and mail"}]},
        {"sharedTypes": {"User": "id and mail"}},
        {"sharedTypes": {"User": "id and mail"}, "interfaces": ["User"]},
    ],
)
@pytest.mark.parametrize("place", ["whole", "output", "decomposition", "task"])
def test_contracts_are_heard_under_each_of_their_names(said: View, place: str) -> None:
    whole: View = {
        "whole": {**SIGNED, **TASKS, **said},
        "output": {**SIGNED, "output": {**TASKS, **said}},
        "decomposition": {**SIGNED, "output": {"taskDecomposition": {**TASKS, **said}}},
        "task": {**TASKS, "codeweaver-1": {**FIRST, **said}},
    }[place]
    report = read(whole)
    assert [(one.name, one.text) for one in report.contracts] == [("User", "id and mail")]
    assert [task.contracts for task in report.tasks] == [["User"] if place == "task" else [], []]


@pytest.mark.ledger("Q-05")
def test_a_signature_is_one_name_of_a_contract() -> None:
    report = read({**TASKS, "sharedTypes": ["find(id: string): User", "User: id"]})
    assert [(one.name, one.text) for one in report.contracts] == [("find(id: string): User", ""), ("User", "id")]


@given(st.sampled_from(sorted((field, name) for field, names in TASK_NAMES.items() for name in names)))
def test_every_name_of_a_field_is_found_in_any_spelling(pair: tuple[str, str]) -> None:
    field, name = pair
    first, *rest = name.split()
    for spelling in (name, name.replace(" ", "_"), name.title(), first + "".join(word.title() for word in rest)):
        assert task_field(spelling) == field


APART = [
    {"executionOrder": ["codeweaver-2", "codeweaver-1"]},
    {"dependencies": {"codeweaver-2": ["codeweaver-1"]}},
    {"fileOwnership": {"codeweaver-1": ["a.ts"]}},
    {"task": "User can log in", "files": ["src/login.ts"]},
    {"action": "dispatch_agent", "agent": "siegemaster", "task": "test both"},
    {"subAgents": [{"task": "look"}]},
]


@pytest.mark.ledger("Q-04", "R-32")
@pytest.mark.parametrize("said", APART, ids=str)
@pytest.mark.parametrize("around", ["{tasks}\n{apart}", "```json\n{apart}\n```\n\n```json\n{tasks}\n```"])
def test_an_object_beside_the_tasks_that_is_about_them_is_asked_back(said: View, around: str) -> None:
    text = around.replace("{tasks}", json.dumps(TASKS)).replace("{apart}", json.dumps(said))
    with pytest.raises(Invalid, match="apart from the tasks"):
        read_report(text)


@pytest.mark.ledger("Q-07")
@pytest.mark.parametrize("report", [TASKS, {"status": "complete", "report": "form built"}], ids=["split", "done"])
def test_an_object_that_is_no_report_is_kept_beside_it(report: View) -> None:
    said = read_report(f'{json.dumps(report)}\n\nThe server says {{"note": "mind the routes"}} at the end.')
    assert said.extra["words beside the report"] == 'The server says {"note": "mind the routes"} at the end.'
    quoted = read_report(f'{json.dumps(report)}\n\n> {{"note": "mind the routes"}}')
    assert "words beside the report" not in quoted.extra


@pytest.mark.ledger("Q-07", "R-32")
def test_a_label_before_what_is_told_already_is_kept() -> None:
    report = {"status": "failed", "report": "The mail"}
    assert read_report(f"Missing: the mail\n\n{json.dumps(report)}").extra["words beside the report"]
    assert "words beside the report" not in read_report(f"Summary: the mail\n\n{json.dumps(report)}").extra


@pytest.mark.ledger("Q-05")
@pytest.mark.parametrize(
    ("own", "names"),
    [
        ({"contract": "must export foo"}, ["User", "Auth", "must export foo"]),
        ({"contracts": ["must export foo"]}, ["User", "Auth", "must export foo"]),
        ({"interfaces": ["foo: exported"]}, ["User", "Auth", "foo"]),
        ({"contracts": [{"name": "foo", "text": "exported"}]}, ["User", "Auth", "foo"]),
        ({"contracts": {"foo": "exported"}}, ["User", "Auth", "foo"]),
        ({"contracts": ["User"]}, ["User"]),
        ({"contracts": ["user", "must export foo"]}, ["user", "must export foo"]),
    ],
)
def test_a_contract_of_one_task_takes_none_of_the_shared_ones_from_it(own: View, names: list[str]) -> None:
    shared = {"User": "id", "Auth": "ok"}
    tasks = {**TASKS, "codeweaver-1": {**FIRST, **own}}
    assert read({**SIGNED, **tasks, "sharedTypes": shared}).tasks[0].contracts == names
    form = {"outcome": "split", "tasks": [{"title": "A1", **own}, {"title": "A2"}], "contracts": shared}
    assert [task.contracts for task in read(form).tasks] == [names, []]


@pytest.mark.ledger("Q-04", "Q-05")
@pytest.mark.parametrize("apart", [SHARED, {"sharedDependencies": SHARED}], ids=["beside", "wrapped"])
def test_what_tasks_share_is_taken_beside_an_outcome_as_without_one(apart: View) -> None:
    tasks = {"tasks": [FIRST, SECOND]}
    said = read({"outcome": "split", **tasks, **apart})
    bare = read({**tasks, **SHARED})
    assert (said.outcome, said.tasks) == ("split", bare.tasks)
    assert said.contracts == bare.contracts and [one.name for one in said.contracts] == list(SHARED["sharedTypes"])
    assert said.integration_points == bare.integration_points == SHARED["integrationPoints"]


@pytest.mark.ledger("Q-05")
def test_what_tasks_share_is_joined_with_the_contracts_of_the_form_and_nothing_of_it_is_lost() -> None:
    own = {"contracts": [{"name": "Token", "text": "a uuid"}], "integration_points": {"mail": "both send"}}
    said = read({"outcome": "split", "tasks": [FIRST, SECOND], **own, **SHARED})
    assert [one.name for one in said.contracts] == ["Token", *SHARED["sharedTypes"]]
    assert said.integration_points == {**SHARED["integrationPoints"], "mail": "both send"}
    assert "sharedTypes: unknown field" in refused({"outcome": "split", "tasks": [FIRST], "sharedTypes": [1]})
