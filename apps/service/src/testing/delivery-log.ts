import type { Parsed, TestService } from "./test-service.ts";

export interface DeliveryLog {
  get(id: string): Promise<Parsed>;
  attempts(id: string): Promise<Parsed[]>;
  /** Waits until the delivery is in this state. */
  in(id: string, state: string): Promise<Parsed>;
  /** Waits until the delivery has this number of attempts. */
  attempted(id: string, count: number): Promise<Parsed>;
  /** Makes waiting attempts due now. Deliveries that are being sent keep their lease. */
  hurry(): Promise<void>;
}

/** Reads the delivery log through the API. */
export function deliveryLog(service: TestService): DeliveryLog {
  const path = (id: string): string => `/v1/deliveries/${id}`;
  return {
    get: async (id) => (await service.api("GET", path(id))).body,
    attempts: async (id) => (await service.api("GET", `${path(id)}/attempts`)).body["data"],
    in: async (id, state) => await service.until(path(id), (body) => body["state"] === state),
    attempted: async (id, count) => await service.until(path(id), (body) => body["attempt_count"] === count),
    async hurry() {
      await service.database.query(
        "update pending_delivery set due_at = now() where lease_id is null and (lane is null or lane_head)",
      );
      await service.database.query("select pg_notify('junction_due', '')");
    },
  };
}
