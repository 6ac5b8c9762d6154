/** The first screen: who needs me, whether anything moves, and where everything stands. */
import { rest } from "../live/board";
import { Columns } from "./columns";
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
      {byQuest.value ? <Quests /> : <Columns />}
      <Peek />
    </main>
  );
}
