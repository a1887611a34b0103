import { afterAll, beforeAll, expect, test } from "vitest";
import { callOf } from "../../testing/calls.ts";
import { uuidOf } from "../../testing/keys.ts";
import { joined } from "../../testing/people.ts";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import { makeWorkflow } from "../../testing/workflows.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

/** Every list takes `limit` and `cursor` and responds in one form (contract, section 4). */

/** Short lists of the service itself, and a ranking, which are complete without a limit (decision 0031). */
const WHOLE = ["event_types.list", "inbound_presets.list", "roles.list", "search.list", "senders.list", "usage.events"];

interface List {
  readonly operation: string;
  readonly path: string;
  readonly parameters: readonly Parsed[];
}

let service: TestService;
let lists: List[];

beforeAll(async () => {
  service = await startService({ env: { ...UNLIMITED, JUNCTION_ROLES: "api" } });
  lists = await published();
});
afterAll(async () => await service.close());

/** Returns the operations whose response is a list, by its schema. */
async function published(): Promise<List[]> {
  const { body } = await service.api("GET", "/openapi.json", undefined, { key: null });
  const schemaOf = ({ responses }: Parsed): Parsed => {
    const schema = responses["200"]?.content?.["application/json"]?.schema ?? {};
    return schema.$ref === undefined ? schema : body.components.schemas[schema.$ref.split("/").at(-1)];
  };
  return Object.entries(body.paths as Record<string, Record<string, Parsed>>).flatMap(([path, { get }]) => {
    const object = get === undefined ? undefined : schemaOf(get).properties?.object?.enum;
    if (object?.[0] !== "list" || get["x-operation"] === undefined) return [];
    return [{ operation: get["x-operation"], path, parameters: get.parameters ?? [] }];
  });
}

test("every list of the OpenAPI document takes limit and cursor, 1 to 100 and by default 20", () => {
  expect(lists.length).toBeGreaterThan(30);
  for (const { operation, parameters } of lists) {
    const named = (name: string): Parsed => parameters.find((one) => one.in === "query" && one.name === name)?.schema;
    const { minimum, maximum, default: usual } = named("limit") ?? {};
    const wanted = WHOLE.includes(operation) ? undefined : 20;
    expect([operation, minimum, maximum, usual]).toEqual([operation, 1, 100, wanted]);
    expect([operation, named("cursor")?.type]).toEqual([operation, "string"]);
  }
});

test("every list refuses a limit outside 1 to 100 and a cursor of another list", async () => {
  const { next_cursor: foreign } = (await service.api("GET", "/v1/event-types?limit=1")).body;
  for (const { operation, path: template } of lists) {
    const { args, send } = await callOf(service, operation, "good");
    const path = template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(args[name]));
    const ask = async (query: string): Promise<unknown[]> => {
      const { status, body } = await send({
        method: "GET",
        path: `${path}?${operation === "search.list" ? "q=order&" : ""}${query}`,
      });
      return [operation, query, status, body.code];
    };
    for (const limit of ["limit=0", "limit=101", "limit=x"])
      expect(await ask(limit)).toEqual([operation, limit, 400, "query_invalid"]);
    const cursors = ["x", ...(operation === "event_types.list" ? [] : [foreign])];
    for (const cursor of cursors)
      expect(await ask(`cursor=${cursor}`)).toEqual([operation, `cursor=${cursor}`, 400, "cursor_invalid"]);
  }
});

/** Returns an object without what changes while other events are counted: a fired type becomes visible to tenants. */
function lasting({
  last_seen_at: _seen,
  violations_24h: _violations,
  visibility: _visibility,
  ...rest
}: Parsed): Parsed {
  return rest;
}

/** Returns all objects, page by page. */
async function walk(path: string, limit: number): Promise<Parsed[]> {
  const found: Parsed[] = [];
  let cursor = "";
  for (;;) {
    const { body } = await service.api("GET", `${path}?limit=${limit}${cursor}`);
    expect(body.data.length).toBeLessThanOrEqual(limit);
    found.push(...body.data);
    expect(body.has_more).toBe(body.next_cursor !== null);
    if (!body.has_more) return found;
    cursor = `&cursor=${body.next_cursor}`;
  }
}

