import { describe, expect, test } from "vitest";
import { parseDiff } from "./parse";
import { pairs, stacked } from "./rows";
import { compare } from "./words";

const CHANGED = `diff --git a/login.py b/login.py
index 1234567..89abcde 100644
--- a/login.py
+++ b/login.py
@@ -1,4 +1,5 @@ def sign_in():
 one
-two
+two and a half
+three
 four
 five
@@ -20 +21 @@
-last
+last
\\ No newline at end of file
`;

describe("a diff as git writes it", () => {
  test("has files, hunks and lines with their numbers", () => {
    const [file] = parseDiff(CHANGED);
    expect(file).toMatchObject({ path: "login.py", oldPath: "login.py", kind: "changed", added: 3, removed: 2 });
    expect(file!.hunks.map((hunk) => [hunk.oldStart, hunk.newStart, hunk.around])).toEqual([
      [1, 1, "def sign_in():"],
      [20, 21, ""],
    ]);
    expect(file!.hunks[0]!.lines.map((line) => [line.kind, line.old, line.new])).toEqual([
      ["same", 1, 1],
      ["removed", 2, null],
      ["added", null, 2],
      ["added", null, 3],
      ["same", 3, 4],
      ["same", 4, 5],
    ]);
  });

  test("says which line has no line break at its end", () => {
    const lines = parseDiff(CHANGED)[0]!.hunks[1]!.lines;
    expect(lines.map((line) => [line.kind, line.unended])).toEqual([
      ["removed", false],
      ["added", true],
    ]);
  });

  test("tells new, deleted, renamed and copied files apart", () => {
    const files = parseDiff(`diff --git a/new.txt b/new.txt
new file mode 100644
index 0000000..257cc56
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+foo
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
index 257cc56..0000000
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-foo
diff --git a/old name.txt b/new name.txt
similarity index 100%
rename from old name.txt
rename to new name.txt
diff --git a/one.txt b/two.txt
similarity index 90%
copy from one.txt
copy to two.txt
`);
    expect(files.map((file) => [file.kind, file.oldPath, file.path])).toEqual([
      ["added", "new.txt", "new.txt"],
      ["removed", "gone.txt", "gone.txt"],
      ["renamed", "old name.txt", "new name.txt"],
      ["copied", "one.txt", "two.txt"],
    ]);
  });

  test("tells a change of mode and of a binary file, packed or not", () => {
    const files = parseDiff(`diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
diff --git a/a.png b/a.png
index 1..2 100644
Binary files a/a.png and b/a.png differ
diff --git a/b.png b/b.png
index 1..2 100644
GIT binary patch
literal 12
Tcmd;J@@ -1 +1 @@

diff --git a/after b/after
--- a/after
+++ b/after
@@ -1 +1 @@
-a
+b
`);
    expect(files.map((file) => [file.path, file.binary, file.mode, file.added])).toEqual([
      ["run.sh", false, "100644 → 100755", 0],
      ["a.png", true, null, 0],
      ["b.png", true, null, 0],
      ["after", false, null, 1],
    ]);
  });

  test("reads quoted names, byte by byte", () => {
    const [file] = parseDiff(`diff --git "a/\\303\\244 \\"x\\".md" "b/\\303\\244 \\"x\\".md"
new file mode 100644
--- /dev/null
+++ "b/\\303\\244 \\"x\\".md"
@@ -0,0 +1 @@
+x
`);
    expect(file!.path).toBe('ä "x".md');
  });

  test("reads names with spaces, and names that hold ' b/'", () => {
    const spaced = parseDiff("diff --git a/x y b/x y\n--- a/x y\t\n+++ b/x y\t\n@@ -1 +1 @@\n-a\n+b\n");
    expect(spaced[0]!.path).toBe("x y");
    expect(parseDiff("diff --git a/a b/c b/a b/c\nold mode 100644\nnew mode 100755\n")[0]!.path).toBe("a b/c");
  });

  test("takes lines that look like heads for lines, by the counts of their hunk", () => {
    const [file, ...more] = parseDiff(`diff --git a/x b/x
--- a/x
+++ b/x
@@ -1,3 +1,2 @@
--- a/y
-diff --git a/z b/z
 @@ -1 +1 @@
+++ b/y
`);
    expect(more).toEqual([]);
    expect(file!.hunks[0]!.lines.map((line) => line.text)).toEqual(["-- a/y", "diff --git a/z b/z", "@@ -1 +1 @@", "++ b/y"]);
  });

  test("ends where it was cut, and goes on with the next file", () => {
    const files = parseDiff("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n a\n-b\ndiff --git a/y b/y\nnew file mode 100644\n");
    expect(files.map((file) => [file.path, file.hunks[0]?.lines.length ?? 0])).toEqual([
      ["x", 2],
      ["y", 0],
    ]);
    expect(parseDiff("")).toEqual([]);
    expect(parseDiff("no diff at all\n@@ -1 +1 @@\n")).toEqual([]);
  });

  test("gives a file the same hash until its content changes, wherever its lines stand", () => {
    const [first] = parseDiff(CHANGED);
    const [moved] = parseDiff(CHANGED.replace("@@ -20 +21 @@", "@@ -30 +31 @@").replace("1234567", "7654321"));
    const [other] = parseDiff(CHANGED.replace("+three", "+thr\u00e9e"));
    expect(moved!.hash).toBe(first!.hash);
    expect(other!.hash).not.toBe(first!.hash);
  });

  test("is read in one go where it is huge", () => {
    const lines = Array.from({ length: 60_000 }, (_, at) => `+line ${at}`);
    const [file] = parseDiff(`diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1,60000 @@\n${lines.join("\n")}\n`);
    expect(file!.added).toBe(60_000);
  });
});

describe("the rows of a hunk", () => {
  const hunk = parseDiff(CHANGED)[0]!.hunks[0]!;

  test("stand side by side, the first removed beside the first added", () => {
    expect(pairs(hunk).map((pair) => [pair.old?.line.text, pair.new?.line.text])).toEqual([
      ["one", "one"],
      ["two", "two and a half"],
      [undefined, "three"],
      ["four", "four"],
      ["five", "five"],
    ]);
  });

  test("stand one below the other in the order of the diff", () => {
    expect(stacked(hunk).map((side) => side.line.text)).toEqual(["one", "two", "two and a half", "three", "four", "five"]);
  });
});

describe("the words of a changed line", () => {
  test("are marked where they differ", () => {
    const [old, fresh] = compare("limit(most=5, now)", "limit(most=MOST, now)");
    expect(old.filter((piece) => piece.changed).map((piece) => piece.text)).toEqual(["5"]);
    expect(fresh.filter((piece) => piece.changed).map((piece) => piece.text)).toEqual(["MOST"]);
    expect(fresh.map((piece) => piece.text).join("")).toBe("limit(most=MOST, now)");
  });

  test("are not marked in lines that have little in common, nor in very long ones", () => {
    expect(compare("return True", "raise Refused(code, words)")[1].some((piece) => piece.changed)).toBe(false);
    expect(compare("a".repeat(9_000), "b".repeat(9_000))[0]).toEqual([{ text: "a".repeat(9_000), changed: false }]);
  });
});
