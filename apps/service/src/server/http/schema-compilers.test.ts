import { expect, test } from "vitest";
import { routesOfService } from "../../testing/contract.ts";
import { createSchemaCompilers, onFirstUse } from "./schema-compilers.ts";

type Declared = Record<string, unknown>;

/** Returns the schemas of a response: one, or one for each type of content. */
function schemasOf(response: Declared): unknown[] {
  if (!("content" in response)) return [response];
  return Object.values(response["content"] as Record<string, Declared>).map(({ schema }) => schema);
}

test("the schemas of every route compile", async () => {
  const { validators, serializers } = createSchemaCompilers();
  const counts = { validators: 0, serializers: 0 };
  for (const { method, url, schema } of await routesOfService()) {
    const declared = (schema ?? {}) as Declared;
    const at = { method: String(method), url };
    for (const httpPart of ["body", "querystring", "params", "headers"]) {
      if (declared[httpPart] === undefined) continue;
      validators({ ...at, httpPart, schema: declared[httpPart] as object });
      counts.validators += 1;
    }
    for (const [httpStatus, response] of Object.entries((declared["response"] ?? {}) as Record<string, Declared>))
      for (const one of schemasOf(response)) {
        serializers({ ...at, httpStatus, schema: one });
        counts.serializers += 1;
      }
  }
  expect(counts.validators).toBeGreaterThan(200);
  expect(counts.serializers).toBeGreaterThan(200);
});

test("a schema is compiled by the first value, and not again", () => {
  const compiled: string[] = [];
  const { validators, serializers } = onFirstUse({
    validators: ({ url }) => {
      compiled.push(`body of ${url}`);
      return (value: unknown) => ({ value });
    },
    serializers: ({ url }) => {
      compiled.push(`answer of ${url}`);
      return (answer) => JSON.stringify(answer);
    },
  });
  const at = { method: "POST", url: "/a", schema: {} };
  const [validate, serialize] = [validators({ ...at, httpPart: "body" }), serializers({ ...at, httpStatus: "200" })];
  expect(compiled).toEqual([]);
  expect([validate(1), validate(2), serialize({ n: 1 }), serialize({ n: 2 })]).toEqual([
    { value: 1 },
    { value: 2 },
    '{"n":1}',
    '{"n":2}',
  ]);
  expect(compiled).toEqual(["body of /a", "answer of /a"]);
});

test("schemas that no request needed are compiled in the background, the largest first", async () => {
  const compiled: string[] = [];
  const { validators, warmUp } = onFirstUse({
    validators: ({ url }) => {
      compiled.push(url);
      return (value: unknown) => ({ value });
    },
    serializers: () => () => "",
  });
  const at = { method: "POST", httpPart: "body" };
  validators({ ...at, url: "/small", schema: {} });
  const validate = validators({ ...at, url: "/used", schema: {} });
  validators({ ...at, url: "/large", schema: { description: "large" } });
  validate(1);
  warmUp();
  await expect.poll(() => compiled).toEqual(["/used", "/large", "/small"]);
});
