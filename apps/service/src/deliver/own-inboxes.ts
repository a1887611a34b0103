import type { Db } from "../db/db.ts";
import type { Uuid } from "../kernel/kernel.ts";
import { inboxOwners } from "./own-inboxes.store.ts";

interface Addressed {
  readonly workspace_id: Uuid;
  readonly url: string;
}

/**
 * Knows the service's built-in inboxes by their token, because an inbox keeps its token when the base URL or the port changes. Only an
 * inbox of the same workspace counts, and only a URL whose path is exactly the inbox's: every other URL passes the target guard as written.
 */
export interface OwnInboxes {
  /** Returns the rows, with today's address in place of any address that their own inbox had before. */
  current<Row extends Addressed>(rows: readonly Row[]): Promise<Row[]>;
  addressOf(scope: { readonly workspaceId: Uuid }, url: string): Promise<string>;
}

const INBOX_PATH = /^\/inbox\/([0-9A-Za-z]{43})$/;

export function createOwnInboxes({ db, baseUrl }: { readonly db: Db; readonly baseUrl: string }): OwnInboxes {
  const prefix = `${baseUrl}/inbox/`;

  async function current<Row extends Addressed>(rows: readonly Row[]): Promise<Row[]> {
    // Other URLs, and addresses of today, need no look into the database.
    const tokens = rows.map(({ url }) => (url.startsWith(prefix) ? undefined : inboxToken(url)));
    const asked = tokens.filter((token) => token !== undefined);
    if (asked.length === 0) return [...rows];
    const owners = await inboxOwners(db.query, asked);
    return rows.map((row, at) => {
      const token = tokens[at];
      const isOwn = token !== undefined && owners.get(token) === row.workspace_id;
      return isOwn ? { ...row, url: prefix + token } : row;
    });
  }

  return {
    current,
    async addressOf({ workspaceId }, url) {
      const [found] = await current([{ workspace_id: workspaceId, url }]);
      return found?.url ?? url;
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
