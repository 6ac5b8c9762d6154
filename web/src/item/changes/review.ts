/** One person's look at a change: what is shown, ticked, folded, picked, drafted. */
import { computed, signal } from "@preact/signals";
import { type DiffFile, parseDiff } from "../diff/parse";
import type { ItemChange } from "../../api/types";
import { keep, kept } from "../memory";
import type { Draft, Place } from "./drafts";

/** Longer files fold by themselves: few read them, and a page of them would be slow. */
export const LARGE = 400;

export function makeReview(item: string, drafted: (count: number) => void) {
  const change = signal<ItemChange | null>(null);
  const files = computed<DiffFile[]>(() => (change.value ? parseDiff(change.value.diff) : []));
  const ticks = signal<Record<string, string>>(kept(item, "ticks", {}));
  const drafts = signal<Draft[]>(kept(item, "drafts", []));
  const folds = signal<Record<string, boolean>>({});
  const picked = signal<Place | null>(null);
  const writing = signal(false);
  const words = signal(kept(item, "words", ""));
  const setDrafts = (all: Draft[]) => {
    drafts.value = all;
    keep(item, "drafts", all);
    drafted(all.length);
  };
  const setWords = (text: string) => keep(item, "words", (words.value = text));
  return {
    change, files, ticks, drafts, folds, picked, writing, words, setWords,
    isFolded: (file: DiffFile) => folds.value[file.path] ?? (ticks.value[file.path] === file.hash || file.added + file.removed > LARGE),
    fold: (file: DiffFile, folded: boolean) => (folds.value = { ...folds.value, [file.path]: folded }),
    /** Bound to what the file's change is: when that changes, the tick is stale. */
    tick(file: DiffFile): void {
      const { [file.path]: before, ...others } = ticks.value;
      ticks.value = before === file.hash ? others : { ...others, [file.path]: file.hash };
      folds.value = { ...folds.value, [file.path]: before !== file.hash };
      keep(item, "ticks", ticks.value);
    },
    pick(place: Place, write: boolean): void {
      picked.value = place;
      writing.value = write;
    },
    draft(place: Place, quote: string, must: boolean): void {
      const text = words.value.trim();
      if (!text) return;
      const { path, side, from, to } = place;
      setDrafts([...drafts.value, { id: crypto.randomUUID(), path, side, from, to, quote, text, must }]);
      setWords("");
      writing.value = false;
      picked.value = null;
    },
    drop: (id: string) => setDrafts(drafts.value.filter((draft) => draft.id !== id)),
    dropAll: () => setDrafts([]),
    stop(): void {
      writing.value = false;
      picked.value = null;
    },
  };
}

export type Review = ReturnType<typeof makeReview>;
