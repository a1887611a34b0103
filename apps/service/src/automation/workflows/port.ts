import type { Tx } from "../../platform/db/db.ts";
import type { Uuid, Violation } from "../../lib/lib.ts";
import type { Author, Scope } from "../../accounts/accounts.ts";
import type { PluggedType } from "./definition.ts";

/**
 * A type of step that another module provides (`action`, `wait_approval`), registered as an extension point. Its writes are
 * committed with the step's record, or not at all. It makes no remote calls: start them in `tx.onCommit` and return `waits`.
 */
export interface StepPort {
  readonly type: PluggedType;
  /** Returns the faults of a step when a workflow is saved, with pointers below it. `input` is that of `StepCall`, without its templates filled in. */
  check(scope: Scope, input: string): Promise<readonly Violation[]>;
  /** Returns the references of a sandbox workflow's step that live does not have, for a promotion. Omitted if `check` finds all of them. */
  references?(scope: Scope, input: string): Promise<readonly Violation[]>;
  /** Begins the step when a run reaches it, and again only if the transaction failed. An exception is retried, with six attempts in all. */
  begin(tx: Tx, call: StepCall): Promise<StepOutcome>;
  /**
   * Cancels the step of a cancelled run that waits here. Has no effect if the step has already been decided. Called before the run itself
   * is locked, because every transaction locks first the row that decides a step, then the run.
   */
  cancel(tx: Tx, place: StepPlace): Promise<void>;
}

/** Identifies a step of a run. */
export interface StepPlace {
  readonly scope: Scope;
  readonly runId: Uuid;
  readonly stepId: string;
}

export interface StepCall extends StepPlace {
  readonly workflowId: Uuid;
  readonly workflowName: string;
  readonly workflowVersion: number;
  /** The event that started the run. */
  readonly event: { readonly id: Uuid; readonly name: string };
  /** The tenant of the run, which what the step causes has too. */
  readonly tenant: string | null;
  /** The contact of the trigger's event; null if it has none. */
  readonly contactId: Uuid | null;
  /** The author, whose current permissions apply. They were checked for such steps just before. */
  readonly author: Author;
  /** A workflow of a sandbox author acts only in the sandbox. One of a live author sends nothing outside from the sandbox. */
  readonly authorEnvironment: "live" | "sandbox";
  /** JSON text of an object: the step's members except `id`, `type`, `next` and other ways, with templates filled in. See also `approvalTexts`. */
  readonly input: string;
  /** The events that led here, ending with the run's own. Events that follow continue this chain. */
  readonly chain: readonly Uuid[];
}

/** The result of a step. `output` is JSON text of an object, which later steps read as `steps.<id>`. */
export type StepEnd =
  | { readonly kind: "done"; readonly output: string }
  /** Fails the run, unless the step has a way for this end. `error` is shown. */
  | {
      readonly kind: "failed";
      readonly error: string;
      readonly output?: string;
      /** Set if a person or the time limit decided so. The step then continues at its `on_rejected` or `on_expired`. */
      readonly decision?: "rejected" | "expired";
    };

/** The outcome of `begin`. `waits` lasts until `Workflows.resume` ends the step, and shows `output` until then. */
export type StepOutcome = StepEnd | { readonly kind: "waits"; readonly output?: string };
