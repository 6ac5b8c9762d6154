/** The calls of the contract, as this page makes them. The browser shows its cookie, and the page its key. */
import { shown } from "./key";
import type { Reads, Writes } from "./types";

/** What the server refused, in its own words. */
export class Problem extends Error {
  readonly code: string;
  readonly status: number;
  readonly hint: string;
  readonly details: Record<string, unknown>;

  constructor(status: number, body: Record<string, unknown>) {
    super(String(body["detail"] ?? body["title"] ?? `the server answered ${status}`));
    this.status = status;
    this.code = String(body["code"] ?? "unknown");
    this.hint = String(body["hint"] ?? "");
    this.details = (body["details"] as Record<string, unknown>) ?? {};
  }
}

export async function read<Name extends keyof Reads>(
  name: Name,
  request: Reads[Name]["request"],
  signal?: AbortSignal,
): Promise<Reads[Name]["response"]> {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(request)) {
    if (value === undefined || value === null) continue;
    if (Array.isArray(value)) value.forEach((one) => query.append(key, String(one)));
    else query.append(key, typeof value === "string" ? value : JSON.stringify(value));
  }
  const asked = query.size ? `/v1/${name}?${query}` : `/v1/${name}`;
  return answered(await fetch(asked, { credentials: "same-origin", headers: shown(), ...(signal ? { signal } : {}) }));
}

/** The key makes it safe to send the same again when no answer came. */
export async function write<Name extends keyof Writes>(
  name: Name,
  request: Writes[Name]["request"],
  key: string = crypto.randomUUID(),
): Promise<Writes[Name]["response"]> {
  const headers = { "Content-Type": "application/json", "Idempotency-Key": key, ...shown() };
  const sent = { method: "POST", credentials: "same-origin", headers, body: JSON.stringify(request) } as const;
  return answered(await fetch(`/v1/${name}`, sent));
}

async function answered<Answer>(response: Response): Promise<Answer> {
  if (response.ok) return (await response.json()) as Answer;
  let body: Record<string, unknown> = {};
  try {
    body = (await response.json()) as Record<string, unknown>;
  } catch {
    // no problem of ours: a proxy's page, say; the status is all there is to tell
  }
  throw new Problem(response.status, body);
}
