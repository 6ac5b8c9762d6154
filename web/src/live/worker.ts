/** Runs once for all tabs: a browser opens six connections to a server at most, and a stream in each tab would take them. */
import { type Message, Source } from "./source";

declare const self: SharedWorkerGlobalScope;

export type Said = "wake" | "more" | "lost" | "seen" | "unseen" | "bye";

const ports = new Map<MessagePort, boolean>(); // whether anybody sees that tab
const tell = (message: Message) => ports.forEach((_seen, port) => port.postMessage(message));
const source = new Source(tell, () => [...ports.values()].some(Boolean));

self.onconnect = (event) => {
  const port = event.ports[0];
  if (!port) return;
  port.onmessage = ({ data }: MessageEvent<Said>) => {
    if (data === "bye") ports.delete(port);
    else if (data === "lost") source.lost();
    else if (data === "more") source.more();
    else if (data === "unseen") ports.set(port, false);
    else {
      ports.set(port, true);
      source.wake();
    }
  };
  ports.set(port, true);
  source.greeting().forEach((message) => port.postMessage(message));
  source.wake();
};
