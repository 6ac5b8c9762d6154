/** Runs on an axis of time: a row for each agent or slot, a bar for each run. */
import { useId, useState } from "preact/hooks";
import type { Figures, RunFigure } from "../api/types";
import { go } from "../live";
import { count, money, span } from "../ui/words";
import { shortened } from "./bars";
import { begin, end, ending, type Row, rows } from "./lanes";
import { Choice, Hatches, mark, Pattern, Plot } from "./plot";
import { clock, dayLabel, timeTicks } from "./scale";

const HOUR = 3_600_000;
const LANE = 16;
const GLYPHS: Record<string, string> = { good: "M-3 0l2 2.4l4-5", bad: "M-2.6-2.6l5.2 5.2m0-5.2l-5.2 5.2", talk: "M3-2.4h-4a2.4 2.4 0 0 0 0 4.8h3m-3.6-6.6l-2 1.9l2 1.9", ask: "M-2-1.6a2 2 0 1 1 2.6 1.9v1.2m0 1.6v.4" };
const ZOOMS = [["6", "6 h"], ["24", "1 day"], ["168", "1 week"], ["all", "all"]] as const;
const KEYS = [
  { kind: "good", words: "done" },
  { kind: "bad", words: "failed" },
  { kind: "talk", words: "changes, dispute" },
  { kind: "ask", words: "asked a person" },
  { kind: "quiet", words: "given back" },
  { kind: "", words: "at work" },
  { kind: "good gate", words: "gate or landing" },
];

export function Gantt({ figures }: { figures: Figures }) {
  const now = Date.parse(figures.until ?? "");
  const first = figures.runs.length ? Math.min(...figures.runs.map(begin)) : now - 24 * HOUR;
  const last = Math.max(first + HOUR, ...figures.runs.map((run) => end(run, now)));
  const [by, setBy] = useState<"agent" | "slot">("agent");
  const [zoom, setZoom] = useState<(typeof ZOOMS)[number][0]>("24");
  const [shift, setShift] = useState(0); // back from the end, in milliseconds
  const length = zoom === "all" ? last - first : Math.min(last - first, Number(zoom) * HOUR);
  const to = Math.max(first + length, last - shift);
  const from = to - length;
  const seen = figures.runs.filter((run) => begin(run) < to && end(run, now) > from);
  const move = (parts: number) => setShift(Math.min(Math.max(0, shift - parts * length), Math.max(0, last - first - length)));
  const keys = (event: KeyboardEvent) => {
    const place = ZOOMS.findIndex(([one]) => one === zoom);
    if (event.key === "+" || event.key === "=") setZoom(ZOOMS[Math.max(0, place - 1)]![0]);
    else if (event.key === "-") setZoom(ZOOMS[Math.min(ZOOMS.length - 1, place + 1)]![0]);
    else if (event.shiftKey && event.key === "ArrowLeft") move(-0.5);
    else if (event.shiftKey && event.key === "ArrowRight") move(0.5);
    else return;
    event.preventDefault();
  };
  const table = {
    head: ["run", "item", "title", "agent", "model", "pool", "column", "begun", "ended", "outcome", "seconds", "waited before, seconds", "cost in USD", "tokens"],
    rows: figures.runs.map((run) => [run.run, `#${run.item}`, figures.titles[run.item] ?? "", run.agent, run.model ?? "", run.pool ?? "", run.column, run.begun_at ?? "", run.ended_at ?? "", ending(run).words, run.seconds, run.waited_seconds, run.cost_usd, run.gate ? 0 : run.tokens]),
  };
  const controls = (
    <>
      <Choice label="Rows" of={[["agent", "agents"], ["slot", "slots"]] as const} value={by} onPick={setBy} />
      <Choice label="Zoom" of={ZOOMS} value={zoom} onPick={setZoom} />
      <div class="plot-choice" role="group" aria-label="Move in time">
        <button type="button" aria-label="Earlier" disabled={from <= first} onClick={() => move(-0.5)}>←</button>
        <button type="button" aria-label="Later" disabled={shift <= 0} onClick={() => move(0.5)}>→</button>
      </div>
      <span class="quiet gantt-window">{dayLabel(new Date(from))} {clock(from)} to {dayLabel(new Date(to))} {clock(to)}</span>
    </>
  );
  return (
    <div class="gantt" onKeyDown={keys}>
      <Plot name="runs" wide finding={finding(seen, figures, length)} table={table} keys={KEYS} controls={controls}
        note={figures.left_out ? `${figures.left_out} older runs are left out: there is room for the newest alone.` : "+ and − zoom, Shift with arrows moves, Enter opens the item."}>
        {(width) => <Chart rows={rows(seen, by, now)} from={from} to={to} now={now} width={width} titles={figures.titles} />}
      </Plot>
    </div>
  );
}

