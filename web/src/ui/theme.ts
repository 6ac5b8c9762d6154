/** Light or dark: as the machine says, unless the person has chosen. */
import { effect, signal } from "@preact/signals";

const KEY = "folkmoot-theme";

export const theme = signal(localStorage.getItem(KEY) ?? "");

effect(() => {
  if (theme.value) document.documentElement.dataset["theme"] = theme.value;
  else delete document.documentElement.dataset["theme"];
});

export function turnTheme(): void {
  const isDark = theme.value ? theme.value === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  theme.value = isDark ? "light" : "dark";
  localStorage.setItem(KEY, theme.value);
}
