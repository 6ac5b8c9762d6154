/** The time that ages are counted to. One tick for the whole page, so that all of it tells the same moment. */
import { signal } from "@preact/signals";

export const now = signal(Date.now());

setInterval(() => (now.value = Date.now()), 1000);
