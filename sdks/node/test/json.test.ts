import fc from "fast-check";
import { expect, test } from "vitest";
import { Junction, toJson, webhooks } from "../src/index.ts";
import { parseJson } from "../src/json.ts";
import { fixtures, mockTransport } from "../src/testing.ts";

const bigints = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).filter((n) => BigInt(Number(n)) !== n);
const data = fc.letrec((tie) => ({
  node: fc.oneof(
    { depthSize: "small" },
    bigints,
    fc.maxSafeInteger(),
    fc.string(),
    fc.constantFrom('"12345678901234567890"', "\\", "12345678901234567890", null, true),
    fc.array(tie("node")),
    fc.dictionary(fc.oneof(fc.string(), fc.constant("12345678901234567890")), tie("node")),
  ),
})).node;

test("bigints and all other JSON values survive writing and reading", () => {
  fc.assert(
    fc.property(data, (value) => {
      const plain: unknown = structuredClone(value);
      expect(parseJson(toJson(plain))).toEqual(plain);
      expect(parseJson(toJson(plain, 2))).toEqual(plain);
    }),
  );
});

test("numbers that a number holds, and invalid JSON, are read as JSON.parse does", () => {
  for (const text of ["9007199254740991", "-9007199254740991", "1e20", "0.12345678901234567", '"9007199254740993"'])
    expect(parseJson(text)).toBe(JSON.parse(text));
  for (const text of ["", "09007199254740993", "[9007199254740993", "9007199254740993x"])
    expect(() => parseJson(text)).toThrow(SyntaxError);
});

test("a cycle is refused as JSON.stringify does", () => {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  expect(() => toJson(cycle)).toThrow(/circular/i);
});

test("a delivery's big integers are bigints, and its text is available", () => {
  const { body, headers } = fixtures.delivery("acme.counted", { data: { n: 9_007_199_254_740_993n } });
  const delivery = webhooks.verify(body, headers, fixtures.secret);
  expect(delivery.data).toEqual({ n: 9_007_199_254_740_993n });
  expect(delivery.$raw).toBe(body);
  expect(Object.keys(delivery)).not.toContain("$raw");
  expect(toJson(delivery)).toBe(body);
});

test("bigints are sent as JSON numbers in body and query, and read back", async () => {
  const mock = mockTransport().reply("events.get", { id: "evt_1", data: { n: 10n ** 20n } });
  const bodies: (string | undefined)[] = [];
  const junction = new Junction({
    ...mock.options,
    fetch: async (url, init) => {
      bodies.push(init.body);
      return (await mock.options.fetch?.(url, init)) as never;
    },
  });
  await junction.events.fire("acme.counted", { n: 10n ** 20n, more: [-1n] });
  expect(bodies).toEqual(['{"event":"acme.counted","data":{"n":100000000000000000000,"more":[-1]}}']);
  expect((await junction.events.get("evt_1")).data).toEqual({ n: 10n ** 20n });
  await junction.request("GET", "/v1/x", { query: { n: 10n ** 20n } }).catch(() => undefined);
  expect(mock.calls.at(-1)?.query).toEqual({ n: "100000000000000000000" });
});
