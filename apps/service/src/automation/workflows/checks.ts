import type { Tx } from "../../platform/db/db.ts";
import { parseJson, pointerOf, ServiceError } from "../../lib/lib.ts";
import type { Uuid, Violation } from "../../lib/lib.ts";
import { authorOf } from "../../accounts/accounts.ts";
import type { Caller, Scope } from "../../accounts/accounts.ts";
import { portOf } from "../definitions/step-port.ts";
import type { Members } from "../definitions/step-port.ts";
import { readDefinition } from "./definition.ts";
import type { Definition, DefinitionText, Step } from "./definition.ts";
import type { WorkflowsDeps } from "./deps.ts";
import * as store from "./workflows.store.ts";

/** A definition with `[redacted]` values of headers, and the sealed values. */
export interface NewVersion extends DefinitionText {
  readonly sealed: Buffer | null;
}

export async function addVersion(
  tx: Tx,
  { scope, key, id, version }: Caller & { readonly id: Uuid; readonly version: number },
  { trigger, steps, sealed }: NewVersion,
): Promise<void> {
  const author = authorOf(key);
  await store.insertVersion(tx.query, {
    workspace_id: scope.workspaceId,
    workflow_id: id,
    version,
    trigger,
    steps,
    headers_sealed: sealed,
    author_environment: scope.environment,
    author_kind: author.kind,
    author_id: author.id,
  });
}

/** Returns the name by which an event finds the workflow. */
export function lookedUpBy({ event, schedule }: Definition): string {
  return schedule === null ? event : store.BY_SCHEDULE;
}

/** Returns the members of another module's step as they were written. */
export function membersOf({ rawInput }: { readonly rawInput: string }): Members {
  return parseJson(rawInput) as Members;
}

/** Throws 422 with all faults that can be found without the network and other modules. */
export function check(
  { ports }: WorkflowsDeps,
  text: DefinitionText,
): { definition: Definition; steps: readonly Step[] } {
  const { definition, steps, faults } = readDefinition(text, (type) => portOf(ports(), type) !== undefined);
  if (faults.length > 0) throw new ServiceError("validation_failed", { errors: faults });
  return { definition, steps };
}

/** Throws 422 with all faults of a definition, and 422 `url_blocked`. */
export async function accepted(deps: WorkflowsDeps, scope: Scope, text: DefinitionText): Promise<Definition> {
  const { definition, steps } = check(deps, text);
  const faults = (await Promise.all(steps.map(async (step) => await faultsOf(deps, scope, step)))).flat();
  if (faults.length > 0) throw new ServiceError("validation_failed", { errors: faults });
  return definition;
}

/** Returns the faults that other modules find in a step. */
async function faultsOf({ ownedDeliveries, ports }: WorkflowsDeps, scope: Scope, step: Step): Promise<Violation[]> {
  const faults =
    step.type === "webhook"
      ? await ownedDeliveries.vet(scope, step.url, step.headers)
      : "rawInput" in step
        ? await portOf(ports(), step.type)?.check(scope, membersOf(step))
        : [];
  return (faults ?? []).map((fault) => ({ ...fault, pointer: pointerOf(step.place) + fault.pointer }));
}
