/** One item and its events, asked for anew whenever something happens to it. What was there stays until then. */
import { type ReadonlySignal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Problem, read } from "../api/client";
import type { EventView, ItemView } from "../api/types";
import { onItem } from "../live";

export interface Loaded {
  item: ItemView | null;
  events: EventView[];
  problem: Problem | null;
}

const PAGE = 1000;

export interface Watched {
  loaded: ReadonlySignal<Loaded>;
  /** What a write has answered is newer than what was read. */
  take: (item: ItemView) => void;
}

export function useItem(id: string): Watched {
  const loaded = useSignal<Loaded>({ item: null, events: [], problem: null });
  useEffect(() => {
    const stop = new AbortController();
    let wanted = false;
    let asking = false;
    const look = async () => {
      wanted = true;
      if (asking) return;
      asking = true;
      while (wanted && !stop.signal.aborted) {
        wanted = false;
        await lookOnce(id, loaded.peek(), stop.signal).then(
          (found) => (loaded.value = newer(loaded.peek(), found)),
          (error) => {
            if (!stop.signal.aborted) loaded.value = { ...loaded.peek(), problem: asProblem(error) };
          },
        );
      }
      asking = false;
    };
    loaded.value = { item: null, events: [], problem: null };
    void look();
    const end = onItem(id, () => void look());
    return () => {
      end();
      stop.abort();
    };
  }, [id]);
  return { loaded, take: (item) => (loaded.value = newer(loaded.peek(), { ...loaded.peek(), item, problem: null })) };
}

function newer(had: Loaded, found: Loaded): Loaded {
  const same = had.item && found.item && had.item.id === found.item.id && had.item.version > found.item.version;
  return same ? { ...found, item: had.item } : found;
}

async function lookOnce(id: string, had: Loaded, signal: AbortSignal): Promise<Loaded> {
  const item = await read("show", { item: id }, signal);
  const events = had.item?.id === item.id ? [...had.events] : [];
  for (let after = events.at(-1)?.seq ?? 0; ; ) {
    const page = await read("log", { item: id, after, limit: PAGE }, signal);
    events.push(...page.events);
    if (page.events.length < PAGE) break;
    after = page.next;
  }
  return { item, events, problem: null };
}

export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem(0, { code: "offline", detail: "The server does not answer.", hint: "it is tried again when the board is live" });
}
