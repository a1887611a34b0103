import { randomBytes } from "node:crypto";
import type { Io } from "../io.ts";
import { readAccount, withoutTrailingSlashes } from "../settings.ts";
import { failed, ok, skipped } from "./check.ts";
import type { Check, Fault } from "./check.ts";

type Response = Readonly<Record<string, unknown>>;
type Ask = (method: string, params?: Record<string, unknown>) => Promise<Response>;
/** The fault of a step, or a text if there is none. */
type Finding = Fault | string;

/** The steps in which an app subscribes to an event, up to the challenge of its receiver. Each needs the one before it. */
const STEPS = [
  ["mcp_events", capability],
  ["mcp_event_types", types],
  ["mcp_subscription", subscription],
] as const;

const VERSION = "2026-07-28";
const TIMEOUT_MS = 20_000;
const SCOPES = "events:read and event_subscriptions:write";
const GUIDE = "See docs/guide/wake-chatgpt.md.";

/** Walks a subscription with the key of this machine. Nothing is stored: the service must refuse the receiver, which does not exist. */
export async function mcpEventChecks(io: Io, url: string): Promise<Check[]> {
  const account = await readAccount(io).catch(() => undefined);
  if (account === undefined || `${withoutTrailingSlashes(account.baseUrl)}/mcp` !== url)
    return STEPS.map(([name]) => skipped(name, "There is no key for this service: set JUNCTION_API_KEY."));
  const ask = asking(url, account.apiKey);
  const checks: Check[] = [];
  for (const [name, step] of STEPS) {
    const isBlocked = checks.some(({ status }) => status === "failed");
    checks.push(
      isBlocked ? skipped(name, "An earlier step failed.") : await checked(name, async () => await step(ask)),
    );
  }
  return checks;
}

async function checked(name: string, step: () => Promise<Finding>): Promise<Check> {
  const finding = await step().catch((error: unknown) =>
    fault(
      `No response: ${error instanceof Error ? error.message : String(error)}.`,
      "The service did not respond in time.",
    ),
  );
  return typeof finding === "string" ? ok(name, finding) : failed(name, finding);
}

function asking(url: string, key: string): Ask {
  return async (method, params = {}) => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": VERSION,
      "io.modelcontextprotocol/clientInfo": { name: "junction-doctor", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const answer = await fetch(url, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${key}`,
        "Content-Type": "application/json",
        "MCP-Protocol-Version": VERSION,
        "Mcp-Method": method,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return (await answer.json()) as Response;
  };
}

async function capability(ask: Ask): Promise<Finding> {
  const answer = await ask("server/discover");
  const capabilities = memberOf(memberOf(answer, "result"), "capabilities");
  if (memberOf(capabilities, "events") !== undefined) return "The server offers events to apps.";
  return fault(
    `server/discover shows no capability for events: ${codeOf(answer)}.`,
    "The service is older, or it refuses the key.",
  );
}

async function types(ask: Ask): Promise<Finding> {
  const answer = await ask("events/list");
  const events = memberOf(memberOf(answer, "result"), "events");
  if (Array.isArray(events) && events.length > 0) return `The key sees event types, such as ${nameOf(events)}.`;
  return fault(`events/list returned no event types: ${codeOf(answer)}.`, `The key lacks the scopes ${SCOPES}.`);
}

async function subscription(ask: Ask): Promise<Finding> {
  const listed = memberOf(memberOf(await ask("events/list"), "result"), "events");
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  // Nothing listens at this port of loopback, which the guard refuses anyway.
  const delivery = { mode: "webhook", url: "https://127.0.0.1:1/junction-doctor", secret };
  const answer = await ask("events/subscribe", { name: nameOf(listed), delivery });
  const error = memberOf(answer, "error");
  const [code, reason] = [memberOf(error, "code"), memberOf(memberOf(error, "data"), "reason")];
  if (code === -32_015 || memberOf(memberOf(error, "data"), "code") === "url_blocked")
    return `The key may subscribe. A receiver that does not respond is refused (${typeof reason === "string" ? reason : "url_blocked"}).`;
  return fault(
    `events/subscribe was answered with ${codeOf(answer)}.`,
    `The key lacks the scopes ${SCOPES}, which it must name.`,
  );
}

function nameOf(events: unknown): string {
  const name = memberOf(Array.isArray(events) ? (events as unknown[])[0] : undefined, "name");
  return typeof name === "string" ? name : "";
}

/** Returns the code of a refusal: that of the protocol, or of the problem document. */
function codeOf(answer: Response): string {
  const code = memberOf(answer["error"], "code") ?? answer["code"];
  return typeof code === "string" || typeof code === "number" ? String(code) : "no refusal";
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Response)[name] : undefined;
}

function fault(detail: string, cause: string): Fault {
  return { detail, cause, fix: GUIDE };
}
