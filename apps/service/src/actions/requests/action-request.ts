import type { IdempotencyRef } from "../../access/access.ts";
import { canonicalJson, parseJson } from "../../lib/lib.ts";
import type { Id, Sealer, Uuid } from "../../lib/lib.ts";
import { parametersPlace, resultPlace } from "../storage/encryption-context.ts";
import type { ActionCaller } from "../callers/actor.ts";
import type { Surface } from "../callers/surface.ts";
import type { CurrentContract } from "../contracts/contracts.store.ts";
import type { Parameters } from "../contracts/parameters.ts";

/** The input of a request to run an action. */
export interface RunInput {
  readonly action: string;
  readonly parameters: unknown;
  /** The body contains the JSON literal true, and not a similar value. */
  readonly confirmed: boolean;
  /** The surface to which the caller narrows the call. */
  readonly surface: Surface | null;
  readonly prompt: string | null;
}

/** The context of the answer: its idempotency key, and the ids that it contains. */
export interface RequestContext {
  readonly ref: IdempotencyRef;
  readonly instance: string;
  readonly requestId: Id;
}

/** A call that can begin, with its caller, its contract and valid parameters. */
export interface ActionRequest {
  readonly asker: ActionCaller;
  readonly contract: CurrentContract;
  readonly parameters: Parameters;
  /** The narrowest surface that the call claims. */
  readonly surface: Surface;
  readonly prompt: string | null;
  /** The part of the service that waits for the end: text that is returned with the outcome. */
  readonly waiter: string | null;
  /** JSON text: the workflow, the run, the step and the event that ask; null for all other callers. */
  readonly workflow: string | null;
}

/** Encrypts the bytes that are hashed, stored and sent, so that exactly what was approved runs. */
export function sealedParameters(sealer: Sealer, id: Uuid, parameters: Readonly<Record<string, unknown>>): Buffer {
  return sealer.seal(canonicalJson(parameters), parametersPlace(id));
}

export function openedParameters(sealer: Sealer, id: Uuid, sealed: Buffer): Parameters {
  return parseJson(sealer.open(sealed, parametersPlace(id)).reveal()) as Parameters;
}

/** Encrypts the result of a run, which an undo sends to the backend. */
export function sealedResult(sealer: Sealer, runId: Uuid, result: string): Buffer {
  return sealer.seal(result, resultPlace(runId));
}

export function openedResult(sealer: Sealer, runId: Uuid, sealed: Buffer): string {
  return sealer.open(sealed, resultPlace(runId)).reveal();
}
