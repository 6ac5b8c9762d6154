"""The one entrance of the ears: whatever dialect an agent wrote in, one Report comes out, or Invalid with every fault.

Canonical JSON is read here and costs nothing more. Everything else (JSON messages, quest reports, the markdown form,
ATTEMPT blocks, signals, all of them in prose or fences) is left to modules that are only then imported.
"""

from typing import Any

from folkmoot.core.enums import OUTCOMES
from folkmoot.core.report import Report
from folkmoot.reports.canonical import PLAIN, Faulty, canonical_report, check_number, decoder, unreadable

REPORT_CHARS_MAX = 1_000_000


def read_report(text: str) -> Report:
    """The report in a text, or Invalid with all that is wrong with it.

    Where a text holds several statements they are united, and nothing is dropped because another came later. If the
    last is broken nothing counts: what an agent said before it must not count as if nothing had come after.
    """
    if len(text) > REPORT_CHARS_MAX:
        raise unreadable([f"it has {len(text)} characters, more than {REPORT_CHARS_MAX}"])
    try:
        said = _read(text)
        check_number(said.extra)
        return said
    except Faulty as error:
        from folkmoot.core.rules.judging.examples import returned_in, tried_in

        raise unreadable(error.faults, tried_in(text), returned_in(text)) from error


def _read(text: str) -> Report:
    data = _whole_object(text)
    if data is None:
        from folkmoot.reports.splits.bare import tasks_alone
        from folkmoot.reports.text_dialects import listen

        data = tasks_alone(text)
        if data is None:
            return listen(text)
    if data.get("outcome") not in OUTCOMES or data.keys() - PLAIN:
        from folkmoot.reports.json_dialects import must_end, report_from_object, report_from_status, signal_report
        from folkmoot.reports.loose.handed import is_handed, without_end
        from folkmoot.reports.loose.names import in_known_case
        from folkmoot.reports.quest import says_status

        data = in_known_case(data)

        said = report_from_object(data) or signal_report(data)
        if said is not None:
            return said
        if is_handed(data):
            raise Faulty([without_end(data["type"], data.get("status"))])
        if says_status(data):
            return report_from_status(data)  # a file that holds nothing else is nobody's log
        if "outcome" not in data:
            must_end(data)
    return canonical_report(data)


def _whole_object(text: str) -> dict[str, Any] | None:
    """The one JSON object that the text is, if it is one; a file that holds nothing else is never a quotation."""
    text = text.strip().strip("\ufeff").strip()
    if not (text.startswith("{") and text.endswith("}")):
        return None
    try:
        data, end = decoder().raw_decode(text)
    except (ValueError, RecursionError):
        from folkmoot.reports.returning.returns import bare_object

        return bare_object(text)  # else listening tells what is wrong with it, if it was meant as a report
    return data if end == len(text) and isinstance(data, dict) else None
