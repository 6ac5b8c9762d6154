"""The misfortunes that are planted, each in a place of its own, with real processes and real git."""

import json
import os
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.clients.clients import CLIENTS, search_path
from tests.clients.model import Model
from tests.clients.scene import pointer
from tests.misfortunes.place import Json, Place, Seen, by_command, flow

MANY = 3  # items of one pool, so that it is seen that one question is asked for all
QUIET: Json = {"silence": "4s"}
NO_PAUSES = {"GOOSE_PROVIDER_SKIP_BACKOFF": "true"}  # between the tries of one request
SAMPLES = Path(__file__).parents[1] / "worker" / "clients" / "samples"


@dataclass(frozen=True)
class Misfortune:
    """What is planted, and what must be in the line that a person is shown."""

    name: str
    what: str
    play: Callable[[Path], Seen]
    says: str  # words of the line
    step: str = ""  # words of the next step, or of the line
    client: bool = False  # it is played with goose and a scripted model, with nothing but loopback around it
    items: int = 1
    slow: bool = False
    root: bool = False  # it needs a small disk


# ---------------------------------------------------------------- with the scripted model


def goose(
    scenario: str, limits: Json | None = None, items: int = MANY, settings: dict[str, str] | None = None
) -> Callable[[Path], Seen]:
    """goose at work on some items while the model does this."""

    def play(folder: Path) -> Seen:
        with Model() as model:
            to = pointer("goose", model.address, scenario)
            place = Place(folder, path=os.pathsep.join([str(CLIENTS["goose"].bin), search_path()]))
            chosen = {name: value.replace("ADDRESS", model.address) for name, value in (settings or {}).items()}
            place.begin(
                flow(
                    {"ladder": {"0+": "scripted"}, "run": {"client": "goose"}},
                    limits=limits,
                    models={"scripted": {"client": "goose", "id": "scripted"}},
                    clients={"goose": {"set": {**to.set, **NO_PAUSES, **chosen}}},
                ),
                items,
            )
            out = place.run(until=lambda place: place.asked() or place.happened("pool_paused"))
            return place.see(out)

    return play


# ---------------------------------------------------------------- with other clients, as they were seen


def client(name: str, sample: str, code: int, *, signed_in: bool = False) -> Callable[[Path], Seen]:
    """A client that says what the real one said when this had happened to it."""

    def play(folder: Path) -> Seen:
        place = Place(folder)
        told = "".join(
            f"cat {to} <<'END OF THE SAMPLE'\n{said.read_text('utf-8')}\nEND OF THE SAMPLE\n"  # no box shows our files
            for kind, to in (("jsonl", ""), ("err", ">&2"))
            if (said := SAMPLES / f"{sample}.{kind}").exists()
        )
        place.program(name, f"#!/bin/sh\ncat > /dev/null\n{told}exit {code}\n")
        if signed_in:
            place.env["ANTHROPIC_API_KEY"] = "test-key"
        place.begin(flow({"run": {"client": {"claude": "claude-code"}.get(name, name)}}), MANY)
        return place.see(place.run(until=lambda place: place.asked() or place.happened("pool_paused")))

    return play


def not_installed(folder: Path) -> Seen:
    place = Place(folder).begin(flow({"run": {"client": "codex"}}), MANY)
    return place.see(place.run())


def expired(folder: Path) -> Seen:
    place = Place(folder)
    place.program("claude", "#!/bin/sh\nexit 1\n")
    (place.home / ".claude").mkdir()
    login = {"claudeAiOauth": {"accessToken": "a", "expiresAt": int(time.time() * 1000) - 3_600_000}}
    (place.home / ".claude" / ".credentials.json").write_text(json.dumps(login), "utf-8")
    place.begin(flow({"run": {"client": "claude-code"}}), MANY)
    return place.see(place.run(until=lambda place: place.asked() or place.happened("pool_paused")))


# ---------------------------------------------------------------- agents, gates and the repository


def plain(habit: str = "good", items: int = 1, **more: Any) -> Callable[[Path], Seen]:
    def play(folder: Path) -> Seen:
        place = Place(folder).begin(by_command(habit, **more), items)
        return place.see(place.run(until=Place.asked))

    return play


