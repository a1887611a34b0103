import type { Scope } from "../../accounts/accounts.ts";

/** The kinds of objects that a search finds, in the order of the results. */
export const SEARCH_KINDS = [
  "webhook_endpoint",
  "inbound_endpoint",
  "event_type",
  "event",
  "rule",
  "workflow",
  "action_contract",
  "contact",
  "ticket",
  "api_key",
  "member",
] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

export interface SearchHit {
  /** The id, or the name or key of an object that is read by it. */
  readonly id: string;
  readonly title: string;
  /** A second line, such as the URL of an endpoint that has a description. */
  readonly detail: string | null;
}

export interface Sought {
  /** The typed text, without spaces at its ends. */
  readonly text: string;
  /**
   * The pattern of `~*` that finds the text itself anywhere. Its price is that of reading the rows; `ilike` begins again at every
   * place of a text, which takes seconds for texts of one letter.
   */
  readonly pattern: string;
  readonly limit: number;
}

/** One kind of object that can be found. */
export interface Searchable {
  readonly kind: SearchKind;
  /** The operation that lists the objects. A caller that may not call it finds none of them. */
  readonly operation: string;
  /** Returns the newest matches, at most `limit`. It reads a bounded number of rows, and only the caller's. */
  find(scope: Scope, sought: Sought): Promise<readonly SearchHit[]>;
}

/** The most rows that one search reads of a kind that has no index for it. */
export const MOST_READ = 20_000;

export function soughtOf(text: string, limit: number): Sought {
  return { text, pattern: `***=${text}`, limit };
}

export interface SearchResult extends SearchHit {
  readonly kind: SearchKind;
}

/** Searches all kinds at the same time, and returns the results in the order of the kinds. */
export async function search(
  searchables: readonly Searchable[],
  scope: Scope,
  sought: Sought,
): Promise<readonly SearchResult[]> {
  const results = await Promise.all(
    SEARCH_KINDS.map(async (kind) => {
      const of = searchables.filter((one) => one.kind === kind);
      const found = await Promise.all(of.map(async (one) => await one.find(scope, sought)));
      return found.flat().map((one) => ({ kind, ...one }));
    }),
  );
  return results.flat();
}
