/** What can be done with all chosen cards: the same commands as by key. */
import { chooseNone, chosen, refused } from "../board/chosen";
import { route } from "../live";
import { keyWords } from "./keys";
import { COMMANDS, forMany } from "./table";
import "./chosen_bar.css";

export function ChosenBar() {
  if (!chosen.value.size || route.value.item) return null;
  return (
    <aside class="chosen-bar" aria-label="Chosen cards">
      <p role="status">
        <b>{chosen.value.size} chosen</b>
        {refused.value.size ? <span class="ink-bad"> {refused.value.size} refused: see the cards</span> : null}
      </p>
      {COMMANDS.filter((command) => forMany.has(command.id) && command.when()).map((command) => (
        <button key={command.id} type="button" class="button" onClick={command.run}>
          {command.words} <kbd>{keyWords(command.keys[0] ?? "")}</kbd>
        </button>
      ))}
      <button type="button" class="button plain" onClick={chooseNone}>
        Choose none <kbd>Esc</kbd>
      </button>
    </aside>
  );
}