function finding(seen: RunFigure[], figures: Figures, length: number): string {
  if (!seen.length) return figures.runs.length ? "No run in this stretch of time." : "No run has begun in this time.";
  const efforts = seen.filter((run) => !run.gate);
  const failed = efforts.filter((run) => ending(run).kind === "bad").length;
  const items = new Set(seen.map((run) => run.item)).size;
  return `${efforts.length} ${efforts.length === 1 ? "run" : "runs"} on ${items} ${items === 1 ? "item" : "items"} in ${span(length / 1000)}, ${failed ? `${failed} failed` : "none failed"}.`;
}

interface ChartProps {
  rows: Row[];
  from: number;
  to: number;
  now: number;
  width: number;
  titles: Record<string, string>;
}

function Chart({ rows: found, from, to, now, width, titles }: ChartProps) {
  const id = useId();
  const left = width < 560 ? 0 : Math.min(170, Math.max(60, ...found.map((row) => row.name.length * 6.1 + 12)));
  const head = width < 560 ? 16 : 0;
  const at = (time: number) => left + ((Math.min(Math.max(time, from), to) - from) / Math.max(1, to - from)) * (width - left);
  const tops: number[] = [];
  let height = 4;
  for (const row of found) {
    tops.push(height);
    height += head + row.lanes.length * LANE + 9;
  }
  return (
    <svg width={width} height={Math.max(60, height + 22)}>
      <Hatches id={id} />
      {timeTicks(from, to, (width - left) / 92).map((tick) => (
        <g key={tick.at} transform={`translate(${at(tick.at)} 0)`}>
          <line class={tick.isDay ? "base" : "axis"} y1={0} y2={height} />
          <text y={height + 15} text-anchor={at(tick.at) > width - 24 ? "end" : at(tick.at) < 24 ? "start" : "middle"}>{tick.label}</text>
        </g>
      ))}
      {found.map((row, place) => (
        <g key={row.name} transform={`translate(0 ${tops[place] ?? 0})`}>
          <line class="axis" x1={0} x2={width} y1={-5} y2={-5} />
          <text class="name" x={head ? 2 : left - 8} y={head ? 10 : (row.lanes.length * LANE) / 2} text-anchor={head ? "start" : "end"} dominant-baseline={head ? "auto" : "middle"}>{shortened(row.name, head ? width : left - 10)}</text>
          {row.lanes.map((lane, y) => lane.map((run) => <RunBar key={run.run} id={id} run={run} y={head + y * LANE} x={at(begin(run))} to={at(end(run, now))} title={titles[run.item] ?? ""} />))}
        </g>
      ))}
    </svg>
  );
}

function RunBar({ id, run, x, y, to, title }: { id: string; run: RunFigure; x: number; y: number; to: number; title: string }) {
  const wide = Math.max(2, to - x);
  const { kind, words } = ending(run);
  const cost = run.gate ? "" : `\n${money(run.cost_usd) ?? "cost unknown"}, ${run.tokens === null ? "tokens unknown" : `${count(run.tokens)} tokens`}`;
  const waited = run.waited_seconds >= 1 ? `, after ${span(run.waited_seconds)} of waiting` : "";
  const facts = `#${run.item} ${title}\n${run.agent}${run.model ? ` · ${run.model}` : ""} · ${words}\n${span(run.seconds)} in ${run.column}${waited}${cost}`;
  const glyph = wide >= 14 ? GLYPHS[kind] : undefined;
  return (
    <g class="opens" onClick={() => go(`/item/${run.item}`)} {...mark(facts)}>
      <rect class={`fill ${kind} ${run.ended_at ? "" : "live"}`} x={x} y={y} width={wide} height={LANE - 3} rx="2.5" />
      <Pattern id={id} kind={run.gate ? "gate" : ""} x={x} y={y} width={wide} height={LANE - 3} />
      <rect class="ring" x={x - 1} y={y - 1} width={wide + 2} height={LANE - 1} rx="3" />
      {glyph && <path class="glyph" transform={`translate(${x + 8} ${y + (LANE - 3) / 2})`} d={glyph} />}
      {wide >= 44 && <text class="gantt-item" x={x + (glyph ? 16 : 6)} y={y + (LANE - 3) / 2 + 0.5} dominant-baseline="middle">#{run.item}</text>}
    </g>
  );
}
