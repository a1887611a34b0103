import { createHmac } from "node:crypto";
import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { eventTypes } from "../../events/events.ts";
import { errorCodes } from "../../lib/lib.ts";
import { contractValidator, rooted } from "../../testing/conformance.ts";
import { startService } from "../../testing/service.ts";
import type { Parsed, TestService } from "../../testing/test-service.ts";

let service: TestService;
/** The document that the service serves. */
let contract: Parsed;
/** Every operation except callbacks and deliveries. */
let operations: Parsed[];

beforeAll(async () => {
  service = await startService({ env: { JUNCTION_TRUST_PROXIES: "127.0.0.0/8" } });
  contract = (await service.api("GET", "/openapi.json", undefined, { key: null })).body;
  operations = Object.values<object>(contract.paths).flatMap((item) => Object.values<Parsed>(item));
});
afterAll(async () => await service.close());

covers("openapi.document.version", "the OpenAPI document is of version 3.0.3 and valid", async () => {
  expect(contract.openapi).toBe("3.0.3");
  expect(await new Validator().validate(contract)).toEqual({ valid: true });
});

test("every operation has a unique name, from which clients derive their methods", () => {
  const names = operations.map((one) => one.operationId);
  expect(names.filter((name) => !/^[a-z][A-Za-z]+$/.test(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});

covers("openapi.document.complete", "every operation and every area has a description", () => {
  const silent = operations.filter(({ summary, description }) => !isSentence(summary) || !isSentence(description));
  expect(silent.map((one) => one.operationId)).toEqual([]);
  const areas = new Map(contract.tags.map((tag: Parsed) => [tag.name, tag.description]));
  const unknown = operations.flatMap((one) => one.tags as string[]).filter((tag) => !isSentence(areas.get(tag)));
  expect(unknown, "describe the area in server/openapi/openapi-parts.ts").toEqual([]);
});

covers("openapi.document.complete", "every error of the catalogue is in the document", () => {
  expect(contract.components.schemas.Problem.properties.code.enum).toEqual(errorCodes);
  expect(Object.keys(contract["x-errors"])).toEqual(errorCodes);
});

covers("openapi.document.complete", "every operation that needs a key can refuse it, with its codes", () => {
  for (const operation of operations.filter((one) => one["x-operation"] !== undefined)) {
    const codes = ["401", "403", "429"].flatMap((status) => codesOf(operation, status));
    expect([operation.operationId, codes]).toEqual([
      operation.operationId,
      expect.arrayContaining(["key_revoked", "signature_invalid", "workspace_mismatch", "rate_limited"]),
    ]);
    expect(operation.security).toHaveLength(3);
  }
});

covers("openapi.document.complete", "a write documents idempotency, and a read does not", () => {
  const fire = contract.paths["/v1/events/fire"].post;
  expect(codesOf(fire, "422")).toEqual(["idempotency_key_reused", "validation_failed", "event_data_invalid"]);
  expect(codesOf(fire, "409")).toEqual(["idempotency_in_progress", "conflict"]);
  expect(Object.keys(fire.responses["202"].headers)).toContain("Idempotent-Replayed");
  const list = contract.paths["/v1/events"].get;
  expect(codesOf(list, "400")).toEqual(["bad_request", "version_unknown", "query_invalid", "cursor_invalid"]);
  expect(list.responses["422"]).toBeUndefined();
  expect(Object.keys(list.responses["200"].headers)).not.toContain("Idempotency-Key");
});

covers("openapi.document.complete", "every response documents the headers that all responses have", () => {
  const own = operations.flatMap((one) => Object.values<Parsed>(one.responses));
  const all = [...own.filter((one) => one.$ref === undefined), ...Object.values<Parsed>(contract.components.responses)];
  for (const { headers } of all) {
    expect(Object.keys(headers)).toEqual(
      expect.arrayContaining(["X-Service-Request-Id", "X-Service-Version", "X-Service-RateLimit-Remaining"]),
    );
  }
});

covers("key.auth.bearer", "every operation that needs a key refuses a call without one", async () => {
  let calls = 0;
  for (const [path, item] of Object.entries<Parsed>(contract.paths)) {
    for (const [method, operation] of Object.entries<Parsed>(item)) {
      if (operation["x-operation"] === undefined) continue;
      const answer = await service.api(method.toUpperCase(), path.replaceAll(/\{.*?\}/g, "x"), undefined, {
        key: null,
        // Failed credentials are counted by address.
        headers: { "X-Forwarded-For": `203.0.113.${(calls += 1) % 250}` },
      });
      expect([operation.operationId, answer.body.code]).toEqual([operation.operationId, "credentials_missing"]);
    }
  }
});

covers("openapi.document.complete", "every example matches its schema", () => {
  const ajv = contractValidator(contract);
  const faults = examplesOf(contract).flatMap(({ where, schema, example }) => {
    const validate = ajv.compile(rooted(schema));
    return validate(example) ? [] : [`${where}: ${ajv.errorsText(validate.errors)}`];
  });
  expect(faults).toEqual([]);
});

covers("openapi.document.complete", "every body and every parameter has an example", () => {
  const without = mediaOf(contract).filter(({ media }) => media.example === undefined && media.examples === undefined);
  expect(without.map(({ where }) => where)).toEqual([]);
  const parameters = operations.flatMap((one) => one.parameters as Parsed[]).filter((one) => one.$ref === undefined);
  expect(parameters.filter((one) => one.example === undefined).map((one) => one.name)).toEqual([]);
});

test("only operations without a session declare a failed sign-in", () => {
  // A wrong password or code in a session is an invalid field.
  const declaring = operations.filter(
    (operation) => operation.responses["401"] !== undefined && codesOf(operation, "401").includes("sign_in_failed"),
  );
  expect(declaring.map(({ operationId }) => operationId).toSorted()).toEqual([
    "acceptInvitation",
    "callAction",
    "claimWorkspace",
    "signIn",
  ]);
});

test("every event type of the catalog is described as a request to an endpoint", () => {
  expect(Object.keys(contract["x-webhooks"])).toEqual(eventTypes.map((type) => type.name));
  const canonical = Object.values<Parsed>(contract["x-webhooks"]).filter(({ post }) => post["x-canonical"]);
  expect(canonical).toHaveLength(52);
  const callbacks = contract.paths["/v1/webhook-endpoints"].post.callbacks.delivery;
  expect(Object.keys(callbacks)).toEqual(["{$request.body#/url}"]);
});

test("the signatures of the example deliveries are correct for testing a receiver", () => {
  const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
  const { post } = contract["x-webhooks"]["order.created"];
  const { signature, ...rest } = post.requestBody.content["application/json"].example;
  const unsigned = JSON.stringify({ ...rest, signature: "" });
  expect(signature).toBe(`sha256=${createHmac("sha256", secret).update(unsigned).digest("hex")}`);
  const whole = JSON.stringify({ ...rest, signature });
  const header = contract.components.parameters.DeliveryXServiceSignature.example;
  expect(header).toBe(createHmac("sha256", secret).update(whole).digest("hex"));
});

function isSentence(text: unknown): boolean {
  return typeof text === "string" && /^[A-Z`].{3,}/s.test(text);
}

function codesOf(operation: Parsed, status: string): string[] {
  const name = String(operation.responses[status].$ref).slice("#/components/responses/".length);
  return contract.components.schemas[name].allOf[1].properties.code.enum;
}

interface Media {
  readonly where: string;
  readonly media: Parsed;
}

/** Returns every media type object: of requests, responses, callbacks, deliveries and shared responses. */
function mediaOf(node: Parsed, where = "#"): Media[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node as object).flatMap(([name, value]: [string, Parsed]) => {
    if (name === "example" || name === "examples" || name === "schemas") return [];
    if (name !== "content") return mediaOf(value, `${where}/${name}`);
    return Object.entries(value as object).map(([type, media]) => ({ where: `${where}/content/${type}`, media }));
  });
}

function examplesOf(document: Parsed): { where: string; schema: object; example: unknown }[] {
  const media = mediaOf(document).flatMap(({ where, media: one }) => {
    const named = Object.values(one.examples ?? {}).map((each: Parsed) => {
      const code = String(each.$ref).slice("#/components/examples/".length);
      return { where: `${where} ${code}`, schema: one.schema, example: document.components.examples[code].value };
    });
    return one.example === undefined ? named : [...named, { where, schema: one.schema, example: one.example }];
  });
  const parameters = [...operations.flatMap((one) => one.parameters), ...Object.values(document.components.parameters)]
    .filter((one: Parsed) => one.$ref === undefined)
    .map((one: Parsed) => ({ where: one.name, schema: one.schema, example: one.example }));
  const headers = Object.entries<Parsed>(document.components.headers).map(([name, one]) => ({
    where: name,
    schema: one.schema,
    example: one.example,
  }));
  return [...media, ...parameters, ...headers];
}
