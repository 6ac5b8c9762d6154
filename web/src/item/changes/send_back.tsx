/** All drafts at once: the item goes back, and each comment is a finding that its agent must answer. */
import { useSignal } from "@preact/signals";
import type { ItemView } from "../../api/types";
import { act } from "../../live";
import { useActing } from "../acting";
import { Refusal } from "../../ui/refusal";
import { useCommand } from "../commands";
import { findingOf } from "./drafts";
import type { Review } from "./review";

interface SendBackProps {
  item: ItemView;
  review: Review;
  take: (item: ItemView) => void;
}

export function SendBack({ item, review, take }: SendBackProps) {
  const why = useSignal("");
  const acting = useActing();
  const count = review.drafts.value.length;
  const send = () => {
    const findings = review.drafts.peek().map(findingOf);
    void acting.attempt(async () => take(await act("send_back", { item: item.id, version: item.version, findings, why: why.value.trim() }))).then((done) => done && review.dropAll());
  };
  useCommand("sendBack", send);
  return (
    <div class="send-back">
      <Refusal problem={acting.problem.value} />
      <div class="send-back-row">
        <input class="entry" type="text" value={why.value} aria-label="A word to all of it" placeholder="A word to all of it (not needed)"
          onInput={(event) => (why.value = event.currentTarget.value)} />
        <button class="button main" disabled={acting.busy.value} onClick={send} aria-keyshortcuts="s">
          Send back with {count} {count === 1 ? "comment" : "comments"} <kbd>s</kbd>
        </button>
      </div>
    </div>
  );
}
