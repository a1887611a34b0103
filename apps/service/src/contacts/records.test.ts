import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { absentId, mintKey, otherWorkspace, tagOfId } from "../testing/keys.ts";
import { startService } from "../testing/service.ts";
import { UNLIMITED } from "../testing/subscription.ts";
import type { Parsed, TestService } from "../testing/test-service.ts";

let service: TestService;
let people = 0;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

function address(): string {
  people += 1;
  return `person-${people}@example.com`;
}

async function made(body: Record<string, unknown> = { email: address() }): Promise<Parsed> {
  const answer = await service.api("POST", "/v1/contacts", body);
  expect(answer).toMatchObject({ status: 201 });
  return answer.body;
}

async function absent(): Promise<string> {
  const { id } = await made();
  return absentId({ tag: tagOfId(id) }, "con");
}

describe("POST /v1/contacts", () => {
  test("201: a contact has all given values, and its address is case-folded", async () => {
    const email = address();
    const contact = await made({
      email: ` ${email.toUpperCase()}`,
      name: "Ada Moreau 💡",
      external_ids: ["cus_1", "42"],
      lifecycle_stage: "lead",
      score: 12.5,
      tags: ["vip", "press", "vip"],
    });
    expect(contact).toEqual({
      id: expect.stringMatching(/^con_[0-9a-z]{34}$/),
      object: "contact",
      email,
      email_aliases: [],
      name: "Ada Moreau 💡",
      external_ids: ["42", "cus_1"],
      lifecycle_stage: "lead",
      score: 12.5,
      tags: ["vip", "press"],
      tickets_open: 0,
      last_activity_at: null,
      scope_kind: "workspace",
      scope_key: expect.stringMatching(/^ws_/),
      environment: "live",
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: expect.stringMatching(/Z$/),
    });
    expect((await service.api("GET", `/v1/contacts/${contact.id}`)).body).toEqual(contact);
  });

  test("409: another contact's address, in any case, or external id creates nothing", async () => {
    const email = address();
    const first = await made({ email, external_ids: [`ext-${email}`] });
    for (const body of [{ email: email.toUpperCase() }, { name: "Bob", external_ids: ["free", `ext-${email}`] }]) {
      const answer = await service.api("POST", "/v1/contacts", body);
      expect(answer).toMatchObject({ status: 409, body: { code: "conflict" } });
      expect(answer.body["detail"]).toContain(first.id);
    }
    const free = await service.api("GET", "/v1/contacts?external_id=free");
    expect(free.body["data"]).toEqual([]);
  });

  test("twenty concurrent copies create one contact and nineteen conflicts", async () => {
    const email = address();
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.api("POST", "/v1/contacts", { email })));
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
  });

  test.each([
    ["nothing that names a contact", { tags: ["vip"] }, ""],
    ["no address", { email: "nobody" }, "/email"],
    ["an address with a space", { email: "a b@example.com" }, "/email"],
    ["NUL in a name", { name: "A\u0000" }, "/name"],
    ["half a surrogate pair", { name: "\ud83d" }, "/name"],
    ["a score as text", { name: "A", score: "1" }, "/score"],
    ["an empty external id", { external_ids: [""] }, "/external_ids/0"],
    ["an unknown field", { name: "A", color: "red" }, "/color"],
  ])("422: %s", async (_what, body, pointer) => {
    const answer = await service.api("POST", "/v1/contacts", JSON.stringify(body));
    expect(answer).toMatchObject({ status: 422, body: { code: "validation_failed" } });
    expect(answer.body["errors"].map((error: Parsed) => error.pointer)).toContain(pointer);
  });

  test("403: a viewer can only read contacts, and an operator can write them", async () => {
    const viewer = await mintKey(service, { role: "viewer", actor_type: "service" });
    const operator = await mintKey(service, { role: "operator", actor_type: "service" });
    const body = { email: address() };
    expect(await service.api("POST", "/v1/contacts", body, { key: viewer.key })).toMatchObject({
      status: 403,
      body: { code: "role_not_allowed" },
    });
    expect(await service.api("POST", "/v1/contacts", body, { key: operator.key })).toMatchObject({ status: 201 });
    expect(await service.api("GET", "/v1/contacts", undefined, { key: viewer.key })).toMatchObject({ status: 200 });
  });

  test("a repeat with the same Idempotency-Key returns the same contact", async () => {
    const email = address();
    const send = () =>
      service.api("POST", "/v1/contacts", { email }, { headers: { "Idempotency-Key": `make-${email}` } });
    const first = await send();
    const second = await send();
    expect(second).toMatchObject({ status: 201, text: first.text });
    expect(second.headers.get("idempotent-replayed")).toBe("true");
  });
});

