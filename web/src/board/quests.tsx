/** The same cards as trees: each quest with its tasks, and what waits for what. */
import { signal } from "@preact/signals";
import { cardOf, numeric } from "../live/board";
import { Card } from "./card";
import { shown } from "./filter";
import { ENDED } from "./state";
import "./quests.css";

export const byQuest = signal(false);

/** Parents are those of shown cards, too: a task is never shown without what it is for. */
function tree(): Map<string | null, string[]> {
  const ids = new Set([...shown.value.values()].flat());
  for (const id of ids) {
    const parent = cardOf(id)?.value.parent;
    if (parent && cardOf(parent)) ids.add(parent);
  }
  const found = new Map<string | null, string[]>();
  for (const id of [...ids].sort(numeric)) {
    const card = cardOf(id)?.value;
    const parent = card?.parent && ids.has(card.parent) ? card.parent : null;
    found.set(parent, [...(found.get(parent) ?? []), id]);
  }
  return found;
}

export function Quests() {
  const all = tree();
  const roots = all.get(null) ?? [];
  const quests = roots.filter((id) => all.has(id));
  const single = roots.filter((id) => !all.has(id) && !ENDED.has(cardOf(id)!.value.status));
  return (
    <div class="quests" role="region" aria-label="Quests" tabIndex={-1}>
      {quests.map((id) => (
        <Quest key={id} id={id} all={all} />
      ))}
      <section class="quest" data-column="alone">
        <h2>{quests.length ? "Without a quest" : "No item has tasks of its own"}</h2>
        <div class="quest-tasks">
          {single.map((id) => (
            <Card key={id} id={id} />
          ))}
        </div>
      </section>
    </div>
  );
}

function Quest({ id, all }: { id: string; all: Map<string | null, string[]> }) {
  const tasks = all.get(id) ?? [];
  const done = tasks.filter((one) => cardOf(one)?.value.status === "done").length;
  return (
    <section class="quest" data-column={`quest-${id}`}>
      <h2>
        Quest #{id} <span class="quiet">{`${done} of ${tasks.length} tasks done`}</span>
      </h2>
      <Card id={id} />
      <ol class="quest-tasks">
        {tasks.map((task) => (
          <li key={task}>
            <After id={task} />
            <Card id={task} />
            {all.has(task) ? <Quest id={task} all={all} /> : null}
          </li>
        ))}
      </ol>
    </section>
  );
}

function After({ id }: { id: string }) {
  const after = cardOf(id)?.value.after ?? [];
  if (!after.length) return null;
  return <p class="quest-after">after {after.map((one) => `#${one}${cardOf(one)?.value.status === "done" ? " (done)" : ""}`).join(", ")}</p>;
}
