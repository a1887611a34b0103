import type { Tx } from "../../platform/db/db.ts";
import type { Event } from "../../events/events.ts";
import { wireId } from "../../lib/lib.ts";
import type { Id, Uuid, Violation } from "../../lib/lib.ts";
import type { Author, Scope } from "../../accounts/accounts.ts";
import type { CapabilityType } from "./actions.ts";
import { authorOfRule, ruleWireId } from "./rule.ts";
import type { RuleHead } from "./rules.store.ts";

/** What a run still has to do elsewhere, as it is kept until it is done: the same on every try. */
export interface Call {
  readonly type: CapabilityType;
  /** Position in `then`. */
  readonly at: number;
  readonly attempts: number;
  /** JSON text that the capability is given. */
  readonly body: string;
}

/** On whose behalf a call is made. */
export interface RuleCaller {
  readonly scope: Scope;
  /** With whose rights of the moment: that the author may do such actions has been asked of the gate just before. */
  readonly author: Author;
  readonly ruleId: Id;
  readonly ruleName: string;
  readonly ruleVersion: number;
  readonly runId: Id;
  /** What the rule runs for. */
  readonly event: Event;
  /** The events that led here, the one that the rule runs for last: what follows carries it on. */
  readonly chain: readonly Uuid[];
}

/** What became of a try. `told` is shown with the action in the rule's run; a failure tells `reason_code` and `reason`. */
export interface CapabilityResult {
  readonly state: "done" | "failed" | "retry";
  readonly told: Readonly<Record<string, unknown>>;
}

export interface CapabilityCall {
  /** Names the run and the action in it, the same on every try: by it a thing is done once. */
  readonly key: string;
  /** JSON text: the action as it stands in `then`, its templates filled in. */
  readonly action: string;
}

/**
 * What another module lets rules do (`run_action`, `start_workflow`): plugged in by whoever wires the service. `within`: done in
 * the transaction of the rule's run, committed with it or not at all, once; nothing remote. `after`: done when the run is
 * committed, at least once: `retry` has it called again, up to six times in all, over hours, also by another node.
 */
export type Capability = Foreseeing &
  (
    | {
        readonly when: "within";
        /** Answers failures of the action; what it throws undoes the rule's run, which is then tried again. */
        run(
          tx: Tx,
          caller: RuleCaller,
          call: CapabilityCall,
        ): Promise<CapabilityResult & { readonly state: "done" | "failed" }>;
      }
    | { readonly when: "after"; run(caller: RuleCaller, call: CapabilityCall): Promise<CapabilityResult> }
  );

interface Foreseeing {
  /** What is wrong with such an action of a rule, at pointers below it; empty when nothing is. Templates are not filled in. */
  check(scope: Scope, action: Readonly<Record<string, unknown>>): Promise<readonly Violation[]>;
  /** What would come of a call now, for a rule's dry run: shown with the action. Changes nothing. */
  foresee(scope: Scope, action: string): Promise<Readonly<Record<string, unknown>>>;
}

export type Capabilities = Partial<Readonly<Record<CapabilityType, Capability>>>;

/** Makes one try. */
export async function makeCall(capabilities: Capabilities, caller: RuleCaller, call: Call): Promise<CapabilityResult> {
  const capability = capabilities[call.type];
  // One that was done within the run is not among the calls that are left.
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
