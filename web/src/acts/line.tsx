/** An act that takes one text: a comment, a reason, a word to an agent. */
import { useState } from "preact/hooks";
import { Dialog } from "../ui/dialog";
import { Refusal } from "../ui/refusal";
import { close, type Line } from "./modal";
import { useSending } from "./sending";

export function LineSheet({ line }: { line: Line }) {
  const [text, setText] = useState("");
  const { isBusy, problem, send } = useSending();
  const submit = async (event: Event) => {
    event.preventDefault();
    if (await send(() => line.run(text.trim()))) close();
  };
  return (
    <Dialog title={line.title} onClose={close}>
      <form onSubmit={submit} class="dialog-body is-inner">
        <label class="field">
          <span>{line.label}</span>
          <textarea
            class="input"
            autofocus
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && !event.shiftKey) {
                event.preventDefault();
                if (!line.isNeeded || text.trim()) void submit(event);
              }
            }}
          />
        </label>
        <Refusal problem={problem} />
        <footer class="dialog-foot">
          <span class="quiet">Shift-Enter: a new line</span>
          <button class="button main" disabled={isBusy || (line.isNeeded && !text.trim())}>
            {line.button}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
