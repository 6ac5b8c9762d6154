"""A change with a secret in it, through the real worker: it does not land, and a person is asked."""

from pathlib import Path

import pytest

from tests.worker.yard import ACTOR, Yard, git

KEY = "fk-93jd82kd02ksl2920dk"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2"
FLOW = f"""
flow: secrets
start: dev
columns: {{dev: {{agents: [dev], next: done}}}}
agents: {{dev: {{run: {{client: evil}}, ladder: {{0: small, 1+: escalate}}}}}}
models: {{small: {{client: evil}}}}
clients: {{evil: {{command: {ACTOR}, speaks: text, env: [EVIL_API_KEY]}}}}
"""


@pytest.fixture
def yard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Yard:
    monkeypatch.setenv("EVIL_API_KEY", KEY)
    return Yard(tmp_path / "yard", flow=FLOW + "secrets: {allow: [tests/keys/]}\n")


@pytest.mark.attack("secrets", "an agent commits the key it was given", "nothing of it lands, and a person is asked")
def test_a_change_with_the_runs_own_key_does_not_land(yard: Yard) -> None:
    again = 'shell if grep -q "made again[,] without" $MOOT_PROMPT; then echo clean > a.txt; fi'
    item = yard.add("one", "shell echo one > a.txt; echo $EVIL_API_KEY >> a.txt", again, "report done")
    yard.run()
    shown = yard.show(item)
    assert yard.commits() == ["first"]
    assert shown["status"] == "awaiting-divine-guidance" and shown["head"] is None
    assert [run["outcome"] for run in shown["runs"]] == ["failed"]
    (asked,) = yard.board.inbox()
    assert asked["question"].startswith("A secret was about to land: a.txt:2 holds the value of EVIL_API_KEY.")
    # It is kept aside, where a person can have it; what a reviewer sees marks the place, and the board holds no key.
    (kept,) = yard.board.boards.unlanded(yard.board._application).unlanded
    assert kept.files == ["a.txt"]
    parts = yard.queries.output(shown["runs"][0]["run"])["parts"]
    diff = next(part["text"] for part in parts if part["part"] == 1_000_000)
    assert "+one\n+[secret:EVIL_API_KEY]\n" in diff
    for file in (yard.folder / ".moot").glob("board.db*"):
        assert KEY.encode() not in file.read_bytes()
    # A person sends it back, and what is made without the key lands.
    yard.board.answer(asked["id"], "1")
    yard.run()
    assert yard.status(item) == "done" and yard.landed("a.txt") == "clean"
    yard.doctor()
    yard.close()


@pytest.mark.attack(
    "secrets", "the key is in the name of a file, or in the report", "refused; no name, no message has it"
)
def test_a_key_in_a_name_or_a_message_is_told_to_nobody(yard: Yard) -> None:
    name = yard.add("name", "shell touch $EVIL_API_KEY.txt", "report done")
    said = """shell echo "{\\"outcome\\": \\"done\\", \\"summary\\": \\"it is $EVIL_API_KEY\\"}" """
    words = yard.add("words", "write b.txt b", said)
    yard.run()
    assert yard.status(name) == "awaiting-divine-guidance" and yard.status(words) == "done"
    assert "the name [secret:EVIL_API_KEY].txt holds the value" in str(yard.board.inbox())
    history = git(yard.folder, "log", "--format=%B", "main")
    assert "it is [secret:EVIL_API_KEY]" in history and KEY not in history
    for file in (yard.folder / ".moot").glob("board.db*"):
        assert KEY.encode() not in file.read_bytes()
    yard.doctor()
    yard.close()


