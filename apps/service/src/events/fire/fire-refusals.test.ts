import { afterAll, beforeAll, expect } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { countRows } from "../../testing/keys.ts";
import { sendRaw } from "../../testing/raw-http.ts";
import type { RawAnswer } from "../../testing/raw-http.ts";
import { startService } from "../../testing/service.ts";
import type { TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

async function send(body: string | Uint8Array, headers: Record<string, string> = {}): Promise<RawAnswer> {
  return await sendRaw(service.baseUrl, {
    method: "POST",
    path: "/v1/events/fire",
    headers: { Authorization: `Bearer ${service.key}`, "Content-Type": "application/json", ...headers },
    body,
  });
}

async function rows(): Promise<number[]> {
  return await Promise.all(
    ["event", "pending_delivery", "idempotency"].map(async (table) => await countRows(service, table)),
  );
}

function fireText(data: string): string {
  return `{"event":"order.created","data":${data}}`;
}

const nested = (depth: number): string => fireText(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);

const malformed: [string, string | Uint8Array][] = [
  ["nothing but a space", " "],
  [
    "a bad UTF-8 byte",
    Buffer.concat([Buffer.from('{"event":"order.created","data":{"a":"'), Buffer.of(0xff), Buffer.from('"}}')]),
  ],
  [
    "an overlong encoding",
    Buffer.concat([Buffer.from('{"event":"order.created","data":{"a":"'), Buffer.of(0xc0, 0xaf), Buffer.from('"}}')]),
  ],
  [
    "a surrogate in UTF-8",
    Buffer.concat([
      Buffer.from('{"event":"order.created","data":{"a":"'),
      Buffer.of(0xed, 0xa0, 0x80),
      Buffer.from('"}}'),
    ]),
  ],
  ["a byte order mark", `\uFEFF${fireText("{}")}`],
  ["UTF-16", Buffer.from(fireText("{}"), "utf16le")],
  ["65 levels", nested(64)],
  ["a name twice", '{"event":"a","event":"b","data":{}}'],
  ["a name twice in the data", fireText('{"a":1,"a":2}')],
  ["a name twice, once escaped", fireText('{"a":1,"\\u0061":2}')],
  ["a trailing comma", '{"event":"order.created","data":{},}'],
  ["a comment", '{"event":"order.created",/* why */"data":{}}'],
  ["single quotes", "{'event':'order.created','data':{}}"],
  ["a missing brace", '{"event":"order.created","data":{}'],
  ["two values", `${fireText("{}")}${fireText("{}")}`],
  ["a line break in a string", fireText('{"a":"\n"}')],
  ["NaN", fireText('{"a":NaN}')],
  ["a leading zero", fireText('{"a":01}')],
  ["a form", "event=order.created&data=%7B%7D"],
];

covers("fire.api.post", "a body that is not well-formed JSON is refused with 400, and nothing is stored", async () => {
  const before = await rows();
  const outcomes = [];
  for (const [what, body] of malformed) {
    const answer = await send(body);
    outcomes.push([what, answer.status, answer.body["code"], typeof answer.body["detail"]]);
  }
  expect(outcomes).toEqual(malformed.map(([what]) => [what, 400, "malformed_json", "string"]));
  expect(await rows()).toEqual(before);
});

covers("fire.api.post", "64 levels of nesting are accepted", async () => {
  expect((await send(nested(63))).status).toBe(202);
});

const invalid: [string, string, string[]][] = [
  ["no body", "", [""]],
  ["an empty object", "{}", ["/data", "/event"]],
  ["an array", "[]", [""]],
  ["a string", '"order.created"', [""]],
  ["null", "null", [""]],
  ["data an array", fireText("[]"), ["/data"]],
  ["data null", fireText("null"), ["/data"]],
  ["data a string", fireText('"{}"'), ["/data"]],
  ["data a number", fireText("1"), ["/data"]],
  ["no data", '{"event":"order.created"}', ["/data"]],
  ["no event", '{"data":{}}', ["/event"]],
  ["event a number", '{"event":1,"data":{}}', ["/event"]],
  ["event null", '{"event":null,"data":{}}', ["/event"]],
  ["event an array", '{"event":["order.created"],"data":{}}', ["/event"]],
  ["an unknown member", '{"event":"order.created","data":{},"delay":5}', ["/delay"]],
  ["a member that only looks known", '{"event":"order.created","data":{},"Event":"x"}', ["/Event"]],
  ["__proto__ as a member", '{"event":"order.created","data":{},"__proto__":{}}', ["/__proto__"]],
  ["a subject of a number", '{"event":"order.created","data":{},"subject":7}', ["/subject"]],
  ["an empty subject", '{"event":"order.created","data":{},"subject":""}', ["/subject"]],
  ["a subject too long", `{"event":"order.created","data":{},"subject":"${"x".repeat(256)}"}`, ["/subject"]],
  ["a time that is none", '{"event":"order.created","data":{},"occurred_at":"noon"}', ["/occurred_at"]],
  ["several faults at once", '{"event":7,"data":[],"x":1}', ["/data", "/event", "/x"]],
];

covers("fire.api.post", "values of the wrong kind are refused with 422, all at their places", async () => {
  const before = await rows();
  const outcomes = [];
  for (const [what, body] of invalid) {
    const answer = await send(body);
    const pointers = (answer.body["errors"] as { pointer: string }[] | undefined)?.map((one) => one.pointer).toSorted();
    outcomes.push([what, answer.status, answer.body["code"], pointers]);
  }
  expect(outcomes).toEqual(invalid.map(([what, , pointers]) => [what, 422, "validation_failed", pointers]));
  expect(await rows()).toEqual(before);
});

covers("openapi.body.json", "a body of another media type is refused with 415", async () => {
  const before = await rows();
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", "application/xml", ""]) {
    const answer = await send(fireText("{}"), { "Content-Type": type });
    expect([type, answer.status, answer.body["code"]]).toEqual([type, 415, "unsupported_media_type"]);
  }
  expect(await rows()).toEqual(before);
  for (const type of ["application/json; charset=utf-8", "Application/JSON"])
    expect((await send(fireText("{}"), { "Content-Type": type })).status).toBe(202);
});

covers("fire.api.post", "a body of 256 KiB is accepted, and a larger one is refused with 413", async () => {
  const frame = fireText('{"text":""}').length;
  const full = fireText(`{"text":"${"x".repeat(256 * 1024 - frame)}"}`);
  expect(Buffer.byteLength(full)).toBe(262_144);
  expect((await send(full)).status).toBe(202);
  const before = await rows();
  const answer = await send(`${full} `);
  expect([answer.status, answer.body["code"]]).toEqual([413, "payload_too_large"]);
  const chunked = await sendRaw(service.baseUrl, {
    method: "POST",
    path: "/v1/events/fire",
    headers: {
      Authorization: `Bearer ${service.key}`,
      "Content-Type": "application/json",
      "Transfer-Encoding": "chunked",
    },
    body: `${full} `,
  }).catch((error: unknown) => String(error));
  // The service may close the connection before everything was sent.
  if (typeof chunked !== "string") expect(chunked.status).toBe(413);
  expect(await rows()).toEqual(before);
});

covers("fire.api.post", "a refusal never contains a part of the body", async () => {
  const answers = await Promise.all([
    send('{"event":"a","data":{"card":"4242424242424242"},}'),
    send('{"event":"a","data":["4242424242424242"]}'),
  ]);
  for (const answer of answers) expect(answer.text).not.toContain("4242");
});
