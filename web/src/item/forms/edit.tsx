/** What the item says, to be changed. Only what was changed is sent. */
import { useSignal } from "@preact/signals";
import type { Edit, ItemView } from "../../api/types";
import { act } from "../../live";
import { useActing } from "../acting";
import { Refusal } from "../../ui/refusal";
import type { FormProps } from "./forms";

const PRIORITIES: ItemView["priority"][] = ["critical", "high", "medium", "low"];

interface Fields {
  title: string;
  body: string;
  priority: string;
  tags: string;
  files: string;
  after: string;
}

function fieldsOf(item: ItemView): Fields {
  const { title, body, priority } = item;
  return { title, body, priority, tags: item.tags.join(", "), files: item.files.join("\n"), after: item.after.join(", ") };
}

const listed = (text: string) => text.split(/[,\n]/).map((one) => one.trim().replace(/^#(?=\d+$)/, "")).filter(Boolean);

/** Against what stood there when the form was opened: what others changed meanwhile is not put back. */
function changed(before: Fields, after: Fields): Partial<Edit> {
  const found: Partial<Edit> = {};
  if (after.title !== before.title) found.title = after.title;
  if (after.body !== before.body) found.body = after.body;
  if (after.priority !== before.priority) found.priority = after.priority;
  if (after.tags !== before.tags) found.tags = listed(after.tags);
  if (after.files !== before.files) found.files = listed(after.files);
  if (after.after !== before.after) found.after = listed(after.after);
  return found;
}

export function EditForm({ item, take, done }: FormProps & { done: () => void }) {
  const before = useSignal(fieldsOf(item));
  const fields = useSignal(before.peek());
  const acting = useActing();
  const set = (name: keyof Fields) => (event: { currentTarget: { value: string } }) => (fields.value = { ...fields.value, [name]: event.currentTarget.value });
  const send = (event: Event) => {
    event.preventDefault();
    const asked = { item: item.id, version: item.version, ...changed(before.value, fields.value) };
    void acting.attempt(async () => take(await act("edit", asked))).then((ok) => ok && done());
  };
  const { title, body, priority, tags, files, after } = fields.value;
  const nothing = Object.keys(changed(before.value, fields.value)).length === 0;
  return (
    <form class="form" onSubmit={send}>
      <label class="form-field">Title <input class="entry" value={title} required onInput={set("title")} /></label>
      <label class="form-field">What is wanted <textarea class="entry" rows={6} value={body} onInput={set("body")} /></label>
      <div class="form-row">
        <label class="form-field">Priority
          <select class="entry" value={priority} onChange={set("priority")}>{PRIORITIES.map((one) => <option key={one} value={one}>{one}</option>)}</select>
        </label>
        <label class="form-field">Tags <input class="entry" value={tags} placeholder="api, urgent" onInput={set("tags")} /></label>
        <label class="form-field">After items <input class="entry" value={after} placeholder="4, 7" onInput={set("after")} /></label>
      </div>
      <label class="form-field">Files, one a line <textarea class="entry mono" rows={3} value={files} onInput={set("files")} /></label>
      <p><button class="button" disabled={nothing || acting.busy.value}>Save</button></p>
      <Refusal problem={acting.problem.value} />
    </form>
  );
}
