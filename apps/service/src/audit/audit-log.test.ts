import { createPublicKey, verify as verifySignature } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { canonicalJson, createIdMaker, instant, systemClock, tagOf, wireId } from "../lib/lib.ts";
import type { Clock } from "../lib/lib.ts";
import { allRows, EXCHANGE, exportCsv, readScope, record, RUN, verify } from "../testing/audit.ts";
import { absentId, mintKey, otherWorkspace } from "../testing/keys.ts";
import { joined } from "../testing/people.ts";
import { startService } from "../testing/service.ts";
import { provesSuccesses } from "../testing/successes.ts";
import type { Scope } from "../accounts/accounts.ts";
import type { AuditEntry } from "./audit.ts";
import type { ApiAnswer, Parsed, TestService } from "../testing/test-service.ts";

const HOUR_MS = 3_600_000;
let hours = 0;
const clock: Clock = { now: () => instant(Date.now() + hours * HOUR_MS), monotonicMs: () => performance.now() };
const ids = createIdMaker(systemClock);
const proposalId = ids.uuid();
const runId = ids.uuid();
const env = { JUNCTION_ROLES: "api", JUNCTION_RATE_LIMITS: '{"management.write":10000,"management.read":10000}' };

let service: TestService;
let scope: Scope;
beforeAll(async () => {
  service = await startService({ env, deps: { clock } });
  scope = await readScope(service);
  const actor = { type: "rule", id: "rule_1", display: "A rule", keyId: null, ip: null } as const;
  const entries: AuditEntry[] = [
    { ...RUN, runId },
    { ...RUN, kind: "proposal", action: "proposals.approve", status: "approved", proposalId },
    { ...RUN, kind: "contract", action: "action_contracts.create", status: "ok", actor },
    { ...RUN, status: "failed", errorCode: "action_endpoint_failed", proposalId, runId },
  ];
  for (const entry of entries) await record(service, scope, entry);
});
afterAll(async () => await service.close());

async function get(path: string, key = service.key): Promise<ApiAnswer> {
  return await service.api("GET", path, undefined, { key });
}

test("each route answers as the contract says", async () => {
  const { data } = (await get("/v1/audit")).body;
  const { db, audit } = service.service;
  const exchange = await db.transaction(async (tx) => await Promise.resolve(audit.history.record(tx, scope, EXCHANGE)));
  await provesSuccesses(service, ["/v1/audit", "/v1/ai-history"], {
    "GET /v1/audit 200": async () => await get("/v1/audit"),
    "GET /v1/audit/{id} 200": async () => await get(`/v1/audit/${data[0].id}`),
    "GET /v1/audit/verify 200": async () => await get("/v1/audit/verify"),
    "GET /v1/audit/digests 200": async () => await get("/v1/audit/digests"),
    "GET /v1/audit/export.csv 200": async () => await get("/v1/audit/export.csv"),
    "GET /v1/ai-history 200": async () => await get("/v1/ai-history"),
    "GET /v1/ai-history/{id} 200": async () => await get(`/v1/ai-history/${wireId("air", scope.tag, exchange)}`),
  });
});

