/** The way of an item as rows on one axis of time: a row for each run and gate, with the wait before it. */
import type { CommentView, EventView, ItemView, RunView } from "../../api/types";
import { ENDED, ending, type Standing } from "../words";

export interface Bar {
  run: RunView;
  from: number;
  /** Null: it goes on. */
  to: number | null;
  /** The how-manieth of its agent or gate on this item. */
  attempt: number;
  standing: Standing;
  /** From when on it waited to begin, and whether for a person. */
  waitFrom: number;
  waitedFor: "slot" | "person";
}

export interface Row {
  key: string;
  name: string;
  gate: boolean;
  bars: Bar[];
}

/** A question, from when it was asked to when a person answered. */
export interface Asked {
  id: string;
  question: string;
  answer: string | null;
  by: string | null;
  from: number;
  to: number | null;
}

/** A quarrel: what each side said, in turn. */
export interface Quarrel {
  thread: string;
  about: string;
  sides: string[];
  replies: { comment: CommentView; at: number; side: number }[];
  settledAt: number | null;
}

export interface StoryView {
  from: number;
  to: number;
  bars: Bar[];
  asked: Asked[];
  quarrels: Quarrel[];
  /** What it waits for now, where no run goes on. */
  waits: { from: number; forPerson: boolean } | null;
  landedAt: number | null;
}

const time = (text: string | null): number | null => (text ? Date.parse(text) : null);

export function storyOf(item: ItemView, events: EventView[], now: number): StoryView {
  const begun = time(item.created_at) ?? now;
  const asked = questionsOf(item, events);
  const bars = barsOf(item, begun, asked);
  const isOver = ENDED.has(item.status);
  const last = Math.max(begun, time(item.updated_at) ?? begun, ...bars.map((bar) => bar.to ?? 0));
  const to = isOver ? last : Math.max(now, last);
  const isWorking = bars.some((bar) => bar.to === null);
  const waits = isOver || isWorking ? null : { from: Math.max(begun, ...bars.map((bar) => bar.to ?? 0)), forPerson: asked.some((one) => one.to === null) };
  const landed = events.findLast((event) => event.event === "work_landed");
  return { from: begun, to, bars, asked, quarrels: quarrelsOf(item, events), waits, landedAt: time(landed?.timestamp ?? null) };
}

function barsOf(item: ItemView, begun: number, asked: Asked[]): Bar[] {
  const seen = new Map<string, number>();
  const runs = item.runs.filter((run) => run.started_at).sort((a, b) => Date.parse(a.started_at!) - Date.parse(b.started_at!));
  let free = begun;
  return runs.map((run) => {
    const from = Date.parse(run.started_at!);
    const to = time(run.ended_at);
    const name = nameOf(run);
    const attempt = (seen.get(name) ?? 0) + 1;
    seen.set(name, attempt);
    const waitFrom = Math.min(free, from);
    const person = asked.some((one) => one.from <= from && (one.to ?? Infinity) > waitFrom && one.from <= waitFrom + 1);
    free = Math.max(free, to ?? from);
    return { run, from, to, attempt, standing: ending(run), waitFrom, waitedFor: person ? "person" : "slot" };
  });
}

export function nameOf(run: RunView): string {
  return run.person ? `${run.person} for ${run.agent}` : run.agent;
}

const ANSWERED = new Set(["divine_response_received", "default_taken", "question_withdrawn"]);

function questionsOf(item: ItemView, events: EventView[]): Asked[] {
  return item.questions.map((question) => {
    const end = events.find((event) => ANSWERED.has(event.event) && event.context["question"] === question.id);
    const from = time(question.requested_at) ?? 0;
    return {
      id: question.id,
      question: question.question,
      answer: question.answer,
      by: question.answered_by,
      from,
      to: question.state === "open" ? null : (time(end?.timestamp ?? null) ?? from),
    };
  });
}

function quarrelsOf(item: ItemView, events: EventView[]): Quarrel[] {
  const opened = events.filter((event) => event.event === "dispute_opened").map((event) => String(event.context["thread"]));
  return [...new Set(opened)].flatMap((thread) => {
    const said = item.comments.filter((comment) => comment.id === thread || comment.parent === thread);
    const first = said.find((comment) => comment.id === thread);
    if (!first) return [];
    const sides = [...new Set(said.map((comment) => comment.author))];
    const replies = said.map((comment) => ({ comment, at: time(comment.timestamp) ?? 0, side: comment.author === first.author ? 0 : 1 }));
    const settled = events.findLast((event) => event.event === "dispute_settled" && event.context["thread"] === thread);
    return [{ thread, about: first.artifact ?? first.target ?? first.content, sides, replies, settledAt: time(settled?.timestamp ?? null) }];
  });
}

/** Compact: a row for each agent and gate. Detailed: one for each run. */
export function rowsOf(bars: Bar[], detailed: boolean): Row[] {
  if (detailed) return bars.map((bar) => ({ key: bar.run.run, name: nameOf(bar.run), gate: bar.run.gate, bars: [bar] }));
  const rows = new Map<string, Row>();
  for (const bar of bars) {
    const name = nameOf(bar.run);
    const row = rows.get(name) ?? { key: name, name, gate: bar.run.gate, bars: [] };
    row.bars.push(bar);
    rows.set(name, row);
  }
  return [...rows.values()];
}
