/** A card that changes its place is seen to go there, and keeps the focus it had. */
import { beforeMoves } from "../live/board";

const MOST = 12; // more at once is a flicker, and no help to anybody
const TIME = 280;
const was = new Map<string, DOMRect>();
let focused: string | null = null;

beforeMoves((ids) => {
  was.clear();
  focused = document.activeElement?.closest<HTMLElement>("[data-card]")?.dataset["card"] ?? null;
  if (ids.length > MOST || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const id of ids) {
    const element = document.querySelector(`[data-card="${CSS.escape(id)}"]`);
    if (element) was.set(id, element.getBoundingClientRect());
  }
});

/** The card of this item has just been drawn, maybe in another column. */
export function arrive(id: string, element: HTMLElement): void {
  if (focused === id && !element.contains(document.activeElement)) element.focus({ preventScroll: true });
  const from = was.get(id);
  was.delete(id);
  if (!from) return;
  const to = element.getBoundingClientRect();
  const [x, y] = [from.left - to.left, from.top - to.top];
  if (!x && !y) return;
  const frames = [{ transform: `translate(${x}px, ${y}px)`, zIndex: 5 }, { transform: "none", zIndex: 5 }];
  element.animate(frames, { duration: TIME, easing: "cubic-bezier(.2,.8,.2,1)" });
}
