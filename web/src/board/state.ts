/** How a card stands, as a tone, an icon and a word. One tone has one meaning. */
import type { Card } from "../api/types";
import type { IconName } from "../ui/icons";

export type Tone = "work" | "you" | "good" | "bad" | "wait" | "talk";

export interface State {
  tone: Tone;
  icon: IconName;
  word: string;
}

const STATES: Record<Card["status"], State> = {
  running: { tone: "work", icon: "work", word: "working" },
  proving: { tone: "work", icon: "proof", word: "being proved" },
  ready: { tone: "wait", icon: "wait", word: "queued" },
  waiting: { tone: "wait", icon: "wait", word: "waiting" },
  blocked: { tone: "wait", icon: "blocked", word: "blocked" },
  parked: { tone: "wait", icon: "pause", word: "parked" },
  "awaiting-divine-guidance": { tone: "you", icon: "you", word: "needs you" },
  "needs-human-review": { tone: "you", icon: "you", word: "needs you" },
  done: { tone: "good", icon: "good", word: "done" },
  cancelled: { tone: "wait", icon: "off", word: "cancelled" },
  failed: { tone: "bad", icon: "bad", word: "failed" },
};

export const ENDED: ReadonlySet<Card["status"]> = new Set(["done", "cancelled", "failed"] as const);

export function stateOf(card: Pick<Card, "taken" | "status" | "dispute_agents">): State {
  if (card.taken) return { tone: "work", icon: "hand", word: `taken by ${card.taken}` };
  const found = STATES[card.status];
  if (card.dispute_agents.length && found.tone !== "you" && !ENDED.has(card.status))
    return { ...found, tone: "talk", icon: "talk", word: `in dispute, ${found.word}` };
  return found;
}

/** Why it stands still, in few words; null where it moves or has ended. */
export function stillBecause(card: Card): string | null {
  if (card.status === "done" || card.status === "running" || card.status === "proving") return disputing(card);
  if (card.status === "cancelled" || card.status === "failed") return trimmed(card.why);
  if (card.questions.length) return "waits for your answer";
  if (card.waits_for.length) return `waits for ${card.waits_for.map((id) => `#${id}`).join(", ")}`;
  if (card.status === "ready" && !card.pause && !card.blocked_by) return disputing(card) ?? `queued for ${card.watcher ?? "an agent"}`;
  return trimmed(card.why);
}

function disputing(card: Card): string | null {
  if (!card.dispute_agents.length || ENDED.has(card.status)) return null;
  return `dispute, round ${Math.max(1, card.dispute_rounds)} of ${card.max_rounds}`;
}

/** The part before "because": the rest stands in the item's own story. */
const trimmed = (why: string): string => why.replace(/, because .*$/s, "").replace(/\.$/, "");

/** `needs-senior-dev` as people read it. */
export function columnWords(name: string): string {
  const words = name.replaceAll(/[-_]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export type Age = "new" | "day" | "days";

/** Three seconds and three days must not look alike. */
export function ageOf(seconds: number): Age {
  return seconds < 3_600 ? "new" : seconds < 86_400 ? "day" : "days";
}
