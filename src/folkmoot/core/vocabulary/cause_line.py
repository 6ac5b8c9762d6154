"""The one line of a program's output that says why it failed.

Programs print much around it: banners, progress, the way to the place that failed, what to do next, and that a program
which they started failed too. The line is looked for by how tools mark it, the surest marks first, then by words.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from folkmoot.core.vocabulary.patterns import pattern

LINE_MAX = 200  # characters that are shown
READ_MAX = 100_000  # characters of an output that are looked at: half from its beginning, half from its end
_BODIES_MAX = 20  # places at which a body in JSON is looked for
_PLACES_MAX = 400  # characters of a line in which a mark is looked for
_BODY = "\ue000"  # stands where a body in JSON told an error

_COLOURS = pattern(
    r"\x1b\[[0-9;?]{0,20}[ -/]?[@-~]|\x1b\][^\x07\x1b]{0,200}(?:\x07|\x1b\\)?|\x1b[@-_]?|[\x00-\x08\x0b\x0c\x0e-\x1f]"
)
_STAMP = pattern(r"^\[?\d{4}-\d\d-\d\d[T ][\d:.,]{5,20}(?:Z|[+-]\d\d:?\d\d)?\]?[ :]{0,3}|^\[\d\d:\d\d:\d\d\] ")
_LEVEL = pattern(
    r"^\[?(?:ERROR|FATAL|CRITICAL|SEVERE)\]?(?:[ :]{1,3}[\w.]{1,60}(?:::[\w.]{1,60}){1,6}:)?[ :]{1,5}(?=\S)"
)
_GENERIC = pattern(r"^(?:error|fatal error|failed)(?:: |! )(?=\S)|^E {1,10}(?=\S)", re.IGNORECASE)

# What says nothing: signs alone, progress, warnings, and what tools say around a failure.
_NOISE = pattern(
    r"^[^\w]{0,400}$|\d{1,3}(?:\.\d)?% ?[|█#=\[]|^(?:npm warn|warning\b|WARN\b|DEBUG\b|INFO\b|note: |hint: |= note)"
    r"|^npm (?:ERR!|error)(?:$| (?:code|errno|syscall|path|dest|command) |.{0,4}A complete log of this)|^npm notice"
    r"|^Node\.js v\d|^Require stack:|^Traceback \(most recent|^usage: |^> \S+@\S+ \S+$"
    r"|^(?:Downloading|Collecting|Compiling|Fetching|Installing|Resolving) "
    r"|^rootdir: |^plugins: |^platform |^collected \d|^configfile: ",
    re.IGNORECASE,
)
# That something which was started has failed: true, and of no use while the thing itself has said why.
_ABOVE = pattern(
    r"^make(?:\[\d+\])?: \*\*\* \[|ELIFECYCLE|returned non-zero exit status|^(?:FAIL|exit status \d+)$"
    r"|^npm (?:ERR!|error) (?:Lifecycle script|Test failed|Exit status|command failed)"
    r"|^error:? (?:Command failed with exit code|could not compile|test failed, to rerun|aborting due to)"
    r"|^error: process .{1,200} did not complete successfully|^FAILED \((?:failures|errors)="
    r"|^error: script .{1,80} exited with code|^ERROR: Job failed",
    re.IGNORECASE,
)
_SUMMARY = pattern(r"^(?:FAILED|ERROR) (\S{1,200}) - (.{1,300})$")  # of pytest
_RAISED = pattern(r"^(?:[A-Za-z_]\w{0,60}\.){0,6}[A-Za-z_]\w{2,60}(?:: .{0,2000})?$")
_CHAINED = ("During handling of the above exception", "The above exception was the direct cause")
_UNITTEST = pattern(r"^(?:FAIL|ERROR): (\w{1,100}) \(.{1,200}\)$")
_GO_TEST = pattern(r"^\s{0,20}--- FAIL: (\S{1,200})")
_PANIC = pattern(r"^thread '.{1,100}' (?:\(\d+\) )?panicked at (.{1,200}):$")
_NPM = pattern(r"^npm (?:ERR!|error) (?=\S)")
_LOGGED = pattern(r"\blevel=(?:error|fatal)\b.{0,300}?\bmsg=\"?([^\"]{1,300})")
_MARKED = pattern(
    r"^(?:[\w./@+-]{1,100}: )?(?:fatal|error|panic|fatal error)(?:\[\w{1,12}\])?: ?\S"
    r"|^(?:Uncaught )?(?:[A-Za-z_$][\w$]{0,60}\.){0,6}\w{0,60}(?:Error|Exception)(?: \[\w{1,40}\])?: \S"
    r"|^[^\s:(]{1,200}[:(]\d{1,7}(?:[:,]\d{1,7})?\)?:? (?:- )?(?:fatal )?error\b|^\S{1,200}\.go:\d{1,7}:\d{1,7}: \S"
    r"|^(?:/\S{1,40}/)?(?:ba|da|z|k)?sh: .{1,200}(?:not found|no such file|denied|syntax error|cannot|can't)"
    r"|^E {2,10}\S|^E: \S|^make(?:\[\d+\])?: \*\*\* (?!\[)\S|^not ok \d|^\s{0,6}[●✕✖✗×] \S"
    r"|^API Error\b|^Caused by: \S|^Exception in thread .{1,60}: \S|^ERR!? \S",
    re.IGNORECASE,
)
_FAILURE = pattern(
    r"\b(?:fail(?:ed|ure|s)?|cannot|can't|could not|couldn't|unable|denied|refused|missing|not found|invalid|unknown"
    r"|unauthori[sz]ed|forbidden|no such|timed out|timeout|not (?:logged|signed) in|exceeded|expired|must be|required"
    r"|not (?:installed|supported|allowed|available|set|configured)|too (?:many|large|long)|no space|unexpected"
    r"|unsupported|disconnected)\b",
    re.IGNORECASE,
)
_OF_THE_MACHINE = pattern(
    r"address (?:is )?already in use|EADDRINUSE|port \d{1,5} (?:is )?(?:already )?(?:in use|taken)"
    r"|no space left on device|ENOSPC|cannot allocate memory|ENOMEM|too many open files|EMFILE",
    re.IGNORECASE,
)
_FRAME = pattern(r"^\s{2,12}at \S")
_MESSAGES = ("message", "error", "detail", "details", "error_description", "msg", "reason", "title")


def cause_line(text: str, most: int = LINE_MAX) -> str:
    """The line that says why; empty where nothing was said."""
    lines = list(_cleaned(_without_bodies(_ends(text))))
    told = [line for line in lines if not _NOISE.match(line.strip()[:_PLACES_MAX])]
    return _cut(_summed(told) or _marked(lines) or _hinted(told) or (told[-1] if told else ""), most)


def is_of_the_machine(line: str) -> bool:
    """Does it name what the machine lacks, and nothing that a change of the work could mend?"""
    return _OF_THE_MACHINE.search(line) is not None


def _ends(text: str) -> str:
    half = READ_MAX // 2
    return text if len(text) <= READ_MAX else f"{text[:half]}\n{text[-half:]}"


def _cleaned(text: str) -> Iterator[str]:
    """Without colours, what a progress bar has written over, and the time at which a line was logged."""
    for line in _COLOURS.sub("", text.replace("\r\n", "\n")).split("\n"):
        shown = next((part for part in reversed(line.split("\r")) if part.strip()), "")
        yield _STAMP.sub("", shown.rstrip())


def _summed(lines: Sequence[str]) -> str:
    """A tool's own short account, which names what failed and why."""
    found = [match for line in lines if (match := _SUMMARY.match(line))]
    if not found:
        return ""
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return f"{found[0].group(1)}: {found[0].group(2)}{more}"


