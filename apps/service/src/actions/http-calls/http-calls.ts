import type { PersonalData } from "../../contacts/contacts.ts";
import { deleteGone } from "../../platform/db/db.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import {
  newSigningSecret,
  pageText,
  paginate,
  parseId,
  parseJson,
  scanJson,
  ServiceError,
  wireId,
} from "../../lib/lib.ts";
import type { Clock, Hidden, IdMaker, IdPrefix, Uuid } from "../../lib/lib.ts";
import { FillError } from "../../events/events.ts";
import { callFacts, fillHttpCall, HTTP_CALL_ROOTS, readHttpCall } from "../../automation/automation.ts";
import type { StepPort, Workflows } from "../../automation/automation.ts";
import type { Log } from "../../platform/telemetry/telemetry.ts";
import { createAccessTokens } from "../../platform/outbound-http/outbound-http.ts";
import type { Net } from "../../platform/outbound-http/outbound-http.ts";
import { ownUuid } from "../../accounts/accounts.ts";
import type { Caller, Scope } from "../../accounts/accounts.ts";
import type { Channels, EventRecords, OwnInboxes } from "../../webhooks/webhooks.ts";
import type { Secrets } from "../backend-secrets/secrets.ts";
import { readCall } from "./call.ts";
import { createCallPort } from "./call-ports.ts";
import { callText, requestView } from "./http-call-view.ts";
import type { RequestView } from "./http-call-view.ts";
import {
  callsOfContacts,
  deleteCallsOfEvents,
  eraseCalls,
  findCall,
  insertCall,
  listCalls,
} from "./http-calls.store.ts";
import type { CallRow, NewCall } from "./http-calls.store.ts";
import { CANCELLED, createCallWorker, endStep, ownerOf } from "./http-calls.worker.ts";
import { sendCall } from "./send.ts";
import type { SendDeps } from "./send.ts";

/** Requests of rules and workflows to any API (contract, section 12). Returns calls as JSON text. */
export interface HttpCalls {
  list(scope: Scope, query: CallQuery): Promise<string>;
  get(scope: Scope, id: string): Promise<string>;
  /** Sends the same request once more, as a call of its own. The run that made it does not change. */
  replay(scope: Scope, id: string): Promise<string>;
  test(caller: Caller, trial: Trial): Promise<TrialResult>;
  readonly port: StepPort;
  /** Returns the secrets that may sign the call with this id; none if there is no such call. */
  secretsOfCall(scope: Scope, id: string): Promise<readonly Hidden[]>;
  /** The personal data in calls. */
  readonly personal: PersonalData;
  /** The data of events in calls. A workflow that waits for a call continues as after a failed one. */
  readonly ofEvents: EventRecords;
  start(): void;
  /** Waits for the requests in progress. */
  stop(): Promise<void>;
}

export interface CallQuery {
  readonly state?: string;
  readonly rule_id?: string;
  readonly workflow_id?: string;
  readonly run_id?: string;
  readonly limit?: number;
  readonly cursor?: string;
}

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

export interface TrialResult {
  readonly request: RequestView;
  readonly sent: boolean;
  readonly succeeded: boolean | null;
  /** JSON text; null if nothing was sent or there was no response. */
  readonly response: string | null;
  readonly errorClass: string | null;
  readonly error: string | null;
  readonly durationMs: number | null;
  /** The secret that signed the test of a signed call. It signs nothing else. */
  readonly secret?: string;
}

export interface HttpCallsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly log: Log;
  readonly net: Pick<Net, "send" | "vet">;
  readonly inboxes: Pick<OwnInboxes, "addressOf">;
  readonly secretFor: Secrets["valueFor"];
  readonly isSecretSet: Secrets["isSet"];
  readonly resume: Workflows["resume"];
  readonly signing: Channels["signing"];
  /** Tells an own inbox the secret that signs a test. */
  expectSecret(scope: Scope, url: string, secret: Hidden): Promise<void>;
  /** False in a process that only accepts requests. */
  readonly works: boolean;
}

