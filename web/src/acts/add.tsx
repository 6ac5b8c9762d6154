/** New items: one with its details, or many at once, one in each line. */
import { useState } from "preact/hooks";
import { act } from "../live";
import { rest } from "../live/board";
import { select } from "../board/select";
import { columnWords } from "../board/state";
import { Dialog } from "../ui/dialog";
import { Refusal } from "../ui/refusal";
import { type Fields, ItemFields, listed } from "./item_form";
import { close } from "./modal";
import { useSending } from "./sending";

const EMPTY: Fields = { title: "", body: "", priority: "medium", files: "", tags: "" };

export function AddSheet() {
  const [fields, set] = useState(EMPTY);
  const [column, setColumn] = useState("");
  const [left, setLeft] = useState<number | null>(null);
  const { isBusy, problem, send } = useSending();
  const titles = fields.title.split("\n").map((one) => one.trim()).filter(Boolean);
  const submit = async (event: Event) => {
    event.preventDefault();
    const rest = [...titles];
    const isDone = await send(async () => {
      while (rest[0] !== undefined) {
        setLeft(rest.length);
        const added = await act("add", {
          title: rest[0],
          body: fields.body,
          priority: fields.priority,
          files: listed(fields.files),
          tags: listed(fields.tags),
          ...(column ? { column } : {}),
        });
        rest.shift();
        if (!rest.length) setTimeout(() => select(added.id), 400);
      }
    });
    setLeft(null);
    if (isDone) close();
    else set({ ...fields, title: rest.join("\n") }); // what was added is not added again
  };
  return (
    <Dialog title="New item" onClose={close} wide>
      <form class="dialog-body is-inner" onSubmit={submit}>
        <label class="field">
          <span>Title; several lines make several items</span>
          <textarea
            class="input add-title"
            rows={1}
            autofocus
            value={fields.title}
            onInput={(event) => set({ ...fields, title: event.currentTarget.value })}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void submit(event);
            }}
          />
        </label>
        <ItemFields
          fields={fields}
          set={set}
          column={
            <label class="field">
              <span>Column</span>
              <select class="input" value={column} onChange={(event) => setColumn(event.currentTarget.value)}>
                <option value="">{columnWords(rest.value?.start ?? "start")} (where items begin)</option>
                {(rest.value?.columns ?? []).map((name) => (
                  <option key={name} value={name}>
                    {columnWords(name)}
                  </option>
                ))}
              </select>
            </label>
          }
        />
        <Refusal problem={problem} />
        <footer class="dialog-foot">
          <kbd>Ctrl-Enter</kbd>
          <button class="button main" disabled={!titles.length || isBusy}>
            {left ? `${left} to go` : titles.length > 1 ? `Add ${titles.length} items` : "Add"}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
