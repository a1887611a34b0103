import { afterAll, beforeAll, expect } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { mintKey } from "../testing/keys.ts";
import { startService } from "../testing/service.ts";
import type { TestService } from "../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

covers("key.allowlist.cidr", "X-Forwarded-For is ignored unless the request comes from a trusted proxy", async () => {
  const key = await mintKey(service, { ip_allowlist: ["203.0.113.9"] });
  for (const name of ["X-Forwarded-For", "X-Real-IP", "Forwarded", "CF-Connecting-IP"]) {
    const value = name === "Forwarded" ? "for=203.0.113.9" : "203.0.113.9";
    const answer = await service.api("GET", "/v1/events", undefined, { key: key.key, headers: { [name]: value } });
    expect([name, answer.body["code"]]).toEqual([name, "ip_not_allowed"]);
  }
  const local = await mintKey(service, { ip_allowlist: ["127.0.0.0/8"] });
  expect((await service.api("GET", "/v1/events", undefined, { key: local.key })).status).toBe(200);
});
