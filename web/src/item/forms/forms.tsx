/** What a person may change of the item. Last, and folded: one comes here to see how it stands. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { ItemView } from "../../api/types";
import { act, me } from "../../live";
import { useActing } from "../acting";
import { Refusal } from "../../ui/refusal";
import { ENDED } from "../words";
import { EditForm } from "./edit";
import "./forms.css";
import { MoveForm } from "./move";

export interface FormProps {
  item: ItemView;
  take: (item: ItemView) => void;
}

export function Forms({ item, take }: FormProps) {
  const isOver = ENDED.has(item.status);
  return (
    <footer class="forms">
      <section class="forms-told">
        <h3>What is wanted</h3>
        {item.body ? <p class="forms-body" dir="auto">{item.body}</p> : <p class="quiet">It has no text beside its title.</p>}
        {item.files.length > 0 && <p class="forms-files"><span class="quiet">its files</span> {item.files.map((file) => <code key={file}>{file}</code>)}</p>}
      </section>
      {me.value?.canWrite && (
        <>
          {!isOver && <Folded name="edit" title="Edit">{(done) => <EditForm item={item} take={take} done={done} />}</Folded>}
          {!isOver && <Folded name="move" title="Move">{(done) => <MoveForm item={item} take={take} done={done} />}</Folded>}
          {!isOver && <Folded name="cancel" title="Cancel">{() => <WhyForm item={item} take={take} call="cancel" button="Cancel the item" tells="Its runs end, and its work does not land." />}</Folded>}
          {isOver && <Folded name="reopen" title="Take it up again">{() => <WhyForm item={item} take={take} call="reopen" button="Take it up again" tells="It goes on where it stood." />}</Folded>}
        </>
      )}
    </footer>
  );
}

/** What is in it is made when it is opened, and stays while it is. */
function Folded({ name, title, children }: { name: string; title: string; children: (done: () => void) => ComponentChildren }) {
  const isOpen = useSignal(false);
  const frame = useRef<HTMLDetailsElement>(null);
  const done = () => frame.current && (frame.current.open = false);
  return (
    <details class="folded" id={`item-form-${name}`} ref={frame} onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen.value && children(done)}
    </details>
  );
}

interface WhyProps extends FormProps {
  call: "cancel" | "reopen";
  button: string;
  tells: string;
}

function WhyForm({ item, take, call, button, tells }: WhyProps) {
  const why = useSignal("");
  const acting = useActing();
  const send = (event: Event) => {
    event.preventDefault();
    void acting.attempt(async () => take(await act(call, { item: item.id, version: item.version, why: why.value.trim() })));
  };
  return (
    <form class="form" onSubmit={send}>
      <p class="quiet">{tells}</p>
      <label class="form-field">Why (not needed)
        <input class="entry" type="text" value={why.value} onInput={(event) => (why.value = event.currentTarget.value)} />
      </label>
      <p><button class="button" disabled={acting.busy.value}>{button}</button></p>
      <Refusal problem={acting.problem.value} />
    </form>
  );
}
