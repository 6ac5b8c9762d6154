/** Where a moment stands on the axis. Long stretches without a run are drawn short, and marked: agents work minutes and
 *  wait for hours, and it is the minutes that one wants to read. */
import type { StoryView } from "./rows";

export interface Stretch {
  from: number;
  to: number;
}

export interface Scale extends Stretch {
  /** In percent of the axis. */
  place: (at: number) => number;
  breaks: Stretch[];
  ticks: number[];
}

interface Part extends Stretch {
  weight: number;
  begin: number;
  isBreak: boolean;
}

const APART = 13; // percent between two words on the axis

export function scaleOf(story: StoryView, from: number, to: number): Scale {
  const parts = partsOf(busyOf(story, from, to), from, to);
  const total = parts.reduce((sum, part) => sum + part.weight, 0);
  const place = (at: number) => {
    const part = parts.findLast((one) => one.from <= at) ?? parts[0]!;
    const within = part.to > part.from ? Math.min(1, Math.max(0, (at - part.from) / (part.to - part.from))) : 0;
    return ((part.begin + within * part.weight) / total) * 100;
  };
  const breaks = parts.filter((part) => part.isBreak);
  const wanted = breaks.length ? parts.filter((part) => !part.isBreak).map((part) => part.from) : ticks(from, to, 4);
  let last = -APART;
  const shown = wanted.filter((at) => {
    const fits = place(at) - last >= APART && place(at) <= 100 - APART;
    if (fits) last = place(at);
    return fits;
  });
  return { from, to, place, breaks, ticks: shown };
}

/** When any run was at work: their stretches, joined where they touch. */
function busyOf(story: StoryView, from: number, to: number): Stretch[] {
  const found: Stretch[] = [];
  for (const bar of story.bars) {
    const stretch = { from: Math.max(bar.from, from), to: Math.min(bar.to ?? to, to) };
    if (stretch.to <= stretch.from) continue;
    const last = found.at(-1);
    if (last && stretch.from <= last.to) last.to = Math.max(last.to, stretch.to);
    else found.push(stretch);
  }
  return found;
}

function partsOf(busy: Stretch[], from: number, to: number): Part[] {
  const stretches: (Stretch & { idle: boolean })[] = [];
  let at = from;
  for (const stretch of busy) {
    if (stretch.from > at) stretches.push({ from: at, to: stretch.from, idle: true });
    stretches.push({ ...stretch, idle: false });
    at = stretch.to;
  }
  if (to > at || !stretches.length) stretches.push({ from: at, to: Math.max(to, at + 1), idle: true });
  const worked = busy.reduce((sum, one) => sum + one.to - one.from, 0);
  const idle = stretches.filter((one) => one.idle).length;
  // All pauses together take a third of the axis at most; short ones are drawn as they are.
  const most = worked ? Math.max((worked * 0.5) / Math.max(1, idle), worked * 0.02) : Infinity;
  let begin = 0;
  return stretches.map(({ idle: isIdle, ...one }) => {
    const length = one.to - one.from;
    const isBreak = isIdle && length > most * 1.5;
    const part = { ...one, begin, weight: isBreak ? most : length, isBreak };
    begin += part.weight;
    return part;
  });
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400, 172_800, 604_800];

/** Round moments between two, so many that they can be read side by side. */
export function ticks(from: number, to: number, most: number): number[] {
  const wanted = (to - from) / 1000 / most;
  const step = (STEPS.find((one) => one >= wanted) ?? Math.ceil(wanted / 604_800) * 604_800) * 1000;
  // A day begins where the reader is, not in Greenwich.
  const shift = new Date(from).getTimezoneOffset() * 60_000;
  const found: number[] = [];
  for (let at = Math.ceil((from - shift) / step) * step + shift; at < to; at += step) found.push(at);
  return found;
}
