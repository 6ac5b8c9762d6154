import { describe, expect, test } from "vitest";
import type { DayFigure, Figures, RunFigure, UsageLine } from "../api/types";
import { amount, inWords } from "./amounts";
import { csv } from "./csv";
import { landedFinding, rounds, roundsFinding, slotsFinding, slotsInUse, timesByAgent, timesFinding } from "./findings";
import { ending, lanes } from "./lanes";
import { wrapped } from "./save";
import { linear, ticks, timeTicks } from "./scale";

const HOUR = 3_600_000;
const START = Date.parse("2026-11-02T00:00:00Z");

function run(begun: number, hours: number | null, more: Partial<RunFigure> = {}): RunFigure {
  const at = START + begun * HOUR;
  const ended = hours === null ? null : new Date(at + hours * HOUR).toISOString();
  return {
    run: `r${begun}`, item: "1", agent: "dev", model: null, pool: null, column: "dev", worker: "", gate: false, begun_at: new Date(at).toISOString(), ended_at: ended,
    outcome: hours === null ? null : "done", cause: null, cost_usd: null, tokens: null, seconds: (hours ?? 0) * 3600, waited_seconds: 0, asked_seconds: 0, ...more,
  };
}

const day = (landed: number): DayFigure => ({ day: "2026-11-02", added: 0, landed, asked: 0 });

describe("axes", () => {
  test("begin at zero and end at or above the largest value", () => {
    for (const most of [0.004, 0.9, 1, 3, 7, 41, 99.5, 1234, 5_000_000]) {
      for (const unit of ["count", "usd", "seconds"] as const) {
        const found = ticks(most, unit);
        expect(found[0]).toBe(0);
        expect(found.at(-1)).toBeGreaterThanOrEqual(most);
        expect(found.length).toBeLessThan(8);
      }
    }
  });
  test("count things in whole numbers, and time in minutes, hours and days", () => {
    expect(ticks(3)).toEqual([0, 1, 2, 3]);
    expect(ticks(2.5 * 3600, "seconds")).toEqual([0, 3600, 7200, 10_800]);
  });
  test("of nothing are no endless loop", () => {
    expect(ticks(0)).toEqual([0, 1]);
    expect(ticks(Number.NaN)).toEqual([0, 1]);
    expect(linear(0, 100)(5)).toBe(0);
  });
  test("never draw outside their length", () => {
    const scale = linear(10, 200);
    expect([scale(-1), scale(5), scale(20)]).toEqual([0, 100, 200]);
  });
  test("of time lie within it", () => {
    const found = timeTicks(START, START + 30 * HOUR, 8);
    expect(found.length).toBeGreaterThan(3);
    expect(found.every((tick) => tick.at >= START && tick.at <= START + 30 * HOUR)).toBe(true);
  });
});

describe("tables as text", () => {
  test("never begin a cell as a formula", () => {
    for (const evil of ["=1+1", "+cmd", "-2+3", "@SUM(A1)", "\t=1", "\r=1", " =HYPERLINK(\"x\")", "|calc", "%0a", "\uFF1D1"]) {
      const cell = csv({ head: ["a"], rows: [[evil]] }).split("\r\n").slice(1).join("\r\n");
      expect(cell.replace(/^"/, "").startsWith("'")).toBe(true);
    }
  });
  test("keep quotes, commas and line ends inside their cell", () => {
    expect(csv({ head: ["a", "b"], rows: [['say "x", y', "two\nlines"]] })).toBe('a,b\r\n"say ""x"", y","two\nlines"\r\n');
  });
  test("tell what is unknown, and numbers as numbers, below zero too", () => {
    expect(csv({ head: ["a", "b", "c"], rows: [[null, 0, -1.5]] })).toBe("a,b,c\r\nunknown,0,-1.5\r\n");
  });
});

describe("what plots say", () => {
  test("compares the last seven days with the seven before", () => {
    expect(landedFinding([...Array(7).fill(day(0)), ...Array(6).fill(day(1)), day(0)])).toBe("6 items landed in the last 7 days, 6 more than in the 7 before.");
    expect(landedFinding(Array(14).fill(day(1)))).toContain("as many as");
    expect(landedFinding([day(1), day(0)])).toBe("1 item landed in 2 days.");
  });
  test("the wait before a run counts for its agent, apart from the time for a person", () => {
    const [times] = timesByAgent([run(0, 1, { waited_seconds: 7200, asked_seconds: 3600 })]);
    expect(times).toEqual({ name: "dev", items: 1, worked: 3600, proved: 0, waited: 3600, asked: 3600 });
    expect(timesFinding([times!], "agent")).toBe("Items wait 67 % of their time, longest for dev.");
  });
  test("an item that came back is counted by why it did", () => {
    const runs = [run(0, 1, { outcome: "changes_requested" }), run(2, 1, { outcome: "disputed" }), run(4, 1, { gate: true, outcome: "failed" }), run(6, 1, { item: "2" })];
    const figures: Figures = { since: null, until: null, runs, left_out: 0, titles: { "1": "One" }, days: [], columns: [], slots: 1 };
    const found = rounds(figures);
    expect(found[0]).toEqual({ item: "1", title: "One", disputed: 1, sentBack: 1, red: 1 });
    expect(roundsFinding(found)).toBe("1 of 2 items came back to be changed, #1 3 times.");
  });
  test("slots in use are the most and the mean of each stretch", () => {
    const found = slotsInUse([run(0, 2), run(1, 2), run(10, null)], START, START + 12 * HOUR, 3);
    expect(found.map((one) => one.most)).toEqual([2, 0, 1]);
    expect(found[0]?.mean).toBeCloseTo(1);
    expect(found[2]?.mean).toBeCloseTo(0.5);
  });
  test("more runs than slots say nothing of workers: one may begin as another ends", () => {
    const found = slotsInUse([run(0, 12), run(0, 12)], START, START + 12 * HOUR, 3);
    expect(slotsFinding(found, 1)).toBe("2 runs at once at most, 2.0 on average; the flow has 1 slot.");
  });
  test("runs that go on at once stand in lanes of their own", () => {
    expect(lanes([run(0, 2), run(1, 2), run(3, 1)], START).map((lane) => lane.length)).toEqual([2, 1]);
  });
  test("a gate is green or red, and not done or failed", () => {
    expect(ending(run(0, 1, { gate: true })).words).toBe("green");
    expect(ending(run(0, 1, { gate: true, outcome: "failed" })).words).toBe("red");
    expect(ending(run(0, null)).words).toBe("at work");
  });
});

describe("what was used", () => {
  const line: UsageLine = { key: "", title: "", runs: 2, running: 0, input_tokens: 0, cached_tokens: 0, output_tokens: 0, untold: 2, cost_usd: null, unpriced: 2, seconds: 60 };
  test("is unknown where nobody told it, and never nothing", () => {
    expect(inWords(amount(line, "usd"), "usd")).toBe("unknown");
    expect(inWords(amount(line, "tokens"), "tokens")).toBe("unknown");
    expect(inWords(amount(line, "seconds"), "seconds")).toBe("1 min");
  });
  test("is nothing where nobody ran", () => {
    expect(amount({ ...line, runs: 0, untold: 0, unpriced: 0 }, "usd")).toBe(0);
  });
});

test("a title is broken between words", () => {
  expect(wrapped("one two three", 8)).toEqual(["one two", "three"]);
});
