/** A short look at the selected card, that follows the selection; the board stays as it is. */
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { read } from "../api/client";
import type { ItemView } from "../api/types";
import { onItem } from "../live";
import { selected } from "./select";
import "./peek.css";

export const peeked = signal(false);

export function Peek() {
  return peeked.value && selected.value ? <Shown key={selected.value} id={selected.value} /> : null;
}

function Shown({ id }: { id: string }) {
  const [item, setItem] = useState<ItemView | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    const look = () => read("show", { item: id }, stop.signal).then(setItem, () => undefined); // the next look tells it
    void look();
    const off = onItem(id, () => void look());
    return () => {
      off();
      stop.abort();
    };
  }, [id]);
  const last = item?.runs.at(-1);
  return (
    <aside class="peek" aria-label={`Item ${id}`} aria-busy={!item}>
      {item ? (
        <>
          <h2>
            #{id} {item.title}
          </h2>
          <p class="peek-why">{item.why}</p>
          {last?.report?.summary ? (
            <p>
              <b>{last.agent}</b> {last.report.summary}
            </p>
          ) : null}
          {item.body ? <p class="peek-body">{item.body}</p> : null}
          {item.files.length ? <p class="mono quiet">{item.files.join(" ")}</p> : null}
          <p class="quiet">
            <kbd>Enter</kbd> opens it, <kbd>Space</kbd> closes this
          </p>
        </>
      ) : null}
    </aside>
  );
}
