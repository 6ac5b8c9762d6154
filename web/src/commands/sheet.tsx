/** All keys on one sheet. */
import { close } from "../acts/modal";
import { Dialog } from "../ui/dialog";
import { keyWords } from "./keys";
import { type Command, COMMANDS } from "./table";
import "./sheet.css";

const GROUPS: Command["group"][] = ["Cards", "This item", "An open item", "Questions", "Board", "Go"];

export function KeySheet() {
  return (
    <Dialog title="Keys" onClose={close} wide>
      <div class="sheet">
        {GROUPS.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {COMMANDS.filter((command) => command.group === group).map((command) => (
                <div key={command.id} class="sheet-line" data-command={command.id} data-keys={JSON.stringify(command.keys)}>
                  <dt>
                    {command.keys.map((keys) => (
                      <kbd key={keys}>{keyWords(keys)}</kbd>
                    ))}
                  </dt>
                  <dd>{command.words}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