const EXPORT_STEP = 100;

export function createHttpCalls(given: HttpCallsDeps): HttpCalls {
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
    list: async (scope, query) => await listText(db, scope, query),
    get: async (scope, id) => callText(scope, await existing(scope, id)),
    async replay(scope, id) {
      const row = await existing(scope, id);
      if (row.state === "waiting")
        throw new ServiceError("conflict", {
          detail: "The call has not ended. Replay it when it has failed or succeeded.",
        });
      const next = deps.ids.uuid();
      await db.transaction(async (tx) => await store(tx, replayOf(row, next)));
      return callText(scope, await existing(scope, wireId("call", scope.tag, next)));
    },
    test: async (caller, trial) => await tryCall(deps, caller, trial),
    async secretsOfCall(scope, id) {
      const parsed = parseId(id);
      if (parsed?.prefix !== "call" || parsed.tag !== scope.tag) return [];
      const row = await findCall(db.query, scope, parsed.uuid);
      return row === undefined ? [] : ((await deps.signing(ownerOf(row))) ?? []);
    },
    port: createCallPort(deps, store),
    personal: {
      name: "http_calls",
      read: (scope, contactIds) => readOf(db, scope, contactIds),
      erase: async (tx, scope, contactIds) => await eraseCalls(tx, scope, contactIds),
    },
    ofEvents: {
      async eraseOfEvents(tx, scope, eventIds) {
        if (eventIds.length === 0) return;
        for (const row of await deleteCallsOfEvents(tx, scope, eventIds)) await endStep(deps, tx, row, CANCELLED);
      },
      eraseOfTenant: async (tx, scope, gone) => await deleteGone(tx.query, "http_call", scope, gone),
    },
    start: () => {
      if (deps.works) worker.start();
    },
    stop: worker.stop,
  };
}

async function listText(db: Db, scope: Scope, query: CallQuery): Promise<string> {
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

function replayOf(row: CallRow, id: Uuid): NewCall {
  const { bucket, tag, workspace_id, owner_kind, owner_id, owner_name, run_id, step } = row;
  const { event_id, tenant, author_kind, author_id, contact_id, request, host } = row;
  const owner = {
    workspace_id,
    owner_kind,
    owner_id,
    owner_name,
    run_id,
    step,
    event_id,
    tenant,
    author_kind,
    author_id,
    contact_id,
  };
  return { bucket, tag, id, ...owner, replay_of: row.id, request, host };
}

function uuidIn(scope: Scope, prefix: IdPrefix, id: string | undefined): Uuid | undefined {
  return id === undefined ? undefined : ownUuid(scope, prefix, id);
}

async function tryCall(
  deps: SendDeps & Pick<HttpCallsDeps, "ids" | "expectSecret">,
  { scope, key: by }: Caller,
  trial: Trial,
): Promise<TrialResult> {
  const scan = scanJson(Buffer.from(`{"request":${trial.call}}`));
  const { call, faults } = readHttpCall({ scan, place: ["request"], roots: HTTP_CALL_ROOTS });
  if (faults.length > 0) throw new ServiceError("validation_failed", { errors: faults });
  const text = filledOr422(() => fillHttpCall(call, callFacts(trial)));
  const key = wireId("call", scope.tag, deps.ids.uuid());
  const filled = readCall(text);
  const request = requestView(filled, key);
  if (trial.dryRun)
    return { request, sent: false, succeeded: null, response: null, errorClass: null, error: null, durationMs: null };
  const secret = filled.sign === true ? newSigningSecret() : undefined;
  if (secret !== undefined) await deps.expectSecret(scope, filled.url, secret);
  const signing = async (): Promise<Hidden[]> => await Promise.resolve(secret === undefined ? [] : [secret]);
  const tried = await sendCall(deps, { scope, text, id: key, by, signing });
  const { isDone, answer, errorClass, error, durationMs } = tried;
  const result = { request, sent: true, succeeded: isDone, response: answer, errorClass, error, durationMs };
  return secret === undefined ? result : { ...result, secret: secret.reveal() };
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
