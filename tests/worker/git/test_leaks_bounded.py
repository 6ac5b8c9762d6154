"""However much looks like a secret, looking for it takes time like reading, and ends when it is told to."""

import random
import string
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from folkmoot.core.work import Secret
from folkmoot.worker.git.harvest import leaks as module
from folkmoot.worker.git.harvest.blobs import contents
from folkmoot.worker.git.harvest.bounds import Patience, Stopped
from folkmoot.worker.git.harvest.leaks import leaks
from folkmoot.worker.secrets.redactor import Known
from tests.effort import effort
from tests.worker.git.ground import Ground, put

KEY = "fk-93jd82kd02ksl2920dk"
LETTERS = string.ascii_letters + string.digits
DICE = random.Random(7)


def tokens(count: int) -> str:
    return "".join("ghp_" + "".join(DICE.choices(LETTERS, k=36)) + "\n" for _ in range(count))


def search(ground: Ground, run: str, bounds: Patience) -> Callable[[], list[Secret]]:
    known = Known()
    known.add("SERVICE_API_KEY", KEY)
    work = ground.snapshot(run)
    commit, top = work.commit, ground.paths(run).workspace
    assert commit
    return lambda: leaks(ground.repository, top, work.base, commit, known, bounds)


def patience() -> Patience:
    return Patience("it", 600.0, time.monotonic)


@pytest.mark.attack(
    "harvest", "thousands of made-up tokens beside a large file with one byte more", "looking takes time like reading"
)
def test_many_tokens_beside_a_large_old_file_take_time_like_reading(tmp_path: Path) -> None:
    """Sixteen times as many tokens and as much old text: about sixteen times as long, where each with each is 256."""

    def cost(scale: int) -> float:
        text = "a line of plain words\n" * (10_000 * scale)
        ground = Ground(tmp_path / str(scale), {"old.txt": text})
        workspace = ground.make()
        put(workspace, {"old.txt": text + "x", **{f"new{i}.txt": tokens(500) for i in range(2 * scale)}})
        look = search(ground, "r1", patience())
        assert len(look()) == 2 * scale
        return effort(look, 2)

    small, large = cost(1), cost(16)
    assert large < 48 * max(small, 0.001), f"{small:.3f} s, then {large:.3f} s"


@pytest.mark.attack("harvest", "a worker is stopped in the middle of a long look for secrets", "it hears that and ends")
@pytest.mark.parametrize("where", ["while old files are read", "while new ones are"])
def test_a_stop_is_heard_in_the_middle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    """Each time it is asked, a second has gone: what asks seldom would end before the five that it has left."""
    text = "a line of plain words\n" * 100_000
    ground = Ground(tmp_path, {"a.txt": text})
    put(ground.make(), {"a.txt": text + tokens(2000)})
    asked = stopped = 0
    new = module._in_file

    def now() -> float:
        nonlocal asked
        asked += 1
        return float(asked)

    def old_files(*args: object) -> Iterator[tuple[str, bytes]]:
        nonlocal stopped
        stopped = 1
        yield from contents(*args)  # type: ignore[arg-type]

    def new_file(*args: object) -> Iterator[object]:
        nonlocal stopped
        stopped = 1
        yield from new(*args)  # type: ignore[arg-type]

    if where == "while old files are read":
        monkeypatch.setattr(module, "contents", old_files)
    else:
        monkeypatch.setattr(module, "_in_file", new_file)
    look = search(ground, "r1", Patience("it", 1e9, now, lambda: bool(stopped)))
    with pytest.raises(Stopped):
        look()


@pytest.mark.attack("secrets", "a key behind a thousand tokens that stood there before", "it is found all the same")
def test_what_stood_there_before_hides_nothing_new(tmp_path: Path) -> None:
    before = tokens(1500)
    ground = Ground(tmp_path, {"old.txt": before})
    put(ground.make(), {"old.txt": f"{before}{KEY}\n", "copy.txt": before * 2})
    assert search(ground, "r1", patience())() == [Secret("old.txt", 1501, "SERVICE_API_KEY")]
    put(ground.make("r2"), {"old.txt": before + tokens(1)})
    assert search(ground, "r2", patience())() == [Secret("old.txt", 1501, "")]


def test_of_too_many_places_the_first_are_listed_and_known_values_before_all(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    many = {f"{i:03}.txt": tokens(1) for i in range(module.SECRETS_MAX + 5)}
    put(ground.make(), {**many, "z.txt": f"{KEY}\n"})
    found = search(ground, "r1", patience())()
    assert found[0] == Secret("z.txt", 1, "SERVICE_API_KEY") and found[-1] == Secret("", 0, "")
    assert found[1] == Secret("000.txt", 1, "") and len(found) == module.SECRETS_MAX + 1


@pytest.mark.attack(
    "secrets", "a private key where another one, or its first line, stood before", "the new one is found"
)
def test_a_private_key_is_not_excused_by_another(tmp_path: Path) -> None:
    first, last = f"-----BEGIN {'PRIVATE'} KEY-----\n", f"-----END {'PRIVATE'} KEY-----\n"
    head = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ"

    def pem() -> str:
        body = head + "".join(DICE.choices(LETTERS, k=78))
        return f"{first}{body[:64]}\n{body[64:]}\n{last}"

    old, new = pem(), pem()
    ground = Ground(tmp_path, {"old.pem": old, "doc.txt": first})
    put(ground.make(), {"old.pem": old + "\n", "doc.txt": first + "more\n", "copy.pem": old, "new.pem": new})
    assert search(ground, "r1", patience())() == [Secret("new.pem", 1, "")]
