/** Tests the self-test and the doctor as a new user sees them: `npm start` with no variable set, with a working and with broken name servers. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { announced, createWorld } from "./world.ts";
import type { World } from "./world.ts";

interface Check {
  readonly name: string;
  readonly status: string;
  readonly detail: string;
  readonly cause: string | null;
  readonly fix: string | null;
}

let world: World;
let output: string;
beforeAll(async () => {
  world = await createWorld();
  await world.name("example.com", ["93.184.216.34"]);
  output = await world.npmStart();
});
afterAll(async () => await world?.close());

/** Runs the doctor of the installation with no variable set. Its exit code is 0, because `command` throws for any other. */
async function doctor(...args: string[]): Promise<Map<string, Check>> {
  const text = await world.command("node_modules/.bin/node", ["apps/service/src/main.ts", "doctor", ...args]);
  const { checks } = JSON.parse(text) as { readonly checks: readonly Check[] };
  return new Map(checks.map((check) => [check.name, check]));
}

test("the self-test passes after `npm start`, and the service is ready before it", async () => {
  // The metric is read before any call that could start a run.
  await expect.poll(async () => (await world.api("GET", "/metrics")).text).toMatch(/^junction_self_test_passed 1$/m);
  expect(output).toContain("Junction is ready");
  const { status, body } = await world.api("GET", "/readyz?deep=1");
  expect([status, body.self_test.status]).toEqual([200, "passed"]);
  // Neither the self-test nor a start asks a name server anything.
  expect(await world.questions()).toEqual([]);
});

test("the owner of the workspace sees nothing of it", async () => {
  const { sandboxKey: key } = announced(output);
  // The request log is read first, because it soon contains the calls of this test.
  const lists = ["requests", "events", "deliveries"];
  for (const list of lists) {
    const { status, body } = await world.api("GET", `/v1/${list}`, undefined, { key });
    expect([list, status, body.data]).toEqual([list, 200, []]);
  }
  const { body } = await world.api("GET", "/v1/webhook-endpoints", undefined, { key });
  expect(body.data.map(({ description }: { description: string }) => description)).toEqual(["The built-in inbox"]);
  const { body: usage } = await world.api("GET", "/v1/usage", undefined, { key });
  expect(usage.total).toMatchObject({ events: 0, deliveries: 0, attempts: 0 });
});

test("the doctor resolves example.com by the system's name server and shows the self-test", async () => {
  const checks = await doctor();
  expect(checks.get("public_name")).toMatchObject({
    status: "ok",
    detail: "example.com resolves to 93.184.216.34. Name servers: 127.0.0.1 (the system's).",
  });
  expect(checks.get("self_test")).toMatchObject({ status: "ok" });
  await world.hosts("10.0.0.7 intranet.example\n");
  expect((await doctor("--public-name", "intranet.example")).get("public_name")).toMatchObject({
    status: "warning",
    detail: expect.stringContaining("intranet.example resolves to 10.0.0.7, which is not public") as string,
  });
});

test("the doctor explains a broken name server, and accepts that none exists", async () => {
  expect((await doctor("--public-name", "missing.example")).get("public_name")).toMatchObject({
    status: "warning",
    detail: expect.stringContaining("missing.example: host not found") as string,
  });
  await world.silence(true);
  const silent = await doctor();
  expect(silent.get("public_name")).toMatchObject({
    status: "warning",
    detail: expect.stringContaining("example.com: DNS lookup timed out") as string,
    fix: expect.stringContaining("JUNCTION_DNS_SERVERS") as string,
  });
  // A broken name server breaks no delivery to the service's own inbox.
  expect(silent.get("self_test")).toMatchObject({ status: "ok" });
  expect((await doctor("--public-name", "none")).get("public_name")).toMatchObject({ status: "skipped" });
  await world.silence(false);
});
