import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createIdMaker, instant, systemClock } from "../lib/lib.ts";
import type { Uuid } from "../lib/lib.ts";
import { absentId, countRows, mintKey, otherWorkspace, scopeOf, tagOfId, uuidOf } from "../testing/keys.ts";
import { startService } from "../testing/service.ts";
import { UNLIMITED } from "../testing/subscription.ts";
import type { Scope } from "../accounts/accounts.ts";
import type { ApiAnswer, Parsed, TestService } from "../testing/test-service.ts";
import type { PersonalData } from "./ports.ts";

const ids = createIdMaker(systemClock);
let service: TestService;
let other: TestService;
let scope: Scope;
let people = 0;

beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  other = await startService({ on: service, env: UNLIMITED });
  scope = await scopeOf(service, service.key);
});
afterAll(async () => {
  await other.close();
  await service.close();
});

async function contact(more: Record<string, unknown> = {}): Promise<Parsed> {
  people += 1;
  const made = await service.api("POST", "/v1/contacts", { email: `merge-${people}@example.com`, ...more });
  expect(made).toMatchObject({ status: 201 });
  return made.body;
}

async function merge(from: { id: string }, into: { id: string }, on: TestService = service): Promise<ApiAnswer> {
  return await on.api("POST", `/v1/contacts/${from.id}/merge`, { into: into.id });
}

async function read(id: string, path = ""): Promise<Parsed> {
  const answer = await service.api("GET", `/v1/contacts/${id}${path}`);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
}

async function arrive(email: string, summary: string, on: TestService = service): Promise<Uuid | undefined> {
  const { db, contacts } = on.service;
  const activity = {
    id: ids.uuid(),
    kind: "inbound",
    eventType: "seen",
    summary,
    value: null,
    scoreDelta: 1,
    occurredAt: instant(systemClock.now()),
    receiptId: null,
  } as const;
  const arrivals = [{ scope, email, name: null, activity }];
  const [id] = await db.at(
    scope.bucket,
    async () => await db.transaction(async (tx) => await contacts.arrive(tx, arrivals)),
  );
  return id;
}

describe("POST /v1/contacts/{id}/merge", () => {
  test("200: the remaining contact keeps its values and gets those that it lacks", async () => {
    const from = await contact({
      name: "Old",
      external_ids: ["m-1"],
      score: 2.5,
      tags: ["a", "b"],
      lifecycle_stage: "lead",
    });
    const into = await contact({ name: "New", external_ids: ["m-2"], score: 1, tags: ["b", "c"] });
    await service.api("PUT", "/v1/tickets/T-1", { customer_id: from.id });
    await service.api("POST", `/v1/contacts/${from.id}/activities`, {
      summary: "from the old one",
      occurred_at: "2026-11-20T08:00:00Z",
    });
    await service.api("POST", `/v1/contacts/${into.id}/activities`, {
      summary: "from the new one",
      occurred_at: "2026-11-20T07:00:00Z",
    });
    const merged = await merge(from, into);
    expect(merged).toMatchObject({
      status: 200,
      body: {
        id: into.id,
        name: "New",
        email: into.email,
        email_aliases: [from.email],
        external_ids: ["m-1", "m-2"],
        score: 3.5,
        tags: ["b", "c", "a"],
        lifecycle_stage: "lead",
        last_activity_at: "2026-11-20T08:00:00.000Z",
      },
    });
    const timeline = await read(into.id, "/activities");
    expect(timeline.data.map((row: Parsed) => [row.summary, row.contact_id])).toEqual([
      ["from the old one", into.id],
      ["from the new one", into.id],
    ]);
    const tickets = await service.api("GET", `/v1/tickets?customer_id=${from.id}`);
    expect(tickets.body["data"]).toMatchObject([{ external_id: "T-1", customer_id: into.id }]);
  });

  test("former ids and addresses lead to the remaining contact, even through several merges", async () => {
    const [first, second, third] = [await contact(), await contact(), await contact()];
    await merge(first, second);
    await merge(second, third);
    expect(await read(first.id)).toMatchObject({ id: third.id });
    expect(await read(second.id)).toMatchObject({ id: third.id });
    expect(await arrive(first.email, "late")).toBe(uuidOf(third.id));
    expect((await read(first.id, "/activities")).data).toHaveLength(1);
    const noted = await service.api("POST", `/v1/contacts/${first.id}/activities`, { summary: "to the old id" });
    expect(noted.body).toMatchObject({ contact_id: third.id });
    expect(await service.api("PATCH", `/v1/contacts/${first.id}`, { name: "Ada" })).toMatchObject({
      status: 200,
      body: { id: third.id, name: "Ada" },
    });
  });

  test("a repeated merge is 200 and counts nothing twice", async () => {
    const [from, into] = [await contact({ score: 5 }), await contact({ score: 1 })];
    await merge(from, into);
    expect(await merge(from, into)).toMatchObject({ status: 200, body: { id: into.id, score: 6 } });
  });

  test("arrivals during a merge count once each, on the remaining contact", async () => {
    const [from, into] = [await contact(), await contact()];
    const arrivals = Array.from({ length: 30 }, (_, at) =>
      arrive(at % 2 === 0 ? from.email : into.email, String(at), at % 3 === 0 ? other : service),
    );
    const [merged] = await Promise.all([merge(from, into, other), ...arrivals]);
    expect(merged).toMatchObject({ status: 200 });
    expect(await read(into.id)).toMatchObject({ score: 30, email_aliases: [from.email] });
    expect((await read(into.id, "/activities?limit=100")).data).toHaveLength(30);
  });

  test("two contacts that are merged into each other concurrently become one", async () => {
    for (let round = 0; round < 5; round += 1) {
      const [one, two] = [await contact({ score: 1 }), await contact({ score: 2 })];
      const answers = await Promise.all([merge(one, two), merge(two, one, other)]);
      // The second request found them merged already, or found that one of them was gone.
      expect(answers.map((answer) => answer.status)).toContain(200);
      for (const { status } of answers) expect([200, 409]).toContain(status);
      const [left, right] = [await read(one.id), await read(two.id)];
      expect(left).toEqual(right);
      expect(left).toMatchObject({ score: 3 });
    }
  });

  test("422: a merge into itself or without a target", async () => {
    const one = await contact();
    expect(await merge(one, one)).toMatchObject({ status: 422, body: { errors: [{ pointer: "/into" }] } });
    expect(await service.api("POST", `/v1/contacts/${one.id}/merge`, {})).toMatchObject({ status: 422 });
  });

  test("404 and 403: into an absent or foreign contact, and by an operator", async () => {
    const one = await contact();
    const foreign = await otherWorkspace(service);
    const sandboxed = await service.api("POST", "/v1/contacts", { email: one.email }, { key: service.sandboxKey });
    const operator = await mintKey(service, { role: "operator", actor_type: "service" });
    expect(await merge(one, { id: absentId({ tag: tagOfId(one.id) }, "con") })).toMatchObject({ status: 404 });
    expect(await merge({ id: absentId({ tag: tagOfId(one.id) }, "con") }, one)).toMatchObject({ status: 404 });
    expect(await merge(one, { id: foreign.id("con") })).toMatchObject({
      status: 403,
      body: { code: "workspace_mismatch" },
    });
    expect(await merge(one, { id: sandboxed.body["id"] })).toMatchObject({
      status: 403,
      body: { code: "environment_mismatch" },
    });
    const refused = await service.api("POST", `/v1/contacts/${one.id}/merge`, { into: one.id }, { key: operator.key });
    expect(refused).toMatchObject({ status: 403, body: { code: "role_not_allowed" } });
  });
});

