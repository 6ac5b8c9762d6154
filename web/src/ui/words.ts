/** Numbers and times as people read them. */

export function span(seconds: number): string {
  if (seconds < 60) return `${Math.max(0, Math.floor(seconds))} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3600)} h`;
}

export function since(then: string | null | undefined, now: number): number | null {
  if (!then) return null;
  return Math.max(0, (now - Date.parse(then)) / 1000);
}

/** Null is unknown, and never $0.00. */
export function money(usd: number | null | undefined): string | null {
  if (usd === null || usd === undefined) return null;
  return usd > 0 && usd < 0.01 ? "<$0.01" : `$${usd.toFixed(2)}`;
}

export function count(number: number): string {
  if (number < 10_000) return String(number);
  if (number < 1_000_000) return `${(number / 1000).toFixed(number < 100_000 ? 1 : 0)} k`;
  return `${(number / 1_000_000).toFixed(1)} M`;
}
