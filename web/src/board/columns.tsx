/** The flow's stages as columns. Off the way of the flow only those that hold something; empty ones fold, and stay so
 *  while a card is dragged: nothing moves away under the pointer. */
import { useComputed } from "@preact/signals";
import { drag, dragged } from "../acts/drag";
import { rest } from "../live/board";
import { count } from "../ui/words";
import { Card } from "./card";
import { filter, shown } from "./filter";
import { kindOf } from "./flow";
import { columnWords } from "./state";
import "./columns.css";

const LAST = "done";

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
  const total = name === LAST ? (rest.value?.totals[LAST] ?? ids.value.length) : ids.value.length;
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
      {ids.value.map((id) => (
        <Card key={id} id={id} />
      ))}
      {name === LAST && total > ids.value.length && !filter.value ? <p class="column-rest">and {count(total - ids.value.length)} more</p> : null}
    </section>
  );
}
