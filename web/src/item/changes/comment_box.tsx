/** Where a comment on lines is written, and a draft that waits to be sent. */
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../../ui/icons";
import { type Draft, type Place, placeWords } from "./drafts";
import type { Review } from "./review";

export function CommentBox({ review, place, quote }: { review: Review; place: Place; quote: string }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const must = useSignal(true);
  useLayoutEffect(() => {
    field.current?.focus({ preventScroll: true });
    field.current?.closest(".comment-box")?.scrollIntoView({ block: "nearest" });
  }, []);
  const save = () => review.draft(place, quote, must.value);
  const pressed = (event: KeyboardEvent) => {
    if (event.key === "Escape") review.stop();
    else if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) save();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="comment-box">
      <textarea class="entry" ref={field} rows={3} value={review.words.value} aria-label={`Comment on ${placeWords(place)}`}
        placeholder={`What must change in ${place.to > place.from ? `lines ${place.from} to ${place.to}` : `line ${place.from}`}?`}
        onInput={(event) => review.setWords(event.currentTarget.value)} onKeyDown={pressed} />
      <div class="comment-box-row">
        <label class="comment-must"><input type="checkbox" checked={must.value} onChange={() => (must.value = !must.value)} /> must change</label>
        <span class="quiet comment-keys"><kbd>Ctrl Enter</kbd> keeps it, <kbd>Esc</kbd> leaves it</span>
        <button class="button plain" onClick={review.stop}>Leave it</button>
        <button class="button" disabled={!review.words.value.trim()} onClick={save}>Add comment</button>
      </div>
    </div>
  );
}

export function DraftNote({ draft, drop }: { draft: Draft; drop: () => void }) {
  return (
    <div class="draft">
      <p class="draft-head"><Icon name="talk" /> Your draft, not sent yet{draft.to > draft.from ? `, lines ${draft.from} to ${draft.to}` : ""}
        <button class="button plain draft-drop" onClick={drop} aria-label={`Throw away the comment on ${placeWords(draft)}`}>Throw away</button></p>
      <p class="comment-text" dir="auto">{draft.text}</p>
    </div>
  );
}
