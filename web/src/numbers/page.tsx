/** Numbers: what became of the work, where its time went and what it cost, as plots. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Problem } from "../api/client";
import { read } from "../api/client";
import type { BoardStatus, Figures, Metrics, UsageView } from "../api/types";
import { seq } from "../live";
import { Cost } from "./cost";
import { Gantt } from "./gantt";
import { Escalated, Landed, LimitsUsed, RoundsPlot, SlotsUsed, TimeSpent } from "./plots";
import { Choice } from "./plot";
import { SPANS, usual } from "./spans";
import { Tiles } from "./tiles";
import "./page.css";

const PAUSE = 10_000; // ms: plots need not follow every event

interface Found {
  figures: Figures;
  metrics: Metrics;
  usage: UsageView;
  status: BoardStatus;
}

export function NumbersPage() {
  const [since, setSince] = useState(usual);
  const [found, setFound] = useState<Found | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const again = useLater(seq.value);
  useEffect(() => {
    const stop = new AbortController();
    const asked = [read("figures", { since }, stop.signal), read("metrics", {}, stop.signal), read("usage", { by: "agent", since }, stop.signal), read("status", {}, stop.signal)] as const;
    Promise.all(asked).then(
      ([figures, metrics, usage, status]) => {
        setFound({ figures, metrics, usage, status });
        setProblem(null);
      },
      (error: Problem) => stop.signal.aborted || setProblem(error),
    );
    return () => stop.abort();
  }, [since, again]);
  return (
    <main class="numbers" aria-busy={!found}>
      <header class="numbers-head">
        <h1>Numbers</h1>
        <Choice label="Time" of={SPANS} value={since} onPick={setSince} />
      </header>
      {problem && <p class="numbers-problem" role="alert">{problem.message}</p>}
      {!found && !problem && <p class="quiet" role="status">Reading the figures …</p>}
      {found && (
        <>
          <Tiles {...found} />
          <div class="numbers-plots">
            <Landed figures={found.figures} />
            <TimeSpent figures={found.figures} />
            <Cost since={since} again={again} />
            <SlotsUsed figures={found.figures} />
            <Gantt figures={found.figures} />
            <RoundsPlot figures={found.figures} />
            <div class="numbers-stack">
              <LimitsUsed usage={found.usage} />
              <Escalated metrics={found.metrics} />
            </div>
          </div>
        </>
      )}
    </main>
  );
}

/** A value that follows another, some seconds at most behind it. */
function useLater(value: number): number {
  const [seen, setSeen] = useState(value);
  const latest = useRef(value);
  latest.current = value;
  useEffect(() => {
    if (seen === value) return;
    const timer = setTimeout(() => setSeen(latest.current), seen ? PAUSE : 0);
    return () => clearTimeout(timer);
  }, [seen, seen === value]);
  return seen;
}
