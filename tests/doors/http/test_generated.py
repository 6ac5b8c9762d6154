"""Thousands of requests that nobody wrote down: none is answered with a fault of the server's own."""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from folkmoot.doors.http import guard
from folkmoot.doors.http.openapi import document
from folkmoot.engine.registry import CALLS
from tests.doors.http.generated import ADDED_MAX, Generator
from tests.doors.http.served import Served, served

CHECKS = [not_a_server_error, response_schema_conformance, status_code_conformance, content_type_conformance]
MEGA = 1_000_000
GROWTH_MAX = 6 * MEGA
NOT_CALLED = ("/v1/events", "/mcp", "/login")  # they stream, speak another protocol, or need a code


@pytest.fixture(autouse=True)
def no_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "RATES", dict.fromkeys(guard.RATES, (1000000000.0, 1000000000.0)))
    monkeypatch.setattr(guard, "STRANGERS", (1e9, 1e9))


def test_every_operation_of_the_document_has_an_id_of_its_own() -> None:
    paths = document(CALLS, "1")["paths"]
    ids = Counter(operation["operationId"] for methods in paths.values() for operation in methods.values())
    assert [name for name, times in ids.items() if times > 1] == []
    assert {"get", "post", "delete"} == set(paths["/mcp"])


def drawn_from_the_document(server: Served, examples: int) -> Counter[int]:
    """Every route of the OpenAPI document, with what its schema allows: each answer is as the document says."""
    schema = schemathesis.openapi.from_dict(json.loads(server.send("GET", "/openapi.json").body))
    statuses: Counter[int] = Counter()
    for found in schema.get_all_operations():
        assert isinstance(found, Ok), found
        operation = found.ok()
        if operation.path in NOT_CALLED:
            continue

        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            derandomize=True,
            suppress_health_check=[*HealthCheck],
            phases=[Phase.generate],
        )
        @given(case=operation.as_strategy())
        def ask(case: schemathesis.Case) -> None:
            headers = {"Authorization": f"Bearer {server.owner}"}
            answer = case.call(base_url=f"http://{server.host}", headers=headers)
            statuses[answer.status_code] += 1
            case.validate_response(answer, checks=CHECKS)

        ask()
    return statuses


def test_every_answer_is_as_the_openapi_document_says(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        statuses = drawn_from_the_document(server, 8)
    assert sum(statuses.values()) >= 350 and statuses[200] >= 100, statuses


def test_no_request_of_fifteen_hundred_is_answered_with_a_fault(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        generator = Generator(server.host, server.owner, seed=1)
        generator.play(1500)
        generator.close()
        assert generator.statuses[200] > 200 and len(generator.runs) > 20, generator.statuses
        server.board.engine.store.read(lambda reading: reading.head())


def resident(pid: int) -> int:
    pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.slow
def test_a_hundred_thousand_requests_cost_no_fault_and_no_memory(tmp_path: Path) -> None:
    """A server of its own, with its own rates: the generator is many callers, each of whom waits when told to.

    What it keeps has bounds: the last events, a bucket for each of a thousand callers, the store's page cache. The
    first half fills them; the cache is made small, so that it does. A read of the whole board needs memory for a
    moment, as much as there are items; so the second half works on those that there are.
    """
    moot = [sys.executable, "-m", "folkmoot"]
    subprocess.run([*moot, "init", "--no-gate"], cwd=tmp_path, check=True, capture_output=True)
    patience = (
        "import folkmoot.doors.http.guard as g; g.RATES = {r: (1e9, 1e9) for r in g.RATES}; g.STRANGERS = (1e9, 1e9)"
    )
    small = "import folkmoot.store.sqlite.connecting as c; c.SETTINGS += 'PRAGMA cache_size = -1000;'"
    start = f"{patience}; {small}; import sys; sys.argv = ['moot', 'serve', '--port', '0', '--json', '--no-gates']; "
    start += "from folkmoot.wiring import main; main()"
    server = subprocess.Popen([sys.executable, "-c", start], cwd=tmp_path, stdout=subprocess.PIPE)
    try:
        assert server.stdout is not None
        told = json.loads(server.stdout.readline())
        owner = Path(told["token_file"]).read_text().strip()
        host = told["address"].partition("//")[2]
        sizes, statuses = [], Counter[int]()
        for seed in range(20):
            generator = Generator(host, owner, seed, ADDED_MAX if seed < 10 else 0)
            generator.play(5_000)
            generator.tidy()
            generator.close()
            statuses += generator.statuses
            sizes.append(resident(server.pid))
        assert sum(statuses.values()) >= 100_000 and not statuses[500], statuses
        print([round(size / MEGA, 1) for size in sizes])
        # Half a kilobyte kept of each request would be 25 MB.
        assert max(sizes[10:]) < max(sizes[:10]) + GROWTH_MAX, sizes
    finally:
        server.terminate()
        server.wait(30)
        assert server.stdout is not None
        server.stdout.close()
    doctor = subprocess.run([*moot, "doctor", "--json"], cwd=tmp_path, capture_output=True)
    assert json.loads(doctor.stdout)["ok"], doctor.stdout
