import type { Parsed, TestService } from "./test-service.ts";

export interface DeliveryLog {
  get(id: string): Promise<Parsed>;
  attempts(id: string): Promise<Parsed[]>;
  /** Waits until the delivery is in this state. */
  in(id: string, state: string): Promise<Parsed>;
  /** Waits until so many attempts are logged, and none is under way. */
  attempted(id: string, count: number): Promise<Parsed>;
  /** What waits for its next attempt is due now. What is being sent stays leased. */
  hurry(): Promise<void>;
}

/** The delivery log as a caller of the API reads it. */
export function deliveryLog(service: TestService): DeliveryLog {
  const path = (id: string): string => `/v1/deliveries/${id}`;
  return {
    get: async (id) => (await service.api("GET", path(id))).body,
    attempts: async (id) => (await service.api("GET", `${path(id)}/attempts`)).body["data"],
    in: async (id, state) => await service.until(path(id), (body) => body["state"] === state),
    attempted: async (id, count) => await service.until(path(id), (body) => body["attempt_count"] === count),
    async hurry() {
      await service.database.query("update pending_delivery set due_at = now() where lease_id is null");
      await service.database.query("select pg_notify('junction_due', '')");
    },
  };
}
