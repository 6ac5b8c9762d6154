/** Icons as strokes in the colour of the text around them. Each stands beside words, or has them hidden. */
import "./icons.css";

const PATHS = {
  work: "M8 2v3M8 11v3M2 8h3M11 8h3M3.8 3.8l2.1 2.1M10.1 10.1l2.1 2.1M12.2 3.8l-2.1 2.1M5.9 10.1l-2.1 2.1",
  you: "M5 8V3.5a1 1 0 0 1 2 0V7M7 6.5v-4a1 1 0 0 1 2 0V7M9 6.5v-3a1 1 0 0 1 2 0V9c0 3-1.5 5-4 5-2 0-3-1-4-3.2L2.2 8.6A.9.9 0 0 1 3.7 7.6L5 9",
  wait: "M8 4.5V8l2.3 1.6M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0Z",
  blocked: "M4 4l8 8M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0Z",
  good: "M3 8.5l3.2 3.2L13 5",
  bad: "M8 5v3.5M8 11v.1M7 2.6 1.8 12a1.1 1.1 0 0 0 1 1.6h10.4a1.1 1.1 0 0 0 1-1.6L9 2.6a1.1 1.1 0 0 0-2 0Z",
  talk: "M2 3h8v6H6l-2.5 2V9H2zM12 6h2v6h-1.5v2L10 12H7",
  off: "M4 4l8 8M12 4l-8 8",
  proof: "M8 1.8l5 2v4c0 3-2 5.2-5 6.4-3-1.2-5-3.4-5-6.4v-4zM5.8 8l1.6 1.6 3-3.2",
  hand: "M6 2.5h4v3h3v8H3v-8h3z",
  tick: "M3 8.5 6.5 12 13 4.5",
  cross: "M4 4l8 8M12 4l-8 8",
  dot: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
  back: "M6.5 4 2.5 8l4 4M2.5 8h8a3 3 0 0 1 3 3v1.5",
  help: "M5.5 6a2.5 2.5 0 1 1 3.4 2.3c-.6.3-.9.7-.9 1.4M8 12.6v.2",
  split: "M3 8h4l5-4.5M7 8l5 4.5M9.5 3.2H12.3V6M9.5 12.8h2.8V10",
  stop: "M4.5 4.5h7v7h-7z",
  flag: "M4 14V2.5M4 3h8l-2 3 2 3H4",
  plus: "M8 3v10M3 8h10",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM11 11l3.2 3.2",
  pause: "M5.5 3v10M10.5 3v10",
  play: "M5 3l8 5-8 5z",
  more: "M3.5 8h.1M8 8h.1M12.5 8h.1",
  bell: "M4 7a4 4 0 0 1 8 0c0 4 1.5 4.5 1.5 4.5h-11S4 11 4 7M6.8 13.5a1.4 1.4 0 0 0 2.4 0",
  quest: "M4 2v9a2 2 0 0 0 2 2h3M4 6h5M9 4.5h4v3H9zM9 11.5h4v3H9z",
  moon: "M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5Z",
  keys: "M2 4h12v8H2zM4.5 6.5h.1M7 6.5h.1M9.5 6.5h.1M11.8 6.5h.1M5 9.5h6",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, label }: { name: IconName; label?: string }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" role={label ? "img" : undefined} aria-hidden={label ? undefined : "true"}>
      {label ? <title>{label}</title> : null}
      <path d={PATHS[name]} />
    </svg>
  );
}
