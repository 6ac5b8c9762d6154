/** In place of the stream: the board as the file has it, and as it was at any step of its way. */
import { signal } from "@preact/signals";
import type { BoardView, SavedPage } from "../api/types";
import type { Message } from "../live/source";
import { saved } from "./saved";

type Step = SavedPage["steps"][number];

/** So many steps of the way are shown; all: the board as it was saved. */
export const shown = signal(saved.steps.length);

export function connect(take: (message: Message) => void): () => void {
  const last = saved.answers.log.at(-1)?.seq ?? 0;
  take({ kind: "link", link: "live", asOf: Date.parse(saved.made_at ?? ""), why: "" });
  take({ kind: "events", events: [], last });
  shown.subscribe((steps) => take({ kind: "board", board: boardAt(saved.answers.board, saved.steps, steps) }));
  return () => undefined; // all there is stands in the file
}

/** Of an item's card only where it stood and how is known of an earlier moment. */
export function boardAt(board: BoardView, steps: Step[], count: number): BoardView {
  if (count >= steps.length) return { ...board, whole: true };
  const stood = new Map<string, Step>();
  for (const step of steps.slice(0, count)) stood.set(step.item, step);
  const items = board.items.flatMap((item) => {
    const step = stood.get(item.id);
    if (!step) return [];
    const status = step.status as (typeof item)["status"];
    return [{ ...item, column: step.column, status, since: step.at, why: "", blocked_by: null, waits_for: [], questions: [], agent: null }];
  });
  return { ...board, whole: true, items, runs: [], questions: [], pauses: [], blocked: [], messages: [], windows: [], totals: {}, open: {} };
}
