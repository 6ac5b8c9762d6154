"""What an agent tries against the mirror: a file that lands there would be the word of whom it names."""

import json
import shutil
from pathlib import Path

import pytest

from folkmoot.core.commands import ENGINE
from folkmoot.errors import Invalid, Unavailable
from folkmoot.wiring.boards import FileBoards
from folkmoot.wiring.mirroring.making import mirror
from tests.mirror.test_beside_agents import run
from tests.some import some
from tests.worker.test_board_attacks import below
from tests.worker.test_never_lands import refused, tracked
from tests.worker.yard import Yard, git

MIRROR = "mirror: {dir: .claude, people: [alice]}"
ANSWER = json.dumps({"question": "q1", "answer": "1", "by": "alice"})
# A file in another spelling, what makes a folder a mirror, and a link on the way; which names count is proven in core.
SOME_WAYS, EVERY_WAY = "case mark link", "inbox case unseen item beside mark link folder into"


def open_questions(yard: Yard) -> list[str]:
    return [one["id"] for one in yard.queries.inbox()["questions"]]


@pytest.mark.attack(
    "board",
    "a change puts an answer in a person's name into the mirror's folder, with ignore rules that take it in",
    "it is refused, in every spelling and by whichever folder is or was a mirror; the question stays open",
)
@pytest.mark.ledger("R-04", "R-20")
@pytest.mark.parametrize("ways", some([SOME_WAYS, EVERY_WAY], [SOME_WAYS]))
def test_no_run_speaks_through_the_mirror(tmp_path: Path, ways: str) -> None:
    yard = Yard(tmp_path / "yard", more=MIRROR, agent="write: any")
    asks = yard.add("asks", 'report question {"question": "which way?", "options": ["cancel it", "go on"]}')
    run(yard)
    assert open_questions(yard) == ["q1"]
    import_log = "shell printf '!/.claude/\\n!/.claude/inbox/\\n!/.claude/**\\n!*.meta.yaml\\n' >> .gitignore"
    acts = {
        "inbox": f"write .claude/inbox/answer.json {ANSWER}",
        "case": f"write .Claude/INBOX/answer.json {ANSWER}",
        "unseen": f"write .cla\u034fude/inbox/answer.json {ANSWER}",
        "item": f"write .claude/kanban/{asks}.yaml x",
        "beside": "write .claude/docs/a.meta.yaml x",
        "mark": "write .claude/.moot-mirror x",
        "link": "shell mkdir -p .claude docs && ln -s ../docs .claude/inbox",
        "folder": "shell ln -s docs .claude",
        "into": "shell ln -s .claude/inbox drop",
    }
    items = {name: yard.add(name, import_log, acts[name], "report done") for name in ways.split()}
    good = yard.add("good", "write inbox/answer.json {}", "report done")
    run(yard)
    for item in items.values():
        refused(yard, item, "mirror")
    assert yard.status(good) == "done"
    assert tracked(yard) == ["README.md", "inbox/answer.json"]
    assert "q1" in open_questions(yard), "nobody has answered"
    yard.doctor()
    yard.close()


@pytest.mark.ledger("R-04", "R-20")
def test_every_folder_that_is_a_mirror_of_the_board_counts(tmp_path: Path) -> None:
    """One that `--dir` names, for as long as it shows the board; and that of a board in a subfolder of the project."""
    yard = below(tmp_path, more=MIRROR.replace(".claude", ".shown"), agent="write: any")
    home, top = str(yard.folder / ".moot"), yard.folder.parent
    mirror(yard.board._application, home, str(top / "shown"), watch=False, tell=print)
    item = yard.add("shown", f"write shown/inbox/a.json {ANSWER}", "report done")
    own = yard.add(
        "own", "write .gitignore !/sub/.shown/inbox/", f"write sub/.shown/inbox/a.json {ANSWER}", "report done"
    )
    none = yard.add("none", f"write .shown/inbox/a.json {ANSWER}", "report done")
    run(yard)
    refused(yard, item, "mirror")
    refused(yard, own, "mirror")
    assert yard.status(none) == "done", "above the board there is no mirror"
    shutil.rmtree(top / "shown")
    late = yard.add("late", "write shown/inbox/a.json x", "report done")
    run(yard)
    assert yard.status(late) == "done"
    yard.close()


