/** The calls of the contract, answered from the file. */
import { Problem } from "../api/client";
import type { Reads, Writes } from "../api/types";
import { saved } from "./saved";

export { Problem };

type Request = Record<string, unknown>;

const PAGE = 1000;

const absent = (detail: string) => new Problem(404, { code: "not_saved", detail, hint: "ask the board itself" });

const ANSWERS: Partial<Record<keyof Reads, (request: Request) => unknown>> = {
  board: () => saved.answers.board,
  flow: () => saved.answers.flow,
  me: () => saved.answers.me,
  status: () => saved.answers.status,
  today: () => saved.answers.status.today,
  metrics: () => saved.answers.metrics,
  figures: () => saved.answers.figures,
  usage: ({ by }) => saved.answers.usage[String(by ?? "item")],
  show: ({ item }) => saved.answers.show[String(item)],
  change: ({ item, run, base }) => (run || base ? undefined : saved.answers.change[String(item)]),
  output: ({ run, after }) => printed(String(run), Number(after ?? 0)),
  prospect: ({ item }) => saved.answers.prospect[String(item)],
  comments: ({ item }) => ({ comments: saved.answers.show[String(item)]?.comments ?? [] }),
  pauses: () => ({ pauses: saved.answers.board.pauses }),
  workers: () => ({ workers: [] }),
  runs: () => ({ runs: saved.answers.board.runs }),
  questions: () => ({ questions: saved.answers.board.questions }),
  inbox: () => ({ questions: saved.answers.board.questions, messages: saved.answers.board.messages }),
  moves: ({ item }) => ({ item, version: 0, moves: [] }),
  log: ({ after, item, limit }) => events(Number(after ?? 0), item as string | null | undefined, Number(limit ?? PAGE)),
};

/** Of a run that printed nothing, or so long ago that nobody has kept it, nothing is there. */
function printed(run: string, after: number): Reads["output"]["response"] | undefined {
  const found = saved.answers.output[run];
  return found && after ? { ...found, parts: found.parts.filter((one) => one.part > after) } : found;
}

function events(after: number, item: string | null | undefined, limit: number): Reads["log"]["response"] {
  const all = saved.answers.log;
  const found = all.filter((event) => event.seq > after && (!item || event.item === item)).slice(0, limit);
  return { events: found, next: found.at(-1)?.seq ?? after, last: all.at(-1)?.seq ?? 0 };
}

export async function read<Name extends keyof Reads>(name: Name, request: Reads[Name]["request"], _signal?: AbortSignal): Promise<Reads[Name]["response"]> {
  const answer = ANSWERS[name]?.(request as Request);
  if (answer === undefined) throw absent("This file does not hold that.");
  return answer as Reads[Name]["response"];
}

export async function write<Name extends keyof Writes>(_name: Name, _request: Writes[Name]["request"], _key?: string): Promise<Writes[Name]["response"]> {
  throw absent("This is a file: nothing of the board can be changed from here.");
}
