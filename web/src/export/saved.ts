/** What stands in the file beside the page. */
import type { Reads, SavedPage } from "../api/types";

type Answer<Name extends keyof Reads> = Reads[Name]["response"];

export interface Answers {
  board: Answer<"board">;
  flow: Answer<"flow">;
  me: Answer<"me">;
  status: Answer<"status">;
  metrics: Answer<"metrics">;
  figures: Answer<"figures">;
  usage: Record<string, Answer<"usage">>;
  show: Record<string, Answer<"show">>;
  log: Answer<"log">["events"];
  change: Record<string, Answer<"change">>;
  output: Record<string, Answer<"output">>;
  prospect: Record<string, Answer<"prospect">>;
}

export type Saved = Omit<SavedPage, "answers"> & { answers: Answers };

export const saved = JSON.parse(document.getElementById("saved")?.textContent ?? "{}") as Saved;
