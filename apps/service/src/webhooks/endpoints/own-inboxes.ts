import type { Db } from "../../platform/db/db.ts";
import { sha256 } from "../../lib/lib.ts";
import type { Sealer, Tag, Uuid } from "../../lib/lib.ts";
import { inboxesByKey } from "./own-inboxes.store.ts";

interface Addressed {
  readonly workspace_id: Uuid;
  readonly url: string;
}

/**
 * Finds the service's built-in inboxes by their token, because an inbox keeps its token when the base URL or the port
 * changes. Only an inbox of the same workspace counts, and only a URL whose path is exactly that of the inbox. Every
 * other URL passes the target guard as written.
 */
export type OwnInboxes = ReturnType<typeof createOwnInboxes>;

export interface OwnInboxesDeps {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly baseUrl: string;
}

const INBOX_PATH = /^\/inbox\/([0-9A-Za-z]{43})$/;
/** The prefix of a stored reference. Callers cannot send it, because the target guard accepts only http and https. */
const REFERENCE = "inbox:";

export function createOwnInboxes({ db, sealer, baseUrl }: OwnInboxesDeps) {
  const prefix = `${baseUrl}/inbox/`;

  /**
   * Returns the possible keys of the row of a URL's inbox. Empty for other URLs and for current addresses, which need
   * no query.
   */
  function keysIn(url: string): readonly string[] {
    if (url.startsWith(REFERENCE)) return [url.slice(REFERENCE.length)];
    const token = url.startsWith(prefix) ? undefined : inboxToken(url);
    return token === undefined ? [] : inboxKeys(token);
  }

  async function current<Row extends Addressed>(rows: readonly Row[]): Promise<Row[]> {
    const keys = rows.map(({ url }) => keysIn(url));
    const asked = keys.flat();
    if (asked.length === 0) return [...rows];
    const found = new Map((await inboxesByKey(db.query, asked)).map((inbox) => [inbox.token, inbox]));
    return rows.map((row, at) => {
      const inbox = keys[at]?.map((key) => found.get(key)).find((one) => one?.workspace_id === row.workspace_id);
      if (inbox !== undefined) return { ...row, url: prefix + shownToken(sealer, inbox) };
      // The inbox was deleted. Nothing receives at this address.
      return row.url.startsWith(REFERENCE) ? { ...row, url: prefix + row.url.slice(REFERENCE.length) } : row;
    });
  }

  return {
    /**
     * Returns the rows with current addresses, in place of earlier addresses of their own inboxes and of stored
     * references.
     */
    current,
    /** Returns the current address of the own inbox that a caller's URL names; every other URL unchanged. */
    async addressOf({ workspaceId }: { readonly workspaceId: Uuid }, url: string): Promise<string> {
      if (url.startsWith(REFERENCE)) return url;
      const [found] = await current([{ workspace_id: workspaceId, url }]);
      return found?.url ?? url;
    },
    /**
     * Returns the text to store for a URL: a reference without the token if it is the address of an own inbox of this
     * environment.
     */
    async stored(
      { workspaceId, tag }: { readonly workspaceId: Uuid; readonly tag: Tag },
      url: string,
    ): Promise<string> {
      const token = inboxToken(url);
      if (token === undefined) return url;
      const inboxes = await inboxesByKey(db.query, inboxKeys(token));
      const isOwn = inboxes.some((inbox) => inbox.workspace_id === workspaceId && inbox.tag === tag);
      return isOwn ? inboxReference(inboxKey(token)) : url;
    },
  };
}

/** Returns the token of a URL that is an inbox's under some origin. */
export function inboxToken(text: string): string | undefined {
  if (!text.includes("/inbox/")) return undefined;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  if (url.username + url.password + url.search + url.hash !== "") return undefined;
  return INBOX_PATH.exec(url.pathname)?.[1];
}

/** Returns the URL without the token, for texts that others than the inbox's readers can see. */
export function withoutInboxToken(url: string): string {
  const token = inboxToken(url);
  return token === undefined ? url : url.replace(token, "***");
}

/**
 * Returns the key of an inbox's row: the SHA-256 of its token. A token has 256 random bits, so a hash without salt or
 * stretching can be neither searched nor found in a precomputed table.
 */
export function inboxKey(token: string): string {
  return sha256(token).toString("hex");
}

/** Returns the key and the token itself, which a row of the previous version has until it is sealed. */
export function inboxKeys(token: string): readonly [string, string] {
  return [inboxKey(token), token];
}

/** Returns the text that endpoints store for an inbox. */
export function inboxReference(key: string): string {
  return REFERENCE + key;
}

export function inboxTokenPlace(key: string): string {
  return `inbox token:${key}`;
}

/** Returns the token for display. If no master key opens it, returns the key, under which nothing receives. */
export function shownToken(
  sealer: Sealer,
  { token, token_sealed: sealed }: { readonly token: string; readonly token_sealed: Buffer | null },
): string {
  if (sealed === null) return token;
  try {
    return sealer.open(sealed, inboxTokenPlace(token)).reveal();
  } catch {
    return token;
  }
}