describe("GET /v1/contacts", () => {
  test("200: contacts are filtered by address, alias, external id, tag, stage and time", async () => {
    const email = address();
    const old = await made({ email: address(), tags: ["needle"] });
    const contact = await made({
      email,
      external_ids: [email],
      tags: ["hay", "needle"],
      lifecycle_stage: `s-${email}`,
    });
    await service.api("PATCH", `/v1/contacts/${contact.id}`, { email_aliases: [`alias-${email}`] });
    const found = async (query: string): Promise<string[]> => {
      const answer = await service.api("GET", `/v1/contacts?${query}`);
      expect(answer).toMatchObject({ status: 200 });
      return answer.body["data"].map((row: Parsed) => row.id);
    };
    expect(await found(`email=${email.toUpperCase()}`)).toEqual([contact.id]);
    expect(await found(`email=alias-${email}`)).toEqual([contact.id]);
    expect(await found(`external_id=${email}`)).toEqual([contact.id]);
    expect(await found("tag=needle")).toEqual([contact.id, old.id]);
    expect(await found(`lifecycle_stage=s-${email}`)).toEqual([contact.id]);
    expect(await found(`tag=needle&created_after=${contact.created_at}`)).toEqual([contact.id]);
    expect(await found(`tag=needle&created_before=${contact.created_at}`)).toEqual([old.id]);
    expect(await found("email=nobody")).toEqual([]);
  });

  test("pages stay complete while contacts arrive", async () => {
    const tags = ["paged"];
    const all = [];
    for (let i = 0; i < 5; i += 1) all.unshift((await made({ email: address(), tags })).id);
    const first = await service.api("GET", "/v1/contacts?tag=paged&limit=2");
    await made({ email: address(), tags });
    const second = await service.api("GET", `/v1/contacts?tag=paged&limit=2&cursor=${first.body["next_cursor"]}`);
    const third = await service.api("GET", `/v1/contacts?tag=paged&limit=2&cursor=${second.body["next_cursor"]}`);
    expect([first, second, third].flatMap((page) => page.body["data"].map((row: Parsed) => row.id))).toEqual(all);
    expect(third.body).toMatchObject({ has_more: false, next_cursor: null });
  });

  test("400: an unknown query, invalid times and texts, and a cursor of another list", async () => {
    await made({ email: address(), tags: ["cut"] });
    await made({ email: address(), tags: ["cut"] });
    const { body } = await service.api("GET", "/v1/contacts?tag=cut&limit=1");
    for (const [query, code] of [
      ["colour=red", "query_invalid"],
      ["created_after=yesterday", "query_invalid"],
      ["email=%00", "query_invalid"],
      ["limit=0", "query_invalid"],
      [`cursor=${body["next_cursor"]}`, "cursor_invalid"],
    ]) {
      expect(await service.api("GET", `/v1/contacts?${query}`)).toMatchObject({ status: 400, body: { code } });
    }
    expect(await service.api("GET", `/v1/customers?tag=cut&limit=1&cursor=${body["next_cursor"]}`)).toMatchObject({
      status: 400,
      body: { code: "cursor_invalid" },
    });
  });
});

