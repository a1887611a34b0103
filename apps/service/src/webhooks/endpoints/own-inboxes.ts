import type { Db } from "../../platform/db/db.ts";
import { sha256 } from "../../lib/lib.ts";
import type { Sealer, Tag, Uuid } from "../../lib/lib.ts";
import { inboxesByKey } from "./own-inboxes.store.ts";

interface Addressed {
  readonly workspace_id: Uuid;
  readonly url: string;
}

/**
 * Knows the service's built-in inboxes by their token, because an inbox keeps its token when the base URL or the port changes. Only an
 * inbox of the same workspace counts, and only a URL whose path is exactly the inbox's: every other URL passes the target guard as written.
 */
export interface OwnInboxes {
  /** Returns the rows, with today's address in place of any address that their own inbox had before, and of the reference that is stored. */
  current<Row extends Addressed>(rows: readonly Row[]): Promise<Row[]>;
  /** Today's address of the own inbox that a caller's URL names; every other URL as it is. */
  addressOf(scope: { readonly workspaceId: Uuid }, url: string): Promise<string>;
  /** What to store for a URL: a reference without the token where it is the address of an own inbox of this environment. */
  stored(scope: { readonly workspaceId: Uuid; readonly tag: Tag }, url: string): Promise<string>;
}

export interface OwnInboxesDeps {
  readonly db: Db;
  readonly sealer: Sealer;
  readonly baseUrl: string;
}

const INBOX_PATH = /^\/inbox\/([0-9A-Za-z]{43})$/;
/** Begins what is stored in place of an address. Callers cannot send it: the target guard takes http and https alone. */
const REFERENCE = "inbox:";

export function createOwnInboxes({ db, sealer, baseUrl }: OwnInboxesDeps): OwnInboxes {
  const prefix = `${baseUrl}/inbox/`;

  /** The keys that the row of a URL's inbox may have. None for other URLs, and for addresses of today: these need no query. */
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
      // The inbox was deleted: an address at which nothing receives.
      return row.url.startsWith(REFERENCE) ? { ...row, url: prefix + row.url.slice(REFERENCE.length) } : row;
    });
  }

  return {
    current,
    async addressOf({ workspaceId }, url) {
      if (url.startsWith(REFERENCE)) return url;
      const [found] = await current([{ workspace_id: workspaceId, url }]);
      return found?.url ?? url;
    },
    async stored({ workspaceId, tag }, url) {
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

/** The URL without the token, for what others than its readers keep. */
export function withoutInboxToken(url: string): string {
  const token = inboxToken(url);
  return token === undefined ? url : url.replace(token, "***");
}

/**
 * The key of an inbox's row: the SHA-256 of its token. A token has 256 random bits, so a hash without salt or stretching can be neither
 * searched nor looked up in a table made beforehand.
 */
export function inboxKey(token: string): string {
  return sha256(token).toString("hex");
}

/** The key, and the token itself: a row that the version before wrote has it until it is sealed. */
export function inboxKeys(token: string): readonly [string, string] {
  return [inboxKey(token), token];
}

/** What endpoints store for an inbox. */
export function inboxReference(key: string): string {
  return REFERENCE + key;
}

export function inboxTokenPlace(key: string): string {
  return `inbox token:${key}`;
}

/** The token, to be shown. Where no master key opens it, the key: nothing receives under that. */
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
