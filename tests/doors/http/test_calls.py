"""Every call of the registry over HTTP: the same answers, the same errors, as everywhere."""

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import fields

from folkmoot.api.call import Call
from folkmoot.api.requests import Add, ListItems, Show
from folkmoot.engine.registry import CALLS
from tests.doors.http.served import ADA, Served, served


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("board")) as made:
        yield made


def test_an_item_goes_from_add_over_claim_to_its_report(server: Served) -> None:
    added = server.post("add", title="Users can say hello")
    assert added.status == 200 and added.json["column"] == "code"
    claim = server.post("claim", agent="coder", item=added.json["id"])
    assert claim.status == 200 and claim.json["item"]["id"] == added.json["id"]
    run = claim.json["bearer"]
    said = server.post("comment", run, content="found it")
    assert said.json["comments"][0]["content"] == "found it" and said.json["comments"][0]["author"] == "coder"
    told = server.post("report", run, report={"outcome": "done", "summary": "it says hello"})
    assert told.status == 200 and told.json["column"] == "review"
    assert server.get("show", item=added.json["id"]).json["column"] == "review"


def test_what_the_board_says_elsewhere_is_said_here(server: Served) -> None:
    item = server.board.asked_by(ADA)(Add(title="One", tags=["a", "b"]))
    assert server.get("show", item=item.id).body == msgspec.json.encode(server.board.asked_by(ADA)(Show(item=item.id)))
    assert server.get("list", tag="a").body == msgspec.json.encode(server.board.asked_by(ADA)(ListItems(tag="a")))
    assert server.get("list", open="true").status == 200
    assert server.get("blocked", only=["coder", "reviewer"], unable='{"coder": "it is not here"}').status == 200


@pytest.mark.parametrize("call", [call for call in CALLS if not call.writes], ids=lambda call: call.name)
def test_every_call_that_reads_is_a_get(server: Served, call: Call) -> None:
    needs = {"item": "1", "run": "r00000", "text": "one", "seq": "1"}
    given: dict[str, Any] = {one.name: needs[one.name] for one in fields(call.request) if one.required}
    heard = server.get(call.name, **given)
    assert heard.status in (200, 404) or heard.code == "no_repository", heard
    assert server.send("POST", f"/v1/{call.name}", {}).code == "bad_method"


def test_an_error_has_its_code_its_words_and_the_next_request(server: Served) -> None:
    heard = server.post("move", item="999", column="done")
    assert heard.status == 404 and heard.headers["content-type"] == "application/problem+json"
    assert heard.code == "unknown_item" and heard.json["status"] == 404
    assert heard.json["next"] == [{"call": "list", "method": "GET", "href": "/v1/list", "args": {}}]
    assert "moot " not in heard.json["hint"] and "/v1/list" in heard.json["hint"]
    assert server.post("claim", agent="nobody").code == "unknown_agent"


def test_the_next_request_of_an_error_can_be_sent_as_it_stands(server: Served) -> None:
    item = server.post("add", title="No run yet").json["id"]
    heard = server.get("output", run=item)
    (step,) = heard.json["next"]
    assert (step["method"], step["args"]) == ("GET", {"item": item})
    assert server.send(step["method"], step["href"]).json["id"] == item


@pytest.mark.parametrize(
    "method, path, body, status, code",
    [
        ("POST", "/v1/add", b'{"title": "x"', 400, "bad_request"),
        ("POST", "/v1/add", {"titel": "x"}, 400, "bad_request"),
        ("POST", "/v1/add", {"title": 3}, 400, "bad_request"),
        ("POST", "/v1/add", [], 400, "bad_request"),
        ("POST", "/v1/add", {"title": "x\0"}, 400, "bad_text"),
        ("GET", "/v1/show", None, 400, "bad_request"),
        ("GET", "/v1/show?item=1&item=2", None, 400, "bad_request"),
        ("GET", "/v1/show?itm=1", None, 400, "bad_request"),
        ("GET", "/v1/log?after=x", None, 400, "bad_request"),
        ("GET", "/v1/log?after=%ff", None, 400, "bad_request"),
        ("GET", "/v1/usage?by=moon", None, 400, "bad_request"),
        ("GET", "/v1/nothing", None, 404, "no_route"),
        ("GET", "/v1/show/", None, 404, "no_route"),
        ("DELETE", "/v1/show", None, 405, "bad_method"),
        ("POST", "/v1/report", {"report": {"outcome": "done"}}, 404, "unknown_run"),
        ("POST", "/v1/report", b'{"report": {"outcome": "done", "outcome": "failed"}}', 400, "bad_request"),
        ("POST", "/v1/report", {"report": {"outcome": "dnoe"}}, 400, "unreadable_report"),
    ],
)
def test_what_cannot_be_understood_is_refused_by_name(
    server: Served, method: str, path: str, body: object, status: int, code: str
) -> None:
    heard = server.send(method, path, body)
    assert (heard.status, heard.code) == (status, code)


