/** This tab's end of the stream. */
import { type Message, Source } from "./source";
import type { Said } from "./worker";

const PROTOCOL = "folkmoot-2"; // another word for other messages: an old worker may still serve old tabs

/** The answer asks for more of each column than is shown. */
export function connect(take: (message: Message) => void): () => void {
  const say = typeof SharedWorker === "undefined" ? alone(take) : shared(take);
  window.addEventListener("online", () => say("wake"));
  window.addEventListener("offline", () => say("lost"));
  window.addEventListener("pagehide", () => say("bye"));
  window.addEventListener("pageshow", (event) => event.persisted && location.reload());
  document.addEventListener("visibilitychange", () => say(document.hidden ? "unseen" : "seen"));
  return () => say("more");
}

function shared(take: (message: Message) => void): (said: Said) => void {
  const worker = new SharedWorker(new URL("./worker.ts", import.meta.url), { type: "module", name: PROTOCOL });
  worker.port.onmessage = ({ data }: MessageEvent<Message>) => take(data);
  return (said) => worker.port.postMessage(said);
}

function alone(take: (message: Message) => void): (said: Said) => void {
  const source = new Source(take, () => !document.hidden);
  return (said) => {
    if (said === "lost") source.lost();
    else if (said === "more") source.more();
    else if (said !== "unseen" && said !== "bye") source.wake();
  };
}
