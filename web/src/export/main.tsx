/** The same page as the server's, fed from the file it stands in. */
import { render } from "preact";
import "../ui/base.css";
import { App } from "../app";
import { onKey } from "../commands/keys";
import { go, lookWhoIAm, start } from "../live";
import { Replay } from "./replay";
import { saved } from "./saved";

const place = document.getElementById("app");
if (place) {
  start();
  void lookWhoIAm();
  document.addEventListener("keydown", onKey);
  if (saved.item && !location.hash) go(`/item/${saved.item}`);
  render(
    <>
      <App />
      <Replay />
    </>,
    place,
  );
}
