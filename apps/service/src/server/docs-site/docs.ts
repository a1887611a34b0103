import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { errorCodes } from "../../lib/lib.ts";
import { assetOf, fileOf, imagesOf, siteAssets } from "./assets.ts";
import type { Asset } from "./assets.ts";
import { readBuiltAssets } from "./built.ts";
import type { BuiltAssets } from "./built.ts";
import { FRONT, isRoute, ordered, pathOf } from "./contents.ts";
import type { Group } from "./contents.ts";
import { errorIndexPage, errorPage } from "./error-pages.ts";
import type { Docs, DocsFile } from "./file.ts";
import { frontOf, missingOf, pageOf, referenceOf } from "./layout.ts";
import type { Frame, NavigationGroup } from "./layout.ts";
import { plainAddress, rendered } from "./markdown.ts";
import type { Rendered } from "./markdown.ts";
import { LLMS, LLMS_FULL, llmsFullText, llmsText, operationsText } from "./plain-documents.ts";
import { REFERENCE_POLICY } from "./policy.ts";
import { SERVER_MANIFEST, serverManifest } from "./server-manifest.ts";
import { searchEntries, searchResults } from "./search-index.ts";
import type { DocumentedOperation, SearchEntry } from "./search-index.ts";

export { slugOf } from "./markdown.ts";
export { docsRoutes } from "./docs.routes.ts";
export type { DocumentedOperation } from "./search-index.ts";

export interface DocsDeps {
  readonly baseUrl: string;
  readonly version: string;
  /** Returns the API's operations, for the search. */
  operations(): readonly DocumentedOperation[];
  /** The folder of the Markdown; by default, in this repository. */
  readonly folder?: string;
  /** The folder of the built console. */
  readonly consoleFolder?: string;
}

interface DocsSite {
  readonly files: ReadonlyMap<string, DocsFile>;
  readonly missing: DocsFile;
  readonly entries: readonly SearchEntry[];
}

const FOLDER = fileURLToPath(new URL("../../../../../docs", import.meta.url));
const HTML = "text/html; charset=utf-8";
const MARKDOWN = "text/markdown; charset=utf-8";
const PLAIN = "text/plain; charset=utf-8";
const JSON_TYPE = "application/json; charset=utf-8";
const REFERENCE = "/docs/api";
const ERRORS = "/docs/errors";
/** Pages of the site that are not Markdown files. */
const TITLES: Readonly<Record<string, string>> = { [REFERENCE]: "API reference", [ERRORS]: "Errors" };

/**
 * Returns the documentation site: the Markdown of `docs`, `docs/guide` and `docs/reference`, the pages of errors, and
 * the API reference. It is rendered on the first request, and again after a build of the console, because its fonts and
 * the reference's script come from that build.
 */
export function createDocs(deps: DocsDeps): Docs {
  let current: { readonly built: string | undefined; readonly site: Promise<DocsSite> } | undefined;
  const loaded = async (): Promise<DocsSite> => {
    const built = await readBuiltAssets(deps.consoleFolder);
    if (current === undefined || current.built !== built) current = { built, site: siteOf(deps, built) };
    return await current.site;
  };
  return {
    find: async (path) => (await loaded()).files.get(path),
    search: async (query) => searchResults((await loaded()).entries, query, deps.baseUrl),
    missing: async () => (await loaded()).missing,
  };
}

async function siteOf(deps: DocsDeps, builtText: string | undefined): Promise<DocsSite> {
  const { baseUrl, folder = FOLDER } = deps;
  const built = builtText === undefined ? undefined : (JSON.parse(builtText) as BuiltAssets);
  const [assets, images] = await Promise.all([siteAssets(built), imagesOf(folder)]);
  const groups = JSON.parse(await readFile(join(folder, "contents.json"), "utf8")) as readonly Group[];
  const contents = ordered(groups, await pagesOf(folder));
  const pages = await renderedPages(folder, contents, images);
  const entries = searchEntries(pages, deps.operations());
  const index = assetOf("search.json", JSON.stringify(entries));
  const navigation = navigationOf(contents, pages);
  const frame: Frame = { baseUrl, navigation, assets, searchIndex: index[0] };
  const plain = { baseUrl, navigation, pages };
  return {
    files: new Map([
      ...markdownFiles(frame, pages),
      ...errorFiles(frame),
      [REFERENCE, fileOf(HTML, referenceOf(frame, built?.reference), { policy: REFERENCE_POLICY })],
      [plainAddress(REFERENCE), fileOf(MARKDOWN, operationsText(deps.operations()))],
      [LLMS, fileOf(PLAIN, llmsText(plain))],
      [LLMS_FULL, fileOf(PLAIN, llmsFullText(plain))],
      [SERVER_MANIFEST, fileOf(JSON_TYPE, serverManifest(deps))],
      ...assets.files,
      ...images.values(),
      index,
    ]),
    missing: fileOf(HTML, missingOf(frame)),
    entries,
  };
}

async function renderedPages(
  folder: string,
  contents: readonly Group[],
  images: ReadonlyMap<string, Asset>,
): Promise<Map<string, Rendered>> {
  const names = [FRONT, ...contents.flatMap((group) => group.pages).filter((page) => !isRoute(page))];
  const resolve = (file: string): string | undefined => resolved(file, names, images);
  const pages = new Map<string, Rendered>();
  for (const name of names) pages.set(name, rendered(name, await readFile(join(folder, name), "utf8"), resolve));
  return pages;
}

function markdownFiles(frame: Frame, pages: ReadonlyMap<string, Rendered>): [string, DocsFile][] {
  return [...pages].flatMap(([name, page]) => {
    const path = pathOf(name);
    return bothForms(path, name === FRONT ? frontOf(frame, page) : pageOf(frame, path, page), page);
  });
}

function errorFiles(frame: Frame): [string, DocsFile][] {
  const pages: (readonly [string, Rendered])[] = [
    [ERRORS, errorIndexPage()],
    ...errorCodes.map((code) => [`${ERRORS}/${code}`, errorPage(code, frame.baseUrl)] as const),
  ];
  return pages.flatMap(([path, page]) => bothForms(path, pageOf(frame, path, page), page));
}

function bothForms(path: string, html: string, { markdown }: Rendered): [string, DocsFile][] {
  return [
    [path, fileOf(HTML, html)],
    [plainAddress(path), fileOf(MARKDOWN, markdown)],
  ];
}

/** Returns the Markdown files of the site: `docs/*.md`, `docs/guide`, `docs/reference`. */
async function pagesOf(folder: string): Promise<string[]> {
  const lists = await Promise.all(
    ["", "guide/", "reference/"].map(async (place) =>
      (await readdir(join(folder, place))).filter((name) => name.endsWith(".md")).map((name) => place + name),
    ),
  );
  return lists.flat();
}

function resolved(file: string, names: readonly string[], images: ReadonlyMap<string, Asset>): string | undefined {
  if (names.includes(file)) return pathOf(file);
  if (file === "../openapi/openapi.json") return "/openapi.json";
  return images.get(file)?.[0];
}

function navigationOf(contents: readonly Group[], pages: ReadonlyMap<string, Rendered>): NavigationGroup[] {
  return contents.map(({ title, pages: names }) => ({
    title,
    links: names.map((name) => ({ path: pathOf(name), title: TITLES[name] ?? pages.get(name)?.title ?? name })),
  }));
}
