"""The port to GitHub, against a server that behaves as the real one does."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from folkmoot.core.proposals.proposal import Proposal, Seen, meaning
from folkmoot.errors import Refused
from folkmoot.system.forge.github import GitHub as Port
from folkmoot.system.forge.github import _graphql_of
from folkmoot.system.forge.http import Http
from folkmoot.system.forge.token import Token
from folkmoot.worker.forge.port import BEGIN, END, OWN, ForgeAway, ForgeLimited, ForgeRefused, Wish
from tests.forge.github import REPO, TOKEN, GitHub, git

WISH = Wish(branch="moot/1", base="main", title="One", body=f"{BEGIN}proof{END}", draft=True)


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitHub]:
    server = GitHub(tmp_path / "hub")
    tree = git(server.repository, "hash-object", "-t", "tree", "-w", "/dev/null")
    first = git(server.repository, "commit-tree", tree, "-m", "first")
    git(server.repository, "update-ref", "refs/heads/main", first)
    server.push("moot/1", "one.txt", "one\n", onto=first)
    yield server
    server.close()


def port(hub: GitHub, token: str = TOKEN) -> Port:
    return Port(hub.address, REPO, lambda anew: token)


def proposed(hub: GitHub, forge: Port, wish: Wish = WISH) -> Proposal:
    pulled = forge.propose(wish)
    commit = hub.tip(wish.branch)
    assert commit is not None
    given = {"number": pulled.number, "url": pulled.url, "node": pulled.node}
    return Proposal(branch=wish.branch, commit=commit, base=hub.tip("main"), **given)  # type: ignore[arg-type]


def seen(forge: Port, proposal: Proposal) -> Seen:
    return forge.state([proposal], "main")[proposal.number]


def means(forge: Port, proposal: Proposal) -> str:
    return meaning(proposal, seen(forge, proposal)).means


def test_a_pull_request_is_opened_once_however_often_it_is_asked_for(hub: GitHub) -> None:
    forge = port(hub)
    first = forge.propose(WISH)
    assert forge.propose(WISH) == first
    assert len(hub.pulls) == 1 and hub.pulls[first.number].draft
    assert first.url.endswith(f"/pull/{first.number}")


def test_a_lost_answer_opens_no_second_one(hub: GitHub) -> None:
    hub.drop_answers = 1
    forge = port(hub)
    with pytest.raises(ForgeAway):
        forge.propose(WISH)
    forge.propose(WISH)
    assert len(hub.pulls) == 1


def test_only_the_boards_part_of_a_description_is_renewed(hub: GitHub) -> None:
    forge = port(hub)
    number = forge.propose(WISH).number
    hub.pulls[number].body = f"Please look.\n{BEGIN}old{END}\nThanks"
    forge.propose(WISH)
    assert hub.pulls[number].body == f"Please look.\n{BEGIN}proof{END}\nThanks"
    hub.pulls[number].body = "mine alone"
    forge.propose(WISH)
    assert hub.pulls[number].body == "mine alone"


def test_a_pull_request_goes_from_pending_to_green_only_by_what_is_shown(hub: GitHub) -> None:
    forge = port(hub)
    proposal = proposed(hub, forge)
    assert means(forge, proposal) == "pending"  # no check is there yet
    hub.check(proposal.commit, "unit")
    assert means(forge, proposal) == "pending"  # a part of them
    hub.check(proposal.commit, "lint", "")
    assert means(forge, proposal) == "pending"  # one has an empty conclusion
    hub.check(proposal.commit, "lint")
    assert means(forge, proposal) == "green"
    hub.pulls[proposal.number].queued = True
    assert meaning(proposal, seen(forge, proposal)).why == "it is in the merge queue"
    hub.check(proposal.commit, "lint", "FAILURE", "2 problems")
    found = meaning(proposal, seen(forge, proposal))
    assert found.means == "red" and found.checks[0].words == "2 problems"


def test_old_kinds_of_checks_count_as_well(hub: GitHub) -> None:
    forge = port(hub)
    proposal = proposed(hub, forge)
    hub.required = ["old"]
    status = {"__typename": "StatusContext", "context": "old", "state": "PENDING", "description": "waits"}
    for word, expected in {"PENDING": "pending", "SUCCESS": "green", "ERROR": "red"}.items():
        hub.checks[proposal.commit] = [{**status, "state": word, "name": "", "targetUrl": ""}]
        assert means(forge, proposal) == expected


def test_reviews_are_told_with_who_may_write_there(hub: GitHub) -> None:
    forge = port(hub)
    proposal = proposed(hub, forge)
    hub.review(proposal.number, "CHANGES_REQUESTED", "too slow")
    hub.review(proposal.number, "APPROVED", "fine")
    hub.review(proposal.number, "COMMENTED", "")
    hub.line_comment(proposal.number, "one.txt", 1, "why?")
    hub.line_comment(proposal.number, "one.txt", 1, "buy my things", role="NONE")
    hub.line_comment(proposal.number, "one.txt", 1, f"in its very words {OWN}")
    found = seen(forge, proposal).said
    assert [(one.text.partition("<")[0].strip(), one.asks, one.may, one.own) for one in found] == [
        ("too slow", True, True, False),
        ("why?", False, True, False),
        ("buy my things", False, False, False),
        ("in its very words", False, True, False),  # the board says nothing in reviews
    ]
    assert found[1].path == "one.txt" and found[1].line == 1
    assert len(meaning(proposal, seen(forge, proposal)).said) == 3


def test_merged_closed_moved_and_behind_are_told_apart(hub: GitHub) -> None:
    forge = port(hub)
    proposal = proposed(hub, forge)
    hub.strict = True
    hub.push("main", "two.txt", "two\n")
    assert seen(forge, proposal).fits == "unknown"  # it is found out later
    assert means(forge, proposal) == "behind"
    hub.push("main", "one.txt", "other\n")
    assert means(forge, proposal) == "dirty"
    hub.push("moot/1", "three.txt", "three\n")
    assert means(forge, proposal) == "changed"
    hub.shut(proposal.number, by="bob")
    assert meaning(proposal, seen(forge, proposal)).why == "it was closed without a merge by bob"


def test_fifty_are_asked_about_at_once_and_what_has_not_changed_costs_nothing(hub: GitHub) -> None:
    forge = port(hub)
    proposals = []
    main = hub.tip("main")
    commit = hub.push("moot/10", "a.txt", "one\n", onto=main)
    for number in range(50):
        git(hub.repository, "update-ref", f"refs/heads/moot/{number + 10}", commit)
        proposals.append(
            proposed(hub, forge, Wish(branch=f"moot/{number + 10}", base="main", title="t", body="", draft=True))
        )
    hub.asked.clear()
    minutes = 10
    clock = 0.0
    forge._now = lambda: clock
    for minute in range(minutes):
        clock = minute * 60.0
        assert len(forge.state(proposals, "main")) == 50
    assert len(hub.asked) <= 2 * minutes
    assert len(hub.asked) == minutes + 2


@pytest.mark.parametrize("status", [403, 404])
def test_where_there_are_no_rule_sets_the_branch_alone_says_what_is_required(hub: GitHub, status: int) -> None:
    hub.rules_status = status
    forge = port(hub)
    assert seen(forge, proposed(hub, forge)).required == ["unit", "lint"]


def test_a_check_that_a_rule_set_names_is_required_too(hub: GitHub) -> None:
    named = {"required_status_checks": [{"context": "deep", "integration_id": 1}]}
    hub.rules = [{"type": "required_status_checks", "parameters": named}]
    forge = port(hub)
    assert seen(forge, proposed(hub, forge)).required == ["unit", "lint", "deep"]


def test_what_may_not_be_known_is_not_asked_for_every_minute(hub: GitHub) -> None:
    forge = port(hub)
    proposal = proposed(hub, forge)
    assert forge.state([proposal], "gone")[proposal.number].required is None
    hub.asked.clear()
    assert forge.state([proposal], "gone")[proposal.number].required is None
    assert [path for _, path, _ in hub.asked] == ["/graphql"]


def ready(hub: GitHub, forge: Port) -> Proposal:
    proposal = proposed(hub, forge, replace(WISH, draft=False))
    hub.green(proposal.number)
    assert not seen(forge, proposal).clear  # it is found out later
    assert seen(forge, proposal).clear
    return proposal


@pytest.mark.parametrize(
    ("allowed", "rules", "parents"),
    [
        (["merge", "squash"], [], 2),
        (["squash", "rebase"], [], 1),
        (["merge", "squash"], [{"type": "required_linear_history"}], 1),
        (["merge", "rebase"], [{"type": "pull_request", "parameters": {"allowed_merge_methods": ["rebase"]}}], 1),
    ],
)
def test_exactly_the_pinned_commit_is_merged_in_a_way_that_is_allowed(
    hub: GitHub, allowed: list[str], rules: list[dict[str, object]], parents: int
) -> None:
    hub.allowed, hub.rules = allowed, rules
    forge = port(hub)
    proposal = ready(hub, forge)
    with pytest.raises(ForgeRefused, match="Head branch was modified"):
        forge.merge(replace(proposal, commit="0" * 40), "main", queues=False)
    assert forge.merge(proposal, "main", queues=False) == "merged"
    commit = hub.pulls[proposal.number].merge_commit
    assert git(hub.repository, "rev-list", "--parents", "-1", str(commit)).count(" ") == parents
    assert seen(forge, proposal).merged == commit
    with pytest.raises(ForgeRefused, match="not mergeable"):
        forge.merge(proposal, "main", queues=False)


def test_where_no_way_to_merge_is_allowed_nothing_is_asked_for(hub: GitHub) -> None:
    hub.allowed = []
    forge = port(hub)
    proposal = ready(hub, forge)
    with pytest.raises(ForgeRefused, match="no way to merge"):
        forge.merge(proposal, "main", queues=False)
    assert "PUT" not in [method for method, _, _ in hub.asked]


def test_a_branch_with_a_queue_is_merged_by_it(hub: GitHub) -> None:
    hub.has_queue = True
    forge = port(hub)
    proposal = ready(hub, forge)
    assert seen(forge, proposal).queues
    with pytest.raises(ForgeRefused, match="no state to be added"):
        forge.merge(replace(proposal, commit="0" * 40), "main", queues=True)
    assert forge.merge(proposal, "main", queues=True) == "queued"
    assert seen(forge, proposal).queued and hub.pulls[proposal.number].state == "OPEN"


def test_who_asks_for_changes_vetoes_a_merge_until_they_approve(hub: GitHub) -> None:
    forge = port(hub)
    proposal = ready(hub, forge)
    hub.review(proposal.number, "CHANGES_REQUESTED", "no", role="NONE")
    assert not seen(forge, proposal).vetoed
    hub.review(proposal.number, "CHANGES_REQUESTED", "too slow")
    hub.review(proposal.number, "COMMENTED", "still")
    assert seen(forge, proposal).vetoed
    hub.review(proposal.number, "APPROVED", "fine")
    assert not seen(forge, proposal).vetoed


def test_what_was_told_before_is_told_again_by_its_mark(hub: GitHub) -> None:
    forge = port(hub)
    forge.propose(WISH)
    forge.propose(WISH)
    left = hub.remaining
    forge.propose(WISH)
    assert hub.asked[-1][2] == 304 and hub.remaining == left


def test_a_used_up_limit_says_until_when(hub: GitHub) -> None:
    forge = port(hub)
    proposal = proposed(hub, forge)
    hub.use_up(300.0)
    with pytest.raises(ForgeLimited) as limited:
        forge.state([proposal], "main")
    assert 250 < limited.value.seconds <= 301
    hub.remaining, hub.secondary = 5_000, 42
    with pytest.raises(ForgeLimited) as limited:
        forge.state([proposal], "main")
    assert limited.value.seconds == 42


def test_two_fifths_are_left_to_the_person(hub: GitHub) -> None:
    forge = port(hub)
    proposal = proposed(hub, forge)
    forge.state([proposal], "main")
    assert forge.rests is None
    hub.remaining, hub.reset_at = 1_990, time.time() + 600
    assert forge.state([proposal], "main") and forge.rests is not None and 500 < forge.rests <= 600


def test_who_may_not_is_told_so_and_the_token_is_in_no_word(hub: GitHub) -> None:
    with pytest.raises(ForgeRefused) as refused:
        port(hub, "wrong-token-of-somebody").propose(WISH)
    assert "gh auth login" in refused.value.hint and "wrong-token" not in str(refused.value.as_json())
    hub.is_down = True
    with pytest.raises(ForgeAway) as away:
        port(hub).propose(WISH)
    assert TOKEN not in str(away.value.as_json())


def test_the_one_comment_of_the_board_is_written_anew(hub: GitHub) -> None:
    forge = port(hub)
    number = hub.issue("A wish", labels=("moot",))
    forge.comment(number, "begun")
    (first,) = [one["id"] for one in hub.comments.values()]
    forge.comment(number, "done", first)
    assert hub.said_below(number) == [f"done\n\n{OWN}"]
    assert [one.link.number for one in forge.issues("moot")] == [number] and forge.issues("other") == []
    forge.close(number)
    assert not forge.issue(number).is_open and forge.issues("moot") == []


@pytest.mark.parametrize(
    ("base", "graphql"),
    [
        ("https://api.github.com", "/graphql"),
        ("https://ghe.example.invalid/api/v3", "/api/graphql"),
        ("https://ghe.example.invalid/api/v3/", "/api/graphql"),
        ("http://127.0.0.1:80", "/graphql"),
    ],
)
def test_graphql_is_answered_beside_rest(base: str, graphql: str) -> None:
    assert _graphql_of(base) == graphql


@pytest.mark.parametrize("base", ["http://ghe.example.invalid/api/v3", "ftp://x", "nothing"])
def test_no_token_goes_out_unencrypted(base: str) -> None:
    with pytest.raises(Refused, match="none that is asked"):
        Http(base, lambda anew: TOKEN)


def test_the_token_is_a_variable_or_that_of_gh(tmp_path: Path) -> None:
    gh = tmp_path / "gh"
    gh.write_text('#!/bin/sh\n[ "$*" = "auth token --hostname github.com" ] && echo of-gh\n')
    gh.chmod(0o755)
    assert Token({"MOOT_GITHUB_TOKEN": "mine"}, lambda name: str(gh), "api.github.com")() == "mine"
    assert Token({}, lambda name: str(gh), "api.github.com")() == "of-gh"
    with pytest.raises(Refused, match="not signed in to ghe"):
        Token({}, lambda name: str(gh), "ghe.example.invalid")()
    with pytest.raises(Refused, match="gh is not installed"):
        Token({}, lambda name: None, "api.github.com")()
    assert subprocess.run([str(gh)], check=False).returncode


NODE = {"number": 1, "state": "OPEN", "headRefOid": "a" * 40}
LIMIT = {"limit": 5_000, "remaining": 1, "resetAt": "soon"}
BAD_ANSWERS: list[object] = [
    [1],
    {"errors": "x"},
    {"data": {"rateLimit": {"limit": 10}, "nodes": []}},
    {"data": {"rateLimit": LIMIT, "nodes": []}},
    {"data": {"rateLimit": None, "nodes": [{**NODE, "commits": {"nodes": [{"commit": None}]}}]}},
    {"data": {"rateLimit": None, "nodes": [{**NODE, "reviews": {"nodes": [{"state": "COMMENTED", "body": "x"}]}}]}},
]


@pytest.mark.parametrize("told", BAD_ANSWERS)
def test_an_answer_in_another_form_is_like_none(hub: GitHub, told: object, monkeypatch: pytest.MonkeyPatch) -> None:
    forge = port(hub)
    proposal = proposed(hub, forge)
    monkeypatch.setattr(hub, "_graphql", lambda body: told)
    with pytest.raises(ForgeAway):
        forge.state([proposal], "main")


def test_half_a_letter_in_a_comment_hides_nothing_else(hub: GitHub) -> None:
    forge = port(hub)
    proposal = proposed(hub, forge)
    hub.line_comment(proposal.number, "one.txt", 1, "cut off here: \ud83d")
    said = seen(forge, proposal).said
    assert [one.text for one in said] == ["cut off here: ?"] and means(forge, proposal) == "red"


@pytest.mark.parametrize("line", [-5, 0, 2**70, True, "7", None])
def test_a_line_that_no_file_has_is_left_out(hub: GitHub, line: object) -> None:
    forge = port(hub)
    proposal = proposed(hub, forge)
    hub.line_comment(proposal.number, "one.txt", line, "rename it")  # type: ignore[arg-type]
    (said,) = seen(forge, proposal).said
    assert said.line is None and said.path == "one.txt"
