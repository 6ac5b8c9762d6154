"""The gate before anything of a run is stored or shown: secrets go out of it as `[secret:NAME]` or `[secret]`.

Everything is looked for within lines (a value of several lines is known by each of them), so what is held back of a
stream is its last unfinished line. The time is linear in the length of the text, whatever the text is.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from folkmoot.worker.secrets.forms import VALUE_CHARS_MIN, folded_parts, forms_of
from folkmoot.worker.secrets.looks import COMMON, HEADER_NAME, NAME_MAX, WORD_MAX, is_a_name, is_plain, looks_random
from folkmoot.worker.secrets.looks import looks_secret as looks_secret
from folkmoot.worker.secrets.said import secrets_in
from folkmoot.worker.secrets.structured import structured_secrets

PIECE_CHARS = 4096  # a longer value is known by its pieces
LINE_CHARS_MAX = 65_536  # an unfinished line that is longer is let out but for its end
WORD_CHARS_MAX = 8192  # so much of its last word is held back
BEFORE_WORD = 128  # and so much before that: "Authorization: Bearer "
BLOB_CHARS = 2048  # of a longer word so much is held back: more than a name and a password in a URL
ENDS_OF_WORDS = " \t\r\"'<>[]{}()"
PEM_LINES_MAX = 200

ENCODED = re.compile(r"^[A-Za-z0-9+/=]*")
FOLD_MAX = 120  # no longer are the lines that programs fold encoded text to
TOKEN = re.compile(r"[A-Za-z0-9_\-.+/=~]{16,}")
ASSIGNED = re.compile(r"^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.\-]{0,200})[ \t]*[=:][ \t]*(\S[^\n]*)$", re.MULTILINE)
USERINFO = re.compile(r"://[^\s/?#@:\[\]\"'<>]{0,256}:([^\s/?#@\[\]\"'<>]{1,1024})@")

# What gives a secret away by its look: a literal that must be there (in any case), the pattern, and which group is
# secret. After an endless run of characters a pattern never fails, so that no text makes it look at one place again and
# again.
_PEM_KIND = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_SK = re.compile(r"sk-[A-Za-z0-9_\-]{16,}")
_JWT = re.compile(r"eyJ[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]+)*")
_PEM = re.compile(
    rf"-----BEGIN {_PEM_KIND}(?:[A-Za-z0-9+/=\\:, \t\r]|-(?!----))*(?P<end>-----END {_PEM_KIND})?", re.ASCII
)
_PEM_BODY = re.compile(r"[\s|>+:.\d\-]{0,16}(?:[A-Za-z0-9+/=]*|[A-Za-z\-]{1,32}: [^\n]{0,200})\s*", re.ASCII)
_PEM_END = re.compile(rf"-----END {_PEM_KIND}")
_PEM_KEY = re.compile(rf"-----BEGIN {_PEM_KIND}[^-]{{0,300}}?[A-Za-z0-9+/]{{40}}", re.ASCII)
_EXAMPLES = ("example", "xxxxxx", "000000", "123456789", "abcdefgh", "placeholder")
_LOOKS: tuple[tuple[str, re.Pattern[str], int], ...] = tuple(
    (literal, re.compile(pattern, flags), group)
    for literal, pattern, flags, group in (
        ("k_", r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}", 0, 0),
        ("gh", r"gh[opsur]_[A-Za-z0-9]{20,}", 0, 0),
        ("github_pat_", r"github_pat_[A-Za-z0-9_]{20,}", 0, 0),
        ("glpat-", r"glpat-[A-Za-z0-9_\-]{16,}", 0, 0),
        ("akia", r"AKIA[0-9A-Z]{16}", 0, 0),
        ("asia", r"ASIA[0-9A-Z]{16}", 0, 0),
        ("xox", r"xox[abcdeoprs]-[A-Za-z0-9\-]{10,}", 0, 0),
        ("xapp-", r"xapp-[A-Za-z0-9\-]{10,}", 0, 0),
        ("aiza", r"AIza[0-9A-Za-z_\-]{30,}", 0, 0),
        ("ya29.", r"ya29\.[0-9A-Za-z_\-]{20,}", 0, 0),
        ("npm_", r"npm_[A-Za-z0-9]{30,}", 0, 0),
        ("pypi-", r"pypi-[A-Za-z0-9_\-]{40,}", 0, 0),
        ("hf_", r"hf_[A-Za-z0-9]{30,}", 0, 0),
        (
            "authorization",
            r"authorization[\"'\\]{0,4}\s{0,4}[:=]\s{0,4}[\"'\\]{0,4}(?:bearer|basic|token)\s{1,4}([A-Za-z0-9._~+/=\-]{6,})",
            re.I,
            1,
        ),
        ("bearer ", r"bearer ([A-Za-z0-9._~+/=\-]{20,})", re.I, 1),
        ("-api-key", r"-api-key[\"'\\]{0,4}\s{0,4}[:=]\s{0,4}[\"'\\]{0,4}([A-Za-z0-9._~+/=\-]{6,})", re.I, 1),
    )
)


class Known:
    """Values that must not get out, each with its name."""

    def __init__(self) -> None:
        self.forms: dict[str, str] = {}  # every form in which a value may be written, with its name
        self.parts: set[str] = set()  # those forms that are only a part of one
        self.longest = 0

    def add(self, name: str, value: str) -> None:
        """Learn a value. Too short a one, or a common word, is not hidden: see VALUE_CHARS_MIN and COMMON."""
        label = re.sub(r"[^\w.~/\-]", "_", name)
        lines = [line.strip() for line in value.split("\n")]
        for line in lines:
            for start in range(0, len(line), PIECE_CHARS):
                self._add(label, line[start : start + PIECE_CHARS])
        if len(lines) > 1:  # on one line: as JSON, or in base64
            for start in range(0, len(value), PIECE_CHARS):
                self._add(label, value[start : start + PIECE_CHARS])

    def _add(self, label: str, value: str) -> None:
        if len(value) < VALUE_CHARS_MIN or value.lower() in COMMON:
            return
        for form in forms_of(value):
            self.forms.setdefault(form, label)
            self.longest = max(self.longest, len(form))
        for part in folded_parts(value):
            if part not in self.forms:
                self.forms[part] = label
                self.parts.add(part)

    def add_environment(self, worker_env: Mapping[str, str], passed: Iterable[str] = ()) -> None:
        """Learn the values of those variables that a client's entry passes on, and of those that sound secret."""
        passed = set(passed)
        for name, value in worker_env.items():
            if looks_secret(name) or name in passed:
                self.add_variable(name, value)
            for match in USERINFO.finditer(value):
                self.add(name, match[1])

    def add_variable(self, name: str, value: str) -> None:
        """Learn the value of a variable that a run gets, if it is a secret by its name or by its look. A setting is
        none: a model, an address, a switch, whatever it is called."""
        if not looks_secret(name) and not looks_random(name, value):
            return
        self.add(name, value)
        if HEADER_NAME.search(name):
            for line in value.split("\n"):
                self.add(name, line.partition(":")[2].strip())

    def add_file(self, name: str, text: str) -> None:
        """Learn what in a credential file looks like a token: long, without spaces, with letters and digits."""
        for match in TOKEN.finditer(text):
            if not match[0].startswith(("/", ".", "~")) and not is_plain(match[0]):
                self.add(name, match[0])

    def add_included(self, name: str, text: str) -> None:
        """Learn what in a file of the user's is a secret by its name or its look; of NAME=value, the value."""
        for variable, value in (*secrets_in(name, text), *structured_secrets(name, text)):
            self.add(variable, value)
        self.add_file(name, ASSIGNED.sub("", text))
        for variable, said in ASSIGNED.findall(text):
            value = said.strip().strip("\"'")
            if looks_secret(variable) or (looks_random(variable, value) and not is_plain(value)):
                self.add(variable, value)
            for match in USERINFO.finditer(value):
                self.add(variable, match[1])