@pytest.mark.attack(
    "board",
    "a file lands where nobody looks, and the flow makes a mirror of that folder later",
    "the mirror takes in nothing that git tracks: it says so, and leaves the file",
)
@pytest.mark.ledger("R-04")
def test_what_has_landed_is_not_taken_in_when_the_folder_becomes_a_mirror(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard", agent="write: any")
    yard.add("asks", 'report question {"question": "which way?", "options": ["cancel it", "go on"]}')
    lands = yard.add("lands", f"write shown/inbox/answer.json {ANSWER}", "report done")
    run(yard)
    assert yard.status(lands) == "done" and (yard.folder / "shown/inbox/answer.json").exists()
    flow = yard.folder / ".moot/flow.yaml"
    flow.write_text(flow.read_text() + "\nmirror: {dir: shown, people: [alice]}\n")
    FileBoards().apply(str(yard.folder), {}, ENGINE)
    run(yard)
    assert "q1" in open_questions(yard)
    assert "git tracks shown/inbox/answer.json" in " ".join(one.words for one in yard.told)
    assert git(yard.folder, "status", "--porcelain", "--untracked-files=no") == "", "the file is the user's"
    git(yard.folder, "rm", "-q", "--cached", "shown/inbox/answer.json")
    git(yard.folder, "commit", "-q", "-m", "it is a person's")
    run(yard)
    assert "q1" not in open_questions(yard)
    yard.close()


def asking(folder: Path, more: str) -> Yard:
    """A plain folder, in which agents work in the folder itself; an item in it asks a person."""
    yard = Yard(folder, plain=True, more=more, agent="write: any", files={"docs/x.md": "x\n"})
    yard.add("asks", 'report question {"question": "which way?", "options": ["cancel it", "go on"]}')
    return yard


def show_in(yard: Yard, folder: str) -> None:
    home = str(yard.folder / ".moot")
    mirror(yard.board._application, home, str(yard.folder / folder), watch=False, tell=print)


@pytest.mark.attack(
    "board",
    "in a plain folder an agent moves away what a mirror lies in, or finds one that `--dir` names, and answers there",
    "every folder that shows the board is covered in the sandbox, and no step to it can be moved",
)
@pytest.mark.ledger("R-04")
@pytest.mark.parametrize(
    ("folder", "named"),
    some(
        [("docs/board", "docs/board"), ("docs/board", "docs/board, visible: true"), ("shown", ".claude")],
        [("docs/board", "docs/board"), ("shown", ".claude")],
    ),
)
def test_in_a_plain_folder_no_run_speaks_through_a_mirror(tmp_path: Path, folder: str, named: str) -> None:
    yard = asking(tmp_path / "yard", f"mirror: {{dir: {named}, people: [alice]}}")
    run(yard)
    show_in(yard, folder)
    act = f"shell mv docs docs2; mkdir -p {folder}/inbox; echo '{ANSWER}' > {folder}/inbox/a.json; true"
    item = yard.add("answers", act, "write own.txt x", "report done")
    run(yard)
    if not yard.show(item)["runs"][0]["sandboxed"]:
        pytest.skip("there is no sandbox on this machine")
    show_in(yard, folder)
    assert open_questions(yard) == ["q1"]
    yard.close()


@pytest.mark.attack(
    "board",
    "a plain folder is a mirror itself, so that agents work among its files",
    "`run` refuses to begin, and says where the board can be shown instead",
)
@pytest.mark.ledger("R-04")
def test_agents_do_not_work_in_a_plain_folder_that_is_the_mirror(tmp_path: Path) -> None:
    yard = asking(tmp_path / "yard", "mirror: {dir: ., people: [alice]}")
    with pytest.raises(Unavailable, match="it shows the board"):
        run(yard)
    yard.close()


@pytest.mark.attack(
    "board",
    "in a plain folder an agent leaves an answer, and a mirror's mark, where the flow shows the board later",
    "what stood there before is nobody's word: it is put aside with the reason",
)
@pytest.mark.ledger("R-04")
def test_what_stood_in_a_folder_before_it_shows_the_board_is_nobodys_word(tmp_path: Path) -> None:
    yard = asking(tmp_path / "yard", "")
    answers = [f"write shown/inbox/{number}.json {ANSWER}" for number in range(70)]  # more than one pass takes in
    yard.add("answers", *answers, "write shown/.moot-mirror x", "report done")
    run(yard)
    flow = yard.folder / ".moot/flow.yaml"
    flow.write_text(flow.read_text() + "\nmirror: {dir: shown, people: [alice]}\n")
    FileBoards().apply(str(yard.folder), {}, ENGINE)
    show_in(yard, "shown")
    assert open_questions(yard)[0] == "q1" and not list((yard.folder / "shown/inbox").iterdir())
    (yard.folder / "shown/inbox/mine.json").write_text(ANSWER)
    show_in(yard, "shown")
    assert "q1" not in open_questions(yard), "what is written there from then on counts"
    yard.close()


@pytest.mark.ledger("R-04")
def test_no_folder_that_holds_the_project_shows_the_board(tmp_path: Path) -> None:
    yard = Yard(tmp_path / "yard")
    with pytest.raises(Invalid, match="holds the whole project"):
        show_in(yard, "..")
    yard.close()


@pytest.mark.attack(
    "tree",
    "where the project itself shows the board, a run names an artifact beside whose place a file of the user's lies",
    "the file stays, tracked, ignored or a link, and the user is told: the mirror writes over its own files alone",
)
@pytest.mark.ledger("R-04")
def test_no_artifact_makes_the_mirror_write_over_a_file_of_the_users(tmp_path: Path) -> None:
    files = {"docs/api.meta.yaml": "title: mine\n", ".gitignore": "*.meta.yaml\n"}
    yard = Yard(tmp_path / "yard", more="mirror: {dir: .}", files=files)
    git(yard.folder, "add", "-f", "docs/api.meta.yaml")
    git(yard.folder, "commit", "-q", "-m", "mine")
    ignored, link = yard.folder / "docs/own.meta.yaml", yard.folder / "docs/link.meta.yaml"
    ignored.write_text("title: also mine\n")
    link.symlink_to("own.meta.yaml")
    run(yard)
    named = ["docs/api.md", "docs/own.md", "docs/link.md", "docs/new.md"]
    yard.add("names them", f"report done {json.dumps({'artifacts': named})}")
    for _ in range(2):  # and by the next one that is started
        run(yard)
        assert (yard.folder / "docs/api.meta.yaml").read_text() == "title: mine\n"
        assert ignored.read_text() == "title: also mine\n" and link.is_symlink()
        assert "Artifact: docs/new.md" in (yard.folder / "docs/new.meta.yaml").read_text()
    assert "docs/own.meta.yaml is left as it is" in " ".join(one.words for one in yard.told)
    yard.doctor()
    yard.close()