describe("/v1/contacts/{id}", () => {
  const calls: [string, string, unknown][] = [
    ["GET", "", undefined],
    ["PATCH", "", { name: "X" }],
    ["DELETE", "", undefined],
    ["GET", "/export", undefined],
    ["GET", "/activities", undefined],
    ["POST", "/activities", { summary: "Called" }],
  ];

  test.each(calls)("%s %s: 404 for an absent contact and for an invalid id", async (method, path, body) => {
    for (const id of [await absent(), "con_nonsense", "42"])
      expect(await service.api(method, `/v1/contacts/${id}${path}`, body)).toMatchObject({
        status: 404,
        body: { code: "not_found" },
      });
  });

  test.each(calls)("%s %s: 403 for a contact of another workspace or environment", async (method, path, body) => {
    const other = await otherWorkspace(service);
    const foreign = await service.api(method, `/v1/contacts/${other.id("con")}${path}`, body);
    expect(foreign).toMatchObject({ status: 403, body: { code: "workspace_mismatch" } });
    const { id } = await made();
    const sandboxed = await service.api(method, `/v1/contacts/${id}${path}`, body, { key: service.sandboxKey });
    expect(sandboxed).toMatchObject({ status: 403, body: { code: "environment_mismatch" } });
    expect(await service.api("GET", `/v1/contacts/${id}`)).toMatchObject({ status: 200 });
  });

  test("the sandbox has its own contacts with the same addresses", async () => {
    const email = address();
    const live = await made({ email });
    const sandboxed = await service.api("POST", "/v1/contacts", { email }, { key: service.sandboxKey });
    expect(sandboxed).toMatchObject({ status: 201, body: { environment: "sandbox" } });
    const list = await service.api("GET", `/v1/contacts?email=${email}`, undefined, { key: service.sandboxKey });
    expect(list.body["data"].map((row: Parsed) => row.id)).toEqual([sandboxed.body["id"]]);
    expect(sandboxed.body["id"]).not.toBe(live.id);
  });
});

describe("PATCH /v1/contacts/{id}", () => {
  test("200: named members change, others are kept, and null clears", async () => {
    const contact = await made({ email: address(), name: "Ada", tags: ["a"], score: 3, lifecycle_stage: "lead" });
    const changed = await service.api("PATCH", `/v1/contacts/${contact.id}`, { name: null, score: -0.5 });
    expect(changed).toMatchObject({
      status: 200,
      body: { ...contact, name: null, score: -0.5, updated_at: expect.any(String) },
    });
  });

  test("a replaced address leads to the contact until the aliases are set without it", async () => {
    const [before, after] = [address(), address()];
    const contact = await made({ email: before });
    const path = `/v1/contacts/${contact.id}`;
    const moved = await service.api("PATCH", path, { email: after });
    expect(moved.body).toMatchObject({ email: after, email_aliases: [before] });
    expect(await service.api("POST", "/v1/contacts", { email: before })).toMatchObject({ status: 409 });
    const freed = await service.api("PATCH", path, { email_aliases: [] });
    expect(freed.body).toMatchObject({ email: after, email_aliases: [] });
    await made({ email: before });
  });

  test("external ids are replaced as a whole", async () => {
    const own = address();
    const contact = await made({ external_ids: [`${own}-1`, `${own}-2`] });
    const changed = await service.api("PATCH", `/v1/contacts/${contact.id}`, {
      external_ids: [`${own}-2`, `${own}-3`],
    });
    expect(changed.body["external_ids"]).toEqual([`${own}-2`, `${own}-3`]);
    await made({ external_ids: [`${own}-1`] });
  });

  test("409: an address of another contact changes nothing", async () => {
    const [mine, theirs] = [await made(), await made()];
    const refused = await service.api("PATCH", `/v1/contacts/${mine.id}`, { email: theirs.email, name: "New" });
    expect(refused).toMatchObject({ status: 409, body: { code: "conflict" } });
    expect((await service.api("GET", `/v1/contacts/${mine.id}`)).body).toEqual(mine);
  });

  test("422: an invalid address among the aliases", async () => {
    const { id } = await made();
    const answer = await service.api("PATCH", `/v1/contacts/${id}`, { email_aliases: ["ok@example.com", "no"] });
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer: "/email_aliases/1" }] } });
  });

  test("one address that two contacts get at once goes to one of them", async () => {
    const email = address();
    const two = [await made(), await made()];
    const answers = await Promise.all(
      two.map((contact) => service.api("PATCH", `/v1/contacts/${contact.id}`, { email })),
    );
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, 409]);
  });
});
