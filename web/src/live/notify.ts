/** Being told while one does not look. Asked for by a button, never by itself. */
import { effect, signal } from "@preact/signals";
import { questions } from "./board";

const state = signal(typeof Notification === "undefined" ? "denied" : Notification.permission);
const known = new Set<string>();
let isFirst = true;

/** Whether there is anything to ask the person. */
export const mayAsk = (): boolean => state.value === "default";

export async function askToNotify(): Promise<void> {
  state.value = await Notification.requestPermission();
}

/** The count stands in the title of the tab; a question that is new is told if the person has agreed. */
export function tellOfQuestions(): void {
  effect(() => {
    const open = questions.value;
    document.title = open.length ? `(${open.length}) Folkmoot` : "Folkmoot";
    for (const question of open) {
      if (known.has(question.id)) continue;
      known.add(question.id);
      if (!isFirst && document.hidden && state.peek() === "granted")
        new Notification(`#${question.task_id} needs you`, { body: question.question, tag: question.id });
    }
    isFirst = false;
  });
}
