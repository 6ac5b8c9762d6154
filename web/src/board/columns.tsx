/** The flow's stages as columns. Off the way of the flow only those that hold something; empty ones fold, and stay so
 *  while a card is dragged: nothing moves away under the pointer. */
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { drag, dragged } from "../acts/drag";
import { showMore } from "../live";
import { beyond, kindOf, rest } from "../live/board";
import { count } from "../ui/words";
import { Card } from "./card";
import { filter, shown } from "./filter";
import { columnWords } from "./state";
import "./columns.css";

const LAST = "done";
const DRAWN = 20; // cards of a column that are drawn at once; the others when they come near

export function Columns() {
  const columns = useComputed(() => {
    const all = rest.value?.columns ?? [];
    const holds = (name: string) => Boolean(shown.value.get(name)?.length);
    const stages = all.filter((name) => name !== LAST && kindOf(name) === "flow");
    const others = all.filter((name) => kindOf(name) !== "flow" && holds(name));
    return [...stages, ...others, LAST].join("\n"); // text: equal columns draw nothing anew
  });
  return (
    <div class="columns" role="region" aria-label="Board" tabIndex={-1}>
      {columns.value.split("\n").map((name) => (
        <Column key={name} name={name} />
      ))}
    </div>
  );
}

function Column({ name }: { name: string }) {
  const ids = useComputed(() => shown.value.get(name) ?? []);
  const move = dragged.value?.moves?.find((one) => one.column === name);
  const isEmpty = ids.value.length === 0;
  const isOver = dragged.value?.over === name;
  const drawn = useSignal(DRAWN);
  const more = filter.value ? 0 : beyond(name);
  const total = ids.value.length + more;
  const refused = move && !move.allowed ? move.why : null;
  const kind = kindOf(name);
  return (
    <section
      class={`column is-${kind} ${isEmpty ? "is-folded" : ""} ${isOver ? "is-over" : ""} ${refused ? "is-refused" : ""}`}
      data-column={name}
      aria-label={`${columnWords(name)}, ${total}`}
      onDragOver={(event) => drag.over(event, name)}
      onDragLeave={() => drag.over(null, name)}
      onDrop={(event) => drag.drop(event, name)}
    >
      <h2 class="column-name" title={refused ?? name}>
        <span>{columnWords(name)}</span> <span class="column-count">{total ? count(total) : ""}</span>
      </h2>
      {refused && !isEmpty ? <p class="column-refused">{refused}</p> : null}
      {move?.allowed && move.resets.length && isOver && !isEmpty ? <p class="column-refused">resets {move.resets.join(", ")}</p> : null}
      {ids.value.slice(0, drawn.value).map((id) => (
        <Card key={id} id={id} />
      ))}
      {drawn.value < ids.value.length ? <Near key={drawn.value} onNear={() => (drawn.value *= 2)} /> : more ? <More name={name} more={more} /> : null}
    </section>
  );
}

function More({ name, more }: { name: string; more: number }) {
  if (name === LAST) return <p class="column-rest">and {count(more)} more</p>;
  return (
    <button type="button" class="button plain column-rest" onClick={showMore}>
      Show more of {count(more)}
    </button>
  );
}

/** Where the drawn cards of a column end. */
function Near({ onNear }: { onNear: () => void }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const margin = { rootMargin: "800px", scrollMargin: "800px" };
    const seen = new IntersectionObserver((found) => found.some((one) => one.isIntersecting) && onNear(), margin);
    if (place.current) seen.observe(place.current);
    return () => seen.disconnect();
  }, []);
  return <div ref={place} class="column-near" aria-hidden="true" />;
}