describe("DELETE /v1/contacts/{id}", () => {
  test("204: the person and merged contacts leave every table, and their ticket becomes anonymous", async () => {
    const secret = `erase-me-${ids.uuid()}`;
    const from = await contact({ name: secret });
    const one = await contact({ email: `${secret}@example.com`, name: secret, external_ids: [secret], tags: [secret] });
    await arrive(one.email, secret);
    await arrive(from.email, secret);
    await merge(from, one);
    const ticket = await service.api("PUT", `/v1/tickets/T-${ids.uuid()}`, { customer_id: one.id, subject: secret });
    const left = await service.api("DELETE", `/v1/contacts/${from.id}`);
    expect(left).toMatchObject({ status: 204, text: "" });
    for (const id of [one.id, from.id])
      expect(await service.api("GET", `/v1/contacts/${id}`)).toMatchObject({ status: 404 });
    expect(await service.api("GET", `/v1/customers/${one.id}`)).toMatchObject({ status: 404 });
    expect((await service.api("GET", `/v1/tickets/${ticket.body["id"]}`)).body).toMatchObject({
      customer_id: null,
      subject: null,
      status: "open",
    });
    for (const table of ["contact", "contact_identity", "contact_merge", "activity", "ticket"]) {
      const rows = await service.database.query(
        `select 1 from ${table} t where t::text like $1 or t::text like $2 and $3 <> 'ticket'`,
        [`%${secret}%`, `%${uuidOf(one.id)}%`, table],
      );
      expect([table, ...rows]).toEqual([table]);
    }
    expect(await service.api("DELETE", `/v1/contacts/${one.id}`)).toMatchObject({ status: 404 });
  });

  test("an erased person can return as a new contact", async () => {
    const one = await contact();
    await arrive(one.email, "before");
    await service.api("DELETE", `/v1/contacts/${one.id}`);
    const again = await arrive(one.email, "after");
    expect(again).not.toBe(uuidOf(one.id));
    const list = await service.api("GET", `/v1/contacts?email=${one.email}`);
    expect(list.body["data"]).toMatchObject([{ score: 1 }]);
  });

  test("arrivals during an erasure leave a complete contact or none", async () => {
    const one = await contact();
    const answers = await Promise.all([
      service.api("DELETE", `/v1/contacts/${one.id}`),
      ...Array.from({ length: 10 }, (_, at) => arrive(one.email, String(at), at % 2 === 0 ? other : service)),
    ]);
    expect(answers[0]).toMatchObject({ status: 204 });
    const orphans = await service.database.query(
      `select 1 from activity a where not exists (select 1 from contact c where c.bucket = a.bucket and c.id = a.contact_id)
         and not exists (select 1 from contact_merge m where m.bucket = a.bucket and m.id = a.contact_id)`,
    );
    expect(orphans).toEqual([]);
    const homeless = await service.database.query(
      "select 1 from contact_identity i where not exists (select 1 from contact c where c.bucket = i.bucket and c.id = i.contact_id)",
    );
    expect(homeless).toEqual([]);
  });

  test("403: an operator can neither erase nor export a contact", async () => {
    const one = await contact();
    const { key } = await mintKey(service, { role: "operator", actor_type: "service" });
    for (const [method, path] of [
      ["DELETE", ""],
      ["GET", "/export"],
    ] as const)
      expect(await service.api(method, `/v1/contacts/${one.id}${path}`, undefined, { key })).toMatchObject({
        status: 403,
        body: { code: "role_not_allowed" },
      });
    expect(await read(one.id)).toMatchObject({ id: one.id });
  });
});

