/** The first screen: who needs me, whether anything moves, and where everything stands. */
import { go } from "../live";
import { rest } from "../live/board";
import { Columns } from "./columns";
import { elsewhere } from "./filter";
import { Needs } from "./needs";
import { Peek } from "./peek";
import { Pulse } from "./pulse";
import { byQuest, Quests } from "./quests";
import "./page.css";

export function BoardPage() {
  if (!rest.value) return <main class="board" aria-busy="true" />;
  return (
    <main class="board">
      <h1 class="hidden">Board</h1>
      <Pulse />
      <Needs />
      <Elsewhere />
      {byQuest.value ? <Quests /> : <Columns />}
      <Peek />
    </main>
  );
}

/** What the filter finds and no card shows. */
function Elsewhere() {
  if (!elsewhere.value.length) return null;
  return (
    <p class="elsewhere">
      Also found:{" "}
      {elsewhere.value.map((item) => (
        <a key={item.id} href={`#/item/${item.id}`} onClick={() => go(`/item/${item.id}`)}>
          #{item.id} {item.title}
        </a>
      ))}
    </p>
  );
}
