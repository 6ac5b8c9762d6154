/** Where in the page one is: by the hash, so that a page saved as a file has the same addresses. */
import { signal } from "@preact/signals";

export interface Route {
  page: "board" | "numbers" | "workers" | "log";
  item: string | null;
  tab: string;
}

function read(): Route {
  const [first = "", second = "", third = ""] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  if (first === "item" && second) return { page: "board", item: second, tab: third };
  const page = first === "numbers" || first === "workers" || first === "log" ? first : "board";
  return { page, item: null, tab: second };
}

export const route = signal<Route>(read());

window.addEventListener("hashchange", () => {
  const found = read();
  if (JSON.stringify(found) !== JSON.stringify(route.value)) route.value = found;
});

/** `go("/item/7/changes")`. Going where one is already changes nothing, also not in the history. */
export function go(path: string): void {
  const hash = `#/${path.replace(/^[#/]+/, "")}`;
  if (location.hash === hash) return;
  location.hash = hash;
  route.value = read(); // at once: the browser tells of it only later, and a key may come before
}
