import { isIP } from "node:net";

/** The address of the description for registries of MCP servers. */
export const SERVER_MANIFEST = "/server.json";

const SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
/** The namespace of an installation without a domain. A registry refuses it, because no one can prove that it is theirs. */
const NO_DOMAIN = "local.junction";

/** Returns the description of this installation's MCP server, as the owner of its domain publishes it in a registry. */
export function serverManifest({ baseUrl, version }: { readonly baseUrl: string; readonly version: string }): string {
  const manifest = {
    $schema: SCHEMA,
    name: `${namespaceOf(new URL(baseUrl).hostname)}/junction`,
    title: "Junction",
    description: "Request actions that people approve, and get events as they happen.",
    version,
    websiteUrl: `${baseUrl}/docs`,
    remotes: [{ type: "streamable-http", url: `${baseUrl}/mcp` }],
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

function namespaceOf(hostname: string): string {
  const isDomain = hostname.includes(".") && isIP(hostname) === 0;
  return isDomain ? hostname.split(".").toReversed().join(".") : NO_DOMAIN;
}
