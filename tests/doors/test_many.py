"""`moot add --from`: many items from a YAML list, JSON lines or a markdown list."""

import json

import pytest

from tests.doors.conftest import Moot

YAML = """
- Just a title
- title: With all
  key: base
  body: |
    Two
    lines
  priority: high
  type: bugfix
  tags: [auth, 2024-01-01]
  files: [src/a.py]
  needs: [gpu]
- {title: "no", after: [base, "1"], column: dev}
"""


def test_yaml(moot: Moot) -> None:
    moot("add", "There already")
    (moot.folder / "items.yaml").write_text(YAML, "utf-8")
    added = moot.json("add", "--from", "items.yaml")["items"]
    assert [item["title"] for item in added] == ["Just a title", "With all", "no"]
    assert added[1]["body"] == "Two\nlines\n" and added[1]["tags"] == ["auth", "2024-01-01"]
    assert added[1]["priority"] == "high" and added[1]["type"] == "bugfix" and added[1]["files"] == ["src/a.py"]
    assert [item["needs"] for item in added] == [[], ["gpu"], []]
    assert added[2]["after"] == [added[1]["id"], "1"] and added[2]["column"] == "dev"


def test_json_lines(moot: Moot) -> None:
    moot("add", "There already")
    lines = [json.dumps({"title": "One", "tags": ["a"]}), "", '"Two"', json.dumps({"title": "Three", "after": [1]})]
    added = moot.json("add", "--from", "-", stdin="\n".join(lines))["items"]
    assert [item["title"] for item in added] == ["One", "Two", "Three"]
    assert added[2]["after"] == ["1"]


def test_a_markdown_list(moot: Moot) -> None:
    text = """# Backlog

Some words.

- [ ] First: with a colon
  its body

      code
  - a point of the body
- [x] Done already
* Second
1. Third

```
- no item
```
"""
    (moot.folder / "backlog.md").write_text(text, "utf-8")
    out = moot("add", "--from", "backlog.md", "--tag", "all", "--priority", "low").out
    assert "3 added, 1 ticked off" in out
    items = moot.json("list", "--tag", "all")["items"]
    assert [item["title"] for item in items] == ["First: with a colon", "Second", "Third"]
    assert {item["priority"] for item in items} == {"low"}
    body = moot.json("show", "1")["body"]
    assert body == "its body\n\n    code\n- a point of the body"


BAD = {
    "empty": ("x.yaml", ""),
    "no list": ("x.yaml", "title: One"),
    "not YAML": ("x.yaml", "- [unclosed\n- 'quote"),
    "unknown field": ("x.yaml", "- {title: One, titel: Two}"),
    "no title": ("x.yaml", "- {body: One}"),
    "empty title": ("x.yaml", "- One\n- ''"),
    "long title": ("x.yaml", f"- One\n- {'x' * 501}"),
    "no such column": ("x.yaml", "- One\n- {title: Two, column: nowhere}"),
    "begins done": ("x.yaml", "- One\n- {title: Two, column: done}"),
    "no such priority": ("x.yaml", "- One\n- {title: Two, priority: urgent}"),
    "no such type": ("x.yaml", "- One\n- {title: Two, type: odd}"),
    "unknown item": ("x.yaml", '- One\n- {title: Two, after: ["99"]}'),
    "unknown parent": ("x.yaml", '- One\n- {title: Two, parent: "99"}'),
    "a name from below": ("x.yaml", "- {title: One, after: [b]}\n- {title: Two, key: b}"),
    "a name twice": ("x.yaml", "- {title: One, key: b}\n- {title: Two, key: b}"),
    "a circle of aliases": ("x.yaml", "- One\n- &a [*a]"),
    "control codes": ("x.yaml", "- One\n- 'a\x01b'"),
    "broken JSON": ("x.jsonl", '{"title": "One"}\n{"title": '),
    "JSON of another kind": ("x.jsonl", '{"title": "One"}\n5'),
    "a lone surrogate": ("x.jsonl", '{"title": "One"}\n{"title": "\\ud800"}'),
    "deep JSON": ("x.jsonl", "[" * 100_000),
    "no bullets": ("x.md", "# Words\n\nand no list"),
    "too many": ("x.md", "- x\n" * 1001),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_adds_nothing(moot: Moot, name: str) -> None:
    file, text = BAD[name]
    (moot.folder / file).write_text(text, "utf-8")
    error = moot("add", "--from", file, "--json", code=2).error
    assert error["message"] and error["hint"]
    assert moot("add", "--from", file, code=2).out == ""
    assert moot.json("list")["items"] == []


def test_a_file_that_is_no_text_is_refused(moot: Moot) -> None:
    (moot.folder / "x.md").write_bytes(b"- caf\xe9")
    assert moot("add", "--from", "x.md", "--json", code=2).error["code"] == "bad_text"
    assert moot("add", "--from", "gone.md", "--json", code=2).error["code"] == "unreadable_file"


def test_what_belongs_to_one_item_is_refused_beside_many(moot: Moot) -> None:
    for option in (["--body", "-"], ["--files", "a"], ["--after", "1"]):
        assert moot("add", "--from", "-", *option, "--json", code=2, stdin="- One").error["code"] == "bad_usage"


def test_a_repeated_key_adds_nothing_twice(moot: Moot) -> None:
    first = moot("add", "--from", "-", "--key", "k", "--json", stdin="- One\n- Two")
    assert moot("add", "--from", "-", "--key", "k", "--json", stdin="- One\n- Two").out == first.out
    error = moot("add", "--from", "-", "--key", "k", "--json", code=1, stdin="- One\n- Other").error
    assert error["code"] == "key_reused" and "added before it: #1" in error["message"]
    assert len(moot.json("list")["items"]) == 2


def test_what_the_rules_refuse_on_the_way_says_what_was_added(moot: Moot) -> None:
    moot("add", "Gone")
    moot("cancel", "1")
    text = '- title: One\n- title: Two\n  after: ["1"]\n- title: Three\n'
    error = moot("add", "--from", "-", "--json", code=1, stdin=text).error
    assert error["code"] == "cancelled_item" and "item 2 of" in error["message"] and "#2" in error["message"]
    assert [item["title"] for item in moot.json("list")["items"]] == ["Gone", "One"]


def test_what_is_left_empty_in_yaml_is_as_if_it_were_not_there(moot: Moot) -> None:
    text = "- title: One\n  body: ~\n  column: null\n  priority:\n  tags: ~\n- title: 'null'\n  body: 'null'\n"
    (moot.folder / "items.yaml").write_text(text, "utf-8")
    one, two = moot.json("add", "--from", "items.yaml")["items"]
    (moot.folder / "plain.yaml").write_text("- title: One\n", "utf-8")
    (plain,) = moot.json("add", "--from", "plain.yaml")["items"]
    same = ("title", "body", "column", "priority", "tags")
    assert [one[name] for name in same] == [plain[name] for name in same]
    assert (two["title"], two["body"]) == ("null", "null")


def test_an_item_that_needs_a_label_is_told_in_words(moot: Moot) -> None:
    """Where no worker has it whoever adds it is told so, and what starts one."""
    said = " ".join(moot("add", "Train it", "--needs", "gpu,big").out.split())
    assert "it waits for a worker with label gpu and big, and none lives now: moot run --label gpu --label big" in said
    assert "needs label gpu, label big" in " ".join(moot("show", "1").out.split())
    assert "none lives" not in moot("edit", "1", "--needs", "-").out and moot.json("show", "1")["needs"] == []
    refused = moot("add", "Ship it", "--needs", "1", code=2).err
    assert "'1' is no label of a worker" in refused and "--after" in refused
