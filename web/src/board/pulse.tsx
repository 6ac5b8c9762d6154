/** One line that says whether anything moves, and what keeps it. */
import { signal, useComputed } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { read } from "../api/client";
import type { Blocked, Card, PauseView, Today, WindowLine } from "../api/types";
import { go, now, seq } from "../live";
import { allCards, isCut, kindOf, order, rest, runs } from "../live/board";
import { Icon } from "../ui/icons";
import { money, since, span } from "../ui/words";
import { open } from "./answering";
import { ENDED } from "./state";
import "./pulse.css";

const LONG = 600; // seconds without any movement that a person should hear of
const PAUSE = 5_000;
const POOL = "pool:";

const today = signal<Today | null>(null);
let asked = 0;

/** Today's sums are the server's. Asked for when something has happened, and not often. */
function useToday(): void {
  useEffect(() => {
    const timer = setTimeout(
      async () => {
        asked = Date.now();
        today.value = await read("today", {}).catch(() => today.peek()); // the line says elsewhere that it is offline
      },
      Math.max(0, asked + PAUSE - Date.now()),
    );
    return () => clearTimeout(timer);
  }, [seq.value]);
}

export function Pulse() {
  useToday();
  const moved = useComputed(() => (order.value, rest.value, movedAt()));
  const still = useComputed(() => {
    const seconds = moved.value ? (now.value - moved.value) / 1000 : 0;
    return seconds > LONG ? Math.floor(seconds / 60) * 60 : 0;
  });
  const isOpen = useComputed(() => (order.value, allCards().some((card) => !ENDED.has(card.status))));
  const next = nextLanding();
  const sums = today.value;
  const cost = sums && (sums.cost_usd === null ? (sums.runs ? "cost unknown" : null) : `${money(sums.cost_usd)}${sums.unpriced ? "+" : ""}`);
  return (
    <div class="pulse" role="status">
      {still.value && isOpen.value ? (
        <b class="pulse-still">
          <Icon name="bad" /> Nothing has moved for {span(still.value)}
        </b>
      ) : null}
      {open.value.length ? null : <span>Nobody waits for you</span>}
      <span class={runs.value.size ? "pulse-work" : ""}>
        {runs.value.size ? <Icon name="work" /> : null} {runs.value.size ? `${runs.value.size} working` : "nobody works"}
      </span>
      {next ? (
        <span>
          next landing{" "}
          <a href={`#/item/${next.id}`} onClick={() => go(`/item/${next.id}`)}>
            #{next.id}
          </a>
        </span>
      ) : null}
      {sums?.landed ? <span>{sums.landed} landed today</span> : null}
      {cost ? (
        <span>
          <a href="#/numbers" onClick={() => go("/numbers")}>
            {cost === "cost unknown" ? "cost of today unknown" : `${cost} today`}
          </a>
        </span>
      ) : null}
      {rest.value?.pauses.map((pause) => (
        <Paused key={pause.what + pause.since} pause={pause} />
      ))}
      {rest.value?.windows.map((window) => (
        <Quota key={window.pool + window.window} window={window} />
      ))}
      {rest.value?.blocked.map((blocked, at) => (
        <Held key={at} blocked={blocked} />
      ))}
    </div>
  );
}

function movedAt(): number {
  const cards = allCards().map((card) => card.updated_at);
  const outputs = [...runs.value.values()].map((run) => run.last_output_at ?? run.started_at);
  return Math.max(0, ...[...cards, ...outputs].filter((one) => one !== null && one !== undefined).map((one) => Date.parse(one)));
}

/** The item that is worked on and farthest on its way. */
function nextLanding(): Card | null {
  const columns = (rest.value?.columns ?? []).filter((name) => kindOf(name) === "flow" && name !== "done");
  const working = order.value && allCards().filter((card) => card.status === "running" || card.status === "proving");
  const far = (card: Card) => columns.indexOf(card.column);
  return working.filter((card) => far(card) >= columns.length - 2).sort((one, other) => far(other) - far(one))[0] ?? null;
}

function Paused({ pause }: { pause: PauseView }) {
  const back = pause.until ? `until ${clock(pause.until)}` : "until somebody resumes it";
  const what = pause.what.startsWith(POOL) ? pause.what.slice(POOL.length) : "The board";
  return (
    <span class="pulse-held">
      <Icon name="pause" /> {what} is paused {back}
      {pause.why ? `: ${pause.why}` : ""}
      {pause.by ? ` (${pause.by})` : ""}
    </span>
  );
}

function Quota({ window }: { window: WindowLine }) {
  const used = window.used === null ? "nearly used up" : `${Math.round(window.used * 100)} % used`;
  return (
    <span class="pulse-held">
      <Icon name="wait" /> {window.pool}: {window.window} quota {used}
      {window.resets_at ? `, back ${clock(window.resets_at)}` : ""}
    </span>
  );
}

function Held({ blocked }: { blocked: Blocked }) {
  const items = `${blocked.items.length}${isCut() ? "+" : ""} queued`;
  if (blocked.why === "paused") return null; // the pause itself is named
  if (blocked.why === "no_run" && runs.value.size) return <span>{items}</span>;
  if (blocked.why === "no_run")
    return (
      <span class="pulse-held">
        {items}, and nobody starts agents: <code>moot run</code>
      </span>
    );
  return (
    <span class="pulse-held">
      {items}: {blocked.reason || blocked.why}
      {blocked.until ? `, until ${clock(blocked.until)}` : ""}
    </span>
  );
}

function clock(then: string): string {
  const isToday = (since(then, Date.now() + 86_400_000) ?? 0) < 2 * 86_400;
  return new Date(then).toLocaleString([], isToday ? { hour: "2-digit", minute: "2-digit" } : { dateStyle: "short", timeStyle: "short" });
}