describe("the list", () => {
  const seqs = (rows: readonly Parsed[]): number[] => rows.map((row) => row.seq);

  test("returns the chain latest first, with stable pages while rows arrive", async () => {
    const all = await allRows(service);
    expect(seqs(all)).toEqual(all.map((_row, at) => at + 1));
    const first = (await get("/v1/audit?limit=2")).body;
    await record(service, scope, RUN);
    const second = (await get(`/v1/audit?limit=2&cursor=${first.next_cursor}`)).body;
    expect(seqs([...first.data, ...second.data])).toEqual([0, 1, 2, 3].map((back) => all.length - back));
    const other = await get(`/v1/audit?limit=2&kind=run&cursor=${first.next_cursor}`);
    expect([other.status, other.body.code]).toEqual([400, "cursor_invalid"]);
  });

  test.each([
    ["kind=run", (row: Parsed) => row.kind === "run"],
    ["kind=contract", (row: Parsed) => row.kind === "contract"],
    ["action=proposals.approve", (row: Parsed) => row.action === "proposals.approve"],
    ["actor_type=rule", (row: Parsed) => row.actor.type === "rule"],
    ["actor_type=ai", (row: Parsed) => row.actor.type === "ai"],
    ["actor_id=key_1", (row: Parsed) => row.actor.id === "key_1"],
    ["status=failed", (row: Parsed) => row.status === "failed"],
    ["status=ok", (row: Parsed) => row.status === "ok"],
  ])("can be asked for %s", async (query, matches) => {
    const wanted = (await allRows(service)).filter(matches);
    expect(wanted.length).toBeGreaterThan(0);
    expect(await allRows(service, `&${query}`)).toEqual(wanted);
  });

  test("filters by proposal and by run", async () => {
    const proposal = wireId("prop", scope.tag, proposalId);
    const run = wireId("run", scope.tag, runId);
    expect((await allRows(service, `&proposal_id=${proposal}`)).map((row) => row.status)).toEqual([
      "approved",
      "failed",
    ]);
    expect((await allRows(service, `&run_id=${run}&status=failed`)).map((row) => row.proposal_id)).toEqual([proposal]);
  });

  test("filters by time, which is the time of writing and never decreases", async () => {
    const all = await allRows(service);
    const at = all[2].created_at as string;
    expect(seqs(await allRows(service, `&created_after=${at}`))).toEqual(
      seqs(all.filter((row) => row.created_at >= at)),
    );
    expect(seqs(await allRows(service, `&created_before=${at}`))).toEqual(
      seqs(all.filter((row) => row.created_at < at)),
    );
    expect(await allRows(service, "&created_after=2100-01-01T00:00:00Z")).toEqual([]);
    expect((await get("/v1/audit?created_after=yesterday")).body.code).toBe("query_invalid");
    const times = all.map((row) => row.created_at as string);
    expect(times).toEqual(times.toSorted());
  });

  test("contains only rows of the caller's workspace and environment", async () => {
    const other = await otherWorkspace(service);
    expect((await get("/v1/audit", other.key)).body.data).toEqual([]);
    const { id } = (await allRows(service))[0];
    expect((await get(`/v1/audit/${id}`, other.key)).body.code).toBe("workspace_mismatch");
    expect((await get(`/v1/audit/${absentId(scope, "aud")}`)).status).toBe(404);
    expect((await get("/v1/audit/aud_1")).status).toBe(404);
    const prop = wireId("prop", tagOf(scope.tag, "sandbox"), proposalId);
    expect((await get(`/v1/audit?proposal_id=${prop}`)).body.code).toBe("environment_mismatch");
    expect(await verify(service, "", other.key)).toMatchObject({ ok: true, checked: 0 });
  });
});

