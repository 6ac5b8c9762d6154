import { expect, test } from "vitest";
import { keep, shown } from "./key";

function storage(): Storage {
  const held = new Map<string, string>();
  return {
    getItem: (name: string) => held.get(name) ?? null,
    setItem: (name: string, value: string) => void held.set(name, value),
  } as unknown as Storage;
}

test("the key of the link is kept, and shown from then on", () => {
  const kept = storage();
  expect(shown(kept)).toEqual({});
  expect(keep("#page=a1-b_2", kept)).toBe(true);
  expect(shown(kept)).toEqual({ "Moot-Page": "a1-b_2" });
});

test("an address of the page is no key", () => {
  const kept = storage();
  expect(keep("#/item/7", kept)).toBe(false);
  expect(keep("#page=", kept)).toBe(false);
  expect(shown(kept)).toEqual({});
});

test("a worker, which has no storage, shows none", () => {
  expect(shown(undefined)).toEqual({});
});
