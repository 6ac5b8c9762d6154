/** One file of a change. */
import { useRef } from "preact/hooks";
import type { DiffFile } from "../diff/parse";
import { Icon } from "../../ui/icons";
import { isIn, type Place, type Side } from "./drafts";
import { Lines } from "./lines";
import { LARGE, type Review } from "./review";
import { seen } from "./seen";

interface FileProps {
  file: DiffFile;
  review: Review;
  split: boolean;
  /** Its turn has come: its lines are shown. */
  isDrawn: boolean;
}

const KINDS = { added: "new", removed: "deleted", renamed: "renamed", copied: "copied", changed: "" } as const;

export function File({ file, review, split, isDrawn }: FileProps) {
  const drafts = review.drafts.value.filter((draft) => draft.path === file.path);
  const picked = review.picked.value?.path === file.path ? review.picked.value : null;
  const isFolded = review.isFolded(file) && !picked;
  const tick = review.ticks.value[file.path];
  const isStale = tick !== undefined && tick !== file.hash;
  const body = usePicking(file, review);
  const from = file.oldPath !== file.path ? `${file.oldPath} → ` : "";
  return (
    <section class="file" data-path={file.path} aria-label={file.path}>
      <div class="file-head">
        <button class="file-fold" aria-expanded={!isFolded} onClick={() => review.fold(file, !isFolded)}>
          <span class="file-arrow" aria-hidden="true" />
          <span class="file-path mono">{from && <span class="quiet">{seen(from)}</span>}{seen(file.path)}</span>
        </button>
        {KINDS[file.kind] && <span class="file-kind">{KINDS[file.kind]}</span>}
        {file.mode && <span class="file-kind">mode {file.mode}</span>}
        {drafts.length > 0 && <span class="file-kind ink-you"><Icon name="talk" label="drafts" /> {drafts.length}</span>}
        <span class="file-counts"><span class="ink-good">+{file.added}</span> <span class="ink-bad">−{file.removed}</span></span>
        <label class="file-tick">
          <input type="checkbox" checked={tick === file.hash} onChange={() => review.tick(file)} /> reviewed
          {isStale && <span class="ink-you"> (it has changed since)</span>}
        </label>
      </div>
      {!isFolded && (
        <div class="file-body" {...body}>
          {file.binary && <p class="file-note">A binary file. There is nothing in it to read here.</p>}
          {!file.binary && !file.hunks.length && <p class="file-note">{file.kind === "renamed" ? "Renamed, its content as before." : "No line of it changed."}</p>}
          {!isDrawn && <div style={{ height: `${file.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0) * 1.25}rem` }} />}
          {isDrawn && <Lines file={file} split={split} review={review} picked={picked} writing={picked !== null && review.writing.value} drafts={drafts} />}
        </div>
      )}
      {isFolded && file.added + file.removed > LARGE && (
        <p class="file-note"><button class="button" onClick={() => review.fold(file, false)}>Show {file.added + file.removed} changed lines</button></p>
      )}
    </section>
  );
}

/** Which line a number belongs to. */
function placeOf(target: EventTarget | null, path: string): Place | null {
  const button = target instanceof Element ? target.closest<HTMLElement>(".line-number[data-line]") : null;
  if (!button) return null;
  const line = Number(button.dataset["line"]);
  return { path, side: button.dataset["side"] as Side, from: line, to: line };
}

/** A click picks a line, drawing over several a range; so does Shift with the arrows. */
function usePicking(file: DiffFile, review: Review) {
  const began = useRef<Place | null>(null);
  const stretch = (to: Place) => {
    const first = began.current;
    if (!first || first.side !== to.side) return;
    const [from, last] = [Math.min(first.from, to.from), Math.max(first.from, to.from)];
    const had = review.picked.peek();
    if (had?.from !== from || had.to !== last || had.path !== file.path) review.pick({ ...first, from, to: last }, false);
  };
  return {
    onPointerDown(event: PointerEvent) {
      const place = event.button === 0 ? placeOf(event.target, file.path) : null;
      if (!place) return;
      began.current = place;
      review.pick(place, false);
      // What was touched would keep the pointer to itself, and no other line would hear of it.
      if (event.target instanceof Element && event.target.hasPointerCapture(event.pointerId)) event.target.releasePointerCapture(event.pointerId);
      addEventListener("pointerup", () => {
        began.current = null;
        const picked = review.picked.peek();
        if (picked) review.pick(picked, true);
      }, { once: true });
    },
    onPointerOver(event: PointerEvent) {
      const row = event.target instanceof Element ? event.target.closest(".line") : null;
      const place = began.current && row ? placeOf(row.querySelector(".line-number[data-line]"), file.path) : null;
      if (place) stretch(place);
    },
    onKeyDown(event: KeyboardEvent) {
      const place = placeOf(event.target, file.path);
      if (!place || !(event.target instanceof HTMLElement)) return;
      if (event.key === "Enter" || event.key === " ") {
        const had = review.picked.peek();
        review.pick(had && isIn(had, file.path, { kind: place.side === "old" ? "removed" : "added", text: "", old: place.from, new: place.from, unended: false }) ? had : place, true);
      } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        const all = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>(".line-number[data-line]")];
        const next = all[all.indexOf(event.target) + (event.key === "ArrowDown" ? 1 : -1)];
        if (!next) return;
        if (event.shiftKey) {
          began.current ??= place;
          stretch(placeOf(next, file.path)!);
        } else began.current = null;
        next.focus();
      } else return;
      event.preventDefault();
      event.stopPropagation();
    },
  };
}
