import { createRemoteJWKSet, customFetch, errors, jwtVerify } from "jose";
import type { JWTPayload, JWTVerifyGetKey } from "jose";
import * as client from "openid-client";
import type { Clock } from "../../lib/lib.ts";
import type { MemberRole } from "../callers/roles.ts";
import { claimsOf, isIncomplete, logoutOf } from "./claims.ts";
import type { Claims, Logout } from "./claims.ts";
import { IssuerUnreachable } from "./issuer-fetch.ts";
import type { IssuerFetch } from "./issuer-fetch.ts";
import { OidcRefusal } from "./oidc-refusal.ts";

export interface OidcSettings {
  /** The issuer's identifier, exactly as its tokens contain it. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The roles of groups in the operator's workspace. Null: groups set no roles. */
  readonly groups: Readonly<Record<string, MemberRole>> | null;
  /** The name of the claim that lists a person's groups. */
  readonly groupsClaim: string;
}

/** The values that bind an issuer's response to the browser and the request. */
export interface Binding {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The protocol with the issuer. Its methods throw OidcRefusal. */
export type Issuer = ReturnType<typeof createIssuer>;

export interface IssuerDeps {
  readonly settings: OidcSettings;
  readonly clock: Clock;
  readonly fetch: IssuerFetch;
  readonly redirectUri: string;
}

interface IssuerMetadata {
  readonly config: client.Configuration;
  readonly keys: JWTVerifyGetKey;
}

/** The time for which the issuer's metadata are kept. */
const KEEP_MS = 10 * 60_000;
/** A token that names an unknown key makes the keys be read again, at most this often. */
const COOLDOWN_MS = 1000;
const TIMEOUT_SECONDS = 15;
const LOGOUT_AGE_SECONDS = 300;
const TOLERANCE_SECONDS = 30;
const MOST_DETAIL = 300;
/** Signatures that only the holder of a private key makes: `none` and shared secrets are refused. */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

export function createIssuer(deps: IssuerDeps) {
  const { settings, redirectUri } = deps;
  const known = refreshed(async () => await discover(deps), deps.clock);

  async function verified(token: string, more: { readonly maxTokenAge?: number } = {}): Promise<JWTPayload> {
    const { config, keys } = await known();
    const { payload } = await jwtVerify(token, keys, {
      issuer: config.serverMetadata().issuer,
      audience: settings.clientId,
      algorithms: ALGORITHMS,
      clockTolerance: TOLERANCE_SECONDS,
      ...more,
    });
    return payload;
  }

  return {
    authorizationUrl: async ({ state, nonce, verifier }: Binding): Promise<string> =>
      await explained(async () => {
        const { config } = await known();
        const url = client.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: scopeOf(config, settings),
          state,
          nonce,
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: "S256",
        });
        return url.href;
      }),
    /** Exchanges the code in the query of the callback, and checks the tokens. */
    redeem: async (query: URLSearchParams, { state, nonce, verifier }: Binding): Promise<Claims> =>
      await explained(async () => {
        const { config } = await known();
        const tokens = await client.authorizationCodeGrant(config, new URL(`${redirectUri}?${query.toString()}`), {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        });
        // The library trusts the connection that the token came by. This also checks its signature.
        const idToken = await verified(tokens.id_token ?? "");
        const userinfo =
          isIncomplete(idToken, settings.groups === null ? null : settings.groupsClaim) &&
          config.serverMetadata().userinfo_endpoint !== undefined
            ? await client.fetchUserInfo(config, tokens.access_token, String(idToken.sub))
            : {};
        const claims = claimsOf({ idToken, userinfo, groupsClaim: settings.groupsClaim });
        if (claims === undefined) throw new OidcRefusal("not_verified", "the subject is not a short text");
        return claims;
      }),
    /** Checks a logout token. Returns undefined if it is none. */
    logoutOf: async (token: string): Promise<Logout | undefined> =>
      await explained(async () => logoutOf(await verified(token, { maxTokenAge: LOGOUT_AGE_SECONDS }))),
  };
}

async function discover({ settings, fetch }: IssuerDeps): Promise<IssuerMetadata> {
  const url = new URL(settings.issuer);
  try {
    const config = await client.discovery(url, settings.clientId, undefined, authenticationOf(settings), {
      [client.customFetch]: fetch,
      timeout: TIMEOUT_SECONDS,
      ...(url.protocol === "http:" ? { execute: [client.allowInsecureRequests] } : {}),
    });
    const { jwks_uri: uri } = config.serverMetadata();
    if (uri === undefined) throw new Error("the metadata have no jwks_uri");
    const keys = createRemoteJWKSet(new URL(uri), { [customFetch]: fetch, cooldownDuration: COOLDOWN_MS });
    return { config, keys };
  } catch (error) {
    throw new OidcRefusal("issuer_unreachable", describe(error));
  }
}

/** Sends the secret in the header, which every issuer must support, unless its metadata say otherwise. */
function authenticationOf({ clientSecret }: OidcSettings): client.ClientAuth {
  const [basic, post] = [client.ClientSecretBasic(clientSecret), client.ClientSecretPost(clientSecret)];
  return (metadata, ...rest) => {
    const { token_endpoint_auth_methods_supported: named } = metadata;
    const methods: readonly unknown[] = Array.isArray(named) ? named : ["client_secret_basic"];
    (methods.includes("client_secret_basic") ? basic : post)(metadata, ...rest);
  };
}

/** Some issuers send groups only with the scope of that name, and others refuse a scope that they do not know. */
function scopeOf(config: client.Configuration, { groups }: OidcSettings): string {
  const { scopes_supported: scopes } = config.serverMetadata();
  const hasScope = Array.isArray(scopes) && scopes.includes("groups");
  return `openid email profile${groups !== null && hasScope ? " groups" : ""}`;
}

/** Turns every fault of the protocol into a refusal. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OidcRefusal) throw error;
    throw new OidcRefusal(failureOf(error), describe(error));
  }
}

function failureOf(error: unknown): "issuer_unreachable" | "denied" | "not_verified" {
  if (error instanceof client.AuthorizationResponseError) return "denied";
  const isDown = unreachableIn(error) !== undefined || error instanceof errors.JWKSTimeout;
  return isDown || codeOf(error) === "OAUTH_TIMEOUT" ? "issuer_unreachable" : "not_verified";
}

/** The library wraps errors that are not its own. */
function unreachableIn(error: unknown): IssuerUnreachable | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof IssuerUnreachable) return at;
  return undefined;
}

/** Describes an error without its cause, which can contain tokens and codes. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  const unreachable = unreachableIn(error);
  if (unreachable !== undefined) return unreachable.message;
  const named = error instanceof client.ResponseBodyError || error instanceof client.AuthorizationResponseError;
  const parts = [codeOf(error), named ? error.error : undefined, error.message];
  return parts.filter(Boolean).join(": ").slice(0, MOST_DETAIL);
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Keeps a result for some time. A failure is not kept. */
function refreshed<T>(make: () => Promise<T>, clock: Clock): () => Promise<T> {
  let kept: { readonly sinceMs: number; readonly value: Promise<T> } | undefined;
  return async () => {
    const nowMs = clock.monotonicMs();
    if (kept !== undefined && nowMs - kept.sinceMs < KEEP_MS) return await kept.value;
    const fresh = { sinceMs: nowMs, value: make() };
    kept = fresh;
    try {
      return await fresh.value;
    } catch (error) {
      if (kept === fresh) kept = undefined;
      throw error;
    }
  };
}
