import { runDetached } from "../../../access/access.ts";
import type { AccessChecks, Operation } from "../../../access/access.ts";
import { readStanding, scopeOf } from "../../../accounts/accounts.ts";
import type { Admitted, ApiKey, App, Workspaces } from "../../../accounts/accounts.ts";
import { askerOf, failedCall, successfulCall } from "../../../actions/actions.ts";
import type { OperationHandler, Runs } from "../../../actions/actions.ts";
import {
  isPassing,
  isRecord,
  parseId,
  parseJson,
  randomText,
  scanJson,
  ServiceError,
  sha256,
  wireId,
} from "../../../lib/lib.ts";
import type { ErrorCode, Id } from "../../../lib/lib.ts";
import type { Db } from "../../../platform/db/db.ts";
import type { RequestContext } from "../../../actions/actions.ts";
import type { Log } from "../../../platform/telemetry/telemetry.ts";
import type { RestResponse } from "../result.ts";
import { boundCall, operationOfCall, underScope } from "./operator-call.ts";
import type { OperatorCall } from "./operator-call.ts";
import { boundedText, DONE } from "./operator-result.ts";

export interface OperatorDeps {
  readonly db: Db;
  readonly accessChecks: AccessChecks;
  readonly keys: Pick<Workspaces["keys"], "byId">;
  readonly runs: Pick<Runs, "proposeOperation">;
  readonly baseUrl: string;
  readonly log: Pick<Log, "warn">;
}

/** A write in live that passed the access checks. */
export interface LiveWrite {
  readonly app: App;
  readonly caller: Admitted;
  readonly call: OperatorCall;
  /** The program that the client says it is. */
  readonly client: string | null;
  readonly request: RequestContext;
}

export type Operator = ReturnType<typeof createOperator>;

/** Members that only people are shown in live. The result of a run is stored, and read by all members. */
const CREDENTIALS = ["secret", "previous_secret", "signing_secret", "url"];

/** The writes of operator tools in live: each waits for a person, and then runs with the rights that its key has by then. */
export function createOperator(deps: OperatorDeps) {
  const mounted: { app?: App } = {};
  return {
    /** Called when the routes are mounted, whose handlers the approved operations need. */
    mount(app: App): void {
      mounted.app = app;
    },
    /** Returns the proposal of a write. It says how many objects change, and shows one. Throws 404 for an unknown object. */
    async propose({
      app,
      caller,
      call,
      client,
      request,
    }: LiveWrite): Promise<RestResponse & { readonly replayed: boolean }> {
      const { count, example } = await lookAhead(deps, app, caller, call);
      const asker = {
        ...askerOf(caller, { ip: caller.ip, display: null }),
        surface: "mcp",
        isAi: true,
        client,
      } as const;
      const operation = {
        tool: call.tool,
        action: call.name,
        arguments: call.argumentsText,
        keyId: wireId("key", caller.scope.tag, caller.key.id),
        approverRoles: call.bound.entry.operation.roles.filter((role) => role !== "ai"),
        count,
        example,
      };
      return await deps.runs.proposeOperation(asker, operation, request);
    },
    run: (async (key, { scope, runId, parameters }) => {
      const { app } = mounted;
      if (app === undefined)
        return failedCall(
          "service_unavailable",
          "This node serves no API, so that it cannot do the operation. Ask again.",
        );
      try {
        const tool = key.split(".").at(-2) ?? "";
        const call = boundCall(app.operationTable, tool, scanJson(Buffer.from(String(parameters["arguments"]))));
        if (call === undefined || call.name !== key.split(".").at(-1))
          return failedCall("contract_changed", "The operation no longer exists.");
        const operation = operationOfCall(call, false);
        const found = await currentKey(deps, String(parameters["key_id"]), operation);
        if (found.tag !== scope.tag) throw new ServiceError("workspace_mismatch");
        const caller = callerOf(found, runId);
        return outcomeOf(await perform(deps, app, caller, { call, operation, once: `operator-${runId}` }));
      } catch (error) {
        if (error instanceof ServiceError)
          return failedCall(error.code, error.details.detail ?? error.kind.title, {
            retryable: error.kind.status === 503,
          });
        deps.log.warn({ err: error, run_id: runId }, "an approved operation failed");
        const fault = { outcomeUnknown: true, retryable: isPassing(error) };
        return failedCall(
          "internal_error",
          "The operation failed on our side. Look at the object before you ask again.",
          fault,
        );
      }
    }) satisfies OperationHandler,
  };
}

