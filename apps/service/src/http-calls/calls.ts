import type { PersonalData } from "../contacts/contacts.ts";
import { deleteGone } from "../platform/db/db.ts";
import type { Db, Tx } from "../platform/db/db.ts";
import {
  newSigningSecret,
  pageText,
  paginate,
  parseId,
  parseJson,
  scanJson,
  ServiceError,
  wireId,
} from "../lib/lib.ts";
import type { Hidden, IdMaker, IdPrefix, Uuid } from "../lib/lib.ts";
import { FillError } from "../events/events.ts";
import { callFacts, fillHttpCall, HTTP_CALL_ROOTS } from "./fill.ts";
import { readHttpCall } from "./template.ts";
import { createAccessTokens } from "../platform/outbound-http/outbound-http.ts";
import { ownUuid } from "../accounts/accounts.ts";
import type { Caller, Scope } from "../accounts/accounts.ts";
import type { EventRecords } from "../webhooks/webhooks.ts";
import { readCall } from "./call.ts";
import { callText, requestView } from "./http-call-view.ts";
import type { CallListQuery } from "./http-calls.schemas.ts";
import {
  callsOfContacts,
  deleteCallsOfEvents,
  eraseCalls,
  findCall,
  insertCall,
  listCalls,
  replayOf,
} from "./http-calls.store.ts";
import type { CallRow, NewCall } from "./http-calls.store.ts";
import { CANCELLED, createCallWorker, endStep, ownerOf } from "./http-calls.worker.ts";
import type { CallWorkerDeps } from "./http-calls.worker.ts";
import { sendCall } from "./send.ts";
import type { SendDeps } from "./send.ts";

/** A call to try, and the values that it can read, as JSON texts. */
export interface Trial {
  readonly call: string;
  readonly event: string;
  readonly data: string;
  readonly contact?: string | undefined;
  readonly input?: string | undefined;
  readonly steps?: string | undefined;
  readonly dryRun: boolean;
}

export interface HttpCallsDeps extends Omit<CallWorkerDeps, "tokens"> {
  /** Tells an own inbox the secret that signs a test. */
  expectSecret(scope: Scope, url: string, secret: Hidden): Promise<void>;
  readonly ids: IdMaker;
}

export type HttpCalls = ReturnType<typeof createHttpCalls>;

const EXPORT_STEP = 100;

/** Creates the requests of rules and workflows to any API (contract, section 12). Returns calls as JSON text. */
export function createHttpCalls(given: HttpCallsDeps) {
  const deps = { ...given, tokens: createAccessTokens(given) };
  const { db } = deps;
  const worker = createCallWorker(deps);
  const store = async (tx: Tx, call: NewCall): Promise<void> => {
    await insertCall(tx, call);
    tx.onCommit(worker.wake);
  };
  const existing = async (scope: Scope, id: string): Promise<CallRow> => {
    const row = await findCall(db.query, scope, ownUuid(scope, "call", id));
    if (row === undefined) throw new ServiceError("not_found");
    return row;
  };
  return {
    /** Stores a call that is due at once. */
    store,
    list: async (scope: Scope, query: CallListQuery) => await listText(db, scope, query),
    get: async (scope: Scope, id: string) => callText(scope, await existing(scope, id)),
    /** Sends the same request once more, as a call of its own. The run that made it does not change. */
    async replay(scope: Scope, id: string): Promise<string> {
      const row = await existing(scope, id);
      if (row.state === "waiting")
        throw new ServiceError("conflict", {
          detail: "The call has not ended. Replay it when it has failed or succeeded.",
        });
      const next = deps.ids.uuid();
      await db.transaction(async (tx) => await store(tx, replayOf(row, next)));
      return callText(scope, await existing(scope, wireId("call", scope.tag, next)));
    },
    test: async (caller: Caller, trial: Trial) => await tryCall(deps, caller, trial),
    /** Returns the secrets that may sign the call with this id; none if there is no such call. */
    async secretsOfCall(scope: Scope, id: string): Promise<readonly Hidden[]> {
      const parsed = parseId(id);
      if (parsed?.prefix !== "call" || parsed.tag !== scope.tag) return [];
      const row = await findCall(db.query, scope, parsed.uuid);
      return row === undefined ? [] : ((await deps.signing(ownerOf(row))) ?? []);
    },
    /** The personal data in calls. */
    personal: {
      name: "http_calls",
      read: (scope, contactIds) => readOf(db, scope, contactIds),
      erase: async (tx, scope, contactIds) => await eraseCalls(tx, scope, contactIds),
    } satisfies PersonalData,
    /** The data of events in calls. A workflow that waits for a call continues as after a failed one. */
    ofEvents: {
      async eraseOfEvents(tx, scope, eventIds) {
        if (eventIds.length === 0) return;
        for (const row of await deleteCallsOfEvents(tx, scope, eventIds)) await endStep(deps, tx, row, CANCELLED);
      },
      eraseOfTenant: async (tx, scope, gone) => await deleteGone(tx.query, "http_call", scope, gone),
    } satisfies EventRecords,
    start: worker.start,
    /** Waits for the requests in progress. */
    stop: worker.stop,
  };
}

