import { foreignJson, isRecord } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import type { Exchange, Net } from "../../platform/outbound-http/outbound-http.ts";
import { clientMetadata } from "./client-metadata.ts";
import type { OAuthClient } from "./client-metadata.ts";
import { OAuthError } from "./oauth-error.ts";

/** The documents of clients whose id is a URL (Client ID Metadata Documents). */
export type ClientDocuments = ReturnType<typeof createClientDocuments>;

export interface ClientDocumentsDeps {
  readonly net: Pick<Net, "send">;
  readonly clock: Clock;
}

const MOST_URL = 500;
const MOST_BYTES = 16 * 1024;
const TIMEOUT_MS = 5000;
const KEPT_MS = 5 * 60_000;
const MOST_KEPT = 200;

/** Returns true if a client id is a URL. Whether it is an acceptable one is another question. */
export function isDocumentId(id: string): boolean {
  return /^https?:/i.test(id);
}

/** Throws unless the URL is https with a path, and written in its one usual form. */
export function assertDocumentId(id: string): void {
  const url = id.length <= MOST_URL ? URL.parse(id) : null;
  const isUsual = url?.href === id && url.protocol === "https:" && url.pathname !== "/";
  if (isUsual && url.username === "" && url.password === "" && !/[?#]/.test(id)) return;
  throw refused("A client_id that is a URL must be https with a path, without a user, query and fragment.");
}

/** Documents are fetched through the guard of outbound requests, because anybody can name any URL. */
export function createClientDocuments({ net, clock }: ClientDocumentsDeps) {
  const kept = new Map<string, { readonly client: OAuthClient; readonly untilMs: number }>();
  return {
    /** Returns the client of a URL. Throws invalid_client with the reason. */
    async read(id: string): Promise<OAuthClient> {
      assertDocumentId(id);
      const known = kept.get(id);
      if (known !== undefined && clock.monotonicMs() < known.untilMs) return known.client;
      const client = clientOf(
        id,
        await net.send({
          method: "GET",
          url: id,
          headers: { Accept: "application/json" },
          body: null,
          maxBodyBytes: MOST_BYTES,
          totalTimeoutMs: TIMEOUT_MS,
        }),
      );
      if (kept.size >= MOST_KEPT) kept.clear();
      kept.set(id, { client, untilMs: clock.monotonicMs() + KEPT_MS });
      return client;
    },
  };
}

function clientOf(id: string, exchange: Exchange): OAuthClient {
  if (exchange.errorClass === "target_refused") throw refused("The address of the client's document is not allowed.");
  if (exchange.truncated) throw refused(`The client's document is larger than ${MOST_BYTES / 1024} KiB.`);
  if (exchange.status === null) throw refused("The client's document could not be fetched.");
  // A redirect could lead to a document of another host.
  if (exchange.status !== 200)
    throw refused(`The client's document was answered with status ${exchange.status}, not 200.`);
  const document = parsed(exchange);
  if (document["client_id"] !== id) throw refused("The client's document names another client_id.");
  const method = document["token_endpoint_auth_method"] ?? "none";
  if (method !== "none") throw refused("The client's document must have the token_endpoint_auth_method none.");
  return { id, host: new URL(id).host, ...metadataOf(document) };
}

function metadataOf(document: unknown): ReturnType<typeof clientMetadata> {
  try {
    return clientMetadata(document);
  } catch (error) {
    throw error instanceof OAuthError ? refused(`The client's document is not valid: ${error.message}`) : error;
  }
}

function parsed({ body, headers }: Pick<Exchange, "body" | "headers">): Record<string, unknown> {
  const document = foreignJson(body, headers["content-type"]);
  if (!isRecord(document)) throw refused("The client's document is not a JSON object.");
  return document;
}

function refused(description: string): OAuthError {
  return new OAuthError("invalid_client", description);
}
