/** What a run printed: its agent's words, a line for each tool, its errors. While it works, the end stays in sight. */
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Problem } from "../../api/client";
import type { Said as Line } from "../../api/types";
import { hasSaidMore, saidBy } from "../calls";
import { Icon } from "../../ui/icons";
import { asProblem } from "../use_item";

const PAUSE = 1500; // ms between two looks at a run that goes on; it writes once a second at most
const SHOWN = 400; // lines at once: the end is what one reads

export function Output({ run, live }: { run: string; live: boolean }) {
  const lines = useSignal<Line[] | null>(null);
  const problem = useSignal<Problem | null>(null);
  const all = useSignal(false);
  const follows = useSignal(true);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let wanted = true;
    let last: number | null = null;
    const look = async () => {
      try {
        if (last === null || (await hasSaidMore(run, last))) {
          const found = await saidBy(run);
          last = found.last;
          if (wanted) lines.value = found.lines;
        }
        if (wanted) problem.value = null;
      } catch (error) {
        if (wanted) problem.value = asProblem(error);
      }
      if (wanted && live) timer = setTimeout(look, PAUSE);
    };
    void look();
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [run, live]);
  useLayoutEffect(() => {
    if (follows.peek() && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines.value]);
  const scrolled = () => {
    const { scrollTop, scrollHeight, clientHeight } = box.current!;
    follows.value = scrollTop + clientHeight >= scrollHeight - 24;
  };
  const toEnd = () => {
    follows.value = true;
    if (box.current) box.current.scrollTop = box.current.scrollHeight;
  };
  const found = lines.value;
  if (problem.value && !found) return <p class="drawer-problem" role="alert">{problem.value.message}</p>;
  if (!found) return <p class="quiet" aria-busy="true">Looking at what it printed …</p>;
  if (!found.length) return <p class="quiet">{live ? "It has printed nothing yet." : "It printed nothing."}</p>;
  const hidden = all.value ? 0 : Math.max(0, found.length - SHOWN);
  return (
    <div class="output-frame">
      <div class="output" ref={box} onScroll={scrolled} tabIndex={0} role="log" aria-label="What the run printed" aria-live="off">
        {hidden > 0 && <button class="button" onClick={() => (all.value = true)}>Show {hidden} earlier lines</button>}
        {found.slice(hidden).map((line, at) => <Said key={hidden + at} line={line} />)}
        {live && <p class="output-live"><span class="output-pulse" aria-hidden="true" /> at work</p>}
      </div>
      {live && !follows.value && <button class="button output-end" onClick={toEnd}>To the end</button>}
    </div>
  );
}

function Said({ line }: { line: Line }) {
  if (!line.text.trim()) return <p class="said said-blank" />;
  return (
    <p class={`said said-${line.kind}`} dir="auto">
      {line.kind === "tool" && <Icon name="proof" label="tool" />}
      {line.kind === "error" && <Icon name="cross" label="error" />}
      {line.text}
    </p>
  );
}
