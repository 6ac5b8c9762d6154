/** A large change is drawn bit by bit, so that the page answers meanwhile: its first files at once, more when there is time. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { DiffFile } from "../diff/parse";

const AT_ONCE = 600; // lines, more than a screen shows

/** How many of the files have their lines drawn. Begins anew where `layout` changes: then all of them must be. */
export function useProgress(files: DiffFile[], layout: string, isFolded: (file: DiffFile) => boolean): number {
  const drawn = useSignal({ files, layout, count: next(files, 0, isFolded) });
  const isOld = drawn.value.files !== files || drawn.value.layout !== layout;
  const count = isOld ? next(files, 0, isFolded) : drawn.value.count;
  useEffect(() => {
    if (isOld) drawn.value = { files, layout, count };
    if (count >= files.length) return;
    const timer = setTimeout(() => (drawn.value = { files, layout, count: next(files, count, isFolded) }), 0);
    return () => clearTimeout(timer);
  }, [files, layout, count]);
  return count;
}

function next(files: DiffFile[], from: number, isFolded: (file: DiffFile) => boolean): number {
  let lines = 0;
  let at = from;
  for (; at < files.length && lines < AT_ONCE; at++)
    if (!isFolded(files[at]!)) lines += files[at]!.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
  return at;
}
