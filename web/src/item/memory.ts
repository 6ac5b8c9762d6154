/** What this browser keeps of an item between visits: drafts, ticks, the commit last seen. */
import { me } from "../live";

/** Without an item it is a habit of the person, on every board. */
function key(item: string, what: string): string {
  return item ? `moot:${me.value?.board ?? ""}:${item}:${what}` : `moot:${what}`;
}

export function kept<Value>(item: string, what: string, otherwise: Value): Value {
  try {
    const text = localStorage.getItem(key(item, what));
    return text === null ? otherwise : (JSON.parse(text) as Value);
  } catch {
    return otherwise; // a browser may forbid it, or an older page have kept another shape
  }
}

export function keep(item: string, what: string, value: unknown): void {
  try {
    localStorage.setItem(key(item, what), JSON.stringify(value));
  } catch {
    // full or forbidden: it is only lost when the page is closed
  }
}
