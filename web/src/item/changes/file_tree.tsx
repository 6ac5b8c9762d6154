/** The files of a change as a tree, with what was reviewed. */
import type { DiffFile } from "../diff/parse";
import { Icon } from "../../ui/icons";
import { reveal } from "./review_keys";
import type { Review } from "./review";
import { seen } from "./seen";
import { treeOf } from "./tree";

export function FileTree({ files, review }: { files: DiffFile[]; review: Review }) {
  const known = new Map(files.map((file) => [file.path, file]));
  return (
    <nav class="tree" aria-label="Files">
      <ul>
        {treeOf(files.map((file) => file.path)).map((row) => {
          const file = row.path === null ? undefined : known.get(row.path);
          const indent = { paddingInlineStart: `${row.depth * 0.75 + 0.375}rem` };
          if (!file) return <li key={`${row.depth} ${row.name}`} class="tree-folder mono" style={indent}>{seen(row.name)}/</li>;
          const tick = review.ticks.value[file.path];
          return (
            <li key={file.path}>
              <button class={`tree-file mono tree-${file.kind}`} style={indent} onClick={(event) => reveal(event.currentTarget.closest(".changes"), file.path, review, files)}>
                <span class="tree-name">{seen(row.name)}</span>
                {tick === file.hash && <span class="ink-good"><Icon name="tick" label="reviewed" /></span>}
                {tick !== undefined && tick !== file.hash && <span class="ink-you"><Icon name="wait" label="changed since you reviewed it" /></span>}
                <span class="tree-counts"><span class="ink-good">+{file.added}</span> <span class="ink-bad">−{file.removed}</span></span>
              </button>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
