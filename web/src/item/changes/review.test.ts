import { describe, expect, test } from "vitest";
import { type Draft, findingOf, isIn } from "./drafts";
import { treeOf } from "./tree";

const draft = (fields: Partial<Draft>): Draft => ({ id: "d", path: "a.py", side: "new", from: 3, to: 3, quote: "  x = 1", text: "Name it.", must: true, ...fields });

describe("a comment on lines", () => {
  test("becomes a finding at its first line", () => {
    expect(findingOf(draft({}))).toEqual({ file: "a.py", line: 3, text: "Name it.", severity: "medium" });
    expect(findingOf(draft({ to: 5, must: false }))).toEqual({ file: "a.py", line: 3, text: "Lines 3 to 5: Name it.", severity: "low" });
  });

  test("on a removed line says which one that was, since the file has it no more", () => {
    const found = findingOf(draft({ side: "old" }));
    expect(found.line).toBeNull();
    expect(found.text).toBe('Of what was removed (line 3 before, "x = 1"): Name it.');
  });

  test("is at the lines of its own side only", () => {
    const place = { path: "a.py", side: "new" as const, from: 3, to: 5 };
    const line = { kind: "added" as const, text: "", old: null, new: 4, unended: false };
    expect(isIn(place, "a.py", line)).toBe(true);
    expect(isIn(place, "b.py", line)).toBe(false);
    expect(isIn(place, "a.py", { ...line, kind: "removed", old: 4, new: null })).toBe(false);
  });
});

test("folders come before files, and one that holds only a folder shares its row", () => {
  expect(treeOf(["z.py", "src/folkmoot/core/a.py", "src/folkmoot/core/b.py", "docs/x.md"]).map((row) => [row.depth, row.name, row.path])).toEqual([
    [0, "docs", null],
    [1, "x.md", "docs/x.md"],
    [0, "src/folkmoot/core", null],
    [1, "a.py", "src/folkmoot/core/a.py"],
    [1, "b.py", "src/folkmoot/core/b.py"],
    [0, "z.py", "z.py"],
  ]);
});
