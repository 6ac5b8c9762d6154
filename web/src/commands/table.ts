/** Every command there is: what its keys are, what it is called, when it can be done, and what it does.
 *  The keys, the palette, the menu of a card and the sheet of keys all read this one table. */
import { modal } from "../acts/modal";
import { answerOption, focusQuestion, open, questionAtHand } from "../board/answering";
import { chooseColumn, chooseNone, chosen, chosenCards, forEach, toggle } from "../board/chosen";
import { peeked } from "../board/peek";
import { byQuest } from "../board/quests";
import { selected, step } from "../board/select";
import { ENDED } from "../board/state";
import { itemCommands } from "../item/commands";
import type { Card } from "../api/types";
import { act, go, me, route } from "../live";
import { cardOf, rest, runs } from "../live/board";
import { askToNotify, mayAsk } from "../live/notify";
import { turnTheme } from "../ui/theme";

export interface Command {
  id: string;
  keys: string[]; // "g b": one after the other; "ctrl+k": together
  words: string;
  group: "Go" | "Cards" | "This item" | "An open item" | "Questions" | "Board";
  when: () => boolean;
  run: () => void;
}

/** The item that the command is about: the open one, else the selected one. */
export const subject = (): Card | undefined => {
  const id = route.value.item ?? (route.value.page === "board" ? selected.value : null);
  return id ? cardOf(id)?.value : undefined;
};

const always = () => true;
const onBoard = () => route.value.page === "board" && !route.value.item;
// The tab of changes has keys of its own.
const on = (fits: (card: Card) => boolean) => () => {
  const card = subject();
  if (!me.value?.canWrite || route.value.tab === "changes") return false;
  return chosen.value.size && onBoard() ? chosenCards().some(fits) : Boolean(card && fits(card));
};
const isOpen = (card: Card) => !ENDED.has(card.status);
const ask = (line: Omit<Extract<typeof modal.value, { kind: "line" }>, "kind">) => (modal.value = { kind: "line", ...line });

/** The chosen ones, or the one at hand. */
const subjects = (fits: (card: Card) => boolean = always): Card[] => {
  if (chosen.value.size && onBoard()) return chosenCards().filter(fits);
  const card = subject();
  return card && fits(card) ? [card] : [];
};

/** Commands that are done with all chosen cards at once. */
export const forMany: ReadonlySet<string> = new Set(["move", "comment", "priority", "tag", "cancel", "reopen"]);

function line(title: string, label: string, button: string, isNeeded: boolean, run: (card: Card, text: string) => Promise<unknown>, fits: (card: Card) => boolean = always) {
  return () => {
    const cards = subjects(fits);
    const named = cards.length === 1 ? `#${cards[0]?.id}` : `${cards.length} items`;
    const these = cards.length === 1 ? "the item" : "the items";
    if (cards.length) ask({ title: `${title} ${named}`, label, button: button.replace("{these}", these), isNeeded, run: (text) => forEach(cards, (card) => run(card, text)) });
  };
}

const isStopped = () => Boolean(rest.value?.pauses.some((pause) => !pause.what.startsWith("pool:")));

