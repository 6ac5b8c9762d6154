"""Files of a task as pathseekers write them: what is one path, what is several, and what is said beside a path."""

import json

import pytest

from folkmoot.core.vocabulary.lines import paths_in
from folkmoot.errors import Invalid
from folkmoot.reports.read import read_report


@pytest.mark.ledger("Q-03")
@pytest.mark.parametrize(
    ("words", "paths"),
    [
        (["routes/auth.ts, src/r.ts"], ["routes/auth.ts", "src/r.ts"]),
        (["routes/auth.ts and src/r.ts"], ["routes/auth.ts", "src/r.ts"]),
        (["routes/auth.ts; src/r.ts, src/auth/"], ["routes/auth.ts", "src/r.ts", "src/auth/"]),
        (["routes/auth.ts (modify)", "src/r.ts (new file)"], ["routes/auth.ts", "src/r.ts"]),
        (["docs/salt and pepper.md"], ["docs/salt and pepper.md"]),
        (["notes/one, two"], ["notes/one, two"]),
        (["m/Makefile, m/Dockerfile"], ["m/Makefile", "m/Dockerfile"]),
        (["Makefile, src/a.py and LICENSE"], ["Makefile", "src/a.py", "LICENSE"]),
        (["bin/moot; bin/moot.py"], ["bin/moot", "bin/moot.py"]),
        (["src/(group)/page.tsx"], ["src/(group)/page.tsx"]),
        (["src/{a,b}.ts"], ["src/a.ts", "src/b.ts"]),
        (["src/{a, b}.{ts,test.ts}"], ["src/a.ts", "src/a.test.ts", "src/b.ts", "src/b.test.ts"]),
        (["{{cookiecutter.name}}/setup.py"], ["{{cookiecutter.name}}/setup.py"]),
        ([" "], []),
    ],
)
def test_paths_are_found_in_words(words: list[str], paths: list[str]) -> None:
    assert paths_in(words) == paths


def test_one_text_for_the_files_of_a_task_names_each() -> None:
    said = '{"codeweaver-1": {"task": "User can register", "files": "routes/auth.ts, src/r.ts"}}'
    assert read_report(said).tasks[0].files == ["routes/auth.ts", "src/r.ts"]


def test_braces_in_braces_end() -> None:
    assert len(paths_in(["{a,b}" * 60])) < 100


@pytest.mark.ledger("Q-03", "R-32")
@pytest.mark.parametrize("words", ["any test file for auth", "TBD", "the auth module", "to be decided", "unknown"])
def test_words_that_are_the_path_of_no_file_are_asked_back(words: str) -> None:
    said = {"codeweaver-1": {"task": "Register", "files": ["a.ts", words]}}
    with pytest.raises(Invalid, match="is the path of no file"):
        read_report(json.dumps(said))


@pytest.mark.ledger("Q-03", "Q-05")
@pytest.mark.parametrize("name", ["testFiles", "test_file", "implementationFile", "exclusiveFiles", "targetFiles"])
def test_files_of_a_task_are_owned_under_each_of_their_names(name: str) -> None:
    said = {"codeweaver-1": {"task": "Register", "files": ["a.ts"], name: ["b.ts"], "contextFiles": ["c.ts"]}}
    (task,) = read_report(json.dumps(said)).tasks
    assert (task.files, task.more) == (["a.ts", "b.ts"], {"contextFiles": ["c.ts"]})
