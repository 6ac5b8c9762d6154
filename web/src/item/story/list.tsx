/** The same story to be read from top to bottom. */
import type { EventView, ItemView } from "../../api/types";
import { Icon } from "../../ui/icons";
import { cause, clockTime, dayTime, type IconName, lasted, type Tone } from "../words";
import { nameOf, type StoryView } from "./rows";

export interface Entry {
  key: string;
  at: number;
  icon: IconName;
  tone: Tone;
  who: string;
  words: string;
  /** The column to which it went by it. */
  to?: string;
  /** What was said with it. */
  said: string;
  run: string | null;
}

const text = (value: unknown) => (typeof value === "string" ? value : "");

const MOVES = new Set(["phase_completed", "item_moved"]);

/** Events that are no part of a run's own row, in words. Others say what rows and marks say already. */
function told(event: EventView): Pick<Entry, "icon" | "tone" | "words" | "said"> | null {
  const { context } = event;
  switch (event.event) {
    case "item_added": return { icon: "dot", tone: "wait", words: `added it to ${text(context["column"])}`, said: "" };
    case "phase_completed":
    case "item_moved":
      if (event.run) return null; // told with the run that moved it
      return { icon: "split", tone: "wait", words: `moved it from ${text(context["from"])} to ${text(context["to"])}`, said: text(context["why"]) };
    case "item_edited": return { icon: "dot", tone: "wait", words: "edited it", said: "" };
    case "item_parked": return { icon: "pause", tone: "wait", words: "parked it", said: text(context["why"]) };
    case "item_cancelled": return { icon: "stop", tone: "wait", words: "cancelled it", said: text(context["why"]) };
    case "item_reopened": return { icon: "back", tone: "work", words: "took it up again", said: text(context["why"]) };
    case "item_failed": return { icon: "cross", tone: "bad", words: "it failed", said: text(context["why"]) };
    case "dispute_settled": return { icon: "talk", tone: "talk", words: "the dispute is settled", said: text(context["why"]) };
    case "landing_failed": return { icon: "cross", tone: "bad", words: "it could not land", said: text(context["why"]) };
    case "work_landed": return { icon: "flag", tone: "good", words: `landed on ${text(context["target"]) || "the branch"}`, said: "" };
    case "sentence_said": return { icon: "talk", tone: "you", words: "said to the agent", said: text(context["text"]) };
    default: return null;
  }
}

export function entriesOf(item: ItemView, story: StoryView, events: EventView[]): Entry[] {
  const found: Entry[] = [];
  const moved = new Map(events.filter((event) => event.run && MOVES.has(event.event)).map((event) => [event.run, text(event.context["to"])]));
  for (const bar of story.bars) {
    const why = cause(bar.run);
    const took = bar.to === null ? "" : `, ${lasted(bar.to - bar.from)}`;
    found.push({
      key: bar.run.run, at: bar.to ?? bar.from, icon: bar.standing.icon, tone: bar.standing.tone, run: bar.run.run,
      who: `${nameOf(bar.run)}${bar.attempt > 1 ? ` (${bar.attempt})` : ""}`,
      words: `${bar.standing.words}${why ? `: ${why}` : ""}${took}`,
      to: moved.get(bar.run.run) ?? "",
      said: bar.run.gate ? gateWords(item, bar.run.run) : (bar.run.report?.summary ?? ""),
    });
  }
  for (const asked of story.asked) {
    if (asked.to === null) found.push({ key: `${asked.id} open`, at: asked.from, icon: "you", tone: "you", who: "you", words: "are asked", said: asked.question, run: null });
    else found.push({ key: asked.id, at: asked.to, icon: "you", tone: "you", who: asked.by ?? "nobody", words: `answered after ${lasted(asked.to - asked.from)}`, said: `${asked.question} ${asked.answer ?? ""}`, run: null });
  }
  for (const quarrel of story.quarrels)
    quarrel.replies.forEach(({ comment, at }, place) => found.push({
      key: comment.id, at: at + 1, icon: "talk", tone: "talk", who: comment.author, run: null,
      words: place ? `replied, round ${Math.floor(place / 2) + 1}` : `disagrees about ${quarrel.about}`, said: comment.content,
    }));
  for (const event of events) {
    const entry = told(event);
    if (entry) found.push({ ...entry, key: `event ${event.seq}`, at: Date.parse(event.timestamp ?? "") + 2, who: event.agent ?? "", run: null });
  }
  return found.sort((a, b) => a.at - b.at);
}

function gateWords(item: ItemView, run: string): string {
  const proof = Array.isArray(item.evidence) ? item.evidence.find((one) => one.run === run) : undefined;
  return proof?.evidence ? lastLine(proof.evidence.output) || `exit ${proof.evidence.exit_code ?? "unknown"}` : "";
}

const lastLine = (output: string | undefined) => (output ?? "").trimEnd().split("\n").at(-1) ?? "";

export function StoryList({ entries, until, open }: { entries: Entry[]; until: number; open: (run: string) => void }) {
  const isLong = entries.length > 0 && entries.at(-1)!.at - entries[0]!.at > 86_400_000;
  return (
    <ol class="story-list">
      {entries.filter((entry) => entry.at <= until).map((entry) => (
        <li key={entry.key} class="story-entry">
          <time class="story-time">{isLong ? dayTime(entry.at) : clockTime(entry.at, true)}</time>
          <span class={`story-mark ink-${entry.tone}`}><Icon name={entry.icon} /></span>
          <span class="story-words">
            {entry.run ? <button class="story-who" onClick={() => open(entry.run!)}>{entry.who}</button> : <b>{entry.who}</b>} {entry.words}
            {entry.to && <span class="quiet"> → {entry.to}</span>}
            {entry.said && <span class="story-said" dir="auto">{entry.said}</span>}
          </span>
        </li>
      ))}
    </ol>
  );
}
