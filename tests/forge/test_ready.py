"""`moot ready` asks the forge before any agent is paid for: whether it shows the repository to whoever asks."""

from pathlib import Path

import pytest

from folkmoot.system.forge.token import GITLAB_VARIABLE, VARIABLE
from tests.doors.conftest import Moot
from tests.forge.github import GitHub
from tests.forge.gitlab import GitLab
from tests.forge.workshop import Workshop
from tests.some import some

WRONG = [
    ("", "good", "pull requests are opened in"),
    ("token", "act", "the forge answers 401"),
    ("repository", "act", "the forge answers 404"),
    ("away", "note", "the forge 127.0.0.1 cannot be reached"),
]


@pytest.mark.parametrize("hub", [GitHub, GitLab])
@pytest.mark.parametrize(
    ("wrong", "state", "words"),
    some(WRONG, [WRONG[0], WRONG[1]]),
)
def test_a_forge_that_would_not_take_the_work_is_told_before_it_is_made(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    hub: type[GitHub],
    wrong: str,
    state: str,
    words: str,
) -> None:
    shop = Workshop(tmp_path, hub=hub)
    path = shop.folder / ".moot" / "flow.yaml"
    if wrong == "token":
        monkeypatch.setenv(VARIABLE, "ghp_wrong")
        monkeypatch.setenv(GITLAB_VARIABLE, "glpat-wrong")
    elif wrong == "repository":
        path.write_text(path.read_text().replace("/shop,", "/shopp,"))
    elif wrong == "away":
        shop.hub.is_down = True
    moot = Moot(shop.folder, capsys, monkeypatch)
    moot("apply")
    (look,) = [one for one in moot("ready", "--json", code=None).json["looks"] if one["look"] == "forge"]
    assert look["state"] == state and words in look["words"]
    monkeypatch.undo()
    shop.close()
