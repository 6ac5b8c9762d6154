/** One item beside the board: how it stands first, what can be changed of it last. Each tab has an address. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { ItemView } from "../api/types";
import { go, me } from "../live";
import { useCommand } from "./commands";
import "./drawer.css";
import type { ChangesProps } from "./changes/changes";
import { Forms } from "./forms/forms";
import { Head } from "./head";
import { keep, kept } from "./memory";
import { Proof } from "./proof/proof";
import { Runs } from "./runs/runs";
import { Story } from "./story/story";
import { type Tab, Tabs, TABS } from "./tabs";
import { Talk } from "./talk/talk";
import { useItem, type Watched } from "./use_item";

/** From this width on the board stays in sight, and the drawer is not the only thing to be in. */
const BESIDE = "(min-width: 1100px)";

export function ItemDrawer({ id, tab, onClose }: { id: string; tab: string; onClose: () => void }) {
  const shown: Tab = TABS.find((one) => one === tab) ?? "story";
  const watched = useItem(id);
  const wide = useSignal(kept("", "wide", false));
  const frame = useFocus(id, onClose);
  const show = (next: Tab) => go(`/item/${encodeURIComponent(id)}/${next}`);
  const step = (by: number) => show(TABS[(TABS.indexOf(shown) + by + TABS.length) % TABS.length]!);
  const widen = () => keep("", "wide", (wide.value = !wide.value));
  useCommand("close", () => leaveField() || onClose());
  useCommand("nextTab", () => step(1));
  useCommand("previousTab", () => step(-1));
  useCommand("wider", widen);
  const { item, problem } = watched.loaded.value;
  return (
    <section class={`drawer ${wide.value ? "drawer-wide" : ""}`} ref={frame} role="dialog" aria-labelledby="drawer-title" tabIndex={-1}>
      <div class="drawer-bar">
        <span class="drawer-id">#{id}</span>
        {item && item.parent && <a class="drawer-parent" href={`#/item/${encodeURIComponent(item.parent)}`}>part of #{item.parent}</a>}
        <span class="drawer-space" />
        <button class="button plain drawer-widen" onClick={widen} aria-pressed={wide.value} aria-keyshortcuts="w">
          {wide.value ? "Narrower" : "Wider"} <kbd>w</kbd>
        </button>
        <button class="button plain" onClick={onClose} aria-keyshortcuts="Escape">
          Close <kbd>Esc</kbd>
        </button>
      </div>
      <div class="drawer-body">
        {problem && <p class="drawer-problem" role="alert">{problem.message} <span class="quiet">{problem.hint}</span></p>}
        {!(item && me.value) && !problem && <p class="drawer-empty" aria-busy="true">Looking at #{id} …</p>}
        {item && me.value && <Inside item={item} shown={shown} show={show} watched={watched} />}
      </div>
    </section>
  );
}

/** In a field the key that closes leaves the field first. */
function leaveField(): boolean {
  const active = document.activeElement;
  const isField = active instanceof HTMLElement && active.matches("input:not([type=radio], [type=checkbox], [type=range]), textarea, select");
  if (isField) active.blur();
  return isField;
}

interface InsideProps {
  item: ItemView;
  shown: Tab;
  show: (tab: Tab) => void;
  watched: Watched;
}

function Inside({ item, shown, show, watched }: InsideProps) {
  const { events } = watched.loaded.value;
  const drafts = useSignal(kept<unknown[]>(item.id, "drafts", []).length);
  const unfolded = useMemo(() => matchMedia(BESIDE).matches && shown !== "changes" && shown !== "runs", []);
  // One filled button on the screen: comments that wait to be sent come before what the item asks for.
  const draftsFirst = shown === "changes" && drafts.value > 0;
  return (
    <>
      <Head item={item} quiet={draftsFirst} unfolded={unfolded} shown={shown} show={show} take={watched.take} key={item.id} />
      <Tabs item={item} shown={shown} show={show} drafts={drafts.value} />
      <div class="drawer-panel" role="tabpanel" id="item-panel" aria-labelledby={`item-tab-${shown}`}>
        {shown === "story" && <Story item={item} events={events} key={item.id} />}
        {shown === "changes" && (
          <LateChanges item={item} take={watched.take} drafted={(count) => (drafts.value = count)} key={item.id} />
        )}
        {shown === "runs" && <Runs item={item} take={watched.take} key={item.id} />}
        {shown === "talk" && <Talk item={item} events={events} take={watched.take} key={item.id} />}
        {shown === "proof" && <Proof item={item} key={item.id} />}
      </div>
      <Forms item={item} take={watched.take} key={`forms-${item.id}`} />
    </>
  );
}

/** The diff is a file of its own: most looks at an item do not need it. */
function LateChanges(props: ChangesProps) {
  const face = useSignal<((props: ChangesProps) => ComponentChildren) | null>(null);
  useEffect(() => {
    void import("./changes/changes").then((found) => (face.value = found.Changes));
  }, []);
  const Face = face.value;
  return Face ? <Face {...props} /> : <p class="drawer-empty" aria-busy="true">Looking at the change …</p>;
}

/** The drawer gets the focus, and gives it back to where it was. On a small screen it keeps it meanwhile. */
function useFocus(id: string, onClose: () => void) {
  const frame = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    frame.current?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  useEffect(() => {
    frame.current?.querySelector(".drawer-body")?.scrollTo(0, 0);
  }, [id]);
  useEffect(() => {
    const beside = matchMedia(BESIDE);
    const mark = () => {
      if (beside.matches) frame.current?.removeAttribute("aria-modal");
      else frame.current?.setAttribute("aria-modal", "true");
    };
    const stay = (event: KeyboardEvent) => {
      if (event.key === "Tab" && !beside.matches && frame.current) turnRound(frame.current, event);
    };
    mark();
    beside.addEventListener("change", mark);
    addEventListener("keydown", stay);
    return () => {
      beside.removeEventListener("change", mark);
      removeEventListener("keydown", stay);
    };
  }, [onClose]);
  return frame;
}

function turnRound(frame: HTMLElement, event: KeyboardEvent): void {
  const all = [...frame.querySelectorAll<HTMLElement>("a[href], button, input, textarea, select, summary, [tabindex='0']")];
  const reachable = all.filter((one) => one.tabIndex >= 0 && !one.hasAttribute("disabled") && one.checkVisibility());
  const edge = event.shiftKey ? reachable[0] : reachable.at(-1);
  const other = event.shiftKey ? reachable.at(-1) : reachable[0];
  const outside = !frame.contains(document.activeElement);
  if (document.activeElement !== edge && !outside && !(event.shiftKey && document.activeElement === frame)) return;
  event.preventDefault();
  other?.focus();
}
