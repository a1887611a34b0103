import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { contractArgs } from "../../testing/contracts.ts";
import { mintKey, otherWorkspace, tagOfId, uuidOf } from "../../testing/keys.ts";
import { joined, nameOf, OWNER, signIn } from "../../testing/people.ts";
import type { TestPerson } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
let owner: TestPerson;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
  owner = await signIn(service);
});
afterAll(async () => await service.close());

async function found(q: string, key = service.key): Promise<string[]> {
  const { status, body } = await service.api("GET", `/v1/search?q=${encodeURIComponent(q)}`, undefined, { key });
  expect(status).toBe(200);
  return body["data"].map((one: Parsed) => `${one.kind} ${one.title}${one.detail === null ? "" : ` | ${one.detail}`}`);
}

async function make(path: string, body: object): Promise<Parsed> {
  const made = await service.api("POST", path, body);
  expect([made.status, made.text]).toEqual([201, made.text]);
  return made.body;
}

/** Copies an endpoint without calls. The copies are described as "Many 1" and so on. */
async function copy(id: string, count: number): Promise<void> {
  const columns = (
    await service.database.query<{ name: string }>(
      "select column_name as name from information_schema.columns where table_name = 'endpoint' and column_name not in ('id', 'description')",
    )
  ).map(({ name }) => name);
  await service.database.query(
    `insert into endpoint (id, description, ${columns.join(", ")})
       select gen_random_uuid(), 'Many ' || n, ${columns.join(", ")} from endpoint, generate_series(1, $3::int) n
       where id = $1 and tag = $2`,
    [uuidOf(id), tagOfId(id), count],
  );
}

const URL = "http://127.0.0.1:9/inbox/zebra";
const step = { id: "pause", type: "delay", seconds: 60 };

/** Returns the shortest of some times. */
async function fastestMs(work: () => Promise<void>): Promise<number> {
  let least = Infinity;
  for (let n = 0; n < 3; n += 1) {
    const started = performance.now();
    await work();
    least = Math.min(least, performance.now() - started);
  }
  return least;
}

