/** Small drawings that say what a colour says. They are of this file and need no font. */
import type { IconName } from "./words";

const PATHS: Record<IconName, string> = {
  tick: "M3 8.5 6.5 12 13 4.5",
  cross: "M4 4l8 8M12 4l-8 8",
  dot: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
  hand: "M4.5 9V5.2a1 1 0 0 1 2 0V8 3.6a1 1 0 0 1 2 0V8 4.4a1 1 0 0 1 2 0V9 6.6a1 1 0 0 1 2 0V10c0 2.5-1.6 4.2-4 4.2-2 0-3-.9-4.3-3L3 8.8c-.5-1 .7-1.7 1.5-.8",
  pause: "M5.5 4v8M10.5 4v8",
  clock: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5v3.2l2.2 1.4",
  talk: "M2.5 3.5h11v7h-6L4 13.5v-3H2.5z",
  back: "M6.5 4 2.5 8l4 4M2.5 8h8a3 3 0 0 1 3 3v1.5",
  help: "M5.5 6a2.5 2.5 0 1 1 3.4 2.3c-.6.3-.9.7-.9 1.4M8 12.6v.2",
  split: "M3 8h4l5-4.5M7 8l5 4.5M9.5 3.2H12.3V6M9.5 12.8h2.8V10",
  stop: "M4.5 4.5h7v7h-7z",
  gate: "M3 13V5.5L8 3l5 2.5V13M6 13V8.5h4V13",
  flag: "M4 14V2.5M4 3h8l-2 3 2 3H4",
};

export function Icon({ name, label }: { name: IconName; label?: string }) {
  const spoken = label ? ({ role: "img", "aria-label": label } as const) : ({ "aria-hidden": true } as const);
  return (
    <svg class="drawing" viewBox="0 0 16 16" width="1em" height="1em" fill="none" stroke="currentColor" stroke-width="1.7"
      stroke-linecap="round" stroke-linejoin="round" {...spoken}>
      <path d={PATHS[name]} />
    </svg>
  );
}
