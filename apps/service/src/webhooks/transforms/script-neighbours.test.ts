import { afterAll, beforeAll, expect, test } from "vitest";
import { deliveryLog } from "../../testing/delivery-log.ts";
import type { DeliveryLog } from "../../testing/delivery-log.ts";
import { startService } from "../../testing/service.ts";
import { subscribe, UNLIMITED } from "../../testing/subscription.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
let log: DeliveryLog;
beforeAll(async () => {
  service = await startService({ env: { ...UNLIMITED, JUNCTION_RETRY_LADDER: "20ms,20ms" } });
  log = deliveryLog(service);
});
afterAll(async () => await service.close());

const script = (code: string): object => ({
  kind: "script",
  source: `export function transform({ event, data }) { ${code} }`,
});

/** Returns a credential of a tenant's portal with these capabilities. */
async function portal(tenant: string, capabilities: readonly string[]): Promise<string> {
  const { body } = await service.api("POST", "/v1/portal-sessions", { tenant, capabilities });
  const token = /#token=(\w+)$/.exec(String(body["url"]))?.[1] ?? "";
  const exchanged = await service.api("POST", "/v1/portal-sessions/exchange", { token }, { key: null });
  return exchanged.body["credential"];
}

async function fire(event: string, tenant: string, data: object): Promise<string> {
  const { status, text, body } = await service.api("POST", "/v1/events/fire", { event, tenant, data });
  if (status === 503) return await fire(event, tenant, data);
  if (status !== 202) throw new Error(text);
  return body["deliveries"][0].id;
}

// Reproduces how a script once got the realm of the process, from which it replaced functions of other scripts.
const HOOK = `
  const hook = (error) => error.constructor.constructor(\`
    globalThis.kept ??= [];
    const real = JSON.stringify;
    JSON.stringify = (value) => { kept.push(real(value)); return real({ stolen: kept }); };
    Map.groupBy = () => new Map();
  \`)();
  import./*x*/source("node:fs").then(hook, hook);
  try { null.x; } catch (error) { hook(error); }
  return { body: typeof kept === "undefined" ? [] : kept };`;

test("a portal credential for transforms neither reads nor changes another tenant's events", async () => {
  const acme = await subscribe(service, { more: { tenant: "acme", transform: script("return { body: 1 };") } });
  const globex = await subscribe(service, { more: { tenant: "globex", transform: script("return { body: data };") } });
  const key = await portal("acme", ["transforms"]);
  const pay = { salary: 90_000, iban: "DE02120300000000202051" };
  for (let round = 0; round < 3; round += 1) {
    const tried = await service.api(
      "POST",
      `${acme.path}/transform/test`,
      { event: "a.b", data: {}, transform: script(HOOK) },
      { key },
    );
    expect(tried.text).not.toContain("DE02");
    await log.in(await fire(globex.event, "globex", pay), "delivered");
    expect(globex.receiver.received.at(-1)?.body).toBe(JSON.stringify(pay));
  }
});

test("a hundred endless runs of a tenant make no attempt of another fail", { timeout: 120_000 }, async () => {
  const acme = await subscribe(service, {
    more: { tenant: "acme", max_in_flight: 100, transform: script("for (;;);") },
  });
  const globex = await subscribe(service, { more: { tenant: "globex", transform: script("return { body: data };") } });
  const endless = Promise.all(Array.from({ length: 100 }, async () => await fire(acme.event, "acme", {})));
  for (let at = 0; at < 5; at += 1) {
    const delivered = await log.in(await fire(globex.event, "globex", { at }), "delivered");
    expect(delivered).toMatchObject({ attempt_count: 1, last_error_class: null });
  }
  await endless;
});

test("a save with twenty endless cases runs one, and delays no other tenant", { timeout: 60_000 }, async () => {
  const acme = await subscribe(service, { more: { tenant: "acme" } });
  const globex = await subscribe(service, { more: { tenant: "globex", transform: script("return { body: data };") } });
  const key = await portal("acme", ["endpoints", "transforms"]);
  const cases = Array.from({ length: 20 }, () => ({ event: "a.b", data: {}, expect: 1 }));
  const [saved, delivered] = await Promise.all([
    service.api("PATCH", acme.path, { transform: { ...script("for (;;) { data.x = 1; }"), cases } }, { key }),
    fire(globex.event, "globex", {}).then(async (id) => await log.in(id, "delivered")),
  ]);
  expect([saved.status, saved.body["code"]]).toEqual([409, "transform_cases_failed"]);
  const messages = saved.body["errors"].map(({ message }: { readonly message: string }) => message);
  expect(messages.filter((message: string) => message.includes("longer than 100 ms"))).toHaveLength(1);
  expect(messages.filter((message: string) => message.includes("was not run"))).toHaveLength(19);
  expect(delivered).toMatchObject({ attempt_count: 1 });
});

test("a test without a turn is 503, and a delivery without one keeps its attempt", { timeout: 120_000 }, async () => {
  const { event, path } = await subscribe(service, {
    more: { tenant: "full", max_in_flight: 64, transform: script("for (;;) { data.y = 1; }") },
  });
  const fired = await Promise.all(Array.from({ length: 100 }, async () => await fire(event, "full", {})));
  const transform = script("return { body: 2 };");
  const tests = Array.from(
    { length: 400 },
    async () => await service.api("POST", `${path}/transform/test`, { event: "a.b", data: {}, transform }),
  );
  const refused = (await Promise.all(tests)).filter(({ status }) => status !== 200);
  for (const { status, body, headers } of refused)
    expect([status, body["code"], headers.get("retry-after")]).toEqual([503, "service_unavailable", "2"]);
  await service.api("PATCH", path, { transform: script("return { body: 3 };") });
  for (const id of fired) {
    const { attempts } = (await service.api("GET", `/v1/deliveries/${id}`)).body as {
      attempts?: { error_class: string; error_detail: string }[];
    };
    for (const one of attempts ?? []) if (one.error_class !== null) expect(one.error_detail).toContain("100 ms");
  }
});
