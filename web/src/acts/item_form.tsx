/** The fields of an item, for a new one and for one that is edited. */
import type { JSX } from "preact";

export interface Fields {
  title: string;
  body: string;
  priority: string;
  files: string;
  tags: string;
}

const PRIORITIES = ["critical", "high", "medium", "low"];

/** `a.py, b.py` or one in each line. */
export const listed = (text: string): string[] => text.split(/[,\n]/).map((one) => one.trim()).filter(Boolean);

interface Props {
  fields: Fields;
  set: (fields: Fields) => void;
  column?: JSX.Element;
}

export function ItemFields({ fields, set, column }: Props) {
  const text = (name: keyof Fields) => ({
    value: fields[name],
    onInput: (event: { currentTarget: { value: string } }) => set({ ...fields, [name]: event.currentTarget.value }),
  });
  return (
    <>
      <label class="field">
        <span>Details: what is wanted, and how one sees that it is done</span>
        <textarea class="input" rows={5} {...text("body")} />
      </label>
      <div class="fields">
        {column}
        <label class="field">
          <span>Priority</span>
          <select class="input" value={fields.priority} onChange={(event) => set({ ...fields, priority: event.currentTarget.value })}>
            {PRIORITIES.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>Files it may change, with commas</span>
          <input class="input mono" {...text("files")} />
        </label>
        <label class="field">
          <span>Tags, with commas</span>
          <input class="input" {...text("tags")} />
        </label>
      </div>
    </>
  );
}
