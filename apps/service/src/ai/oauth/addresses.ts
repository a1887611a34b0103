/** The addresses of OAuth for `/mcp`. All derive from the service's public URL, which may have a path. */
export interface OAuthAddresses {
  /** The issuer of all tokens (RFC 8414): the public URL itself. */
  readonly issuer: string;
  /** The only resource that tokens are for (RFC 8707). */
  readonly resource: string;
  readonly authorize: string;
  readonly token: string;
  readonly revoke: string;
  readonly register: string;
  /** The page of the console on which a member consents. */
  readonly consent: string;
  /** The document that a refused client reads next (RFC 9728). */
  readonly resourceMetadata: string;
  /** The paths of both documents: at the root, and with the path of the public URL inserted (RFC 8414, section 3.1). */
  readonly metadataPaths: { readonly resource: readonly string[]; readonly server: readonly string[] };
}

const RESOURCE = "/.well-known/oauth-protected-resource";
const SERVER = "/.well-known/oauth-authorization-server";

export function addressesOf(baseUrl: string): OAuthAddresses {
  const issuer = baseUrl.endsWith("/") ? baseUrl.slice(0, -1) : baseUrl;
  const { origin, pathname } = new URL(issuer);
  const path = pathname === "/" ? "" : pathname;
  return {
    issuer,
    resource: `${issuer}/mcp`,
    authorize: `${issuer}/oauth/authorize`,
    token: `${issuer}/oauth/token`,
    revoke: `${issuer}/oauth/revoke`,
    register: `${issuer}/oauth/register`,
    // The console's files and calls have paths from the root.
    consent: `${origin}/connect`,
    resourceMetadata: `${origin}${RESOURCE}${path}/mcp`,
    metadataPaths: {
      resource: [...new Set([RESOURCE, `${RESOURCE}/mcp`, `${RESOURCE}${path}/mcp`])],
      server: [...new Set([SERVER, `${SERVER}${path}`])],
    },
  };
}
