/** Everything by its name: items, columns, commands. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { read } from "../api/client";
import type { Found } from "../api/types";
import { close } from "../acts/modal";
import { filter } from "../board/filter";
import { select } from "../board/select";
import { columnWords, stateOf } from "../board/state";
import { go } from "../live";
import { allCards, numeric, rest } from "../live/board";
import { Dialog } from "../ui/dialog";
import { keyWords } from "./keys";
import { COMMANDS } from "./table";
import "./palette.css";

interface Entry {
  id: string;
  kind: string;
  words: string;
  hint: string;
  run: () => void;
}

const MOST = 50;

function entries(): Entry[] {
  const commands = COMMANDS.filter((command) => command.when() && command.id !== "palette" && command.id !== "back").map((command) => ({
    id: `command-${command.id}`,
    kind: command.group,
    words: command.words,
    hint: keyWords(command.keys[0] ?? ""),
    run: command.run,
  }));
  const items = allCards()
    .sort((one, other) => numeric(other.id, one.id))
    .map((card) => ({
      id: `item-${card.id}`,
      kind: "Item",
      words: `#${card.id} ${card.title}`,
      hint: `${columnWords(card.column)} · ${stateOf(card).word}`,
      run: () => go(`/item/${card.id}`),
    }));
  const columns = (rest.value?.columns ?? []).map((name) => ({ id: `column-${name}`, kind: "Column", words: columnWords(name), hint: "", run: () => goToColumn(name) }));
  return [...commands, ...columns, ...items];
}

function goToColumn(name: string): void {
  go("/");
  filter.value = "";
  const card = document.querySelector<HTMLElement>(`[data-column="${CSS.escape(name)}"] [data-card]`)?.dataset["card"];
  if (card) select(card);
  else document.querySelector(`[data-column="${CSS.escape(name)}"]`)?.scrollIntoView({ inline: "center" });
}

/** Items in which the words are said anywhere: in a text, a report, a comment. */
function useSaid(text: string): Entry[] {
  const [said, setSaid] = useState<Found | null>(null);
  useEffect(() => {
    setSaid(null);
    if (text.trim().length < 3) return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      read("search", { text: text.trim() }, stop.signal).then(setSaid, () => undefined); // names are found without it
    }, 200);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text]);
  return (said?.items ?? []).map((item) => ({
    id: `said-${item.id}`,
    kind: "Said in",
    words: `#${item.id} ${said?.matches[item.id] ?? item.title}`,
    hint: columnWords(item.column),
    run: () => go(`/item/${item.id}`),
  }));
}

export function Palette() {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const all = useMemo(entries, []);
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (entry: Entry) => wanted.every((word) => `${entry.kind} ${entry.words} ${entry.hint}`.toLowerCase().includes(word));
  const said = useSaid(text);
  const named = all.filter(fits).slice(0, MOST);
  const found = [...named, ...said.filter((entry) => !named.some((one) => one.id === entry.id.replace("said", "item")))];
  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    close();
    // after the sheet has given the focus back
    setTimeout(entry.run);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") setAt(Math.min(at + 1, found.length - 1));
    else if (event.key === "ArrowUp") setAt(Math.max(at - 1, 0));
    else if (event.key === "Enter") run(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Find anything" onClose={close}>
      <input
        class="input"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found[at] ? `palette-${found[at].id}` : undefined}
        aria-label="Items, columns, commands"
        placeholder="An item, a column, a command"
        autofocus
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="palette-list" class="palette-list" role="listbox" aria-label="Found">
        {found.map((entry, number) => (
          <li
            key={entry.id}
            id={`palette-${entry.id}`}
            role="option"
            aria-selected={number === at}
            class="palette-entry"
            ref={(element) => {
              if (number === at) element?.scrollIntoView({ block: "nearest" });
            }}
            onClick={() => run(entry)}
          >
            <span class="palette-kind">{entry.kind}</span>
            <span class="palette-words">{entry.words}</span>
            <span class="palette-hint">{entry.hint}</span>
          </li>
        ))}
      </ul>
      {found.length ? null : <p class="quiet">Nothing is called so.</p>}
    </Dialog>
  );
}
