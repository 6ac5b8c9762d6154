/** What an item changed: files beside the diff, ticks, comments on lines, and one button that sends it back with them. */
import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { ItemView } from "../../api/types";
import { me } from "../../live";
import { useActing } from "../acting";
import { Refusal } from "../../ui/refusal";
import { changeOf } from "../calls";
import { keep, kept } from "../memory";
import { dayTime } from "../words";
import { File } from "./file";
import { FileTree } from "./file_tree";
import { useProgress } from "./progress";
import { makeReview, type Review } from "./review";
import { SendBack } from "./send_back";
import { useReviewKeys } from "./review_keys";
import "./changes.css";

export interface ChangesProps {
  item: ItemView;
  take: (item: ItemView) => void;
  drafted: (count: number) => void;
}

/** The whole item, what came since the last look, or one run. */
type Scope = { kind: "item" } | { kind: "since"; base: string } | { kind: "run"; run: string };

export function Changes({ item, take, drafted }: ChangesProps) {
  const review = useMemo(() => makeReview(item.id, drafted), [item.id]);
  const split = useSignal(kept("", "split", false));
  const seen = useMemo(() => kept<string | null>(item.id, "seen", null), [item.id]);
  const scope = useSignal<Scope>({ kind: "item" });
  const looking = useChange(item, review, scope);
  const frame = useRef<HTMLDivElement>(null);
  const switchLayout = () => keep("", "split", (split.value = !split.value));
  useReviewKeys(frame, review, switchLayout);
  const files = review.files.value;
  const drawn = useProgress(files, split.value ? "split" : "unified", review.isFolded);
  const ticked = files.filter((file) => review.ticks.value[file.path] === file.hash).length;
  return (
    <div class="changes" ref={frame}>
      <Outside item={item} />
      <div class="changes-tools">
        <ScopeChoice item={item} scope={scope} seen={seen} />
        <div class="choice changes-layout" role="group" aria-label="How lines stand">
          <button class="choice-one" aria-pressed={!split.value} onClick={() => split.value && switchLayout()}>unified</button>
          <button class="choice-one" aria-pressed={split.value} onClick={() => !split.value && switchLayout()}>split</button>
        </div>
        {files.length > 0 && <span class="quiet">{ticked} of {files.length} reviewed</span>}
        {review.change.value?.commit && <span class="quiet mono">{review.change.value.commit.slice(0, 10)}</span>}
      </div>
      {me.value?.canWrite && files.length > 0 && !review.drafts.value.length && (
        <p class="quiet changes-hint">To comment, choose a line by its number. The item goes back with all your comments.</p>
      )}
      <Refusal problem={looking.problem} />
      {!looking.isDone && !files.length && <p class="drawer-empty" aria-busy="true">Looking at the change …</p>}
      {looking.isDone && !files.length && !looking.problem && <p class="drawer-empty">{scope.value.kind === "since" ? "Nothing has changed since you last looked." : "It has changed nothing yet."}</p>}
      {files.length > 0 && (
        <div class="changes-beside">
          <FileTree files={files} review={review} />
          <div class="changes-files">
            {files.map((file, at) => <File key={file.path} file={file} review={review} split={split.value} isDrawn={at < drawn} />)}
            {review.change.value?.cut && <p class="file-note">The change is larger than what is shown here. <code>moot diff {item.id}</code> shows all of it.</p>}
          </div>
        </div>
      )}
      {me.value?.canWrite && review.drafts.value.length > 0 && <SendBack item={item} review={review} take={take} />}
    </div>
  );
}

/** What was shown stays until what is asked for has come. */
function useChange(item: ItemView, review: Review, scope: Signal<Scope>) {
  const acting = useActing();
  const isDone = useSignal(false);
  const { kind } = scope.value;
  const run = scope.value.kind === "run" ? scope.value.run : null;
  const base = scope.value.kind === "since" ? scope.value.base : null;
  useEffect(() => {
    let wanted = true;
    isDone.value = false;
    void acting.attempt(async () => {
      const found = await changeOf(item.id, run, base);
      if (!wanted) return;
      review.change.value = found;
      if (found?.commit && kind === "item") keep(item.id, "seen", found.commit);
    }).then(() => wanted && (isDone.value = true));
    return () => {
      wanted = false;
      acting.busy.value = false;
    };
  }, [item.id, item.head, kind, run, base]);
  return { problem: acting.problem.value, isDone: isDone.value };
}

function ScopeChoice({ item, scope, seen }: { item: ItemView; scope: Signal<Scope>; seen: string | null }) {
  const runs = item.runs.filter((run) => run.changed.length > 0 && run.commit);
  const value = scope.value.kind === "run" ? scope.value.run : scope.value.kind;
  const choose = (chosen: string) => {
    if (chosen === "item") scope.value = { kind: "item" };
    else if (chosen === "since" && seen) scope.value = { kind: "since", base: seen };
    else scope.value = { kind: "run", run: chosen };
  };
  return (
    <select class="entry changes-scope" aria-label="Which change" value={value} onChange={(event) => choose(event.currentTarget.value)}>
      <option value="item">The whole item</option>
      {seen && seen !== item.head && <option value="since">Since I last looked</option>}
      {runs.toReversed().map((run) => (
        <option key={run.run} value={run.run}>{run.agent}, {run.ended_at ? dayTime(Date.parse(run.ended_at)) : "now"}: {run.changed.length} {run.changed.length === 1 ? "file" : "files"}</option>
      ))}
    </select>
  );
}

/** What an agent changed and had no right to. It is not in the change; it is here so that one knows. */
function Outside({ item }: { item: ItemView }) {
  if (!item.dropped.length) return null;
  return (
    <div class="changes-outside" role="note">
      {item.dropped.map((dropped) => (
        <p key={dropped.agent}><b>{dropped.agent}</b> changed what it may not, and that was left out: {dropped.files.map((file) => <code key={file}>{file}</code>)}</p>
      ))}
    </div>
  );
}
