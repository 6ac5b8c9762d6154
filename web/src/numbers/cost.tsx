/** What runs have used up: money, tokens, time; by day, item, agent, model or pool. What nobody told is unknown. */
import { useEffect, useState } from "preact/hooks";
import type { Problem } from "../api/client";
import { read } from "../api/client";
import type { UsageView } from "../api/types";
import { go } from "../live";
import { count, money, span } from "../ui/words";
import { type Bar, LyingBars, StandingBars } from "./bars";
import { amount, costFinding, inWords, lacks, type Measure, tokensOf } from "./amounts";
import { plural } from "./findings";
import { Choice, Plot } from "./plot";
import { dayName, spanLabel } from "./scale";

type By = UsageView["by"];

const SHOWN = 12;
const BYS = [["day", "day"], ["item", "item"], ["agent", "agent"], ["model", "model"], ["pool", "pool"]] as const;
const MEASURES = [["usd", "money"], ["tokens", "tokens"], ["seconds", "time"]] as const;

export function Cost({ since, again }: { since: string; again: number }) {
  const [by, setBy] = useState<By>("day");
  const [measure, setMeasure] = useState<Measure>("usd");
  const [view, setView] = useState<UsageView | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    read("usage", { by, since }, stop.signal).then(setView, (error: Problem) => stop.signal.aborted || setProblem(error));
    return () => stop.abort();
  }, [by, since, again]);
  if (problem) return <p class="numbers-problem">{problem.message}</p>;
  if (!view) return <div class="plot" aria-busy="true" />;
  const head = [view.by, "title", "runs", "cost in USD", "of unknown cost", "tokens in", "of those cached", "tokens out", "of unknown tokens", "seconds"];
  const table = { head, rows: view.lines.map((line) => [line.key, line.title, line.runs, line.runs ? line.cost_usd : 0, line.unpriced, line.input_tokens, line.cached_tokens, line.output_tokens, line.untold, line.seconds]) };
  const bars = barsOf(view, measure);
  const words = (value: number) => (measure === "seconds" ? spanLabel(value) : measure === "usd" ? `$${value}` : count(value));
  const unit = measure === "tokens" ? "count" : measure;
  return (
    <Plot name={`usage-by-${view.by}`} finding={costFinding(view, measure)} table={table} keys={[{ kind: "", words: "known" }, { kind: "unknown", words: "unknown" }]}
      controls={<><Choice label="What" of={MEASURES} value={measure} onPick={setMeasure} /><Choice label="By" of={BYS} value={by} onPick={setBy} /></>}>
      {(width) => (view.by === "day" ? <StandingBars bars={bars} width={width} unit={unit} words={words} /> : <LyingBars bars={bars} width={width} unit={unit} words={words} />)}
    </Plot>
  );
}

function barsOf(view: UsageView, measure: Measure): Bar[] {
  const most = Math.max(1, ...view.lines.map((line) => amount(line, measure) ?? 0));
  const lines = view.by === "day" ? view.lines : [...view.lines].sort((a, b) => (amount(b, measure) ?? 0) - (amount(a, measure) ?? 0)).slice(0, SHOWN);
  return lines.map((line) => {
    const value = amount(line, measure);
    const lacking = value === null ? line.runs : lacks(line, measure);
    const said = `${inWords(value, measure)}${value !== null && lacking ? "+" : ""}`;
    const tokens = line.untold === line.runs && line.runs ? "tokens unknown" : `${count(tokensOf(line))} tokens`;
    const cost = line.runs ? (money(line.cost_usd) ?? "cost unknown") : "nothing spent";
    const isItem = view.by === "item";
    return {
      key: line.key,
      name: view.by === "day" ? dayName(line.key) : isItem ? `#${line.key} ${line.title}` : line.title,
      // What is unknown gets a mark of its own length, and no value.
      parts: [{ kind: "", value: value ?? 0 }, ...(lacking && view.by === "day" ? [{ kind: "unknown", value: most * 0.04 }] : value === null ? [{ kind: "unknown", value: most * 0.06 }] : [])],
      label: view.by === "day" ? (value === null ? "?" : short(said)) : said,
      facts: `${view.by === "day" ? dayName(line.key) : isItem ? `#${line.key} ${line.title}` : line.title}\n${plural(line.runs, "run")}, ${span(line.seconds)}\n${cost}, ${tokens}${lacking ? `\nof ${plural(lacking, "run")} unknown` : ""}`,
      open: isItem ? () => go(`/item/${line.key}`) : undefined,
    };
  });
}

/** Above a thin bar there is room for few letters. */
const short = (words: string) => words.replace(/^\$(\d+\.\d\d)(\+?)$/, (_all, sum: string, plus: string) => `${Number(sum).toFixed(Number(sum) >= 10 ? 0 : 1)}${plus}`).replace(/ (min|h|s|k|M).*/, "$1");
