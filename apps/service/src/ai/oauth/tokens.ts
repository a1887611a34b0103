import { hash } from "node:crypto";
import type { Db, Tx } from "../../platform/db/db.ts";
import {
  after,
  environmentOf,
  fromDate,
  isOAuthSecret,
  newOAuthSecret,
  sha256,
  timingSafeEqualText,
  toDate,
  wireId,
} from "../../lib/lib.ts";
import type { Clock, Instant } from "../../lib/lib.ts";
import { networkOf, scopeOf, takeTry } from "../../accounts/accounts.ts";
import type { AuditNote, Scope } from "../../accounts/accounts.ts";
import type { OAuthAddresses } from "./addresses.ts";
import { tooMany } from "./clients.ts";
import * as store from "./grants.store.ts";
import type { HeldGrant } from "./grants.store.ts";
import { OAuthError } from "./oauth-error.ts";

/** The response of the token endpoint (RFC 6749, section 5.1). */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: "Bearer";
  readonly expires_in: number;
  readonly refresh_token: string;
  readonly scope: string;
}

export type Tokens = ReturnType<typeof createTokens>;

export interface TokensDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly addresses: OAuthAddresses;
  readonly note: (tx: Tx, scope: Scope, note: AuditNote) => void;
}

const ACCESS_MS = 3_600_000;
/** Requests of one network to the token endpoint. Many people may share a network, each with a request an hour. */
const OF_NETWORK = { perMinute: 120, perHour: 3600 };
const VERIFIER = /^[\w.~-]{43,128}$/;

/** A refusal that is thrown after the commit, because what it ends must stay ended. */
type TokenResult = TokenAnswer | OAuthError;

export function createTokens(deps: TokensDeps) {
  const { db, clock } = deps;

  async function assertNotTooOften(ip: string): Promise<void> {
    const waitSeconds = await takeTry(db, { subject: `oauth-token:${networkOf(ip)}`, ...OF_NETWORK });
    if (waitSeconds !== undefined) throw tooMany("requests", waitSeconds);
  }

  return {
    /**
     * Exchanges a code or a refresh token. Each works once: one that comes again ends its grant, because one of its two users is not
     * the client.
     */
    async exchange(form: URLSearchParams, ip: string): Promise<TokenAnswer> {
      assertOnce(form);
      await assertNotTooOften(ip);
      const resource = form.get("resource");
      if (resource !== null && resource !== deps.addresses.resource)
        throw new OAuthError("invalid_target", `The resource must be ${deps.addresses.resource}.`);
      const exchange = EXCHANGES.get(form.get("grant_type"));
      if (exchange === undefined)
        throw new OAuthError("unsupported_grant_type", "The grant_type must be authorization_code or refresh_token.");
      const outcome = await db.transaction(async (tx) => await exchange({ ...deps, tx, form, ip, now: clock.now() }));
      if (outcome instanceof OAuthError) throw outcome;
      return outcome;
    },
    /** Ends the grant of a token (RFC 7009). Does nothing for an unknown token, and for one of another client. */
    async revoke(form: URLSearchParams, ip: string): Promise<void> {
      assertOnce(form);
      await assertNotTooOften(ip);
      const token = form.get("token") ?? "";
      if (!isOAuthSecret(token, "access") && !isOAuthSecret(token, "refresh")) return;
      await db.transaction(async (tx) => {
        const grant = await store.grantOfToken(tx.query, sha256(token));
        if (grant === undefined || grant.client_id !== form.get("client_id")) return;
        await end({ ...deps, tx, ip, now: clock.now() }, grant, "connected_apps.revoke");
      });
    },
  };
}

interface Ending extends TokensDeps {
  readonly tx: Tx;
  readonly ip: string;
  readonly now: Instant;
}

interface Exchange extends Ending {
  readonly form: URLSearchParams;
}

/** The exchanges by `grant_type`. */
const EXCHANGES: ReadonlyMap<string | null, (exchange: Exchange) => Promise<TokenResult>> = new Map([
  ["authorization_code", byCode],
  ["refresh_token", byRefreshToken],
]);

