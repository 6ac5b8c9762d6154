/** The plots of the page, each a question about the board and its answer. */
import { useState } from "preact/hooks";
import type { BudgetLine, Figures, Metrics, UsageView } from "../api/types";
import { go, now } from "../live";
import { count, money, span } from "../ui/words";
import { type Bar, LyingBars, StandingBars } from "./bars";
import { landedFinding, percent, plural, rounds, roundsFinding, roundsOf, slotsFinding, slotsInUse, timesByAgent, timesByColumn, timesFinding, type Times, whole } from "./findings";
import { type Meter, Meters } from "./meters";
import { Choice, Plot } from "./plot";
import { dayName, spanLabel } from "./scale";
import { Steps } from "./steps";

const WORST = 10;
const NEAR = 0.8;

export function Landed({ figures }: { figures: Figures }) {
  const table = { head: ["day", "landed", "added", "questions asked"], rows: figures.days.map((day) => [day.day, day.landed, day.added, day.asked]) };
  const bars: Bar[] = figures.days.map((day) => ({
    key: day.day,
    name: dayName(day.day),
    parts: [{ kind: "good", value: day.landed }],
    label: String(day.landed),
    facts: `${dayName(day.day)}\n${plural(day.landed, "item")} landed, ${day.added} added\n${plural(day.asked, "question")} asked`,
  }));
  return (
    <Plot name="landed" finding={landedFinding(figures.days)} note="Items that landed, by the day" table={table}>
      {(width) => <StandingBars bars={bars} width={width} unit="count" words={String} />}
    </Plot>
  );
}

const TIME_KEYS = [
  { kind: "", words: "worked on" },
  { kind: "prove", words: "gates and landing" },
  { kind: "wait", words: "waits" },
  { kind: "ask", words: "waits for a person" },
];

export function TimeSpent({ figures }: { figures: Figures }) {
  const [by, setBy] = useState<"column" | "agent">("column");
  const [of, setOf] = useState<"each" | "all">("each");
  const times = (by === "column" ? timesByColumn(figures) : timesByAgent(figures.runs)).filter((one) => whole(one) > 0);
  const share = (one: Times) => (of === "each" ? Math.max(1, one.items) : 1);
  const table = { head: [by, "items", "worked on, seconds", "gates and landing, seconds", "waits, seconds", "waits for a person, seconds"], rows: times.map((one) => [one.name, one.items, one.worked, one.proved, one.waited, one.asked]) };
  const bars: Bar[] = times.map((one) => ({
    key: one.name,
    name: one.name,
    parts: [{ kind: "", value: one.worked / share(one) }, { kind: "prove", value: one.proved / share(one) }, { kind: "wait", value: one.waited / share(one) }, { kind: "ask", value: one.asked / share(one) }],
    label: span(whole(one) / share(one)),
    facts: `${one.name}, ${plural(one.items, "item")}, in all\nworked on ${span(one.worked)}, gates ${span(one.proved)}\nwaited ${span(one.waited)}, for a person ${span(one.asked)}`,
  }));
  return (
    <Plot name={`time-by-${by}`} finding={timesFinding(times, by)} table={table} keys={TIME_KEYS}
      controls={
        <>
          <Choice label="By" of={[["column", "by column"], ["agent", "by agent"]] as const} value={by} onPick={setBy} />
          <Choice label="Of" of={[["each", "an item's mean"], ["all", "in all"]] as const} value={of} onPick={setOf} />
        </>
      }>
      {(width) => <LyingBars bars={bars} width={width} unit="seconds" words={spanLabel} />}
    </Plot>
  );
}

export function RoundsPlot({ figures }: { figures: Figures }) {
  const all = rounds(figures);
  const table = { head: ["item", "title", "changes asked for", "disputed", "red gates"], rows: all.map((one) => [`#${one.item}`, one.title, one.sentBack, one.disputed, one.red]) };
  const bars: Bar[] = all.filter((one) => roundsOf(one) > 0).slice(0, WORST).map((one) => ({
    key: one.item,
    name: `#${one.item} ${one.title}`,
    parts: [{ kind: "", value: one.sentBack }, { kind: "talk", value: one.disputed }, { kind: "bad gate", value: one.red }],
    label: String(roundsOf(one)),
    facts: `#${one.item} ${one.title}\nchanges asked for ${one.sentBack}, disputed ${one.disputed}\nred gates ${one.red}`,
    open: () => go(`/item/${one.item}`),
  }));
  return (
    <Plot name="rounds" finding={roundsFinding(all)} note={bars.length < all.filter((one) => roundsOf(one)).length ? `The ${WORST} that came back most often` : undefined} table={table}
      keys={[{ kind: "", words: "changes asked for" }, { kind: "talk", words: "disputed" }, { kind: "bad gate", words: "red gate" }]}>
      {(width) => <LyingBars bars={bars} width={width} unit="count" words={String} />}
    </Plot>
  );
}

