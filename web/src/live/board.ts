/** The board as this tab shows it: a signal for each card, so that a change draws one card anew. */
import { batch, computed, type Signal, signal } from "@preact/signals";
import type { BoardView, Card, LiveRun, QuestionView } from "../api/types";

type Rest = Omit<BoardView, "items" | "runs" | "questions">;

export const rest = signal<Rest | null>(null);
export const questions = signal<QuestionView[]>([]);
export const runs = signal<ReadonlyMap<string, LiveRun>>(new Map());
/** By column, in the order in which they are shown; new only when a card comes, goes or changes place. */
export const order = signal<ReadonlyMap<string, readonly string[]>>(new Map());

const cards = new Map<string, Signal<Card>>();
const live = new Map<string, Signal<LiveRun | null>>();

export const count = computed(() => [...order.value.values()].reduce((sum, ids) => sum + ids.length, 0));

/** What kind of place a column is. */
export const kindOf = (column: string): BoardView["kinds"][string] => rest.value?.kinds[column] ?? "flow";

/** How many of a column the server has beside those that are here. */
export const beyond = (column: string): number => {
  const known = order.value.get(column)?.length ?? 0;
  const all = column === "done" ? rest.value?.totals["done"] : rest.value?.open[column];
  return Math.max(0, (all ?? 0) - known);
};

export const isCut = (): boolean => Object.keys(rest.value?.open ?? {}).some((column) => beyond(column) > 0);

export const cardOf = (id: string): Signal<Card> | undefined => cards.get(id);

/** The run at work on an item. */
export function runOf(id: string): Signal<LiveRun | null> {
  let found = live.get(id);
  if (!found) live.set(id, (found = signal(runs.peek().get(id) ?? null)));
  return found;
}

export const allCards = (): Card[] => [...cards.values()].map((one) => one.peek());

const movers = new Set<(ids: string[]) => void>();

/** Calls back just before cards come to stand in another column. */
export function beforeMoves(callback: (ids: string[]) => void): void {
  movers.add(callback);
}

export function takeBoard(board: BoardView): void {
  const moved = board.items.filter((item) => {
    const known = cards.get(item.id)?.peek();
    return known && (known.column !== item.column || known.status !== item.status);
  });
  if (moved.length) movers.forEach((callback) => callback(moved.map((item) => item.id)));
  batch(() => {
    const { items, runs: going, questions: open, ...others } = board;
    let isArranged = !board.whole;
    if (board.whole) keepOnly(new Set(items.map((item) => item.id)));
    for (const item of items) {
      const known = cards.get(item.id);
      if (!known) cards.set(item.id, signal(item));
      else if ((item.version < known.peek().version && !board.whole) || isSame(known.peek(), item)) continue;
      isArranged &&= known !== undefined && isPlaced(known.peek(), item);
      if (known) known.value = item;
    }
    takeRuns(going);
    if (!isSame(questions.peek(), open)) questions.value = open;
    if (!isSame(rest.peek(), others)) rest.value = others;
    if (!isArranged) arrange();
  });
}

/** What is still there keeps its signal: a look at all of it draws nothing anew that did not change. */
function keepOnly(ids: ReadonlySet<string>): void {
  for (const id of cards.keys()) if (!ids.has(id)) cards.delete(id);
}

const isPlaced = (one: Card, other: Card): boolean =>
  one.column === other.column && one.status === other.status && one.priority === other.priority && one.updated_at === other.updated_at;

function takeRuns(going: LiveRun[]): void {
  runs.value = new Map(going.map((run) => [run.item, run]));
  for (const run of going) runOf(run.item);
  for (const [id, known] of live) {
    const run = runs.value.get(id) ?? null;
    if (!isSame(known.peek(), run)) known.value = run;
  }
}

const URGENCY = ["critical", "high", "medium", "low"];
const ENDED = new Set(["done", "cancelled", "failed"]);

function arrange(): void {
  const found = new Map<string, Card[]>();
  for (const card of allCards()) {
    const place = ENDED.has(card.status) ? "done" : card.column; // what was cancelled keeps the column it was in
    const column = found.get(place);
    if (column) column.push(card);
    else found.set(place, [card]);
  }
  const arranged = new Map<string, string[]>();
  for (const [column, all] of found) arranged.set(column, all.sort(before).map((card) => card.id));
  if (!isSame([...order.peek()], [...arranged])) order.value = arranged;
}

/** What has ended stands by when, the newest first; all else by urgency, then by age. Nothing that changes by the minute
 *  decides: a card that is being looked at stays where it is. */
function before(one: Card, other: Card): number {
  if (ENDED.has(one.status) && ENDED.has(other.status))
    return (other.updated_at ?? "").localeCompare(one.updated_at ?? "") || numeric(other.id, one.id);
  return URGENCY.indexOf(one.priority) - URGENCY.indexOf(other.priority) || numeric(one.id, other.id);
}

export const numeric = (one: string, other: string): number => Number(one) - Number(other);

const isSame = (one: unknown, other: unknown): boolean => one === other || JSON.stringify(one) === JSON.stringify(other);
