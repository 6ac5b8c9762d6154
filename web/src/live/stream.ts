/** The server's events as they come. By `fetch` and not by EventSource: that hides the status of a refusal, and wants
 *  every event's name beforehand, so that a page older than its server would miss the new ones. */
import type { EventView } from "../api/types";

export interface Heard {
  opened(): void;
  event(event: EventView): void;
  /** A sign of life, and the number of the last event there is. */
  alive(last: number): void;
  reset(): void;
}

/** Until the stream ends, whoever ends it. `after` null: from now on. Throws what `fetch` throws. */
export async function listen(after: number | null, heard: Heard, stop: AbortSignal): Promise<number> {
  const headers: Record<string, string> = after === null ? {} : { "Last-Event-ID": String(after) };
  const response = await fetch("/v1/events", { credentials: "same-origin", cache: "no-store", headers, signal: stop });
  if (!response.ok || !response.body) return response.status;
  heard.opened();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return response.status;
    const frames = (rest + value).split("\n\n");
    rest = frames.pop() ?? "";
    frames.forEach((frame) => tell(frame, heard));
  }
}

function tell(frame: string, heard: Heard): void {
  const lines = frame.split("\n");
  const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const data = field("data");
  if (data === undefined) return;
  const name = field("event");
  if (name === "reset") heard.reset();
  else if (name === "alive") heard.alive((JSON.parse(data) as { last: number }).last);
  else heard.event(JSON.parse(data) as EventView);
}
