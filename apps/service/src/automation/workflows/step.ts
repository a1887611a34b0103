import type { Condition, Fill } from "../../events/events.ts";
import type { Path } from "../../lib/lib.ts";
import { PROVIDED_STEPS } from "../definitions/step-port.ts";
import type { ProvidedStepType } from "../definitions/step-port.ts";
import { HTTP_MEMBERS } from "../../http-calls/http-calls.ts";
import type { HttpTemplate } from "../../http-calls/http-calls.ts";

/** A compiled step. `next` and the other targets are a step's id, or null for the end. */
export type Step = {
  readonly id: string;
  readonly place: readonly (string | number)[];
  readonly next: string | null;
} & (
  | {
      readonly type: "condition";
      readonly when: Condition;
      readonly ifSo: string | null;
      readonly ifNot: string | null;
    }
  | {
      readonly type: "webhook";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** Null: the trigger's data is sent. */
      readonly body: Fill | null;
      /** Undefined: a failure of the step fails the run. */
      readonly onFailure: string | null | undefined;
    }
  | { readonly type: "delay"; readonly seconds: number }
  | { readonly type: "set"; readonly values: Fill }
  | {
      readonly type: "wait_event";
      readonly event: string;
      /** A condition on the event. Its templates are filled in when the step begins. Null: every event of the name. */
      readonly match: Fill | null;
      readonly seconds: number;
      /** True if events cross between the workspace and its tenants: see `wait-tenant.ts`. */
      readonly isShared: boolean;
      /** Undefined: the run fails. */
      readonly onTimeout: string | null | undefined;
    }
  | ({ readonly type: "parallel"; readonly branches: readonly (readonly Step[])[] } & FailureWay)
  | ({
      readonly type: "for_each";
      /** Its filled JSON is the list of the items. */
      readonly list: Fill;
      /** The steps that run for each item. */
      readonly steps: readonly Step[];
      /** The maximum number of items. */
      readonly max: number;
      /** The number of items that run at the same time. */
      readonly concurrency: number;
      readonly onItemFailure: ItemFailure;
      /** True if the output contains those of the items. */
      readonly collects: boolean;
    } & FailureWay)
  | { readonly type: "fire_event"; readonly event: string; readonly data: Fill | null }
  | {
      readonly type: "http";
      readonly call: HttpTemplate;
      /** The call as it was written, as JSON text. */
      readonly rawInput: string;
      /** Undefined: a failure of the step fails the run. */
      readonly onFailure: string | null | undefined;
    }
  | ({
      readonly type: Exclude<ProvidedStepType, "http">;
      /** The input that the step's module receives. */
      readonly input: Fill;
      /** The same input as it was written, as JSON text. */
      readonly rawInput: string;
    } & OtherWays)
);

interface FailureWay {
  /** Undefined: a failure of the step fails the run. */
  readonly onFailure: string | null | undefined;
}

export const ITEM_FAILURES = ["fail", "continue"] as const;
/** The effect of a failed item, once all items have ended: the loop fails, or it only counts the item. */
export type ItemFailure = (typeof ITEM_FAILURES)[number];

/** The ways of a step with a proposal, besides `next`. Undefined: the run fails there. */
export interface OtherWays {
  readonly onRejected: string | null | undefined;
  readonly onExpired: string | null | undefined;
  /** Taken after any other failure, and by a rejection or an expiry without a way of its own. */
  readonly onFailure: string | null | undefined;
}

export const STEP_TYPES = [
  "condition",
  "webhook",
  "delay",
  "fire_event",
  "set",
  "wait_event",
  ...PROVIDED_STEPS,
  "parallel",
  "for_each",
] as const;

/** The members with which an approval is shown to people. */
export const APPROVAL_TEXTS = ["title", "summary", "fields"] as const;
const DECISION_WAYS = ["on_approved", "on_rejected", "on_expired"] as const;
/** The members that lead to another step. They are not part of a step's input. */
export const WAYS: ReadonlySet<string> = new Set(["next", "on_failure", ...DECISION_WAYS]);

/** The members of each type of step, besides `id` and `type`. */
export const MEMBERS: Readonly<
  Record<Step["type"], { readonly required: readonly string[]; readonly optional: readonly string[] }>
> = {
  condition: { required: ["when", "then"], optional: ["else"] },
  webhook: { required: ["url"], optional: ["headers", "body", "next", "on_failure"] },
  delay: { required: ["seconds"], optional: ["next"] },
  set: { required: ["values"], optional: ["next"] },
  wait_event: { required: ["event", "timeout_seconds"], optional: ["match", "tenants", "next", "on_timeout"] },
  fire_event: { required: ["event"], optional: ["data", "next"] },
  action: { required: ["action"], optional: ["parameters", "next", ...DECISION_WAYS, "on_failure"] },
  wait_approval: {
    required: ["approver_roles"],
    optional: ["expires_in_seconds", ...APPROVAL_TEXTS, "next", ...DECISION_WAYS],
  },
  parallel: { required: ["branches"], optional: ["next", "on_failure"] },
  for_each: {
    required: ["in", "steps"],
    optional: ["max", "concurrency", "on_item_failure", "collect", "next", "on_failure"],
  },
  http: { required: HTTP_MEMBERS.required, optional: [...HTTP_MEMBERS.optional, "next", "on_failure"] },
};

/** Returns all paths that a step, or the trigger's condition, reads. */
export function pathsIn(step: Step | { readonly type: "trigger"; readonly when: Condition }): readonly Path[] {
  switch (step.type) {
    case "trigger":
    case "condition":
      return step.when.leaves.map((leaf) => leaf.field);
    case "http":
      return step.call.paths;
    case "delay":
    case "parallel":
      return [];
    default:
      return filledIn(step)?.paths ?? [];
  }
}

/** Returns the template of a step that has one. Null: the trigger's data is used. */
function filledIn(step: Exclude<Step, { type: "condition" | "http" | "delay" | "parallel" }>): Fill | null {
  switch (step.type) {
    case "for_each":
      return step.list;
    case "webhook":
      return step.body;
    case "fire_event":
      return step.data;
    case "set":
      return step.values;
    case "wait_event":
      return step.match;
    default:
      return step.input;
  }
}

/** Returns all steps that may follow a step directly. Null is the end of the run. */
export function successors(step: Step): readonly (string | null)[] {
  return step.type === "condition" ? [step.ifSo, step.ifNot] : [step.next, ...waysOf(step).map(([, target]) => target)];
}

/** Returns the ways of a step besides its `next`, by the names of their members. */
export function waysOf(step: Step): readonly (readonly [string, string | null])[] {
  const ways: readonly (readonly [string, string | null | undefined])[] = [
    ["on_rejected", "onRejected" in step ? step.onRejected : undefined],
    ["on_expired", "onExpired" in step ? step.onExpired : undefined],
    ["on_timeout", "onTimeout" in step ? step.onTimeout : undefined],
    ["on_failure", "onFailure" in step ? step.onFailure : undefined],
  ];
  return ways.flatMap(([name, target]) => (target === undefined ? [] : [[name, target] as const]));
}
