/** The log as readable lines, the newest first, live. */
import { useEffect, useState } from "preact/hooks";
import { EVENT_WORDS } from "../api/event_words";
import { read } from "../api/client";
import type { EventView } from "../api/types";
import { onEvents, seq } from "../live";
import { detailOf } from "./detail";
import "./page.css";

const PAGE = 300;
const MOST = 2_000;

/** Newest first, each once: what was read and what came meanwhile may overlap. */
const joined = (one: EventView[], other: EventView[]): EventView[] =>
  [...new Map([...one, ...other].map((event) => [event.seq, event])).values()].sort((a, b) => b.seq - a.seq).slice(0, MOST);

export function LogPage() {
  const [events, setEvents] = useState<EventView[]>([]);
  const [text, setText] = useState("");
  const older = async (before: number) => {
    const page = await read("log", { after: Math.max(0, before - PAGE - 1), limit: PAGE });
    setEvents((known) => joined(known, page.events.filter((event) => event.seq < before)));
  };
  useEffect(() => {
    const off = onEvents((more) => setEvents((known) => joined(known, more)));
    void older(seq.peek() + 1);
    return off;
  }, []);
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  const lines = events.map((event) => ({ event, words: wordsOf(event) }));
  const found = lines.filter(({ event, words }) => {
    const all = `#${event.item ?? ""} ${event.agent ?? ""} ${event.event} ${words.said} ${words.detail}`.toLowerCase();
    return wanted.every((word) => all.includes(word));
  });
  const first = events.at(-1)?.seq ?? 1;
  return (
    <main class="log">
      <header class="log-head">
        <h1>Log</h1>
        <input class="input" aria-label="Filter the log" placeholder="Filter: #7, an agent, a word" value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </header>
      <ol class="log-lines" aria-label="Events, the newest first">
        {found.map(({ event, words }) => (
          <li key={event.seq} class="log-line">
            <time dateTime={event.timestamp ?? undefined} title={event.timestamp ?? ""}>
              {event.timestamp ? clock(new Date(event.timestamp)) : ""}
            </time>
            {event.item ? <a href={`#/item/${event.item}`}>#{event.item}</a> : <span />}
            <span class="log-who">{event.agent}</span>
            <span class="log-said" title={event.event}>
              {words.said}
              {words.detail ? <span class="quiet"> {words.detail}</span> : null}
            </span>
          </li>
        ))}
      </ol>
      {first > 1 ? (
        <button type="button" class="button" onClick={() => void older(first)}>
          Show older events
        </button>
      ) : null}
    </main>
  );
}

/** With the day, where that is not today. */
function clock(then: Date): string {
  const isToday = then.toDateString() === new Date().toDateString();
  return isToday ? then.toLocaleTimeString() : then.toLocaleString([], { dateStyle: "short", timeStyle: "short" });
}

const wordsOf = (event: EventView) => ({
  said: EVENT_WORDS[event.event] ?? event.event.replaceAll("_", " "),
  detail: detailOf(event.context),
});
