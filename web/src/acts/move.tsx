/** Moving an item: the columns with what forbids them, what the move resets, and one optional line for why. */
import { useEffect, useRef, useState } from "preact/hooks";
import { read } from "../api/client";
import type { MoveView } from "../api/types";
import { act } from "../live";
import { cardOf, rest } from "../live/board";
import { chosen as chosenIds, chosenCards, forEach } from "../board/chosen";
import { columnWords, ENDED } from "../board/state";
import { Dialog } from "../ui/dialog";
import { Refusal } from "../ui/refusal";
import { close } from "./modal";
import { useSending } from "./sending";
import "./move.css";

const KEYS = "123456789abcdefghijklmnopqrstuvwxyz";

export function MoveSheet({ id, to }: { id: string; to: string | null }) {
  const item = cardOf(id)?.value;
  const [moves, setMoves] = useState<MoveView[] | null>(null);
  const [column, setColumn] = useState(to);
  const [why, setWhy] = useState("");
  const { isBusy, problem, send } = useSending();
  const reason = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // Beside the act: whoever is quick need not wait for it. What it would have said, the refusal of the move says.
    read("moves", { item: id }).then(({ moves: found }) => setMoves(found), () => undefined);
  }, [id]);
  useEffect(() => {
    if (column) reason.current?.focus();
  }, [column]);
  if (!item) return null;
  const all = chosenIds.value.has(id) && !to ? chosenCards().filter((card) => !ENDED.has(card.status)) : [item];
  const columns = (rest.value?.columns ?? []).filter((name) => name !== item.column);
  const moveTo = (name: string) => moves?.find((one) => one.column === name);
  const isRefused = (name: string) => moveTo(name)?.allowed === false;
  const chosen = column ? moveTo(column) : undefined;
  const submit = async (event: Event) => {
    event.preventDefault();
    if (column && (await send(() => forEach(all, (card) => act("move", { item: card.id, column, why: why.trim() }))))) close();
  };
  const pick = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
    const name = columns[KEYS.indexOf(event.key)];
    if (event.key.length !== 1 || !name || isRefused(name)) return;
    event.preventDefault();
    setColumn(name);
  };
  return (
    <Dialog title={all.length > 1 ? `Move ${all.length} items` : `Move #${id} ${item.title}`} onClose={close} wide>
      <form class="dialog-body is-inner" onSubmit={submit} onKeyDown={pick}>
        <p class="quiet">It is in {columnWords(item.column)}. A key or a click chooses where it goes.</p>
        <div class="move-columns" role="radiogroup" aria-label="Column">
          {columns.map((name, at) => (
            <button
              key={name}
              type="button"
              role="radio"
              aria-checked={column === name}
              autofocus={at === 0 && !to}
              class={`move-column ${column === name ? "is-chosen" : ""}`}
              disabled={isRefused(name)}
              onClick={() => setColumn(name)}
            >
              <kbd>{KEYS[at]}</kbd>
              <span>
                {columnWords(name)}
                {isRefused(name) ? <small>{moveTo(name)?.why}</small> : null}
              </span>
            </button>
          ))}
        </div>
        {chosen?.resets.length ? <p class="move-resets">This begins anew: {chosen.resets.join(", ")}.</p> : null}
        <label class="field">
          <span>Why, for whoever works on it next (may be left empty)</span>
          <input ref={reason} class="input" autofocus={to !== null} value={why} onInput={(event) => setWhy(event.currentTarget.value)} />
        </label>
        <Refusal problem={problem} />
        <footer class="dialog-foot">
          <button class="button main" disabled={!column || isBusy}>
            {column ? `Move to ${columnWords(column)}` : "Choose a column"}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
