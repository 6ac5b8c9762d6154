/** Slots in use: a line that steps, and how many there are. */
import { dayLabel, linear, ticks, timeTicks } from "./scale";
import { mark } from "./plot";
import type { Stretch } from "./findings";

export function Steps({ stretches, slots, from, to, width }: { stretches: Stretch[]; slots: number; from: number; to: number; width: number }) {
  const height = 150;
  const left = 26;
  const lines = ticks(Math.max(slots, ...stretches.map((one) => one.most)), "count");
  const scale = linear(lines.at(-1) ?? 1, height);
  const at = (time: number) => left + ((time - from) / Math.max(1, to - from)) * (width - left);
  const line = stretches.map((one) => `V${height - scale(one.most)}H${at(one.to)}`).join("");
  const area = `M${at(from)} ${height}${line}V${height}Z`;
  return (
    <svg width={width} height={height + 36}>
      <g transform="translate(0 12)">
        {lines.map((one) => (
          <g key={one} transform={`translate(0 ${height - scale(one)})`}>
            <line class={one === 0 ? "base" : "axis"} x1={left} x2={width} />
            <text x={left - 6} text-anchor="end" dominant-baseline="middle">{one}</text>
          </g>
        ))}
        <path class="fill area" d={area} />
        <path class="step" d={`M${at(from)} ${height}${line}`} />
        <line class="limit" x1={left} x2={width} y1={height - scale(slots)} y2={height - scale(slots)} />
        <text class="strong" x={width} y={height - scale(slots) - 5} text-anchor="end">{slots} {slots === 1 ? "slot" : "slots"}</text>
        {stretches.map((one) => (
          <rect key={one.from} class="ring" x={at(one.from)} y={0} width={Math.max(1, at(one.to) - at(one.from))} height={height}
            {...mark(`${one.most} in use at most\n${dayLabel(new Date(one.from))}, ${one.mean.toFixed(1)} on average`)} />
        ))}
        {timeTicks(from, to, width / 90).map((tick) => (
          <text key={tick.at} x={at(tick.at)} y={height + 17} text-anchor={at(tick.at) > width - 20 ? "end" : "middle"}>{tick.label}</text>
        ))}
      </g>
    </svg>
  );
}
