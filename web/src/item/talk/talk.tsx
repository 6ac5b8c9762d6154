/** What was said about the item: quarrels round by round, threads on artifacts, questions and their answers. */
import type { EventView, ItemView } from "../../api/types";
import { act, me } from "../../live";
import { Icon } from "../../ui/icons";
import { dayTime } from "../words";
import { Dispute, disputesOf } from "./dispute";
import "./talk.css";
import { Say, Thread } from "./thread";

interface TalkProps {
  item: ItemView;
  events: EventView[];
  take: (item: ItemView) => void;
}

export function Talk({ item, events, take }: TalkProps) {
  const disputes = disputesOf(item, events);
  const threads = item.comments.filter((comment) => !comment.parent && !disputes.some((one) => one.thread.id === comment.id));
  const answered = item.questions.filter((question) => question.state !== "open");
  return (
    <div class="talks">
      {disputes.map((dispute) => <Dispute key={dispute.thread.id} dispute={dispute} item={item} take={take} />)}
      {threads.map((thread) => <Thread key={thread.id} item={item} thread={thread} take={take} />)}
      {answered.map((question) => (
        <section class="thread" key={question.id}>
          <p class="thread-about"><Icon name="you" /> {question.agent_id} asked{question.requested_at && <span class="quiet"> {dayTime(Date.parse(question.requested_at))}</span>}</p>
          <p class="comment-text" dir="auto">{question.question}</p>
          <p class="comment-reply"><b>{question.answered_by ?? (question.state === "defaulted" ? "nobody, so its default holds" : "withdrawn")}</b>{" "}
            <span class="comment-text" dir="auto">{question.answer}</span></p>
        </section>
      ))}
      {!disputes.length && !threads.length && !answered.length && <p class="drawer-empty">Nobody has said anything about it yet.</p>}
      {me.value?.canWrite && <Say label="Comment on the item" button="Comment" send={async (content) => take(await act("comment", { item: item.id, content }))} />}
    </div>
  );
}
