/** The frame of a plot: what it shows as a sentence, the picture, the same as a table, and both as files. */
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Table, UNKNOWN } from "./csv";
import { savePicture, saveTable } from "./save";
import "./plot.css";

export interface Key {
  kind: string; // a class of plot.css, which gives a colour and a pattern
  words: string;
}

interface PlotProps {
  name: string; // of the files
  finding: string;
  note?: string | undefined;
  table: Table;
  keys?: Key[];
  controls?: ComponentChildren;
  wide?: boolean;
  children: (width: number) => VNode;
}

/** What the marks of a plot tell when they are pointed at or focused; arrow keys go from one to the next. */
export const mark = (facts: string) => ({ "data-facts": facts, "aria-label": facts.replaceAll("\n", ", "), role: "img" as const, tabindex: -1 });

export function Plot({ name, finding, note, table, keys = [], controls, wide = false, children }: PlotProps) {
  const [asTable, setAsTable] = useState(false);
  const body = useRef<HTMLDivElement>(null);
  const width = useWidth(body);
  const picture = () => {
    const svg = body.current?.querySelector("svg");
    if (svg) void savePicture(name, svg, finding);
  };
  return (
    <figure class={wide ? "plot wide" : "plot"} aria-label={finding}>
      <figcaption>
        <h2>{finding}</h2>
        {note && <p class="quiet">{note}</p>}
      </figcaption>
      {controls && <div class="plot-controls">{controls}</div>}
      <div ref={body} class="plot-body">
        {asTable ? <TableView table={table} /> : <Marks label={finding}>{width > 0 ? children(width) : null}</Marks>}
      </div>
      <footer>
        <ul class="plot-keys">
          {keys.map((key) => (
            <li key={key.words}>
              <svg width="14" height="10" aria-hidden="true">
                <Hatches id={`key-${name}`} />
                <rect class={`fill ${key.kind}`} width="14" height="10" rx="2" />
                <Pattern id={`key-${name}`} kind={key.kind} x={0} y={0} width={14} height={10} />
              </svg>
              {key.words}
            </li>
          ))}
        </ul>
        <span class="plot-buttons">
          <button type="button" class="button plain" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>{asTable ? "as picture" : "as table"}</button>
          {!asTable && <button type="button" class="button plain" onClick={picture}>PNG</button>}
          <button type="button" class="button plain" onClick={() => saveTable(name, table)}>CSV</button>
        </span>
      </footer>
    </figure>
  );
}

/** The width that a plot has, so that its letters keep their size on every screen. */
function useWidth(of: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = of.current;
    if (!element) return;
    const measure = () => setWidth(Math.floor(element.clientWidth));
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  return width;
}

interface Told {
  lines: string[];
  x: number;
  y: number;
  below: boolean;
}

function Marks({ label, children }: { label: string; children: ComponentChildren }) {
  const place = useRef<HTMLDivElement>(null);
  const [told, setTold] = useState<Told | null>(null);
  const tell = (event: Event) => {
    const found = event.target instanceof Element ? event.target.closest("[data-facts]") : null;
    const frame = place.current?.getBoundingClientRect();
    if (!found || !frame) return setTold(null);
    const at = found.getBoundingClientRect();
    const middle = Math.max(at.left, frame.left) / 2 + Math.min(at.right, frame.right) / 2 - frame.left;
    const x = Math.min(Math.max(middle, 90), frame.width - 90);
    const below = at.top - frame.top < 76;
    setTold({ lines: (found.getAttribute("data-facts") ?? "").split("\n"), x, y: (below ? at.bottom : at.top) - frame.top, below });
  };
  const walk = (event: KeyboardEvent) => {
    const marks = [...(place.current?.querySelectorAll<SVGElement>("[data-facts]") ?? [])];
    const here = marks.indexOf(document.activeElement as SVGElement);
    const wanted = { ArrowRight: here + 1, ArrowDown: here + 1, ArrowLeft: here - 1, ArrowUp: here - 1, Home: 0, End: marks.length - 1 }[event.key];
    if (event.key === "Enter" && here >= 0) marks[here]?.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    if (event.key === "Escape") setTold(null);
    if (wanted === undefined || !marks.length || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    marks[Math.min(Math.max(wanted, 0), marks.length - 1)]?.focus();
  };
  useEffect(() => setTold(null), [children]);
  return (
    <div ref={place} class="plot-marks" role="group" tabIndex={0} aria-label={`${label} Arrow keys go through its marks.`}
      onPointerOver={tell} onPointerLeave={() => setTold(null)} onFocusIn={tell} onFocusOut={() => setTold(null)} onKeyDown={walk}>
      {children}
      {told && (
        <div class={told.below ? "plot-facts below" : "plot-facts"} style={{ left: `${told.x}px`, top: `${told.y}px` }} aria-hidden="true">
          {told.lines.map((line, at) => <div key={at}>{line}</div>)}
        </div>
      )}
    </div>
  );
}

/** Patterns beside the colours: what waits, asks or proves is told apart without any colour. */
export function Hatches({ id }: { id: string }) {
  return (
    <defs>
      <pattern id={`${id}-wait`} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="hatch" width="1.4" height="5" /></pattern>
      <pattern id={`${id}-ask`} width="5" height="5" patternUnits="userSpaceOnUse"><circle class="hatch" cx="2.5" cy="2.5" r="1.1" /></pattern>
      <pattern id={`${id}-prove`} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(-45)"><rect class="hatch" width="2" height="5" /></pattern>
    </defs>
  );
}

const PATTERNS: Record<string, string> = { wait: "wait", ask: "ask", prove: "prove", unknown: "wait", gate: "prove" };

export function Pattern({ id, kind, ...box }: { id: string; kind: string; x: number; y: number; width: number; height: number }) {
  const pattern = kind.split(" ").map((one) => PATTERNS[one]).find(Boolean);
  return pattern ? <rect {...box} class="pattern" rx={2} fill={`url(#${id}-${pattern})`} /> : null;
}

function TableView({ table }: { table: Table }) {
  return (
    <div class="plot-table" tabIndex={0}>
      <table>
        <thead><tr>{table.head.map((name) => <th key={name} scope="col">{name}</th>)}</tr></thead>
        <tbody>
          {table.rows.map((row, at) => (
            <tr key={at}>{row.map((cell, place) => <td key={place} class={typeof cell === "number" ? "number" : ""}>{cell === null ? UNKNOWN : typeof cell === "number" ? cell.toLocaleString("en") : cell}</td>)}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A few ways to look at the same. */
export function Choice<Value extends string>({ label, of, value, onPick }: { label: string; of: readonly (readonly [Value, string])[]; value: Value; onPick: (value: Value) => void }) {
  return (
    <div class="plot-choice" role="group" aria-label={label}>
      {of.map(([one, words]) => (
        <button key={one} type="button" aria-pressed={one === value} onClick={() => onPick(one)}>{words}</button>
      ))}
    </div>
  );
}
