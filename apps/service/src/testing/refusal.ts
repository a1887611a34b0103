import type { ApiAnswer, Parsed } from "./test-service.ts";

/** Status and code of a refusal, and of each of its errors the pointer and code. */
export function refusal({ status, body }: ApiAnswer): unknown[] {
  return [status, body["code"], ...(body["errors"] ?? []).map((one: Parsed) => `${one.pointer} ${one.code}`)];
}
