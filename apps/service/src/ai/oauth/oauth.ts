import { addressesOf } from "./addresses.ts";
import type { OAuthAddresses } from "./addresses.ts";
import { assertAuthorizable, parametersOf, PARAMETERS } from "./authorization-request.ts";
import { createCleanup } from "./cleanup.worker.ts";
import type { CleanupDeps } from "./cleanup.worker.ts";
import { createClients } from "./clients.ts";
import type { Clients, ClientsDeps } from "./clients.ts";
import { createConnectedApps } from "./connected-apps.ts";
import { assertOwnRedirectUri, createConsent } from "./consent.ts";
import type { ConsentDeps } from "./consent.ts";
import { SCOPE_NAMES } from "./scopes.ts";
import { createTokens } from "./tokens.ts";
import type { TokensDeps } from "./tokens.ts";

/** The authorization server of `/mcp`: OAuth 2.1, as the Model Context Protocol asks for it (contract, section 11). */
export type OAuth = ReturnType<typeof createOAuth>;

type CreatedDeps = "addresses" | "clients";
export type OAuthDeps = Omit<ConsentDeps, CreatedDeps> &
  ClientsDeps &
  CleanupDeps &
  Omit<TokensDeps, CreatedDeps> & { readonly baseUrl: string };

export function createOAuth(given: OAuthDeps) {
  const addresses = addressesOf(given.baseUrl);
  const clients = createClients(given);
  const deps = { ...given, addresses, clients };
  return {
    addresses,
    clients,
    consent: createConsent(deps),
    tokens: createTokens(deps),
    apps: createConnectedApps(deps),
    cleanup: createCleanup(deps),
    /** Returns the document of the resource (RFC 9728). */
    resourceMetadata: (): object => resourceMetadata(addresses),
    /** Returns the document of the authorization server (RFC 8414). */
    serverMetadata: (): object => serverMetadata(addresses),
    /**
     * Returns the address of the consent page. Throws for a faulty request: a stranger may have registered the client, so that no
     * browser is led to its redirect URI before a signed-in person saw a page of ours (RFC 9700, section 4.11.2).
     */
    authorize: async (query: URLSearchParams): Promise<string> => await authorize(addresses, clients, query),
  };
}

/** Returns the members of a challenge that lead a client here (RFC 9728, section 5.1). `more` are the scopes beyond those of the tools. */
export function challengeOf(baseUrl: string, more: readonly string[] = []): string {
  const scopes = [...SCOPE_NAMES, ...more].join(" ");
  return `resource_metadata="${addressesOf(baseUrl).resourceMetadata}", scope="${scopes}"`;
}

function resourceMetadata({ issuer, resource }: OAuthAddresses): object {
  return {
    resource,
    authorization_servers: [issuer],
    scopes_supported: SCOPE_NAMES,
    bearer_methods_supported: ["header"],
    resource_name: "Junction",
  };
}

function serverMetadata(addresses: OAuthAddresses): object {
  return {
    issuer: addresses.issuer,
    authorization_endpoint: addresses.authorize,
    token_endpoint: addresses.token,
    revocation_endpoint: addresses.revoke,
    registration_endpoint: addresses.register,
    scopes_supported: SCOPE_NAMES,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };
}

async function authorize(addresses: OAuthAddresses, clients: Clients, query: URLSearchParams): Promise<string> {
  const request = parametersOf(query);
  const client = await clients.known(request.client_id);
  // A document is fetched for a signed-in member alone: the consent page checks its redirect URIs.
  if (client !== undefined) assertOwnRedirectUri(client, request);
  assertAuthorizable(request, addresses);
  const kept = PARAMETERS.flatMap((name) => (request[name] === undefined ? [] : [[name, request[name]]]));
  return `${addresses.consent}?${new URLSearchParams(kept).toString()}`;
}
