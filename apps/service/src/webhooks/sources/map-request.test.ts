import { expect, test } from "vitest";
import { readBody } from "./body.ts";
import { mapRequest, MAX_ELEMENTS } from "./map-request.ts";
import type { MappedList } from "./map-request.ts";
import type { Mapped, Mapping, Unmapped } from "./mapping.ts";
import { EMPTY } from "./presets.ts";

const FORM = "application/x-www-form-urlencoded";

interface Sent {
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signed?: readonly string[];
}

async function mapped(
  mapping: Partial<Mapping>,
  body: string,
  { type = "application/json", headers = {}, signed = [] }: Sent = {},
): Promise<Mapped | Unmapped | MappedList> {
  const bytes = Buffer.from(body);
  const header = (name: string): string | undefined => ({ "content-type": type, ...headers })[name];
  const read = await readBody({ body: bytes, header, charset: null });
  return await mapRequest(
    { ...EMPTY, ...mapping },
    { body: bytes, read, header, tenant: null, isSigned: (name) => signed.includes(name) },
  );
}

async function itemsOf(...args: Parameters<typeof mapped>): Promise<readonly (Mapped | Unmapped)[]> {
  const outcome = await mapped(...args);
  if (outcome.kind !== "list") throw new Error(JSON.stringify(outcome));
  return outcome.items;
}

/** Returns a text that is equal for requests of which the second is a duplicate. */
async function identity(...args: Parameters<typeof mapped>): Promise<string> {
  const outcome = await mapped(...args);
  if (outcome.kind !== "mapped") throw new Error(JSON.stringify(outcome));
  const { id, body } = outcome.dedupe;
  return `${id?.toString("hex") ?? "-"} ${body?.toString("hex") ?? "-"}`;
}

test("each element is $ in the mapping, and its exact text is the payload", async () => {
  const list = { each: "$.data.events", event_type_path: "$.t", value_path: "$.n", summary_template: "${$.t} ${n}" };
  const items = await itemsOf(list, '{"data":{"events":[ {"t":"a","n":1.50} , {"t":"b", "n":12345678901234567890}]}}');
  expect(items).toMatchObject([
    { extracted: { event_type: "a", value: "1.5", summary: "a 1.50" }, payload: '{"t":"a","n":1.50}' },
    { extracted: { event_type: "b", value: "12345678901234567890" }, payload: '{"t":"b", "n":12345678901234567890}' },
  ]);
  expect((await itemsOf({ each: "$[1]" }, "[0,[7,[8]]]")).map((item) => "payload" in item && item.payload)).toEqual([
    "7",
    "[8]",
  ]);
});

test("an element that cannot be mapped does not stop the others", async () => {
  const items = await itemsOf({ each: "$", event_type_path: "$.t" }, '[{"t":"a"},7,null,[],{"t":{}},{"t":"b"}]');
  expect(items.map((item) => ("code" in item ? item.code : item.extracted.event_type))).toEqual([
    "a",
    "event_type_missing",
    "event_type_missing",
    "event_type_missing",
    "event_type_missing",
    "b",
  ]);
});

test("a path to anything but a list of at most 1000 is unmapped", async () => {
  for (const body of ["{}", '{"a":{}}', '{"a":null}', '{"a":"[]"}'])
    expect(await mapped({ each: "$.a" }, body)).toMatchObject({ kind: "unmapped", code: "list_missing" });
  expect(await mapped({ each: "$" }, `[${"1,".repeat(MAX_ELEMENTS)}1]`)).toMatchObject({ code: "list_too_long" });
  expect(await itemsOf({ each: "$" }, `[${"1,".repeat(MAX_ELEMENTS - 1)}1]`)).toHaveLength(MAX_ELEMENTS);
  expect(await itemsOf({ each: "$.a" }, '{"a":[ ]}')).toEqual([]);
});

test("the first of several paths that finds a text or a number counts", async () => {
  const mapping = {
    contact_email_path: ["$.a", "$.b"],
    event_type_path: ["$.x", "$.y", "$.z"],
    value_path: ["$.n", "$.m"],
    summary_path: ["$.none", "$.y"],
  };
  const body = '{"a":"  ","b":"ada@example.com","x":null,"y":0,"z":"late","n":[],"m":"7.50"}';
  const { extracted } = (await mapped(mapping, body)) as Mapped;
  expect(extracted).toMatchObject({ contact_email: "ada@example.com", event_type: "0", value: "7.5", summary: "0" });
});

