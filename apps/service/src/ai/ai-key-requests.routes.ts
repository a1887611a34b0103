import type { FastifyRequest } from "fastify";
import { actorOf } from "../audit/audit.ts";
import type { AiRequest, History } from "../audit/audit.ts";
import { scopeOf } from "../accounts/accounts.ts";
import type { ApiKey, App } from "../accounts/accounts.ts";
import { isRecord } from "../lib/lib.ts";
import { PATH } from "./mcp/exchange.ts";
import { shownText } from "./mcp/mcp-message.ts";
import { refusalStatus } from "./mcp/noted-message.routes.ts";

const MAX_NAME = 100;
const RUN = "actions.run";
/** The operations that tell an AI what became of its calls. */
const POLLS: ReadonlySet<string> = new Set(["proposals.get", "runs.get"]);

/**
 * Counts what AI keys ask of the API in the AI history, except for calls of actions, which write exchanges: dry runs, polls, and calls
 * that the access checks refused.
 */
export function noteAiKeys(app: App, history: Pick<History, "note">): void {
  app.addHook("onResponse", (request, _reply, done) => {
    note(history, request);
    done();
  });
}

function note(history: Pick<History, "note">, request: FastifyRequest): void {
  const { access, errorCode, ip, routeOptions } = request;
  const { key } = access;
  if (key === undefined || !isAiKey(key) || routeOptions.url === PATH) return;
  const asked = summaryOf(access.operation?.name ?? routeOptions.config.checked?.name, request);
  if (asked === undefined) return;
  const { kind, name, id } = asked;
  const scope = { ...scopeOf(key.workspaceId, key.tag), tenant: key.tenant };
  history.note(scope, {
    source: "api",
    kind,
    actor: actorOf({ key, scope, ip }),
    client: null,
    name,
    target: id === null ? null : { id, name: null },
    status: errorCode === null ? "ok" : refusalStatus(errorCode),
    errorCode,
    requestId: request.id,
  });
}

function isAiKey({ actorType, session }: ApiKey): boolean {
  return actorType === "ai" && session === undefined;
}

interface RequestSummary extends Pick<AiRequest, "kind" | "name"> {
  /** The action, or the id of the proposal or the run. */
  readonly id: string | null;
}

function summaryOf(name: string | undefined, request: FastifyRequest): RequestSummary | undefined {
  if (name === RUN) return callOf(request);
  if (name === undefined || !POLLS.has(name)) return undefined;
  const { params } = request;
  return { kind: "poll", name, id: shownId(isRecord(params) ? params["id"] : null) };
}

/** Returns undefined for a call that passed the access checks, which writes an exchange. */
function callOf({ admitted, errorCode, scanned, body }: FastifyRequest): RequestSummary | undefined {
  const sent: unknown = admitted === null ? scanned?.value : body;
  const { action, dry_run: isDryRun }: Readonly<Record<string, unknown>> = isRecord(sent) ? sent : {};
  const id = shownId(action);
  if (isDryRun === true) return { kind: "dry_run", name: id ?? RUN, id };
  return errorCode !== null && admitted === null ? { kind: "call", name: id ?? RUN, id } : undefined;
}

function shownId(value: unknown): string | null {
  return typeof value === "string" ? shownText(value, MAX_NAME) : null;
}
