"""A strict reader of Prometheus' text format: what the format does not allow is an error here."""

import re
from typing import NamedTuple

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
HELP = re.compile(rf"# HELP ({NAME}) ((?:[^\\\n]|\\\\|\\n)*)\Z")
TYPE = re.compile(rf"# TYPE ({NAME}) (counter|gauge|histogram|summary|untyped)\Z")
SAMPLE = re.compile(rf"({NAME})(?:\{{(.*)\}})? (\S+)\Z")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^\\"\n]|\\\\|\\"|\\n)*)"(?:,|\Z)')
VALUE = re.compile(r"[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)\Z|NaN\Z")
ESCAPED = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}


class Sample(NamedTuple):
    name: str
    labels: tuple[tuple[str, str], ...]
    value: float


class Family(NamedTuple):
    kind: str
    help: str
    samples: list[Sample]

    def value(self, **labels: str) -> float:
        (found,) = [one.value for one in self.samples if dict(one.labels) == labels]
        return found


def parse(text: str) -> dict[str, Family]:
    assert text.endswith("\n"), "the last line has no end"
    families: dict[str, Family] = {}
    seen: set[tuple[str, tuple[tuple[str, str], ...]]] = set()
    helped: tuple[str, str] | None = None
    current = ""
    for line in text[:-1].split("\n"):
        if found := HELP.match(line):
            assert found[1] not in families, f"{found[1]} is told twice"
            helped = (found[1], found[2])
        elif found := TYPE.match(line):
            assert helped is not None and helped[0] == found[1], line
            current = found[1]
            families[current] = Family(found[2], helped[1], [])
        else:
            sample = _sample(line)
            _check_place(sample, current, families[current].kind)
            assert (sample.name, sample.labels) not in seen, f"twice: {line}"
            seen.add((sample.name, sample.labels))
            families[current].samples.append(sample)
    for name, family in families.items():
        assert family.samples, f"{name} has no sample"
        if family.kind == "histogram":
            _check_histogram(name, family)
    return families


def _sample(line: str) -> Sample:
    found = SAMPLE.match(line)
    assert found, f"no sample: {line!r}"
    name, labels, value = found.groups()
    assert VALUE.match(value), f"no number: {line!r}"
    pairs, place = [], 0
    while labels and place < len(labels):
        pair = LABEL.match(labels, place)
        assert pair, f"no label at {place}: {line!r}"
        pairs.append((pair[1], re.sub(r"\\.", lambda match: ESCAPED[match[0]], pair[2])))
        place = pair.end()
    assert len({key for key, _ in pairs}) == len(pairs), f"a label twice: {line!r}"
    return Sample(name, tuple(sorted(pairs)), float(value))


def _check_place(sample: Sample, family: str, kind: str) -> None:
    allowed = {family}
    if kind == "histogram":
        allowed = {f"{family}_bucket", f"{family}_sum", f"{family}_count"}
    assert sample.name in allowed, f"{sample.name} stands under {family}"
    if kind == "counter":
        assert family.endswith("_total") and sample.value >= 0


def _check_histogram(name: str, family: Family) -> None:
    """Buckets grow, and the last is the count."""
    groups: dict[tuple[tuple[str, str], ...], list[tuple[float, float]]] = {}
    for one in family.samples:
        if one.name == f"{name}_bucket":
            rest = tuple(pair for pair in one.labels if pair[0] != "le")
            groups.setdefault(rest, []).append((float(dict(one.labels)["le"]), one.value))
    for rest, buckets in groups.items():
        assert buckets == sorted(buckets) and [many for _, many in buckets] == sorted(many for _, many in buckets)
        (count,) = [one.value for one in family.samples if (one.name, one.labels) == (f"{name}_count", rest)]
        assert buckets[-1] == (float("inf"), count)