test("an event without a type has the default, and is unmapped without one", async () => {
  const mapping = { event_type_header: "X-Type", event_type_path: "$.t" };
  expect(await mapped(mapping, "{}")).toMatchObject({ code: "event_type_missing" });
  const withDefault = { ...mapping, event_type_default: "ping" };
  expect(await mapped(withDefault, "{}")).toMatchObject({ extracted: { event_type: "ping", summary: "ping" } });
  expect(await mapped(withDefault, '{"t":"a"}')).toMatchObject({ extracted: { event_type: "a" } });
  expect(await mapped({ event_type_default: "ping" }, "{}")).toMatchObject({ extracted: { event_type: "ping" } });
});

test("a key has the members' texts as sent, and needs all of them", async () => {
  const mapping = { idempotency_key_template: "${$.a}-${$.b}" };
  const { extracted } = (await mapped(mapping, '{"a":12345678901234567890,"b":1.50}')) as Mapped;
  expect(extracted.idempotency_key).toBe("12345678901234567890-1.50");
  expect(await identity(mapping, '{"a":1,"b":2,"try":1}')).toBe(await identity(mapping, '{"b":2,"a":1,"try":2}'));
  expect(await identity(mapping, '{"a":"1-2","b":3}')).not.toBe(await identity(mapping, '{"a":1,"b":"2-3"}'));
  for (const b of ["", ',"b":null', ',"b":""', ',"b":{}']) {
    expect(await mapped(mapping, `{"a":1${b}}`)).toMatchObject({ extracted: { idempotency_key: null } });
    expect(await identity(mapping, `{"a":1${b},"n":1}`)).toMatch(/^- [0-9a-f]{64}$/);
  }
});

test("ignored members do not count in the comparison of bodies and of forms", async () => {
  const mapping = { dedupe_by_body: true, dedupe_ignore: ["$.try", "$.meta.sent", "$.list[-1]", "$.meta.sent.at"] };
  const first = await identity(mapping, '{"try":0,"id":7,"meta":{"sent":1,"a":2},"list":[1,2]}');
  const same = ['{"id":7,"try":1,"meta":{"a":2},"list":[1,3]}', '{ "meta" : {"a":2, "sent":{}}, "id":7,"list":[1,2]}'];
  for (const body of same) expect(await identity(mapping, body)).toBe(first);
  for (const body of [
    '{"try":0,"id":8,"meta":{"sent":1,"a":2},"list":[1,2]}',
    '{"id":7,"meta":{"a":2},"list":[1,2,3]}',
    '{"id":7,"meta":{"a":3},"list":[1,2]}',
    '{"id":7.0,"meta":{"a":2},"list":[1,2]}',
  ])
    expect(await identity(mapping, body)).not.toBe(first);
  const digits = { dedupe_by_body: true, dedupe_ignore: ["$.try"] };
  expect(await identity(digits, '{"id":9007199254740993}')).not.toBe(await identity(digits, '{"id":9007199254740992}'));
  expect(await identity(digits, "a=1&try=1&b=2", { type: FORM })).toBe(
    await identity(digits, "b=2&a=1&try=2", { type: FORM }),
  );
});

test("a header that names the request does not make its elements one event", async () => {
  const mapping = { each: "$", idempotency_key_header: "x-id" };
  const sent = { headers: { "x-id": "r1" }, signed: ["x-id"] };
  const keys = async (more: Partial<Mapping>): Promise<(string | undefined)[]> =>
    (await itemsOf({ ...mapping, ...more }, '[{"id":1},{"id":2},{"id":1}]', sent)).map((item) =>
      "dedupe" in item ? item.dedupe.id?.toString("hex") : undefined,
    );
  expect(new Set(await keys({})).size).toBe(3);
  const [one, two, again] = await keys({ idempotency_key_path: "$.id" });
  expect([one === again, one === two]).toEqual([true, false]);
});

test("with a header that is not signed, an element is compared by its body", async () => {
  const mapping = { each: "$", event_type_header: "x-type", event_type_default: "a" };
  const [open] = await itemsOf(mapping, "[1]", { headers: { "x-type": "b" } });
  const [signed] = await itemsOf(mapping, "[1]", { headers: { "x-type": "b" }, signed: ["x-type"] });
  expect([open, signed].map((item) => item !== undefined && "dedupe" in item && item.dedupe.body !== null)).toEqual([
    true,
    false,
  ]);
});