describe("GET /v1/contacts/{id}/export", () => {
  test("200: all data about a person, from every module, is one JSON object", async () => {
    const from = await contact();
    const one = await contact({ name: 'Ada "Quote" Moreau' });
    for (let at = 0; at < 3; at += 1) await arrive(one.email, `seen ${at}`);
    await arrive(from.email, "seen as another");
    await merge(from, one);
    const ticket = await service.api("PUT", `/v1/tickets/X-${one.id}`, { customer_id: one.id, subject: "Help" });
    const answer = await service.api("GET", `/v1/contacts/${one.id}/export`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(answer.headers.get("content-disposition")).toBe(`attachment; filename="${one.id}.json"`);
    expect(answer.body).toMatchObject({
      object: "contact_export",
      contact: { id: one.id, name: 'Ada "Quote" Moreau', email_aliases: [from.email] },
      merged_ids: [from.id],
      tickets: [{ id: ticket.body["id"], subject: "Help" }],
    });
    expect(answer.body["activities"].map((row: Parsed) => row.summary)).toEqual([
      "seen as another",
      "seen 2",
      "seen 1",
      "seen 0",
    ]);
  });

  test("a timeline of several pages is exported completely", async () => {
    const one = await contact();
    const { db, contacts } = service.service;
    const arrivals = Array.from({ length: 1203 }, (_, at) => ({
      scope,
      email: one.email,
      name: null,
      activity: {
        id: ids.uuid(),
        kind: "inbound" as const,
        eventType: "seen",
        summary: String(at),
        value: null,
        scoreDelta: 0,
        occurredAt: instant(Date.UTC(2026, 10, 20)),
        receiptId: null,
      },
    }));
    await db.at(scope.bucket, async () => await db.transaction(async (tx) => await contacts.arrive(tx, arrivals)));
    const { body } = await service.api("GET", `/v1/contacts/${one.id}/export`);
    expect(body["activities"].map((row: Parsed) => row.summary)).toEqual(
      arrivals.map((arrival) => arrival.activity.summary).toReversed(),
    );
  });
});

test("other modules take part in the export and in the erasure's transaction", async () => {
  const erased: (readonly Uuid[])[] = [];
  let fails = true;
  const holder: PersonalData = {
    name: "receipts",
    read: async function* (_scope, contactIds) {
      await Promise.resolve();
      for (const id of contactIds) yield { of: id };
    },
    erase: async (tx, _scope, contactIds) => {
      await tx.query.deleteFrom("event").execute();
      if (fails) throw new Error("the holder cannot erase");
      erased.push(contactIds);
    },
  };
  const kept = await startService({ env: UNLIMITED, provides: { personalData: [holder] } });
  try {
    await kept.fire();
    const from = await kept.api("POST", "/v1/contacts", { email: "from@example.com" });
    const into = await kept.api("POST", "/v1/contacts", { email: "into@example.com" });
    const [fromId, intoId] = [from.body["id"], into.body["id"]];
    await kept.api("POST", `/v1/contacts/${fromId}/merge`, { into: intoId });
    const all = [uuidOf(intoId), uuidOf(fromId)];
    const exported = await kept.api("GET", `/v1/contacts/${intoId}/export`);
    expect(exported.body["receipts"]).toEqual(all.map((id) => ({ of: id })));
    expect(await kept.api("DELETE", `/v1/contacts/${intoId}`)).toMatchObject({ status: 500 });
    expect(await kept.api("GET", `/v1/contacts/${intoId}`)).toMatchObject({ status: 200 });
    expect(await countRows(kept, "event")).toBe(1);
    fails = false;
    expect(await kept.api("DELETE", `/v1/contacts/${intoId}`)).toMatchObject({ status: 204 });
    expect(erased).toEqual([all]);
  } finally {
    await kept.close();
  }
});
