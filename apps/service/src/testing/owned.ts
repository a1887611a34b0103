import { inboundBody, makeSource, MAPPING } from "./inbound.ts";
import { insertIssue } from "./issues.ts";
import { mintKey } from "./keys.ts";
import type { Parsed, TestService } from "./test-service.ts";

/** The event that the endpoints of `owned` subscribe to. */
export const OWNED_EVENT = "tenant-keys.test";

/** The objects of one tenant, or of the workspace itself. */
export interface Owned {
  readonly endpoint: string;
  readonly event: string;
  readonly delivery: string;
  readonly key: string;
  readonly source: string;
  readonly receipt: string;
  readonly replay: string;
  readonly issue: string;
}

/** Creates an endpoint, an event with a delivery, a source with a receipt, a replay and a key, of a tenant or of the workspace. */
export async function owned(service: TestService, tenant: { tenant?: string }): Promise<Owned> {
  const more = { url: "http://127.0.0.1:9/tenant-keys", events: [OWNED_EVENT], ...tenant };
  const endpoint = await service.api("POST", "/v1/webhook-endpoints", more);
  const fired = await service.api("POST", "/v1/events/fire", { event: OWNED_EVENT, data: {}, ...tenant });
  const made = fired.body["deliveries"].find((one: Parsed) => one["endpoint_id"] === endpoint.body["id"]);
  const source = await makeSource(service, { ...MAPPING, ...tenant });
  const received = await source.send(inboundBody());
  // A replay belongs to the key that started it.
  const starter = "tenant" in tenant ? (await mintKey(service, tenant)).key : service.key;
  const replay = await service.api("POST", "/v1/replays", { filter: { state: "failed" } }, { key: starter });
  return {
    endpoint: endpoint.body["id"],
    event: fired.body["id"],
    delivery: made["id"],
    key: (await mintKey(service, tenant)).id,
    source: source.id,
    receipt: received.body["receipt_id"],
    replay: replay.body["id"],
    issue: await insertIssue(service, endpoint.body["id"]),
  };
}
