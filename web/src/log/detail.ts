/** What of an event's facts a person wants to read in its line. */
const TOLD = ["summary", "to", "column", "why", "reason", "question", "answer", "outcome", "cause", "model", "gate", "title", "content", "text", "paths", "commit"];
const MOST = 160;

export function detailOf(context: Record<string, unknown>): string {
  const parts = TOLD.flatMap((name) => {
    const value = context[name];
    if (value === null || value === undefined || value === "" || typeof value === "object" && !Array.isArray(value)) return [];
    const text = Array.isArray(value) ? value.join(", ") : String(value);
    return text ? [name === "to" || name === "column" ? `→ ${text}` : text] : [];
  });
  const all = parts.join(" · ").replaceAll(/\s+/g, " ");
  return all.length > MOST ? `${all.slice(0, MOST)}…` : all;
}
