/** The way of an item: a timeline, the same as a list, and a slider back in time. */
import { useSignal } from "@preact/signals";
import type { EventView, ItemView } from "../../api/types";
import { go, now } from "../../live";
import { keep, kept } from "../memory";
import { wantedRun } from "../runs/wanted";
import { entriesOf, StoryList } from "./list";
import { Past } from "./past";
import { storyOf } from "./rows";
import "./story.css";
import { Legend, Timeline } from "./timeline";

const HOUR = 3_600_000;
const SPANS = { whole: null, "last day": 24 * HOUR, "last hour": HOUR } as const;
type Span = keyof typeof SPANS;

export function Story({ item, events }: { item: ItemView; events: EventView[] }) {
  const zoom = useSignal<Span>("whole");
  const detailed = useSignal(kept("", "detailed", item.runs.length <= 12));
  const at = useSignal<number | null>(null);
  const story = storyOf(item, events, now.value);
  const looked = at.value === null ? null : Date.parse(events[Math.min(at.value, events.length - 1)]?.timestamp ?? "");
  const open = (run: string) => {
    wantedRun.value = run;
    go(`/item/${encodeURIComponent(item.id)}/runs`);
  };
  const length = SPANS[zoom.value];
  const from = length === null ? story.from : Math.max(story.from, story.to - length);
  const to = Math.max(story.to, from + 1000);
  const switchDetail = (value: boolean) => keep("", "detailed", (detailed.value = value));
  if (!story.bars.length && !story.asked.length && events.length < 2)
    return <p class="drawer-empty">Nothing has happened to it yet. Its story begins with its first run.</p>;
  return (
    <div class="story">
      <div class="story-tools">
        <div class="choice" role="group" aria-label="How much of its time">
          {(Object.keys(SPANS) as Span[]).map((one) => (
            <button key={one} class="choice-one" aria-pressed={zoom.value === one} onClick={() => (zoom.value = one)}>{one}</button>
          ))}
        </div>
        <div class="choice" role="group" aria-label="How many rows">
          <button class="choice-one" aria-pressed={!detailed.value} onClick={() => switchDetail(false)}>compact</button>
          <button class="choice-one" aria-pressed={detailed.value} onClick={() => switchDetail(true)}>detailed</button>
        </div>
        <Legend />
      </div>
      <Timeline story={story} from={from} to={to} detailed={detailed.value} cursor={looked} open={open} />
      <Past item={item} events={events} at={at} />
      <StoryList entries={entriesOf(item, story, events)} until={looked === null ? Infinity : looked + 2} open={open} />
    </div>
  );
}
