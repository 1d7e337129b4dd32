// Dark and light: as the system has it, until the user chooses.
export type Theme = "system" | "light" | "dark";

const name = "da.theme";

export function theme(): Theme {
  const t = localStorage.getItem(name);
  return t === "light" || t === "dark" ? t : "system";
}

export function setTheme(t: Theme) {
  if (t === "system") localStorage.removeItem(name);
  else localStorage.setItem(name, t);
  apply();
}

function apply() {
  const t = theme();
  const dark = !matchMedia("print").matches // paper is light
    && (t === "dark" || (t === "system" && matchMedia("(prefers-color-scheme: dark)").matches));
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  dispatchEvent(new Event("themechange"));
}

/** Applies the theme now, and again whenever the system's changes or another tab chooses one. */
export function followTheme() {
  apply();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);
  matchMedia("print").addEventListener("change", apply);
  addEventListener("storage", apply);
}
