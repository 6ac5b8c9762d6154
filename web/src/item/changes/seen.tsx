/** Text as it is, with what would hide or turn round its letters made visible. */
import type { ComponentChildren } from "preact";

/** Marks that turn the direction of writing, join or hide letters, and controls. */
const UNSEEN = /([\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff])/;

/** A function and no component: there may be ten thousand of them on a page. */
export function seen(text: string): ComponentChildren {
  if (!UNSEEN.test(text)) return text;
  return text.split(UNSEEN).map((part, at) => (at % 2 ? <span class="unseen" key={at}>{named(part)}</span> : part));
}

function named(mark: string): string {
  return `U+${mark.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;
}
