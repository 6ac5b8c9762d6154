/** Moving a card by hand. What it does is done by the same sheet as by key and by menu. */
import { signal } from "@preact/signals";
import { read } from "../api/client";
import type { MoveView } from "../api/types";
import { cardOf } from "../live/board";
import { modal } from "./modal";

interface Dragged {
  id: string;
  from: string;
  moves: MoveView[] | null;
  over: string | null;
}

export const dragged = signal<Dragged | null>(null);

const mayDrop = (column: string): boolean => {
  const now = dragged.peek();
  if (!now || column === now.from) return false;
  return now.moves?.find((move) => move.column === column)?.allowed ?? true;
};

export const drag = {
  begin(event: DragEvent, id: string): void {
    event.dataTransfer?.setData("text/plain", `#${id}`);
    if (event.dataTransfer) event.dataTransfer.effectAllowed = "move";
    const from = cardOf(id)?.peek().column ?? "";
    // after this frame: a page that changes while the drag begins ends the drag
    setTimeout(() => (dragged.value = { id, from, moves: null, over: null }));
    void read("moves", { item: id }).then(({ moves }) => {
      if (dragged.value?.id === id) dragged.value = { ...dragged.value, moves };
    }, () => undefined); // then the move itself is refused, with the reason
  },
  over(event: DragEvent | null, column: string): void {
    const now = dragged.value;
    if (!now) return;
    if (event && mayDrop(column)) event.preventDefault();
    const over = event ? column : now.over === column ? null : now.over;
    if (over !== now.over) dragged.value = { ...now, over };
  },
  drop(event: DragEvent, column: string): void {
    event.preventDefault();
    const now = dragged.value;
    if (now && mayDrop(column)) modal.value = { kind: "move", id: now.id, to: column };
    dragged.value = null;
  },
  end(): void {
    dragged.value = null;
  },
};
