/** Pools as the board knows them: by their quota, by what pauses them, by who uses them. */
import type { LiveRun, PauseView, UsageView, WindowLine } from "../api/types";
import { money } from "../ui/words";

export interface PoolLine {
  name: string;
  running: number;
  pause: PauseView | null;
  windows: WindowLine[];
  today: string; // what its runs cost; empty: it had none
}

const POOL = "pool:";

export function poolLines(runs: LiveRun[], pauses: PauseView[], usage: UsageView | null): PoolLine[] {
  const found = new Map<string, PoolLine>();
  const of = (name: string): PoolLine => {
    const known = found.get(name) ?? { name, running: 0, pause: null, windows: [], today: "" };
    found.set(name, known);
    return known;
  };
  for (const window of usage?.windows ?? []) of(window.pool).windows.push(window);
  for (const line of usage?.lines ?? []) of(line.key).today = money(line.cost_usd) ?? "cost unknown";
  for (const run of runs) if (run.pool) of(run.pool).running += 1;
  for (const pause of pauses) if (pause.what.startsWith(POOL)) of(pause.what.slice(POOL.length)).pause = pause;
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name));
}
