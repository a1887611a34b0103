import type { Contacts } from "../../contacts/contacts.ts";
import type { Db } from "../../platform/db/db.ts";
import { headerFaults } from "../../webhooks/webhooks.ts";
import type { OwnedDeliveries } from "../../webhooks/webhooks.ts";
import type { Events } from "../../events/events.ts";
import { EVENT_PATTERN_FAULT, isEventPattern } from "../../events/events.ts";
import { assertAllowed } from "../../access/access.ts";
import { scanJson, ServiceError } from "../../lib/lib.ts";
import type { IdMaker, ScannedJson, Sealer, Violation } from "../../lib/lib.ts";
import { authorOf } from "../../accounts/accounts.ts";
import type { ApiKey, Caller, Scope } from "../../accounts/accounts.ts";
import { operationsOf, readActions } from "./actions.ts";
import type { Action, CapabilityType } from "./actions.ts";
import type { Capabilities } from "./calls.ts";
import { readWhen } from "./rule.ts";
import type { RuleRow } from "./rules.store.ts";

/** A caller's changes to a rule. `condition` and `actions` are the source texts of `when` and `then`, so that no digit is lost. */
export interface RuleInput {
  readonly name?: string;
  readonly on?: readonly string[];
  readonly condition?: string | undefined;
  readonly actions?: string | undefined;
  readonly priority?: number;
  readonly enabled?: boolean;
  readonly max_runs_per_minute?: number;
}

export interface RegistryDeps {
  readonly db: Db;
  readonly ids: IdMaker;
  readonly ownedDeliveries: OwnedDeliveries;
  readonly sealer: Sealer;
  readonly capabilities: () => Capabilities;
  readonly contacts: Contacts;
  readonly events: Events;
}

export function authorColumns(key: ApiKey): Pick<RuleRow, "author_kind" | "author_id" | "author_environment"> {
  const { kind, id } = authorOf(key);
  return { author_kind: kind, author_id: id, author_environment: key.environment };
}

/** Throws 422 with all faults of a rule, 422 `url_blocked`, and 403 for actions that the caller may not run. */
export async function assertValidInput(deps: RegistryDeps, { key, scope }: Caller, input: RuleInput): Promise<void> {
  const faults = eventFaults(input.on ?? []);
  if (input.condition !== undefined)
    faults.push(...readWhen(input.condition).faults.map((fault) => ({ ...fault, pointer: `/when${fault.pointer}` })));
  const then = input.actions === undefined ? undefined : scanOf(input.actions);
  const { actions, faults: bad } = then === undefined ? { actions: [], faults: [] } : readActions(then);
  faults.push(...bad);
  if (faults.length === 0 && then !== undefined) faults.push(...(await actionFaults(deps, scope, { actions, then })));
  if (faults.length > 0) throw new ServiceError("validation_failed", { errors: faults });
  assertMayRun(key, actions);
  for (const action of actions)
    if (action.type === "post_webhook") await deps.ownedDeliveries.vet(scope, action.url, action.headers);
}

export function assertMayRun(key: ApiKey, actions: readonly Action[]): void {
  for (const operation of operationsOf(actions)) assertAllowed(key, operation);
}

export function scanOf(text: string): ScannedJson {
  return scanJson(Buffer.from(text));
}

function eventFaults(names: readonly string[]): Violation[] {
  return names.flatMap((name, at): Violation[] =>
    isEventPattern(name) ? [] : [{ pointer: `/on/${at}`, code: "event_name", message: EVENT_PATTERN_FAULT }],
  );
}

/** Returns the faults that other modules find in an action. */
async function actionFaults(
  { capabilities }: RegistryDeps,
  scope: Scope,
  { actions, then }: { readonly actions: readonly Action[]; readonly then: ScannedJson },
): Promise<Violation[]> {
  const faults: Violation[] = [];
  const inputs = then.value as readonly Readonly<Record<string, unknown>>[];
  for (const [at, action] of actions.entries()) {
    const found = (violations: readonly Violation[]): void => {
      for (const one of violations) faults.push({ ...one, pointer: `/then/${at}${one.pointer}` });
    };
    if (action.type === "post_webhook") found(headerFaults(action.headers));
    if (!("arguments" in action) && action.type !== "http") continue;
    const capability = capabilities()[action.type];
    found(capability === undefined ? [unavailable(action.type)] : await capability.check(scope, inputs[at] ?? {}));
  }
  return faults;
}

function unavailable(type: CapabilityType): Violation {
  const what = { run_action: "actions", start_workflow: "workflows", http: "HTTP calls" }[type];
  return {
    pointer: "/type",
    code: "unavailable",
    message: `cannot be used: ${what} are not part of this installation`,
  };
}
