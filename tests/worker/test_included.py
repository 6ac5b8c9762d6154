"""`.worktreeinclude`: files of the user's that every clone gets, and what no agent can make of that."""

import base64
import os
import time
from pathlib import Path

import pytest

from folkmoot.worker.secrets.redactor import Known
from folkmoot.worker.secrets.said import secrets_in
from folkmoot.worker.secrets.structured import structured_secrets
from folkmoot.worker.setups import included
from tests.worker.yard import Yard, git

PASSWORD = "hunter2-is-not-enough"
ENV = f"DATABASE_PASSWORD={PASSWORD}\nexport LOG_LEVEL=verbose\nURL=postgres://app:s3cretpass@db/x\n"
IGNORED = ".env*\nprivate/\n*.key\n"
FLOW = """
flow: included
start: dev
limits: {slots: 1, lease: 60s, timeout: 60s, silence: 50s, executions: 1, feedback_rounds: 1}
columns: {dev: {agents: [dev], next: done, gate: [check]}}
agents: {dev: {run: {command: ACTOR}, write: any, ladder: {0: small, 1+: escalate}}}
gates: {check: {run: [sh, -c, "test -f .env && ls -A && ls -A private"]}}
"""


def yard_of(folder: Path, rules: str = ".env\nprivate/a.txt\n", more: str = "") -> Yard:
    yard = Yard(folder, files={".gitignore": IGNORED, ".worktreeinclude": rules}, flow=FLOW + more)
    (yard.folder / ".env").write_text(ENV)
    (yard.folder / ".env.production").write_text("ROOT_PASSWORD=never-to-be-seen-9\n")
    (yard.folder / "private").mkdir()
    (yard.folder / "private" / "a.txt").write_text("a\n")
    (yard.folder / "private" / "b.txt").write_text("b\n")
    return yard


def said(yard: Yard, item: str) -> list[str]:
    return [yard.output(run["run"]) for run in yard.show(item)["runs"] if run["agent"] != "landing"]


@pytest.mark.ledger("R-17")
def test_the_files_that_it_names_are_in_the_clones_of_agents_and_gates_and_no_others(tmp_path: Path) -> None:
    yard = yard_of(
        tmp_path / "yard", rules="# what the tests need\n.env\nprivate/*\n!private/b.txt\nREADME.md\nnew.txt\n"
    )
    (yard.folder / "new.txt").write_text("neither tracked nor ignored\n")
    item = yard.add("one", "shell cat .env; ls -A . private", "write own.txt x", "report done")
    yard.run()
    words, gate = said(yard, item)
    assert yard.status(item) == "done", (words, gate)
    listed = words.split()
    assert "a.txt" in listed and "b.txt" not in listed and ".env.production" not in listed and "new.txt" not in listed
    assert "DATABASE_PASSWORD=[secret:DATABASE_PASSWORD]" in words and PASSWORD not in words
    assert "LOG_LEVEL=verbose" in words and "s3cretpass" not in words
    assert "a.txt" in gate.split()
    tracked = git(yard.folder, "ls-tree", "-r", "--name-only", "main").split()
    assert tracked == [".gitignore", ".worktreeinclude", "README.md", "own.txt"]
    yard.doctor()


@pytest.mark.attack(
    "secrets",
    "an agent takes the ignore rule away, and changes or commits a file that its clone got by `.worktreeinclude`",
    "the file is no part of any change; its value anywhere else refuses the change, and a person is asked",
)
@pytest.mark.ledger("R-20")
def test_what_was_included_never_lands(tmp_path: Path) -> None:
    yard = yard_of(tmp_path / "yard")
    item = yard.add(
        "one",
        "shell echo > .gitignore; echo more >> .env; git add -f .env",
        "shell echo $MOOT_ITEM >> own.txt",
        "report done",
    )
    yard.run()
    assert ".env" not in git(yard.folder, "ls-tree", "-r", "--name-only", "main").split(), said(yard, item)
    yard = yard_of(tmp_path / "other")
    copied = yard.add("two", "shell cp .env settings.txt", "shell echo $MOOT_ITEM >> own.txt", "report done")
    yard.run()
    assert "settings.txt" not in git(yard.folder, "ls-tree", "-r", "--name-only", "main")
    (asked,) = yard.board.inbox()
    assert "A secret was about to land: settings.txt:1 holds the value of DATABASE_PASSWORD" in asked["question"]
    assert yard.status(copied) != "done"
    for file in (yard.folder / ".moot").glob("board.db*"):
        assert PASSWORD.encode() not in file.read_bytes()
    assert (yard.folder / ".env").read_text() == ENV
    yard.doctor()


