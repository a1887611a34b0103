import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startService } from "../../testing/service.ts";
import { UNLIMITED } from "../../testing/subscription.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService({ env: UNLIMITED });
});
afterAll(async () => await service.close());

const NAMES = ["agree.a", "agree.a.b", "agreed.c"];
const TENANTS = ["a", "ab", null];
const numbers = fc.constantFrom("0", "-0", "1", "1.0", "1e0", "9007199254740992", "9007199254740993", "1e400", "-2.50");
const scalar = fc.oneof(numbers, fc.constantFrom("null", "true", "false", '"a"', '"ab"', '""', '"agree.a"'));
const data = fc
  .dictionary(
    fc.constantFrom("x", "y", "list"),
    fc.oneof(
      scalar,
      fc.array(scalar, { maxLength: 3 }).map((all) => `[${all.join(",")}]`),
    ),
  )
  .map(
    (members) =>
      `{${Object.entries(members)
        .map(([name, value]) => `"${name}":${value}`)
        .join(",")}}`,
  );
const leaf = fc
  .tuple(
    fc.constantFrom("data.x", "data.y", "data.list", "$.data.list[0]", "event", "data", "tenant"),
    fc.oneof(
      fc.tuple(fc.constantFrom("eq", "ne", "contains"), scalar),
      fc.tuple(fc.constantFrom("gt", "gte", "lt", "lte"), fc.oneof(numbers, fc.constant('"a"'))),
      fc.tuple(
        fc.constantFrom("in", "not_in"),
        fc.array(scalar, { minLength: 1, maxLength: 3 }).map((all) => `[${all.join(",")}]`),
      ),
      fc.tuple(fc.constantFrom("starts_with", "ends_with"), fc.constantFrom('"a"', '"b"')),
      fc.tuple(fc.constant("exists"), fc.constantFrom("true", "false")),
    ),
  )
  .map(([field, [op, value]]) => `{"field":"${field}","op":"${op}","value":${value}}`);
const filter = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc
      .tuple(fc.constantFrom("all", "any", "not"), fc.array(tie("node"), { maxLength: 3 }))
      .map(([kind, nodes]) => `{"${kind}":[${nodes.join(",")}]}`),
  ),
})).node;
const endpoint = fc.record({
  events: fc.constantFrom(["*"], ["agree.a"], ["agree.*"], ["agreed.c", "agree.a.b"]),
  filter: fc.oneof({ arbitrary: filter, weight: 5 }, { arbitrary: fc.constant("null"), weight: 1 }),
  tenant: fc.constantFrom(...TENANTS),
  active: fc.oneof({ arbitrary: fc.constant(true), weight: 5 }, { arbitrary: fc.constant(false), weight: 1 }),
});
const event = fc.record({ name: fc.constantFrom(...NAMES), tenant: fc.constantFrom(...TENANTS), data });

test("an explanation agrees with the deliveries of any event to any endpoint", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(endpoint, { minLength: 3, maxLength: 8 }),
      fc.array(event, { minLength: 3, maxLength: 8 }),
      agrees,
    ),
    { numRuns: 8 },
  );
});

interface Wanted {
  readonly events: readonly string[];
  readonly filter: string;
  readonly active: boolean;
  readonly tenant: string | null;
}

interface Fired {
  readonly name: string;
  readonly tenant: string | null;
  readonly data: string;
}

async function agrees(endpoints: readonly Wanted[], events: readonly Fired[]): Promise<void> {
  const paths = await Promise.all(
    endpoints.map(async ({ filter: text, ...one }) => {
      const head = JSON.stringify({ url: "http://127.0.0.1:9/agree", ...one }).slice(0, -1);
      const made = await service.api("POST", "/v1/webhook-endpoints", `${head},"filter":${text}}`);
      expect([made.status, made.text]).toEqual([201, expect.stringContaining(`"filter":${text}`)]);
      return `/v1/webhook-endpoints/${made.body["id"]}`;
    }),
  );
  const bodies = events.map(({ name, tenant, data: text }) => {
    const member = tenant === null ? "" : `"tenant":"${tenant}",`;
    return `{"event":"${name}",${member}"data":${text}}`;
  });
  const { body } = await service.api("POST", "/v1/events/batch", `{"events":[${bodies.join(",")}]}`);
  const fired: readonly Parsed[] = body["data"];
  for (const path of paths) {
    for (const [at, one] of fired.entries()) {
      const isMade = one["deliveries"].some((made: Parsed) => path.endsWith(made["endpoint_id"]));
      const past = await service.api("POST", `${path}/explain`, { event_id: one["id"] });
      const given = await service.api("POST", `${path}/explain`, bodies[at] ?? "");
      expect([past.body["matched"], given.body["matched"]]).toEqual([isMade, isMade]);
      expect(given.body).toEqual(past.body);
    }
  }
  await Promise.all(paths.map(async (path) => await service.api("DELETE", path)));
}
