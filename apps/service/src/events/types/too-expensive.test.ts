import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startService } from "../../testing/service.ts";
import type { ApiAnswer, TestService } from "../../testing/test-service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

const TYPES = "/v1/event-types";

async function type(name: string, more: object): Promise<void> {
  const { status, text } = await service.api("POST", TYPES, { name, ...more });
  expect([status, text]).toEqual([201, text]);
}

async function fire(body: object): Promise<ApiAnswer> {
  return await service.api("POST", "/v1/events/fire", body);
}

function pointers({ body }: ApiAnswer): string[] {
  return body.errors.map((one: { pointer: string; code: string }) => `${one.code} ${one.pointer}`);
}

describe("a check that is too expensive", () => {
  const branches = Array.from({ length: 1800 }, () => false);
  const endless = { type: "object", properties: { a: { items: { anyOf: branches } } } };
  const data = { a: Array.from({ length: 100_000 }, () => 1) };

  test("refuses the event, and says what to do", async () => {
    await type("endless.refused", { schema: endless, enforcement: "refuse" });
    const answer = await fire({ event: "endless.refused", data });
    expect([answer.status, ...pointers(answer)]).toEqual([422, "too_expensive /data"]);
    expect(answer.body.errors[0].message).toContain("simplify the schema or send less data");
  });

  test("is shown with the event where mismatches are accepted", async () => {
    await type("endless.warned", { schema: endless, enforcement: "warn" });
    const answer = await fire({ event: "endless.warned", data });
    expect([answer.status, answer.body.schema_errors]).toMatchObject([202, [{ code: "too_expensive" }]]);
  });

  test("does not concern the largest batch of ordinary events", async () => {
    const line = {
      type: "object",
      required: ["sku"],
      properties: { sku: { type: "string", pattern: "^[a-z]+-[0-9]+$" } },
    };
    const ordinary = {
      type: "object",
      required: ["id", "lines"],
      properties: {
        id: { type: "string", pattern: "^ord_[0-9]+$" },
        state: { enum: ["open", "paid"] },
        email: { type: "string", format: "email" },
        total: { type: "number", minimum: 0, multipleOf: 0.01 },
        lines: { type: "array", minItems: 1, items: line },
        note: { anyOf: [{ type: "string", maxLength: 200 }, { type: "null" }] },
      },
      additionalProperties: false,
    };
    await type("ordinary.batch", { schema: ordinary, enforcement: "refuse" });
    const events = Array.from({ length: 500 }, (_, at) => ({
      event: "ordinary.batch",
      data: {
        id: `ord_${at}`,
        state: "paid",
        email: `buyer${at}@example.com`,
        total: at + 0.99,
        lines: Array.from({ length: 8 }, (_one, nth) => ({ sku: `item-${nth}` })),
        note: null,
      },
    }));
    expect((await service.api("POST", "/v1/events/batch", { events })).status).toBe(202);
  });

  test("a schema that takes too long to compile is refused when it is saved", async () => {
    const patterns = Array.from({ length: 50 }, (_, at) => ({ pattern: `(?i)${"\\pL".repeat(150)}${at}` }));
    const body = { name: "endless.patterns", schema: { properties: { a: { anyOf: patterns } } } };
    const answer = await service.api("POST", TYPES, body);
    expect([answer.status, ...pointers(answer)]).toEqual([422, "too_expensive /schema"]);
    const set = await service.api("PUT", TYPES, { types: [body] });
    expect([set.status, ...pointers(set)]).toEqual([422, "too_expensive /types/0/schema"]);
  });
});
