import { createHmac } from "node:crypto";
import { BlockList, isIP } from "node:net";
import fc from "fast-check";
import type { Arbitrary } from "fast-check";
import { expect, test } from "vitest";
import { readCondition } from "../conditions/condition.ts";
import { readIdempotencyKey } from "../gate/idempotency.ts";
import { verifyRequest } from "../gate/signature.ts";
import { readMessage } from "../hosts/message.ts";
import { isSigned, SIGNATURE_SCHEMES } from "../inbound/signature.ts";
import {
  decodeCursor,
  encodeCursor,
  fillTemplate,
  instant,
  JsonFault,
  parseJson,
  readPath,
  readTemplate,
  scanJson,
  ServiceError,
} from "../kernel/kernel.ts";
import type { Uuid } from "../kernel/kernel.ts";
import { createAllowlist, parseAllowTargets } from "../net/allowlist.ts";
import { judgeAddress } from "../net/address.ts";
import { parseTarget } from "../net/target.ts";
import { isListed, isRange } from "../workspaces/allowlist.ts";

/** Seconds for each property, by `npm run fuzz`; a few hundred runs without. */
const seconds = Number(process.env["JUNCTION_FUZZ_SECONDS"] ?? 0);
const bounds =
  seconds > 0 ? { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: seconds * 1000 } : { numRuns: 300 };
const timeout = seconds * 1000 + 60_000;

function holds<Value>(name: string, values: Arbitrary<Value>, property: (value: Value) => void): void {
  test(name, () => fc.assert(fc.property(values, property), { ...bounds, markInterruptAsFailure: false }), timeout);
}

/** Text made of the pieces that a grammar knows, in any order. */
function pieces(...known: readonly string[]): Arbitrary<string> {
  return fc
    .array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known) }, fc.string({ unit: "binary", maxLength: 4 })), {
      maxLength: 24,
    })
    .map((parts) => parts.join(""));
}

/** What it throws; undefined when it throws nothing. */
function thrown(run: () => unknown): unknown {
  try {
    run();
    return undefined;
  } catch (error) {
    return error;
  }
}

const jsonish = fc.oneof(
  fc.json(),
  pieces(
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    '"a"',
    "\\",
    "\\u00",
    "\\ud800",
    "1",
    "-0",
    "1e5",
    ".",
    "true",
    "null",
    " ",
    "\t",
    "\u2028",
    "__proto__",
  ),
);

holds("a JSON text is taken exactly when JSON.parse takes it", jsonish, (text) => {
  const ours = thrown(() => parseJson(text));
  const wellFormed = text.isWellFormed();
  const theirs = thrown(() => JSON.parse(text));
  if (ours !== undefined) expect(ours).toBeInstanceOf(JsonFault);
  if (wellFormed) expect(ours === undefined).toBe(theirs === undefined);
});

holds(
  "bytes are JSON, or refused by their own error",
  fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    jsonish.map((text) => Buffer.from(text)),
  ),
  (bytes) => {
    const fault = thrown(() => scanJson(bytes));
    if (fault !== undefined) expect(fault).toBeInstanceOf(JsonFault);
    else expect(JSON.stringify(scanJson(bytes).value)).toBe(JSON.stringify(JSON.parse(Buffer.from(bytes).toString())));
  },
);

const v4 = fc.ipV4();
const v6 = fc.ipV6();
const ranges = fc.oneof(
  fc.tuple(v4, fc.integer({ min: 0, max: 40 })).map(([ip, prefix]) => `${ip}/${prefix}`),
  fc.tuple(v6, fc.integer({ min: 0, max: 140 })).map(([ip, prefix]) => `${ip}/${prefix}`),
  pieces("10.", "0", "255", ".", ":", "::", "ffff", "/", "8", "128", "0x7f", "010", "[", "]", "%eth0"),
);

holds("an address is in a range exactly when node:net says so", fc.tuple(ranges, fc.oneof(v4, v6)), ([range, ip]) => {
  const [network = "", prefix] = range.split("/");
  const family = isIP(network) === 6 ? "ipv6" : "ipv4";
  const reference = new BlockList();
  const isKnown =
    isIP(network) !== 0 &&
    thrown(() => reference.addSubnet(network, Number(prefix ?? (family === "ipv6" ? 128 : 32)), family)) === undefined;
  if (isRange(range)) expect(isKnown).toBe(true);
  const within = reference.check(ip, isIP(ip) === 6 ? "ipv6" : "ipv4");
  expect(isListed([range], ip)).toBe(isRange(range) && within);
});

