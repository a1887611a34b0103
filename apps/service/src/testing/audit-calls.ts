import { EXCHANGE, readScope } from "./audit.ts";
import type { Parsed, TestService } from "./test-service.ts";

type Args = Record<string, unknown>;

/** Calls of the audit operations for testing/calls.ts. `absent` returns an id that no object has. */
export function auditCalls(absent: (service: TestService, prefix: "aud" | "air") => Promise<Args>) {
  const noQuery = (): Args => ({ limit: 101 });
  return {
    "audit.list": { good: () => ({ limit: 1, kind: "key" }), bad: () => ({ kind: "x" }) },
    "audit.get": { good: newestRow, bad: async (service: TestService) => await absent(service, "aud") },
    "audit.verify": { good: () => ({}), bad: () => ({ from_seq: 0 }) },
    "audit.digests.list": { good: () => ({ limit: 1 }), bad: noQuery },
    "audit.export": { good: () => ({ kind: "connector" }), bad: () => ({ limit: 1 }) },
    "ai_history.list": { good: () => ({ limit: 1 }), bad: noQuery },
    "ai_history.get": { good: freshExchange, bad: async (service: TestService) => await absent(service, "air") },
  };
}

async function newestRow(service: TestService): Promise<Args> {
  const { data } = (await service.api("GET", "/v1/audit?limit=1&kind=workspace")).body;
  return { id: (data as Parsed[])[0].id };
}

async function freshExchange(service: TestService): Promise<Args> {
  const scope = await readScope(service);
  const { db, audit } = service.service;
  await db.transaction(async (tx) => await Promise.resolve(audit.history.record(tx, scope, EXCHANGE)));
  const { data } = (await service.api("GET", "/v1/ai-history?limit=1")).body;
  return { id: (data as Parsed[])[0].id };
}
