/** An item on the board, in four lines of a fixed order: what, what is done now, with what means, why it stands still. */
import { useComputed } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Card as Item, LiveRun } from "../api/types";
import { drag } from "../acts/drag";
import { openMenu } from "../commands/menu";
import { cardOf, runOf } from "../live/board";
import { go, me, now } from "../live";
import { Icon } from "../ui/icons";
import { money, since, span } from "../ui/words";
import { chooseTo, chosen, refused, toggle } from "./chosen";
import { arrive } from "./glide";
import { selected } from "./select";
import { ageOf, ENDED, stateOf, stillBecause } from "./state";
import "./card.css";

export function Card({ id }: { id: string }) {
  const element = useRef<HTMLElement>(null);
  const isSelected = useComputed(() => selected.value === id);
  const isChosen = useComputed(() => chosen.value.has(id));
  const refusal = useComputed(() => refused.value.get(id));
  useLayoutEffect(() => {
    if (element.current) arrive(id, element.current);
  }, []);
  const item = cardOf(id)?.value;
  if (!item) return null;
  const run = runOf(id).value;
  const state = stateOf(item);
  const still = stillBecause(item);
  return (
    <article
      ref={element}
      class={`card is-${state.tone} ${isSelected.value ? "is-selected" : ""} ${ENDED.has(item.status) ? "is-ended" : ""} ${isChosen.value ? "is-chosen" : ""}`}
      data-card={id}
      tabIndex={isSelected.value ? 0 : -1}
      aria-label={`#${id} ${item.title}, ${state.word}${isChosen.value ? ", chosen" : ""}`}
      draggable={me.value?.canWrite ?? false}
      onDragStart={(event) => drag.begin(event, id)}
      onDragEnd={() => drag.end()}
      onFocus={(event) => !event.currentTarget.matches(":active") && (selected.value = id)}
      onClick={(event) => (event.shiftKey ? chooseTo(id) : event.ctrlKey || event.metaKey ? toggle(id) : go(`/item/${id}`))}
    >
      <h3 class="card-title">
        <span class="card-id">#{id}</span> {item.title}
      </h3>
      <span class="card-state" title={state.word}>
        {item.priority === "critical" || item.priority === "high" ? <b class={`card-urgent is-${item.priority}`}>{item.priority}</b> : null}
        {isChosen.value ? <Icon name="tick" label="chosen" /> : null}
        <Icon name={state.icon} label={state.word} />
        <button
          type="button"
          class="card-more"
          tabIndex={-1}
          aria-label={`What can be done with #${id}`}
          onClick={(event) => {
            event.stopPropagation();
            openMenu(id, event.currentTarget);
          }}
        >
          <Icon name="more" />
        </button>
      </span>
      {run ? <p class="card-doing">{run.doing ?? (run.gate ? "running its checks" : "starting")}</p> : null}
      <p class="card-means">
        <Means item={item} run={run} />
      </p>
      {run?.time_limit ? <Limit run={run} limit={run.time_limit} /> : null}
      {still ? <p class={`card-still is-${state.tone}`}>{still}</p> : null}
      {refusal.value ? <p class="card-still is-bad">Refused: {refusal.value}</p> : null}
    </article>
  );
}

function Means({ item, run }: { item: Item; run: LiveRun | null }) {
  const cost = money(item.cost_usd);
  const who = run?.person ?? run?.agent ?? item.watcher;
  return (
    <>
      {item.parent ? <span title={`part of #${item.parent}`}>in #{item.parent}</span> : null}
      {who && !ENDED.has(item.status) ? <span class="card-who">{who}</span> : null}
      {item.rung && item.rungs && !ENDED.has(item.status) ? <Rungs rung={item.rung} rungs={item.rungs} model={item.model} /> : null}
      <Since then={run?.started_at ?? item.since} isRunning={run !== null} isOver={ENDED.has(item.status)} />
      {item.lines_added !== null && item.lines_removed !== null ? (
        <span class="card-lines">
          <span class="is-plus">+{item.lines_added}</span> <span class="is-minus">−{item.lines_removed}</span>
        </span>
      ) : null}
      {item.landed ? <span class="card-commit mono" title={`landed as ${item.landed}`}>{item.landed.slice(0, 7)}</span> : null}
      {cost ? <span class="card-cost">{cost}</span> : null}
    </>
  );
}

function Rungs({ rung, rungs, model }: { rung: number; rungs: number; model: string | null }) {
  const words = `${model ?? "model"}, step ${rung} of ${rungs} on its ladder`;
  return (
    <span class="card-rungs" role="img" aria-label={words} title={words}>
      {Array.from({ length: rungs }, (_, at) => (
        <i key={at} class={at < rung ? "is-filled" : ""} />
      ))}
    </span>
  );
}

/** How long it has stood, or run. */
export function Since({ then, isRunning, isOver }: { then: string | null; isRunning?: boolean; isOver?: boolean }) {
  const words = useComputed(() => `${span(since(then, now.value) ?? 0)}${isOver ? " ago" : ""}`);
  const age = useComputed(() => ageOf(since(then, now.value) ?? 0));
  if (!then) return null;
  return (
    <time class={`since ${isOver ? "" : `is-${age.value}`}`} dateTime={then} title={`${isRunning ? "running" : "so"} since ${new Date(then).toLocaleString()}`}>
      {words}
    </time>
  );
}

/** Time taken against the limit; amber when it has been silent for half of what it may be, red past a limit. */
function Limit({ run, limit }: { run: LiveRun; limit: number }) {
  const part = useComputed(() => Math.min(1, Math.round(((since(run.started_at, now.value) ?? 0) / limit) * 200) / 200));
  const silent = useComputed(() => {
    const quiet = since(run.last_output_at ?? run.started_at, now.value) ?? 0;
    return run.silence_limit && quiet > run.silence_limit / 2 ? Math.floor(quiet / 30) * 30 : 0;
  });
  const isLate = part.value >= 1;
  return (
    <>
      <span class={`card-bar ${isLate ? "is-late" : silent.value ? "is-silent" : ""}`} aria-hidden="true">
        <span style={{ transform: `scaleX(${part.value})` }} />
      </span>
      {isLate || silent.value ? (
        <p class={`card-still ${isLate ? "is-bad" : "is-you"}`}>
          {isLate ? `over its limit of ${span(limit)}` : `silent for ${span(silent.value)}`}
        </p>
      ) : null}
    </>
  );
}