describe("the export", () => {
  covers("audit.export.owners", "is available to owners, by key or in the console, and refused to others", async () => {
    for (const role of ["admin", "developer", "operator", "viewer"]) {
      const person = await joined(service, role);
      const refused = await person.call("GET", "/v1/audit/export.csv");
      expect([role, refused.status, refused.body.code]).toEqual([role, 403, "role_not_allowed"]);
      const listed = await person.call("GET", "/v1/audit");
      expect([role, listed.status]).toEqual([role, role === "admin" ? 200 : 403]);
    }
    const scoped = await mintKey(service, {
      actor_type: "user",
      permission_mode: "restricted",
      blocked_actions: ["audit.export"],
    });
    expect((await get("/v1/audit/export.csv", scoped.key)).body.code).toBe("action_blocked");
    const { body } = await get("/v1/roles");
    const may = body.data
      .filter((one: Parsed) => one.operations.some((operation: Parsed) => operation.name === "audit.export"))
      .map((one: Parsed) => one.role);
    expect(may).toEqual(["owner"]);
  });

  test("a workspace reads its whole log a few times at once, as others can", async () => {
    const other = await otherWorkspace(service);
    const path = "/v1/audit/verify";
    const { database } = service;
    // No read ends before the lock.
    const locked = database.query("begin; lock table audit_head; select pg_sleep(5); commit");
    const held = "select 1 from pg_locks where relation = 'audit_head'::regclass and granted and mode like 'AccessEx%'";
    await expect.poll(async () => (await database.query(held)).length).toBe(1);
    const exports = Array.from({ length: 2 }, async () => await get("/v1/audit/export.csv"));
    const own = [...exports, get(path), get(path)];
    const others = get(path, other.key);
    expect((await Promise.race(own)).body.code).toBe("too_many_streams");
    await locked;
    const statuses = (await Promise.all(own)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 200, 200, 429]);
    expect([(await others).status, (await get(path)).status]).toEqual([200, 200]);
  });

  covers("audit.export.csv", "is CSV in chain order, with a header and one line per row", async () => {
    const response = await fetch(`${service.baseUrl}/v1/audit/export.csv?kind=contract`, {
      headers: { Authorization: `Bearer ${service.key}` },
    });
    expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    expect(response.headers.get("content-disposition")).toBe('attachment; filename="audit.csv"');
    const [header = "", row = "", end] = (await response.text()).split("\r\n");
    expect([header.split(",").slice(0, 3), end]).toEqual([["seq", "id", "object"], ""]);
    expect(row).toContain(",contract,action_contracts.create,ok,,rule,rule_1,A rule,,,");
  });

  test("is recorded as a row with its filters, but not in its own file", async () => {
    const before = (await allRows(service)).length;
    const lines = (await exportCsv(service)).split(/\r\n(?=\d+,aud_)/).length - 1;
    expect(lines).toBe(before);
    await exportCsv(service, "?action=keys.create");
    expect((await allRows(service)).slice(before)).toMatchObject([
      { kind: "audit", action: "audit.export", status: "ok", params_redacted: {} },
      { kind: "audit", action: "audit.export", status: "ok", params_redacted: { action: "keys.create" } },
    ]);
  });

  test("neutralizes formulas, in full width and after blanks too, but keeps numbers", async () => {
    const shown: readonly (readonly [string, string])[] = [
      ["=1+1", "'=1+1"],
      ["+49", "'+49"],
      ["-1+1", "'-1+1"],
      ["@sum", "'@sum"],
      ["\t=1", "'\t=1"],
      ["\r=1", '"\'\r=1"'],
      ["  =1", "'  =1"],
      ["＝1", "'＝1"],
      ["＋1", "'＋1"],
      ["－1", "'－1"],
      ["＠x", "'＠x"],
      ["'quoted", "''quoted"],
      ['=HYPERLINK("a","b")', `"'=HYPERLINK(""a"",""b"")"`],
      ["a=b", "a=b"],
      ["-12.5", "-12.5"],
      ["", '""'],
      ['say "hi", or\r\nnot', '"say ""hi"", or\r\nnot"'],
    ];
    for (const [text] of shown)
      await record(service, scope, { ...RUN, action: "csv.test", actor: { ...RUN.actor, display: text } });
    const lines = (await exportCsv(service, "?action=csv.test")).split(/\r\n(?=\d+,aud_)/).slice(1);
    expect(lines.length).toBe(shown.length);
    lines.forEach((line, at) => {
      const [text, cell] = shown[at] ?? ["", ""];
      expect([text, line.includes(`,ai,key_1,${cell},key_1,`)]).toEqual([text, true]);
      expect(line).toMatch(/^\d+,aud_.*,82,api\.example\.com,200,/s);
    });
  });

  test("is complete for a chain of many chunks, which verify reads in full", async () => {
    for (let round = 0; round < 3; round += 1)
      await record(service, scope, ...Array.from({ length: 450 }, () => ({ ...RUN, action: "many.rows" })));
    const lines = (await exportCsv(service)).split(/\r\n(?=\d+,aud_)/).slice(1);
    expect(lines.map((line) => Number.parseInt(line, 10))).toEqual(lines.map((_line, at) => at + 1));
    expect((await exportCsv(service, "?action=many.rows")).match(/many\.rows/g)?.length).toBe(1350);
    expect(await verify(service)).toMatchObject({ ok: true, checked: lines.length + 2 });
  });
});

