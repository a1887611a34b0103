/** Red, green and blue, each from 0 to 255. */
type Color = readonly [number, number, number];

const WHITE: Color = [255, 255, 255];
const BLACK: Color = [0, 0, 0];
/** The least contrast of text, by WCAG 2.2. A little more than 4.5, because colors are rounded. */
const LEAST = 4.6;
/** The lightest and the darkest surface on which the accent is text: `--accent-soft`, `--page` and so on in packages/design. */
const LIGHT_SURFACE: Color = [242, 242, 244];
const DARK_SURFACE: Color = [34, 36, 41];
const STEP = 0.04;

/**
 * Returns the design tokens of an accent color. It is darkened in the light mode and lightened in the dark mode as far as text of this
 * color needs to be readable.
 */
export function accentsOf(text: string): Readonly<Record<string, string>> {
  const accent = colorOf(text);
  const light = readable(accent, LIGHT_SURFACE, BLACK);
  const dark = readable(accent, DARK_SURFACE, WHITE);
  const lightSoft = mixed(light, WHITE, 0.9);
  const darkSoft = mixed(dark, BLACK, 0.78);
  return {
    "--accent": both(readable(light, lightSoft, BLACK), readable(dark, darkSoft, WHITE)),
    "--accent-strong": both(mixed(light, BLACK, 0.2), mixed(dark, WHITE, 0.2)),
    "--accent-soft": both(lightSoft, darkSoft),
    "--on-accent": both(WHITE, BLACK),
  };
}

/** Returns the contrast ratio of two colors by WCAG, from 1 to 21. */
export function contrast(one: Color, other: Color): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function colorOf(text: string): Color {
  const number = Number.parseInt(text.slice(1), 16);
  return [(number >> 16) & 255, (number >> 8) & 255, number & 255];
}

/** Moves a color towards another one until it can be read on a surface. */
function readable(color: Color, surface: Color, towards: Color): Color {
  for (let share = 0; share < 1; share += STEP) {
    const next = mixed(color, towards, share);
    if (contrast(next, surface) >= LEAST) return next;
  }
  return towards;
}

function mixed(color: Color, other: Color, share: number): Color {
  const part = (at: 0 | 1 | 2): number => Math.round(color[at] + (other[at] - color[at]) * share);
  return [part(0), part(1), part(2)];
}

function luminance(color: Color): number {
  const [red, green, blue] = color.map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);
}

function both(light: Color, dark: Color): string {
  return `light-dark(rgb(${light.join(" ")}), rgb(${dark.join(" ")}))`;
}
