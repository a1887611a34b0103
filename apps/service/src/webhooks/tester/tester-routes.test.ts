import { afterAll, beforeAll } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { startService } from "../../testing/service.ts";
import { provesSuccesses } from "../../testing/successes.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

covers("openapi.document.complete", "each route of the tester and its inbox responds as documented", async () => {
  const { db, workspaces, tester } = service.service;
  const scope = await workspaces.keys.byText(service.key);
  if (scope === undefined) throw new Error("the harness has no key");
  const { token, url } = await db.transaction(async (tx) => await tester.createInbox(tx, scope));
  const open = { key: null };
  await provesSuccesses(service, ["/v1/webhooks", "/inbox"], {
    "PUT /inbox/{token}/behaviour 200": async () =>
      await service.api("PUT", `/inbox/${token}/behaviour`, { delay_ms: 1 }, open),
    "POST /inbox/{token} 200": async () => await service.api("POST", `/inbox/${token}`, "any text", open),
    "POST /v1/webhooks/test 200": async () => await service.api("POST", "/v1/webhooks/test", { url }),
    "GET /inbox/{token} 200": async () => await service.api("GET", `/inbox/${token}`, undefined, open),
  });
});
