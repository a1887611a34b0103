import { Validator } from "@seriousme/openapi-schema-validator";
import { afterAll, beforeAll, expect } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { startService } from "../testing/service.ts";
import type { TestService } from "../testing/service.ts";

let service: TestService;

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service.close());

covers("openapi.document.version", "the OpenAPI document is of version 3.0.3 and valid", async () => {
  const { body } = await service.api("GET", "/openapi.json", undefined, { key: null });
  expect(body.openapi).toBe("3.0.3");
  expect(await new Validator().validate(body)).toEqual({ valid: true });
});
