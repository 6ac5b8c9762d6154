/** The page around the pages: where one can go, whether the picture is live, and who looks at it. */
import type { ComponentType } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { Sheets } from "./acts/sheets";
import { BoardPage } from "./board/page";
import { select, selected } from "./board/select";
import { ChosenBar } from "./commands/chosen_bar";
import { begun } from "./commands/keys";
import { Menu } from "./commands/menu";
import { go, link, me, route } from "./live";
import { Header } from "./shell/header";
import { SignIn } from "./shell/sign_in";

interface DrawerProps {
  id: string;
  tab: string;
  onClose: () => void;
}

type Lazy<Props> = () => Promise<ComponentType<Props>>;

const drawer: Lazy<DrawerProps> = async () => (await import("./item/drawer")).ItemDrawer;
const pages: Record<string, Lazy<object>> = {
  numbers: async () => (await import("./numbers/page")).NumbersPage,
  workers: async () => (await import("./numbers/workers")).WorkersPage,
  log: async () => (await import("./log/page")).LogPage,
};

/** A part that is fetched when it is first needed. */
function useLazy<Props>(load: Lazy<Props> | undefined): ComponentType<Props> | null {
  const [found, setFound] = useState<{ load: unknown; part: ComponentType<Props> } | null>(null);
  useEffect(() => {
    if (load) void load().then((part) => setFound({ load, part }));
  }, [load]);
  return found && found.load === load ? found.part : null;
}

export function App() {
  if (link.value.link === "stranger") return <SignIn />;
  return (
    <>
      <Header />
      <Place />
      {route.value.item ? <Drawer id={route.value.item} tab={route.value.tab} /> : null}
      {me.value ? <Sheets /> : null}
      <Menu />
      <ChosenBar />
      {begun.value ? <div class="begun">{begun.value} …</div> : null}
    </>
  );
}

function Place() {
  const load = pages[route.value.page];
  const Page = useLazy(load);
  if (!load) return <BoardPage />;
  return Page ? <Page /> : <main aria-busy="true" />;
}

function Drawer({ id, tab }: { id: string; tab: string }) {
  const Part = useLazy(drawer);
  useLayoutEffect(() => {
    selected.value = id;
    // Whoever comes back finds the card under the keys; after the drawer has given the focus back to where it was.
    return () => queueMicrotask(() => route.value.page === "board" && !route.value.item && select(id));
  }, [id]);
  return Part ? <Part key={id} id={id} tab={tab} onClose={() => go("/")} /> : null;
}
