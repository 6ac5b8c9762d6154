/** Which cards are shown: by what stands on them, and by what the server finds in all that was said about them. */
import { computed, effect, signal } from "@preact/signals";
import { read } from "../api/client";
import type { Card, ItemSummary } from "../api/types";
import { cardOf, order } from "../live/board";
import { columnWords, stateOf } from "./state";

export const filter = signal("");
const found = signal<ReadonlyMap<string, ItemSummary>>(new Map());
let timer: ReturnType<typeof setTimeout> | undefined;

effect(() => {
  const text = filter.value.trim();
  clearTimeout(timer);
  found.value = new Map();
  if (text.length > 2)
    timer = setTimeout(async () => {
      const answer = await read("search", { text }).catch(() => null); // what stands on the cards is looked through in any case
      if (filter.peek().trim() === text && answer) found.value = new Map(answer.items.map((item) => [item.id, item]));
    }, 200);
});

const words = (card: Card): string =>
  [`#${card.id}`, card.title, card.watcher, card.agent, card.model, columnWords(card.column), card.priority, ...card.tags, stateOf(card).word]
    .join(" ")
    .toLowerCase();

/** Every word must be there: "dev working". */
export const shown = computed<ReadonlyMap<string, readonly string[]>>(() => {
  const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  if (!wanted.length) return order.value;
  const fits = (id: string) => {
    const text = words(cardOf(id)!.peek());
    return wanted.every((word) => text.includes(word)) || found.value.has(id);
  };
  return new Map([...order.value].map(([column, ids]) => [column, ids.filter(fits)]));
});

/** What the server has found that is on no card here: it ended long ago, or stands far behind in its column. */
export const elsewhere = computed<ItemSummary[]>(() => (order.value, [...found.value.values()].filter((item) => !cardOf(item.id))));