/** Returns the key with the rights that it has at this moment. Throws the refusal if it may no longer do the operation. */
async function currentKey({ accessChecks, keys, db }: OperatorDeps, id: string, operation: Operation): Promise<ApiKey> {
  const parsed = parseId(id);
  const key = parsed === undefined ? undefined : await keys.byId(parsed.uuid);
  if (key === undefined) throw new ServiceError("key_invalid");
  // The role of the member who connected an app is not part of its key.
  const standing = await readStanding(db, key.workspaceId, { kind: "key", id: key.lineageId });
  if (standing === undefined) throw new ServiceError("key_invalid");
  const { grantedRole } = standing;
  const current = { ...key, ...(grantedRole === undefined ? {} : { grantedRole }) };
  accessChecks.assertStillAllowed(current, operation);
  return current;
}

function callerOf(key: ApiKey, runId: Id): Admitted {
  const scope = { ...scopeOf(key.workspaceId, key.tag), tenant: key.tenant };
  return { key, scope, ip: "", requestId: runId };
}

interface Performed {
  readonly call: OperatorCall;
  readonly operation: Operation;
  /** The idempotency key. */
  readonly once: string;
}

async function perform(
  { accessChecks, baseUrl }: OperatorDeps,
  app: App,
  caller: Admitted,
  { call, operation, once }: Performed,
): Promise<RestResponse> {
  const { bucket, tag } = caller.scope;
  const { entry, params, query, body, scanned } = call.bound;
  const requestHash = sha256(`${call.tool}\n${call.argumentsText}`);
  const ref = { bucket, tag, lineageId: caller.key.lineageId, key: once, requestHash };
  const parts = { params, query, body, scanned };
  return await runDetached(accessChecks, { app, entry, operation, caller, parts, ref, baseUrl });
}

function outcomeOf({ status, body }: RestResponse): ReturnType<typeof successfulCall> {
  if (status < 400) return successfulCall(body === "" ? DONE : boundedText(body, CREDENTIALS));
  const problem: unknown = parseJson(body);
  const { code, detail } = isRecord(problem) ? problem : {};
  return failedCall(code as ErrorCode, String(detail ?? code), { retryable: status === 503 });
}

/** Reads what a write would change, with the caller's own rights, and changes nothing. */
async function lookAhead(
  deps: OperatorDeps,
  app: App,
  caller: Admitted,
  call: OperatorCall,
): Promise<{ readonly count: number; readonly example: unknown }> {
  const { counts, example } = call.action;
  const given = parseJson(call.argumentsText);
  const { id } = isRecord(given) ? given : {};
  const shown = example === undefined ? null : await read(deps, app, caller, { example, id });
  if (counts !== true) return { count: 1, example: shown };
  const dry = {
    ...call,
    bound: { ...call.bound, body: { ...(isRecord(call.bound.body) ? call.bound.body : {}), dry_run: true } },
  };
  const answer = await perform(deps, app, caller, {
    call: dry,
    operation: operationOfCall(dry, false),
    once: randomText(27),
  });
  const counted = resultOf(answer);
  return { count: isRecord(counted) ? Number(counted["count"]) : 0, example: shown };
}

/** Returns the object that a write would change. Throws the refusal of the read. */
async function read(
  deps: OperatorDeps,
  app: App,
  caller: Admitted,
  { example: [tool, action], id }: { readonly example: readonly [string, string]; readonly id: unknown },
): Promise<unknown> {
  const call = boundCall(app.operationTable, tool, scanJson(Buffer.from(JSON.stringify({ action, id }))));
  if (call === undefined) throw new Error(`${tool} has no action ${action}`);
  const asked = underScope(call.bound.entry.operation, false);
  if (!deps.accessChecks.permits(caller.key, asked)) return null;
  const answer = await perform(deps, app, caller, { call, operation: asked, once: randomText(27) });
  return resultOf(answer, call.action.without);
}

function resultOf({ status, body }: RestResponse, without: readonly string[] = []): unknown {
  if (status < 400) return parseJson(boundedText(body, without));
  const problem: unknown = parseJson(body);
  const { code, detail, errors } = isRecord(problem) ? problem : {};
  throw new ServiceError(code as ErrorCode, {
    ...(typeof detail === "string" && { detail }),
    ...(Array.isArray(errors) && { errors: errors as never }),
  });
}
