"""What git does not know is the user's: a landing never overwrites or removes it, whatever it is and when it came."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from folkmoot.worker.git.trees.checkout import Checkout
from folkmoot.worker.git.trees.placing import Placer
from tests.worker.git.ground import Ground, plain, put

IGNORE = "*.log\n.moot/\n.env\nsecrets\nkeep/\n"
FILES = {"a.txt": "one\n", "src/b.txt": "two\n", "tool/c.txt": "three\n", ".gitignore": IGNORE}


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path, FILES)


def change(ground: Ground, files: dict[str, str], gone: tuple[str, ...] = (), run: str = "r1") -> str:
    """The commit of a run that forced these files past `.gitignore` and removed others."""
    base = ground.repository.tip()
    workspace = ground.make(run)
    for name in gone:
        (workspace / name).unlink()
        if not os.listdir((workspace / name).parent):
            (workspace / name).parent.rmdir()
    lines = [line for line in IGNORE.split() if line == ".moot/"]
    put(workspace, {".gitignore": "\n".join(lines) + "\n", **files})
    commit = ground.snapshot(run, base).commit
    assert commit
    return commit


def everything(top: Path) -> dict[str, str]:
    """All files below a folder but those of git and ours."""
    found = {}
    for path in sorted(top.rglob("*")):
        name = path.relative_to(top).as_posix()
        if name.split("/")[0] not in (".git", ".moot") and (path.is_file() or path.is_symlink()):
            found[name] = os.readlink(path) if path.is_symlink() else path.read_text()
    return found


IN_THE_WAY = {
    "an ignored file where a file comes": ({".env": "mine\n"}, {".env": "theirs\n"}, (), ".env"),
    "an ignored folder where a file comes": ({"secrets/key": "mine\n"}, {"secrets": "theirs\n"}, (), "secrets/key"),
    "an ignored file where a folder comes": ({"secrets": "mine\n"}, {"secrets/x": "theirs\n"}, (), "secrets"),
    "an untracked file where a file comes": ({"new.txt": "mine\n"}, {"new.txt": "theirs\n"}, (), "new.txt"),
    "an untracked folder where a file comes": ({"new/x": "mine\n"}, {"new": "theirs\n"}, (), "new/x"),
    "an untracked file where a folder comes": ({"new": "mine\n"}, {"new/er/x": "theirs\n"}, (), "new"),
    "an ignored file in a folder that becomes a file": (
        {"tool/x.log": "mine\n"},
        {"tool": "theirs\n"},
        ("tool/c.txt",),
        "tool/x.log",
    ),
    "the same file, not yet known to git": ({".env": "same\n"}, {".env": "same\n"}, (), ".env"),
}


@pytest.mark.ledger("R-19")
@pytest.mark.attack(
    "tree",
    "A change creates a file where the user has an ignored or untracked file or folder",
    "The user's tree stays as it is, the work lands beside its branch, and the message names the file",
)
@pytest.mark.parametrize("what", IN_THE_WAY)
def test_what_git_does_not_know_stays_and_is_named(ground: Ground, what: str) -> None:
    mine, theirs, gone, named = IN_THE_WAY[what]
    work = change(ground, theirs, gone)
    put(ground.user, mine)
    old, before = ground.repository.tip(), everything(ground.user)
    moved = ground.landing.move("main", old, work)
    assert moved.branch == "moot/main" and f" {named} is there, which git does not know" in moved.note
    assert "move that file away, then `git merge moot/main`" in moved.note
    assert everything(ground.user) == before and ground.tip() == old and ground.tip("moot/main") == work


def test_a_link_of_the_users_is_in_the_way_too(ground: Ground, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (ground.user / "secrets").symlink_to(tmp_path / "elsewhere")
    moved = ground.landing.move("main", ground.repository.tip(), change(ground, {"secrets/x": "theirs\n"}))
    assert moved.branch == "moot/main" and " secrets is there" in moved.note
    assert list((tmp_path / "elsewhere").iterdir()) == [] and (ground.user / "secrets").is_symlink()


def test_folders_with_nothing_in_them_are_not_in_the_way(ground: Ground) -> None:
    (ground.user / "secrets/deep").mkdir(parents=True)
    (ground.user / "new").mkdir()
    work = change(ground, {"secrets": "a file\n", "new/x": "in it\n"})
    assert ground.landing.move("main", ground.repository.tip(), work).branch == "main"
    assert (ground.user / "secrets").read_text() == "a file\n" and plain(ground.user, "status", "--short") == ""


def test_files_and_folders_change_places(ground: Ground) -> None:
    work = change(ground, {"tool": "a file\n", "a.txt/b": "below\n"}, ("tool/c.txt", "a.txt"))
    assert ground.landing.move("main", ground.repository.tip(), work).branch == "main"
    assert (ground.user / "tool").read_text() == "a file\n" and (ground.user / "a.txt/b").read_text() == "below\n"
    assert plain(ground.user, "status", "--short") == ""


def test_names_that_differ_in_case_only_are_one_where_git_says_so(ground: Ground) -> None:
    put(ground.user, {"Notes.log": "mine\n"})
    work = change(ground, {"notes.log": "theirs\n"})
    plain(ground.user, "config", "core.ignoreCase", "true")
    before, old = everything(ground.user), ground.repository.tip()
    moved = ground.landing.move("main", old, work)
    assert moved.branch == "moot/main" and " Notes.log is there" in moved.note and everything(ground.user) == before
    plain(ground.user, "config", "core.ignoreCase", "false")
    plain(ground.user, "branch", "-q", "-D", "moot/main")
    assert ground.landing.move("main", ground.repository.tip(), work).branch == "main"
    assert everything(ground.user)["Notes.log"] == "mine\n" and everything(ground.user)["notes.log"] == "theirs\n"


def test_a_file_that_the_change_removes_and_the_user_changed_stays(ground: Ground) -> None:
    work = change(ground, {}, ("a.txt",))
    put(ground.user, {"a.txt": "mine\n"})
    assert ground.landing.move("main", ground.repository.tip(), work).branch == "moot/main"
    assert (ground.user / "a.txt").read_text() == "mine\n"


def came(user: Path, what: str) -> None:
    match what:
        case "file":
            put(user, {".env": "mine\n"})
        case "folder":
            put(user, {".env/key": "mine\n"})
        case "folder is a file":
            put(user, {"keep": "mine\n"})
        case "link":
            (user / "keep").symlink_to("src")
        case "changed":
            put(user, {"a.txt": "mine\n"})
        case "changed and to go":
            put(user, {"src/b.txt": "mine\n"})
        case "now a folder":
            (user / "a.txt").unlink()
            put(user, {"a.txt/key": "mine\n"})


CAME = ("file", "folder", "folder is a file", "link", "changed", "changed and to go", "now a folder")
WORK = {".env": "theirs\n", "keep/x": "theirs\n", "a.txt": "theirs\n"}


@pytest.mark.attack(
    "tree",
    "A file of the user's comes between the last look at the tree and the files of a landing",
    "It stays as it is: files are put only where nothing is, and what is taken away is looked at first",
)
@pytest.mark.parametrize("what", CAME)
@pytest.mark.parametrize("way", ["landing", "after a crash"])
def test_what_comes_at_the_last_moment_stays(
    ground: Ground, monkeypatch: pytest.MonkeyPatch, what: str, way: str
) -> None:
    old, work = ground.repository.tip(), change(ground, WORK, ("src/b.txt",))
    forward: Callable[..., list[str]] = Checkout.forward
    mine: dict[str, str] = {}

    def late(checkout: Checkout, before: str | None, after: str) -> list[str]:
        known = everything(ground.user)
        came(ground.user, what)
        mine.update({name: text for name, text in everything(ground.user).items() if known.get(name) != text})
        return forward(checkout, before, after) if way == "landing" else []

    monkeypatch.setattr(Checkout, "forward", late)
    moved = ground.landing.move("main", old, work)
    left = moved.left if way == "landing" else ground.landing.finish_checkout("main", old, work)
    assert moved.branch == "main" and ground.tip() == work
    assert mine and mine.items() <= everything(ground.user).items()
    assert len(left) == 1 and (way != "landing" or left[0] in moved.note)
    others = {name: text for name, text in {**WORK}.items() if name not in left}
    assert others.items() <= everything(ground.user).items()
    assert list((ground.user / ".moot").glob(".moot-bring-*")) == []


def test_what_is_written_while_a_file_is_taken_away_is_put_back(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The narrowest window: after the look at the very file."""
    old, work = ground.repository.tip(), change(ground, {"a.txt": "theirs\n"}, ("src/b.txt",))
    take_away = Placer.take_away

    def late(placer: Placer, path: bytes, known: Callable[[bytes], bool]) -> bytes | None:
        put(ground.user, {os.fsdecode(path): "mine, just now\n"})
        return take_away(placer, path, known)

    monkeypatch.setattr(Placer, "take_away", late)
    moved = ground.landing.move("main", old, work)
    assert moved.left == [".gitignore", "a.txt", "src/b.txt"]
    assert {everything(ground.user)[name] for name in moved.left} == {"mine, just now\n"}


