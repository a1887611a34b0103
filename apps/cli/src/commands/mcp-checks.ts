import { failed, ok, skipped } from "./check.ts";
import type { Check, Fault } from "./check.ts";

/** The steps in which an app connects. Each needs the one before it. */
const STEPS = [
  ["mcp_challenge", challenge],
  ["mcp_credential", credential],
  ["mcp_resource", resource],
  ["mcp_server", server],
  ["mcp_registration", registration],
  ["mcp_token", token],
  ["mcp_consent", consent],
] as const;

/** The findings of the steps so far. */
interface Walk {
  /** The address that the app was given. */
  readonly url: string;
  metadataUrl: string;
  issuer: string;
  endpoints: Readonly<Record<string, unknown>>;
}

/** The fault of a step, or a text if there is none. */
type Finding = Fault | string;

const TIMEOUT_MS = 10_000;
/** Claude's requests have this user agent. Firewalls that block it block Claude. */
const USER_AGENT = "Claude-User";
const PING = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} });
const PROXY = "Correct the proxy in front of the service. See docs/guide/mcp.md.";

/**
 * Walks the connection of an app by OAuth up to the consent of a person. Registers nothing and changes nothing: the endpoints get
 * requests that they must refuse.
 */
export async function mcpChecks(url: string): Promise<Check[]> {
  const walk: Walk = { url, metadataUrl: "", issuer: "", endpoints: {} };
  const checks: Check[] = [];
  for (const [name, step] of STEPS) {
    const isBlocked = checks.some(({ status }) => status === "failed");
    checks.push(isBlocked ? skipped(name, "An earlier step failed.") : await checked(name, step, walk));
  }
  return checks;
}

