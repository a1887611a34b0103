import type { Tx } from "../../platform/db/db.ts";
import type { Event } from "../../events/events.ts";
import { wireId } from "../../lib/lib.ts";
import type { Id, Uuid, Violation } from "../../lib/lib.ts";
import type { Author, Scope } from "../../accounts/accounts.ts";
import type { References } from "../promotions/promotion.ts";
import type { CapabilityType } from "./actions.ts";
import { authorOfRule, ruleWireId } from "./rule.ts";
import type { RuleHead } from "./rules.store.ts";

/** A call that a run still has to make in another module. It is stored until it is done, and is the same in every attempt. */
export interface Call {
  readonly type: CapabilityType;
  /** Position in `then`. */
  readonly at: number;
  readonly attempts: number;
  /** JSON text that the capability receives. */
  readonly body: string;
}

/** The rule on whose behalf a call is made. */
export interface RuleCaller {
  readonly scope: Scope;
  /** The author, whose current permissions apply. They were checked for such actions just before. */
  readonly author: Author;
  readonly ruleId: Id;
  readonly ruleName: string;
  readonly ruleVersion: number;
  readonly runId: Id;
  /** The event that the rule runs for. */
  readonly event: Event;
  /** The contact of the event, in the run's own transaction; undefined after it, and if there is none. */
  readonly contactId?: Uuid;
  /** The events that led here, ending with the one that the rule runs for. Events that follow continue this chain. */
  readonly chain: readonly Uuid[];
}

/** The result of an attempt. `told` is shown with the action in the rule's run. A failure has `reason_code` and `reason`. */
export interface CapabilityResult {
  readonly state: "done" | "failed" | "retry";
  readonly told: Readonly<Record<string, unknown>>;
}

export interface CapabilityCall {
  /** Identifies the run and the action in it. It is the same in every attempt, so that the capability can act once. */
  readonly key: string;
  /** JSON text: the action from `then`, with its templates filled in. */
  readonly action: string;
}

/**
 * An action type that another module provides for rules (`run_action`, `start_workflow`), registered as an extension point.
 * `within`: runs once, in the transaction of the rule's run, and is committed or undone with it. It makes no remote calls.
 * `after`: runs at least once, after the run is committed. `retry` repeats the call, up to six times in all, over hours, also on another node.
 */
export type Capability = Foreseeing &
  (
    | {
        readonly when: "within";
        /** Returns failures of the action. An exception undoes the rule's run, which is then retried. */
        run(
          tx: Tx,
          caller: RuleCaller,
          call: CapabilityCall,
        ): Promise<CapabilityResult & { readonly state: "done" | "failed" }>;
      }
    | { readonly when: "after"; run(caller: RuleCaller, call: CapabilityCall): Promise<CapabilityResult> }
  );

interface Foreseeing {
  /** Returns the faults of such an action of a rule, with pointers below it. Templates are not filled in. */
  check(scope: Scope, action: Readonly<Record<string, unknown>>): Promise<readonly Violation[]>;
  /** Returns what an action of a sandbox rule names, for a promotion to live. Omitted if `check` finds all of it. */
  references?(scope: Scope, action: Readonly<Record<string, unknown>>): Promise<References>;
  /** Returns the expected result of a call, which a rule's dry run shows with the action. Changes nothing. */
  foresee(scope: Scope, action: string): Promise<Readonly<Record<string, unknown>>>;
}

export type Capabilities = Partial<Readonly<Record<CapabilityType, Capability>>>;

/** Makes one attempt. */
export async function makeCall(capabilities: Capabilities, caller: RuleCaller, call: Call): Promise<CapabilityResult> {
  const capability = capabilities[call.type];
  // A call with `within` was already made in the run, so it is not among the remaining calls.
  if (capability?.when !== "after")
    return { state: "failed", told: { reason_code: "unavailable", reason: `${call.type} is not available.` } };
  return await capability.run(caller, { key: keyOf(caller, call.at), action: call.body });
}

export function callerOf(event: Event, rule: RuleHead, runId: Uuid): RuleCaller {
  const { scope } = event;
  return {
    scope,
    author: authorOfRule(rule),
    ruleId: ruleWireId(scope, rule.id),
    ruleName: rule.name,
    ruleVersion: rule.version,
    runId: wireId("rrun", scope.tag, runId),
    event,
    chain: [...event.chain, event.id],
  };
}

export function keyOf({ runId }: Pick<RuleCaller, "runId">, at: number): string {
  return `${runId}-${at}`;
}
