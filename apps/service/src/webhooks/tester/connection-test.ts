import { ServiceError } from "../../lib/lib.ts";
import type { t } from "../../lib/lib.ts";
import type { Scope } from "../../accounts/accounts.ts";
import { CONNECTION_STEPS } from "../deliveries/send-to-broker.ts";
import type { BrokerSender, ConnectionResult } from "../deliveries/send-to-broker.ts";
import type { Endpoints } from "../endpoints/endpoints.ts";
import type { ConnectionTestView } from "./tester.schemas.ts";

export type ConnectionView = t.Static<typeof ConnectionTestView>;
/** Tests the connection of an endpoint. Throws 404, and 409 if its kind is none of a broker. */
export type ConnectionTester = (scope: Scope, id: string) => Promise<ConnectionView>;

export interface ConnectionTestDeps {
  readonly endpoints: Pick<Endpoints, "target">;
  readonly connect: (sender: BrokerSender) => Promise<ConnectionResult>;
}

export function createConnectionTester({ endpoints, connect }: ConnectionTestDeps): ConnectionTester {
  return async (scope, id) => {
    const target = await endpoints.target(scope, id);
    if (target.destination === null)
      throw new ServiceError("conflict", {
        detail: "The endpoint sends to no broker. POST /v1/webhooks/test sends it a test event.",
      });
    const sender = { ...scope, endpointId: target.id, stored: target.destination };
    const { failed, ms } = await connect(sender);
    return {
      object: "connection_test",
      endpoint_id: id,
      ok: failed === null,
      steps: stepsUntil(failed?.step),
      error: failed,
      duration_ms: ms,
    };
  };
}

/** A step of the list that failed ends the others. Another one, such as the proxy, is added to them. */
function stepsUntil(failed: ConnectionView["steps"][number]["step"] | undefined): ConnectionView["steps"] {
  const at = CONNECTION_STEPS.findIndex((one) => one === failed);
  const passed = failed === undefined || failed === "send" || failed === "confirm" ? CONNECTION_STEPS.length : at;
  const steps = CONNECTION_STEPS.map((step, index) => ({
    step,
    state: index < passed ? ("passed" as const) : index === at ? ("failed" as const) : ("not_reached" as const),
  }));
  return failed === undefined || at !== -1 ? steps : [...steps, { step: failed, state: "failed" }];
}
