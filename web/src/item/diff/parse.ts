/** A unified diff, as git writes it, taken apart into files, hunks and lines. Everything in it is text and stays text. */

export type LineKind = "same" | "added" | "removed";

export interface DiffLine {
  kind: LineKind;
  text: string;
  old: number | null;
  new: number | null;
  /** Git says that this line, the last of its file, has no line break. */
  unended: boolean;
}

export interface Hunk {
  oldStart: number;
  newStart: number;
  /** What git writes behind the second @@: the function around it, mostly. */
  around: string;
  lines: DiffLine[];
}

export type FileKind = "added" | "removed" | "renamed" | "copied" | "changed";

export interface DiffFile {
  path: string;
  oldPath: string;
  kind: FileKind;
  binary: boolean;
  /** "100644 → 100755", where the mode changed. */
  mode: string | null;
  hunks: Hunk[];
  added: number;
  removed: number;
  /** Of all that the diff says of it: a tick that somebody set is bound to it. */
  hash: string;
}

export function parseDiff(text: string): DiffFile[] {
  const reader = new Reader(text.split("\n"));
  const files: DiffFile[] = [];
  while (reader.toNextFile()) files.push(reader.file());
  return files;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

class Reader {
  private at = 0;

  constructor(private readonly lines: string[]) {}

  private get line(): string | undefined {
    return this.lines[this.at];
  }

  toNextFile(): boolean {
    while (this.line !== undefined && !this.beginsFile(this.at)) this.at++;
    return this.line !== undefined;
  }

  /** Also a bare pair of --- and +++, as `diff -u` writes it. */
  private beginsFile(at: number): boolean {
    const line = this.lines[at] ?? "";
    if (line.startsWith("diff --git ")) return true;
    return line.startsWith("--- ") && (this.lines[at + 1] ?? "").startsWith("+++ ");
  }

  file(): DiffFile {
    const begin = this.at;
    const head = new Head();
    if (this.line?.startsWith("diff --git ")) head.names(this.lines[this.at++]!);
    while (this.line !== undefined && !this.line.startsWith("@@ ") && !this.line.startsWith("diff --git ")) {
      if (!head.take(this.line)) break;
      this.at++;
      if (head.packed) this.skipPacked();
    }
    const hunks: Hunk[] = [];
    while (this.line?.startsWith("@@ ")) {
      const hunk = this.hunk();
      if (!hunk) break;
      hunks.push(hunk);
    }
    return head.file(hunks, hash(this.lines, begin, this.at));
  }

  /** What `git diff --binary` packs: nothing that anybody reads. */
  private skipPacked(): void {
    while (this.line !== undefined && !this.line.startsWith("diff --git ")) this.at++;
  }

  private hunk(): Hunk | null {
    const found = HUNK.exec(this.line ?? "");
    if (!found) return null;
    this.at++;
    let old = Number(found[1]);
    let fresh = Number(found[3]);
    let oldLeft = found[2] === undefined ? 1 : Number(found[2]);
    let newLeft = found[4] === undefined ? 1 : Number(found[4]);
    const hunk: Hunk = { oldStart: old, newStart: fresh, around: found[5] ?? "", lines: [] };
    // The counts say where it ends: a removed line may well begin with "-- a/file" or "diff --git".
    while (oldLeft > 0 || newLeft > 0) {
      const line = this.line;
      if (line === undefined) break;
      const sign = line[0] ?? " ";
      const text = line.slice(1);
      if (sign === "-") {
        hunk.lines.push({ kind: "removed", text, old: old++, new: null, unended: false });
        oldLeft--;
      } else if (sign === "+") {
        hunk.lines.push({ kind: "added", text, old: null, new: fresh++, unended: false });
        newLeft--;
      } else if (sign === " ") {
        hunk.lines.push({ kind: "same", text, old: old++, new: fresh++, unended: false });
        oldLeft--;
        newLeft--;
      } else if (sign === "\\") this.unended(hunk);
      else break; // a diff that was cut within the hunk
      this.at++;
    }
    while (this.line?.startsWith("\\")) {
      this.unended(hunk);
      this.at++;
    }
    return hunk;
  }

  private unended(hunk: Hunk): void {
    const last = hunk.lines.at(-1);
    if (last) last.unended = true;
  }
}

/** What stands before the first hunk. */
class Head {
  packed = false;
  private old = "";
  private fresh = "";
  private kind: FileKind = "changed";
  private binary = false;
  private oldMode = "";
  private newMode = "";

  /** `diff --git a/x b/x`: the two names are alike unless later lines say otherwise. */
  names(line: string): void {
    const rest = line.slice("diff --git ".length);
    if (rest.startsWith('"')) {
      const [first, end] = quoted(rest, 0);
      this.old = bare(first);
      const second = rest.slice(end + 1);
      this.fresh = bare(second.startsWith('"') ? quoted(second, 0)[0] : second);
      return;
    }
    const half = (rest.length - 1) / 2;
    if (Number.isInteger(half) && rest[half] === " " && rest.slice(2, half) === rest.slice(half + 3)) {
      this.old = this.fresh = rest.slice(2, half);
      return;
    }
    const cut = rest.indexOf(" b/");
    this.old = bare(cut < 0 ? rest : rest.slice(0, cut));
    const second = cut < 0 ? rest.slice(rest.indexOf(" ") + 1) : rest.slice(cut + 1);
    this.fresh = bare(second.startsWith('"') ? quoted(second, 0)[0] : second);
  }

  /** False: the line is no part of a head. */
  take(line: string): boolean {
    const word = line.split(" ", 1)[0] ?? "";
    const after = (start: string) => named(line.slice(start.length));
    if (line.startsWith("--- ")) this.from(after("--- "));
    else if (line.startsWith("+++ ")) this.to(after("+++ "));
    else if (line.startsWith("rename from ")) [this.old, this.kind] = [after("rename from "), "renamed"];
    else if (line.startsWith("rename to ")) this.fresh = after("rename to ");
    else if (line.startsWith("copy from ")) [this.old, this.kind] = [after("copy from "), "copied"];
    else if (line.startsWith("copy to ")) this.fresh = after("copy to ");
    else if (line.startsWith("new file mode ")) [this.kind, this.newMode] = ["added", line.slice(14)];
    else if (line.startsWith("deleted file mode ")) [this.kind, this.oldMode] = ["removed", line.slice(18)];
    else if (line.startsWith("old mode ")) this.oldMode = line.slice(9);
    else if (line.startsWith("new mode ")) this.newMode = line.slice(9);
    else if (line.startsWith("Binary files ")) this.binary = true;
    else if (line.startsWith("GIT binary patch")) this.binary = this.packed = true;
    else return word === "index" || word === "similarity" || word === "dissimilarity";
    return true;
  }

  private from(name: string): void {
    if (name === "/dev/null") this.kind = "added";
    else this.old = bare(name);
  }

  private to(name: string): void {
    if (name === "/dev/null") this.kind = "removed";
    else this.fresh = bare(name);
  }

  file(hunks: Hunk[], hashed: string): DiffFile {
    const lines = hunks.flatMap((hunk) => hunk.lines);
    const path = this.kind === "removed" ? this.old || this.fresh : this.fresh || this.old;
    return {
      path,
      oldPath: this.old || path,
      kind: this.kind,
      binary: this.binary,
      mode: this.oldMode && this.newMode ? `${this.oldMode} → ${this.newMode}` : null,
      hunks,
      added: lines.filter((line) => line.kind === "added").length,
      removed: lines.filter((line) => line.kind === "removed").length,
      hash: hashed,
    };
  }
}

/** Git ends a name that has spaces with a tab. */
function named(text: string): string {
  return text.startsWith('"') ? quoted(text, 0)[0] : text.replace(/\t.*$/, "");
}

function bare(name: string): string {
  return /^[abciow]\//.test(name) ? name.slice(2) : name;
}

const ESCAPES: Record<string, number> = { n: 10, t: 9, r: 13, a: 7, b: 8, f: 12, v: 11, '"': 34, "\\": 92 };

/** A name in quotes, with bytes as \303\244; and where it ends. */
function quoted(text: string, from: number): [string, number] {
  const bytes: number[] = [];
  let at = from + 1;
  for (; at < text.length && text[at] !== '"'; at++) {
    if (text[at] !== "\\") {
      bytes.push(...new TextEncoder().encode(String.fromCodePoint(text.codePointAt(at)!)));
      if (text.codePointAt(at)! > 0xffff) at++;
      continue;
    }
    const octal = /^[0-3][0-7]{2}/.exec(text.slice(at + 1, at + 4));
    if (octal) {
      bytes.push(parseInt(octal[0], 8));
      at += 3;
    } else bytes.push(ESCAPES[text[++at] ?? ""] ?? 63);
  }
  return [new TextDecoder().decode(new Uint8Array(bytes)), at + 1];
}

/** FNV-1a over the file's part of the diff, without the line that names blobs and without where hunks stand. */
function hash(lines: string[], begin: number, end: number): string {
  let low = 0x811c9dc5;
  let high = 0x1000193;
  for (let at = begin; at < end; at++) {
    const line = lines[at]!;
    if (line.startsWith("index ")) continue;
    const text = line.startsWith("@@ ") ? "@@" : line;
    for (let place = 0; place < text.length; place++) {
      low = Math.imul(low ^ text.charCodeAt(place), 0x01000193);
      high = Math.imul(high ^ text.charCodeAt(place), 0x85ebca6b);
    }
    low = Math.imul(low ^ 10, 0x01000193);
    high = Math.imul(high ^ 10, 0x85ebca6b);
  }
  return (low >>> 0).toString(16).padStart(8, "0") + (high >>> 0).toString(16).padStart(8, "0");
}
