/** Who looks at the board, and whether they may act on it. The server decides again at each act. */
import { signal } from "@preact/signals";
import { read } from "../api/client";
import type { Me as Caller } from "../api/types";

export interface Me extends Caller {
  canWrite: boolean;
}

export const me = signal<Me | null>(null);

export async function lookWhoIAm(): Promise<void> {
  const found = await read("me", {});
  me.value = { ...found, canWrite: found.role === "owner" || found.role === "person" };
}
