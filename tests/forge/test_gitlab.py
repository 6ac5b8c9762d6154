"""The port to GitLab, against a server that behaves as the real one does; and all of the way with it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from msgspec.structs import replace

from folkmoot.core.enums import ForgeKind
from folkmoot.core.flow import Land
from folkmoot.core.proposals.proposal import Proposal, Seen, meaning
from folkmoot.errors import Refused
from folkmoot.system.forge.gitlab import GitLab as Port
from folkmoot.system.forge.token import GITLAB, Token
from folkmoot.wiring.forge.forges import PUBLIC, _issues_named, place_named, token_of
from folkmoot.wiring.trust import Outside
from folkmoot.worker.forge.port import BEGIN, END, OWN, ForgeAway, ForgeLimited, ForgeRefused, Wish
from tests.forge.github import TOKEN, Pull, git
from tests.forge.gitlab import PROJECT, GitLab
from tests.forge.workshop import Workshop
from tests.some import some

WISH = Wish(branch="moot/1", base="main", title="One", body=f"{BEGIN}proof{END}", draft=True)


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[GitLab]:
    server = GitLab(tmp_path / "hub")
    tree = git(server.repository, "hash-object", "-t", "tree", "-w", "/dev/null")
    first = git(server.repository, "commit-tree", tree, "-m", "first")
    git(server.repository, "update-ref", "refs/heads/main", first)
    server.push("moot/1", "one.txt", "one\n", onto=first)
    yield server
    server.close()


def port(hub: GitLab, token: str = TOKEN) -> Port:
    return Port(hub.api, PROJECT, lambda anew: token, GITLAB.hint)


def proposed(hub: GitLab, forge: Port, wish: Wish = WISH) -> Proposal:
    pulled = forge.propose(wish)
    commit = hub.tip(wish.branch)
    assert commit is not None
    return Proposal(number=pulled.number, url=pulled.url, branch=wish.branch, commit=commit, base=hub.tip("main"))


def seen(forge: Port, proposal: Proposal) -> Seen:
    return forge.state([proposal], "main")[proposal.number]


def means(forge: Port, proposal: Proposal) -> str:
    return meaning(proposal, seen(forge, proposal)).means


def test_a_merge_request_is_opened_once_as_a_draft_and_only_our_part_is_renewed(hub: GitLab) -> None:
    forge = port(hub)
    hub.drop_answers = 1
    with pytest.raises(ForgeAway):
        forge.propose(WISH)
    first = forge.propose(WISH)
    assert len(hub.pulls) == 1 and hub.pulls[first.number].title == "Draft: One"
    assert first.url.endswith(f"/-/merge_requests/{first.number}")
    hub.pulls[first.number].body = f"Please look.\n{BEGIN}old{END}"
    assert forge.propose(WISH) == first
    assert hub.pulls[first.number].body == f"Please look.\n{BEGIN}proof{END}"


def test_the_pipeline_is_the_check_and_green_is_only_what_is_shown_of_this_commit(hub: GitLab) -> None:
    forge = port(hub)
    proposal = proposed(hub, forge)
    assert means(forge, proposal) == "pending"  # there is none yet
    for status in ("CREATED", "RUNNING", "SKIPPED", "CANCELED", "A_WORD_OF_TOMORROW", ""):
        hub.pipeline(proposal.commit, status)
        assert means(forge, proposal) == "pending", status
    hub.pipeline(proposal.commit, "SUCCESS", of="0" * 40)
    assert means(forge, proposal) == "pending", "of another commit"
    hub.pipeline(proposal.commit, "FAILED", "unit", "may-fail", of="0" * 40)
    assert means(forge, proposal) == "pending", "of another commit"
    hub.pipeline(proposal.commit, "SUCCESS")
    assert means(forge, proposal) == "green"
    hub.pipeline(proposal.commit, "SUCCESS", of="0" * 40, kind="MERGED_RESULT")
    assert means(forge, proposal) == "green"
    hub.pipeline(proposal.commit, "FAILED", "unit", "may-fail")
    found = meaning(proposal, seen(forge, proposal))
    assert found.means == "red" and found.checks[0].words == "failed: unit"
    hub.must_pass = False
    assert means(forge, proposal) == "red"
    hub.pipeline(proposal.commit, "SUCCESS")
    assert means(forge, proposal) == "pending", "where none is required, nothing is green"


def test_threads_are_told_and_what_is_said_below_is_not(hub: GitLab) -> None:
    forge = port(hub)
    proposal = proposed(hub, forge)
    hub.says(proposal.number, "why?")
    hub.says(proposal.number, "buy my things", role="No access")
    hub.says(proposal.number, "changed this line", system=True)
    hub.says(proposal.number, "nice weather", resolvable=False)
    hub.says(proposal.number, "settled")
    hub.pulls[proposal.number].threads[-1]["resolved"] = True
    told = meaning(proposal, seen(forge, proposal)).said
    assert [(one.text, one.path, one.line) for one in told] == [("why?", "one.txt", 1)]


def test_merged_closed_moved_behind_and_dirty_are_told_apart(hub: GitLab) -> None:
    forge = port(hub)
    proposal = proposed(hub, forge)
    hub.strict = True
    hub.push("main", "two.txt", "two\n")
    assert seen(forge, proposal).fits == "unknown"
    assert means(forge, proposal) == "behind"
    hub.push("main", "one.txt", "other\n")
    assert means(forge, proposal) == "dirty"
    hub.push("moot/1", "three.txt", "three\n")
    assert means(forge, proposal) == "changed"
    hub.shut(proposal.number)
    assert means(forge, proposal) == "closed"


@pytest.mark.parametrize("straight", [True, False])
def test_exactly_the_pinned_commit_is_merged(hub: GitLab, straight: bool) -> None:
    forge = port(hub)
    proposal = proposed(hub, forge, replace(WISH, draft=False))
    hub.goes_straight_on = straight
    hub.pipeline(proposal.commit, "SUCCESS")
    assert not seen(forge, proposal).clear and seen(forge, proposal).clear
    with pytest.raises(ForgeRefused, match="SHA does not match"):
        forge.merge(replace(proposal, commit="0" * 40), "main", queues=False)
    assert forge.merge(proposal, "main", queues=False) == "merged"
    found = seen(forge, proposal)
    assert found.state == "merged" and found.merged == hub.tip("main") and found.by == "ann"
    with pytest.raises(ForgeRefused, match="405"):
        forge.merge(proposal, "main", queues=False)


def test_with_trains_it_is_put_on_one_and_who_asks_for_changes_vetoes(hub: GitLab) -> None:
    forge = port(hub)
    proposal = proposed(hub, forge, replace(WISH, draft=False))
    hub.pipeline(proposal.commit, "SUCCESS")
    with pytest.raises(ForgeRefused, match="Forbidden"):
        forge.merge(proposal, "main", queues=True)
    hub.has_train = True
    assert seen(forge, proposal).queues and forge.merge(proposal, "main", queues=True) == "queued"
    assert seen(forge, proposal).queued
    hub.review(proposal.number, "CHANGES_REQUESTED", "no")
    assert seen(forge, proposal).vetoed and not seen(forge, proposal).clear


def test_fifty_cost_two_questions_and_a_rest_is_kept(hub: GitLab) -> None:
    forge, main = port(hub), hub.tip("main")
    proposals = []
    for number in range(10, 60):
        hub.push(f"moot/{number}", "a.txt", f"{number}\n", onto=main)
        proposals.append(proposed(hub, forge, replace(WISH, branch=f"moot/{number}")))
    hub.asked.clear()
    assert len(forge.state(proposals, "main")) == 50
    assert len(hub.asked) == 2
    hub.secondary = 42
    with pytest.raises(ForgeLimited) as limited:
        forge.state(proposals, "main")
    assert limited.value.seconds == 42


def test_who_may_not_is_told_how_to_sign_in_and_an_unknown_project_is_away(hub: GitLab) -> None:
    with pytest.raises(ForgeRefused) as refused:
        port(hub, "wrong-token-of-somebody").propose(WISH)
    assert "glab auth login" in refused.value.hint and "wrong-token" not in str(refused.value.as_json())
    proposal = proposed(hub, port(hub))
    hub.pulls[proposal.number].state = "OPEN"
    with pytest.raises(ForgeRefused, match="Not Found"):
        Port(hub.api, "acme/other", lambda anew: TOKEN).state([proposal], "main")
    with pytest.raises(Refused, match="glab is not installed") as missing:
        Token({}, lambda name: None, "gitlab.com", GITLAB)()
    assert "MOOT_GITLAB_TOKEN" in missing.value.hint


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workshop]:
    made = Workshop(tmp_path, hub=GitLab, land="merge: when_green, draft: false")
    yield made
    made.close()


def test_propose_red_findings_fix_green_merged_landed(shop: Workshop) -> None:
    hub = shop.hub
    assert isinstance(hub, GitLab)
    fix = "shell test -f one.txt && echo mended > one.txt || echo made > one.txt"
    item = shop.add("One", fix, "report done")
    shop.work()
    number = shop.pull(item)
    first = hub.head(number)
    hub.pipeline(first, "FAILED", "unit")
    shop.work()
    second = hub.head(number)
    assert second != first and shop.item(item).span.reds == {"done": 1}, shop.words()
    assert git(hub.repository, "show", f"{second}:one.txt") == "mended"
    hub.pipeline(second, "SUCCESS")
    shop.work()
    shop.work()
    row = shop.item(item)
    assert (row.status, row.landed) == ("done", hub.tip("main")) and shop.main("one.txt") == "mended", shop.words()
    assert [event["event"] for event in shop.board.log(item=item)].count("work_landed") == 1
    assert len(hub.pulls) == 1 and hub.seen_tokens == {TOKEN}


def waiting(shop: Workshop) -> tuple[str, int, GitLab]:
    item = shop.add("One", "write one.txt made", "report done")
    shop.work()
    number = shop.pull(item)
    shop.look()  # whether it can be merged is found out later
    assert isinstance(shop.hub, GitLab)
    shop.hub.pipeline(shop.hub.head(number), "SUCCESS")
    return item, number, shop.hub


@pytest.mark.attack(
    "gates",
    "on GitLab, so many threads, or so many replies in one, that a developer's words come too far back to be seen",
    "the forge is not asked to merge what has more words than are looked at: people merge it",
)
@pytest.mark.parametrize("way", some(["threads", "replies"], ["replies"]))
def test_no_flood_of_words_hides_who_may_write(shop: Workshop, way: str) -> None:
    item, number, hub = waiting(shop)
    hub.says(number, "not yet: the name is wrong")
    for word in range(30):
        if way == "threads":
            hub.says(number, f"me too, {word}", role="Guest")
        else:
            thread = hub.pulls[number].threads[-1]["notes"]["nodes"]
            thread.append({**thread[0], "id": f"X{word}", "maxAccessLevelOfAuthor": "Guest"})
    shop.look()
    assert hub.pulls[number].state == "OPEN" and "more was said" in shop.item(item).proposal.stands  # type: ignore[union-attr]


def test_whoever_quotes_the_board_is_heard_before_anything_is_merged(shop: Workshop) -> None:
    item, number, hub = waiting(shop)
    hub.says(number, f"> Done. {OWN}\n\nnot yet: the name is wrong")
    shop.look()
    assert hub.pulls[number].state == "OPEN" and shop.item(item).column == "dev"


@pytest.mark.attack(
    "gates",
    "a stranger opens a merge request from a fork's branch that is called as the board's will be",
    "it is left alone: the board opens its own",
)
def test_a_merge_request_from_a_fork_is_not_ours(shop: Workshop) -> None:
    hub = shop.hub
    assert isinstance(hub, GitLab)
    theirs = hub._new()
    hub.pulls[theirs] = Pull(theirs, "moot/1", "main", "Theirs", "<!-- moot:begin --><!-- moot:end -->", False)
    hub.from_forks = frozenset({theirs})
    item = shop.add("One", "write one.txt made", "report done")
    shop.work()
    assert shop.pull(item) != theirs, shop.words()
    assert hub.pulls[theirs].body == "<!-- moot:begin --><!-- moot:end -->"


@pytest.mark.attack(
    "login",
    "a clone's remote is at somebody's host, and the token of another forge is in the environment",
    "the token goes to its own forge, and elsewhere only where the flow says so",
)
@pytest.mark.parametrize(
    ("address", "land", "goes"),
    [
        ("https://github.com/acme/shop", {}, True),
        ("https://evil.example/acme/shop", {}, False),
        ("https://gitlab.evil.example/acme/shop", {}, False),
        ("git@bitbucket.org:acme/shop.git", {}, False),
        ("https://code.acme.org/acme/shop", {"forge": "github"}, True),
        ("https://code.acme.org/acme/shop", {"api": "https://code.acme.org/api/v3"}, True),
        ("git@gitlab.com:acme/web/shop.git", {}, True),
    ],
)
def test_a_token_goes_to_the_forge_that_it_is_for(
    shop: Workshop, address: str, land: dict[str, Any], goes: bool
) -> None:
    flow = replace(shop.application.queries.flow(), land=Land(mode="pr", **land))
    git(shop.folder, "remote", "set-url", "origin", address)
    named = place_named(shop.home, flow)
    token = token_of(shop.home, named, Outside(shop.home))
    if goes:
        assert token() == TOKEN
    else:
        with pytest.raises(Refused, match="is for git"):
            token()
    for kind in get_args(ForgeKind):
        issues = _issues_named(shop.home, flow, kind, "acme/shop")
        assert issues.is_meant is (issues.api == PUBLIC[kind] or bool(land)), "of issues it is the same"
    git(shop.folder, "remote", "set-url", "origin", str(shop.hub.repository))


def test_the_remotes_address_says_which_forge_it_is(shop: Workshop) -> None:
    flow = shop.application.queries.flow()
    for address, land, expected in [
        ("git@gitlab.com:acme/web/shop.git", {}, ("gitlab", "https://gitlab.com/api/v4", "acme/web/shop")),
        ("https://gitlab.acme.org/acme/shop", {}, ("gitlab", "https://gitlab.acme.org/api/v4", "acme/shop")),
        (
            "https://code.acme.org/acme/shop",
            {"forge": "gitlab"},
            ("gitlab", "https://code.acme.org/api/v4", "acme/shop"),
        ),
        ("https://code.acme.org/acme/shop", {}, ("github", "https://code.acme.org/api/v3", "acme/shop")),
        ("git@github.com:acme/shop.git", {}, ("github", "https://api.github.com", "acme/shop")),
    ]:
        git(shop.folder, "remote", "set-url", "origin", address)
        assert place_named(shop.home, replace(flow, land=Land(mode="pr", **land)))[:3] == expected  # type: ignore[arg-type]
    git(shop.folder, "remote", "set-url", "origin", str(shop.hub.repository))
