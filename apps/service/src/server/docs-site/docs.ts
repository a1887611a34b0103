import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { errorCatalogue, errorCodes, errorGuide } from "../../lib/lib.ts";
import { FRONT, isRoute, ordered, pathOf } from "./contents.ts";
import type { Group } from "./contents.ts";
import { frontOf, missingOf, pageOf } from "./layout.ts";
import type { Frame, NavigationGroup } from "./layout.ts";
import { rendered } from "./markdown.ts";
import type { Rendered } from "./markdown.ts";
import type { Docs, DocsFile } from "./file.ts";

export { slugOf } from "./markdown.ts";
export { DOCS_HEADERS, docsRoutes } from "./docs.routes.ts";

export interface DocsDeps {
  readonly baseUrl: string;
  /** Where the Markdown lies; by default, in this repository. */
  readonly folder?: string;
}

interface DocsSite {
  readonly files: ReadonlyMap<string, DocsFile>;
  readonly missing: DocsFile;
}

interface SearchEntry {
  readonly page: string;
  readonly heading: string;
  readonly path: string;
  readonly text: string;
}

const FOLDER = fileURLToPath(new URL("../../../../../docs", import.meta.url));
const ASSETS = fileURLToPath(new URL("../../../reference", import.meta.url));
const HTML = "text/html; charset=utf-8";
const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
};
/** Pages that routes of their own serve. */
const ROUTES: Readonly<Record<string, string>> = { "/docs/api": "API reference", "/docs/errors": "Errors" };

/** The documentation site (`docs/guide`, `docs/reference`, `docs/*.md`), rendered once, when it is first asked for. */
export function createDocs({ baseUrl, folder = FOLDER }: DocsDeps): Docs {
  let site: Promise<DocsSite> | undefined;
  const loaded = async (): Promise<DocsSite> => await (site ??= siteOf(baseUrl, folder));
  return {
    find: async (path) => (await loaded()).files.get(path),
    missing: async () => (await loaded()).missing,
  };
}

async function siteOf(baseUrl: string, folder: string): Promise<DocsSite> {
  const [assets, images] = await Promise.all([assetsOf(ASSETS, ["site.css", "site.js"]), imagesOf(folder)]);
  const groups = JSON.parse(await readFile(join(folder, "contents.json"), "utf8")) as readonly Group[];
  const contents = ordered(groups, await pagesOf(folder));
  const names = [FRONT, ...contents.flatMap((group) => group.pages).filter((page) => !isRoute(page))];
  const resolve = (file: string): string | undefined => resolved(file, names, images);
  const pages = new Map<string, Rendered>();
  for (const name of names) pages.set(name, rendered(name, await readFile(join(folder, name), "utf8"), resolve));
  const index = assetOf("search.json", Buffer.from(JSON.stringify([...searchEntries(pages), ...errorEntries()])));
  const frame: Frame = {
    baseUrl,
    navigation: navigationOf(contents, pages),
    style: addressIn(assets, ".css"),
    script: addressIn(assets, ".js"),
    searchIndex: index[0],
  };
  const html = [...pages].map(([name, page]): [string, DocsFile] => {
    const path = pathOf(name);
    return [path, fileOf(HTML, name === FRONT ? frontOf(frame, page) : pageOf(frame, path, page))];
  });
  return { files: new Map([...html, ...assets, ...images, index]), missing: fileOf(HTML, missingOf(frame)) };
}

/** The Markdown of the site: `docs/*.md`, `docs/guide`, `docs/reference`. */
async function pagesOf(folder: string): Promise<string[]> {
  const lists = await Promise.all(
    ["", "guide/", "reference/"].map(async (place) =>
      (await readdir(join(folder, place))).filter((name) => name.endsWith(".md")).map((name) => place + name),
    ),
  );
  return lists.flat();
}

async function imagesOf(folder: string): Promise<ReadonlyMap<string, DocsFile>> {
  const place = join(folder, "images");
  return await assetsOf(place, await readdir(place));
}

async function assetsOf(folder: string, names: readonly string[]): Promise<ReadonlyMap<string, DocsFile>> {
  return new Map(await Promise.all(names.map(async (name) => assetOf(name, await readFile(join(folder, name))))));
}

function assetOf(name: string, bytes: Buffer): [string, DocsFile] {
  const end = extname(name);
  const mark = hash("sha256", bytes, "hex").slice(0, 12);
  const file = fileOf(TYPES[end] ?? "application/octet-stream", bytes, true);
  return [`/docs/assets/${basename(name, end)}.${mark}${end}`, file];
}

function fileOf(type: string, content: string | Buffer, forever = false): DocsFile {
  const bytes = Buffer.from(content);
  return {
    type,
    bytes,
    gzip: gzipSync(bytes),
    etag: `"${hash("sha256", bytes, "base64url").slice(0, 27)}"`,
    forever,
  };
}

function addressIn(files: ReadonlyMap<string, DocsFile>, end: string): string {
  return [...files.keys()].find((path) => path.endsWith(end)) ?? "";
}

function resolved(file: string, names: readonly string[], images: ReadonlyMap<string, DocsFile>): string | undefined {
  if (names.includes(file)) return pathOf(file);
  if (file === "../openapi/openapi.json") return "/openapi.json";
  if (!file.startsWith("images/")) return undefined;
  const name = basename(file, extname(file));
  return [...images.keys()].find((path) => path.startsWith(`/docs/assets/${name}.`));
}

function navigationOf(contents: readonly Group[], pages: ReadonlyMap<string, Rendered>): NavigationGroup[] {
  return contents.map(({ title, pages: names }) => ({
    title,
    links: names.map((name) => ({ path: pathOf(name), title: ROUTES[name] ?? pages.get(name)?.title ?? name })),
  }));
}

function searchEntries(pages: ReadonlyMap<string, Rendered>): SearchEntry[] {
  return [...pages].flatMap(([name, { title, sections }]) =>
    sections.map(({ id, level, title: heading, text }) => ({
      page: title,
      heading: level === 1 ? "" : heading,
      path: level === 1 ? pathOf(name) : `${pathOf(name)}#${id}`,
      text,
    })),
  );
}

function errorEntries(): SearchEntry[] {
  return errorCodes.map((code) => ({
    page: code,
    heading: "",
    path: `/docs/errors/${code}`,
    text: `${errorCatalogue[code].title} ${errorGuide[code].why} ${errorGuide[code].remedy}`,
  }));
}