holds(
  "exemptions of the guard are read whole or refused",
  fc.oneof(ranges, pieces("10.0.0.0/8", ":443", ",", "[::1]", ":", "[", "]", "/")),
  (text) => {
    const fault = thrown(() => createAllowlist(parseAllowTargets(text)).allows("10.0.0.1", 443));
    if (fault !== undefined) expect(fault).toBeInstanceOf(Error);
    if (fault !== undefined) expect((fault as Error).message).toContain("is not a CIDR");
  },
);

/** All the ways in which browsers and C libraries let an IPv4 address be written. */
const spelled = fc
  .tuple(fc.ipV4(), fc.constantFrom("dotted", "number", "hex", "octal", "short", "mapped", "mapped-hex"))
  .map(([ip, way]) => {
    const parts = ip.split(".").map(Number);
    const value = parts.reduce((sum, part) => sum * 256 + part, 0);
    const hex = value.toString(16).padStart(8, "0");
    const ways: Record<string, string> = {
      dotted: ip,
      number: String(value),
      hex: `0x${hex}`,
      octal: parts.map((part) => `0${part.toString(8)}`).join("."),
      short: `${parts[0] ?? 0}.${value % 2 ** 24}`,
      mapped: `[::ffff:${ip}]`,
      "mapped-hex": `[::ffff:${hex.slice(0, 4)}:${hex.slice(4)}]`,
    };
    return { ip, host: ways[way] ?? ip };
  });

holds("an address is judged the same in whatever spelling", spelled, ({ ip, host }) => {
  const target = parseTarget(`https://${host}/`, false);
  if (typeof target === "string") expect(["malformed", "metadata"]).toContain(target);
  else expect(judgeAddress(target.host)).toBe(judgeAddress(ip));
});

holds(
  "a URL is a target with a host and a port, or refused for a reason",
  fc.oneof(
    fc.webUrl(),
    pieces(
      "https://",
      "http://",
      "a",
      "@",
      ":",
      "//",
      "\\",
      "#",
      "?",
      "%",
      "[",
      "]",
      "::1",
      "127.1",
      "\t",
      "。",
      "ⓛ",
      ".",
    ),
  ),
  (text) => {
    const target = parseTarget(text, false);
    if (typeof target === "string") return;
    expect([target.host.length > 0, target.port > 0 && target.port < 65_536, target.url.username]).toEqual([
      true,
      true,
      "",
    ]);
    expect(target.secure).toBe(true);
  },
);

const pathText = pieces(
  "$",
  ".",
  "a",
  "_b",
  "[",
  "]",
  "'",
  '"',
  "0",
  "-1",
  "*",
  "..",
  "?",
  "@",
  "\\",
  "\\u0061",
  ":",
  ",",
  " ",
  "__proto__",
  "constructor",
);

holds(
  "a path is read, or is none",
  fc.oneof(
    pathText,
    pathText.map((text) => `$.${text}`),
  ),
  (text) => {
    const path = readPath(text);
    if (path === undefined) return;
    for (const step of path.steps) expect(["string", "number"]).toContain(typeof step);
  },
);

holds(
  "a template fills what it reads, and what is put in is not read again",
  fc.tuple(pieces("${", "$", "{", "}", "a.b", "$.a", "'", '"', "text"), fc.string()),
  ([text, value]) => {
    const template = readTemplate(text);
    if (template === undefined) return;
    const filled = fillTemplate(template, () => value);
    const fixed = template.filter((part) => typeof part === "string").join("");
    expect(filled.length).toBe(
      fixed.length + value.length * template.filter((part) => typeof part !== "string").length,
    );
    if (!text.includes("${")) expect(filled).toBe(text);
  },
);

const leaf = fc.record({
  field: fc.oneof(fc.constantFrom("$.data.a", "event.name", "contact.email", "x"), fc.anything()),
  op: fc.oneof(fc.constantFrom("eq", "neq", "gt", "in", "contains", "exists", "matches"), fc.anything()),
  value: fc.anything(),
});
const tree = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 8 },
    leaf,
    fc.record({ all: fc.array(tie("node")) }),
    fc.record({ any: fc.array(tie("node")) }),
    fc.record({ not: fc.anything() }),
    fc.anything(),
  ),
})).node;

