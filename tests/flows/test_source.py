"""The tree of a YAML text says the same, whichever of the two parsers has read it."""

import pytest

from folkmoot.flows.faults import Findings
from folkmoot.flows.source import Mapping, Scalar, Sequence, read_source


@pytest.mark.parametrize("is_list", [False, True], ids=["in Python", "in C"])
@pytest.mark.parametrize(
    ("written", "is_null", "boolean"),
    [
        ("", True, None),
        ("~", True, None),
        ("null", True, None),
        ("'null'", False, None),
        ('"~"', False, None),
        ("true", False, True),
        ("false", False, False),
        ("'true'", False, None),
        ("|\n    true", False, None),
        ("plain", False, None),
    ],
)
def test_a_plain_word_is_plain_for_both_parsers(
    written: str, is_null: bool, boolean: bool | None, is_list: bool
) -> None:
    tree = read_source(f"- value: {written}\n", Findings("items.yaml"), is_list=is_list)
    assert isinstance(tree, Sequence) and isinstance(tree.items[0], Mapping)
    value = tree.items[0].entries["value"].value
    assert isinstance(value, Scalar)
    assert (value.is_null, value.boolean) == (is_null, boolean)


@pytest.mark.parametrize("is_list", [False, True], ids=["in Python", "in C"])
def test_a_merge_key_is_named_by_both_parsers(is_list: bool) -> None:
    findings = Findings("items.yaml")
    read_source("- &a {x: 1}\n- {<<: *a}\n", findings, is_list=is_list)
    assert [fault.message for fault in findings.faults] == ["merge keys are not read"]
