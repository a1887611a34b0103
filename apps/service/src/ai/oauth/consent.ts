import type { Db } from "../../platform/db/db.ts";
import { after, newOAuthSecret, ServiceError, sha256, toDate, toRfc3339, wireId } from "../../lib/lib.ts";
import type { Clock, t } from "../../lib/lib.ts";
import type { AccessChecks } from "../../access/access.ts";
import { scopeFields, UNLIMITED } from "../../accounts/accounts.ts";
import type { Caller, Workspaces } from "../../accounts/accounts.ts";
import type { Contract, Registry } from "../../actions/actions.ts";
import type { OAuthAddresses } from "./addresses.ts";
import { assertAuthorizable } from "./authorization-request.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";
import type { OAuthClient } from "./client-metadata.ts";
import type { Clients } from "./clients.ts";
import { markClientUsed } from "./clients.store.ts";
import { countOfMember, insertGrant } from "./grants.store.ts";
import { OAuthError } from "./oauth-error.ts";
import type { OAuthErrorCode } from "./oauth-error.ts";
import { isOwnRedirectUri, withParameters } from "./redirect-uri.ts";
import { describeScope, operationOf } from "./scopes.ts";
import type * as shapes from "./connected-apps.schemas.ts";

/** The subject of a consent: the app, and what it could do in the caller's workspace and environment. */
export type ConnectionRequestView = t.Static<typeof shapes.ReviewView>;

type ActionView = t.Static<typeof shapes.ReviewView>["actions"][number];

export type ConnectionView = t.Static<typeof shapes.ConnectionView>;

export type Consent = ReturnType<typeof createConsent>;

export interface ConsentDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly addresses: OAuthAddresses;
  readonly clients: Clients;
  readonly accessChecks: Pick<AccessChecks, "mayCall">;
  readonly keys: Pick<Workspaces["keys"], "connect">;
  readonly registry: Pick<Registry, "permitted">;
}

const CODE_MS = 60_000;
const DAY_MS = 86_400_000;
const MOST_ACTIONS = 50;
/** Each connection is a key of its own, with the shares of a key. */
const MOST_OF_MEMBER = 50;

export function createConsent(deps: ConsentDeps) {
  return {
    /** Throws 422 for a request that must not be answered with a redirect, and for any other fault of it. */
    async review(caller: Caller, request: AuthorizationRequest): Promise<ConnectionRequestView> {
      const { client, scopes, allowed } = await offered(deps, caller, request);
      const found = await runnable(deps, caller, allowed);
      return {
        object: "connection_request",
        client_id: client.id,
        client_name: client.name,
        client_host: client.host,
        redirect_host: new URL(request.redirect_uri).host,
        scopes: scopes.map((name) => ({ name, description: describeScope(name), allowed: allowed.includes(name) })),
        actions: found.slice(0, MOST_ACTIONS).map(actionView),
        has_more_actions: found.length > MOST_ACTIONS,
        cancel_url: errorRedirect(
          deps.addresses,
          request,
          new OAuthError("access_denied", "The member did not agree."),
        ),
        ...scopeFields(caller.scope),
      };
    },
    /** Connects the app for a member, and returns where the browser goes with the code. */
    async connect(caller: Caller, request: AuthorizationRequest, days: number): Promise<ConnectionView> {
      const { client, allowed } = await offered(deps, caller, request);
      if (allowed.length === 0)
        throw new ServiceError("role_not_allowed", { detail: "Your role allows nothing of what the app asks for." });
      const now = deps.clock.now();
      const expiresAt = after(now, days * DAY_MS);
      const code = newOAuthSecret("code", caller.scope.environment);
      const { memberId } = caller.key;
      if (memberId === null) throw new Error("a caller without a membership connects an app");
      const keyId = await deps.db.transaction(async (tx) => {
        if ((await countOfMember(tx, { tag: caller.scope.tag, memberId, now: toDate(now) })) >= MOST_OF_MEMBER)
          throw new ServiceError("conflict", {
            detail: `A member can have at most ${MOST_OF_MEMBER} connected apps in an environment. End one that is not in use.`,
          });
        const id = await deps.keys.connect(tx, caller.key, { name: client.name, scopes: allowed, expiresAt });
        await insertGrant(tx, {
          key_id: id,
          workspace_id: caller.scope.workspaceId,
          member_id: memberId,
          client_id: client.id,
          client_name: client.name,
          redirect_uri: request.redirect_uri,
          code_hash: sha256(code),
          code_challenge: request.code_challenge ?? "",
          code_expires_at: toDate(after(now, CODE_MS)),
          created_at: toDate(now),
        });
        if (client.host === null) await markClientUsed(tx, client.id, toDate(now));
        return id;
      });
      return {
        id: wireId("key", caller.scope.tag, keyId),
        object: "connection",
        redirect_url: withParameters(request.redirect_uri, {
          code,
          state: request.state,
          iss: deps.addresses.issuer,
        }),
        expires_at: toRfc3339(expiresAt),
        ...scopeFields(caller.scope),
      };
    },
  };
}

/** Returns the redirect URI with an error. Only for a redirect URI that is known to be the client's. */
function errorRedirect(
  { issuer }: OAuthAddresses,
  { redirect_uri: uri, state }: AuthorizationRequest,
  { code, message }: OAuthError,
): string {
  return withParameters(uri, { error: code, error_description: message, state, iss: issuer });
}

export function assertOwnRedirectUri(client: OAuthClient, request: AuthorizationRequest): void {
  if (isOwnRedirectUri(client.redirectUris, request.redirect_uri)) return;
  throw new OAuthError("invalid_redirect_uri", "The redirect_uri is not one of the app's.");
}

interface Offer {
  readonly client: OAuthClient;
  /** The requested scopes. */
  readonly scopes: readonly string[];
  /** The scopes of these that the member's own role allows. */
  readonly allowed: readonly string[];
}

async function offered(deps: ConsentDeps, { key }: Caller, request: AuthorizationRequest): Promise<Offer> {
  try {
    const client = await deps.clients.find(request.client_id);
    assertOwnRedirectUri(client, request);
    const scopes = assertAuthorizable(request, deps.addresses);
    return { client, scopes, allowed: scopes.filter((name) => deps.accessChecks.mayCall(key, operationOf(name))) };
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    const { code, message } = error;
    const errors = [{ pointer: POINTERS[code] ?? "/code_challenge", code, message }];
    throw new ServiceError("validation_failed", { detail: message, errors });
  }
}

const POINTERS: Readonly<Partial<Record<OAuthErrorCode, string>>> = {
  invalid_client: "/client_id",
  invalid_redirect_uri: "/redirect_uri",
  invalid_scope: "/scope",
  invalid_target: "/resource",
  unsupported_response_type: "/response_type",
};

/** Returns the actions that the app could run now. */
async function runnable(
  { registry }: ConsentDeps,
  { key, scope }: Caller,
  scopes: readonly string[],
): Promise<readonly Contract[]> {
  const rights = { ...UNLIMITED, role: "ai", permissions: [], scopes, grantedRole: key.role } as const;
  return await registry.permitted({ key: rights, scope }, "mcp", { before: undefined, limit: MOST_ACTIONS + 1 });
}

function actionView({ key, label, destructive, requires_confirmation }: Contract): ActionView {
  return { key, label, destructive, requires_confirmation };
}