async function listText(db: Db, scope: Scope, query: CallListQuery): Promise<string> {
  const { state, rule_id: ruleId, workflow_id: workflowId, run_id: runId } = query;
  const ownerId = ruleId ?? workflowId;
  const filter = {
    state,
    ownerId: uuidIn(scope, ruleId === undefined ? "wf" : "rule", ownerId),
    runId: uuidIn(scope, runId?.startsWith("wfr_") === true ? "wfr" : "rrun", runId),
  };
  const page = await paginate(query, {
    binding: [scope.tag, "http calls", state ?? null, ownerId ?? null, runId ?? null],
    read: async (before, limit) => await listCalls(db.query, scope, filter, { before, limit }),
    view: (row) => callText(scope, row),
  });
  return pageText(page);
}

function uuidIn(scope: Scope, prefix: IdPrefix, id: string | undefined): Uuid | undefined {
  return id === undefined ? undefined : ownUuid(scope, prefix, id);
}

async function tryCall(
  deps: SendDeps & Pick<HttpCallsDeps, "ids" | "expectSecret">,
  { scope, key: by }: Caller,
  trial: Trial,
) {
  const scan = scanJson(Buffer.from(`{"request":${trial.call}}`));
  const { call, faults } = readHttpCall({ scan, place: ["request"], roots: HTTP_CALL_ROOTS });
  if (faults.length > 0) throw new ServiceError("validation_failed", { errors: faults });
  const text = filledOr422(() => fillHttpCall(call, callFacts(trial)));
  const key = wireId("call", scope.tag, deps.ids.uuid());
  const filled = readCall(text);
  const request = requestView(filled, key);
  const notSent = { succeeded: null, response: null, errorClass: null, error: null, durationMs: null };
  if (trial.dryRun) return { request, sent: false, ...notSent, secret: undefined };
  const secret = filled.sign === true ? newSigningSecret() : undefined;
  if (secret !== undefined) await deps.expectSecret(scope, filled.url, secret);
  const signing = async (): Promise<Hidden[]> => await Promise.resolve(secret === undefined ? [] : [secret]);
  const tried = await sendCall(deps, { scope, text, id: key, by, signing });
  const { isDone, response, errorClass, error, durationMs } = tried;
  const result = { request, sent: true, succeeded: isDone, response, errorClass, error, durationMs };
  // The secret that signed the test of a signed call. It signs nothing else.
  return { ...result, secret: secret?.reveal() };
}

function filledOr422(fill: () => string): string {
  try {
    return fill();
  } catch (error) {
    if (!(error instanceof FillError)) throw error;
    const errors = [{ pointer: "/request", code: error.code, message: error.message }];
    throw new ServiceError("validation_failed", { errors });
  }
}

async function* readOf(db: Db, scope: Scope, contactIds: readonly Uuid[]): AsyncGenerator<object> {
  for (let after: Uuid | undefined; ;) {
    const rows = await callsOfContacts(db.query, scope, contactIds, { after, limit: EXPORT_STEP });
    for (const row of rows) yield parseJson(callText(scope, row)) as object;
    after = rows.at(-1)?.id;
    if (rows.length === 0) return;
  }
}
