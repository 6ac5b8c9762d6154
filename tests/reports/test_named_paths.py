"""Files of a task as pathseekers write them: what is one path, what is several, and what is said beside a path."""

import pytest

from folkmoot.core.vocabulary.lines import paths_in
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
        ([" "], []),
    ],
)
def test_paths_are_found_in_words(words: list[str], paths: list[str]) -> None:
    assert paths_in(words) == paths


def test_one_text_for_the_files_of_a_task_names_each() -> None:
    said = '{"codeweaver-1": {"task": "User can register", "files": "routes/auth.ts, src/r.ts"}}'
    assert read_report(said).tasks[0].files == ["routes/auth.ts", "src/r.ts"]
