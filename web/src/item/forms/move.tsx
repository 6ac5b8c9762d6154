/** To another column. Which ones take it, and what a move sets back, the server says. */
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { read } from "../../api/client";
import type { MoveView } from "../../api/types";
import { act } from "../../live";
import { useActing } from "../acting";
import { Refusal } from "../../ui/refusal";
import type { FormProps } from "./forms";

export function MoveForm({ item, take, done }: FormProps & { done: () => void }) {
  const moves = useSignal<MoveView[]>([]);
  const chosen = useSignal<string | null>(null);
  const why = useSignal("");
  const acting = useActing();
  useEffect(() => {
    void acting.attempt(async () => (moves.value = (await read("moves", { item: item.id })).moves));
  }, [item.id, item.version]);
  const send = (event: Event) => {
    event.preventDefault();
    if (chosen.value === null) return;
    const asked = { item: item.id, version: item.version, column: chosen.value, why: why.value.trim() };
    void acting.attempt(async () => take(await act("move", asked))).then((ok) => ok && done());
  };
  return (
    <form class="form" onSubmit={send}>
      <div class="column-choices" role="radiogroup" aria-label="To which column">
        {moves.value.filter((move) => move.column !== item.column).map((move) => (
          <label class="column-choice" key={move.column}>
            <input type="radio" name="move-column" disabled={!move.allowed} checked={chosen.value === move.column} onChange={() => (chosen.value = move.column)} />
            <span>{move.column}</span>
            {!move.allowed && <span class="quiet">{move.why}</span>}
            {move.allowed && move.resets.length > 0 && <span class="quiet">sets back: {move.resets.join(", ")}</span>}
          </label>
        ))}
      </div>
      <label class="form-field">Why (not needed)
        <input class="entry" type="text" value={why.value} onInput={(event) => (why.value = event.currentTarget.value)} />
      </label>
      <p><button class="button" disabled={chosen.value === null || acting.busy.value}>Move it</button></p>
      <Refusal problem={acting.problem.value} />
    </form>
  );
}
