/** Several cards at once: which are chosen, and what the server refused of what was asked for all of them. */
import { signal } from "@preact/signals";
import { Problem } from "../api/client";
import type { Card } from "../api/types";
import { cardOf } from "../live/board";
import { shown } from "./filter";
import { selected } from "./select";

export const chosen = signal<ReadonlySet<string>>(new Set());
/** By item, in the server's words; until the next act, or until nothing is chosen. */
export const refused = signal<ReadonlyMap<string, string>>(new Map());

export function toggle(id: string): void {
  const ids = new Set(chosen.value);
  if (!ids.delete(id)) ids.add(id);
  chosen.value = ids;
  selected.value = id;
}

const columnOf = (id: string | null): readonly string[] => [...shown.value.values()].find((ids) => id && ids.includes(id)) ?? [];

/** All from the card that has the keys to this one, in its column. */
export function chooseTo(id: string): void {
  const column = columnOf(id);
  const [from, to] = [column.indexOf(selected.value ?? id), column.indexOf(id)].sort((one, other) => one - other);
  if (from === undefined || to === undefined || from < 0) return toggle(id);
  chosen.value = new Set([...chosen.value, ...column.slice(from, to + 1)]);
}

export function chooseColumn(): void {
  chosen.value = new Set([...chosen.value, ...columnOf(selected.value)]);
}

export function chooseNone(): void {
  chosen.value = new Set();
  refused.value = new Map();
}

export const chosenCards = (): Card[] => [...chosen.value].flatMap((id) => cardOf(id)?.value ?? []);

/** One after the other. What is done leaves the choice; what is refused stays in it, with the reason on its card. */
export async function forEach(cards: Card[], run: (card: Card) => Promise<unknown>): Promise<void> {
  refused.value = new Map();
  for (const card of cards) {
    try {
      await run(card);
      chosen.value = new Set([...chosen.value].filter((id) => id !== card.id));
    } catch (error) {
      if (!(error instanceof Problem) || cards.length === 1) throw error;
      refused.value = new Map([...refused.value, [card.id, error.message]]);
    }
  }
}
