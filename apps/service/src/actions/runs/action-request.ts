import type { IdempotencyRef } from "../../access/access.ts";
import { canonicalJson } from "../../lib/lib.ts";
import type { Id, Sealer, Uuid } from "../../lib/lib.ts";
import type { ActionCaller } from "../actor.ts";
import type { Surface } from "../contracts/contract.ts";
import type { CurrentContract } from "../contracts/contracts.store.ts";
import type { Parameters } from "../contracts/parameters.ts";

/** What somebody asks to be run. */
export interface RunInput {
  readonly action: string;
  readonly parameters: unknown;
  /** The JSON literal true, and nothing that looks like it. */
  readonly confirmed: boolean;
  /** What the caller narrows the surface to. */
  readonly surface: Surface | null;
  readonly prompt: string | null;
}

/** How the answer finds its way: its key, and who is told what. */
export interface Request {
  readonly ref: IdempotencyRef;
  readonly instance: string;
  readonly requestId: Id;
}

/** A call that may begin: who asks what of which contract, with parameters that it takes. */
export interface ActionRequest {
  readonly asker: ActionCaller;
  readonly contract: CurrentContract;
  readonly parameters: Parameters;
  /** The narrowest that the call claims. */
  readonly surface: Surface;
  readonly prompt: string | null;
  /** Who waits for its end elsewhere: text that is given back with it. */
  readonly waiter: string | null;
}

/** The bytes that are hashed, kept and sent: what was approved is what runs. */
export function sealedParameters(sealer: Sealer, id: Uuid, parameters: Parameters): Buffer {
  return sealer.seal(canonicalJson(parameters), parametersPlace(id));
}

export function openedParameters(sealer: Sealer, id: Uuid, sealed: Buffer): Parameters {
  return JSON.parse(sealer.open(sealed, parametersPlace(id)).reveal()) as Parameters;
}

/** `id` is the proposal's, or the run's where there is none. */
export function parametersPlace(id: string): string {
  return `action parameters:${id}`;
}

/** What a run answered, for who undoes it. */
export function sealedResult(sealer: Sealer, runId: Uuid, result: string): Buffer {
  return sealer.seal(result, resultPlace(runId));
}

export function openedResult(sealer: Sealer, runId: Uuid, sealed: Buffer): string {
  return sealer.open(sealed, resultPlace(runId)).reveal();
}

export function resultPlace(runId: string): string {
  return `action result:${runId}`;
}
