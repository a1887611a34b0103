import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import * as sdk from "../src/index.ts";
import { fixtures } from "../src/testing.ts";

/** The forms in which frameworks and hosts have the headers of a request, and values that people pass in their place. */

const SECRET = fixtures.secret;
const { body: BODY, headers: SIGNED } = fixtures.delivery("order.created");
const PAIRS = Object.entries(SIGNED);
const RIGHT = SIGNED["webhook-signature"] ?? "";

function incoming(): IncomingMessage["headers"] {
  const message = new IncomingMessage(new Socket());
  for (const [name, value] of PAIRS) message.headers[name.toLowerCase()] = value;
  return message.headers;
}

const lower = new Map(PAIRS.map(([name, value]) => [name.toLowerCase(), value]));

const SHAPES: Readonly<Record<string, unknown>> = {
  "an object": SIGNED,
  "an object of lists, as AWS Lambda has it": Object.fromEntries(PAIRS.map(([name, value]) => [name, [value]])),
  "an object of bytes": Object.fromEntries(PAIRS.map(([name, value]) => [name, Buffer.from(value)])),
  "an object with a number": { ...SIGNED, "webhook-timestamp": Number(SIGNED["webhook-timestamp"]) },
  "an object with other things": { ...SIGNED, a: undefined, b: null, c: {}, d: true, e: [[]], get: "x" },
  "an object without a prototype": Object.assign(Object.create(null), SIGNED),
  "Node's headers": incoming(),
  "Node's rawHeaders": PAIRS.flat(),
  "web Headers": new Headers(SIGNED),
  "a Map": new Map(PAIRS),
  pairs: PAIRS,
  "an iterator of pairs": PAIRS.values(),
  "what finds a header by name": { get: (name: string) => lower.get(name) ?? null },
};

test.each(Object.entries(SHAPES))("headers are found in %s", (_shape, headers) => {
  expect(sdk.webhooks.verify(BODY, headers as sdk.HeaderSource, SECRET).event).toBe("order.created");
});

test("a signature header may come in parts", () => {
  for (const parts of [["v1,AAAA", RIGHT], [RIGHT, "v1,AAAA"], [`v1,AAAA ${RIGHT}`], [`v1,AAAA,  ${RIGHT}`]]) {
    const headers = new Headers(SIGNED);
    headers.delete("webhook-signature");
    for (const part of parts) headers.append("Webhook-Signature", part);
    for (const one of [{ ...SIGNED, "webhook-signature": parts }, headers])
      expect(sdk.webhooks.verify(BODY, one, SECRET).event).toBe("order.created");
  }
});

function reasonOf(headers: unknown, secrets: unknown = SECRET, body: unknown = BODY): unknown {
  try {
    sdk.webhooks.verify(body as string, headers as sdk.HeaderSource, secrets as string);
  } catch (error) {
    expect(error).toBeInstanceOf(sdk.WebhookVerificationError);
    expect(String(error)).not.toContain(SECRET);
    return (error as sdk.WebhookVerificationError).reason;
  }
  return undefined;
}

test("other values than headers are refused with what to pass", () => {
  const others = [
    null,
    undefined,
    "",
    "webhook-id: x",
    7,
    [],
    {},
    [1],
    [["a"]],
    [["a", "b", "c"]],
    { headers: SIGNED },
  ];
  for (const other of others) expect([other, reasonOf(other)]).toEqual([other, "signature_missing"]);
});

test("a missing or invalid secret is named", () => {
  for (const missing of [null, [], [undefined], [SECRET, null]])
    expect(reasonOf(SIGNED, missing)).toBe("secret_missing");
  for (const wrong of ["", "whsec_", "whsec_\u00e9", [""], 7, {}, { secret: SECRET }, Symbol.iterator])
    expect(reasonOf(SIGNED, wrong)).toBe("secret_invalid");
});

test("a body that was parsed is refused with what to pass", () => {
  for (const body of [{ event: "order.created" }, [1], null, 7, true])
    expect([body, reasonOf(SIGNED, SECRET, body)]).toEqual([body, "body_not_raw"]);
});

test("a hostile header is refused and nothing else", () => {
  const values = ["\udc80", "\u00e9", "1".repeat(5000), "\u0661", "-1", "1.5", " ", "x".repeat(100_000), ["", "x"]];
  for (const name of ["webhook-id", "webhook-timestamp", "webhook-signature", "X-Service-Signature"])
    for (const value of values)
      expect([name, value, reasonOf({ ...SIGNED, [name]: value })?.constructor]).toEqual([name, value, String]);
});
