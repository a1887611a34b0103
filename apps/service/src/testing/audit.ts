import type { AuditEntry, Exchange } from "../audit/audit.ts";
import { bucketOf, environmentOf } from "../lib/lib.ts";
import type { Tag, Uuid } from "../lib/lib.ts";
import type { Scope } from "../accounts/accounts.ts";
import type { Parsed, TestService } from "./test-service.ts";

/** Returns the live scope of the test's first workspace. */
export async function readScope(service: TestService): Promise<Scope> {
  const [row] = await service.database.query<{ id: Uuid; tag: Tag }>(
    "select id, tag from workspace order by id limit 1",
  );
  if (row === undefined) throw new Error("there is no workspace");
  return { workspaceId: row.id, tag: row.tag, bucket: bucketOf(row.tag), environment: environmentOf(row.tag) };
}

/** An exchange with a model in the form of the assistant's entries. */
export const EXCHANGE: Exchange = {
  trigger: "event",
  actor: { type: "ai", id: null, display: "Assistant", keyId: null, ip: null },
  provider: "scripted",
  model: "script",
  prompt: "A ticket came in",
  response: "I propose a refund",
  toolCalls: [{ id: "call_1", name: "billing.refund", arguments: { order: "10482", password: "hunter2" } }],
  status: "ok",
  inputTokens: 12,
  outputTokens: 5,
  durationMs: 81.4,
};

/** A run in the form of the actions module's entries. */
export const RUN: AuditEntry = {
  kind: "run",
  action: "billing.refund",
  contractVersion: 3,
  status: "executed",
  actor: { type: "ai", id: "key_1", display: "Helper", keyId: "key_1", ip: "203.0.113.7" },
  approver: { type: "user", id: "mem_1", display: "Ann", keyId: null, ip: null },
  prompt: "Refund the order of Ada",
  parameters: { order: "10482", card: "4111111111111111" },
  result: { refunded: true, token: "abc" },
  durationMs: 81.6,
  backend: { host: "api.example.com", status: 200 },
  contractSha256: "ab".repeat(32),
};

/** Writes rows in one transaction. */
export async function record(service: TestService, scope: Scope, ...entries: readonly AuditEntry[]): Promise<string[]> {
  const { db, audit } = service.service;
  return await db.transaction(
    async (tx) => await Promise.resolve(entries.map((entry) => audit.record(tx, scope, entry))),
  );
}

export interface Verified {
  readonly ok: boolean;
  readonly checked: number;
  readonly first_bad_seq: number | null;
  readonly reason: string | null;
}

export async function verify(service: TestService, query = "", key = service.key): Promise<Verified> {
  const { ok, checked, first_bad_seq, reason } = (
    await service.api("GET", `/v1/audit/verify${query}`, undefined, { key })
  ).body;
  return { ok, checked, first_bad_seq, reason };
}

/** Executes statements with the triggers turned off, which only a superuser can do. */
export async function tamper(service: TestService, statements: string): Promise<void> {
  await service.database.query(`begin; set local session_replication_role = replica; ${statements}; commit`);
}

/** Returns all rows, oldest first. */
export async function allRows(service: TestService, query = "", key = service.key): Promise<Parsed[]> {
  const rows: Parsed[] = [];
  for (let cursor = ""; ;) {
    const path = `/v1/audit?limit=100${query}${cursor === "" ? "" : `&cursor=${cursor}`}`;
    const { body } = await service.api("GET", path, undefined, { key });
    rows.push(...body.data);
    if (body.has_more !== true) return rows.toReversed();
    cursor = body.next_cursor;
  }
}

/** Returns the export as it is downloaded. */
export async function exportCsv(service: TestService, query = "", key = service.key): Promise<string> {
  const response = await fetch(`${service.baseUrl}/v1/audit/export.csv${query}`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  if (response.status !== 200) throw new Error(`not exported: ${await response.text()}`);
  return await response.text();
}
