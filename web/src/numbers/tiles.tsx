/** The few numbers that one looks for first. */
import type { BoardStatus, Figures, Metrics, UsageView } from "../api/types";
import { money, span } from "../ui/words";
import { percent, plural } from "./findings";

export function Tiles({ figures, metrics, usage, status }: { figures: Figures; metrics: Metrics; usage: UsageView; status: BoardStatus }) {
  const landed = figures.days.reduce((sum, day) => sum + day.landed, 0);
  const cost = money(usage.total.cost_usd);
  const asked = status.questions.length;
  const ended = metrics.workflows.done + metrics.workflows.cancelled;
  const per = landed && usage.total.cost_usd !== null ? `${money(usage.total.cost_usd / landed)} for each that landed` : "";
  return (
    <dl class="numbers-tiles">
      <Tile name="landed" value={String(landed)} beside={`in ${plural(figures.days.length, "day")}`} />
      <Tile name="at work now" value={String(status.runs.length)} beside={asked ? `${plural(asked, "question")} for you` : "nobody waits for you"} />
      <Tile name="agents worked" value={span(usage.total.seconds)} beside={`${plural(usage.total.runs, "run")}, gates ${span(usage.gate_seconds)}`} />
      <Tile name="cost" value={usage.total.runs ? (cost ? `${cost}${usage.total.unpriced ? "+" : ""}` : "unknown") : "nothing yet"} beside={usage.total.unpriced && cost ? `${plural(usage.total.unpriced, "run")} unknown` : per} />
      <Tile name="came to an end" value={metrics.success_rate === null ? "none yet" : percent(metrics.success_rate)} beside={`${metrics.workflows.done} of ${ended} with success, ever`} />
      <Tile name="runs for nothing" value={percent(metrics.runs.wasted_rate)} beside={`${metrics.runs.wasted} of ${metrics.runs.total}, ever`} />
    </dl>
  );
}

function Tile({ name, value, beside }: { name: string; value: string; beside: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <strong>{value}</strong>
        <span class="quiet">{beside}</span>
      </dd>
    </div>
  );
}
