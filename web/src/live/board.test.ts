import { expect, test } from "vitest";
import type { BoardView, Card } from "../api/types";
import { beyond, cardOf, order, takeBoard } from "./board";

const card = (id: string, more: Partial<Card>): Card =>
  ({ id, title: id, column: "dev", status: "ready", priority: "medium", version: 1, updated_at: null, ...more }) as Card;

const board = (seq: number, whole: boolean, items: Card[]): BoardView =>
  ({ seq, whole, items, flow: "f", columns: ["dev", "done"], totals: {}, open: {}, next: null, questions: [], runs: [] }) as unknown as BoardView;

test("an older picture of a card never replaces a newer one", () => {
  takeBoard(board(1, true, [card("1", { version: 5, title: "new" })]));
  takeBoard(board(2, false, [card("1", { version: 4, title: "old" })]));
  expect(cardOf("1")?.value.title).toBe("new");
});

test("what did not change keeps its signal, so that nothing is drawn anew", () => {
  takeBoard(board(3, true, [card("1", {}), card("2", {})]));
  const [before, places] = [cardOf("2"), order.value];
  takeBoard(board(4, false, [card("1", { version: 2, title: "changed" })]));
  expect(cardOf("2")).toBe(before);
  expect(order.value).toBe(places);
});

test("a cancelled card stands with those that have ended, in whatever column it was", () => {
  takeBoard(board(5, true, [card("1", { status: "cancelled" }), card("2", {})]));
  expect(order.value.get("done")).toEqual(["1"]);
  expect(order.value.get("dev")).toEqual(["2"]);
});

test("urgent work stands first, then by number and not by text", () => {
  takeBoard(board(6, true, [card("10", {}), card("9", {}), card("11", { priority: "critical" })]));
  expect(order.value.get("dev")).toEqual(["11", "9", "10"]);
});

test("a look at all of it keeps the signal of each card, so that whoever draws it hears of the next change", () => {
  takeBoard(board(7, true, [card("1", {}), card("2", {})]));
  const before = cardOf("1");
  takeBoard(board(8, true, [card("1", {})]));
  takeBoard(board(9, false, [card("1", { version: 2, title: "changed" })]));
  expect(cardOf("1")).toBe(before);
  expect(before?.value.title).toBe("changed");
  expect(cardOf("2")).toBeUndefined();
});

test("how many a column has beside those that are here is told", () => {
  takeBoard({ ...board(10, true, [card("1", {})]), open: { dev: 20_000 } });
  expect(beyond("dev")).toBe(19_999);
});
