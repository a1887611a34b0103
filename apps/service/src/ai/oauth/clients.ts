import type { Db } from "../../platform/db/db.ts";
import { after, randomText, toDate } from "../../lib/lib.ts";
import { networkOf, siteOf, takeTry } from "../../accounts/accounts.ts";
import { clientMetadata } from "./client-metadata.ts";
import type { OAuthClient } from "./client-metadata.ts";
import { assertDocumentId, createClientDocuments, isDocumentId } from "./client-documents.ts";
import type { ClientDocumentsDeps } from "./client-documents.ts";
import * as store from "./clients.store.ts";
import { OAuthError } from "./oauth-error.ts";

/** A registration, as the client reads it (RFC 7591, section 3.2.1). */
export interface Registration {
  readonly client_id: string;
  readonly client_id_issued_at: number;
  readonly client_name: string;
  readonly redirect_uris: readonly string[];
  readonly grant_types: readonly string[];
  readonly response_types: readonly string[];
  readonly token_endpoint_auth_method: "none";
}

export type Clients = ReturnType<typeof createClients>;

export interface ClientsDeps extends ClientDocumentsDeps {
  readonly db: Db;
}

/** Registrations of one network. Each client of each person registers once. */
const OF_NETWORK = { perMinute: 10, perHour: 60 };
/** Registrations of one site: a /48 has many networks. */
const OF_SITE = { perMinute: 40, perHour: 240 };
/** The clients without a consent of one network. Its own older ones are deleted first. */
const MOST_OF_NETWORK = 60;
/** The clients without a consent of all networks, and those with the ones that a person may just be reading about. */
const MOST_UNUSED = 1000;
const MOST_IN_TOTAL = 10_000;
/** A person reads the consent page for this time, and no stranger's registration deletes the client during it. */
const KEPT_MS = 15 * 60_000;

export function createClients(deps: ClientsDeps) {
  const { db, clock } = deps;
  const documents = createClientDocuments(deps);

  async function registered(id: string): Promise<OAuthClient> {
    const row = await store.findClient(db.query, id);
    if (row !== undefined) return { id, name: row.name, redirectUris: row.redirect_uris, host: null };
    throw new OAuthError(
      "invalid_client",
      "This client is not registered. Remove the connection in the app, and add it again.",
    );
  }

  return {
    /** Registers a client. Throws for invalid metadata, and for too many registrations of one network. */
    async register(metadata: unknown, ip: string): Promise<Registration> {
      const client = clientMetadata(metadata);
      const network = networkOf(ip);
      const waitSeconds =
        (await takeTry(db, { subject: `oauth-register:${network}`, ...OF_NETWORK })) ??
        (await takeTry(db, { subject: `oauth-register:site:${siteOf(ip)}`, ...OF_SITE }));
      if (waitSeconds !== undefined) throw tooMany("registrations", waitSeconds);
      const now = clock.now();
      const row = {
        id: `app_${randomText(27)}`,
        name: client.name,
        redirect_uris: [...client.redirectUris],
        created_at: toDate(now),
        network,
      };
      const most = {
        ofNetwork: MOST_OF_NETWORK,
        ofAll: MOST_UNUSED,
        inTotal: MOST_IN_TOTAL,
        keptSince: toDate(after(now, -KEPT_MS)),
      };
      if (!(await store.insertClient(db, row, most))) throw tooMany("registrations", KEPT_MS / 1000);
      return {
        client_id: row.id,
        client_id_issued_at: Math.floor(row.created_at.getTime() / 1000),
        client_name: client.name,
        redirect_uris: client.redirectUris,
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "none",
      };
    },
    /** Returns a client. Fetches the document of one whose id is a URL. Throws invalid_client. */
    find: async (id: string): Promise<OAuthClient> =>
      isDocumentId(id) ? await documents.read(id) : await registered(id),
    /** Does the same without a request to another host: undefined if the client's document would have to be fetched. */
    async known(id: string): Promise<OAuthClient | undefined> {
      if (!isDocumentId(id)) return await registered(id);
      assertDocumentId(id);
      return undefined;
    },
  };
}

export function tooMany(what: string, seconds: number): OAuthError {
  const headers = { "Retry-After": String(seconds) };
  return new OAuthError("temporarily_unavailable", `Too many ${what}. Wait ${seconds} s.`, { status: 429, headers });
}
