/** What an item says, changed. Sent with the version that was read: who edits over another's change is told. */
import { useEffect, useState } from "preact/hooks";
import { read } from "../api/client";
import type { ItemView } from "../api/types";
import { act } from "../live";
import { Dialog } from "../ui/dialog";
import { Refusal } from "../ui/refusal";
import { type Fields, ItemFields, listed } from "./item_form";
import { close } from "./modal";
import { useSending } from "./sending";

export function EditSheet({ id }: { id: string }) {
  const [item, setItem] = useState<ItemView | null>(null);
  const [fields, set] = useState<Fields | null>(null);
  const { isBusy, problem, send } = useSending();
  useEffect(() => {
    void send(async () => {
      const found = await read("show", { item: id });
      setItem(found);
      const { title, body, priority } = found;
      set({ title, body, priority, files: found.files.join(", "), tags: found.tags.join(", ") });
    });
  }, [id]);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!item || !fields) return;
    const { title, body, priority } = fields;
    const request = { item: id, version: item.version, title, body, priority, files: listed(fields.files), tags: listed(fields.tags) };
    if (await send(() => act("edit", request))) close();
  };
  if (!fields && !problem) return null; // open when there is something to put the focus on
  return (
    <Dialog title={`Edit #${id}`} onClose={close} wide>
      <form class="dialog-body is-inner" onSubmit={submit}>
        {fields ? (
          <>
            <label class="field">
              <span>Title</span>
              <input class="input" autofocus value={fields.title} onInput={(event) => set({ ...fields, title: event.currentTarget.value })} />
            </label>
            <ItemFields fields={fields} set={set} />
          </>
        ) : null}
        <Refusal problem={problem} />
        <footer class="dialog-foot">
          <button class="button main" disabled={!fields?.title.trim() || isBusy}>
            Save
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
