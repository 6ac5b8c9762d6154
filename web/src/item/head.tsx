/** How the item stands, why, and what to do next. */
import type { ItemView } from "../api/types";
import { me, now } from "../live";
import { count, money, since, span } from "../ui/words";
import { Answer } from "./answer";
import { Icon } from "../ui/icons";
import type { Tab } from "./tabs";
import { ENDED, standing } from "./words";

interface HeadProps {
  item: ItemView;
  /** Another button on the page is the filled one. */
  quiet: boolean;
  /** Questions show their choices at once: there is room, and nothing else was asked for. */
  unfolded: boolean;
  shown: Tab;
  show: (tab: Tab) => void;
  take: (item: ItemView) => void;
}

export function Head({ item, quiet, unfolded, shown, show, take }: HeadProps) {
  const state = standing(item);
  const asked = item.questions.filter((question) => question.state === "open");
  return (
    <div class="head">
      <h2 class="head-title" id="drawer-title" dir="auto" title={item.title}>{item.title}</h2>
      <p class="head-state">
        <span class={`badge tone-${state.tone}`}><Icon name={state.icon} /> {state.words}</span>
        <span class="head-fact">in <b>{item.column}</b></span>
        <Age item={item} />
        <Spent item={item} />
        <span class="head-fact">{item.priority} priority</span>
        {item.tags.map((tag) => <span class="head-tag" key={tag}>{tag}</span>)}
      </p>
      {!asked.length && <Why words={item.why} />}
      {asked.map((question, at) => <Answer key={question.id} question={question} filled={at === 0 && !quiet} unfolded={unfolded} take={take} />)}
      {!asked.length && <Next item={item} quiet={quiet} shown={shown} show={show} />}
    </div>
  );
}

/** The server's own words; where they name no ground, they are one. */
export function Why({ words }: { words: string }) {
  if (!words) return null;
  return <p class="head-why" dir="auto">{!words.includes("because") && <span class="quiet">because </span>}{words}</p>;
}

function Age({ item }: { item: ItemView }) {
  // While somebody works, every sign of life is a change of the item: what counts is since when.
  const run = item.runs.find((one) => !one.ended_at);
  const going = run ? since(run.started_at, now.value) : null;
  if (going !== null) return <span class="head-fact">for {span(going)}</span>;
  const age = since(item.updated_at, now.value);
  return age === null ? null : <span class="head-fact">moved {span(age)} ago</span>;
}

function Spent({ item }: { item: ItemView }) {
  const tokens = item.runs.reduce((sum, run) => sum + (run.tokens ?? 0), 0);
  const lacks = item.runs.some((run) => !run.gate && run.cost_usd === null);
  const cost = item.cost_usd === null ? null : `${money(item.cost_usd)}${lacks ? "+" : ""}`;
  if (!item.runs.length) return null;
  return <span class="head-fact">{cost ?? "cost unknown"}{tokens ? ` · ${count(tokens)} tokens` : ""}</span>;
}

interface NextProps {
  item: ItemView;
  quiet: boolean;
  shown: Tab;
  show: (tab: Tab) => void;
}

/** The one thing that a person would do now. Where nobody is needed, it says so. */
function Next({ item, quiet, shown, show }: NextProps) {
  const [words, tab] = nextOf(item);
  if (tab !== "reopen" && (tab === null || tab === shown)) return tab === null ? <p class="head-next quiet">{words}</p> : null;
  if (tab === "reopen" && !me.value?.canWrite) return null;
  const run = () => (tab === "reopen" ? openForm("reopen") : show(tab));
  return <p class="head-next"><button class={quiet ? "button" : "button main"} onClick={run}>{words}</button></p>;
}

function nextOf(item: ItemView): [string, Tab | "reopen" | null] {
  if (item.status === "running") return ["Watch it work", "runs"];
  if (item.status === "proving") return ["See its gates", "proof"];
  if (item.status === "done" && item.head) return ["See what it changed", "changes"];
  if (ENDED.has(item.status) && item.status !== "done") return ["Take it up again …", "reopen"];
  return ["Nobody needs you here now.", null];
}

export function openForm(name: string): void {
  const form = document.getElementById(`item-form-${name}`);
  if (!(form instanceof HTMLDetailsElement)) return;
  form.open = true;
  form.scrollIntoView({ block: "center" });
  form.querySelector<HTMLElement>("input, textarea, select, button")?.focus({ preventScroll: true });
}