holds("whatever is written as a condition compiles or has faults at pointers", tree, (node) => {
  const text = thrown(() => JSON.stringify(node)) === undefined ? (JSON.stringify(node) ?? "null") : "null";
  const scan =
    thrown(() => scanJson(Buffer.from(text))) === undefined
      ? scanJson(Buffer.from(text))
      : scanJson(Buffer.from("null"));
  const { faults } = readCondition({ scan, place: [], roots: ["data", "event", "contact"] });
  for (const fault of faults) expect(fault.pointer === "" || fault.pointer.startsWith("/")).toBe(true);
});

const headerText = fc.oneof(
  pieces("t=", "v1=", "v0=", "sha256=", ",", "=", " ", "v1,", "1763730000", "0".repeat(64), "A".repeat(43), "é"),
  fc.string(),
);

holds(
  "no header that was not made with the secret verifies",
  fc.tuple(
    fc.constantFrom(...SIGNATURE_SCHEMES),
    fc.array(headerText, { minLength: 3, maxLength: 3 }),
    fc.uint8Array(),
  ),
  ([scheme, values, body]) => {
    const names = ["webhook-id", "timestamp", "signature"];
    const header = (name: string): string | undefined =>
      values[names.findIndex((one) => name.endsWith(one))] ?? values[0];
    expect(
      isSigned(scheme, ["whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="], {
        header,
        body,
        now: instant(1_763_730_000_000),
      }),
    ).toBe(false);
  },
);

holds(
  "a request's signature is good, or refused by its own error",
  fc.tuple(headerText, fc.option(headerText, { nil: undefined }), fc.string()),
  ([signature, timestamp, text]) => {
    const body = Buffer.from(text);
    const parts = { method: "POST", target: "/v1/x", idempotencyKey: "", body, bodyHash: "" };
    const rules = { secret: "secret", allowBody: true, now: instant(1_763_730_000_000) };
    expect(thrown(() => verifyRequest({ signature, timestamp }, parts, rules))).toBeInstanceOf(ServiceError);
    const made = createHmac("sha256", "another").update(body).digest("hex");
    expect(thrown(() => verifyRequest({ signature: made, timestamp: "1763730000" }, parts, rules))).toBeInstanceOf(
      ServiceError,
    );
  },
);

const uuids = fc.uuid().map((text) => text as Uuid);

holds(
  "a cursor comes back from its own list, and from no other",
  fc.tuple(uuids, fc.jsonValue(), fc.jsonValue()),
  ([id, binding, other]) => {
    const cursor = encodeCursor(id, binding);
    expect(decodeCursor(cursor, binding)).toBe(id);
    if (JSON.stringify(other) !== JSON.stringify(binding))
      expect(thrown(() => decodeCursor(cursor, other))).toBeInstanceOf(ServiceError);
  },
);

holds("a cursor that nobody gave is refused", fc.oneof(fc.string(), fc.base64String()), (text) => {
  expect(thrown(() => decodeCursor(text, ["list"]))).toBeInstanceOf(ServiceError);
});

holds(
  "an idempotency key is visible ASCII, the same in quotes, or refused",
  fc.oneof(fc.string({ maxLength: 300 }), fc.uuid(), pieces('"', "a", "\u0000", " ")),
  (text) => {
    const fault = thrown(() => readIdempotencyKey(text));
    if (fault !== undefined) expect(fault).toBeInstanceOf(ServiceError);
    else expect(readIdempotencyKey(text)).toMatch(/^[\x21-\x7e]{1,255}$/);
    if (/^[a-z0-9-]{1,255}$/.test(text)) expect(readIdempotencyKey(`"${text}"`)).toBe(text);
  },
);

const line = fc.record(
  {
    t: fc.constantFrom("ready", "service", "log", "done", "failed", "__proto__", "toString"),
    id: fc.anything(),
    call: fc.integer(),
    value: fc.jsonValue(),
    name: fc.string(),
    args: fc.array(fc.jsonValue()),
    error: fc.anything(),
  },
  { requiredKeys: [] },
);

holds(
  "a line of a connector's process is a message, or nothing",
  fc.oneof(
    fc.uint8Array(),
    jsonish.map((text) => Buffer.from(text)),
    line.map((one) => Buffer.from(thrown(() => JSON.stringify(one)) === undefined ? JSON.stringify(one) : "{}")),
  ),
  (bytes) => {
    const message = readMessage(bytes);
    if (message !== undefined) expect(["ready", "service", "log", "done", "failed"]).toContain(message.t);
  },
);