@pytest.mark.attack(
    "rights",
    "an agent writes `.worktreeinclude`, so that the next clone gets more of the user's files",
    "the change is refused whole, in every spelling",
)
@pytest.mark.ledger("R-20")
@pytest.mark.parametrize("name", [".worktreeinclude", ".WorktreeInclude"])
def test_no_change_of_a_run_says_what_clones_get(tmp_path: Path, name: str) -> None:
    yard = yard_of(tmp_path / "yard")
    item = yard.add("one", f"write {name} .env.production", "report done")
    yard.run()
    assert yard.commits() == ["first"]
    assert "change it by hand" in str(yard.show(item)["runs"][0]["report"]) + str(yard.show(item)), yard.show(item)


@pytest.mark.attack(
    "rights",
    "a link stands where `.worktreeinclude` names a file, or in the way to it",
    "nothing behind a link is copied",
)
@pytest.mark.ledger("R-20")
def test_nothing_behind_a_link_is_copied(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "id.key").write_text("of the machine\n")
    yard = yard_of(tmp_path / "yard", rules=".env\n*.key\nprivate/a.txt\nprivate/link/id.key\n")
    os.symlink(outside / "id.key", yard.folder / "my.key")
    os.symlink(outside, yard.folder / "private" / "link")
    item = yard.add("one", "shell ls -A . private", "shell echo $MOOT_ITEM >> own.txt", "report done")
    yard.run()
    listed = said(yard, item)[0].split()
    assert "my.key" not in listed and "link" not in listed and "a.txt" in listed, listed


def test_more_than_may_be_copied_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(included, "FILES_MAX", 2)
    yard = yard_of(tmp_path / "yard", rules=".env*\nprivate/\n")
    item = yard.add("one", "shell echo $MOOT_ITEM >> own.txt", "report done")
    yard.run()
    run = yard.show(item)["runs"][0]
    assert run["cause"] == "environment"
    assert ".worktreeinclude cannot be followed: it names 4 files" in run["report"]["summary"]


def test_setup_sees_them_and_what_it_made_of_them_is_undone(tmp_path: Path) -> None:
    setup = "clone: {setup: [[sh, -c, 'cp .env private/copy; echo forged > .env']]}\n"
    yard = yard_of(tmp_path / "yard", more=setup)
    item = yard.add(
        "one", "shell grep -c . .env private/copy; grep LOG .env", "shell echo $MOOT_ITEM >> own.txt", "report done"
    )
    yard.run()
    words = said(yard, item)[0]
    assert "private/copy:3" in words and "LOG_LEVEL=verbose" in words and "forged" not in words, words


def test_a_kept_setup_holds_none_of_them_and_is_another_where_they_are_others(tmp_path: Path) -> None:
    setup = "clone: {setup: [[sh, -c, 'date +%N > private/stamp; echo ran']], setup_from: [README.md]}\n"
    yard = yard_of(tmp_path / "yard", more=setup)
    one = yard.add("one", "shell echo $MOOT_ITEM >> own.txt", "report done")
    yard.run()
    two = yard.add("two", "shell echo $MOOT_ITEM >> own.txt", "report done")
    yard.run()
    assert [["ran" in words.split() for words in said(yard, item)] for item in (one, two)] == [
        [True, False],
        [False] * 2,
    ]
    kept = [path for path in (yard.folder / ".moot" / "setups").rglob("*") if path.is_file()]
    assert not any(path.name in (".env", "a.txt") or PASSWORD.encode() in path.read_bytes() for path in kept), kept
    (yard.folder / ".env").write_text(ENV + "MORE=1\n")
    three = yard.add("three", "shell echo $MOOT_ITEM >> own.txt", "report done")
    yard.run()
    assert ["ran" in words.split() for words in said(yard, three)] == [True, False]


