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