def test_a_body_that_is_not_said_to_be_json_is_refused(server: Served) -> None:
    """A form of another site can send text without asking first."""
    heard = server.send("POST", "/v1/add", b'{"title": "x"}', headers={"Content-Type": "text/plain"})
    assert (heard.status, heard.code) == (415, "bad_media")


def test_a_request_that_is_too_large_is_refused_before_it_is_read(server: Served) -> None:
    heard = server.send("POST", "/v1/add", None, headers={"Content-Length": "9000000000"})
    assert (heard.status, heard.code) == (413, "too_large")
    assert server.send("POST", "/v1/add", b" " * 2_000_001).status == 413


def test_the_same_key_twice_has_one_effect_and_one_answer(server: Served) -> None:
    once = server.post("add", headers={"Idempotency-Key": "k-1"}, title="Only once")
    again = server.post("add", headers={"Idempotency-Key": "k-1"}, title="Only once")
    assert once.body == again.body and once.status == 200
    other = server.post("add", headers={"Idempotency-Key": "k-1"}, title="Another")
    assert (other.status, other.code) == (409, "key_reused")


def test_a_claim_that_is_repeated_gives_the_same_run_and_token(server: Served) -> None:
    server.post("add", title="Claimed once")
    one = server.post("claim", headers={"Idempotency-Key": "c-1"}, agent="coder")
    two = server.post("claim", headers={"Idempotency-Key": "c-1"}, agent="coder")
    assert one.json["run"] == two.json["run"] and one.json["bearer"] == two.json["bearer"]


def test_a_report_that_is_repeated_is_answered_though_its_run_is_over(server: Served) -> None:
    server.post("add", title="Reported twice")
    run = server.post("claim", agent="coder").json["bearer"]
    sent = {"report": {"outcome": "done", "summary": "done"}}
    one = server.send("POST", "/v1/report", sent, run, {"Idempotency-Key": "r-1"})
    two = server.send("POST", "/v1/report", sent, run, {"Idempotency-Key": "r-1"})
    assert one.status == two.status == 200 and one.body == two.body
    late = server.send("POST", "/v1/report", sent, run)
    assert (late.status, late.code) == (409, "stale_claim")


def test_an_item_that_has_not_changed_is_not_sent_again(server: Served) -> None:
    item = server.post("add", title="Looked at").json["id"]
    shown = server.get("show", item=item)
    again = server.get("show", item=item, headers={"If-None-Match": shown.headers["etag"]})
    assert again.status == 304 and again.body == b"" and again.headers["etag"] == shown.headers["etag"]
    server.post("comment", item=item, content="new")
    assert server.get("show", item=item, headers={"If-None-Match": shown.headers["etag"]}).status == 200


def test_nobody_s_change_is_written_over_unseen(server: Served) -> None:
    item = server.post("add", title="Wanted by two").json["id"]
    etag = server.get("show", item=item).headers["etag"]
    assert server.post("edit", headers={"If-Match": etag}, item=item, title="By one").status == 200
    late = server.post("edit", headers={"If-Match": etag}, item=item, title="By two")
    assert (late.status, late.code) == (412, "version_changed")
    assert late.json["details"]["expected"] + 1 == late.json["details"]["version"]
    assert server.get("show", item=item).json["title"] == "By one"
    assert server.post("cancel", headers={"If-Match": '"x"'}, item=item).code == "bad_request"
    assert server.post("add", headers={"If-Match": etag}, title="One").code == "bad_request"


def test_pages_go_on_where_the_one_before_ended(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        for number in range(5):
            server.board.asked_by(ADA)(Add(title=f"Item {number}"))
        found: list[int] = []
        while events := (page := server.get("log", after=found[-1] if found else 0, limit=2).json)["events"]:
            found += [event["seq"] for event in events]
            assert page["next"] == found[-1]
        assert found == [*range(1, len(found) + 1)] and len(found) >= 5


def test_small_answers_are_sent_at_once(server: Served) -> None:
    """asyncio sees to that only where the socket names its protocol; else each waits for an acknowledgement."""
    assert server.server._listener.proto == socket.IPPROTO_TCP


def test_what_is_sent_tells_no_other_site_and_is_kept_by_nobody(server: Served) -> None:
    for heard in (server.get("board"), server.get("board", None), server.get("nothing")):
        assert heard.headers["cache-control"] == "no-store" and heard.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in heard.headers["content-security-policy"]
        assert not [name for name in heard.headers if name.startswith("access-control")]
        assert "server" not in heard.headers
