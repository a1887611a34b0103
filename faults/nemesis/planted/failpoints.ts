import type { PLACES } from "../schedule.ts";
import type { Edit } from "./edits.ts";

type Place = (typeof PLACES)[number];

function at(place: Place, file: string, find: string): Edit {
  return { file, find, replace: `await globalThis.failpoint?.("${place}");\n${find}` };
}

/** Failpoints in the gaps between a change in the world and the record of it. */
export const FAILPOINTS: readonly Edit[] = [
  // The event is committed, and its 202 is not sent yet.
  at("after_commit", "events/fire/accept-events.ts", "  // Start.\n"),
  at(
    "before_send",
    "webhooks/deliveries/attempt.ts",
    "  const exchange = await send(deps, { delivery, target }, made);",
  ),
  at(
    "after_response",
    "webhooks/deliveries/attempt.ts",
    "  // The attempt says nothing about the receiver, so it does not count.\n",
  ),
  at("before_result", "webhooks/deliveries/record.ts", "      return await recordResults(deps.db, leaseId, rows);"),
  at(
    "lease_lost",
    "webhooks/deliveries/engine.worker.ts",
    "      // The lease may expire during the attempt, so the attempt is left to the node that claims the delivery next.\n",
  ),
];