describe("search", () => {
  beforeAll(async () => {
    await make("/v1/webhook-endpoints", { url: URL, events: ["*"], description: "Warehouse 100%_a", active: false });
    await make("/v1/webhook-endpoints", { url: `${URL}2`, events: ["*"], tenant: "quokka", active: false });
    await make("/v1/inbound-endpoints", { name: "Zebra shop", description: "Of quokkas", tenant: "quokka" });
    await make("/v1/rules", { name: "Zebra rule", on: ["zebra.seen"], then: [{ type: "add_tag", tag: "x" }] });
    await make("/v1/workflows", { name: "Zebra flow", trigger: { event: "zebra.fled" }, steps: [step] });
    await make("/v1/action-contracts", contractArgs({ key: "zoo.feed", label: "Feed a zebra" }));
    await make("/v1/event-types", { name: "zebra.seen", title: "Seen", visibility: "private" });
    await make("/v1/contacts", { email: "zebra.ada@example.com", name: "Ada Lovelace", external_ids: ["cus_zebra"] });
    await service.api("PUT", "/v1/tickets/T-zebra", { subject: "Zebra at large" });
    await service.api("PUT", "/v1/tickets/zebra-7", {});
    await mintKey(service, { name: "Zebra key", tenant: "quokka" });
    await mintKey(service, { name: "Key of the zebra" });
    const event = { event: "order.created", data: {}, subject: "zebra:1", tenant: "quokka" };
    await service.api("POST", "/v1/events/fire", event);
  });

  test("every kind of object is found by name, description, address or external id", async () => {
    const keyFound = expect.stringMatching(/^api_key Key of the zebra \| jn_live_/);
    expect(await found("ZEBRA")).toEqual([
      `webhook_endpoint ${URL}2`,
      `webhook_endpoint Warehouse 100%_a | ${URL}`,
      "inbound_endpoint Zebra shop | Of quokkas",
      "event_type zebra.seen | Seen",
      "event order.created | zebra:1",
      "rule Zebra rule | zebra.seen",
      "workflow Zebra flow | zebra.fled",
      "action_contract Feed a zebra | zoo.feed",
      "contact Ada Lovelace | zebra.ada@example.com",
      "ticket Zebra at large | T-zebra",
      keyFound,
      expect.stringMatching(/^api_key Zebra key \| jn_live_/),
    ]);
    expect(await found("zebra-")).toEqual(["ticket zebra-7"]);
    expect(await found("T-ze")).toEqual(["ticket Zebra at large | T-zebra"]);
    expect(await found("OWNER@ex")).toEqual([expect.stringMatching(`^member .* \\| ${OWNER.email}$`)]);
    expect(await found("cus_ze")).toEqual(["contact Ada Lovelace | cus_zebra"]);
    expect(await found("lovelace")).toEqual(["contact Ada Lovelace | zebra.ada@example.com"]);
    expect(await found("quokka")).toEqual([
      `webhook_endpoint ${URL}2`,
      "inbound_endpoint Zebra shop | Of quokkas",
      expect.stringMatching(/^api_key Zebra key \| jn_live_/),
    ]);
    expect(await found("nothing like it")).toEqual([]);
  });

  test("characters of patterns are only themselves", async () => {
    expect(await found("100%_a")).toHaveLength(1);
    for (const q of ["%%", "__", "\\\\", "10%a", "'; drop"]) expect([q, await found(q)]).toEqual([q, []]);
  });

  test("each caller finds only what it may list", async () => {
    const tenant = await mintKey(service, { tenant: "quokka" });
    expect(await found("zebra", tenant.key)).toEqual([
      `webhook_endpoint ${URL}2`,
      "inbound_endpoint Zebra shop | Of quokkas",
      "event order.created | zebra:1",
    ]);
    const stranger = await mintKey(service, { tenant: "wombat" });
    expect(await found("zebra", stranger.key)).toEqual([]);
    const admin = await mintKey(service, { tenant: "quokka", role: "admin" });
    const keys = (await found("jn_live_", admin.key)).map((one) => one.replace(/ \|.*/, ""));
    expect(keys).toEqual(["api_key test", "api_key test", "api_key Zebra key"]);
    expect(await found("owner", admin.key)).toEqual([]);
    const viewer = await mintKey(service, { role: "viewer" });
    expect((await found("zebra", viewer.key)).filter((one) => one.startsWith("api_key "))).toEqual([]);
    const few = await mintKey(service, { scopes: ["search:read", "rules:read"] });
    expect(await found("zebra", few.key)).toEqual(["rule Zebra rule | zebra.seen"]);
    expect(await found("zebra", (await otherWorkspace(service)).key)).toEqual([]);
    expect((await found("zebra", service.sandboxKey)).filter((one) => /endpoint|contact|^event /.test(one))).toEqual(
      [],
    );
  });

  test("a deleted object is not found, and short or long texts are refused", async () => {
    const member = await joined(service, "viewer");
    expect(await found(member.email)).toEqual([`member ${nameOf(member)} | ${member.email}`]);
    await owner.call("DELETE", `/v1/members/${member.memberId}`);
    expect(await found(member.email)).toEqual([]);
    const { id } = await make("/v1/webhook-endpoints", { url: URL, events: ["*"], description: "Gone soon" });
    expect(await found("gone soon")).toHaveLength(1);
    await service.api("DELETE", `/v1/webhook-endpoints/${String(id)}`);
    expect(await found("gone soon")).toEqual([]);
    for (const q of ["", "a", "a".repeat(201)]) {
      const { status } = await service.api("GET", `/v1/search?q=${q}`);
      expect([q.length, status]).toEqual([q.length, 400]);
    }
  });

  test("texts of one letter cost less than beginning again at each letter", async () => {
    const url = `${URL}/${"a".repeat(1900)}`;
    const { id } = await make("/v1/webhook-endpoints", { url, events: ["*"], active: false });
    await copy(String(id), 4000);
    const text = `${"a".repeat(199)}b`;
    const again = `select 1 from endpoint where description ilike $1 or url ilike $1 or tenant ilike $1`;
    const searchMs = await fastestMs(async () => expect(await found(text)).toEqual([]));
    const againMs = await fastestMs(async () => expect(await service.database.query(again, [`%${text}%`])).toEqual([]));
    // It is a quarter: both are measured on the same machine, at the same time.
    expect(searchMs).toBeLessThan(againMs / 1.5);
  });

  test("a search of 10,000 endpoints costs a few comparisons of each of them", async () => {
    const { id } = await make("/v1/webhook-endpoints", { url: URL, events: ["*"], active: false });
    await copy(String(id), 10_000);
    const once = `select 1 from endpoint where description ilike $1 or url ilike $1 or tenant ilike $1`;
    expect(await found("many 9999")).toHaveLength(1);
    const searchMs = await fastestMs(async () => expect(await found("no such text")).toEqual([]));
    const onceMs = await fastestMs(async () =>
      expect(await service.database.query(once, ["%no such text%"])).toEqual([]),
    );
    expect(searchMs).toBeLessThan(4 * onceMs);
  });
});
