import { afterAll, beforeAll, expect, test } from "vitest";
import { mintKey } from "../../testing/keys.ts";
import { joined } from "../../testing/people.ts";
import type { TestPerson } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let service: TestService;
let makers: string;
let others: string;
let admins: string;
let person: TestPerson;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  [makers, others, admins] = (await Promise.all(
    ["developer", "developer", "admin"].map(async (role) => (await mintKey(service, { role })).key),
  )) as [string, string, string];
  person = await joined(service, "developer");
});
afterAll(async () => await service.close());

const BODY = { url: "http://127.0.0.1:9/", events: ["secret.made"], active: false };

async function create(key: string): Promise<{ path: string; secret: string }> {
  const { body } = await service.api("POST", "/v1/webhook-endpoints", BODY, { key });
  return { path: `/v1/webhook-endpoints/${body["id"]}/secret`, secret: body["secret"] };
}

async function show(path: string, key: string): Promise<ApiAnswer> {
  return await service.api("GET", path, undefined, { key });
}

async function regenerate(path: string, key: string, overlap = 0): Promise<string> {
  const made = await service.api("POST", `${path}/regenerate`, { overlap_seconds: overlap }, { key });
  expect(made.status).toBe(200);
  return made.body["secret"];
}

test("the key that created an endpoint and owners see its secret again", async () => {
  const { path, secret } = await create(makers);
  for (const key of [makers, service.key]) expect((await show(path, key)).body).toEqual({ secret });
});

test("other keys of the role, and admins, are refused with advice", async () => {
  const { path, secret } = await create(makers);
  for (const key of [others, admins]) {
    const refused = await show(path, key);
    expect([refused.status, refused.body["code"]]).toEqual([403, "role_not_allowed"]);
    expect(refused.body["detail"]).toContain("create a new secret");
    expect(refused.text).not.toContain(secret);
  }
  const operator = await mintKey(service, { role: "operator" });
  expect((await show(path, operator.key)).status).toBe(403);
});

test("only the maker of the current secret sees it, besides owners", async () => {
  const { path } = await create(makers);
  const secret = await regenerate(path, others);
  expect((await show(path, others)).body).toEqual({ secret });
  expect((await show(path, makers)).status).toBe(403);
});

test("a maker never sees another maker's previous secret during the overlap", async () => {
  const { path, secret: first } = await create(service.key);
  const secret = await regenerate(path, makers, 3600);
  const shown = await show(path, makers);
  expect(shown.body).toEqual({ secret });
  expect(shown.text).not.toContain(first);
  expect((await show(path, service.key)).body).toMatchObject({ secret, previous_secret: first });
});

test("changing the URL to an own inbox does not reveal another maker's secret", async () => {
  const { path } = await create(service.key);
  const inbox = await service.api("PUT", "/v1/inboxes/stolen", undefined, { key: makers });
  const moved = await service.api("PATCH", path.replace("/secret", ""), { url: inbox.body["url"] }, { key: makers });
  expect(moved.status).toBe(200);
  expect((await show(path, makers)).status).toBe(403);
});

test("a person sees the secrets they created in any of their sessions", async () => {
  const made = await person.call("POST", "/v1/webhook-endpoints", BODY);
  const path = `/v1/webhook-endpoints/${made.body["id"]}/secret`;
  expect((await person.call("GET", path)).body).toEqual({ secret: made.body["secret"] });
  expect((await show(path, makers)).status).toBe(403);
});

test("a secret of an earlier version is visible only to owners", async () => {
  const { path } = await create(makers);
  await service.service.db.query
    .updateTable("endpoint")
    .set({ secret_maker_kind: null, secret_maker_id: null })
    .execute();
  expect((await show(path, makers)).status).toBe(403);
  expect((await show(path, service.key)).status).toBe(200);
});
