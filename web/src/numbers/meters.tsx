/** How far something with an end is used up: windows of quota, budgets. */
import { useId } from "preact/hooks";
import { shortened } from "./bars";
import { Hatches, mark, Pattern } from "./plot";

export interface Meter {
  key: string;
  name: string;
  share: number | null; // null: nobody has told
  label: string;
  beside: string; // when it begins anew, or what it is counted for
  kind: string;
}

const ROW = 46;

export function Meters({ meters, width }: { meters: Meter[]; width: number }) {
  const id = useId();
  return (
    <svg width={width} height={meters.length * ROW}>
      <Hatches id={id} />
      {meters.map((meter, place) => {
        const y = place * ROW;
        const wide = meter.share === null ? width : Math.max(2, Math.min(1, meter.share) * width);
        const kind = meter.share === null ? "unknown" : meter.kind;
        return (
          <g key={meter.key} transform={`translate(0 ${y})`} {...mark(`${meter.name}\n${meter.label}\n${meter.beside}`)}>
            <rect class="ring" x={-2} width={width + 4} height={ROW - 4} rx="4" />
            <text class="name" x={0} y={13}>{shortened(meter.name, width * 0.5)}</text>
            <text class="strong" x={width} y={13} text-anchor="end">{meter.label}</text>
            <rect class="fill quiet" y={19} width={width} height={9} rx="4.5" opacity="0.5" />
            <rect class={`fill ${kind}`} y={19} width={wide} height={9} rx="4.5" />
            <Pattern id={id} kind={kind} x={0} y={19} width={wide} height={9} />
            <text x={0} y={40}>{shortened(meter.beside, width)}</text>
          </g>
        );
      })}
    </svg>
  );
}
