import type { ActionRuns, ActionCaller, RunInput } from "../../actions/actions.ts";
import { isRecord, JsonError, parseId, scanJson, ServiceError, sha256, wireId } from "../../lib/lib.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { ToolCall } from "./provider.ts";

/** What came of one call of a model. */
export interface Acted {
  readonly callId: string | null;
  readonly action: string;
  readonly status: "proposed" | "refused";
  /** JSON value: the proposal, or the refusal's problem. */
  readonly result: unknown;
  readonly errorCode: string | null;
  readonly proposalId: Uuid | null;
}

/** A call that is only looked at. */
export interface Checked {
  /** JSON value: what would come of it, or the refusal's problem. */
  readonly outcome: unknown;
  readonly errorCode: string | null;
}

export interface Acting {
  readonly runs: Pick<ActionRuns, "run" | "dryRun">;
  readonly asker: ActionCaller;
  /** What the model was told, for the audit. */
  readonly prompt: string;
  /** Names the round: a call that is made again after a crash gets its first answer. */
  readonly round: Uuid;
}

/** Asks for what a model asked for, as anybody would: name, rights and parameters are judged anew. Never throws for what the model wrote. */
export async function act(context: Acting, call: ToolCall, at: number): Promise<Acted> {
  const about = { callId: call.id, action: call.action };
  const done = await attempt(async () => {
    const { body } = await context.runs.run(context.asker, inputOf(call, context.prompt), requestOf(context, call, at));
    return JSON.parse(body) as unknown;
  });
  if (done.errorCode !== null)
    return { ...about, status: "refused", result: done.outcome, errorCode: done.errorCode, proposalId: null };
  return { ...about, status: "proposed", result: done.outcome, errorCode: null, proposalId: proposalOf(done.outcome) };
}

/** What would come of a call. */
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
    if (!(error instanceof ServiceError) || error.kind.status >= 500) throw error;
    const { detail, errors = [] } = error.details;
    return { outcome: { code: error.code, detail: detail ?? error.kind.title, errors }, errorCode: error.code };
  }
}

/** Throws what a caller would be told: parameters that are no JSON object, or that name one twice. */
function inputOf(call: ToolCall, prompt: string): RunInput {
  const parameters = readArguments(call.arguments);
  if (!isRecord(parameters)) {
    const errors = [{ pointer: "/parameters", code: "type", message: "must be object" }];
    throw new ServiceError("validation_failed", { errors });
  }
  return { action: call.action, parameters, confirmed: false, surface: null, prompt };
}

function readArguments(text: string): unknown {
  // Some models write nothing where there is nothing to say.
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
      // No key's: the workspace stands for its assistant.
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
