/** From the board's figures to what a plot shows and says. Sums of what the server told, and nothing decided here. */
import type { DayFigure, Figures, RunFigure } from "../api/types";

export const plural = (number: number, one: string, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;
export const percent = (share: number) => `${share > 0 && share < 0.01 ? "<1" : Math.round(share * 100)} %`;

const total = (numbers: number[]) => numbers.reduce((sum, one) => sum + one, 0);

/** "6 items landed in the last 7 days, 2 more than in the 7 before." */
export function landedFinding(days: DayFigure[]): string {
  const landed = days.map((day) => day.landed);
  const now = total(landed.slice(-7));
  if (landed.length < 14) return `${plural(total(landed), "item")} landed in ${plural(days.length, "day")}.`;
  const before = total(landed.slice(-14, -7));
  const said = `${plural(now, "item")} landed in the last 7 days`;
  if (now === before) return `${said}, as many as in the 7 before.`;
  return `${said}, ${Math.abs(now - before)} ${now > before ? "more" : "fewer"} than in the 7 before.`;
}

export interface Times {
  name: string;
  items: number;
  worked: number;
  proved: number;
  waited: number;
  asked: number;
}

export const timesByColumn = (figures: Figures): Times[] =>
  figures.columns.map((one) => ({ name: one.column, items: one.items, worked: one.worked_seconds, proved: one.proved_seconds, waited: one.waited_seconds, asked: one.asked_seconds }));

/** By who went on with the item: the wait before a run counts for its agent. */
export function timesByAgent(runs: RunFigure[]): Times[] {
  const found = new Map<string, Times & { seen: Set<string> }>();
  for (const run of runs) {
    const one = found.get(run.agent) ?? { name: run.agent, items: 0, worked: 0, proved: 0, waited: 0, asked: 0, seen: new Set<string>() };
    one.items = one.seen.add(run.item).size;
    if (run.gate) one.proved += run.seconds;
    else one.worked += run.seconds;
    one.asked += run.asked_seconds;
    one.waited += run.waited_seconds - run.asked_seconds;
    found.set(run.agent, one);
  }
  return [...found.values()].map(({ seen: _seen, ...times }) => times).sort((a, b) => whole(b) - whole(a));
}

export const whole = (one: Times) => one.worked + one.proved + one.waited + one.asked;

export function timesFinding(times: Times[], where: "column" | "agent"): string {
  const all = total(times.map(whole));
  if (!all) return "No item has been worked on in this time.";
  const still = total(times.map((one) => one.waited + one.asked));
  const [slowest] = [...times].sort((a, b) => b.waited + b.asked - a.waited - a.asked);
  if (!slowest || still / all < 0.2) return `Items are worked on ${percent(1 - still / all)} of their time.`;
  const place = where === "column" ? `in ${slowest.name}` : `for ${slowest.name}`;
  const asked = total(times.map((one) => one.asked));
  const most = asked > still / 2 ? "most of that for a person" : `longest ${place}`;
  return `Items wait ${percent(still / all)} of their time, ${most}.`;
}

export interface Rounds {
  item: string;
  title: string;
  disputed: number;
  sentBack: number;
  red: number;
}

export const roundsOf = (one: Rounds) => one.disputed + one.sentBack + one.red;

/** How often each item came back, the most often first; those that never did too. */
export function rounds(figures: Figures): Rounds[] {
  const found = new Map<string, Rounds>();
  for (const run of figures.runs) {
    const one = found.get(run.item) ?? { item: run.item, title: figures.titles[run.item] ?? "", disputed: 0, sentBack: 0, red: 0 };
    if (run.gate) one.red += run.ended_at && run.outcome !== "done" && run.outcome !== "released" && run.outcome !== "revoked" ? 1 : 0;
    else if (run.outcome === "disputed") one.disputed += 1;
    else if (run.outcome === "changes_requested") one.sentBack += 1;
    found.set(run.item, one);
  }
  return [...found.values()].sort((a, b) => roundsOf(b) - roundsOf(a) || Number(a.item) - Number(b.item));
}

export function roundsFinding(all: Rounds[]): string {
  const back = all.filter((one) => roundsOf(one) > 0);
  const [worst] = back;
  if (!worst) return all.length ? `None of ${plural(all.length, "item")} came back.` : "No item has been worked on in this time.";
  const said = `${back.length} of ${plural(all.length, "item")} came back to be changed`;
  return roundsOf(worst) > 1 ? `${said}, #${worst.item} ${roundsOf(worst)} times.` : `${said}, each once.`;
}

export interface Stretch {
  from: number;
  to: number;
  most: number;
  mean: number;
}

/** Over equal stretches of time: how many runs went on at once, at most and on average. Gates use slots too. */
export function slotsInUse(runs: RunFigure[], from: number, to: number, stretches: number): Stretch[] {
  const length = (to - from) / stretches;
  const edges: { at: number; by: number }[] = [];
  for (const run of runs) {
    const begun = Math.max(from, Date.parse(run.begun_at ?? ""));
    const ended = Math.min(to, run.ended_at ? Date.parse(run.ended_at) : to);
    if (ended > begun) edges.push({ at: begun, by: 1 }, { at: ended, by: -1 });
  }
  edges.sort((a, b) => a.at - b.at || a.by - b.by);
  const found: Stretch[] = [];
  let next = 0;
  let going = 0;
  for (let place = 0; place < stretches; place++) {
    const begin = from + place * length;
    const end = begin + length;
    let most = going;
    let area = 0;
    let since = begin;
    for (let edge = edges[next]; edge && edge.at < end; edge = edges[++next]) {
      area += going * (edge.at - since);
      since = edge.at;
      going += edge.by;
      most = Math.max(most, going);
    }
    found.push({ from: begin, to: end, most, mean: (area + going * (end - since)) / length });
  }
  return found;
}

export function slotsFinding(stretches: Stretch[], slots: number): string {
  const mean = total(stretches.map((one) => one.mean)) / Math.max(1, stretches.length);
  const most = Math.max(0, ...stretches.map((one) => one.most));
  if (!most) return "No run went on in this time.";
  return `${plural(most, "run")} at once at most, ${mean.toFixed(mean < 1 ? 2 : 1)} on average; the flow has ${plural(slots, "slot")}.`;
}
