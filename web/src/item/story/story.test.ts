import { describe, expect, test } from "vitest";
import type { EventView, ItemView, RunView } from "../../api/types";
import { entriesOf } from "./list";
import { rowsOf, storyOf } from "./rows";
import { scaleOf, ticks } from "./scale";

const BEGIN = Date.parse("2026-03-01T10:00:00Z");
const at = (seconds: number) => new Date(BEGIN + seconds * 1000).toISOString();

function run(agent: string, from: number, to: number | null, fields: Partial<RunView> = {}): RunView {
  const known = { run: `${agent}${from}`, agent, started_at: at(from), ended_at: to === null ? null : at(to), outcome: to === null ? null : "done", gate: false };
  return { ...known, person: null, cause: null, report: null, token: from, ...fields } as RunView;
}

function item(runs: RunView[], fields: Partial<ItemView> = {}): ItemView {
  const known = { id: "1", status: "ready", created_at: at(0), updated_at: at(0), runs, questions: [], comments: [], evidence: null };
  return { ...known, ...fields } as unknown as ItemView;
}

function event(seq: number, seconds: number, name: string, context: Record<string, unknown>, of: string | null = null): EventView {
  return { seq, timestamp: at(seconds), event: name, item: "1", run: of, agent: "dev", context } as EventView;
}

const now = BEGIN + 1_000_000;

describe("the story of an item", () => {
  test("counts the attempts of each agent, and tells waiting from working", () => {
    const story = storyOf(item([run("dev", 10, 20), run("check", 21, 22, { gate: true, outcome: "failed" }), run("dev", 30, null)]), [], now);
    expect(story.bars.map((bar) => [bar.run.agent, bar.attempt, (bar.from - bar.waitFrom) / 1000, bar.standing.words])).toEqual([
      ["dev", 1, 10, "done"],
      ["check", 1, 1, "red"],
      ["dev", 2, 8, "at work"],
    ]);
    expect(story.waits).toBeNull();
  });

  test("says how long a person took, and that a run waited for them", () => {
    const question = { id: "q1", question: "Which?", answer: "This", answered_by: "ada", state: "answered", requested_at: at(20) };
    const story = storyOf(
      item([run("dev", 10, 20), run("dev", 95, 99)], { questions: [question] as ItemView["questions"] }),
      [event(5, 90, "divine_response_received", { question: "q1" })], now,
    );
    expect(story.asked.map((asked) => (asked.to! - asked.from) / 1000)).toEqual([70]);
    expect(story.bars.map((bar) => bar.waitedFor)).toEqual(["slot", "person"]);
  });

  test("sets the two sides of a quarrel apart, in turn", () => {
    const said = (id: string, author: string, parent: string | null, seconds: number) => ({ id, author, parent, timestamp: at(seconds), content: id, artifact: "a.py", target: null });
    const comments = [said("c1", "dev", null, 1), said("c2", "tester", "c1", 2), said("c3", "dev", "c1", 3), said("c9", "ada", null, 4)];
    const story = storyOf(item([], { comments: comments as ItemView["comments"] }), [event(1, 1, "dispute_opened", { thread: "c1", with: "tester" })], now);
    expect(story.quarrels.map((quarrel) => quarrel.replies.map((reply) => reply.side))).toEqual([[0, 1, 0]]);
    expect(story.quarrels[0]!.sides).toEqual(["dev", "tester"]);
  });

  test("has a row for each run, or for each agent", () => {
    const { bars } = storyOf(item([run("dev", 1, 2), run("check", 3, 4, { gate: true }), run("dev", 5, 6)]), [], now);
    expect(rowsOf(bars, true).map((row) => row.name)).toEqual(["dev", "check", "dev"]);
    expect(rowsOf(bars, false).map((row) => [row.name, row.bars.length])).toEqual([["dev", 2], ["check", 1]]);
  });

  test("tells a move with the run that made it", () => {
    const seen = item([run("dev", 1, 2)]);
    const events = [event(1, 0, "item_added", { column: "dev" }), event(2, 2, "phase_completed", { from: "dev", to: "review" }, "dev1")];
    const entries = entriesOf(seen, storyOf(seen, events, now), events);
    expect(entries.map((entry) => [entry.words, entry.to ?? ""])).toEqual([["added it to dev", ""], ["done, 1.0 s", "review"]]);
  });
});

describe("the axis of time", () => {
  test("draws long waits short and marks them, and keeps the order of all moments", () => {
    const story = storyOf(item([run("dev", 0, 60), run("dev", 36_000, 36_060)], { status: "done", updated_at: at(36_060) }), [], now);
    const scale = scaleOf(story, story.from, story.to);
    expect(scale.breaks).toHaveLength(1);
    const places = [0, 30, 60, 18_000, 36_000, 36_030, 36_060].map((seconds) => scale.place(BEGIN + seconds * 1000));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect([places[0], places.at(-1)]).toEqual([0, 100]);
    expect(places[2]! - places[0]!).toBeCloseTo(places.at(-1)! - places[4]!);
    expect(places[2]! - places[0]!).toBeGreaterThan(30);
  });

  test("is even where nothing waits long, and where nothing has run", () => {
    const busy = storyOf(item([run("dev", 0, 50), run("dev", 51, 100)], { status: "done", updated_at: at(100) }), [], now);
    expect(scaleOf(busy, busy.from, busy.to).place(BEGIN + 50_000)).toBeCloseTo(50);
    const idle = storyOf(item([]), [], BEGIN + 100_000);
    expect(scaleOf(idle, idle.from, idle.to).place(BEGIN + 25_000)).toBeCloseTo(25);
  });

  test("names round moments", () => {
    const found = ticks(BEGIN, BEGIN + 3_600_000, 4);
    expect(found.map((one) => (one - BEGIN) / 60_000)).toEqual([0, 15, 30, 45]);
  });
});
