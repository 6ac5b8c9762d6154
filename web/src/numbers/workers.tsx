/** Workers: every run that goes on, where, since when and how alive; pools with what pauses them and their quota. */
import { useEffect, useState } from "preact/hooks";
import type { Problem } from "../api/client";
import { read } from "../api/client";
import type { LiveRun, PauseView, UsageView, WorkerView } from "../api/types";
import { act, go, me, now, seq } from "../live";
import { cardOf, rest, runs } from "../live/board";
import { money, since, span } from "../ui/words";
import { plural } from "./findings";
import { type PoolLine, poolLines } from "./pools";
import "./workers.css";

export function WorkersPage() {
  const going = [...runs.value.values()].sort((a, b) => place(a).localeCompare(place(b)) || (a.started_at ?? "").localeCompare(b.started_at ?? ""));
  const usage = useUsage();
  const workers = useWorkers(going.length);
  const pauses = rest.value?.pauses ?? [];
  const places = new Set(going.map(place)).size;
  return (
    <main class="workers">
      <h1>Workers</h1>
      {pauses.filter((one) => !one.what.startsWith("pool:")).map((pause) => <Paused key={pause.what} pause={pause} />)}
      {workers.length ? (
        <ul class="workers-places" aria-label="Workers">{workers.map((worker) => <Place key={worker.worker} worker={worker} />)}</ul>
      ) : null}
      <section aria-label="Runs">
        <h2>{going.length ? `${plural(going.length, "run")} at work in ${plural(places, "place")}` : "Nobody is at work"}</h2>
        {!going.length && <p class="quiet">Agents begin when a worker runs and something is ready: <code>moot run</code></p>}
        <ul class="workers-runs">{going.map((run) => <RunRow key={run.run} run={run} />)}</ul>
      </section>
      <section aria-label="Pools">
        <h2>Pools</h2>
        <ul class="workers-pools">{poolLines(going, pauses, usage).map((pool) => <Pool key={pool.name} pool={pool} />)}</ul>
      </section>
    </main>
  );
}

/** A worker names itself by its machine and its process. */
const place = (run: LiveRun) => run.worker || run.host || "by hand";

function useUsage(): UsageView | null {
  const [usage, setUsage] = useState<UsageView | null>(null);
  const stale = Math.floor(now.value / 30_000);
  useEffect(() => {
    const stop = new AbortController();
    read("usage", { by: "pool", since: "today" }, stop.signal).then(setUsage, () => undefined); // the page does without
    return () => stop.abort();
  }, [stale, seq.value === 0]);
  return usage;
}

/** Again when runs begin or end, and now and then: a worker without a run makes no event. */
function useWorkers(going: number): WorkerView[] {
  const [workers, setWorkers] = useState<WorkerView[]>([]);
  const stale = Math.floor(now.value / 30_000);
  useEffect(() => {
    const stop = new AbortController();
    read("workers", {}, stop.signal).then((found) => setWorkers(found.workers), () => undefined); // the page does without
    return () => stop.abort();
  }, [stale, going]);
  return workers;
}

function Place({ worker }: { worker: WorkerView }) {
  const slots = worker.slots === null ? plural(worker.in_use, "slot") + " in use" : `${worker.in_use} of ${plural(worker.slots, "slot")} in use`;
  return (
    <li>
      <strong>{worker.host ?? worker.worker}</strong>
      <span class="quiet">{worker.pid === null ? "" : `process ${worker.pid}, `}{slots}{worker.agents.length ? "" : ", gates and landings only"}{worker.since ? `, for ${span(since(worker.since, now.value) ?? 0)}` : ""}</span>
      {worker.slots !== null && <progress max={Math.max(1, worker.slots)} value={worker.in_use} aria-label={slots} />}
    </li>
  );
}

