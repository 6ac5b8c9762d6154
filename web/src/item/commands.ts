/** What can be done in the drawer by a key. The table of all commands has them too; whoever can do one says so. */
import { useLayoutEffect } from "preact/hooks";
import type { Command } from "../commands/table";

type CommandName =
  | "close" | "nextTab" | "previousTab" | "wider" | "nextHunk" | "previousHunk" | "nextFile" | "previousFile"
  | "comment" | "reviewed" | "sendBack" | "layout" | "earlier" | "later";

const doers = new Map<CommandName, () => void>();

/** Done as long as the asking part is on the page. */
export function useCommand(name: CommandName, run: () => void): void {
  useLayoutEffect(() => {
    doers.set(name, run);
    return () => {
      if (doers.get(name) === run) doers.delete(name);
    };
  });
}

function command(name: CommandName, key: string, words: string): Command {
  return {
    id: `item-${name}`,
    keys: [key],
    words,
    group: "An open item",
    when: () => doers.has(name),
    run: () => doers.get(name)?.(),
  };
}

export const itemCommands: readonly Command[] = [
  command("close", "Escape", "Close the item"),
  command("nextTab", "]", "Next tab"),
  command("previousTab", "[", "Previous tab"),
  command("wider", "w", "Wider, or as wide as before"),
  command("earlier", ",", "One event back in time"),
  command("later", ".", "One event on in time"),
  command("nextFile", "j", "Next file"),
  command("previousFile", "k", "Previous file"),
  command("nextHunk", "n", "Next change"),
  command("previousHunk", "p", "Previous change"),
  command("comment", "c", "Comment on the line"),
  command("reviewed", "v", "Tick the file as reviewed"),
  command("layout", "u", "Side by side, or one below the other"),
  command("sendBack", "s", "Send it back with your comments"),
];
