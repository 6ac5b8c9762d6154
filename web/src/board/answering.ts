/** Answering a question in place. Only one's own act is shown before the server has said it. */
import { computed, signal } from "@preact/signals";
import { Problem } from "../api/client";
import type { QuestionView } from "../api/types";
import { act } from "../live";
import { cardOf, questions } from "../live/board";
import { selected } from "./select";

/** By question: "sent" while and after it is answered here, or why it was refused. */
export const sent = signal<ReadonlyMap<string, "sent" | Problem>>(new Map());

export const open = computed(() => questions.value.filter((one) => sent.value.get(one.id) !== "sent"));

const mark = (id: string, state: "sent" | Problem) => (sent.value = new Map(sent.value).set(id, state));

const places = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>("[data-question]")];

/** The one in which the focus is, else the one of the selected card. */
export function questionAtHand(): QuestionView | undefined {
  const id = document.activeElement?.closest<HTMLElement>("[data-question]")?.dataset["question"];
  if (id) return open.value.find((one) => one.id === id);
  const asked = selected.value ? cardOf(selected.value)?.value.questions : undefined;
  return open.value.find((one) => asked?.includes(one.id));
}

export function focusQuestion(at = 0): void {
  const found = places()[at];
  found?.focus();
  found?.scrollIntoView({ block: "nearest", inline: "nearest" });
}

export async function answer(question: QuestionView, said: string, isText: boolean): Promise<void> {
  const at = places().findIndex((place) => place.dataset["question"] === question.id);
  const hadFocus = places()[at]?.contains(document.activeElement) ?? false;
  mark(question.id, "sent");
  if (hadFocus) requestAnimationFrame(() => focusQuestion(Math.min(at, places().length - 1)));
  try {
    await act("answer", { question: question.id, answer: said, ...(isText ? { text: true } : {}) });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    mark(question.id, error);
  }
}

export function answerOption(number: number): void {
  const question = questionAtHand();
  if (question?.options[number - 1]) void answer(question, String(number), false);
}
