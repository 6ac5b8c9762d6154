/** The lines of a hunk as rows of a page: one below the other, or old and new side by side. */
import type { DiffLine, Hunk } from "./parse";
import { compare, type Piece } from "./words";

export interface Side {
  line: DiffLine;
  pieces: Piece[];
}

/** `old` or `new` is null where the other side has nothing to stand beside. */
export interface Pair {
  old: Side | null;
  new: Side | null;
}

const plain = (line: DiffLine): Side => ({ line, pieces: [{ text: line.text, changed: false }] });

/** Removed lines and the added ones that follow them belong together, the first to the first. */
export function pairs(hunk: Hunk): Pair[] {
  const found: Pair[] = [];
  for (let at = 0; at < hunk.lines.length; ) {
    const line = hunk.lines[at]!;
    if (line.kind === "same") {
      found.push({ old: plain(line), new: plain(line) });
      at++;
      continue;
    }
    const removed: DiffLine[] = [];
    const added: DiffLine[] = [];
    for (; hunk.lines[at]?.kind === "removed"; at++) removed.push(hunk.lines[at]!);
    for (; hunk.lines[at]?.kind === "added"; at++) added.push(hunk.lines[at]!);
    for (let i = 0; i < Math.max(removed.length, added.length); i++) found.push(pair(removed[i], added[i]));
  }
  return found;
}

function pair(old: DiffLine | undefined, fresh: DiffLine | undefined): Pair {
  if (!old || !fresh) return { old: old ? plain(old) : null, new: fresh ? plain(fresh) : null };
  const [before, after] = compare(old.text, fresh.text);
  return { old: { line: old, pieces: before }, new: { line: fresh, pieces: after } };
}

/** One below the other, in the order of the diff. */
export function stacked(hunk: Hunk): Side[] {
  const sides = new Map<DiffLine, Side>();
  for (const { old, new: fresh } of pairs(hunk)) {
    if (old) sides.set(old.line, old);
    if (fresh) sides.set(fresh.line, fresh);
  }
  return hunk.lines.map((line) => sides.get(line) ?? plain(line));
}