SAID = "Tr0ub4dor&3"
FORMS = {
    ".env": f"DATABASE_PASSWORD={SAID}  # of the test machine\n",
    "quoted/.env": f"export DATABASE_PASSWORD='{SAID}' # a note\n",
    "a.json": f'{{\n  "a": 1,\n  "databasePassword": "{SAID}",\n  "b": 2}}',
    "b.json": f'{{"a":{{"DB_PASSWORD":"{SAID}"}}}}',
    "c.json": f'{{"Main": "Server=x;User Id=u;Password={SAID};Pooling=true"}}',
    "d.yaml": f'- name: db\n  "password": "{SAID}"\n- password: {SAID}\n',
    "e.xml": f'<add key="DbPassword" value="{SAID}"/>',
    ".netrc": f"machine a login b password {SAID}\n",
    ".pgpass": f"localhost:5432:db:u:{SAID}\n",
    ".npmrc": f"//registry.example/:_password={SAID}\n",
    "block.yaml": f"db:\n  password: |\n    {SAID}\n  port: 1\n",
    "folded.yml": f"db:\n  password: >-\n    {SAID}\n",
    "alias.yaml": f"shared: &one {SAID}\ndb: {{password: *one}}\n",
    "tagged.yaml": f"db:\n  password: !vault\n    {SAID}\n",
    "below.yaml": f"secrets:\n  database:\n    main: {SAID}\n",
    "pair.yaml": f"env:\n  - name: DB_PASSWORD\n    value: {SAID}\n",
    "kubernetes.yaml": f"kind: Secret\nstringData:\n  db: {SAID}\n",
    "encoded.yaml": f"kind: Secret\ndata:\n  db: {base64.b64encode(SAID.encode()).decode()}\n",
    "escaped.json": '{"databasePassword": "Tr0ub4dor\\u00263"}',
    "list.json": f'{{"passwords": ["{SAID}"]}}',
    "lines.jsonl": f'{{"a": 1}}\n{{"password": "{SAID.replace("&", chr(92) + "u0026")}"}}\n',
    "escaped.toml": 'password = "Tr0ub4dor\\u00263"\n',
    "lines.toml": f'password = """\n{SAID}"""\n',
    "element.xml": f"<server><password>{SAID.replace('&', '&amp;')}</password></server>",
    "entry.xml": f'<map><entry key="db.password">{SAID.replace("&", "&#38;")}</entry></map>',
    "attribute.xml": f"<db user='a' password='{SAID.replace('&', '&amp;')}'/>",
    "escaped/.env": 'DATABASE_PASSWORD="Tr0ub4dor\\u00263"\n',
    "words.json": f'{{"a": [], "accessToken": "{SAID}"}}',
    "dashes.yaml": f"access-token:\n  {SAID}\n",
}


@pytest.mark.attack(
    "secrets",
    "a file that `.worktreeinclude` names says a password with a note behind it, in a connection string, or anywhere "
    "in JSON, YAML, TOML or XML, escaped or not",
    "its value is known as what the name says: hidden in output, and kept from landing",
)
@pytest.mark.parametrize("name", FORMS)
def test_a_secret_is_known_by_its_name_in_every_usual_form(name: str) -> None:
    known = Known()
    known.add_included(name, FORMS[name])
    assert SAID in known.forms


def test_what_is_no_secret_by_its_name_is_none() -> None:
    known = Known()
    known.add_included(
        "a.json", '{"title": "a whole sentence of plain words", "port": "example-port", "key_id": "a1b2c3"}'
    )
    known.add_included("b.yaml", "primaryKey: user_id\nmaxTokens: 1200000\nhooks: {name: lint, value: fast_one}\n")
    known.add_included("c.xml", "<project><name>some-name</name><version>1.2.3-beta4</version></project>")
    assert not known.forms


def test_a_file_of_any_form_is_read_in_a_time_that_grows_with_its_size() -> None:
    for text in ("a" * 2_000_000, "a=" * 500_000, '"a":' * 500_000, "PASSWORD='" * 100_000, "x.y-" * 500_000):
        began = time.monotonic()
        for _ in (*secrets_in("a.json", text), *structured_secrets("a.yaml", text)):
            pass
        assert time.monotonic() - began < 20


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("deep.json", "[" * 200_000),
        ("deep.yaml", "[" * 100_000),
        ("open.yaml", "a: 'b"),
        ("not.toml", "= ="),
        ("not.xml", "<a><b></a>"),
        ("entities.xml", '<!DOCTYPE a [<!ENTITY b "password">]><a>&b;</a>'),
        ("round.yaml", "a: &a [*a]\n"),
    ],
)
def test_a_file_that_its_format_does_not_read_says_nothing_there(file: str, text: str) -> None:
    assert list(structured_secrets(file, text)) == []
