"""What an agent is told that has claimed over HTTP: what it can do, as requests in place of commands."""

from typing import Any

import msgspec
from msgspec.structs import replace

from folkmoot.api.views import ClaimView
from folkmoot.doors.http.problems import as_request
from folkmoot.errors import Step

REPORT = Step("report", {"report": {"outcome": "…", "summary": "…"}})
TOKEN = "the header `Authorization: Bearer` with the `bearer` of your claim"
LEAD = f"These requests speak for your run, with {TOKEN}; words in capitals are yours to fill in:"


def in_requests(claim: ClaimView) -> ClaimView:
    """The same claim. Its brief says the same by the same fields; the prompt follows it."""
    brief = claim.brief
    rows = [{**one, "command": as_request(Step(one["call"], one["args"])), "use": one["does"]} for one in _rows(brief)]
    shape = {**brief["report_format"], "how": as_request(REPORT)}
    prompt = claim.prompt and _prompt(claim.prompt, brief, rows)
    return replace(claim, brief={**brief, "meanwhile": rows, "report_format": shape}, prompt=prompt)


def _rows(brief: dict[str, Any]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = brief["meanwhile"]
    return rows


def _prompt(text: str, brief: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    from folkmoot.briefs.prompt import DoorWords, in_words

    given = msgspec.json.encode(REPORT.args).decode()
    report = (
        f"Once, at the end: `POST /v1/report` with {TOKEN}, and as its body `{given}`, where `report` is as follows."
    )
    told = tuple(f"- `{one['command']}` {one['use']}" for one in rows)
    return in_words(text, brief, DoorWords(report, LEAD, told))