def gate(*command: str, **more: Any) -> Json:
    return {"gates": {"tests": {"run": list(command), **more}}}


OFF = {"check.py": "assert 1 + 1 == 3, 'arithmetic is off'\n"}


def red_main(folder: Path) -> Seen:
    """At a terminal, where it is asked before any agent begins."""
    place = Place(folder, files=OFF).begin(by_command(**gate(sys.executable, "check.py")))
    return place.see(place.at_terminal("Begin all the same?", "n\n"))


def red_at_night(folder: Path) -> Seen:
    """It is said, and begins: nobody could be asked."""
    place = Place(folder, files=OFF).begin(by_command(**gate(sys.executable, "check.py")), MANY)
    return place.see(place.run(until=Place.asked))


def changed_tree(habit: str, spoil: Callable[[Place], None], look: str = "") -> Callable[[Path], Seen]:
    """Something is the matter with the user's own tree when the work is to land."""

    def play(folder: Path) -> Seen:
        place = Place(folder).begin(by_command(habit))
        spoil(place)
        return place.see(place.run(until=Place.asked), look)

    return play


def dirty(place: Place) -> None:
    (place.root / "README.md").write_text("# A project that I am writing about\n", "utf-8")


def detached(place: Place) -> None:
    place.git("checkout", "--quiet", "--detach")


def rebasing(place: Place) -> None:
    place.git("checkout", "--quiet", "-b", "other")
    (place.root / "README.md").write_text("# Theirs\n", "utf-8")
    place.git("commit", "--quiet", "--all", "--message=Theirs")
    place.git("checkout", "--quiet", "main")
    (place.root / "README.md").write_text("# Ours\n", "utf-8")
    place.git("commit", "--quiet", "--all", "--message=Ours")
    place.git("rebase", "--quiet", "other", check=False)


def deleted(place: Place) -> None:
    place.git("checkout", "--quiet", "-b", "other")
    place.git("branch", "--quiet", "-D", "main")


def port_taken(folder: Path) -> Seen:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        words = f"import socket; socket.create_server(('127.0.0.1', {port}))"
        place = Place(folder).begin(by_command(**gate(sys.executable, "-c", words)), MANY)
        seen = place.see(place.run(until=Place.asked))
        seen.line = seen.line.replace(str(port), "PORT")
        return seen


def submodule(folder: Path) -> Seen:
    library = Place(folder / "other", files={"used.txt": "used\n"})
    place = Place(folder)
    allowed = ("-c", "protocol.file.allow=always")
    place.git(*allowed, "submodule", "--quiet", "add", str(library.root), "lib")
    place.git("commit", "--quiet", "--message=Use a library")
    place.begin(by_command("library"))
    return place.see(place.run(until=Place.asked))


def large_files(folder: Path) -> Seen:
    place = Place(folder, files={".gitattributes": "*.png filter=lfs diff=lfs merge=lfs -text\n"})
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 1000\n"
    (place.root / "logo.png").write_text(pointer, "utf-8")
    place.git("add", ".")
    place.git("commit", "--quiet", "--message=Add a logo")
    place.begin(by_command("media"))
    return place.see(place.run(until=Place.asked))


def full_disk(folder: Path) -> Seen:
    """The folder is a small disk."""
    place = Place(folder).begin(by_command("fills"))
    return place.see(place.run(until=Place.asked))


SETUP = [["sh", "-c", "echo fetching; echo 'error: no lock file' >&2; echo try again; exit 3"]]
PROXY = {"OPENAI_HOST": "http://provider.invalid", "HTTP_PROXY": "ADDRESS", "http_proxy": "ADDRESS"}


def by_goose(name: str, what: str, says: str, play: Callable[[Path], Seen], **more: Any) -> Misfortune:
    return Misfortune(name, what, play, says, client=True, **{"items": MANY, **more})


