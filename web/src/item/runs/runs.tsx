/** Every run of an item, the newest first, with what it printed. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ItemView, RunView } from "../../api/types";
import { now } from "../../live";
import { count, money } from "../../ui/words";
import { Icon } from "../../ui/icons";
import { cause, dayTime, ending, lasted } from "../words";
import { Output } from "./output";
import "./runs.css";
import { Steering } from "./steering";
import { wantedRun } from "./wanted";

export function Runs({ item, take }: { item: ItemView; take: (item: ItemView) => void }) {
  const runs = item.runs.toSorted((a, b) => b.token - a.token);
  // What was opened stays open when a newer run begins.
  const opened = useSignal<string | null>(wantedRun.peek() ?? runs[0]?.run ?? null);
  useEffect(() => {
    if (wantedRun.peek()) document.getElementById(`run-${wantedRun.peek()}`)?.scrollIntoView({ block: "nearest" });
    wantedRun.value = null;
  }, []);
  return (
    <div class="runs">
      <Steering item={item} take={take} />
      {!runs.length && <p class="drawer-empty">No run has begun yet.</p>}
      {runs.map((run) => (
        <Run key={run.run} item={item} run={run} isOpen={opened.value === run.run}
          toggle={() => (opened.value = opened.value === run.run ? null : run.run)} />
      ))}
    </div>
  );
}

interface RunProps {
  item: ItemView;
  run: RunView;
  isOpen: boolean;
  toggle: () => void;
}

function Run({ item, run, isOpen, toggle }: RunProps) {
  const end = ending(run);
  const attempt = item.runs.filter((one) => one.agent === run.agent && one.token <= run.token).length;
  return (
    <section class="run" id={`run-${run.run}`}>
      <h3>
        <button class="run-head" aria-expanded={isOpen} onClick={toggle}>
          <span class={`badge tone-${end.tone}`}><Icon name={end.icon} /> {end.words}</span>
          <b class="run-agent">{run.person ? `${run.person} for ${run.agent}` : run.agent}</b>
          <span class="quiet">{run.gate ? "gate" : (run.model ?? "no model named")} · attempt {attempt} · {run.column}</span>
          <span class="run-when quiet"><Lasted run={run} /></span>
        </button>
      </h3>
      {isOpen && <Opened item={item} run={run} />}
    </section>
  );
}

function Lasted({ run }: { run: RunView }) {
  if (!run.started_at) return null;
  const from = Date.parse(run.started_at);
  const to = run.ended_at ? Date.parse(run.ended_at) : now.value;
  return <>{dayTime(from)}, {run.ended_at ? "took" : "since"} {lasted(to - from)}</>;
}

function Opened({ item, run }: { item: ItemView; run: RunView }) {
  const why = cause(run);
  const sentences = item.said.filter((one) => one.heard === run.run);
  return (
    <div class="run-opened">
      {run.report?.summary && <p class="run-summary" dir="auto">{run.report.summary}</p>}
      {run.refused_for && <p class="run-refused">Its report was refused: {run.refused_for}</p>}
      <dl class="facts">
        {why && <Fact name="Cause" value={why} />}
        {!run.gate && <Fact name="Cost" value={money(run.cost_usd) ?? "cost unknown"} />}
        {!run.gate && <Fact name="Tokens" value={run.tokens === null ? "not told" : count(run.tokens)} />}
        {run.commit && <Fact name="Commit" value={run.commit.slice(0, 10)} mono />}
        {run.changed.length > 0 && <Fact name="Changed" value={`${run.changed.length} ${run.changed.length === 1 ? "file" : "files"}`} />}
        {run.setup_seconds !== null && <Fact name="Set-up" value={`${lasted(run.setup_seconds * 1000)}${run.setup_kept ? ", kept from before" : ""}`} />}
        {run.sandboxed !== null && <Fact name="Sandbox" value={run.sandboxed ? "yes" : "none"} />}
        <Fact name="Run" value={run.run} mono />
      </dl>
      {sentences.map((one) => <p class="run-said" key={one.number}><Icon name="talk" /> {one.by} said: <span dir="auto">{one.text}</span></p>)}
      <Output run={run.run} live={!run.ended_at} />
    </div>
  );
}

function Fact({ name, value, mono }: { name: string; value: string; mono?: boolean }) {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd class={mono ? "mono" : ""}>{value}</dd>
    </div>
  );
}
