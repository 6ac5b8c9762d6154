/** Bars: standing ones over days, lying ones by name. Each tells its value beside it, and begins at zero. */
import { useId } from "preact/hooks";
import { Hatches, mark, Pattern } from "./plot";
import { linear, ticks, type Unit } from "./scale";

export interface Part {
  kind: string;
  value: number;
}

export interface Bar {
  key: string;
  name: string;
  parts: Part[];
  label: string; // the value in words, beside the bar
  facts: string;
  open?: (() => void) | undefined;
}

interface BarsProps {
  bars: Bar[];
  width: number;
  unit: Unit;
  words: (value: number) => string;
}

const sum = (bar: Bar) => bar.parts.reduce((total, part) => total + part.value, 0);
const most = (bars: Bar[]) => Math.max(0, ...bars.map(sum));
const LETTER = 6.1; // of an 11 point letter, about

export const shortened = (text: string, room: number): string => {
  const letters = Math.max(2, Math.floor(room / LETTER));
  return text.length <= letters ? text : `${text.slice(0, letters - 1)}…`;
};

export function StandingBars({ bars, width, unit, words }: BarsProps) {
  const id = useId();
  const lines = ticks(most(bars), unit);
  const top = lines.at(-1) ?? 1;
  const left = Math.max(24, ...lines.map((one) => words(one).length * LETTER + 8));
  const height = 168;
  const step = (width - left) / Math.max(1, bars.length);
  const wide = Math.max(1, Math.min(step - Math.max(1, step * 0.22), 44));
  const scale = linear(top, height);
  const each = Math.max(1, Math.ceil(58 / step));
  const labelled = bars.every((bar) => bar.label.length * (LETTER + 0.8) <= step);
  return (
    <svg width={width} height={height + 38}>
      <Hatches id={id} />
      <g transform="translate(0 14)">
        {lines.map((one) => (
          <g key={one} transform={`translate(0 ${height - scale(one)})`}>
            <line class={one === 0 ? "base" : "axis"} x1={left} x2={width} />
            <text x={left - 6} text-anchor="end" dominant-baseline="middle">{words(one)}</text>
          </g>
        ))}
        {bars.map((bar, place) => {
          const x = left + place * step + (step - wide) / 2;
          const whole = scale(sum(bar));
          const isLast = place === bars.length - 1;
          return (
            <g key={bar.key} class={bar.open ? "opens" : ""} onClick={bar.open} {...mark(bar.facts)}>
              <rect class="ring" x={x - 1} y={0} width={wide + 2} height={height} />
              <Stack id={id} bar={bar} scale={scale} x={x} wide={wide} height={height} />
              {labelled && whole > 0 && <text class="strong" x={x + wide / 2} y={height - whole - 5} text-anchor="middle">{bar.label}</text>}
              {((bars.length - 1 - place) % each === 0) && (
                <text x={isLast && each > 1 ? x + wide : x + wide / 2} y={height + 17} text-anchor={isLast && each > 1 ? "end" : "middle"}>{bar.name}</text>
              )}
            </g>
          );
        })}
      </g>
    </svg>
  );
}

function Stack({ id, bar, scale, x, wide, height }: { id: string; bar: Bar; scale: (value: number) => number; x: number; wide: number; height: number }) {
  let foot = height;
  return (
    <>
      {bar.parts.map((part) => {
        const tall = Math.max(part.value > 0 ? 1.5 : 0, scale(part.value));
        foot -= tall;
        return tall > 0 ? (
          <g key={part.kind}>
            <rect class={`fill ${part.kind}`} x={x} y={foot} width={wide} height={tall} rx={Math.min(2, wide / 3)} />
            <Pattern id={id} kind={part.kind} x={x} y={foot} width={wide} height={tall} />
          </g>
        ) : null;
      })}
    </>
  );
}

const ROW = 30;
const THICK = 15;

export function LyingBars({ bars, width, unit, words }: BarsProps) {
  const id = useId();
  const narrow = width < 460;
  const left = narrow ? 0 : Math.min(width * 0.34, Math.max(60, ...bars.map((bar) => bar.name.length * LETTER + 12)));
  const right = Math.max(40, ...bars.map((bar) => bar.label.length * (LETTER + 0.6) + 12));
  const lines = ticks(most(bars), unit, width < 600 ? 3 : 4);
  const top = most(bars) || 1;
  const room = Math.max(40, width - left - right);
  const scale = linear(top, room);
  const row = narrow ? ROW + 16 : ROW;
  const height = bars.length * row;
  const shown = lines.filter((one) => one <= top);
  return (
    <svg width={width} height={height + 20}>
      <Hatches id={id} />
      {shown.map((one) => (
        <g key={one} transform={`translate(${left + scale(one)} 0)`}>
          <line class={one === 0 ? "base" : "axis"} y1={0} y2={height} />
          <text y={height + 15} text-anchor={one === 0 && narrow ? "start" : "middle"}>{words(one)}</text>
        </g>
      ))}
      {bars.map((bar, place) => {
        const y = place * row + (narrow ? 20 : (ROW - THICK) / 2);
        const whole = scale(sum(bar));
        return (
          <g key={bar.key} class={bar.open ? "opens" : ""} onClick={bar.open} {...mark(bar.facts)}>
            <rect class="ring" x={0.5} y={place * row + 1} width={width - 1} height={row - 2} rx="4" />
            <text class="name" x={narrow ? 4 : left - 8} y={narrow ? y - 6 : y + THICK / 2} text-anchor={narrow ? "start" : "end"} dominant-baseline={narrow ? "auto" : "middle"}>
              {shortened(bar.name, narrow ? width - 8 : left - 10)}
            </text>
            <Run id={id} bar={bar} scale={scale} x={left} y={y} />
            <text class="strong" x={left + whole + 7} y={y + THICK / 2} dominant-baseline="middle">{bar.label}</text>
          </g>
        );
      })}
    </svg>
  );
}

function Run({ id, bar, scale, x, y }: { id: string; bar: Bar; scale: (value: number) => number; x: number; y: number }) {
  let at = x;
  return (
    <>
      {bar.parts.map((part) => {
        const wide = part.value > 0 ? Math.max(1.5, scale(part.value)) : 0;
        const here = at;
        at += wide;
        return wide > 0 ? (
          <g key={part.kind}>
            <rect class={`fill ${part.kind}`} x={here} y={y} width={wide} height={THICK} rx="2" />
            <Pattern id={id} kind={part.kind} x={here} y={y} width={wide} height={THICK} />
          </g>
        ) : null;
      })}
    </>
  );
}