MISFORTUNES = [
    Misfortune("not installed", "the client's program is not there", not_installed, "codex", items=MANY),
    Misfortune(
        "half installed",
        "the client's launcher is there, and its package for this platform is not",
        client("codex", "codex-half", 1),
        "codex",
        items=MANY,
    ),
    Misfortune(
        "not signed in",
        "nobody has signed in to the client",
        client("claude", "claude-login", 1),
        "is not signed in",
        "sign in",
        items=MANY,
    ),
    Misfortune("expired login", "the client's login has ended", expired, "expired", "claude", items=MANY),
    by_goose("401", "the provider refuses the key", "goose is not signed in (401)", goose("err401")),
    by_goose("402", "the account has no credit", "goose has no credit left (402)", goose("err402")),
    by_goose("403", "the account may not use this", "goose is refused access (403)", goose("err403")),
    by_goose("429", "the quota is used up, until nobody says when", "no quota left", goose("err429-none")),
    Misfortune(
        "429 with reset",
        "the quota is used up, until a time that the client tells",
        client("claude", "claude-reset", 1, signed_in=True),
        "no quota left",
        items=MANY,
    ),
    by_goose("500", "the provider fails", "its provider fails (500)", goose("err500")),
    by_goose("hang", "the provider takes a request and never answers", "said nothing for 4s", goose("hang", QUIET)),
    by_goose("cut stream", "an answer breaks off in its middle", "lost the connection", goose("cut")),
    by_goose(
        "DNS gone",
        "the provider's name cannot be looked up",
        "cannot reach its provider",
        goose("work", settings={"OPENAI_HOST": "http://provider.invalid"}),
    ),
    by_goose(
        "proxy refused",
        "a proxy stands before the provider, and refuses",
        "refused by the proxy (407)",
        goose("work", settings=PROXY),
    ),
    by_goose(
        "model name unknown", "the provider has no model of this name", "does not have that model", goose("errmodel")
    ),
    by_goose(
        "context full", "the prompt is too long for the model", "full context", goose("errsize", items=1), items=1
    ),
    Misfortune("no report", "the agent ends without a report", plain("silent"), "brought no report"),
    Misfortune("empty change", "the agent says done, and has changed nothing", plain("empty"), "no file changed"),
    Misfortune("red main", "the gate is red before anybody has worked", red_main, "arithmetic is off"),
    Misfortune(
        "red main at night", "the same, and nobody sits at a terminal", red_at_night, "arithmetic is off", items=MANY
    ),
    Misfortune(
        "dirty tree",
        "the user has changed a file that the work changes too",
        changed_tree("readme", dirty),
        "README.md",
    ),
    Misfortune(
        "detached HEAD",
        "the user's tree stands on no branch",
        changed_tree("readme", detached, "branch"),
        "HEAD is detached",
    ),
    Misfortune(
        "rebase under way",
        "the user is in the middle of a rebase",
        changed_tree("good", rebasing, "branch"),
        "a rebase of main is under way",
    ),
    Misfortune("branch deleted", "the branch that the work is for is gone", changed_tree("good", deleted), "main"),
    Misfortune("disk full", "an agent fills the disk", full_disk, "filled the disk", root=True),
    Misfortune("setup red", "`setup` fails", plain(items=MANY, agent={"setup": SETUP}), "no lock file", items=MANY),
    Misfortune(
        "gate missing",
        "the gate's program is not there",
        plain(items=MANY, **gate("no-such-check")),
        "no-such-check",
        items=MANY,
    ),
    Misfortune(
        "gate hangs",
        "the gate does not end",
        plain(items=MANY, **gate("sleep", "60", timeout="1s")),
        "longer than",
        items=MANY,
    ),
    Misfortune("port taken", "the gate needs a port that is taken", port_taken, "Address already in use", items=MANY),
    Misfortune(
        "file too large",
        "the change holds a file that is larger than the flow allows",
        plain("large", limits={"change_bytes": 1_000_000}),
        "change_bytes",
    ),
    Misfortune("submodule", "the agent changes files of a submodule", submodule, "lib"),
    Misfortune("LFS", "the agent changes a file that Git LFS keeps", large_files, "logo.png"),
]
BY_NAME = {one.name: one for one in MISFORTUNES}


if __name__ == "__main__":
    print(json.dumps(BY_NAME[sys.argv[1]].play(Path(sys.argv[2])).__dict__))
