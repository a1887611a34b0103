import { afterAll, beforeAll, expect, test } from "vitest";
import { compose } from "./composition/compose.ts";
import { readConfig } from "./config/config.ts";
import type { Subscriber } from "./events/events.ts";
import { settings } from "./platform/platform.module.ts";
import { MODULES } from "./service.ts";
import { cloneDatabase } from "./testing/database.ts";
import type { TestDatabase } from "./testing/database.ts";
import { MASTER_KEY, startService } from "./testing/service.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(async () => await database.drop());

test("workers start in the order of their dependencies and stop in reverse", async () => {
  const config = readConfig({
    JUNCTION_MASTER_KEY: MASTER_KEY,
    JUNCTION_LOG_LEVEL: "fatal",
    DATABASE_URL: database.url,
  });
  const deps = {
    config,
    databaseUrl: database.url,
    masterKey: Buffer.from(MASTER_KEY, "base64"),
    version: { version: "0.0.0-test", node: process.version, git_sha: null },
  };
  const { workers } = await compose(MODULES, [[settings, deps]]);
  try {
    expect(workers.map(({ name }) => name)).toEqual([
      // It names what holds the loop, until everything else has stopped.
      "event loop",
      // All other workers use these until they have stopped.
      "database",
      "outbound HTTP",
      "traces",
      // Requests that end while the service stops are counted and logged too.
      "key usage",
      "request log",
      "usage",
      "activity of AI clients",
      // Calls of connectors' code end before its processes do.
      "connector processes",
      "script processes",
      // Workers below queue mail.
      "mail",
      // Deliveries stop after the workers below, which create deliveries.
      "key expiry",
      "ended workspaces",
      "audit digests",
      "portal sessions",
      "issues",
      "deliveries",
      "client certificates",
      "idle consumers",
      "inbox tokens",
      "tenant deletions",
      "workflows",
      "workflow schedules",
      "actions",
      "http calls",
      "announcements",
      "slack decisions",
      "connector folders",
      "connectors",
      "assistant",
      "tokens of apps",
      "event subscriptions",
      // Stages cause the work of all workers above.
      "stages",
      "events",
      // No new requests arrive once the server has closed, which waits for streams and for the self-test.
      "HTTP server",
      "live stream",
      "waiting pulls",
      "event streams",
      "self-test",
    ]);
  } finally {
    for (const { stop } of workers.toReversed()) await stop?.();
  }
});

test("subscribers, secrets and personal data each take one line in a manifest", async () => {
  const heard: string[] = [];
  const subscriber: Subscriber = {
    kind: "mirror",
    match: () => [{ kind: "mirror", key: "notes", priority: 30 }],
    react: async ({ name }) => {
      await Promise.resolve();
      heard.push(name);
    },
  };
  const service = await startService({
    provides: {
      subscribers: [subscriber],
      redactionSources: [async () => await Promise.resolve(["sesame-4711"])],
      personalData: [
        {
          name: "notes",
          async *read(_scope, contactIds) {
            await Promise.resolve();
            for (const id of contactIds) yield { about: id };
          },
          erase: async () => await Promise.resolve(),
        },
      ],
    },
  });
  try {
    const fired = await service.fire();
    await service.until(`/v1/events/${fired["id"]}`, ({ stages }) =>
      stages.some(({ key, state }: { key: string; state: string }) => key === "notes" && state === "done"),
    );
    expect(heard).toEqual(["order.created"]);
    // Secrets are read again after a change.
    await service.endpoint("http://127.0.0.1:9/");
    await service.api("POST", "/v1/keys", { name: "says sesame-4711", permission_mode: "all" });
    const audit = await service.api("GET", "/v1/audit");
    expect(audit.text).toContain("[redacted]");
    expect(audit.text).not.toContain("sesame-4711");
    const { body } = await service.api("POST", "/v1/contacts", { email: "ada@example.com" });
    const exported = await service.api("GET", `/v1/contacts/${body["id"]}/export`);
    expect(exported.body["notes"]).toHaveLength(1);
  } finally {
    await service.close();
  }
});