def _marked(lines: Sequence[str]) -> str:
    """The first line that a tool marks as its error, with what belongs to it."""
    name = ""  # of the test that the lines are about
    for at, line in enumerate(lines):
        short = line[:_PLACES_MAX]
        if short.startswith("Traceback (most recent call last)"):
            if raised := _raised(lines, at):
                return f"{name}: {raised}" if name else raised
        elif unit := _UNITTEST.match(short):
            name = unit.group(1)
        elif test := _GO_TEST.match(short):
            return f"{test.group(1)}: {_next(lines, at)}".rstrip(": ")
        elif panicked := _PANIC.match(short):
            return f"{_next(lines, at)} ({panicked.group(1)})"
        elif logged := _LOGGED.search(short):
            return logged.group(1)
        elif _ABOVE.match(short) or _NOISE.match(short.strip()):
            continue
        elif npm := _NPM.match(short):
            return line[npm.end() :]
        elif _BODY in short or _MARKED.match(short) or _LEVEL.match(short) or _thrown(lines, at):
            return line
    return ""


def _raised(lines: Sequence[str], at: int) -> str:
    """What a traceback ends with; of a chain of them the last, which nobody caught."""
    raised = ""
    for line in lines[at + 1 :]:
        if line.startswith((" ", "\t")) or not line.strip():
            continue
        if line.startswith(("Traceback (most recent", *_CHAINED)):
            raised = ""
        elif raised:
            break
        else:
            raised = line if _RAISED.match(line) else raised
            if not raised:
                break
    return raised


