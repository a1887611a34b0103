import type { ActionRuns, ActionCaller, RunInput } from "../../actions/actions.ts";
import { isRecord, JsonError, parseId, scanJson, ServiceError, sha256, wireId } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { ToolCall } from "./provider.ts";

/** The result of one call of a model. */
export interface Acted {
  readonly callId: string | null;
  readonly action: string;
  /** `executed` and `failed` are ends of a run that a standing approval allowed. */
  readonly status: "proposed" | "refused" | "executed" | "failed";
  /** JSON value: the proposal, the run, or the problem of a refusal or a failure. */
  readonly result: unknown;
  readonly errorCode: string | null;
  readonly proposalId: Uuid | null;
  readonly runId: Uuid | null;
}

/** The result of a dry run of a call. */
export interface Checked {
  /** JSON value: the preview of the call, or the refusal's problem. */
  readonly outcome: unknown;
  readonly errorCode: string | null;
}

export interface Acting {
  readonly runs: Pick<ActionRuns, "run" | "dryRun">;
  readonly asker: ActionCaller;
  /** The prompt that the model received, for the audit log. */
  readonly prompt: string;
  /** Part of the idempotency key: a call that is repeated after a crash gets its first response. */
  readonly round: Uuid;
}

/** Requests the action that a model called. Name, rights and parameters are checked as for every caller. Never throws for the model's input. */
export async function act(context: Acting, call: ToolCall, at: number): Promise<Acted> {
  const about = { callId: call.id, action: call.action };
  const none = { errorCode: null, proposalId: null, runId: null };
  const done = await attempt(async () => {
    const { status, body } = await context.runs.run(
      context.asker,
      inputOf(call, context.prompt),
      requestOf(context, call, at),
    );
    return { isFailed: status >= 400, body: JSON.parse(body) as unknown };
  });
  if (done.errorCode !== null)
    return { ...about, ...none, status: "refused", result: done.outcome, errorCode: done.errorCode };
  return { ...about, ...none, ...endOf(done.outcome as RunEnd) };
}

interface RunEnd {
  readonly isFailed: boolean;
  readonly body: unknown;
}

/** Reads an answer: a proposal that waits, or the end of a run that a standing approval allowed. */
function endOf({ isFailed, body }: RunEnd): Omit<Acted, "callId" | "action"> {
  const answer = isRecord(body) ? body : {};
  if (isFailed) {
    const run = isRecord(answer["execution"]) ? answer["execution"] : {};
    const errorCode = typeof answer["code"] === "string" ? answer["code"] : "internal_error";
    return { ...idsOf(run), status: "failed", result: body, errorCode };
  }
  if (answer["object"] === "run") return { ...idsOf(answer), status: "executed", result: body, errorCode: null };
  const proposal = isRecord(answer["proposal"]) ? answer["proposal"] : {};
  return { status: "proposed", result: body, errorCode: null, proposalId: uuidOf(proposal["id"]), runId: null };
}

function idsOf(run: Readonly<Record<string, unknown>>): Pick<Acted, "proposalId" | "runId"> {
  return { proposalId: uuidOf(run["proposal_id"]), runId: uuidOf(run["id"]) };
}

function uuidOf(id: unknown): Uuid | null {
  return typeof id === "string" ? (parseId(id)?.uuid ?? null) : null;
}

/** Returns the result that a call would have. */
export async function checkedCall(context: Acting, call: ToolCall): Promise<Checked> {
  return await attempt(
    async () =>
      JSON.parse(
        await context.runs.dryRun(context.asker, inputOf(call, context.prompt), requestOf(context, call, 0)),
      ) as unknown,
  );
}

async function attempt(run: () => Promise<unknown>): Promise<Checked> {
  try {
    return { outcome: await run(), errorCode: null };
  } catch (error) {
    if (!(error instanceof ServiceError) || isPassingRefusal(error)) throw error;
    const { detail, errors = [] } = error.details;
    return { outcome: { code: error.code, detail: detail ?? error.kind.title, errors }, errorCode: error.code };
  }
}

/** An earlier attempt of this event may still wait for the backend. Its result is read when the event is tried again. */
function isPassingRefusal({ kind, code }: ServiceError): boolean {
  return kind.status >= 500 || code === "idempotency_in_progress";
}

/** Throws the error that a caller would get if the parameters are not a JSON object, or contain a name twice. */
function inputOf(call: ToolCall, prompt: string): RunInput {
  const parameters = readArguments(call.arguments);
  if (!isRecord(parameters)) {
    const errors = [{ pointer: "/parameters", code: "type", message: "must be object" }];
    throw new ServiceError("validation_failed", { errors });
  }
  return { action: call.action, parameters, confirmed: false, surface: null, prompt };
}

function readArguments(text: string): unknown {
  // Some models send an empty text for a call without arguments.
  if (text.trim() === "") return {};
  try {
    return scanJson(Buffer.from(text)).value;
  } catch (error) {
    if (error instanceof JsonError) throw new ServiceError("malformed_json", { detail: error.message });
    throw error;
  }
}

function requestOf({ asker: { scope }, round }: Acting, call: ToolCall, at: number): Parameters<ActionRuns["run"]>[2] {
  const { bucket, tag, workspaceId } = scope;
  return {
    ref: {
      bucket,
      tag,
      // The assistant has no key, so the workspace takes the key's place.
      lineageId: workspaceId,
      key: `assistant:${round}:${at}`,
      requestHash: sha256(`${call.action}\n${call.arguments}`),
    },
    instance: "/v1/assistant",
    requestId: wireId("req", tag, round),
  };
}