def test_what_comes_where_a_file_was_taken_away_is_kept_with_it(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, work = ground.repository.tip(), change(ground, {"a.txt": "theirs\n"})
    real = Placer.put

    def late(placer: Placer, path: bytes) -> bool:
        if path == b"a.txt":
            put(ground.user, {"a.txt": "mine, just now\n"})
        return real(placer, path)

    monkeypatch.setattr(Placer, "put", late)
    moved = ground.landing.move("main", old, work)
    assert moved.left == ["a.txt"] and (ground.user / "a.txt").read_text() == "mine, just now\n"


@pytest.mark.attack(
    "tree",
    "A change brings `.gitattributes` that name a filter of the user's, together with the files it is for",
    "It goes to `moot/TARGET`: the attributes of the new tree count too, and no file is put there unfiltered",
)
def test_a_filter_that_comes_with_its_files_is_seen(ground: Ground) -> None:
    plain(ground.user, "config", "filter.rot.clean", "tr a-z n-za-m")
    plain(ground.user, "config", "filter.rot.smudge", "tr a-z n-za-m")
    work = change(ground, {".gitattributes": "*.bin filter=rot\n", "x.bin": "hello\n"})
    moved = ground.landing.move("main", ground.repository.tip(), work)
    assert moved.branch == "moot/main" and "filter of yours" in moved.note
    assert not (ground.user / "x.bin").exists() and plain(ground.user, "status", "--short") == ""


@pytest.mark.attack(
    "tree",
    "Files that change are kept in another encoding in the work tree (`working-tree-encoding`), by a rule that is there"
    " or that comes with them",
    "It goes to `moot/TARGET`: no file is put there with other bytes than git would write, and none is left behind",
)
@pytest.mark.parametrize("is_there", [True, False], ids=["there", "comes along"])
def test_a_file_in_another_encoding_is_left_to_git(ground: Ground, is_there: bool) -> None:
    rule = {".gitattributes": "/a.txt working-tree-encoding=UTF-16LE\n"}
    if is_there:
        put(ground.user, rule)
        (ground.user / "a.txt").write_bytes("é\n".encode("utf-16-le"))
        plain(ground.user, "add", ".gitattributes", "a.txt")
        plain(ground.user, "commit", "-q", "-m", "in another encoding")
    work = change(ground, {"a.txt": "é, and more\n"} | ({} if is_there else rule))
    moved = ground.landing.move("main", ground.repository.tip(), work)
    assert moved.branch == "moot/main" and "filter of yours" in moved.note
    assert plain(ground.user, "status", "--short") == ""


def test_a_file_with_a_name_that_is_no_text_is_named_all_the_same(ground: Ground) -> None:
    name = os.fsdecode(b"caf\xe9.txt")
    (ground.user / name).write_text("mine\n")
    moved = ground.landing.move("main", ground.repository.tip(), change(ground, {name: "theirs\n"}))
    assert moved.branch == "moot/main" and "caf" in moved.note.encode().decode()
    assert (ground.user / name).read_text() == "mine\n"


@pytest.mark.attack(
    "tree",
    "Files that change go through a filter that the user's own attributes name, outside of the project",
    "It goes to `moot/TARGET`: those of the user, by any setting, count too",
)
@pytest.mark.parametrize("how", ["shared", "named"])
def test_a_filter_by_the_users_own_attributes_is_seen(
    ground: Ground, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    folder = tmp_path / "config" / "git"
    folder.mkdir(parents=True)
    (folder / ("attributes" if how == "shared" else "mine")).write_text("*.bin filter=rot\n")
    if how == "named":
        (folder / "config").write_text(f"[core]\n\tattributesFile = {folder / 'mine'}\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    work = change(ground, {"x.bin": "hello\n"})
    moved = ground.landing.move("main", ground.repository.tip(), work)
    assert moved.branch == "moot/main" and "filter of yours" in moved.note
    assert not (ground.user / "x.bin").exists()