export const COMMANDS: readonly Command[] = [
  ...itemCommands, // first: where an item is open, its keys are meant
  { id: "board", keys: ["g b"], words: "Go to the board", group: "Go", when: always, run: () => go("/") },
  { id: "numbers", keys: ["g n"], words: "Go to the numbers", group: "Go", when: always, run: () => go("/numbers") },
  { id: "workers", keys: ["g w"], words: "Go to the workers", group: "Go", when: always, run: () => go("/workers") },
  { id: "log", keys: ["g l"], words: "Go to the log", group: "Go", when: always, run: () => go("/log") },
  { id: "palette", keys: ["ctrl+k", "meta+k"], words: "Find anything", group: "Go", when: always, run: () => (modal.value = { kind: "palette" }) },
  { id: "sheet", keys: ["?"], words: "Show all keys", group: "Go", when: always, run: () => (modal.value = { kind: "sheet" }) },
  { id: "back", keys: ["Escape"], words: "Close, or go back", group: "Go", when: always, run: back },

  { id: "down", keys: ["j", "ArrowDown"], words: "Next card", group: "Cards", when: onBoard, run: () => step(0, 1) },
  { id: "up", keys: ["k", "ArrowUp"], words: "Card above", group: "Cards", when: onBoard, run: () => step(0, -1) },
  { id: "left", keys: ["h", "ArrowLeft"], words: "Column to the left", group: "Cards", when: onBoard, run: () => step(-1, 0) },
  { id: "right", keys: ["l", "ArrowRight"], words: "Column to the right", group: "Cards", when: onBoard, run: () => step(1, 0) },
  { id: "open", keys: ["Enter"], words: "Open the item", group: "Cards", when: () => onBoard() && Boolean(subject()), run: () => go(`/item/${subject()?.id}`) },
  { id: "peek", keys: [" "], words: "Peek at the item", group: "Cards", when: () => onBoard() && Boolean(subject()), run: () => (peeked.value = !peeked.value) },
  { id: "choose", keys: ["Shift+X"], words: "Choose the card, beside others", group: "Cards", when: () => onBoard() && Boolean(subject()), run: () => toggle(subject()?.id ?? "") },
  { id: "choose-column", keys: ["Shift+A"], words: "Choose its column", group: "Cards", when: () => onBoard() && Boolean(subject()), run: chooseColumn },
  { id: "filter", keys: ["/"], words: "Filter the cards", group: "Cards", when: onBoard, run: () => document.querySelector<HTMLElement>("#filter")?.focus() },
  { id: "quests", keys: ["v"], words: "Group by quest, or by column", group: "Cards", when: onBoard, run: () => (byQuest.value = !byQuest.value) },

  { id: "questions", keys: ["q"], words: "Go to what needs you", group: "Questions", when: () => onBoard() && open.value.length > 0, run: () => focusQuestion() },
  ...Array.from({ length: 9 }, (_, at): Command => ({
    id: `answer-${at + 1}`,
    keys: [String(at + 1)],
    words: `Answer with option ${at + 1}`,
    group: "Questions",
    when: () => Boolean(me.value?.canWrite && questionAtHand()?.options[at]),
    run: () => answerOption(at + 1),
  })),

  { id: "move", keys: ["m"], words: "Move", group: "This item", when: on(isOpen), run: () => (modal.value = { kind: "move", id: subjects(isOpen)[0]?.id ?? "", to: null }) },
  { id: "priority", keys: ["u"], words: "Priority", group: "This item", when: on(isOpen), run: line("Priority of", "critical, high, medium or low", "Set it", true, (card, text) => act("edit", { item: card.id, priority: text.toLowerCase() }), isOpen) },
  { id: "tag", keys: ["t"], words: "Tag", group: "This item", when: on(isOpen), run: line("Tag", "A word to find it by", "Tag", true, (card, text) => act("edit", { item: card.id, tags: [...new Set([...card.tags, text])] }), isOpen) },
  { id: "comment", keys: ["c"], words: "Comment", group: "This item", when: on(always), run: line("Comment on", "What should whoever works on it know?", "Comment", true, (card, content) => act("comment", { item: card.id, content })) },
  { id: "say", keys: ["s"], words: "Say something to its agent", group: "This item", when: on(isOpen), run: line("Say to the agent of", "Told to the run at work if it can hear it, else to the next one", "Say it", true, (card, text) => act("say", { item: card.id, text })) },
  { id: "edit", keys: ["e"], words: "Edit", group: "This item", when: on(isOpen), run: () => (modal.value = { kind: "edit", id: subject()?.id ?? "" }) },
  { id: "end-run", keys: ["Shift+E"], words: "End its run; the next begins anew", group: "This item", when: on((card) => runs.value.has(card.id)), run: line("End the run on", "Why, for the next run (may be left empty)", "End the run", false, (card, why) => act("end_run", { item: card.id, why })) },
  { id: "cancel", keys: ["x"], words: "Cancel", group: "This item", when: on(isOpen), run: line("Cancel", "Why (may be left empty)", "Cancel {these}", false, (card, why) => act("cancel", { item: card.id, why }), isOpen) },
  { id: "reopen", keys: ["o"], words: "Reopen", group: "This item", when: on((card) => !isOpen(card)), run: line("Reopen", "Why, for whoever works on it (may be left empty)", "Reopen", false, (card, why) => act("reopen", { item: card.id, why }), (card) => !isOpen(card)) },

  { id: "add", keys: ["n"], words: "New item", group: "Board", when: () => Boolean(me.value?.canWrite), run: () => (modal.value = { kind: "add" }) },
  { id: "pause", keys: ["p"], words: "Pause all agents", group: "Board", when: () => Boolean(me.value?.canWrite) && !isStopped(), run: () => ask({ title: "Pause all agents", label: "Why (may be left empty). Runs at work go on to their end; no new one begins.", button: "Pause", isNeeded: false, run: (why) => act("pause", { why }) }) },
  { id: "resume", keys: ["p"], words: "Resume all agents", group: "Board", when: () => Boolean(me.value?.canWrite) && isStopped(), run: () => void act("resume", {}) },
  { id: "theme", keys: ["Shift+T"], words: "Light or dark", group: "Board", when: always, run: turnTheme },
  { id: "notify", keys: ["Shift+N"], words: "Tell me when I am needed", group: "Board", when: mayAsk, run: () => void askToNotify() },
];

function back(): void {
  const active = document.activeElement;
  if (peeked.value) peeked.value = false;
  else if (active instanceof HTMLInputElement) active.blur();
  else if (route.value.item) go("/");
  else if (chosen.value.size) chooseNone();
}