@pytest.mark.attack(
    "secrets",
    "the key is in the name of a file that somebody makes who was sent for, whose work is merged at once",
    "no name has it: neither the change nor what would come of it is told with the key",
)
def test_a_key_in_a_name_of_help_is_told_to_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVIL_API_KEY", KEY)
    helped = FLOW.replace("next: done}}", "next: done}, aid: {agents: [helper], next: done}}")
    helped = helped.replace("agents: {dev: {", "agents: {helper: {run: {client: evil}}, dev: {may: [ask, dispatch], ")
    yard = Yard(tmp_path / "yard", flow=helped)
    sent = r"printf 'say go\nshell touch $EVIL_API_KEY.txt\nreport done\n' | moot dispatch helper -"
    yard.add("one", f"shell {sent}", "wait 4", "write a.txt x", "report done")
    yard.run()
    assert "the name [secret:EVIL_API_KEY].txt holds the value" in str(yard.board.log())
    for file in (yard.folder / ".moot").glob("board.db*"):
        assert KEY.encode() not in file.read_bytes(), file.name
    yard.doctor()
    yard.close()


@pytest.mark.attack("secrets", "the key of a command (`--key`) is the run's own key", "it is kept as `[secret:NAME]`")
def test_no_command_is_kept_under_the_runs_own_key(yard: Yard) -> None:
    item = yard.add("one", 'shell moot comment 1 hello --key "x$EVIL_API_KEY"', "report done")
    yard.run()
    assert "hello" in str(yard.show(item))
    for file in (yard.folder / ".moot").glob("board.db*"):
        assert KEY.encode() not in file.read_bytes(), file.name
    yard.close()


@pytest.mark.attack(
    "secrets",
    "the key is in the name of what cannot be taken in: a pipe, a repository, rules that would make git slow",
    "no name has it, in the reason either",
)
@pytest.mark.parametrize(
    "how",
    [
        "mkfifo $EVIL_API_KEY",
        "mkfifo $EVIL_API_KEY; echo x > a.txt",
        "git init -q $EVIL_API_KEY",
        "mkdir $EVIL_API_KEY; echo 'a/**/b/**/c/**/d/**/e' > $EVIL_API_KEY/.gitignore",
    ],
)
def test_a_key_in_the_name_of_what_is_no_file_is_told_to_nobody(yard: Yard, how: str) -> None:
    item = yard.add("name", f"shell {how}", "report done")
    yard.run()
    assert yard.show(item)["runs"][0]["outcome"] == "failed" and yard.commits() == ["first"]
    assert "[secret:EVIL_API_KEY]" in str(yard.board.log())
    assert not [event for event in yard.told if KEY in event.words]
    for file in (yard.folder / ".moot").glob("board.db*"):
        assert KEY.encode() not in file.read_bytes(), file.name
    yard.doctor()
    yard.close()


def test_what_only_looks_like_a_secret_may_land_where_the_flow_allows_it(yard: Yard) -> None:
    looks = yard.add("looks", f"write src/a.txt {TOKEN}", "report done")
    allowed = yard.add("allowed", f"write tests/keys/a.txt {TOKEN}", "report done")
    given = yard.add("given", "shell mkdir -p tests/keys; echo $EVIL_API_KEY > tests/keys/b.txt", "report done")
    yard.run()
    assert yard.status(allowed) == "done"
    assert yard.status(looks) == yard.status(given) == "awaiting-divine-guidance"
    asked = {one["task_id"]: one["question"] for one in yard.board.inbox()}
    assert "src/a.txt:1 holds what looks like a token or a key" in asked[looks]
    assert "tests/keys/b.txt:1 holds the value of EVIL_API_KEY" in asked[given]
    yard.doctor()
    yard.close()


def test_a_key_in_a_failed_run_stays_aside_and_asks_nobody_more(yard: Yard) -> None:
    item = yard.add("one", "shell echo $EVIL_API_KEY > a.txt", 'report asks {"question": {"question": "Which?"}}')
    yard.run()
    (asked,) = yard.board.inbox()
    assert asked["question"] == "Which?" and yard.show(item)["head"] is None
    assert "work_refused" in [event["event"] for event in yard.board.log(item=item)]
    yard.close()
