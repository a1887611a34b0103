import { afterAll, beforeAll, expect, test } from "vitest";
import { isRecord } from "../lib/lib.ts";
import { apiCall, callOf, operations } from "../testing/calls.ts";
import { startService } from "../testing/service.ts";
import { UNLIMITED } from "../testing/subscription.ts";
import type { ApiAnswer, Parsed, TestService } from "../testing/test-service.ts";

/**
 * A member that the service does not know is refused. Ignored, it would do more than the caller wants: a filter of another
 * name selects everything.
 */
const UNKNOWN = "unheard_of";

/** The objects that callers or others fill as they like, by operation and place. Everything else is refused. */
const OPEN: readonly string[] = [
  // The data of events is the callers' own.
  "assistant.test /data",
  "events.batch /events/0/data",
  "events.fire /data",
  "http_calls.test /data",
  "inbound_endpoints.preview /payload",
  "rules.create /then/0/data",
  "rules.test /data",
  "webhook_endpoints.explain /data",
  "webhook_endpoints.transform.test /data",
  "workflows.test /data",
  // Bodies that are sent as they are written.
  "http_calls.test /request",
  "webhook_endpoints.transform.test /transform/body",
  // Browsers add extensions (WebAuthn, section 9).
  "auth.passkeys.create /credential/clientExtensionResults",
  // Another service sends it, with the query that it was given.
  "connectors.webhook ",
];

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: { ...UNLIMITED, JUNCTION_ROLES: "api" } });
});
afterAll(async () => await service.close());

type Args = Record<string, unknown>;

/** Returns arguments with an unknown member, once for each of their objects. */
function withUnknown(value: unknown, place = ""): { readonly place: string; readonly value: unknown }[] {
  if (Array.isArray(value))
    return value
      .slice(0, 1)
      .flatMap((item: unknown) =>
        withUnknown(item, `${place}/0`).map((one) => ({ ...one, value: [one.value, ...value.slice(1)] })),
      );
  if (!isRecord(value)) return [];
  const below = Object.entries(value).flatMap(([name, member]) =>
    withUnknown(member, `${place}/${name}`).map((one) => ({ ...one, value: { ...value, [name]: one.value } })),
  );
  return [{ place, value: { ...value, [UNKNOWN]: "x" } }, ...below];
}

/** True if the request was refused because of its unknown member, which the response names. */
function isRefused({ status, text }: ApiAnswer): boolean {
  return status >= 400 && status < 500 && text.includes(UNKNOWN);
}

test("each operation refuses an unknown member at every level, by path and by name", async () => {
  const taken: string[] = [];
  for (const route of await operations(service)) {
    const { operation } = route;
    const { args, send } = await callOf(service, operation, "good");
    const call = apiCall(route, args);
    const query = `${call.path.includes("?") ? "&" : "?"}${UNKNOWN}=x`;
    if (!isRefused(await send({ ...call, path: call.path + query }))) taken.push(`${operation} query`);
    for (const { place, value } of withUnknown(args)) {
      const named = { method: "POST", path: "/api/v1.php", body: { action: operation, parameters: value } };
      // An open one has had its effect by name.
      const isClosed = isRefused(await send(named)) && isRefused(await send(apiCall(route, value as Args)));
      if (!isClosed) taken.push(`${operation} ${place}`);
    }
  }
  expect(taken.toSorted()).toEqual(OPEN.toSorted());
});

/**
 * The members of requests whose objects the contract leaves open: maps with names of the caller's own, and what another reader checks
 * with pointers of its own (conditions, JSON Schemas, steps, authentication).
 */
const OPEN_MEMBERS: readonly string[] =
  "data metadata examples payload parameters params settings values form query headers body contact input request steps then by_event_type event_versions clientExtensionResults schema filter when match success_when all any not auth".split(
    " ",
  );

test("each object of a request is closed, or its member is listed", async () => {
  const { body } = await service.api("GET", "/openapi.json", undefined, { key: null });
  const open = new Set<string>();
  for (const methods of Object.values(body["paths"] as Record<string, Record<string, Parsed>>))
    for (const { "x-operation": operation, requestBody } of Object.values(methods)) {
      if (operation === undefined) continue;
      const schema: unknown = requestBody?.content?.["application/json"]?.schema;
      for (const place of openPlaces(body, schema)) open.add(memberOf(place));
    }
  expect([...open].filter((name) => !OPEN_MEMBERS.includes(name))).toEqual([]);
});

function memberOf(place: string): string {
  return place.split("/").findLast((name) => !/^(\d+|\*)$/.test(name)) ?? "";
}

test("what another reader checks is closed too", async () => {
  const leaf = { field: "data.a", op: "eq", value: 1, [UNKNOWN]: "x" };
  const step = { id: "a", type: "http", method: "GET", url: "https://example.com/" };
  const workflow = (one: object) => ({ name: "w", trigger: { event: "a.b" }, steps: [{ ...step, ...one }] });
  for (const [path, body] of [
    ["/v1/webhook-endpoints", { url: "http://127.0.0.1:9/", events: ["a.b"], filter: leaf }],
    ["/v1/webhook-endpoints", { url: "http://127.0.0.1:9/", events: ["a.b"], filter: { all: [leaf] } }],
    ["/v1/webhook-endpoints", { url: "http://127.0.0.1:9/", events: ["a.b"], filter: { not: [leaf] } }],
    ["/v1/workflows", workflow({ success_when: leaf })],
    ["/v1/workflows", workflow({ success_when: { any: [leaf] } })],
    ["/v1/workflows", workflow({ auth: { type: "bearer", secret: "s", [UNKNOWN]: "x" } })],
    ["/v1/workflows", workflow({ [UNKNOWN]: "x" })],
  ] as const) {
    const answer = await service.api("POST", path, body);
    expect([body, answer.status, answer.text]).toEqual([body, 422, expect.stringContaining(UNKNOWN)]);
  }
});

function openPlaces(document: Parsed, schema: unknown, place = "", depth = 0): string[] {
  if (!isRecord(schema) || depth > 20) return [];
  const { $ref: ref, additionalProperties: others } = schema;
  if (typeof ref === "string")
    return openPlaces(document, document["components"].schemas[ref.split("/").at(-1) ?? ""], place, depth + 1);
  const isOpen = schema["type"] === "object" && others !== false;
  const below = partsOf(schema).flatMap(([name, one]) => openPlaces(document, one, place + name, depth + 1));
  return isOpen ? [place, ...below] : below;
}

/** Returns the schemas in a schema, with their places. */
function partsOf({ properties = {}, items, additionalProperties: others, anyOf, oneOf, allOf }: Parsed) {
  const choices: unknown[] = [anyOf, oneOf, allOf].flatMap((one) => one ?? []);
  return [
    ["/*", others],
    ["/0", items],
    ...Object.entries(properties).map(([name, one]) => [`/${name}`, one] as const),
    ...choices.map((one) => ["", one] as const),
  ] as (readonly [string, unknown])[];
}
