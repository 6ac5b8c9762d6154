/** In a file time stands still: at the step that is shown, and in the end at the moment it was saved. */
import { computed } from "@preact/signals";
import { shown } from "./connect";
import { saved } from "./saved";

export const now = computed(() => {
  const step = shown.value < saved.steps.length ? saved.steps[Math.max(0, shown.value - 1)] : undefined;
  return Date.parse(step?.at ?? saved.made_at ?? "");
});
