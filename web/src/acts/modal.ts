/** Which sheet is open above the page: one at a time. */
import { signal } from "@preact/signals";

export interface Line {
  kind: "line";
  title: string;
  label: string;
  button: string;
  isNeeded: boolean;
  run: (text: string) => Promise<unknown>;
}

export type Modal =
  | { kind: "add" }
  | { kind: "edit"; id: string }
  | { kind: "move"; id: string; to: string | null }
  | { kind: "palette" }
  | { kind: "sheet" }
  | Line;

export const modal = signal<Modal | null>(null);
export const close = (): void => void (modal.value = null);
