/** Bars on one axis of time. Colour is the outcome and an icon says the same; what waits is hatched. */
import type { ComponentChildren } from "preact";
import { Icon } from "../../ui/icons";
import { cause, clockTime, dayTime, lasted, nameOfTone, type Standing } from "../words";
import { type Asked, type Bar, nameOf, type Quarrel, rowsOf, type StoryView } from "./rows";
import { type Scale as Axis, scaleOf } from "./scale";

interface TimelineProps {
  story: StoryView;
  from: number;
  to: number;
  detailed: boolean;
  /** The moment that is looked at; null: now. */
  cursor: number | null;
  open: (run: string) => void;
}

const DAY = 86_400_000;

export function Timeline({ story, from, to, detailed, cursor, open }: TimelineProps) {
  const axis = scaleOf(story, from, to);
  const { place } = axis;
  const scale = { ...axis, cursor: cursor ?? Infinity };
  const minutes = axis.ticks.map((at) => clockTime(at));
  const tell = to - from > DAY ? dayTime : (at: number) => clockTime(at, new Set(minutes).size < minutes.length);
  return (
    <div class="timeline" role="group" aria-label="Runs and gates on one axis of time">
      <div class="timeline-axis" aria-hidden="true">
        {axis.breaks.map((gap) => (
          <span class="timeline-break" key={gap.from} title={`${lasted(gap.to - gap.from)} without a run, drawn short`}
            style={{ left: `${place(gap.from)}%`, width: `${place(gap.to) - place(gap.from)}%` }} />
        ))}
        {axis.ticks.map((at, number) => (
          <span class={number % 2 ? "timeline-tick timeline-tick-between" : "timeline-tick"} key={at} style={{ left: `${place(at)}%` }}>{tell(at)}</span>
        ))}
      </div>
      {rowsOf(story.bars, detailed).map((row) => (
        <Lane key={row.key} name={row.name} sort={row.gate ? "gate" : "agent"} note={detailed ? `${row.bars[0]!.attempt}` : ""}>
          {row.bars.map((bar) => <RunBar key={bar.run.run} bar={bar} scale={scale} open={open} />)}
        </Lane>
      ))}
      {story.asked.length > 0 && (
        <Lane name="you" sort="person">
          {story.asked.map((asked) => <Question key={asked.id} asked={asked} scale={scale} />)}
        </Lane>
      )}
      {story.quarrels.map((quarrel) => (
        <Lane key={quarrel.thread} name="dispute" sort="talk">
          <Replies quarrel={quarrel} scale={scale} />
        </Lane>
      ))}
      {story.waits && !story.waits.forPerson && (
        <Lane name="now" sort="wait">
          <Stretch from={story.waits.from} to={null} scale={scale} sort="timeline-wait" label={`waits since ${clockTime(story.waits.from)}`} />
        </Lane>
      )}
      <div class="timeline-over" aria-hidden="true">
        {story.landedAt !== null && inside(story.landedAt, scale) && (
          <span class="timeline-landed" style={{ left: `${place(story.landedAt)}%` }} />
        )}
        {cursor !== null && inside(cursor, scale) && <span class="timeline-cursor" style={{ left: `${place(cursor)}%` }} />}
      </div>
    </div>
  );
}

interface Scale extends Axis {
  cursor: number;
}

const inside = (at: number, { from, to }: Scale) => at >= from && at <= to;

function Lane({ name, sort, note, children }: { name: string; sort: string; note?: string; children: ComponentChildren }) {
  return (
    <div class={`lane lane-${sort}`}>
      <span class="lane-name" title={name}><span class="lane-word">{name}</span>{note && <span class="lane-note">{note}</span>}</span>
      <div class="lane-track">{children}</div>
    </div>
  );
}

/** A part of a lane, as far as the axis shows it. */
function Stretch({ from, to, scale, sort, label }: { from: number; to: number | null; scale: Scale; sort: string; label: string }) {
  const begin = Math.max(from, scale.from);
  const end = Math.min(to ?? scale.to, scale.to);
  if (end <= begin || from > scale.cursor) return null;
  const left = scale.place(begin);
  return <span class={sort} role="img" aria-label={label} title={label} style={{ left: `${left}%`, width: `${scale.place(end) - left}%` }} />;
}

