import { headerFaults } from "../../webhooks/webhooks.ts";
import { EVENT_PATTERN_FAULT, isEventPattern } from "../../events/events.ts";
import { assertAllowed } from "../../access/access.ts";
import { scanJson, ServiceError } from "../../lib/lib.ts";
import type { ScannedJson, Violation } from "../../lib/lib.ts";
import { authorOf } from "../../accounts/accounts.ts";
import type { ApiKey, Caller, Scope } from "../../accounts/accounts.ts";
import { portOf } from "../definitions/step-port.ts";
import type { Members, ProvidedActionType } from "../definitions/step-port.ts";
import { isProvided, operationsOf, readActions } from "./actions.ts";
import type { Action } from "./actions.ts";
import type { RulesDeps } from "./deps.ts";
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

export function authorColumns(key: ApiKey): Pick<RuleRow, "author_kind" | "author_id" | "author_environment"> {
  const { kind, id } = authorOf(key);
  return { author_kind: kind, author_id: id, author_environment: key.environment };
}

/** Throws 422 with all faults of a rule, 422 `url_blocked`, and 403 for actions that the caller may not run. */
export async function assertValidInput(deps: RulesDeps, { key, scope }: Caller, input: RuleInput): Promise<void> {
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
  { ports }: RulesDeps,
  scope: Scope,
  { actions, then }: { readonly actions: readonly Action[]; readonly then: ScannedJson },
): Promise<Violation[]> {
  const faults: Violation[] = [];
  const inputs = then.value as readonly Members[];
  for (const [at, action] of actions.entries()) {
    const found = action.type === "post_webhook" ? headerFaults(action.headers) : [];
    if (isProvided(action)) {
      const port = portOf(ports(), action.type);
      found.push(...(port === undefined ? [unavailable(action.type)] : await port.check(scope, inputs[at] ?? {})));
    }
    faults.push(...found.map((one) => ({ ...one, pointer: `/then/${at}${one.pointer}` })));
  }
  return faults;
}

function unavailable(type: ProvidedActionType): Violation {
  const what = { run_action: "actions", start_workflow: "workflows", http: "HTTP calls" }[type];
  return {
    pointer: "/type",
    code: "unavailable",
    message: `cannot be used: ${what} are not part of this installation`,
  };
}
