import { expect, test } from "vitest";
import { actionOf, toolName } from "./tool-names.ts";

test("a contract's key and its function name convert to each other", () => {
  for (const key of ["crm.deal_update", "a.b.c", "stripe.refund"]) expect(actionOf(String(toolName(key)))).toBe(key);
  expect(toolName("crm.deal_update")).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  expect(toolName(`a.${"b".repeat(63)}`)).toBeNull();
});
