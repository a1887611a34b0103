import type { AccessChecks, Operation } from "../../../access/access.ts";
import { readStanding, requesterOf, scopeOf } from "../../../accounts/accounts.ts";
import type { Admitted, ApiKey, App, Workspaces } from "../../../accounts/accounts.ts";
import { askerOf, failedCall, isOperatorKey, successfulCall } from "../../../actions/actions.ts";
import type { CallOutcome, OperationHandler, RequestContext, Runs } from "../../../actions/actions.ts";
import { isPassing, parseId, scanJson, ServiceError, wireId } from "../../../lib/lib.ts";
import type { Id } from "../../../lib/lib.ts";
import type { Db } from "../../../platform/db/db.ts";
import type { Log } from "../../../platform/telemetry/telemetry.ts";
import type { RestResponse } from "../result.ts";
import { credentialPage, liveResult } from "./live-result.ts";
import { lookAhead } from "./look-ahead.ts";
import { boundCall, operationOfCall } from "./operator-call.ts";
import type { OperatorCall } from "./operator-call.ts";
import { statusText } from "./operator-result.ts";
import { perform } from "./perform.ts";

export interface OperatorDeps {
  readonly db: Db;
  readonly accessChecks: AccessChecks;
  readonly keys: Pick<Workspaces["keys"], "byId">;
  readonly runs: Pick<Runs, "proposeOperation" | "follow">;
  readonly baseUrl: string;
  readonly log: Pick<Log, "warn">;
  /** Mounts the routes where no request reaches them, for a node that does not serve the API. */
  readonly unserved: () => App;
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

/** The writes of operator tools in live: each waits for a person, and then runs with the rights that its key has by then. */
export function createOperator(deps: OperatorDeps) {
  const mounted: { app?: App } = {};
  return {
    /** Called when the routes are mounted, whose handlers the approved operations need. */
    mount(app: App): void {
      mounted.app = app;
    },
    /**
     * Returns the proposal of a write. It says how many objects change, and shows one. Throws 404 for an unknown object, and 403 for an
     * operation that only shows a credential.
     */
    propose: async (write: LiveWrite): Promise<RestResponse & { readonly replayed: boolean }> =>
      await propose(deps, write),
    /** Returns what has become of a write that the caller requested, as JSON text. Throws 404 for all other proposals. */
    async status({ key, scope }: Admitted, proposalId: string): Promise<string> {
      const follower = { scope, author: requesterOf(key), surface: "mcp" } as const;
      const found = await deps.accessChecks.within(scope, async () => await deps.runs.follow(follower, proposalId));
      if (found === undefined || !isOperatorKey(found.action)) throw new ServiceError("not_found");
      return statusText(found);
    },
    run: (async (contractKey, approved) => {
      try {
        return await run(deps, (mounted.app ??= deps.unserved()), contractKey, approved);
      } catch (error) {
        return failureOf(deps, approved.runId, error);
      }
    }) satisfies OperationHandler,
  };
}

async function propose(
  deps: OperatorDeps,
  { app, caller, call, client, request }: LiveWrite,
): Promise<RestResponse & { readonly replayed: boolean }> {
  if (call.action.sandboxOnly === true)
    throw new ServiceError("surface_not_allowed", {
      detail: `${call.name} returns a credential. In live, a person reads it in the console: ${credentialPage(deps.baseUrl, call)}`,
    });
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
}

/** Runs an approved operation. Throws its refusal. */
async function run(
  deps: OperatorDeps,
  app: App,
  contractKey: string,
  { scope, runId, parameters }: Parameters<OperationHandler>[1],
): Promise<CallOutcome> {
  const [tool = "", action] = contractKey.split(".").slice(-2);
  const call = boundCall(app.operationTable, tool, scanJson(Buffer.from(String(parameters["arguments"]))));
  if (call === undefined || call.name !== action)
    return failedCall("contract_changed", "The operation no longer exists.");
  const operation = operationOfCall(call, false);
  const key = await currentKey(deps, String(parameters["key_id"]), operation);
  if (key.tag !== scope.tag) throw new ServiceError("workspace_mismatch");
  const caller = callerOf(key, runId);
  const body = await perform(deps, { app, caller, call, operation, once: `operator-${runId}` });
  return successfulCall(liveResult(deps.baseUrl, call, body));
}

function failureOf({ log }: OperatorDeps, runId: Id, error: unknown): CallOutcome {
  if (error instanceof ServiceError) {
    const { code, details, kind } = error;
    return failedCall(code, details.detail ?? kind.title, { retryable: kind.status === 503 });
  }
  log.warn({ err: error, run_id: runId }, "an approved operation failed");
  const fault = { outcomeUnknown: true, retryable: isPassing(error) };
  return failedCall(
    "internal_error",
    "The operation failed on our side. Look at the object before you ask again.",
    fault,
  );
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