test.each(["/v1/event-types", "/v1/inbound-presets", "/v1/roles", "/v1/senders", "/v1/transform-presets"])(
  "%s returns the same by page as in one, and everything without a limit",
  async (path) => {
    const { body } = await service.api("GET", path);
    expect([body.has_more, body.next_cursor, body.data.length > 3]).toEqual([false, null, true]);
    for (const limit of [1, 3, 100]) expect((await walk(path, limit)).map(lasting)).toEqual(body.data.map(lasting));
  },
);

test("attempts are listed oldest first, and paging repeats none while one is added", async () => {
  const { id: endpoint } = await service.endpoint("http://127.0.0.1:9/", { events: ["lists.attempted"] });
  const { id } = (await service.fire("lists.attempted", {})).deliveries[0];
  const add = async (from: number, to: number): Promise<unknown> =>
    await service.database.query(
      `insert into attempt (bucket, tag, delivery_id, number, id, trigger, started_at, latency, response_truncated, request_timestamp)
        select bucket, tag, id, n, overlay(gen_random_uuid()::text placing '01939c5e-0000-7' from 1)::uuid, 'replay', now(), '{0,0,0,0,0}', false, 0
        from pending_delivery, generate_series($1::int, $2::int) n where endpoint_id = $3`,
      [from, to, uuidOf(endpoint)],
    );
  await add(1, 25);
  const path = `/v1/deliveries/${id}/attempts`;
  const numbers = (data: Parsed[]): number[] => data.map(({ number }) => number);
  const upTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1);
  const first = (await service.api("GET", path)).body;
  expect([numbers(first.data), first.has_more]).toEqual([upTo(20), true]);
  await add(26, 26);
  const rest = (await service.api("GET", `${path}?cursor=${first.next_cursor}`)).body;
  expect([...numbers(first.data), ...numbers(rest.data)]).toEqual(upTo(26));
  expect([rest.has_more, rest.next_cursor]).toEqual([false, null]);
  for (const limit of [1, 7, 26, 100]) expect(numbers(await walk(path, limit))).toEqual(upTo(26));
});

test("the runs of a workflow are listed page by page without a filter", async () => {
  const workflow = await makeWorkflow(service, [{ id: "wait", type: "delay", seconds: 3600 }]);
  await workflow.fire();
  await service.database.query(
    // An id begins with its time.
    `insert into workflow_run select (jsonb_populate_record(r, jsonb_build_object(
        'id', overlay(gen_random_uuid()::text placing '01939c5e-0000-7' from 1), 'event_id', gen_random_uuid()))).*
      from workflow_run r, generate_series(1, 4) where workflow_id = $1`,
    [uuidOf(workflow.id)],
  );
  expect(await walk(`/v1/workflows/${workflow.id}/runs`, 2)).toHaveLength(5);
});

test("inbox messages and a person's sessions are listed page by page", async () => {
  const { url } = (await service.api("PUT", "/v1/inboxes/paged")).body;
  for (let n = 0; n < 5; n += 1) await fetch(url, { method: "POST", body: String(n) });
  const messages = await walk("/v1/inboxes/paged/messages", 2);
  expect(messages.map(({ body }) => body)).toEqual(["0", "1", "2", "3", "4"]);
  const person = await joined(service, "developer");
  const { email, password } = person;
  for (let n = 0; n < 2; n += 1) await service.api("POST", "/v1/auth/sign-in", { email, password }, { key: null });
  const ids: string[] = [];
  let cursor = "";
  for (let page = 0; page < 3; page += 1) {
    const { body } = await person.call("GET", `/v1/auth/sessions?limit=1${cursor}`);
    ids.push(...body["data"].map(({ id }: Parsed) => id));
    cursor = `&cursor=${body["next_cursor"]}`;
  }
  expect(new Set(ids).size).toBe(3);
});
