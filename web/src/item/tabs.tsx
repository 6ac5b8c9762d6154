/** The five faces of an item. */
import { useRef } from "preact/hooks";
import type { ItemView } from "../api/types";

export const TABS = ["story", "changes", "runs", "talk", "proof"] as const;
export type Tab = (typeof TABS)[number];
const NAMES: Record<Tab, string> = { story: "Story", changes: "Changes", runs: "Runs", talk: "Talk", proof: "Proof" };

export interface TabsProps {
  item: ItemView;
  shown: Tab;
  show: (tab: Tab) => void;
  drafts: number;
}

export function Tabs({ item, shown, show, drafts }: TabsProps) {
  const list = useRef<HTMLDivElement>(null);
  const counts = countsOf(item, drafts);
  const turn = (event: KeyboardEvent) => {
    const at = TABS.indexOf(shown);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: TABS.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = TABS[(to + TABS.length) % TABS.length]!;
    show(next);
    list.current?.querySelector<HTMLElement>(`#item-tab-${next}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={`What is known of #${item.id}`} ref={list} onKeyDown={turn}>
      {TABS.map((tab) => (
        <a key={tab} id={`item-tab-${tab}`} class="tab" role="tab" href={`#/item/${encodeURIComponent(item.id)}/${tab}`}
          aria-selected={tab === shown} aria-controls="item-panel" tabIndex={tab === shown ? 0 : -1}>
          {NAMES[tab]}
          {counts[tab] && <span class="tab-count">{counts[tab]}</span>}
        </a>
      ))}
    </div>
  );
}

function countsOf(item: ItemView, drafts: number): Partial<Record<Tab, string>> {
  const files = new Set(item.runs.flatMap((run) => run.changed.map((change) => change.path)));
  const open = item.comments.filter((comment) => !comment.parent && comment.status === "open").length;
  const findings = item.findings.filter((finding) => !finding.fixed && !finding.remark).length;
  return {
    ...(drafts ? { changes: `${drafts} draft${drafts > 1 ? "s" : ""}` } : files.size ? { changes: String(files.size) } : {}),
    ...(item.runs.length ? { runs: String(item.runs.length) } : {}),
    ...(open ? { talk: `${open} open` } : {}),
    ...(findings ? { proof: `${findings} open` } : {}),
  };
}
