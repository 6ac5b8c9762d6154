/** Axes: where a value stands, and which values are worth a line. Every axis of amounts begins at zero. */

const STEPS = [1, 2, 2.5, 5, 10];
const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
const SPANS = [1, 5, 15, 30, MINUTE, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 28 * DAY, 91 * DAY, 364 * DAY];

export type Unit = "count" | "seconds" | "usd";

/** From zero to the first round value that is not below `most`. */
export function ticks(most: number, unit: Unit = "count", wanted = 4): number[] {
  if (!(most > 0) || !Number.isFinite(most)) return [0, 1];
  const step = unit === "seconds" ? spanStep(most / wanted) : roundStep(most / wanted, unit === "count");
  const found: number[] = [];
  for (let place = 0; ; place++) {
    const value = Number((place * step).toPrecision(12));
    found.push(value);
    if (value >= most) return found;
  }
}

function roundStep(raw: number, whole: boolean): number {
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = (STEPS.find((one) => one * power >= raw * 0.999) ?? 10) * power;
  return whole ? Math.max(1, Math.ceil(step)) : step;
}

function spanStep(raw: number): number {
  return SPANS.find((one) => one >= raw) ?? Math.ceil(raw / (364 * DAY)) * 364 * DAY;
}

export function linear(most: number, length: number): (value: number) => number {
  return (value) => (most > 0 ? (Math.min(Math.max(value, 0), most) / most) * length : 0);
}

export interface TimeTick {
  at: number; // milliseconds
  label: string;
  isDay: boolean;
}

/** Round hours and days of the reader's own clock between two moments; milliseconds. */
export function timeTicks(from: number, to: number, wanted: number): TimeTick[] {
  const step = SPANS.find((one) => one * 1000 >= (to - from) / Math.max(1, wanted)) ?? 364 * DAY;
  const first = new Date(from);
  first.setHours(0, 0, 0, 0);
  const found: TimeTick[] = [];
  for (let at = first.getTime(); at <= to && found.length < 100; ) {
    if (at >= from) found.push({ at, label: timeLabel(at, step), isDay: isMidnight(at) });
    at = step >= DAY ? daysOn(at, step / DAY) : at + step * 1000;
  }
  return found;
}

/** By the calendar, so that a day with 23 hours does not shift those behind it. */
function daysOn(at: number, days: number): number {
  const date = new Date(at);
  date.setDate(date.getDate() + Math.round(days));
  return date.getTime();
}

function isMidnight(at: number): boolean {
  const date = new Date(at);
  return date.getHours() === 0 && date.getMinutes() === 0 && date.getSeconds() === 0;
}

function timeLabel(at: number, step: number): string {
  if (step >= DAY || isMidnight(at)) return dayLabel(new Date(at));
  return clock(at, step < MINUTE);
}

export function clock(at: number, seconds = false): string {
  const date = new Date(at);
  const two = (number: number) => String(number).padStart(2, "0");
  const minutes = `${two(date.getHours())}:${two(date.getMinutes())}`;
  return seconds ? `${minutes}:${two(date.getSeconds())}` : minutes;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

export function dayLabel(date: Date): string {
  return `${date.getDate()} ${MONTHS[date.getMonth()]}`;
}

/** A span on an axis, where each is round: what is nothing of it is left out. */
export function spanLabel(seconds: number): string {
  if (seconds === 0) return "0";
  if (seconds % DAY === 0) return `${seconds / DAY} d`;
  if (seconds % HOUR === 0) return `${seconds / HOUR} h`;
  return seconds % MINUTE === 0 ? `${seconds / MINUTE} min` : `${seconds} s`;
}

/** A day as the server names it, which counts in UTC: 2026-11-18. */
export function dayName(day: string): string {
  const [, month = "1", date = "1"] = day.split("-");
  return `${Number(date)} ${MONTHS[Number(month) - 1] ?? ""}`;
}
