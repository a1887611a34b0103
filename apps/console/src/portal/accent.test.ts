import { expect, test } from "vitest";
import { accentsOf, contrast } from "./accent.ts";

type Color = readonly [number, number, number];

/** Returns the colors of a token in the light and in the dark mode. */
function colors(token: string | undefined): [Color, Color] {
  const found = [...(token ?? "").matchAll(/rgb\((\d+) (\d+) (\d+)\)/g)].map(([, red, green, blue]): Color => [
    Number(red),
    Number(green),
    Number(blue),
  ]);
  return found as [Color, Color];
}

test("text in any accent color has the contrast of WCAG AA in both modes", () => {
  for (let hue = 0; hue < 4096; hue += 37) {
    const accent = `#${(hue * 4099).toString(16).padStart(6, "0").slice(-6)}`;
    const tokens = accentsOf(accent);
    const [light, dark] = colors(tokens["--accent"]);
    const [softLight, softDark] = colors(tokens["--accent-soft"]);
    const [onLight, onDark] = colors(tokens["--on-accent"]);
    const pairs: readonly (readonly [Color, Color])[] = [
      [light, [247, 247, 248]],
      [light, softLight],
      [light, onLight],
      [dark, [23, 24, 27]],
      [dark, softDark],
      [dark, onDark],
    ];
    for (const [text, surface] of pairs)
      expect([accent, text, surface, contrast(text, surface) >= 4.5]).toEqual([accent, text, surface, true]);
  }
});

test("an accent that can be read is not changed in its mode", () => {
  expect(accentsOf("#3451c7")["--accent"]).toMatch(/^light-dark\(rgb\(52 81 199\),/);
});
