/** The lines of a file's change, one below the other or side by side, with comments where they belong. */
import { Component, type ComponentChildren } from "preact";
import type { DiffFile, DiffLine, Hunk } from "../diff/parse";
import { pairs, type Side as RowSide, stacked } from "../diff/rows";
import { CommentBox, DraftNote } from "./comment_box";
import { type Draft, isIn, numberOf, type Place, sideOf } from "./drafts";
import type { Review } from "./review";
import { seen } from "./seen";

const AT_ONCE = 1500; // lines of a file; more on request

export interface LinesProps {
  file: DiffFile;
  split: boolean;
  review: Review;
  /** Handed in, so that only the file that they are in is drawn anew. */
  picked: Place | null;
  writing: boolean;
  drafts: Draft[];
}

export class Lines extends Component<LinesProps, { most: number }> {
  override state = { most: AT_ONCE };

  override shouldComponentUpdate(next: LinesProps, state: { most: number }): boolean {
    const { props } = this;
    const same = (a: Draft[], b: Draft[]) => a.length === b.length && a.every((one, at) => one === b[at]);
    return (
      next.file.hash !== props.file.hash || next.file.path !== props.file.path || next.split !== props.split || next.picked !== props.picked ||
      next.writing !== props.writing || !same(next.drafts, props.drafts) || state.most !== this.state.most
    );
  }

  override render({ file, split }: LinesProps, { most }: { most: number }) {
    let left = most;
    const shown: ComponentChildren[] = [];
    for (const [at, hunk] of file.hunks.entries()) {
      if (left <= 0) break;
      const part = hunk.lines.length > left ? { ...hunk, lines: hunk.lines.slice(0, left) } : hunk;
      left -= part.lines.length;
      shown.push(this.hunk(part, at, split));
    }
    const total = file.hunks.reduce((sum, hunk) => sum + hunk.lines.length, 0);
    return (
      <div class={split ? "lines lines-split" : "lines"}>
        {shown}
        {total > most && (
          <button class="button lines-more" onClick={() => this.setState({ most: most + AT_ONCE })}>
            Show {Math.min(AT_ONCE, total - most)} more of {total - most} lines
          </button>
        )}
      </div>
    );
  }

  private hunk(hunk: Hunk, at: number, split: boolean) {
    const height = { containIntrinsicBlockSize: `auto ${hunk.lines.length * 1.25 + 1.5}rem` };
    return (
      <div class="hunk" key={at} style={height}>
        <p class="hunk-head"><span class="mono">line {hunk.newStart}</span> <span class="hunk-around">{seen(hunk.around)}</span></p>
        {split ? pairs(hunk).map((pair, row) => this.pair(pair.old, pair.new, row)) : stacked(hunk).map((side, row) => this.one(side, row))}
      </div>
    );
  }

  private one({ line, pieces }: RowSide, row: number) {
    return (
      <div class="row" key={row}>
        <div class={this.look(line)}>
          <span class="line-old">{line.old}</span>
          {this.number(line)}
          {code(line, pieces)}
        </div>
        {this.below(line)}
      </div>
    );
  }

  private pair(old: RowSide | null, fresh: RowSide | null, row: number) {
    const same = old?.line.kind === "same";
    return (
      <div class="row row-pair" key={row}>
        <div class={old ? this.look(old.line) : "line line-none"}>
          {old && (same ? <span class="line-number">{old.line.old}</span> : this.number(old.line))}
          {old && code(old.line, old.pieces)}
        </div>
        <div class={fresh ? this.look(fresh.line) : "line line-none"}>
          {fresh && this.number(fresh.line)}
          {fresh && code(fresh.line, fresh.pieces)}
        </div>
        {old && !same && this.below(old.line)}
        {fresh && this.below(fresh.line)}
      </div>
    );
  }

  private look(line: DiffLine): string {
    const { picked, file } = this.props;
    return `line line-${line.kind}${isIn(picked, file.path, line) ? " line-picked" : ""}`;
  }

  /** Out of the order of tabs, since there are thousands: keys lead to it, and arrows from one to the next. */
  private number(line: DiffLine) {
    const words = { added: "added", removed: "removed", same: "unchanged" }[line.kind];
    return (
      <button class="line-number" tabIndex={-1} data-side={sideOf(line)} data-line={numberOf(line)} data-kind={line.kind}
        aria-label={`Comment on line ${numberOf(line)}, ${words}`}>{numberOf(line)}</button>
    );
  }

  private below(line: DiffLine) {
    const { review, file, picked, writing, drafts } = this.props;
    const number = numberOf(line);
    const side = sideOf(line);
    const here = drafts.filter((draft) => draft.side === side && draft.to === number);
    const isWriting = writing && picked !== null && picked.path === file.path && picked.side === side && picked.to === number;
    if (!here.length && !isWriting) return null;
    return (
      <div class="line-below">
        {here.map((draft) => <DraftNote key={draft.id} draft={draft} drop={() => review.drop(draft.id)} />)}
        {isWriting && <CommentBox review={review} place={picked} quote={line.text} />}
      </div>
    );
  }
}

function code(line: DiffLine, pieces: RowSide["pieces"]) {
  const sign = { added: "+", removed: "−", same: " " }[line.kind];
  return (
    <code class="line-code">
      <span class="line-sign" aria-hidden="true">{sign}</span>
      {pieces.map((piece, at) => (piece.changed ? <mark key={at}>{seen(piece.text)}</mark> : seen(piece.text)))}
      {line.unended && <span class="line-unended">no line break at the end</span>}
    </code>
  );
}
