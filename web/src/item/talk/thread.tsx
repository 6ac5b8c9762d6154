/** A thread: what was said, whether it is settled, and the next word. */
import { useSignal } from "@preact/signals";
import type { CommentView, ItemView } from "../../api/types";
import { act, me } from "../../live";
import { Refusal } from "../../ui/refusal";
import { useActing } from "../acting";
import { Icon } from "../../ui/icons";
import { dayTime } from "../words";

export function Thread({ item, thread, take }: { item: ItemView; thread: CommentView; take: (item: ItemView) => void }) {
  const replies = item.comments.filter((comment) => comment.parent === thread.id);
  return (
    <section class="thread" aria-label={`Thread ${thread.id}`}>
      <p class="thread-about">
        <Icon name="talk" /> {thread.artifact ? <span class="mono">{thread.artifact}</span> : "the item"}
        {thread.target && <span class="quiet"> at {thread.target}</span>}
        <Resolved thread={thread} />
      </p>
      {[thread, ...replies].map((comment) => <Comment key={comment.id} comment={comment} />)}
      <Replying item={item} thread={thread} take={take} />
    </section>
  );
}

export function Comment({ comment }: { comment: CommentView }) {
  return (
    <div class={comment.parent ? "comment comment-reply" : "comment"}>
      <p class="comment-who"><b>{comment.author}</b> {comment.timestamp && <span class="quiet">{dayTime(Date.parse(comment.timestamp))} · {comment.id}</span>}</p>
      <p class="comment-text" dir="auto">{comment.content}</p>
    </div>
  );
}

export function Resolved({ thread }: { thread: CommentView }) {
  const settled = thread.status === "resolved";
  const words = settled ? (thread.resolution ?? "resolved") : "open";
  return <span class={`badge tone-${settled ? "good" : "talk"} thread-state`}><Icon name={settled ? "tick" : "dot"} /> {words}</span>;
}

/** A reply; with a resolution it closes the thread. */
export function Replying({ item, thread, take }: { item: ItemView; thread: CommentView; take: (item: ItemView) => void }) {
  if (!me.value?.canWrite || thread.status === "resolved") return null;
  const send = async (content: string, resolution?: string) =>
    take(await act("comment", { item: item.id, parent: thread.id, content, ...(resolution ? { resolution } : {}) }));
  return <Say label={`Reply to ${thread.id}`} button="Reply" send={send} resolves />;
}

export interface SayProps {
  label: string;
  button: string;
  send: (content: string, resolution?: string) => Promise<void>;
  resolves?: boolean;
}

export function Say({ label, button, send, resolves }: SayProps) {
  const words = useSignal("");
  const acting = useActing();
  const attempt = (resolution?: string) => {
    const content = words.value.trim();
    if (content) void acting.attempt(() => send(content, resolution)).then((done) => done && (words.value = ""));
  };
  const off = !words.value.trim() || acting.busy.value;
  const submit = (event: Event) => {
    event.preventDefault();
    attempt();
  };
  return (
    <form class="say" onSubmit={submit}>
      <textarea class="entry" rows={resolves ? 1 : 2} aria-label={label} placeholder={label} value={words.value}
        onInput={(event) => (words.value = event.currentTarget.value)} />
      <div class="say-send">
        <button class="button" disabled={off}>{button}</button>
        {resolves && <button class="button" type="button" disabled={off} onClick={() => attempt("accepted")}>Reply and accept</button>}
        {resolves && <button class="button" type="button" disabled={off} onClick={() => attempt("rejected")}>Reply and reject</button>}
      </div>
      <Refusal problem={acting.problem.value} />
    </form>
  );
}
