/** A quarrel of two agents: both sides beside each other, a row for each round, and who has the next word. */
import type { CommentView, EventView, ItemView } from "../../api/types";
import { Icon } from "../../ui/icons";
import { dayTime } from "../words";
import { Replying, Resolved } from "./thread";

export interface DisputeView {
  thread: CommentView;
  left: string;
  right: string;
  rounds: { left: CommentView[]; right: CommentView[] }[];
}

export function disputesOf(item: ItemView, events: EventView[]): DisputeView[] {
  const opened = new Map(events.filter((event) => event.event === "dispute_opened").map((event) => [String(event.context["thread"]), event]));
  return item.comments.filter((comment) => opened.has(comment.id)).map((thread) => {
    const said = item.comments.filter((comment) => comment.id === thread.id || comment.parent === thread.id);
    const right = said.find((comment) => comment.author !== thread.author)?.author ?? String(opened.get(thread.id)!.context["with"] ?? "");
    const rounds: DisputeView["rounds"] = [];
    for (const comment of said) {
      const isLeft = comment.author === thread.author;
      const last = rounds.at(-1);
      if (!last || (isLeft && last.right.length)) rounds.push({ left: [], right: [] });
      rounds.at(-1)![isLeft ? "left" : "right"].push(comment);
    }
    return { thread, left: thread.author, right, rounds };
  });
}

interface DisputeProps {
  dispute: DisputeView;
  item: ItemView;
  take: (item: ItemView) => void;
}

export function Dispute({ dispute, item, take }: DisputeProps) {
  const { thread, left, right, rounds } = dispute;
  return (
    <section class="thread dispute" aria-label={`Dispute of ${left} and ${right}`}>
      <p class="thread-about">
        <Icon name="talk" /> {left} and {right} disagree about <span class="mono">{thread.artifact ?? "the item"}</span>
        {thread.target && <span class="quiet"> at {thread.target}</span>}
        <Resolved thread={thread} />
      </p>
      <div class="dispute-rounds">
        <p class="dispute-side" aria-hidden="true">{left}</p>
        <p class="dispute-side" aria-hidden="true">{right}</p>
        {rounds.map((round, at) => (
          <div class="dispute-round" key={at} role="group" aria-label={`Round ${at + 1}`}>
            <span class="dispute-number">Round {at + 1}</span>
            <Side comments={round.left} />
            <Side comments={round.right} />
          </div>
        ))}
      </div>
      <p class="dispute-next"><Icon name="dot" /> {nextWord(dispute, item)}</p>
      <Replying item={item} thread={thread} take={take} />
    </section>
  );
}

function Side({ comments }: { comments: CommentView[] }) {
  return (
    <div class="dispute-said">
      {comments.map((comment) => (
        <div key={comment.id} class="comment">
          <p class="comment-who"><b>{comment.author}</b> <span class="quiet">{comment.timestamp && dayTime(Date.parse(comment.timestamp))} · {comment.id}</span></p>
          <p class="comment-text" dir="auto">{comment.content}</p>
        </div>
      ))}
    </div>
  );
}

function nextWord({ thread, left, right, rounds }: DisputeView, item: ItemView): string {
  if (thread.status === "resolved") return `Settled: ${thread.resolution === "accepted" ? left : right} was right.`;
  const asked = item.questions.some((question) => question.state === "open" && question.kind === "dispute");
  if (asked) return "They could not settle it. You decide, at the top.";
  const last = rounds.at(-1);
  return `${last && last.right.length ? left : right} has the next word.`;
}
