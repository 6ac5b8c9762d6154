/** Which card the keys are about, and the way from it to its neighbours. */
import { signal } from "@preact/signals";

export const selected = signal<string | null>(null);

const cardElement = (id: string): HTMLElement | null => document.querySelector(`[data-card="${CSS.escape(id)}"]`);

export function select(id: string): void {
  selected.value = id;
  const element = cardElement(id);
  element?.focus({ preventScroll: true });
  element?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** By columns and rows as they are on the screen: what is filtered out or folded away is passed over. */
export function step(columns: number, rows: number): void {
  const board = [...document.querySelectorAll<HTMLElement>("[data-column]")]
    .map((column) => [...column.querySelectorAll<HTMLElement>("[data-card]")])
    .filter((cards) => cards.length);
  const id = selected.peek();
  const at = board.findIndex((cards) => cards.some((card) => card.dataset["card"] === id));
  if (at < 0) {
    const first = board[0]?.[0]?.dataset["card"];
    if (first) select(first);
    return;
  }
  const row = board[at]?.findIndex((card) => card.dataset["card"] === id) ?? 0;
  const column = board[Math.min(Math.max(at + columns, 0), board.length - 1)] ?? [];
  const found = column[Math.min(Math.max(row + rows, 0), column.length - 1)]?.dataset["card"];
  if (found) select(found);
}
