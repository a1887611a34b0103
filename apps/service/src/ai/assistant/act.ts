import type { ActionCaller, RunInput, Runs } from "../../actions/actions.ts";
import { isRecord, JsonError, parseId, parseJson, scanJson, ServiceError, sha256, wireId } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { ToolCall } from "./provider.ts";

/** The result of one call of a model. */
export interface Acted {
  readonly callId: string | null;
  readonly action: string;
  readonly status: "proposed" | "refused";
  /** JSON value: the proposal, or the refusal's problem. */
  readonly result: unknown;
  readonly errorCode: string | null;
  readonly proposalId: Uuid | null;
}

/** The result of a dry run of a call. */
export interface Checked {
  /** JSON value: the preview of the call, or the refusal's problem. */
  readonly outcome: unknown;
  readonly errorCode: string | null;
}

export interface Acting {
  readonly runs: Pick<Runs, "run" | "dryRun">;
  readonly asker: ActionCaller;
  /** The prompt that the model received, for the audit log. */
  readonly prompt: string;
  /** Part of the idempotency key: a call that is repeated after a crash gets its first response. */
  readonly round: Uuid;
}

/** Requests the action that a model called. Name, rights and parameters are checked as for every caller. Never throws for the model's input. */
export async function act(context: Acting, call: ToolCall, at: number): Promise<Acted> {
  const about = { callId: call.id, action: call.action };
  const done = await attempt(async () => {
    const { body } = await context.runs.run(
      context.asker,
      inputOf(call, context.prompt),
      proposalRequest(context, call, at),
    );
    return parseJson(body);
  });
  if (done.errorCode !== null)
    return { ...about, status: "refused", result: done.outcome, errorCode: done.errorCode, proposalId: null };
  return { ...about, status: "proposed", result: done.outcome, errorCode: null, proposalId: proposalOf(done.outcome) };
}

/** Returns the result that a call would have. */
export async function checkedCall(context: Acting, call: ToolCall): Promise<Checked> {
  return await attempt(async () =>
    parseJson(
      await context.runs.dryRun(context.asker, inputOf(call, context.prompt), proposalRequest(context, call, 0)),
    ),
  );
}

async function attempt(run: () => Promise<unknown>): Promise<Checked> {
  try {
    return { outcome: await run(), errorCode: null };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind.status >= 500) throw error;
    const { detail, errors = [] } = error.details;
    return { outcome: { code: error.code, detail: detail ?? error.kind.title, errors }, errorCode: error.code };
  }
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

function proposalRequest({ asker: { scope }, round }: Acting, call: ToolCall, at: number): Parameters<Runs["run"]>[2] {
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

function proposalOf(answer: unknown): Uuid | null {
  const proposal = isRecord(answer) ? answer["proposal"] : undefined;
  const id = isRecord(proposal) ? proposal["id"] : undefined;
  return typeof id === "string" ? (parseId(id)?.uuid ?? null) : null;
}