test("hostile lists and mappings end within their budget", async () => {
  const tokens = "${$.a}".repeat(300);
  const many = { each: "$", summary_template: tokens, dedupe_by_body: true, dedupe_ignore: ["$.a", "$.b[0].c"] };
  const long = JSON.stringify(Array.from({ length: 1000 }, () => ({ a: "x".repeat(900), b: [{ c: 1 }] })));
  const wide = `[${`{${Array.from({ length: 100 }, (_one, at) => `"k${at}":${at}`).join(",")}},`.repeat(999)}{}]`;
  const choices = Array.from({ length: 8 }, () => `$${"[0]".repeat(62)}`);
  const paths = { contact_email_path: choices, event_type_path: choices, value_path: choices, summary_path: choices };
  const deep = `[${`${"[".repeat(60)}1${"]".repeat(60)},`.repeat(999)}1]`;
  for (const [mapping, body] of [
    [many, long],
    [{ ...many, summary_template: tokens.replaceAll("a", "k99") }, wide],
    [{ each: "$", ...paths }, deep],
    [{ dedupe_by_body: true, dedupe_ignore: ["$[0]"] }, `[${"1,".repeat(400_000)}1]`],
    [{ idempotency_key_template: tokens }, `{"a":"${"x".repeat(900_000)}"}`],
  ] as const) {
    const before = process.cpuUsage();
    const outcome = await mapped(mapping, body);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(1500);
    if (outcome.kind === "unmapped") expect(outcome.code).toMatch(/^(?:too_expensive|event_type_missing)$/);
  }
});

test("a list of one element is that element in XML and forms", async () => {
  const xml = { each: "$.orders.order", event_type_path: "$.type", idempotency_key_path: "$.id" };
  const order = (id: number): string => `<order><type>paid</type><id>${id}</id></order>`;
  const ids = async (body: string, mapping: Partial<Mapping> = xml, type = "text/xml"): Promise<unknown[]> =>
    (await itemsOf(mapping, body, { type })).map((item) => item.extracted.idempotency_key);
  expect(await ids(`<orders>${order(1)}${order(2)}</orders>`)).toEqual(["1", "2"]);
  expect(await ids(`<orders>${order(1)}</orders>`)).toEqual(["1"]);
  expect(await ids("<orders/>")).toEqual([]);
  expect(await mapped(xml, "<other/>", { type: "text/xml" })).toMatchObject({ code: "list_missing" });
  expect(await ids("<order><id>1</id></order>", { ...xml, each: "$.order", event_type_path: null })).toEqual(["1"]);
  const [only] = await itemsOf(xml, `<orders>${order(1)}</orders>`, { type: "text/xml" });
  expect(only).toMatchObject({ payload: '{"type":"paid","id":"1"}' });
  const form = { each: "$['id[]']", idempotency_key_path: "$" };
  expect(await ids("id[]=1&id[]=2", form, FORM)).toEqual(["1", "2"]);
  expect(await ids("id%5B%5D=1", form, FORM)).toEqual(["1"]);
  const first = { event_type_path: "$.order.line[0].type", idempotency_key_path: "$.order.line[-1].id" };
  const line = "<line><type>a</type><id>7</id></line>";
  for (const body of [`<order>${line}</order>`, `<order>${line}${line}</order>`])
    expect(await mapped(first, body, { type: "text/xml" })).toMatchObject({
      extracted: { event_type: "a", idempotency_key: "7" },
    });
  expect(await mapped(first, '{"order":{"line":{"type":"a","id":7}}}')).toMatchObject({ code: "event_type_missing" });
  expect(await mapped(xml, '{"orders":{"order":{"type":"a"}}}')).toMatchObject({ code: "list_missing" });
});

test.each([
  ["Ada <ada@example.com>", "ada@example.com", "Ada"],
  ['"Lovelace, Ada \\"A\\"" <ada@example.com>', "ada@example.com", 'Lovelace, Ada "A"'],
  ["<ada@example.com>", "ada@example.com", null],
  ["ada@example.com", "ada@example.com", null],
  ["Ada <nobody>", null, null],
  ["a@example.com, b@example.com", null, null],
  ["<a@example.com> <b@example.com>", null, null],
])("the address in %s", async (from, email, name) => {
  expect(await mapped({ contact_email_path: "$.from" }, JSON.stringify({ from }))).toMatchObject({
    extracted: { contact_email: email, contact_name: name },
  });
  const required = await mapped({ contact_email_path: "$.from", contact: "required" }, JSON.stringify({ from }));
  expect(required.kind).toBe(email === null ? "unmapped" : "mapped");
});
