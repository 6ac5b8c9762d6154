/** Comments on lines that are not sent yet. They live in the browser until they are, or are thrown away. */
import type { PersonFinding } from "../../api/types";
import type { DiffLine } from "../diff/parse";

export type Side = "old" | "new";

/** Lines of one side of one file, the first and the last. */
export interface Place {
  path: string;
  side: Side;
  from: number;
  to: number;
}

export interface Draft extends Place {
  id: string;
  /** What stood there when it was written: lines move. */
  quote: string;
  text: string;
  must: boolean;
}

export function sideOf(line: DiffLine): Side {
  return line.kind === "removed" ? "old" : "new";
}

export function numberOf(line: DiffLine): number {
  return (line.kind === "removed" ? line.old : line.new) ?? 0;
}

export function isIn(place: Place | null, path: string, line: DiffLine): boolean {
  if (!place || place.path !== path || place.side !== sideOf(line)) return false;
  const number = numberOf(line);
  return number >= place.from && number <= place.to;
}

/** As the agent will read it: a finding names one line of the file as it is now, so the rest is said in words. */
export function findingOf(draft: Draft): PersonFinding {
  const severity = draft.must ? "medium" : "low";
  const range = draft.to > draft.from ? `Lines ${draft.from} to ${draft.to}: ` : "";
  if (draft.side === "new") return { file: draft.path, line: draft.from, text: range + draft.text, severity };
  const gone = `Of what was removed (line ${draft.from} before, "${draft.quote.trim().slice(0, 120)}"): `;
  return { file: draft.path, line: null, text: gone + draft.text, severity };
}

export function placeWords({ path, side, from, to }: Place): string {
  const lines = to > from ? `lines ${from} to ${to}` : `line ${from}`;
  return `${path}, ${side === "old" ? "removed " : ""}${lines}`;
}
