import type { SearchResult } from "./search-index.ts";
import type { SentDocument } from "../answers/sent-document.ts";

/** A file of the site as it is sent. */
export interface DocsFile extends SentDocument {
  /** True if the address changes with the content. */
  readonly forever: boolean;
  /** The Content-Security-Policy of the file. */
  readonly policy: string;
}

export interface Docs {
  /** Returns the file at a path below `/docs`; undefined if it does not exist. */
  find(path: string): Promise<DocsFile | undefined>;
  /** Returns the parts of the documentation that match best first, at most eight. */
  search(query: string): Promise<readonly SearchResult[]>;
  /** Returns the page for paths that do not exist. */
  missing(): Promise<DocsFile>;
}
