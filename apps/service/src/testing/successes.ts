import { Ajv } from "ajv";
import { expect } from "vitest";
import { documentedOperations } from "./documented.ts";
import type { ApiAnswer, TestService } from "./test-service.ts";

/** Calls by the response that they must get, such as `POST /v1/events/fire 202`. */
export type Successes = Readonly<Record<string, () => Promise<ApiAnswer>>>;

/**
 * Makes the calls in order. Each response must have the status in its name and a body that the document's schema accepts. The
 * names must be exactly the successes that the document declares under these paths.
 */
export async function provesSuccesses(service: TestService, paths: readonly string[], calls: Successes): Promise<void> {
  const operations = (await documentedOperations(service)).filter(({ path }) =>
    paths.some((start) => path === start || path.startsWith(`${start}/`)),
  );
  const declared = operations.flatMap(({ name, statuses }) =>
    statuses.filter((status) => status < 300).map((status) => `${name} ${status}`),
  );
  expect(Object.keys(calls).toSorted()).toEqual(declared.toSorted());
  const ajv = new Ajv({ strict: false, allErrors: true, formats: { "date-time": /^\d{4}-\d\d-\d\dT[\d:.]+Z$/ } });
  for (const [name, call] of Object.entries(calls)) {
    const status = Number(name.slice(-3));
    const answer = await call();
    expect([name, answer.status]).toEqual([name, status]);
    const schema = operations.find((operation) => name.startsWith(`${operation.name} `))?.answer(status);
    const isJson = answer.headers.get("content-type")?.startsWith("application/json") ?? false;
    expect([name, schema !== undefined]).toEqual([name, isJson]);
    if (schema === undefined) continue;
    const fits = ajv.compile(schema);
    fits(answer.body);
    expect([name, fits.errors]).toEqual([name, null]);
  }
}
