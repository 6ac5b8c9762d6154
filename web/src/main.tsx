import "./api/key"; // first: it takes its key from the address before anybody reads that
import { effect } from "@preact/signals";
import { render } from "preact";
import "./ui/base.css";
import { App } from "./app";
import { onKey } from "./commands/keys";
import { link, lookWhoIAm, start } from "./live";
import { tellOfQuestions } from "./live/notify";

/** Who one is can be asked once there is somebody who answers. */
function lookOnce(): void {
  const stop = effect(() => {
    if (link.value.link !== "live") return;
    queueMicrotask(() => stop());
    void lookWhoIAm();
  });
}

const place = document.getElementById("app");
if (place) {
  start();
  lookOnce();
  tellOfQuestions();
  document.addEventListener("keydown", onKey);
  render(<App />, place);
}