async function byCode(exchange: Exchange): Promise<TokenResult> {
  const { tx, form, now } = exchange;
  const code = form.get("code") ?? "";
  const taken = isOAuthSecret(code, "code") ? await store.takeCode(tx, sha256(code), toDate(now)) : undefined;
  if (taken === undefined) return invalidGrant("The code is unknown.");
  const { grant, isFirst } = taken;
  if (!isFirst) return await endReused(exchange, grant, "The code was used before. The connection has ended.");
  const isOwn =
    fromDate(grant.code_expires_at) > now &&
    form.get("client_id") === grant.client_id &&
    form.get("redirect_uri") === grant.redirect_uri &&
    isVerified(grant.code_challenge, form.get("code_verifier") ?? "");
  if (isOwn) return await issue(exchange, grant);
  await end(exchange, grant, "connected_apps.refuse_code");
  return invalidGrant("The code has expired, or it is not for this client, redirect_uri or code_verifier.");
}

async function byRefreshToken(exchange: Exchange): Promise<TokenResult> {
  const { tx, form, now } = exchange;
  const token = form.get("refresh_token") ?? "";
  const taken = isOAuthSecret(token, "refresh")
    ? await store.takeRefreshToken(tx, sha256(token), toDate(now))
    : undefined;
  if (taken === undefined) return invalidGrant("The refresh token is unknown or has expired.");
  const { grant, isFirst } = taken;
  if (!isFirst) return await endReused(exchange, grant, "The refresh token was used before. The connection has ended.");
  if (form.get("client_id") !== grant.client_id)
    return await endReused(exchange, grant, "The refresh token belongs to another client. The connection has ended.");
  const scopes = new Set(grant.scopes);
  const wider = (form.get("scope") ?? "").split(" ").find((one) => one !== "" && !scopes.has(one));
  // Thrown, so that the token stays unused.
  if (wider !== undefined) throw new OAuthError("invalid_scope", "A refresh cannot add scopes.");
  return await issue(exchange, grant);
}

/** Issues a pair of tokens. They end with the key of the grant. */
async function issue({ tx, now }: Exchange, grant: HeldGrant): Promise<TokenResult> {
  const endsAt = grant.expires_at === null ? after(now, ACCESS_MS) : fromDate(grant.expires_at);
  if (grant.revoked_at !== null || endsAt <= now)
    return invalidGrant("The connection has ended. Connect the app again.");
  const environment = environmentOf(grant.tag);
  const made = { access: newOAuthSecret("access", environment), refresh: newOAuthSecret("refresh", environment) };
  const accessEnd = Math.min(endsAt, after(now, ACCESS_MS)) as Instant;
  const common = { key_id: grant.key_id, created_at: toDate(now) };
  await store.insertTokens(tx, [
    { ...common, kind: "access", token_hash: sha256(made.access), expires_at: toDate(accessEnd) },
    { ...common, kind: "refresh", token_hash: sha256(made.refresh), expires_at: toDate(endsAt) },
  ]);
  return {
    access_token: made.access,
    token_type: "Bearer",
    expires_in: Math.floor((accessEnd - now) / 1000),
    refresh_token: made.refresh,
    scope: (grant.scopes ?? []).join(" "),
  };
}

async function endReused(ending: Ending, grant: HeldGrant, description: string): Promise<OAuthError> {
  await end(ending, grant, "connected_apps.end_reused");
  return invalidGrant(description);
}

async function end({ tx, ip, now, note }: Ending, grant: HeldGrant, action: string): Promise<void> {
  if (grant.revoked_at !== null) return;
  await store.endGrant(tx, grant.key_id, toDate(now));
  const id = wireId("key", grant.tag, grant.key_id);
  note(tx, scopeOf(grant.workspace_id, grant.tag), {
    subject: "key",
    action,
    actor: { id, display: grant.client_name, ip, requestId: null },
    parameters: { id, client_id: grant.client_id },
  });
}

function isVerified(challenge: string, verifier: string): boolean {
  return VERIFIER.test(verifier) && timingSafeEqualText(hash("sha256", verifier, "base64url"), challenge);
}

/** Throws for a parameter that occurs twice (RFC 6749, section 3.2). */
function assertOnce(form: URLSearchParams): void {
  const names = [...form.keys()];
  if (new Set(names).size !== names.length)
    throw new OAuthError("invalid_request", "A parameter occurs more than once.");
}

function invalidGrant(description: string): OAuthError {
  return new OAuthError("invalid_grant", description);
}
