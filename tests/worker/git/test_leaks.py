"""Secrets in a change: those that it adds are found, wherever they are, and nothing else is taken for one."""

import time
from pathlib import Path

import pytest

from folkmoot.worker.git.harvest import leaks as module
from folkmoot.worker.git.harvest.bounds import Patience
from folkmoot.worker.git.harvest.leaks import leaks
from folkmoot.worker.git.words import message
from folkmoot.worker.secrets.redactor import Known
from tests.worker.git.ground import Ground, plain, put

KEY = "fk-93jd82kd02ksl2920dk"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2"  # made up here, so that no file of ours holds one
PEM = f"-----BEGIN {'PRIVATE'} KEY-----\n{'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC' * 2}\n-----END {'PRIVATE'} KEY-----\n"


def known() -> Known:
    found = Known()
    found.add("SERVICE_API_KEY", KEY)
    found.add("DB_PASSWORD", "postgres")  # a word of every project
    found.add("MODEL", "large-model-4")  # passed on, and no secret
    return found


def found(ground: Ground, run: str = "r1") -> list[tuple[str, int, str]]:
    work = ground.snapshot(run)
    assert work.commit
    bounds = Patience("it", 60.0, time.monotonic)
    top = ground.paths(run).workspace
    places = leaks(ground.repository, top, work.base, work.commit, known(), bounds)
    return [(one.path, one.line, one.name) for one in places]


@pytest.mark.attack("secrets", "a run's own key in a file, a name, a link, a binary", "each place is found")
def test_known_values_are_found_wherever_they_are(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    workspace = ground.make()
    put(workspace, {"a.txt": f"one\ntwo {KEY}\n", f"{KEY}.txt": "x\n", "hex.txt": KEY.encode().hex()})
    (workspace / "blob").write_bytes(b"\0\1\2" * 200_000 + KEY.encode() + b"\0")
    (workspace / "wide.txt").write_bytes(f"one\n{KEY}\n".encode("utf-16"))
    (workspace / "link").symlink_to(f"../{KEY}")
    hidden = "[secret:SERVICE_API_KEY].txt"
    places = [(hidden, 0), ("a.txt", 2), ("blob", 1), ("hex.txt", 1), ("link", 1), ("wide.txt", 2)]
    assert found(ground) == [(path, line, "SERVICE_API_KEY") for path, line in places]


@pytest.mark.attack("secrets", "a false mark of UTF-16 before a key, or UTF-16 without one", "each is found")
def test_a_file_is_read_in_every_way_in_which_it_may_be_meant(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    workspace = ground.make()
    (workspace / "a").write_bytes(b"\xff\xfe" + f"key={KEY}".encode())
    (workspace / "b").write_bytes(b"\xfe\xff" + f"one\nkey={TOKEN}".encode())
    (workspace / "c").write_bytes(f"key={KEY}".encode("utf-16-le"))
    (workspace / "d").write_bytes(f"key={KEY}".encode("utf-16-be"))
    (workspace / "e").write_bytes(b"\xff\xfe" + b"\0\1\2" + KEY.encode())
    named = [(path, 1, "SERVICE_API_KEY") for path in "acde"]
    assert found(ground) == [*named, ("b", 2, "")]


def test_a_value_that_lies_across_two_pieces_is_found_once(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    before = "x\n" * (module.CHUNK // 2 - 5)
    put(ground.make(), {"a.txt": f"{before}{KEY}\n", "b.txt": f"{before}{TOKEN}\n"})
    line = module.CHUNK // 2 - 4
    assert found(ground) == [("a.txt", line, "SERVICE_API_KEY"), ("b.txt", line, "")]


def test_what_looks_like_a_secret_is_found_where_it_is_new(tmp_path: Path) -> None:
    files = {"tests/old.txt": f"{TOKEN}\n", "moved.txt": PEM, "env": f"KEY={KEY}\n", "a.txt": "a\n"}
    ground = Ground(tmp_path, files)
    workspace = ground.make()
    (workspace / "moved.txt").rename(workspace / "new-place.txt")
    put(workspace, {"tests/old.txt": f"more\n{TOKEN}\n", "env": f"KEY={KEY}\nMORE=1\n"})
    assert found(ground) == [], "all of it stood in one of these files before"
    put(ground.make("r2"), {"a.txt": f"a\n{TOKEN}\n", "key.pem": PEM, "b.txt": f"{KEY}\n"})
    assert found(ground, "r2") == [("b.txt", 1, "SERVICE_API_KEY"), ("a.txt", 2, ""), ("key.pem", 1, "")]


def test_words_names_and_examples_are_no_secrets(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    lines = [
        "image: postgres",
        "model = 'large-model-4'",
        "if text.startswith('-----BEGIN PRIVATE KEY-----'):",
        "headers = {'x-api-key': apiKeyFromConfiguration}",
        "url = 'postgres://user:password@localhost/db'",
        "key = 'AKIA" + "IOSFODNN7EXAMPLE'",
        "Authorization: Bearer YOUR_ACCESS_TOKEN_HERE",
        "risk-averse-people-and-more-of-them",
    ]
    put(ground.make(), {"a.txt": "\n".join(lines)})
    assert found(ground) == []


def test_looking_takes_time_like_reading(tmp_path: Path) -> None:
    """Both grow with the size: twice as much takes about twice as long, whatever is in it."""
    ground = Ground(tmp_path)
    work = tmp_path / "big"
    line = "https://user:x eyJ sk- ghp_ bearer -----BEGIN authorization: xox akia\n"

    def seconds(size: int) -> float:
        work.write_text(line * (size // len(line)))
        began = time.perf_counter()
        with work.open("rb") as source:
            assert list(module._in_file(source, known(), Patience("it", 600.0, time.monotonic))) == []
        return time.perf_counter() - began

    small = min(seconds(1_000_000) for _ in range(3))
    assert min(seconds(8_000_000) for _ in range(2)) < 24 * small
    assert ground.user.exists()


@pytest.mark.attack("secrets", "control bytes and forged trailers in a commit's message", "letters only, one truth")
def test_a_message_is_letters_and_its_trailers_are_ours(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    base = ground.repository.tip()
    assert base
    words = (
        "A \x1b[31mred\x1b[0m title\x07\n\nAll\rnew \u202egnidaer\u2066 \x9b2J\x00\n"
        "Moot-Item: 99\nmoot-run : r9\nSigned-off-by: Somebody <s@example.com>\nCo-Authored-By: x\nNote: it is done"
    )
    commit = ground.repository.commit(
        ground.repository.tree_of(base), [base], words, trailers={"Moot-Item": "7", "Moot-Run": "r1"}
    )
    said = ground.git("show", "-s", "--format=%B", commit, git_dir=ground.repository.git_dir).out.decode()
    assert said == (
        "A [31mred[0m title\n\nAll\nnew gnidaer 2J\n> Moot-Item: 99\n> moot-run : r9\n"
        "> Signed-off-by: Somebody <s@example.com>\n> Co-Authored-By: x\nNote: it is done\n\n"
        "Moot-Item: 7\nMoot-Run: r1\n\n"
    )
    trailers = ground.git("show", "-s", "--format=%(trailers)", commit, git_dir=ground.repository.git_dir).out.decode()
    assert trailers.split() == ["Moot-Item:", "7", "Moot-Run:", "r1"]
    assert message("", {}) == "Work\n" and message("نمی\u200cخواهم", {}) == "نمی\u200cخواهم\n"
    assert plain(ground.user, "log", "-1", "--format=%s") == "by hand"
