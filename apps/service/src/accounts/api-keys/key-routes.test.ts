import { afterAll, beforeAll } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { mintKey } from "../../testing/keys.ts";
import { startService } from "../../testing/service.ts";
import { provesSuccesses } from "../../testing/successes.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

covers("openapi.document.complete", "each route of keys and of setting up answers as the document says", async () => {
  const { api } = service;
  const { id } = await mintKey(service, { ip_allowlist: ["10.0.0.0/8"] });
  const claim = async () => {
    // This is the state of the workspace after a first start without bootstrap.
    await service.database.query("update api_key set member_id = null");
    await service.database.query("delete from member");
    const token = await service.service.workspaces.newSetupToken();
    const owner = { email: "ada@example.com", name: "Ada", password: "a long enough password" };
    return await api("POST", "/v1/auth/setup", { token, ...owner }, { key: null });
  };
  await provesSuccesses(service, ["/v1/keys", "/v1/me", "/v1/auth/setup"], {
    "POST /v1/keys 201": async () => await api("POST", "/v1/keys", { name: "a", permission_mode: "all" }),
    "GET /v1/keys 200": async () => await api("GET", "/v1/keys"),
    "GET /v1/keys/{id} 200": async () => await api("GET", `/v1/keys/${id}`),
    "GET /v1/keys/{id}/usage 200": async () => await api("GET", `/v1/keys/${id}/usage`),
    "PATCH /v1/keys/{id} 200": async () => await api("PATCH", `/v1/keys/${id}`, { name: "b" }),
    "POST /v1/keys/{id}/test 200": async () => await api("POST", `/v1/keys/${id}/test`, { operation: "events.fire" }),
    "POST /v1/keys/{id}/roll 201": async () => await api("POST", `/v1/keys/${id}/roll`, { overlap_seconds: 60 }),
    "GET /v1/me 200": async () => await api("GET", "/v1/me"),
    "POST /v1/keys/{id}/revoke 200": async () => await api("POST", `/v1/keys/${id}/revoke`),
    "POST /v1/auth/setup 201": claim,
  });
});