def known_values(
    seen: dict[tuple[str, ...], Known],
    worker_env: Mapping[str, str],
    passed: Sequence[str],
    files: Mapping[str, str],
    values: Mapping[str, str],
    included: Mapping[str, str],
) -> Known:
    """What must not get out of a run: values of the worker's environment, of the run's credential files and settings,
    and of the user's files that its clone got.
    The worker's environment never changes, so what it holds is looked at once, and kept in `seen`."""
    is_plain = not (files or values or included)
    if is_plain and tuple(passed) in seen:
        return seen[tuple(passed)]
    known = Known()
    known.add_environment(worker_env, passed)
    for name, text in files.items():
        known.add_file(name, text)
    for name, text in included.items():
        known.add_included(name, text)
    for name, text in values.items():
        known.add_variable(name, text)
    if is_plain:
        seen[tuple(passed)] = known
    return known


class Redactor:
    """Takes secrets out of text: of a whole one by `clean`, of one stream by `feed` and `flush`."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self._parts: list[str] = []  # of the last line, which is not finished
        self._size = 0
        self._room = LINE_CHARS_MAX + known.longest  # so much of it is kept
        self._pem = 0  # lines of a private key that may still come
        self._word = False  # the rest of a word whose beginning was hidden is still to come

    def clean(self, text: str) -> str:
        """A whole text. Clean text stays as it is, so cleaning twice does no harm."""
        once = Redactor(self.known)
        return once.feed(text) + once.flush()

    def clean_value(self, value: Any) -> Any:
        """The same for every text within lists and dictionaries, like a report that was read from JSON."""
        if isinstance(value, str):
            return self.clean(value)
        if isinstance(value, list | tuple):
            return [self.clean_value(one) for one in value]
        if isinstance(value, dict):
            return {self.clean_value(key): self.clean_value(one) for key, one in value.items()}
        return value

    def spots(self, text: str) -> list[tuple[int, int, str]]:
        """Where secrets are in a whole text: start, end and name."""
        return self._spans(text)

    def feed(self, chunk: str) -> str:
        """More of the stream comes in; what is safe comes out. No secret gets through in two parts."""
        head, newline, tail = chunk.rpartition("\n")
        out = ""
        if newline:
            out = self._block("".join([*self._parts, head, newline]))
            self._parts, self._size = [], 0
        if tail:
            self._parts.append(tail)
            self._size += len(tail)
        if self._size > self._room:
            out += self._part_of_line()
            # Not looked at again before much more has come, however small the chunks are.
            self._room = self._size + LINE_CHARS_MAX + self.known.longest
        return out

    def flush(self) -> str:
        """The stream is over: the rest of it."""
        rest = "".join(self._parts)
        self._parts, self._size = [], 0
        return self._block(rest)

    def _block(self, text: str) -> str:
        """Whole lines."""
        text = self._rest_of_word(text)
        spans = self._private_keys(text, self._spans(text))
        return _hidden(text, spans)

    def _part_of_line(self) -> str:
        """A line without end: all but its last word comes out, and of an endless word all but what may be a value."""
        line = self._rest_of_word("".join(self._parts))
        spans = self._spans(line, over=False)
        if self._pem and _PEM_BODY.fullmatch(line):
            spans = [(0, len(line), "")]
        last = max(line.rfind(char) for char in ENDS_OF_WORDS) + 1
        word = last - BEFORE_WORD if len(line) - last <= WORD_CHARS_MAX else len(line) - BLOB_CHARS
        cut = max(0, min(word, len(line) - self.known.longest))
        place = bisect_right(spans, (cut, len(line), "")) - 1
        if place >= 0 and spans[place][1] > cut:
            cut, end, _ = spans[place]
            if end == len(line) and end - cut > WORD_CHARS_MAX:
                cut, self._word = end, True
        self._parts = [line[cut:]]
        self._size = len(self._parts[0])
        return _hidden(line[:cut], [span for span in spans if span[1] <= cut])

    def _rest_of_word(self, text: str) -> str:
        if self._word:
            match = re.match(r"[A-Za-z0-9_\-.+/=~\\]*", text)
            text = text[match.end() :] if match else text
            self._word = not text
        return text

    def _spans(self, text: str, over: bool = True) -> list[tuple[int, int, str]]:
        """Where secrets are: start, end and name, in order and apart. Not `over`: more of the text will come."""
        found: list[tuple[int, int, str]] = []
        for form, name in self.known.forms.items():
            place, is_part = text.find(form), form in self.known.parts
            while place >= 0:
                end = place + len(form)
                found.append((*(_word_around(text, place, end) if is_part else (place, end)), name))
                place = text.find(form, end)
        folded = text.lower()
        for literal, pattern, group in _LOOKS:
            if literal in folded:
                found += [(*match.span(group), "") for match in pattern.finditer(text)]
        if "sk-" in text:  # which is also in "risk-averse-people"
            found += [(*match.span(), "") for match in _SK.finditer(text) if not is_a_name(match[0])]
        if "eyJ" in text:
            for match in _JWT.finditer(text):
                if match[0].count(".") >= 2 or (not over and match.end() == len(text)):
                    found.append((*match.span(), ""))
        if "://" in text:
            found += [(*match.span(1), "") for match in USERINFO.finditer(text)]
        if "-----BEGIN " in text:
            found += [(*match.span(), "") for match in _PEM.finditer(text)]
        return _merged(found)

    def _private_keys(self, text: str, spans: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
        """Also hide the lines that follow the first line of a private key."""
        if not self._pem and "-----BEGIN " not in text:
            return spans
        begun = {m.end() for m in _PEM.finditer(text) if not m["end"] and text[m.end() : m.end() + 1] in ("", "\n")}
        found, place = list(spans), 0
        for line in text.split("\n"):
            end = place + len(line)
            if self._pem:
                last = _PEM_END.search(line)
                body = last or _PEM_BODY.fullmatch(line)
                if body:
                    found.append((place, place + body.end(), ""))
                self._pem = self._pem - 1 if body and not last else 0
            if end in begun:
                self._pem = PEM_LINES_MAX
            place = end + 1
        return _merged(found)


def counts(text: str, start: int, end: int, name: str) -> bool:
    """Is what the gate would hide there surely a secret? To hide too much does little harm; to refuse a change for the
    name of a variable, a word or an example would. Of what the run was given, only one word is excused if the name of
    its variable says that it is secret, otherwise also a short name of words and numbers (NAME_MAX)."""
    value = text[start:end]
    if name:
        if looks_secret(name):
            return not (value.isalpha() or value.isdigit()) or len(value) >= WORD_MAX
        return not is_a_name(value) or len(value) >= NAME_MAX
    if value.startswith("-----BEGIN "):
        return _PEM_KEY.match(text[start : end + 400]) is not None
    low = value.lower()
    return len(value) >= WORD_MAX and not is_a_name(value) and not any(words in low for words in _EXAMPLES)


def _merged(found: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Spans that overlap become one, with the name of the first that has one."""
    apart: list[tuple[int, int, str]] = []
    for start, end, name in sorted(found):
        if start == end:
            continue
        if apart and start < apart[-1][1]:
            before, until, first = apart[-1]
            apart[-1] = (before, max(until, end), first or name)
        else:
            apart.append((start, end, name))
    return apart


def _word_around(text: str, start: int, end: int) -> tuple[int, int]:
    """The line of an encoded value of which a part was found: what stands beside the part belongs to it."""
    before = ENCODED.search(text[max(0, start - FOLD_MAX) : start][::-1])
    after = ENCODED.search(text[end : end + FOLD_MAX])
    return start - (before.end() if before else 0), end + (after.end() if after else 0)


def _hidden(text: str, spans: list[tuple[int, int, str]]) -> str:
    out, place = [], 0
    for start, end, name in spans:
        out += [text[place:start], f"[secret:{name}]" if name else "[secret]"]
        place = end
    return "".join([*out, text[place:]])