def _thrown(lines: Sequence[str], at: int) -> bool:
    """Does the way to this line stand below it, as that of an error in JavaScript or Java does?"""
    line = lines[at]
    return bool(line) and not line.startswith((" ", "-", "Require stack")) and bool(_FRAME.match(_after(lines, at)))


def _after(lines: Sequence[str], at: int) -> str:
    return lines[at + 1][:_PLACES_MAX] if at + 1 < len(lines) else ""


def _next(lines: Sequence[str], at: int) -> str:
    return next((line.strip() for line in lines[at + 1 : at + 10] if line.strip()), "")


def _hinted(lines: Sequence[str]) -> str:
    """The first line with words of failure; one that only says that a program failed comes last."""
    found = [line for line in lines if _FAILURE.search(line[:_PLACES_MAX])]
    return next((line for line in found if not _ABOVE.match(line)), found[0] if found else "")


def _cut(line: str, most: int) -> str:
    words = _LEVEL.sub("", " ".join(line.replace(_BODY, "").split()))
    while _GENERIC.match(words):
        words = _GENERIC.sub("", words, count=1)
    return words if len(words) <= most else f"{words[: most - 1].rstrip()}…"


# Bodies in JSON


def _without_bodies(text: str) -> str:
    """Each body in JSON that tells an error, as its message."""
    import json  # only this needs it, and every command imports this module

    parts, at, tried = [], 0, 0
    decoder = json.JSONDecoder()
    while tried < _BODIES_MAX and (start := text.find("{", at)) >= 0:
        tried += 1
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            parts.append(text[at : start + 1])
            at = start + 1
            continue
        told = message_of(value)
        before = text[at:start]
        parts.append(f"{before.removesuffix('[')}{_BODY}{told}" if told else before + text[start:end])
        at = end
        if told:  # what comes behind a body on its line is an address or an id
            line_end = text.find("\n", end)
            at = line_end if line_end >= 0 else len(text)
    return "".join([*parts, text[at:]])


def message_of(value: Any, depth: int = 5) -> str:
    """What a body says in words: `{"error": {"message": "…"}}` and its like; empty where it tells no error."""
    if depth == 0:
        return ""
    if isinstance(value, list):
        return next((told for one in value[:5] if (told := message_of(one, depth - 1))), "")
    if not isinstance(value, dict):
        return ""
    for name in ("error", "errors", "message", *_MESSAGES):
        found = value.get(name)
        if isinstance(found, str) and found.strip():
            inner = _inner(found, depth)
            return inner or found.strip()
        if told := message_of(found, depth - 1):
            return told
    return ""


def _inner(text: str, depth: int) -> str:
    """Some put the body of another server, as text, into their own message."""
    if not text.lstrip().startswith(("{", "[")):
        return ""
    import json

    try:
        return message_of(json.loads(text), depth - 1)
    except (ValueError, RecursionError):
        return ""
