import type { ApiAnswer, Parsed } from "./test-service.ts";

/** Returns the status and code of a refusal, and the pointer and code of each of its errors. */
export function refusal({ status, body }: ApiAnswer): unknown[] {
  return [status, body["code"], ...(body["errors"] ?? []).map((one: Parsed) => `${one.pointer} ${one.code}`)];
}
