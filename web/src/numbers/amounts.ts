/** What runs used up, of one line: as a number, in words, as a sentence. What nobody told is unknown. */
import type { UsageLine, UsageView } from "../api/types";
import { count, money, span } from "../ui/words";
import { percent, plural } from "./findings";
import { dayName } from "./scale";

export type Measure = "usd" | "tokens" | "seconds";

export const tokensOf = (line: UsageLine) => line.input_tokens + line.output_tokens;

/** Null where of none of its runs anybody has told it. */
export function amount(line: UsageLine, measure: Measure): number | null {
  if (measure === "seconds") return line.seconds;
  if (measure === "usd") return line.runs ? line.cost_usd : 0;
  return line.runs && line.untold === line.runs ? null : tokensOf(line);
}

/** Of how many of its runs nobody told it. */
export const lacks = (line: UsageLine, measure: Measure) => (measure === "usd" ? line.unpriced : measure === "tokens" ? line.untold : 0);

export function inWords(value: number | null, measure: Measure): string {
  if (value === null) return "unknown";
  if (measure === "usd") return money(value) ?? "unknown";
  return measure === "tokens" ? count(Math.round(value)) : span(value);
}

export function costFinding(view: UsageView, measure: Measure): string {
  const all = amount(view.total, measure);
  const named = { usd: "cost", tokens: "tokens", seconds: "time" }[measure];
  if (!view.total.runs) return "No agent has run in this time.";
  if (all === null) return `Nobody told the ${named} of ${plural(view.total.runs, "run")}.`;
  const what = measure === "usd" ? `${inWords(all, measure)} spent` : measure === "tokens" ? `${inWords(all, measure)} tokens used` : `${inWords(all, measure)} of agents' work`;
  const [top] = [...view.lines].sort((a, b) => (amount(b, measure) ?? 0) - (amount(a, measure) ?? 0));
  const share = top && all ? (amount(top, measure) ?? 0) / all : 0;
  const who = top && view.by === "item" ? `#${top.key}` : view.by === "day" && top ? `the ${dayName(top.key)}` : top?.title;
  const most = share > 0 && view.lines.length > 1 ? `, ${percent(share)} of it ${view.by === "day" ? "on" : "for"} ${who}` : "";
  const unknown = lacks(view.total, measure);
  return `${what}${most}${unknown ? `; of ${plural(unknown, "run")} it is unknown` : ""}.`;
}
