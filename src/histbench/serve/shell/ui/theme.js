/**
 * Light, dark, or as the system says; the choice is kept in this browser.
 */

import { byId } from "./dom.js";

const KEY = "histbench.theme";
const NEXT = new Map([["auto", "light"], ["light", "dark"], ["dark", "auto"]]);

/** Let the button in the bar choose the theme. */
export function startTheme() {
  const toggle = byId("theme");
  let theme = stored();
  const apply = () => {
    if (theme === "auto") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.dataset.theme = theme;
    toggle.textContent = { auto: "Auto", light: "Light", dark: "Dark" }[theme] ?? "Auto";
    toggle.setAttribute("aria-label", `Theme: ${theme}`);
  };
  toggle.addEventListener("click", () => {
    theme = NEXT.get(theme) ?? "auto";
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // A browser that keeps nothing still shows it.
    }
    apply();
  });
  apply();
}

function stored() {
  try {
    const found = localStorage.getItem(KEY) ?? "auto";
    return NEXT.has(found) ? found : "auto";
  } catch {
    return "auto";
  }
}
