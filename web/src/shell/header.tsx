/** The bar above every page, and below it the word when the picture is not live. */
import { modal } from "../acts/modal";
import { filter } from "../board/filter";
import { byQuest } from "../board/quests";
import { open } from "../board/answering";
import { go, link, me, now, route, seq } from "../live";
import { rest } from "../live/board";
import { askToNotify, mayAsk } from "../live/notify";
import { Icon } from "../ui/icons";
import { span } from "../ui/words";
import "./header.css";

const PAGES = [
  { page: "board", path: "/", words: "Board" },
  { page: "numbers", path: "/numbers", words: "Numbers" },
  { page: "workers", path: "/workers", words: "Workers" },
  { page: "log", path: "/log", words: "Log" },
];

export function Header() {
  return (
    <header>
      <Bar />
      <LinkState />
    </header>
  );
}

function Bar() {
  return (
    <div class="header">
      <a class="header-name" href="#/" onClick={() => go("/")}>
        <Icon name="talk" /> {me.value?.board || rest.value?.flow || "Folkmoot"}
      </a>
      <nav class="header-pages" aria-label="Pages">
        {PAGES.map(({ page, path, words }) => (
          <a key={page} href={`#${path}`} aria-current={route.value.page === page ? "page" : undefined}>
            {words}
            {page === "board" && open.value.length ? <b class="header-count">{open.value.length}</b> : null}
          </a>
        ))}
      </nav>
      <span class="header-gap" />
      {route.value.page === "board" ? <Filter /> : null}
      {mayAsk() ? (
        <button type="button" class="button plain header-wide" title="Tell me when I am needed" aria-label="Tell me when I am needed" onClick={() => void askToNotify()}>
          <Icon name="bell" />
        </button>
      ) : null}
      <button type="button" class="button plain" title="Find anything (Ctrl-K)" onClick={() => (modal.value = { kind: "palette" })}>
        <Icon name="search" label="Find anything" />
        <kbd class="header-wide">Ctrl-K</kbd>
      </button>
      <button type="button" class="button plain header-wide" title="Show all keys (?)" aria-label="Show all keys" onClick={() => (modal.value = { kind: "sheet" })}>
        <Icon name="keys" />
      </button>
      {me.value?.canWrite ? (
        <button type="button" class="button main" onClick={() => (modal.value = { kind: "add" })}>
          <Icon name="plus" /> New
        </button>
      ) : null}
      {me.value && !me.value.canWrite ? <span class="header-role">You only look</span> : null}
    </div>
  );
}

function Filter() {
  return (
    <>
      <input
        id="filter"
        class="input header-filter"
        type="search"
        aria-label="Filter the cards"
        placeholder="Filter  /"
        value={filter.value}
        onInput={(event) => (filter.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") filter.value = "";
        }}
      />
      <button
        type="button"
        class={`button plain header-wide ${byQuest.value ? "is-on" : ""}`}
        aria-pressed={byQuest.value}
        title="Group by quest (v)"
        aria-label="Group by quest"
        onClick={() => (byQuest.value = !byQuest.value)}
      >
        <Icon name="quest" />
      </button>
    </>
  );
}

/** Plainly: since when it is not live, and from when the picture is. */
function LinkState() {
  const { link: state, asOf, why } = link.value;
  if (state === "live")
    return (
      <p class="hidden" data-link="live" data-seq={seq.value} data-role={me.value?.role}>
        live
      </p>
    );
  const isNew = !asOf;
  return (
    <p class={`link-state ${state === "offline" ? "is-offline" : "is-starting"}`} role="status" data-link={state}>
      {state === "starting" || isNew
        ? state === "offline"
          ? `Offline: ${why}. Trying again.`
          : "Reading the board …"
        : `Offline for ${span((now.value - asOf) / 1000)}: this is the board as of ${new Date(asOf).toLocaleTimeString()} (${why}).`}
    </p>
  );
}
