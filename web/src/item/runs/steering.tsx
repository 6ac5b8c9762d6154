/** Having a say while an agent works: a sentence to it, its end, or the work by one's own hand. */
import { useSignal } from "@preact/signals";
import type { ItemView } from "../../api/types";
import { act, me } from "../../live";
import { useActing } from "../acting";
import { Refusal } from "../../ui/refusal";
import { ENDED } from "../words";

export function Steering({ item, take }: { item: ItemView; take: (item: ItemView) => void }) {
  const words = useSignal("");
  const handing = useSignal(false);
  const acting = useActing();
  const live = item.runs.find((run) => !run.ended_at && !run.gate);
  if (!me.value?.canWrite || ENDED.has(item.status)) return null;
  const waiting = item.said.filter((one) => !one.heard);
  const say = (event: Event) => {
    event.preventDefault();
    const text = words.value.trim();
    if (!text) return;
    void acting.attempt(async () => {
      take(await act("say", { item: item.id, text }));
      words.value = "";
    });
  };
  const end = () => void acting.attempt(async () => {
    take(await act("end_run", { item: item.id, why: words.value.trim() }));
    handing.value = false;
  });
  return (
    <form class="steering" onSubmit={say}>
      <div class="steering-row">
        <input class="entry" type="text" value={words.value} aria-label="Say something to the agent"
          placeholder={live ? `Say something to ${live.agent}` : "Say something to whoever works on it next"}
          onInput={(event) => (words.value = event.currentTarget.value)} />
        <button class="button" disabled={!words.value.trim() || acting.busy.value}>Say it</button>
        <button class="button" type="button" aria-expanded={handing.value} onClick={() => (handing.value = !handing.value)}>
          {live ? "End or take over …" : "Do it yourself …"}
        </button>
      </div>
      {waiting.map((one) => <p class="quiet" key={one.number}>Not heard yet: <span dir="auto">{one.text}</span></p>)}
      {handing.value && (
        <div class="steering-take">
          {live && (
            <p class="steering-end">
              <button class="button" type="button" disabled={acting.busy.value} onClick={end}>End the run</button>
              <span class="quiet">What it made so far is kept, and the next run begins anew in {item.column}.</span>
            </p>
          )}
          <p>To do it yourself, in a terminal on the machine of the board:</p>
          <Command text={`moot take ${item.id}`} />
          <p class="quiet">{live ? "Its run ends, and you" : "No agent begins, and you"} get a clone of the work. There, <code>moot give</code> hands it in and <code>moot give --back</code> gives it back to the agents.</p>
        </div>
      )}
      <Refusal problem={acting.problem.value} />
    </form>
  );
}

function Command({ text }: { text: string }) {
  const copied = useSignal(false);
  const copy = () => void navigator.clipboard.writeText(text).then(() => (copied.value = true), () => (copied.value = false));
  return (
    <span class="command">
      <code>{text}</code>
      <button class="button plain" type="button" onClick={copy}>{copied.value ? "Copied" : "Copy"}</button>
    </span>
  );
}