export function Escalated({ metrics }: { metrics: Metrics }) {
  const { begun, escalated } = metrics.workflows;
  const kinds = Object.entries(metrics.by_workflow).filter(([, one]) => one.items > 0);
  const table = { head: ["type", "items", "escalated", "handoffs", "fix iterations"], rows: kinds.map(([kind, one]) => [kind, one.items, one.escalated, one.handoffs, one.fix_iterations]) };
  const bars: Bar[] = kinds.map(([kind, one]) => ({
    key: kind,
    name: kind,
    parts: [{ kind: "ask", value: one.escalated }, { kind: "quiet", value: one.items - one.escalated }],
    label: `${one.escalated} of ${one.items}`,
    facts: `${kind}\n${one.escalated} of ${plural(one.items, "item")} needed help\n${plural(one.handoffs, "handoff")}, ${plural(one.fix_iterations, "fix iteration")}`,
  }));
  const finding = begun ? `${escalated} of ${plural(begun, "item")} needed an expert, a senior or a person (${percent(metrics.escalation_rate)}).` : "No item has been begun yet.";
  const { asked, seconds_to_answer: answer } = metrics.questions;
  const note = asked ? `Ever. ${plural(asked, "question")} to people${answer === null ? "" : `, answered after ${span(answer)} on average`}.` : "Ever. No question was asked.";
  return (
    <Plot name="escalations" finding={finding} note={note} table={table} keys={[{ kind: "ask", words: "needed help" }, { kind: "quiet", words: "did not" }]}>
      {(width) => <LyingBars bars={bars} width={width} unit="count" words={String} />}
    </Plot>
  );
}

export function SlotsUsed({ figures }: { figures: Figures }) {
  const from = Date.parse(figures.since ?? "");
  const to = Date.parse(figures.until ?? "");
  const stretches = slotsInUse(figures.runs, from, to, Math.min(120, Math.max(24, figures.days.length * 4)));
  const table = { head: ["from", "until", "in use at most", "on average"], rows: stretches.map((one) => [new Date(one.from).toISOString(), new Date(one.to).toISOString(), one.most, Number(one.mean.toFixed(3))]) };
  return (
    <Plot name="slots" finding={slotsFinding(stretches, figures.slots)} note="Runs at the same time, gates and landings too" table={table}>
      {(width) => <Steps stretches={stretches} slots={figures.slots} from={from} to={to} width={width} />}
    </Plot>
  );
}

const UNITS: Record<BudgetLine["unit"], (value: number) => string> = { usd: (value) => money(value) ?? "", tokens: (value) => `${count(value)} tokens`, seconds: span };

export function LimitsUsed({ usage }: { usage: UsageView }) {
  const windows: Meter[] = usage.windows.map((one) => {
    const left = one.resets_at ? (Date.parse(one.resets_at) - now.value) / 1000 : null;
    const isOver = left !== null && left <= 0; // what was told is of the window before
    const anew = left === null ? "nobody told when it begins anew" : left <= 0 ? "has begun anew since" : `begins anew in ${span(left)}`;
    return { key: `${one.pool} ${one.window}`, name: `${one.pool}, ${one.window}`, share: one.used, label: one.used === null ? "unknown" : `${percent(one.used)} ${isOver ? "used before" : "used"}`, beside: anew, kind: isOver ? "quiet" : (one.used ?? 0) >= NEAR ? "ask" : "" };
  });
  const budgets: Meter[] = usage.budgets.map((one) => {
    const words = UNITS[one.unit];
    const isUnknown = one.unit === "usd" && one.used === 0 && usage.total.unpriced > 0 && usage.total.cost_usd === null;
    const of = one.of === "day" ? "budget of a day" : `budget of an item${one.item ? `, #${one.item} most` : ""}`;
    return { key: `${one.of} ${one.unit}`, name: of, share: isUnknown ? null : one.used / one.most, label: isUnknown ? `unknown of ${words(one.most)}` : `${words(one.used)} of ${words(one.most)}`, beside: one.of === "day" ? "begins anew at midnight, UTC" : "since you last decided on it", kind: one.used >= one.most * NEAR ? "ask" : "" };
  });
  const meters = [...windows, ...budgets];
  const table = { head: ["what", "share used", "in words", "begins anew"], rows: meters.map((one) => [one.name, one.share, one.label, one.beside]) };
  const [top] = meters.filter((one) => one.share !== null).sort((a, b) => (b.share ?? 0) - (a.share ?? 0));
  const finding = top ? `Nearest to its end is ${top.name}: ${percent(top.share ?? 0)} used.` : meters.length ? "Nobody has told how much of quotas is used." : "No quota was told, and no budget is set.";
  return (
    <Plot name="limits" finding={finding} table={table} keys={meters.length ? [{ kind: "", words: "used" }, { kind: "ask", words: "nearly used up" }, { kind: "unknown", words: "unknown" }] : []}>
      {(width) => <Meters meters={meters} width={width} />}
    </Plot>
  );
}
