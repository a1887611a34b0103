import type { Tx } from "../../platform/db/db.ts";
import type { Event } from "../../events/events.ts";
import { tagOf, wireId } from "../../lib/lib.ts";
import type { Id, Uuid, Violation } from "../../lib/lib.ts";
import type { Author, Scope } from "../../accounts/accounts.ts";

/** The types of rules' actions that other modules provide. */
export const PROVIDED_ACTIONS = ["run_action", "start_workflow", "http"] as const;
export type ProvidedActionType = (typeof PROVIDED_ACTIONS)[number];

/** The types of workflows' steps that other modules provide. */
export const PROVIDED_STEPS = ["action", "wait_approval", "http"] as const;
export type ProvidedStepType = (typeof PROVIDED_STEPS)[number];

/** The objects that an action or a step names, as a promotion to live finds them. */
export interface References {
  /** The references that live does not have, with pointers below the action or step. */
  readonly faults: readonly Violation[];
  /** Ids of sandbox objects, with the ids of the live objects that replace them. */
  readonly replaced: ReadonlyMap<string, string>;
}

/** The members of an action or a step. */
export type Members = Readonly<Record<string, unknown>>;

/**
 * A type of action or step that another module provides to rules and workflows, registered as an extension point. It is
 * begun in the run's transaction. Actions of rules that call another system are `run` after the commit instead.
 */
export type StepPort = StepChecks & (BeginPort | RunPort);

interface StepChecks {
  readonly type: ProvidedActionType | ProvidedStepType;
  /** Returns the faults when the rule or workflow is saved, with pointers below the action or step. Templates are not filled in. */
  check(scope: Scope, members: Members): Promise<readonly Violation[]>;
  /** Returns what an action or a step of the sandbox names, for a promotion to live. Omitted if `check` finds all of it. */
  references?(scope: Scope, members: Members): Promise<References>;
  /** Returns the expected result of an action, which a rule's dry run shows. `input` is that of `StepCall`. Changes nothing. */
  foresee?(scope: Scope, input: string): Promise<Members>;
}

export interface BeginPort {
  /**
   * Begins when a run reaches it, and again only if the transaction failed. Its writes are committed with the run's record, or not at
   * all. It makes no remote calls: start them in `tx.onCommit`. An exception undoes the transaction, which is retried.
   */
  begin(tx: Tx, call: StepCall): Promise<StepOutcome>;
  /**
   * Cancels the step of a cancelled workflow run that waits here. Has no effect if the step has already been decided. Called before the
   * run itself is locked, because every transaction locks first the row that decides a step, then the run.
   */
  cancel?(tx: Tx, place: StepPlace): Promise<void>;
}

export interface RunPort {
  /** Runs at least once. `retry` repeats the call, up to six times in all, over hours, also on another node. */
  run(call: StepCall): Promise<StepEnd | StepRetry>;
}

/** Identifies a step of a run. */
export interface StepPlace {
  readonly scope: Scope;
  readonly runId: Uuid;
  /** The id of a workflow's step, or the position of a rule's action. */
  readonly stepId: string;
}

export interface StepCall extends StepPlace {
  /** The rule or workflow on whose behalf the call is made. */
  readonly owner: {
    readonly kind: "rule" | "workflow";
    readonly id: Uuid;
    readonly name: string;
    readonly version: number;
  };
  /** The event that started the run. Events that follow continue its chain. */
  readonly event: Pick<Event, "id" | "name" | "data" | "occurredAt" | "chain">;
  /** The tenant of the run, which what the step causes has too. */
  readonly tenant: string | null;
  /** The contact of the event; null if it has none, and after the run's own transaction. */
  readonly contactId: Uuid | null;
  /** The author, whose current permissions apply. They were checked for such steps just before. */
  readonly author: Author;
  /** JSON text of an object: the members of a rule's action, or those of a step that are not ways, with templates filled in. See also `approvalTexts`. */
  readonly input: string;
}

/** The result of a step. `output` is JSON text of an object, which a rule's run shows and later steps read as `steps.<id>`. */
export type StepEnd =
  | { readonly kind: "done"; readonly output: string }
  /** Fails a workflow's run, unless the step has a way for this end. `error` is shown, and in a rule's run also `code`. */
  | {
      readonly kind: "failed";
      readonly error: string;
      readonly code?: string;
      readonly output?: string;
      /** Set if a person or the time limit decided so. The step then continues at its `on_rejected` or `on_expired`. */
      readonly decision?: "rejected" | "expired";
    };

/** The outcome of `begin`. A step that `waits` shows `output` until `Workflows.resume` ends it. A rule does not wait. */
export type StepOutcome = StepEnd | { readonly kind: "waits"; readonly output?: string };

/** A failed attempt that is repeated later. */
export interface StepRetry {
  readonly kind: "retry";
  readonly code: string;
  readonly error?: string;
}

export function portOf(ports: readonly StepPort[], type: string | undefined): StepPort | undefined {
  return ports.find((port) => port.type === type);
}

/** Identifies a rule's action in its run. It is the same in every attempt, so that what it causes happens once. */
export function callKey({ scope, runId, stepId }: StepPlace): string {
  return `${wireId("rrun", scope.tag, runId)}-${stepId}`;
}

/** Returns the id of the rule or workflow. Those of both environments have live ids. */
export function ownerWireId({ scope, owner }: Pick<StepCall, "scope" | "owner">): Id {
  return wireId(owner.kind === "rule" ? "rule" : "wf", tagOf(scope.tag, "live"), owner.id);
}
