/** Runs in rows in which none covers another. */
import type { RunFigure } from "../api/types";

export interface Row {
  name: string;
  lanes: RunFigure[][];
}

export const begin = (run: RunFigure) => Date.parse(run.begun_at ?? "");
export const end = (run: RunFigure, now: number) => (run.ended_at ? Date.parse(run.ended_at) : now);

export function lanes(runs: RunFigure[], now: number): RunFigure[][] {
  const found: RunFigure[][] = [];
  const free: number[] = [];
  for (const run of [...runs].sort((a, b) => begin(a) - begin(b))) {
    const place = free.findIndex((at) => at <= begin(run));
    const lane = place < 0 ? found.length : place;
    (found[lane] ??= []).push(run);
    free[lane] = end(run, now);
  }
  return found;
}

export function rows(runs: RunFigure[], by: "agent" | "slot", now: number): Row[] {
  if (by === "slot") return lanes(runs, now).map((lane, place) => ({ name: `slot ${place + 1}`, lanes: [lane] }));
  const names = new Map<string, RunFigure[]>();
  for (const run of runs) names.set(run.agent, [...(names.get(run.agent) ?? []), run]);
  const order = (some: RunFigure[]) => (some[0]?.gate ? 1 : 0);
  return [...names]
    .sort(([, a], [, b]) => order(a) - order(b) || b.length - a.length)
    .map(([name, some]) => ({ name, lanes: lanes(some, now) }));
}

const ENDS: Record<string, [kind: string, words: string]> = {
  done: ["good", "done"],
  failed: ["bad", "failed"],
  stuck: ["bad", "stuck"],
  changes_requested: ["talk", "asked for changes"],
  disputed: ["talk", "disputed"],
  asks: ["ask", "asked a person"],
  incomplete: ["quiet", "left part of it"],
  split: ["good", "split it"],
  delegates: ["good", "asked for help"],
  released: ["quiet", "given back"],
  revoked: ["quiet", "ended by a person"],
};

/** How a run ended: its colour, and the same in words. */
export function ending(run: RunFigure): { kind: string; words: string } {
  if (!run.ended_at) return { kind: "", words: "at work" };
  const [kind, words] = ENDS[run.outcome ?? ""] ?? ["quiet", "ended without a report"];
  if (run.gate && run.outcome !== "done" && kind === "bad") return { kind, words: "red" };
  return { kind, words: run.gate && run.outcome === "done" ? (run.agent === "landing" ? "landed" : "green") : words };
}
