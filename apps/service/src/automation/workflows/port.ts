import type { Tx } from "../../platform/db/db.ts";
import type { Uuid, Violation } from "../../lib/lib.ts";
import type { Author, Scope } from "../../accounts/accounts.ts";
import type { PluggedType } from "./definition.ts";

/**
 * A kind of step that another module does (`action`, `wait_approval`): plugged in by whoever wires the service. What it writes
 * is committed with the step's record, or not at all. Nothing remote: begin that in `tx.onCommit` and answer `waits`.
 */
export interface StepPort {
  readonly type: PluggedType;
  /** When a workflow is saved: what is wrong with the step, at pointers below it. `input` as in `StepCall`, its templates not filled in. */
  check(scope: Scope, input: string): Promise<readonly Violation[]>;
  /** Once a run comes to the step; again only if the transaction came to nothing. What it throws is tried again, six times in all. */
  begin(tx: Tx, call: StepCall): Promise<StepOutcome>;
  /**
   * The run is called off while it waits here. May come when the step is decided already, which changes nothing. Called before the run
   * itself is locked: so everyone locks first what decides a step, then the run.
   */
  cancel(tx: Tx, place: StepPlace): Promise<void>;
}

/** Which step of which run. */
export interface StepPlace {
  readonly scope: Scope;
  readonly runId: Uuid;
  readonly stepId: string;
}

export interface StepCall extends StepPlace {
  readonly workflowId: Uuid;
  /** With whose rights of the moment: that the author may do such steps has been asked of the gate just before. */
  readonly author: Author;
  /** What a sandbox credential wrote acts in the sandbox alone; what a live one wrote reaches nothing outside from the sandbox. */
  readonly authorEnvironment: "live" | "sandbox";
  /** JSON text of an object: the step's members but `id`, `type` and `next`, templates filled in. */
  readonly input: string;
  /** The events that led here, the run's own last: what follows carries it on. */
  readonly chain: readonly Uuid[];
}

/** What became of a step. `output` is JSON text of an object, which later steps see as `steps.<id>`. */
export type StepEnd =
  | { readonly kind: "done"; readonly output: string }
  /** The run fails with it; `error` is shown. */
  | { readonly kind: "failed"; readonly error: string; readonly output?: string };

/** `waits`: until `Workflows.resume` tells its end. `output` is shown until then. */
export type StepOutcome = StepEnd | { readonly kind: "waits"; readonly output?: string };
