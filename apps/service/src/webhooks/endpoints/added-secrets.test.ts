import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { parseId } from "../../lib/lib.ts";
import { readScope } from "../../testing/audit.ts";
import { startService } from "../../testing/service.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
/** How often all secrets of the workspace were read. */
let reads = 0;
beforeAll(async () => {
  const counted = async (): Promise<string[]> => {
    reads += 1;
    return await Promise.resolve([]);
  };
  service = await startService({ provides: { redactionSources: [counted] } });
});
afterAll(async () => await service.close());

beforeEach(async () => {
  await added();
  await redacted([]);
  reads = 0;
});

async function redacted(texts: readonly string[]): Promise<string> {
  const redactor = await service.service.audit.redactorOf(await readScope(service));
  return redactor.text(texts.join(" | "));
}

async function added(): Promise<{ readonly id: string; readonly secret: string }> {
  const made = await service.endpoint("http://127.0.0.1:9/", { events: ["test.nothing"] });
  return { id: made.id, secret: made["secret"] };
}

async function regenerated(id: string): Promise<string> {
  const { body } = await service.api("POST", `/v1/webhook-endpoints/${id}/secret/regenerate`, {});
  return body["secret"];
}

test("the secrets of added endpoints are redacted without reading all secrets again", async () => {
  const secrets: string[] = [];
  for (let n = 0; n < 5; n += 1) {
    const { secret } = await added();
    secrets.push(secret);
    expect(await redacted(secrets)).toBe(secrets.map(() => "[redacted]").join(" | "));
  }
  const at = await Promise.all(Array.from({ length: 8 }, added));
  const together = at.map(({ secret }) => secret);
  expect(await redacted(together)).toBe(together.map(() => "[redacted]").join(" | "));
  expect(reads).toBe(0);
});

test("a changed secret is redacted if endpoints are added at the same time", async () => {
  const first = await added();
  await redacted([]);
  const [secret, other] = await Promise.all([regenerated(first.id), added()]);
  expect(await redacted([secret, other.secret])).toBe("[redacted] | [redacted]");
  expect(reads).toBeGreaterThan(0);
});

test("a changed secret is redacted if an endpoint is added and deleted", async () => {
  const first = await added();
  await redacted([]);
  // Two changes, of which no new object shows one.
  const secret = await regenerated(first.id);
  const other = await added();
  await service.api("DELETE", `/v1/webhook-endpoints/${other.id}`);
  expect(await redacted([secret])).toBe("[redacted]");
});

test("an added endpoint with an id of long ago is redacted", async () => {
  const { id, secret } = await added();
  await redacted([]);
  const uuid = parseId(id)?.uuid;
  // A sealed secret belongs to its id, so that the copy of another endpoint cannot be opened, but its header can be read.
  await service.database.query(
    `insert into endpoint (bucket, tag, id, workspace_id, url, events, active, description, headers, max_in_flight)
      select bucket, tag, '01000000-0000-7000-8000-000000000001', workspace_id, url, events, active, description,
        '{"authorization":"Bearer of long ago 4711"}', max_in_flight from endpoint where id = $1`,
    [uuid],
  );
  expect(await redacted([secret, "of long ago 4711"])).not.toContain("4711");
  expect(reads).toBe(1);
});
