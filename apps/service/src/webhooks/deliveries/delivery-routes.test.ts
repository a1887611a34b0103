import { afterAll, beforeAll } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { deliveryLog } from "../../testing/delivery-log.ts";
import type { DeliveryLog } from "../../testing/delivery-log.ts";
import { leaseIn, pullEndpoint } from "../../testing/pull-endpoint.ts";
import { startService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import { provesSuccesses } from "../../testing/successes.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let service: TestService;
let log: DeliveryLog;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  log = deliveryLog(service);
});
afterAll(async () => await service.close());

covers("openapi.document.complete", "each route of endpoints responds as documented", async () => {
  const { path, receiver } = await subscribe(service);
  const call =
    (method: string, to: string, body?: unknown): (() => Promise<ApiAnswer>) =>
    async () =>
      await service.api(method, to, body);
  const range = { since: "2026-01-01T00:00:00Z", until: "2099-01-01T00:00:00Z" };
  const filter = { all: [{ field: "data.total", op: "gt", value: 1 }] };
  const transform = { kind: "template", body: { text: "${$.event}" } };
  const pulled = await pullEndpoint(service);
  await pulled.fire({ n: 1 });
  const pull = async (): Promise<string> => leaseIn(await pulled.pull({ lease_seconds: 5 }));
  const ordered = await service.endpoint(receiver.url, { events: ["order.created"], ordering: { key: "endpoint" } });
  const lanes = `/v1/webhook-endpoints/${ordered.id}/lanes`;
  const destination = { servers: ["nats://127.0.0.1:1"], subject: "orders" };
  const silent = await service.api("POST", "/v1/webhook-endpoints", {
    kind: "nats",
    events: ["order.created"],
    destination,
  });
  const endpoint = { url: receiver.url, transform, events: ["order.created"], filter, headers: { "X-A": "1" } };
  await provesSuccesses(service, ["/v1/webhook-endpoints"], {
    "POST /v1/webhook-endpoints 201": call("POST", "/v1/webhook-endpoints", endpoint),
    "GET /v1/webhook-endpoints 200": call("GET", "/v1/webhook-endpoints"),
    "GET /v1/webhook-endpoints/{id} 200": call("GET", path),
    "PATCH /v1/webhook-endpoints/{id} 200": call("PATCH", path, { rate_limit_per_second: 100, max_in_flight: 2 }),
    "GET /v1/webhook-endpoints/{id}/headers 200": call("GET", `${path}/headers`),
    "GET /v1/webhook-endpoints/{id}/secret 200": call("GET", `${path}/secret`),
    "POST /v1/webhook-endpoints/{id}/secret/regenerate 200": call("POST", `${path}/secret/regenerate`),
    "GET /v1/webhook-endpoints/{id}/stats 200": call("GET", `${path}/stats`),
    "POST /v1/webhook-endpoints/{id}/replay-failed 200": call("POST", `${path}/replay-failed`, {
      ...range,
      dry_run: true,
    }),
    "POST /v1/webhook-endpoints/{id}/replay-failed 202": call("POST", `${path}/replay-failed`, range),
    "POST /v1/webhook-endpoints/{id}/backfill 200": call("POST", `${path}/backfill`, {
      from: range.since,
      dry_run: true,
    }),
    "POST /v1/webhook-endpoints/{id}/backfill 202": call("POST", `${path}/backfill`, { from: range.since }),
    "POST /v1/webhook-endpoints/{id}/test-connection 200": call(
      "POST",
      `/v1/webhook-endpoints/${silent.body["id"]}/test-connection`,
    ),
    "POST /v1/webhook-endpoints/{id}/toggle 200": call("POST", `${path}/toggle`),
    "POST /v1/webhook-endpoints/{id}/explain 200": call("POST", `${path}/explain`, { event: "order.created" }),
    "POST /v1/webhook-endpoints/{id}/filter/preview 200": call("POST", `${path}/filter/preview`, { filter }),
    "POST /v1/webhook-endpoints/{id}/transform/test 200": call("POST", `${path}/transform/test`, {
      event: "order.created",
      transform,
    }),
    "GET /v1/webhook-endpoints/{id}/transform/versions 200": call("GET", `${path}/transform/versions`),
    "GET /v1/webhook-endpoints/{id}/lanes 200": call("GET", lanes),
    "POST /v1/webhook-endpoints/{id}/lanes/retry 202": call("POST", `${lanes}/retry`, { all: true }),
    "POST /v1/webhook-endpoints/{id}/lanes/skip 202": call("POST", `${lanes}/skip`, { all: true }),
    "POST /v1/webhook-endpoints/{id}/pull 200": async () => await pulled.pull({ consumer: "d" }),
    "POST /v1/webhook-endpoints/{id}/release 204": async () =>
      await pulled.call("release", { consumer: "c", lease_id: await pull() }),
    "POST /v1/webhook-endpoints/{id}/commit 204": async () =>
      await pulled.call("commit", { consumer: "c", lease_id: await pull() }),
    "POST /v1/webhook-endpoints/{id}/seek 204": async () => await pulled.call("seek", { consumer: "c", to: "start" }),
    "GET /v1/webhook-endpoints/{id}/consumers 200": call("GET", `${pulled.path}/consumers`),
    "DELETE /v1/webhook-endpoints/{id}/consumers/{consumer} 204": call("DELETE", `${pulled.path}/consumers/c`),
    "DELETE /v1/webhook-endpoints/{id} 204": call("DELETE", path),
  });
});

covers("openapi.document.complete", "each route of deliveries responds as documented", async () => {
  const { fire, receiver } = await subscribe(service);
  const done = await fire();
  await log.in(done, "delivered");
  receiver.status(500);
  const waiting = await fire();
  await log.attempted(waiting, 1);
  const call =
    (method: string, to: string): (() => Promise<ApiAnswer>) =>
    async () =>
      await service.api(method, to);
  await provesSuccesses(service, ["/v1/deliveries"], {
    "GET /v1/deliveries 200": call("GET", "/v1/deliveries?limit=1"),
    "GET /v1/deliveries/{id} 200": call("GET", `/v1/deliveries/${done}`),
    "GET /v1/deliveries/{id}/attempts 200": call("GET", `/v1/deliveries/${waiting}/attempts`),
    "POST /v1/deliveries/{id}/cancel 200": call("POST", `/v1/deliveries/${waiting}/cancel`),
    "POST /v1/deliveries/{id}/replay 202": call("POST", `/v1/deliveries/${done}/replay`),
  });
});