async function checked(name: string, step: (walk: Walk) => Promise<Finding>, walk: Walk): Promise<Check> {
  try {
    const finding = await step(walk);
    return typeof finding === "string" ? ok(name, finding) : failed(name, finding);
  } catch (error) {
    const { cause, message } = error instanceof Error ? error : new Error(String(error));
    const { code = message } = { ...(cause as { readonly code?: string } | undefined) };
    return failed(name, {
      detail: `No response: ${code}.`,
      cause:
        "The name is unknown, the certificate is not trusted, nothing listens there, or a firewall blocks the connection.",
      fix: "Check the address from this machine. An app on the internet needs an address that is reachable from there.",
    });
  }
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function send(url: string, { headers = {}, ...more }: Sent = {}): Promise<Response> {
  const all = { "User-Agent": USER_AGENT, Accept: "application/json, text/event-stream, text/html", ...headers };
  return await fetch(url, { ...more, headers: all, redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
}

async function sendMessage(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return await send(url, { method: "POST", body: PING, headers: { "Content-Type": "application/json", ...headers } });
}

async function challenge(walk: Walk): Promise<Finding> {
  const { status, headers } = await sendMessage(walk.url);
  const metadataUrl = /resource_metadata="([^"]+)"/.exec(headers.get("www-authenticate") ?? "")?.[1];
  if (status === 403 || status === 406 || status === 429)
    return fault(
      `POST ${walk.url} responded with ${status}.`,
      `A firewall or proxy refuses the user agent ${USER_AGENT}, or this machine.`,
    );
  if (status !== 401) {
    const cause = "The address is not that of MCP, or a proxy responds in place of the service.";
    return {
      detail: `POST ${walk.url} responded with ${status} instead of 401.`,
      cause,
      fix: "Use the base URL followed by /mcp, without a slash at the end.",
    };
  }
  if (metadataUrl === undefined)
    return fault(
      "The 401 has no WWW-Authenticate header with resource_metadata.",
      "A proxy removes the header, or the service is older.",
    );
  walk.metadataUrl = metadataUrl;
  return `401, with the address of the metadata: ${metadataUrl}.`;
}

async function credential({ url }: Walk): Promise<Finding> {
  const answer = await sendMessage(url, { Authorization: "Bearer jn_live_doctor" });
  if ((answer.headers.get("www-authenticate") ?? "").includes("invalid_token"))
    return "The header Authorization reaches the service.";
  return fault(
    `A wrong token was answered with ${answer.status}, as if none was sent.`,
    "A proxy removes or replaces the header Authorization.",
  );
}

async function resource(walk: Walk): Promise<Finding> {
  const document = await readDocument(walk.metadataUrl);
  if ("detail" in document) return document;
  const { found } = document;
  if (found["resource"] !== walk.url)
    return {
      detail: `The service calls itself ${String(found["resource"])}, and was asked at ${walk.url}. Apps compare both exactly.`,
      cause:
        "JUNCTION_BASE_URL differs from the public address, or the app was given another spelling, such as a slash at the end.",
      fix: "Set JUNCTION_BASE_URL to the public address, and give apps that address followed by /mcp.",
    };
  const [issuer] = Array.isArray(found["authorization_servers"]) ? (found["authorization_servers"] as unknown[]) : [];
  walk.issuer = String(issuer);
  return `The resource is ${walk.url}, and its authorization server ${walk.issuer}.`;
}

async function server(walk: Walk): Promise<Finding> {
  const { origin, pathname } = new URL(walk.issuer);
  const document = await readDocument(
    `${origin}/.well-known/oauth-authorization-server${pathname === "/" ? "" : pathname}`,
  );
  if ("detail" in document) return document;
  walk.endpoints = document.found;
  if (document.found["issuer"] === walk.issuer) return "The metadata of the authorization server is complete.";
  return fault(
    `The issuer is ${String(document.found["issuer"])}, not ${walk.issuer}.`,
    "Another server responds at this address.",
  );
}

async function registration({ endpoints }: Walk): Promise<Finding> {
  const headers = { "Content-Type": "application/json" };
  const body = JSON.stringify({ redirect_uris: [] });
  return await refusedWith(endpoints["registration_endpoint"], { headers, body }, "invalid_redirect_uri");
}

async function token({ endpoints, url }: Walk): Promise<Finding> {
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const form = { grant_type: "refresh_token", refresh_token: "doctor", client_id: "doctor", resource: url };
  const body = new URLSearchParams(form).toString();
  return await refusedWith(endpoints["token_endpoint"], { headers, body }, "invalid_grant");
}

async function consent({ endpoints }: Walk): Promise<Finding> {
  const endpoint = String(endpoints["authorization_endpoint"]);
  const { status } = await send(`${endpoint}?client_id=doctor`);
  if (status !== 400)
    return fault(
      `${endpoint} responded with ${status} to a request that it must refuse.`,
      "A proxy responds in place of the service.",
    );
  const page = `${new URL(endpoint).origin}/connect`;
  const answer = await send(page, { headers: { Accept: "text/html" } });
  if (answer.status === 200 && (await answer.text()).includes("Junction")) return `The console responds at ${page}.`;
  return fault(
    `${page} responded with ${answer.status}, unlike the console.`,
    "The console is not built, or a proxy does not forward it.",
  );
}

/** Checks that an endpoint refuses a request in the words of OAuth, so that it is the service that responds. */
async function refusedWith(endpoint: unknown, sent: Sent, error: string): Promise<Finding> {
  const url = String(endpoint);
  const answer = await send(url, { method: "POST", ...sent });
  const text = await answer.text();
  if (answer.status === 400 && text.includes(error)) return `${url} responds.`;
  return fault(
    `${url} responded with ${answer.status} instead of ${error}.`,
    "A proxy or firewall responds in place of the service.",
  );
}

async function readDocument(url: string): Promise<Fault | { readonly found: Record<string, unknown> }> {
  const answer = await send(url, { headers: { Accept: "application/json" } });
  const found = await answer.json().catch(() => undefined);
  if (answer.status === 200 && typeof found === "object" && found !== null) return { found: { ...found } };
  return fault(
    `${url} responded with ${answer.status}, and not with a document.`,
    "A proxy does not forward this path. Under a base URL with a path, it is at the root of the host.",
  );
}

function fault(detail: string, cause: string): Fault {
  return { detail, cause, fix: PROXY };
}
