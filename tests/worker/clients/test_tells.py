"""What each client said of its own troubles when it met them, and the line that is made of it."""

import pytest

from folkmoot.worker.clients.catalogue import Catalogue
from folkmoot.worker.clients.listener import listener
from folkmoot.worker.clients.troubles import in_one_line
from folkmoot.worker.ports import Ended
from tests.worker.clients.hearing import SAMPLES

KNOWN = Catalogue.load().clients
CODEX_HALF = (SAMPLES / "codex-half.err").read_text("utf-8")
COPILOT = """Error: No authentication information found.

Copilot can be authenticated with GitHub using an OAuth Token or a Fine-Grained Personal Access Token.

To authenticate, you can use any of the following methods:
  • Start 'copilot' and run the '/login' command
"""
COPILOT_HALF = (
    "GitHub Copilot CLI: no platform package found. Reinstall with `npm install -g @github/copilot` to fetch it."
)
GEMINI = """YOLO mode is enabled. All tool calls will be automatically approved.
Please set an Auth method in your settings.json or specify one of the following environment variables before running
"""
PI = "No API key found for the selected model.\n\nUse /login to log into a provider via OAuth or API key. See:\n  docs"
GOOSE = "\n  error: No provider configured. Run 'goose configure' first.\n"


@pytest.mark.parametrize(
    ("client", "said", "trouble", "begins"),
    [
        (
            "codex",
            CODEX_HALF,
            "program",
            "codex cannot be started: Missing optional dependency @openai/codex-linux-x64",
        ),
        (
            "copilot",
            COPILOT_HALF,
            "program",
            "copilot cannot be started: GitHub Copilot CLI: no platform package found",
        ),
        ("copilot", COPILOT, "login", "copilot is not signed in: No authentication information found; sign in: "),
        ("gemini", GEMINI, "login", "gemini is not signed in: "),
        ("pi", PI, "login", "pi is not signed in: No API key found for the selected model; sign in: "),
        ("goose", GOOSE, "settings", "goose is not set up: No provider configured. Run 'goose configure' first; "),
    ],
)
@pytest.mark.ledger("R-07")
def test_a_client_that_refuses_to_start_is_told_in_its_own_words(
    client: str, said: str, trouble: str, begins: str
) -> None:
    known = KNOWN[client]
    stream = listener(known.speaks, tells=known.tells).finish(Ended(code=1), said)
    assert (stream.cause, stream.trouble, stream.login) == ("environment", trouble, trouble == "login")
    steps = {"login": f"sign in: {known.login.by}"}
    assert in_one_line(client, stream.why, stream.trouble, steps).startswith(begins)


def test_every_trouble_that_a_client_tells_is_one_of_the_list_and_has_words() -> None:
    for known in KNOWN.values():
        assert all(phrase.strip() for phrases in known.tells.values() for phrase in phrases)
