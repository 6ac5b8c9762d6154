/** A table as text that spreadsheets read. What agents wrote stands in it: a cell must never become a formula. */

export type Cell = string | number | null;

export interface Table {
  head: string[];
  rows: Cell[][];
}

export const UNKNOWN = "unknown";

const FORMULA = /^[\s\u0000]*[=+\-@|%\uFF1D\uFF0B\uFF0D\uFF20]/; // how spreadsheets begin one, the wide forms too

export function csv(table: Table): string {
  return [table.head, ...table.rows].map((row) => row.map(quoted).join(",")).join("\r\n") + "\r\n";
}

function quoted(cell: Cell): string {
  if (cell === null) return UNKNOWN;
  if (typeof cell === "number") return Number.isFinite(cell) ? String(cell) : UNKNOWN;
  const safe = FORMULA.test(cell) || /^[\t\r\n]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n\t';]/.test(safe) || safe !== safe.trim() ? `"${safe.replaceAll('"', '""')}"` : safe;
}
