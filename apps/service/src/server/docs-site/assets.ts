import { hash } from "node:crypto";
import { glob, readFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { documentOf } from "../answers/sent-document.ts";
import type { BuiltAssets } from "./built.ts";
import type { DocsFile } from "./file.ts";
import { PAGE_POLICY } from "./policy.ts";

/** A file with its address, which contains a hash of its content. */
export type Asset = readonly [address: string, file: DocsFile];

/** Addresses of the scripts and of the style of the site's pages. */
export interface SiteAssets {
  readonly style: string;
  readonly theme: string;
  readonly script: string;
  /** The script of the page with the API reference. */
  readonly referenceScript: string;
  readonly files: readonly Asset[];
}

const FOLDER = fileURLToPath(new URL("../../../reference", import.meta.url));
const TOKENS = fileURLToPath(new URL("../../../../../packages/design/tokens.css", import.meta.url));
const PNG = "image/png";
const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".png": PNG,
  ".svg": "image/svg+xml",
};

/** Returns the site's own scripts and its style, with the design tokens and the fonts of the console. */
export async function siteAssets(built: BuiltAssets | undefined): Promise<SiteAssets> {
  const read = async (name: string): Promise<string> => await readFile(join(FOLDER, name), "utf8");
  const [tokens, css] = await Promise.all([readFile(TOKENS, "utf8"), read("site.css")]);
  const style = assetOf("site.css", [fontFaces(built), tokens, css].join("\n"));
  const theme = assetOf("theme.js", await read("theme.js"));
  const script = assetOf("site.js", await read("site.js"));
  const sign = assetOf("sign.js", await read("sign.js"));
  const referenceScript = assetOf("reference.js", (await read("reference.js")).replace("./sign.js", sign[0]));
  return {
    style: style[0],
    theme: theme[0],
    script: script[0],
    referenceScript: referenceScript[0],
    files: [style, theme, script, sign, referenceScript],
  };
}

/**
 * Returns the pictures that pages can show, by their path below `docs`: those of `docs/images`, and the wide, light
 * ones of `docs/screenshots`.
 */
export async function imagesOf(folder: string): Promise<ReadonlyMap<string, Asset>> {
  const images = new Map<string, Asset>();
  for await (const path of glob(["images/*", "screenshots/*-light-wide.png"], { cwd: folder }))
    images.set(path, assetOf(basename(path), await readFile(join(folder, path))));
  return images;
}

export function assetOf(name: string, content: string | Buffer): Asset {
  const bytes = Buffer.from(content);
  const end = extname(name);
  const mark = hash("sha256", bytes, "hex").slice(0, 12);
  const file = fileOf(TYPES[end] ?? "application/octet-stream", bytes, { forever: true });
  return [`/docs/assets/${basename(name, end)}.${mark}${end}`, file];
}

/** Returns a file. The default `policy` is that of the pages. */
export function fileOf(
  type: string,
  content: string | Buffer,
  { forever = false, policy = PAGE_POLICY }: { readonly forever?: boolean; readonly policy?: string } = {},
): DocsFile {
  // Pictures are compressed themselves.
  return { ...documentOf(type, content, { packs: type !== PNG }), forever, policy };
}

function fontFaces(built: BuiltAssets | undefined): string {
  if (built === undefined) return "";
  const face = (family: string, address: string): string =>
    `@font-face { font-family: "${family}"; font-weight: 100 900; font-display: swap; src: url("${address}") format("woff2"); }`;
  return [face("Geist Variable", built.fonts.sans), face("Geist Mono Variable", built.fonts.mono)].join("\n");
}
