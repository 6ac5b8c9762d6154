/** From file to file and from change to change by keys. Where one is, the focus says. */
import type { RefObject } from "preact";
import type { DiffFile } from "../diff/parse";
import { useCommand } from "../commands";
import type { Side } from "./drafts";
import type { Review } from "./review";

export function useReviewKeys(frame: RefObject<HTMLElement | null>, review: Review, switchLayout: () => void): void {
  const step = (selector: string, by: number) => {
    const all = [...(frame.current?.querySelectorAll<HTMLElement>(selector) ?? [])];
    const next = all[placeAmong(all) + by] ?? (by > 0 ? undefined : all[0]);
    show(next);
  };
  useCommand("nextFile", () => step(".file-fold", 1));
  useCommand("previousFile", () => step(".file-fold", -1));
  useCommand("nextHunk", () => stepHunk(frame.current, 1));
  useCommand("previousHunk", () => stepHunk(frame.current, -1));
  useCommand("layout", switchLayout);
  useCommand("comment", () => {
    const button = focusedLine() ?? firstChanged(frame.current?.querySelector(".hunk") ?? null);
    const path = button?.closest<HTMLElement>(".file")?.dataset["path"];
    if (!button || path === undefined) return;
    const line = Number(button.dataset["line"]);
    const side = button.dataset["side"] as Side;
    const had = review.picked.peek();
    const isWithin = had && had.path === path && had.side === side && line >= had.from && line <= had.to;
    review.pick(isWithin ? had : { path, side, from: line, to: line }, true);
  });
  useCommand("reviewed", () => {
    const path = document.activeElement?.closest<HTMLElement>(".file")?.dataset["path"];
    const file = review.files.peek().find((one) => one.path === path);
    if (file) review.tick(file);
  });
}

/** The last one that begins before where the focus is, or -1. */
function placeAmong(all: HTMLElement[]): number {
  const focus = document.activeElement;
  if (!focus) return -1;
  return all.findLastIndex((one) => one === focus || (one.compareDocumentPosition(focus) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0);
}

function stepHunk(frame: HTMLElement | null, by: number): void {
  const all = [...(frame?.querySelectorAll<HTMLElement>(".hunk") ?? [])];
  const at = placeAmong(all);
  show(firstChanged(all[Math.max(0, at + by)] ?? null) ?? undefined);
}

function firstChanged(hunk: Element | null): HTMLElement | null {
  return hunk?.querySelector<HTMLElement>('.line-number[data-line]:not([data-kind="same"])') ?? null;
}

function focusedLine(): HTMLElement | null {
  const focus = document.activeElement;
  return focus instanceof HTMLElement && focus.dataset["line"] !== undefined ? focus : null;
}

function show(target: HTMLElement | undefined): void {
  target?.focus({ preventScroll: true });
  target?.scrollIntoView({ block: target.classList.contains("file-fold") ? "start" : "center" });
}

export function reveal(frame: Element | null, path: string, review: Review, files: DiffFile[]): void {
  const file = files.find((one) => one.path === path);
  if (file && review.isFolded(file)) review.fold(file, false);
  const all = [...(frame?.querySelectorAll<HTMLElement>(".file") ?? [])];
  show(all.find((one) => one.dataset["path"] === path)?.querySelector<HTMLElement>(".file-fold") ?? undefined);
}
