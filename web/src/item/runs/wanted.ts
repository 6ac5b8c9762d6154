/** Which run the story sent one to look at. */
import { signal } from "@preact/signals";

export const wantedRun = signal<string | null>(null);
