import { afterAll, beforeAll, expect } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { startService } from "../../testing/service.ts";
import { provesSuccesses } from "../../testing/successes.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

covers("openapi.document.complete", "each route of events responds as documented", async () => {
  const { api } = service;
  const event = { event: "order.created", data: { order: { id: "ord_1" } }, subject: "ord_1" };
  const endpoint = await service.endpoint("http://127.0.0.1:9/hook");
  expect(endpoint.id).toMatch(/^ep_/);
  const { id } = await service.fire();
  const deliverAt = new Date(Date.now() + 3_600_000).toISOString();
  const later = await api("POST", "/v1/events/fire", { ...event, deliver_at: deliverAt });
  await provesSuccesses(service, ["/v1/events", "/v1/event-types"], {
    "POST /v1/events/fire 202": async () => await api("POST", "/v1/events/fire", event),
    "POST /v1/events/batch 202": async () => await api("POST", "/v1/events/batch", { events: [event, event] }),
    "GET /v1/events 200": async () => await api("GET", "/v1/events?limit=2"),
    "GET /v1/events/{id} 200": async () => await api("GET", `/v1/events/${id}`),
    "DELETE /v1/events/{id}/schedule 204": async () => await api("DELETE", `/v1/events/${later.body.id}/schedule`),
    "POST /v1/events/{id}/refire 202": async () => await api("POST", `/v1/events/${id}/refire`),
    "POST /v1/event-types 201": async () => await api("POST", "/v1/event-types", { name: "my.type" }),
    "PATCH /v1/event-types/{name} 200": async () => await api("PATCH", "/v1/event-types/my.type", { title: "Mine" }),
    "POST /v1/event-types/{name}/versions 201": async () =>
      await api("POST", "/v1/event-types/my.type/versions", { schema: { type: "object" } }),
    "GET /v1/event-types/{name}/versions 200": async () => await api("GET", "/v1/event-types/my.type/versions"),
    "PUT /v1/event-types 200": async () =>
      await api("PUT", "/v1/event-types", { types: [{ name: "my.type" }], dry_run: true }),
    "DELETE /v1/event-types/{name} 204": async () => await api("DELETE", "/v1/event-types/my.type"),
    "GET /v1/event-types 200": async () => await api("GET", "/v1/event-types"),
    "GET /v1/event-types/{name} 200": async () => await api("GET", "/v1/event-types/order.created"),
  });
});
