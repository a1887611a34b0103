import { errorCatalogue, errorCodes, errorGuide } from "../../lib/lib.ts";
import { pathOf } from "./contents.ts";
import type { Rendered } from "./markdown.ts";

/** One entry that the search can find. */
export interface SearchEntry {
  readonly kind: "page" | "operation" | "error";
  readonly page: string;
  /** The heading; empty for the page itself. */
  readonly heading: string;
  readonly path: string;
  readonly text: string;
}

/** An operation of the API, as the search shows it. */
export interface DocumentedOperation {
  readonly operationId: string;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
}

export function searchEntries(
  pages: ReadonlyMap<string, Rendered>,
  operations: readonly DocumentedOperation[],
): SearchEntry[] {
  return [...pageEntries(pages), ...operations.map(operationEntry), ...errorEntries()];
}

function pageEntries(pages: ReadonlyMap<string, Rendered>): SearchEntry[] {
  return [...pages].flatMap(([name, { title, sections }]) =>
    sections.map(({ id, level, title: heading, text }): SearchEntry => {
      const isPage = level === 1;
      const path = isPage ? pathOf(name) : `${pathOf(name)}#${id}`;
      return { kind: "page", page: title, heading: isPage ? "" : heading, path, text };
    }),
  );
}

function operationEntry({ operationId, tag, method, path, summary }: DocumentedOperation): SearchEntry {
  return {
    kind: "operation",
    page: summary,
    heading: "",
    path: `/docs/api#tag/${tag}/${operationId}`,
    text: `${method.toUpperCase()} ${path}`,
  };
}

function errorEntries(): SearchEntry[] {
  return errorCodes.map((code) => ({
    kind: "error",
    page: code,
    heading: "",
    path: `/docs/errors/${code}`,
    text: `${errorCatalogue[code].title} ${errorGuide[code].why} ${errorGuide[code].remedy}`,
  }));
}

/** A part of the documentation that matches a search. */
export interface SearchResult {
  readonly title: string;
  readonly url: string;
  /** Plain text around the first word that was found. */
  readonly excerpt: string;
}

const MOST_RESULTS = 8;
const MOST_WORDS = 10;
const EXCERPT = 300;

/** Returns the entries with the most of the words, those in titles counting more. */
export function searchResults(entries: readonly SearchEntry[], query: string, baseUrl: string): SearchResult[] {
  const words = (query.toLowerCase().match(/[\p{L}\p{N}_.]{2,}/gu) ?? []).slice(0, MOST_WORDS);
  const scored = entries.flatMap((entry) => {
    const [page, heading, text] = [entry.page.toLowerCase(), entry.heading.toLowerCase(), entry.text.toLowerCase()];
    const score = words.reduce((sum, word) => sum + scoreOf({ page, heading, text }, word), 0);
    return score === 0 ? [] : [{ entry, score }];
  });
  return scored
    .toSorted((a, b) => b.score - a.score)
    .slice(0, MOST_RESULTS)
    .map(({ entry: { page, heading, path, text } }) => ({
      title: heading === "" ? page : `${page}: ${heading}`,
      url: `${baseUrl}${path}`,
      excerpt: excerptOf(text, words),
    }));
}

/** All texts are in lower case. */
function scoreOf({ page, heading, text }: Pick<SearchEntry, "page" | "heading" | "text">, word: string): number {
  if (heading.includes(word)) return 12;
  if (page.includes(word)) return 10;
  return text.includes(word) ? 3 : 0;
}

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((at) => at !== -1);
  const start = Math.max(0, Math.min(...places, text.length) - 60);
  return text
    .slice(places.length === 0 ? 0 : start)
    .slice(0, EXCERPT)
    .toWellFormed();
}
