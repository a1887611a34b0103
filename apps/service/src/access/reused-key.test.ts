import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { operations } from "../testing/calls.ts";
import { countRows, mintKey } from "../testing/keys.ts";
import { registerContract } from "../testing/contracts.ts";
import { startService } from "../testing/service.ts";
import { UNLIMITED } from "../testing/subscription.ts";
import type { ApiAnswer, TestService } from "../testing/test-service.ts";

/** The same key with another method, path or raw body gets 422 before the body is validated (contract, section 3). */

let service: TestService;

beforeAll(async () => {
  service = await startService({ env: { ...UNLIMITED, JUNCTION_ROLES: "api" } });
});
afterAll(async () => await service.close());

const event = { event: "order.created", data: { order: { external_id: "10482" } } };
const invalid = { event: "order.created", data: [], nonsense: true };

async function send(key: string, path: string, body: unknown, method = "POST"): Promise<ApiAnswer> {
  return await service.api(method, path, body, { headers: { "Idempotency-Key": key } });
}

async function usedKey(): Promise<string> {
  const key = randomUUID();
  expect((await send(key, "/v1/events/fire", event)).status).toBe(202);
  return key;
}

function outcome({ status, body }: ApiAnswer): string {
  return `${status} ${String(body["code"])}`;
}

covers(
  "idempotency.header.write",
  "every write refuses another request's key before it checks body or object",
  async () => {
    const key = await usedKey();
    const writes = (await operations(service)).filter(({ access }) => access === "write");
    expect(writes.length).toBeGreaterThan(60);
    const outcomes: string[] = [];
    for (const { operation, method, path } of writes) {
      const nowhere = path.replaceAll(/\{[^}]+\}/g, "x");
      const direct = await send(key, nowhere, { nonsense: true }, method);
      const named = await send(key, "/api/v1.php", { action: operation, nonsense: true });
      outcomes.push(`${operation}: ${outcome(direct)}, ${outcome(named)}`);
    }
    const reused = "422 idempotency_key_reused";
    expect(outcomes).toEqual(writes.map(({ operation }) => `${operation}: ${reused}, ${reused}`));
  },
);

test("a body without an operation, and one of an unknown action, are compared too", async () => {
  const key = await usedKey();
  for (const body of [{}, { action: 5 }, { action: "no.such.action" }])
    expect([body, outcome(await send(key, "/api/v1.php", body))]).toEqual([body, "422 idempotency_key_reused"]);
  const run = { action: "no.such.action", parameters: {} };
  expect(outcome(await send(key, "/v1/actions/run", run))).toBe("422 idempotency_key_reused");
  expect(outcome(await send(key, "/v1/actions/run", { ...run, dry_run: true }))).toBe("422 idempotency_key_reused");
});

test("a dry run refuses a key that a real call has used", async () => {
  const { key: action } = await registerContract(service, {
    endpoint: "http://127.0.0.1:9/",
    requires_confirmation: true,
  });
  const key = randomUUID();
  const run = { action, parameters: {} };
  expect((await send(key, "/v1/actions/run", run)).status).toBe(202);
  expect(outcome(await send(key, "/v1/actions/run", { ...run, dry_run: true }))).toBe("422 idempotency_key_reused");
});

test("access checks, the media type and broken JSON come before a reused key", async () => {
  const key = await usedKey();
  const headers = { "Idempotency-Key": key };
  const readOnly = await mintKey(service, { permission_mode: "read_only" });
  const ask = async (body: unknown, options: Parameters<TestService["api"]>[3]): Promise<string> =>
    outcome(await service.api("POST", "/v1/events/fire", body, options));
  expect(await ask(invalid, { headers, key: null })).toBe("401 credentials_missing");
  expect(await ask(invalid, { headers, key: readOnly.key })).toBe("403 key_read_only");
  expect(await ask(invalid, { headers: { ...headers, "Content-Type": "text/plain" } })).toBe(
    "415 unsupported_media_type",
  );
  expect(await ask('{"event":', { headers })).toBe("400 malformed_json");
});

test("an invalid body under a new key is refused and leaves the key free", async () => {
  const key = randomUUID();
  expect(outcome(await send(key, "/v1/events/fire", invalid))).toBe("422 validation_failed");
  expect(outcome(await send(key, "/v1/events/fire", invalid))).toBe("422 validation_failed");
  expect((await send(key, "/v1/events/fire", event)).status).toBe(202);
  expect(outcome(await send(key, "/v1/events/fire", invalid))).toBe("422 idempotency_key_reused");
});

test("a key belongs to its lineage and environment: others may use the same text", async () => {
  const key = await usedKey();
  const other = await mintKey(service);
  const options = { headers: { "Idempotency-Key": key }, key: other.key };
  expect(outcome(await service.api("POST", "/v1/events/fire", invalid, options))).toBe("422 validation_failed");
});

test("valid and invalid bodies that race for one key make one event", async () => {
  const before = await countRows(service, "event");
  for (let round = 0; round < 10; round += 1) {
    const key = randomUUID();
    const answers = await Promise.all(
      [event, invalid, event, invalid].map(async (body) => await send(key, "/v1/events/fire", body)),
    );
    const [first, wrong, second, alsoWrong] = answers.map(outcome);
    expect([first, second]).toEqual(["202 undefined", "202 undefined"]);
    for (const refused of [wrong, alsoWrong])
      expect(["422 validation_failed", "422 idempotency_key_reused"]).toContain(refused);
    expect(outcome(await send(key, "/v1/events/fire", invalid))).toBe("422 idempotency_key_reused");
  }
  expect((await countRows(service, "event")) - before).toBe(10);
});
