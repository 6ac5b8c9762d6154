/** Who wants to know that something happened to an item, or at all. */
import { signal } from "@preact/signals";
import type { EventView } from "../api/types";

const PAUSE = 250; // ms: a busy item calls its watchers four times a second at most

export const seq = signal(0);

const watchers = new Map<string, Set<() => void>>();
const listeners = new Set<(events: EventView[]) => void>();
const waiting = new Set<string>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** Calls back when events have touched this item. The answer ends it. */
export function onItem(id: string, callback: () => void): () => void {
  const all = watchers.get(id) ?? new Set();
  watchers.set(id, all.add(callback));
  return () => {
    all.delete(callback);
    if (!all.size) watchers.delete(id);
  };
}

/** Calls back with the events themselves, in bursts. */
export function onEvents(callback: (events: EventView[]) => void): () => void {
  listeners.add(callback);
  return () => void listeners.delete(callback);
}

export function touch(events: EventView[], last: number): void {
  seq.value = Math.max(seq.value, last);
  if (!events.length) return;
  listeners.forEach((callback) => callback(events));
  for (const { item } of events) if (item && watchers.has(item)) waiting.add(item);
  if (waiting.size) timer ??= setTimeout(call, PAUSE);
}

function call(): void {
  timer = undefined;
  const ids = [...waiting];
  waiting.clear();
  for (const id of ids) watchers.get(id)?.forEach((callback) => callback());
}
