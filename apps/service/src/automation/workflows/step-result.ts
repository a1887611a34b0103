import type { Facts } from "../../events/events.ts";
import type { Uuid } from "../../lib/lib.ts";
import type { RunRow } from "./runs.store.ts";
import type { Pinned } from "./workflows.store.ts";

/** The result of a step. `output` is JSON text. */
export type StepResult =
  | {
      readonly kind: "done";
      readonly output: string;
      readonly next: string | null;
      /** The tenant that the run has from now on. Omitted if it stays the same. */
      readonly tenant?: string | null;
    }
  /** Completed after this many seconds. `note` is shown as its error until then. */
  | { readonly kind: "delay"; readonly output: string; readonly seconds: number; readonly note?: string }
  /** Completed when the delivery ends. */
  | { readonly kind: "delivery"; readonly output: string; readonly deliveryId: Uuid }
  /** Completed when `resume` is called. */
  | { readonly kind: "waits"; readonly output: string | null }
  | {
      readonly kind: "failed";
      readonly error: string;
      readonly output: string | null;
      readonly next: string | null | undefined;
    };

/** The context of a step. */
export interface At {
  readonly run: RunRow;
  readonly facts: Facts;
  /** The output of the step if it was begun before and still waits. */
  readonly begun?: string | undefined;
  readonly workflow: Pick<
    Pinned,
    "name" | "version" | "headers_sealed" | "author_environment" | "author_kind" | "author_id"
  >;
}
