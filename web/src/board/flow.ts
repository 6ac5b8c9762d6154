/** The flow in force: what kind of place each column is. */
import { signal } from "@preact/signals";
import { read } from "../api/client";
import type { Column, Flow } from "../api/types";
import { onEvents } from "../live";

export const flow = signal<Flow | null>(null);

export const kindOf = (column: string): NonNullable<Column["kind"]> => flow.value?.columns[column]?.kind ?? "flow";

export async function readFlow(): Promise<void> {
  flow.value = await read("flow", {});
}

onEvents((events) => {
  if (events.some((event) => event.event === "flow_adopted")) void readFlow();
});