const AT_WORK: Standing = { words: "at work", tone: "work", icon: "dot" };

function RunBar({ bar, scale, open }: { bar: Bar; scale: Scale; open: (run: string) => void }) {
  const end = Math.min(bar.to ?? scale.to, scale.cursor);
  if (end < scale.from || bar.from > scale.to || bar.from > scale.cursor) return null;
  // Looked at from before its end, it was at work.
  const isLive = bar.to === null || bar.to > scale.cursor;
  const standing = isLive ? AT_WORK : bar.standing;
  const left = scale.place(Math.max(bar.from, scale.from));
  const width = scale.place(Math.min(end, scale.to)) - left;
  const words = [
    `${nameOf(bar.run)} ${bar.attempt}: ${standing.words}`, isLive ? null : cause(bar.run),
    `${lasted(end - bar.from)} at work after ${lasted(bar.from - bar.waitFrom)} of waiting`,
  ].filter(Boolean).join(", ");
  const wait = bar.waitedFor === "person" ? "timeline-wait timeline-wait-you" : "timeline-wait";
  return (
    <>
      <Stretch from={bar.waitFrom} to={bar.from} scale={scale} sort={wait}
        label={`${bar.waitedFor === "person" ? "waited for you" : "waited"} ${lasted(bar.from - bar.waitFrom)}`} />
      <button class={`bar tone-${standing.tone} ${isLive ? "bar-live" : ""}`} title={words} aria-label={words}
        style={{ left: `min(${left}%, 100% - 1.75rem)`, width: `max(1.75rem, ${width}%)` }} onClick={() => open(bar.run.run)}>
        <Icon name={standing.icon} />
        <span class="bar-attempt">{bar.attempt}</span>
      </button>
    </>
  );
}

function Question({ asked, scale }: { asked: Asked; scale: Scale }) {
  const isOpen = asked.to === null || asked.to > scale.cursor;
  const end = Math.min(asked.to ?? scale.to, scale.cursor);
  if (end < scale.from || asked.from > scale.to || asked.from > scale.cursor) return null;
  const left = scale.place(Math.max(asked.from, scale.from));
  const took = lasted(end - asked.from);
  const words = isOpen ? `${asked.question} Asked ${took} ago, not answered` : `${asked.question} Answered after ${took}: ${asked.answer ?? "nothing"}`;
  return (
    <span class={`asked ${isOpen ? "asked-open" : ""}`} role="img" aria-label={words} title={words}
      style={{ left: `min(${left}%, 100% - 1.3rem)`, width: `max(1.3rem, ${scale.place(Math.min(end, scale.to)) - left}%)` }}>
      <Icon name="you" />
      <span class="asked-took">{took}</span>
      {!isOpen && <Icon name="tick" />}
    </span>
  );
}

/** Who spoke first above the line, who answered below it; what answers what is joined. */
function Replies({ quarrel, scale }: { quarrel: Quarrel; scale: Scale }) {
  const shown = quarrel.replies.filter((reply) => inside(reply.at, scale) && reply.at <= scale.cursor);
  const first = shown[0];
  const last = shown.at(-1);
  return (
    <>
      {first && last && last !== first && (
        <span class="replies-line" style={{ left: `${scale.place(first.at)}%`, width: `${scale.place(last.at) - scale.place(first.at)}%` }} />
      )}
      {shown.map((reply, at) => {
        const words = `round ${Math.floor(at / 2) + 1}, ${reply.comment.author}: ${reply.comment.content}`;
        return (
          <span key={reply.comment.id} class={`reply reply-${reply.side}`} role="img" aria-label={words} title={words}
            style={{ left: `${scale.place(reply.at)}%` }}>{at + 1}</span>
        );
      })}
    </>
  );
}

export function Legend() {
  return (
    <p class="legend" aria-hidden="true">
      {(["work", "good", "bad", "you", "talk"] as const).map((tone) => (
        <span key={tone} class="legend-entry"><span class={`legend-mark tone-${tone}`} />{nameOfTone(tone)}</span>
      ))}
      <span class="legend-entry"><span class="legend-mark timeline-wait" />waiting</span>
    </p>
  );
}
