/** What the drawer asks beside `show` and `log`. */
import { Problem, read } from "../api/client";
import type { ItemChange, ItemView, Said } from "../api/types";

/** The change of a run, of the whole item, or since a commit; null where nothing has changed. */
export async function changeOf(item: string, run: string | null, base: string | null): Promise<ItemChange | null> {
  try {
    return await read("change", { item, run, base });
  } catch (error) {
    if (error instanceof Problem && error.code === "no_change") return null;
    throw error;
  }
}

/** The item as it was after the event of this number. */
export async function itemAt(id: string, seq: number): Promise<ItemView | null> {
  return (await read("past", { seq, item: id, ended: 1, each: 1 })).item;
}

/** Colours and cursors of a terminal: they mean nothing here. */
const CONTROLS = /\u001b\[[0-9;?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[\u0000-\u0008\u000b-\u001f\u007f]/g;
/** From this part on, what is kept of a run is its change. */
const DIFF = 1_000_000;

/** What a run printed so far, line by line. `last` is the number of its last part: more may come after it. */
export async function saidBy(run: string): Promise<{ lines: Said[]; last: number }> {
  const { parts, said } = await read("output", { run, said: true });
  const printed = parts.filter((part) => part.part < DIFF);
  const lines = said ?? printed.flatMap((part) => part.text.split("\n").map((text): Said => ({ kind: "printed", text })));
  return { lines: lines.map(({ kind, text }) => ({ kind, text: text.replace(CONTROLS, "") })), last: printed.at(-1)?.part ?? -1 };
}

export async function hasSaidMore(run: string, last: number): Promise<boolean> {
  const { parts } = await read("output", { run, after: last + 1 });
  return parts.length > 0;
}