describe("signed digests", () => {
  test("exist once per hour and chain with new rows, even if nodes sign concurrently", async () => {
    const second = await startService({ on: service, env, deps: { clock } });
    const sign = async (): Promise<void> => {
      const { digests } = service.service.audit;
      await Promise.all([digests.sign(), second.service.audit.digests.sign(), digests.sign()]);
    };
    await sign();
    hours += 1;
    await sign();
    await record(service, scope, RUN);
    hours += 1;
    await sign();
    await record(service, scope, RUN);
    await sign();
    const { data } = (await get("/v1/audit/digests")).body;
    expect(data.length).toBe(2);
    expect(data.map((one: Parsed) => one.seq)).toEqual(
      data
        .map((one: Parsed) => one.seq)
        .toSorted()
        .toReversed(),
    );
    expect(Date.parse(data[0].to) - Date.parse(data[0].from)).toBe(HOUR_MS);
    expect(Date.parse(data[0].from) - Date.parse(data[1].from)).toBe(2 * HOUR_MS);
    const [row] = await allRows(service, `&created_after=${data[1].at}`).then((rows) =>
      rows.filter((one) => one.seq === data[0].seq),
    );
    expect(row?.hash).toBe(data[0].hash);
    await second.close();
  });

  test("can be verified with the returned public key, which all nodes share permanently", async () => {
    const { data, public_key: pem } = (await get("/v1/audit/digests?limit=1")).body;
    const { signature, ...signed } = data[0];
    const holds = (text: string): boolean =>
      verifySignature(null, Buffer.from(text), createPublicKey(pem), Buffer.from(signature, "base64"));
    expect(holds(canonicalJson(signed))).toBe(true);
    expect(holds(canonicalJson({ ...signed, seq: signed.seq + 1 }))).toBe(false);
    const other = await startService({ on: service, env });
    expect((await other.api("GET", "/v1/audit/digests", undefined, { key: service.key })).body.public_key).toBe(pem);
    await other.close();
    const keys = await service.database.query(
      "select 1 from audit_signing_key where private_sealed::text like '%PRIVATE%'",
    );
    expect(keys).toEqual([]);
  });

  test("have stable pages and belong to the caller's chain", async () => {
    const first = (await get("/v1/audit/digests?limit=1")).body;
    const second = (await get(`/v1/audit/digests?limit=1&cursor=${first.next_cursor}`)).body;
    expect([first.has_more, second.has_more, second.data.length]).toEqual([true, false, 1]);
    expect(Date.parse(second.data[0].at)).toBeLessThan(Date.parse(first.data[0].at));
    expect((await get("/v1/audit/digests", (await otherWorkspace(service)).key)).body.data).toEqual([]);
  });
});

describe("the AI history", () => {
  covers("assistant.history.recorded", "contains each prompt, response, tool call and result, redacted", async () => {
    const { db, audit } = service.service;
    const uuid = await db.transaction(async (tx) => {
      const made = audit.history.record(tx, scope, { ...EXCHANGE, prompt: "key: jn_live_".padEnd(70, "x") });
      audit.history.addResult(tx, scope, made, {
        toolCallId: "call_1",
        action: "billing.refund",
        proposalId,
        status: "proposed",
      });
      return await Promise.resolve(made);
    });
    await db.transaction(async (tx) => {
      audit.history.addResult(tx, scope, uuid, {
        toolCallId: "call_1",
        action: "billing.refund",
        proposalId,
        runId,
        status: "executed",
        result: { refunded: true, token: "abc" },
      });
      await Promise.resolve();
    });
    const id = wireId("air", scope.tag, uuid);
    const { body } = await get(`/v1/ai-history/${id}`);
    expect(body).toMatchObject({
      id,
      prompt: "key: [redacted]",
      response: "I propose a refund",
      tool_calls: [{ id: "call_1", name: "billing.refund", arguments: { order: "10482", password: "[redacted]" } }],
      results: [
        {
          tool_call_id: "call_1",
          status: "proposed",
          proposal_id: wireId("prop", scope.tag, proposalId),
          result: null,
        },
        {
          status: "executed",
          run_id: wireId("run", scope.tag, runId),
          result: { refunded: true, token: "[redacted]" },
        },
      ],
      usage: { input_tokens: 12, output_tokens: 5 },
      duration_ms: 81,
    });
    expect((await get("/v1/ai-history?limit=1")).body.data).toEqual([body]);
  });

  test("keeps long prompts, filters by status and event, and is separate per environment", async () => {
    const { db, audit } = service.service;
    const eventId = ids.uuid();
    await db.transaction(async (tx) => {
      const failed = { status: "failed", errorCode: "service_unavailable", response: null, eventId } as const;
      audit.history.record(tx, scope, { ...EXCHANGE, ...failed, prompt: "word ".repeat(6000) });
      await Promise.resolve();
    });
    const byStatus = (await get("/v1/ai-history?status=failed")).body.data;
    const byEvent = (await get(`/v1/ai-history?event_id=${wireId("evt", scope.tag, eventId)}`)).body.data;
    expect(byEvent).toEqual(byStatus);
    expect(byStatus).toMatchObject([{ error_code: "service_unavailable", response: null }]);
    expect(byStatus[0].prompt).toBe("word ".repeat(6000));
    await service.database.query("update api_key set role = 'owner' where name = 'Sandbox key'");
    expect((await get("/v1/ai-history", service.sandboxKey)).body.data).toEqual([]);
    expect((await get(`/v1/ai-history/${byStatus[0].id}`, service.sandboxKey)).body.code).toBe("environment_mismatch");
    expect((await get(`/v1/ai-history/${absentId(scope, "air")}`)).status).toBe(404);
  });
});
