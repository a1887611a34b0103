import { test } from "vitest";
import type { RequirementId } from "./ids.generated.ts";

export type { RequirementId } from "./ids.generated.ts";

/**
 * Registers a test named `sentence [id, ...]` that proves the requirements it cites. `timeoutMs` replaces the
 * default of vitest.config.ts. `tools/requirements-report.ts` finds these calls by reading the source, so the ids
 * must be written as literals at the call.
 */
export function covers(
  id: RequirementId | readonly RequirementId[],
  sentence: string,
  prove: () => void | Promise<void>,
  timeoutMs?: number,
): void {
  const ids = typeof id === "string" ? id : id.join(", ");
  test(`${sentence} [${ids}]`, async () => await prove(), timeoutMs);
}
