import { afterAll, beforeAll, expect } from "vitest";
import { covers } from "../../../../requirements/covers.ts";

import { readScope } from "../testing/audit.ts";
import { startService } from "../testing/service.ts";
import type { TestService } from "../testing/service.ts";
import type { Scope } from "../workspaces/workspaces.ts";
import type { AuditEntry } from "./audit.ts";

let service: TestService;
let scope: Scope;
beforeAll(async () => {
  service = await startService();
  scope = await readScope(service);
});
afterAll(async () => await service.close());

const entry: AuditEntry = {
  kind: "run",
  action: "billing.refund",
  status: "executed",
  actor: { type: "user", id: "mem_1", display: "ann@example.com", keyId: null, ip: "127.0.0.1" },
};

covers("audit.row.fields", "a row is in the transaction of what it tells of", async () => {
  const { db, audit } = service.service;
  const failing = db.transaction(async (tx) => {
    audit.record(tx, scope, entry);
    await tx.query.selectFrom("workspace").select("id").execute();
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  await db.transaction(async (tx) => {
    audit.record(tx, scope, { ...entry, action: "billing.kept" });
    await tx.query.selectFrom("workspace").select("id").execute();
  });
  const rows = await service.database.query("select action from audit_row where kind = 'run'");
  expect(rows).toEqual([{ action: "billing.kept" }]);
});
