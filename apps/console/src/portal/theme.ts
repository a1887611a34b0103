import type { wire } from "../api/api.ts";
import { accentsOf } from "./accent.ts";

/** The radii of the console, as factors of the largest one. */
const RADII = { "--radius-sm": 0.33, "--radius-md": 0.5, "--radius-lg": 0.67, "--radius-xl": 1 };

/** Applies the theme of a session to the page. */
export function applyTheme({ accent, radius, font, mode = "auto" }: wire.PortalTheme): void {
  const root = document.documentElement;
  if (mode === "auto") delete root.dataset["theme"];
  else root.dataset["theme"] = mode;
  const properties: Record<string, string> = {};
  if (accent !== undefined) Object.assign(properties, accentsOf(accent));
  if (font !== undefined) properties["--font-sans"] = font;
  if (radius !== undefined)
    for (const [name, factor] of Object.entries(RADII)) properties[name] = `${Math.round(radius * factor)}px`;
  for (const [name, value] of Object.entries(properties)) root.style.setProperty(name, value);
}
