import { RULE_EVENT, WORKFLOW_EVENT } from "./workload.ts";

/** The number that the rule adds to a contact's score. */
export const SCORE = 5;
/** The event that each run of the workflow fires. No endpoint subscribes to it. */
export const REMINDER = "bench.reminder";

/** Calls the API as a user of the workspace does. */
export type Post = (path: string, body: object) => Promise<unknown>;

/** Creates a rule and a workflow that each react to one of the ten events. */
export async function createReactions(post: Post): Promise<void> {
  await post("/v1/rules", {
    name: "Paid orders raise the score",
    on: [RULE_EVENT],
    when: { all: [{ field: "data.order.total_minor", op: "gt", value: 5000 }] },
    then: [{ type: "adjust_score", by: SCORE }],
    // The maximum that a rule allows. Further runs are recorded as limited, and change nothing.
    max_runs_per_minute: 6000,
  });
  await post("/v1/workflows", {
    name: "Remind of abandoned carts",
    trigger: { event: WORKFLOW_EVENT },
    max_runs_per_minute: 60_000,
    steps: [
      {
        id: "worth",
        type: "condition",
        when: { all: [{ field: "data.cart.total_minor", op: "gt", value: 5000 }] },
        then: "remind",
      },
      { id: "remind", type: "fire_event", event: REMINDER, data: { cart: "${$.data.cart.external_id}" } },
    ],
  });
}
