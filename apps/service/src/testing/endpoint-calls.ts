import type { TestService } from "./test-service.ts";

type Args = Record<string, unknown>;
type Make = (service: TestService) => Promise<Args> | Args;

interface Endpoints {
  freshEndpoint(service: TestService): Promise<Args>;
  noEndpoint(service: TestService): Promise<Args>;
}

const event = { event: "order.created", data: { total: 10.5 } };
const template = { kind: "template", body: {} };

/** The rows of testing/calls.ts for the filters and transformations of endpoints. */
export function endpointCalls({
  freshEndpoint,
  noEndpoint,
}: Endpoints): Readonly<Record<string, { readonly good: Make; readonly bad: Make }>> {
  const fresh =
    (more: Args): Make =>
    async (service) => ({ ...(await freshEndpoint(service)), ...more });
  return {
    "webhook_endpoints.explain": { good: fresh(event), bad: fresh({ event: "a..b" }) },
    "webhook_endpoints.filter.preview": { good: fresh({ filter: null }), bad: fresh({ filter: { any: 1 } }) },
    "webhook_endpoints.transform.test": {
      good: fresh({ ...event, transform: template }),
      bad: fresh({ ...event, transform: { kind: "template" } }),
    },
    "webhook_endpoints.transform.versions": { good: freshEndpoint, bad: noEndpoint },
    "webhook_endpoints.lanes": { good: freshEndpoint, bad: fresh({ limit: 0 }) },
    "webhook_endpoints.lanes.retry": { good: fresh({ all: true }), bad: fresh({ key: '"none"' }) },
    "webhook_endpoints.lanes.skip": { good: fresh({ all: true }), bad: fresh({ key: 1 }) },
    "webhook_endpoints.test_connection": { good: brokerEndpoint, bad: noEndpoint },
    "transform_presets.list": { good: () => ({}), bad: () => ({ limit: "x" }) },
  };
}

/** Creates an endpoint with a broker that no one answers for. */
async function brokerEndpoint(service: TestService): Promise<Args> {
  const destination = { url: "amqp://127.0.0.1:9", exchange: "", routing_key: "none" };
  const made = await service.api("POST", "/v1/webhook-endpoints", {
    kind: "rabbitmq",
    events: ["test.none"],
    destination,
  });
  return { id: made.body["id"] };
}

/** Creates an event, and then an endpoint that it can be sent to. */
export async function sentEvent(service: TestService): Promise<Args> {
  const { id } = await service.fire("test.sent", {});
  const endpoint = await service.endpoint("http://127.0.0.1:9/", { events: ["test.sent"] });
  return { id, endpoint_id: endpoint.id };
}
