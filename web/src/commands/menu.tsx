/** What can be done with one card, for the pointer and for touch: the same commands as by key. */
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { selected } from "../board/select";
import { keyWords } from "./keys";
import { COMMANDS } from "./table";
import "./menu.css";

const place = signal<{ x: number; y: number } | null>(null);
const close = () => (place.value = null);

export function openMenu(id: string, beside: Element): void {
  selected.value = id;
  const box = beside.getBoundingClientRect();
  place.value = { x: Math.max(8, Math.min(box.right - 240, innerWidth - 256)), y: Math.min(box.bottom + 4, innerHeight - 330) };
}

export function Menu() {
  return place.value ? <Opened x={place.value.x} y={place.value.y} /> : null;
}

function Opened({ x, y }: { x: number; y: number }) {
  const list = useRef<HTMLDivElement>(null);
  const buttons = () => [...(list.current?.querySelectorAll("button") ?? [])];
  useEffect(() => {
    buttons()[0]?.focus();
    const away = (event: PointerEvent) => !list.current?.contains(event.target as Node) && close();
    addEventListener("pointerdown", away, true);
    return () => removeEventListener("pointerdown", away, true);
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape" || event.key === "Tab") close();
    else if (!by) return;
    else {
      const all = buttons();
      const at = all.findIndex((one) => one === document.activeElement);
      all[(at + by + all.length) % all.length]?.focus();
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const fitting = COMMANDS.filter((command) => (command.group === "This item" || command.id === "open") && command.when());
  return (
    <div ref={list} class="menu" role="menu" aria-label={`#${selected.value}`} style={{ left: `${x}px`, top: `${y}px` }} onKeyDown={onKeyDown}>
      {fitting.map((command) => (
        <button
          key={command.id}
          type="button"
          role="menuitem"
          onClick={() => {
            close();
            command.run();
          }}
        >
          {command.words} <kbd>{keyWords(command.keys[0] ?? "")}</kbd>
        </button>
      ))}
    </div>
  );
}
