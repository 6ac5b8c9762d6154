/** Keys to commands. Inside a field keys are text, and a sheet has its own. */
import { signal } from "@preact/signals";
import { modal } from "../acts/modal";
import { type Command, COMMANDS } from "./table";

const PATIENCE = 1_200; // ms for the second key of two

/** The first key of two, while the second is waited for. */
export const begun = signal("");
let timer: ReturnType<typeof setTimeout> | undefined;

function pressed(event: KeyboardEvent): string {
  const strong = event.ctrlKey ? "ctrl+" : event.metaKey ? "meta+" : "";
  if (strong) return strong + event.key.toLowerCase();
  return event.shiftKey && /^[a-z]$/i.test(event.key) ? `Shift+${event.key.toUpperCase()}` : event.key;
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");

/** A button that has the focus keeps the keys that press it. */
const isPressing = (event: KeyboardEvent): boolean =>
  (event.key === "Enter" || event.key === " ") && event.target instanceof HTMLElement && event.target.matches("button, a, summary, [role=menuitem]");

export function commandFor(key: string, first: string): Command | undefined {
  const wanted = first ? `${first} ${key}` : key;
  return COMMANDS.find((command) => command.keys.includes(wanted) && command.when());
}

export function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || modal.value || event.altKey || isPressing(event)) return;
  const key = pressed(event);
  if (isField(event.target) && key !== "Escape" && !key.includes("+k")) return;
  const first = begun.value;
  clearTimeout(timer);
  begun.value = "";
  const command = commandFor(key, first);
  if (command) {
    event.preventDefault();
    command.run();
  } else if (!first && COMMANDS.some((one) => one.keys.some((keys) => keys.startsWith(`${key} `)))) {
    begun.value = key;
    timer = setTimeout(() => (begun.value = ""), PATIENCE);
  }
}

const NAMES: Record<string, string> = {
  " ": "Space", ArrowDown: "↓", ArrowUp: "↑", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc", "ctrl+k": "Ctrl-K", "meta+k": "⌘K",
};

export const keyWords = (keys: string): string => NAMES[keys] ?? keys.replace("+", "-");
