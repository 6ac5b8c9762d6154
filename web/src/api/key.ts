/** The key of this page. A browser sends its cookie to every server of the same machine, whatever its port; the key is
 *  kept by pages of this one alone. The link that signs a browser in leads to `#page=KEY`. */
const PLACE = "moot-page";

export function keep(hash: string, kept: Storage): boolean {
  const found = /^#page=([\w.-]+)$/.exec(hash);
  if (found?.[1]) kept.setItem(PLACE, found[1]);
  return found !== null;
}

/** A worker has no storage: what it asks for, whoever may look gets. */
export function shown(kept: Storage | undefined = globalThis.localStorage): Record<string, string> {
  const key = kept?.getItem(PLACE);
  return key ? { "Moot-Page": key } : {};
}

if (typeof history !== "undefined" && keep(location.hash, localStorage)) history.replaceState(null, "", "#/");
