/** How an item and its runs stand, as people say it. */
import type { ItemView, RunView } from "../api/types";
import { stateOf, type Tone } from "../board/state";
import type { IconName } from "../ui/icons";

export { ENDED } from "../board/state";
export type { IconName, Tone };

export interface Standing {
  words: string;
  tone: Tone;
  icon: IconName;
}

/** The tone and the icon are those of its card; the words may be longer here. */
export function standing(item: ItemView): Standing {
  const { tone, icon, word } = stateOf(item);
  return { tone, icon, words: longer(item) ?? word.charAt(0).toUpperCase() + word.slice(1) };
}

function longer(item: ItemView): string | null {
  const run = item.runs?.find((one) => !one.ended_at && !one.gate);
  if (item.taken) return `${item.taken} has it in hand`;
  if (item.status === "running" && run) return `${run.agent} is at work`;
  if (item.status === "done" && item.landed) return `Landed on ${item.landed_on ?? "its branch"}`;
  if (item.status === "blocked" && item.waits_for.length) return `Waits for ${item.waits_for.map((id) => `#${id}`).join(", ")}`;
  return null;
}

const OUTCOME: Record<NonNullable<RunView["outcome"]>, Standing> = {
  done: { words: "done", tone: "good", icon: "tick" },
  failed: { words: "failed", tone: "bad", icon: "cross" },
  stuck: { words: "stuck", tone: "bad", icon: "cross" },
  incomplete: { words: "not finished", tone: "bad", icon: "cross" },
  asks: { words: "asks a person", tone: "you", icon: "you" },
  changes_requested: { words: "asks for changes", tone: "you", icon: "back" },
  disputed: { words: "disagrees", tone: "talk", icon: "talk" },
  delegates: { words: "asks for help", tone: "work", icon: "help" },
  split: { words: "split the work", tone: "work", icon: "split" },
  released: { words: "gave it back", tone: "wait", icon: "stop" },
  revoked: { words: "was ended", tone: "wait", icon: "stop" },
};

/** A gate is green or red; an agent has an outcome. */
export function ending(run: RunView): Standing {
  if (!run.ended_at) return { words: run.gate ? "running" : "at work", tone: "work", icon: "dot" };
  if (run.gate && run.outcome === "done") return { words: "green", tone: "good", icon: "tick" };
  if (run.gate && run.outcome === "failed") return { words: "red", tone: "bad", icon: "cross" };
  if (run.outcome) return OUTCOME[run.outcome];
  return { words: run.end === "rescued" ? "its worker was lost" : "ended", tone: "wait", icon: "stop" };
}

const CAUSE: Record<NonNullable<RunView["cause"]>, string> = {
  capability: "the model could not do it",
  conflict: "its change conflicts with what others made",
  environment: "the machine was not as it must be",
  fatal: "it cannot be done as it stands",
  integration: "it does not fit with the rest",
  protocol: "its report could not be read",
  quota: "the quota was used up",
  requirement: "what is wanted is not clear",
  size: "it is too large for one run",
  timeout: "it took too long",
  transient: "a passing trouble of the client",
  outage: "the model's server did not answer",
  gate: "a gate was red",
};

export function cause(run: RunView): string | null {
  return run.cause ? CAUSE[run.cause] : null;
}

export function clockTime(at: number, withSeconds = false): string {
  const options: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
  return new Date(at).toLocaleTimeString(undefined, withSeconds ? { ...options, second: "2-digit" } : options);
}

export function dayTime(at: number): string {
  const day = new Date(at).toLocaleDateString(undefined, { day: "numeric", month: "short" });
  return `${day} ${clockTime(at)}`;
}

/** Short spans need their parts of a second: a gate often takes no longer. */
export function lasted(milliseconds: number): string {
  if (milliseconds < 10_000) return `${(Math.max(0, milliseconds) / 1000).toFixed(1)} s`;
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return seconds % 60 ? `${Math.floor(seconds / 60)} min ${seconds % 60} s` : `${seconds / 60} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3600)} h`;
}

const TONES: Record<Tone, string> = {
  work: "at work", good: "done", bad: "failed", you: "asks", talk: "disagrees", wait: "ended without a word",
};

export function nameOfTone(tone: Tone): string {
  return TONES[tone];
}