function RunRow({ run }: { run: LiveRun }) {
  const card = cardOf(run.item)?.value;
  const worked = since(run.started_at, now.value) ?? 0;
  const silent = since(run.last_output_at, now.value);
  const lease = run.lease_expires_at ? (Date.parse(run.lease_expires_at) - now.value) / 1000 : null;
  const limit = run.time_limit ? Math.min(1, worked / run.time_limit) : null;
  const quiet = silent !== null && run.silence_limit ? silent / run.silence_limit : 0;
  return (
    <li class="workers-run">
      <div class="workers-what">
        <a href={`#/item/${run.item}`}>#{run.item} {card?.title ?? ""}</a>
        <span class="quiet">{run.gate ? "gate " : ""}{run.person ?? run.agent}{run.model ? ` · ${run.model}` : ""} · {run.column}</span>
        {run.doing && <span class="workers-doing">{run.doing}</span>}
      </div>
      <dl>
        <Fact name="place" value={run.host ?? place(run)} title={`${place(run)}, ${run.run}`} />
        <Fact name="pool" value={run.pool ?? "none"} />
        <Fact name="since" value={span(worked)} beside={run.time_limit ? `of ${span(run.time_limit)}` : ""} share={limit} />
        <Fact name="last output" value={silent === null ? "none yet" : `${span(silent)} ago`} tone={quiet >= 1 ? "bad" : quiet >= 0.5 ? "you" : ""} beside={quiet >= 0.5 ? "nearly silent too long" : ""} />
        <Fact name="lease" value={lease === null ? "none" : lease > 0 ? `${span(lease)} left` : `over since ${span(-lease)}`} tone={lease !== null && lease <= 0 ? "bad" : ""} />
        <Fact name="sandbox" value={run.sandboxed === null ? "not told" : run.sandboxed ? "yes" : "no"} tone={run.sandboxed === false ? "you" : ""} />
        <Fact name="cost" value={run.gate ? "none" : (money(run.cost_usd) ?? "unknown")} />
      </dl>
      {me.value?.canWrite && <EndRun run={run} />}
    </li>
  );
}

function Fact({ name, value, beside = "", title, share = null, tone = "" }: { name: string; value: string; beside?: string; title?: string; share?: number | null; tone?: string }) {
  return (
    <div class={tone}>
      <dt>{name}</dt>
      <dd title={title}>
        {value} <span class="quiet">{beside}</span>
        {share !== null && <progress max={1} value={share} aria-label={`${Math.round(share * 100)} % of its time`} />}
      </dd>
    </div>
  );
}

/** A person takes the item out of the run's hands: it is ready in the same column again. Asked twice, since work is lost. */
function EndRun({ run }: { run: LiveRun }) {
  const [asks, setAsks] = useState(false);
  const [why, setWhy] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  const end = (event: Event) => {
    event.preventDefault();
    act("move", { item: run.item, column: run.column, why }).then(() => setAsks(false), setProblem);
  };
  if (!asks) return <button type="button" class="button workers-end" onClick={() => setAsks(true)}>End run</button>;
  return (
    <form class="workers-end" onSubmit={end} onKeyDown={(event) => event.key === "Escape" && setAsks(false)}>
      <label>
        <span>#{run.item} begins again in {run.column}, and its counters too. Why?</span>
        <input value={why} onInput={(event) => setWhy(event.currentTarget.value)} ref={(input) => input?.focus()} maxLength={500} />
      </label>
      <span>
        <button type="submit" class="button main">End run</button>
        <button type="button" class="button plain" onClick={() => setAsks(false)}>Let it work</button>
      </span>
      {problem && <p role="alert">{problem.message} {problem.hint}</p>}
    </form>
  );
}

function Pool({ pool }: { pool: PoolLine }) {
  return (
    <li>
      <header>
        <strong>{pool.name}</strong>
        <span class="quiet">{pool.running ? `${plural(pool.running, "run")} now` : "nobody now"}{pool.today ? `, today ${pool.today}` : ""}</span>
      </header>
      {pool.pause && <Paused pause={pool.pause} />}
      {pool.windows.map((window) => {
        const left = window.resets_at ? (Date.parse(window.resets_at) - now.value) / 1000 : null;
        return (
          <div key={window.window} class="workers-window">
            <span>{window.window}</span>
            {window.used === null ? <span class="quiet">not told</span> : <progress class={window.used >= 0.8 ? "near" : ""} max={1} value={window.used} aria-label={window.window} />}
            <span class="quiet">{window.used === null ? "" : `${Math.round(window.used * 100)} % used`}{left === null ? "" : left > 0 ? `, anew in ${span(left)}` : " before; it has begun anew"}</span>
          </div>
        );
      })}
      {!pool.pause && !pool.windows.length && <p class="quiet">no quota was told</p>}
    </li>
  );
}

function Paused({ pause }: { pause: PauseView }) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const left = pause.until ? (Date.parse(pause.until) - now.value) / 1000 : null;
  const pool = pause.what.startsWith("pool:") ? pause.what.slice(5) : null;
  const what = pool ? "Paused" : pause.what === "day" ? "Today's budget is spent" : "The board is paused";
  const until = left === null ? "until somebody ends it" : left > 0 ? `for ${span(left)} more` : "it is about to go on";
  return (
    <div class="workers-pause">
      <p>
        <strong>{what}</strong>, {until}. <span>{pause.why}</span>
        {pause.question && <> <button type="button" class="button plain" onClick={() => go("/")}>Answer {pause.question}</button></>}
      </p>
      {me.value?.canWrite && <button type="button" class="button" onClick={() => act("resume", { pool }).then(() => undefined, setProblem)}>Go on now</button>}
      {problem && <p role="alert">{problem.message} {problem.hint}</p>}
    </div>
  );
}
