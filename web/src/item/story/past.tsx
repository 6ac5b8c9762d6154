/** Back in time: the item as it was after any of its events. */
import { type Signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { EVENT_WORDS } from "../../api/event_words";
import type { EventView, ItemView } from "../../api/types";
import type { Problem } from "../../api/client";
import { Refusal } from "../../ui/refusal";
import { itemAt } from "../calls";
import { asProblem } from "../use_item";
import { useCommand } from "../commands";
import { Why } from "../head";
import { Icon } from "../../ui/icons";
import { clockTime, dayTime, standing } from "../words";

const REST = 120; // ms

interface PastProps {
  item: ItemView;
  events: EventView[];
  /** Which event is looked at; null: the last there is, and those that come. */
  at: Signal<number | null>;
}

export function Past({ item, events, at }: PastProps) {
  const last = events.length - 1;
  const place = Math.min(at.value ?? last, last);
  const event = events[place];
  const move = (to: number) => (at.value = to >= last ? null : Math.max(0, to));
  useCommand("earlier", () => move(place - 1));
  useCommand("later", () => move(place + 1));
  if (last < 1 || !event) return null;
  const time = Date.parse(event.timestamp ?? "");
  const spoken = `${dayTime(time)}, event ${place + 1} of ${last + 1}`;
  return (
    <section class="past" aria-label="Back in time">
      <div class="past-row">
        <label class="past-label" for="past-slider">{at.value === null ? "Now" : clockTime(time, true)}</label>
        <input id="past-slider" class="past-slider" type="range" min={0} max={last} value={place} aria-valuetext={spoken}
          onInput={(change) => move(Number(change.currentTarget.value))} />
        <button class="button past-now" disabled={at.value === null} onClick={() => (at.value = null)}>Back to now</button>
      </div>
      {at.value !== null && <AsItWas id={item.id} event={event} />}
    </section>
  );
}

/** Kept once asked for: the past does not change. */
const known = new Map<string, ItemView | null>();

function AsItWas({ id, event }: { id: string; event: EventView }) {
  const found = useSignal<ItemView | null>(null);
  const problem = useSignal<Problem | null>(null);
  const key = `${id} ${event.seq}`;
  useEffect(() => {
    problem.value = null;
    if (known.has(key)) return void (found.value = known.get(key) ?? null);
    let wanted = true;
    // A slider that is drawn over a hundred events asks for the one where it rests.
    const timer = setTimeout(() => {
      itemAt(id, event.seq).then(
        (view) => {
          known.set(key, view);
          if (wanted) found.value = view;
        },
        (error) => wanted && (problem.value = asProblem(error)),
      );
    }, REST);
    return () => {
      wanted = false;
      clearTimeout(timer);
    };
  }, [key]);
  return (
    <div class="as-it-was" aria-live="polite">
      <p><b>{event.agent ?? "folkmoot"}</b>: {EVENT_WORDS[event.event] ?? event.event}</p>
      {found.value && <Then was={found.value} />}
      <Refusal problem={problem.value} />
    </div>
  );
}

function Then({ was }: { was: ItemView }) {
  const state = standing(was);
  const open = was.findings.filter((finding) => !finding.fixed && !finding.remark).length;
  return (
    <>
      <p class="head-state">
        <span class={`badge tone-${state.tone}`}><Icon name={state.icon} /> {state.words}</span>
        <span class="head-fact">in <b>{was.column}</b></span>
        <span class="head-fact">{was.runs.length} {was.runs.length === 1 ? "run" : "runs"} so far</span>
        {was.failure_count > 0 && <span class="head-fact">{was.failure_count} failed</span>}
        {was.dispute_rounds > 0 && <span class="head-fact">round {was.dispute_rounds} of a dispute</span>}
        {open > 0 && <span class="head-fact">{open} open {open === 1 ? "finding" : "findings"}</span>}
      </p>
      <Why words={was.why} />
    </>
  );
}
