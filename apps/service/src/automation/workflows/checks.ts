import type { Contacts } from "../../contacts/contacts.ts";
import type { Db, Tx } from "../../platform/db/db.ts";
import type { OwnedDeliveries } from "../../webhooks/webhooks.ts";
import { pointerOf, ServiceError } from "../../lib/lib.ts";
import type { IdMaker, Sealer, Uuid, Violation } from "../../lib/lib.ts";
import type { Author, Scope } from "../../accounts/accounts.ts";
import { readDefinition } from "./definition.ts";
import type { Definition, DefinitionText, Step } from "./definition.ts";
import type { StepPort } from "./port.ts";
import * as store from "./workflows.store.ts";

export interface DefinitionsDeps {
  /** Signals that runs may be due. */
  readonly wake: () => void;
  readonly db: Db;
  readonly ids: IdMaker;
  readonly contacts: Pick<Contacts, "reacting">;
  readonly ownedDeliveries: OwnedDeliveries;
  readonly sealer: Sealer;
  readonly ports: () => readonly StepPort[];
}

/** A definition with `[redacted]` values of headers, and the sealed values. */
export interface NewVersion extends DefinitionText {
  readonly sealed: Buffer | null;
}

/** The author of a change, and the author's scope. */
export interface Writer {
  readonly scope: Scope;
  readonly author: Author;
}

export async function addVersion(
  tx: Tx,
  write: Writer & { readonly id: Uuid; readonly version: number },
  { trigger, steps, sealed }: NewVersion,
): Promise<void> {
  const { workspaceId, environment } = write.scope;
  await store.insertVersion(tx.query, {
    workspace_id: workspaceId,
    workflow_id: write.id,
    version: write.version,
    trigger,
    steps,
    headers_sealed: sealed,
    author_environment: environment,
    author_kind: write.author.kind,
    author_id: write.author.id,
  });
}

/** Returns the name by which an event finds the workflow. */
export function lookedUpBy({ event, schedule }: Definition): string {
  return schedule === null ? event : store.BY_SCHEDULE;
}

/** Throws 422 with all faults that can be found without the network and other modules. */
export function check(deps: DefinitionsDeps, text: DefinitionText): { definition: Definition; steps: readonly Step[] } {
  const canDo = (type: string): boolean => deps.ports().some((port) => port.type === type);
  const { definition, steps, faults } = readDefinition(text, canDo);
  if (faults.length > 0) throw new ServiceError("validation_failed", { errors: faults });
  return { definition, steps };
}

/** Throws 422 with all faults of a definition, and 422 `url_blocked`. */
export async function accepted(deps: DefinitionsDeps, scope: Scope, text: DefinitionText): Promise<Definition> {
  const { definition, steps } = check(deps, text);
  const faults = (await Promise.all(steps.map(async (step) => await faultsOf(deps, scope, step)))).flat();
  if (faults.length > 0) throw new ServiceError("validation_failed", { errors: faults });
  return definition;
}

/** Returns the faults that other modules find in a step. */
async function faultsOf({ ownedDeliveries, ports }: DefinitionsDeps, scope: Scope, step: Step): Promise<Violation[]> {
  const faults =
    step.type === "webhook"
      ? await ownedDeliveries.vet(scope, step.url, step.headers)
      : "rawInput" in step
        ? await ports()
            .find(({ type }) => type === step.type)
            ?.check(scope, step.rawInput)
        : [];
  return (faults ?? []).map((fault) => ({ ...fault, pointer: pointerOf(step.place) + fault.pointer }));
}
