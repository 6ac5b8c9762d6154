/** The bar that plays the board's way again: a slider over its steps, and what happened at the one it stands at. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { EVENT_WORDS } from "../api/event_words";
import { Icon } from "../ui/icons";
import { shown } from "./connect";
import { saved } from "./saved";
import "./replay.css";

const LONG = 40; // seconds that the whole way takes, whatever its length
const FRAME = 80; // ms

const plays = signal(false);
const when = (at: string | null | undefined) => (at ? new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" }) : "");
const titleOf = (id: string) => saved.answers.board.items.find((item) => item.id === id)?.title ?? "";

export function Replay() {
  const all = saved.steps.length;
  const step = saved.steps[shown.value - 1];
  const isNow = shown.value >= all;
  useEffect(() => {
    if (!plays.value) return;
    const each = Math.max(1, Math.round((all * FRAME) / (LONG * 1000)));
    const pause = Math.max(FRAME, Math.min(600, (LONG * 1000) / Math.max(1, all)));
    const timer = setInterval(() => {
      shown.value = Math.min(all, shown.value + each);
      if (shown.value >= all) plays.value = false;
    }, pause);
    return () => clearInterval(timer);
  }, [plays.value]);
  const play = () => {
    if (isNow) shown.value = 0;
    plays.value = !plays.value;
  };
  const said = step ? `#${step.item} ${titleOf(step.item)}: ${EVENT_WORDS[step.event] ?? step.event}` : "before the first item";
  return (
    <aside class="replay" aria-label="Replay">
      <button type="button" class="button" onClick={play} disabled={!all}>{plays.value ? "Pause" : "Replay"}</button>
      <input type="range" min={0} max={all} value={shown.value} aria-label="Step" aria-valuetext={isNow ? "as it was saved" : `${when(step?.at)}, ${said}`}
        onInput={(event) => {
          plays.value = false;
          shown.value = Number(event.currentTarget.value);
        }} />
      <p>
        {isNow ? <><Icon name="quest" /> <strong>Saved {when(saved.made_at)}</strong> <span class="quiet">A file: nothing here is live.</span></> : <><strong>{when(step?.at)}</strong> <span>{said}</span></>}
      </p>
      {saved.left_out.map((words) => <p key={words} class="quiet">Not in this file: {words}.</p>)}
    </aside>
  );
}
