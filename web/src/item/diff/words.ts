/** Which words of a changed line are new, by comparing it with the line that it replaces. */

export interface Piece {
  text: string;
  changed: boolean;
}

/** Longer lines are shown as changed on the whole: comparing them costs more than it tells. */
const LONGEST = 600;
const MOST_WORDS = 160;

const whole = (text: string): Piece[] => (text ? [{ text, changed: false }] : []);

export function compare(before: string, after: string): [Piece[], Piece[]] {
  if (before.length > LONGEST || after.length > LONGEST) return [whole(before), whole(after)];
  const old = cut(before);
  const fresh = cut(after);
  if (old.length > MOST_WORDS || fresh.length > MOST_WORDS) return [whole(before), whole(after)];
  const [oldKept, newKept] = common(old, fresh);
  // Two lines that share little are two lines, not one that changed: marks all over them would only flicker.
  const shared = old.filter((word, at) => oldKept[at] && word.trim()).join("").length;
  const longer = Math.max(before.replace(/\s/g, "").length, after.replace(/\s/g, "").length);
  if (shared * 3 < longer) return [whole(before), whole(after)];
  return [pieces(old, oldKept), pieces(fresh, newKept)];
}

function cut(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

/** The longest common part, as a mark on each word of both. */
function common(old: string[], fresh: string[]): [boolean[], boolean[]] {
  const width = fresh.length + 1;
  const table = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = fresh.length - 1; j >= 0; j--)
      table[i * width + j] =
        old[i] === fresh[j]
          ? table[(i + 1) * width + j + 1]! + 1
          : Math.max(table[(i + 1) * width + j]!, table[i * width + j + 1]!);
  const oldKept = old.map(() => false);
  const newKept = fresh.map(() => false);
  for (let i = 0, j = 0; i < old.length && j < fresh.length; ) {
    if (old[i] === fresh[j]) {
      oldKept[i++] = true;
      newKept[j++] = true;
    } else if (table[(i + 1) * width + j]! >= table[i * width + j + 1]!) i++;
    else j++;
  }
  return [oldKept, newKept];
}

function pieces(words: string[], kept: boolean[]): Piece[] {
  const found: Piece[] = [];
  words.forEach((text, at) => {
    const changed = !kept[at];
    const last = found.at(-1);
    if (last && last.changed === changed) last.text += text;
    else found.push({ text, changed });
  });
  return found;
}
