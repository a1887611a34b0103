import { afterAll, beforeAll, expect, test } from "vitest";
import { wireId } from "../lib/lib.ts";
import { allRows, EXCHANGE, exportCsv, readScope, record, RUN } from "../testing/audit.ts";
import { mintKey } from "../testing/keys.ts";
import { freePort, startProcess } from "../testing/process.ts";
import { MASTER_KEY, startService } from "../testing/service.ts";
import type { Scope } from "../accounts/accounts.ts";
import type { TestService } from "../testing/test-service.ts";

/**
 * Columns with encrypted values that are not secrets of a workspace: answers, parameters, results, and the
 * authentication secrets of people.
 */
const NOT_WORKSPACE_SECRETS = new Set([
  "idempotency.response_sealed",
  "idempotency.response_short_sealed",
  "action_run.result_sealed",
  "assistant_task.answer_sealed",
  "inbox.secret_sealed",
  // The token is a part of the inbox's URL, and is redacted by the form of that URL.
  "inbox.token_sealed",
  "person.totp_pending_sealed",
  "person.totp_sealed",
  "audit_signing_key.private_sealed",
  // The result of a backend, stored for an undo.
  "action_run.result_sealed",
  // The seed never leaves the service. The URL that is derived from it is shown to every reader of the connector.
  "connector_install.hook_seed_sealed",
]);

let service: TestService;
let scope: Scope;
beforeAll(async () => {
  service = await startService();
  scope = await readScope(service);
});
afterAll(async () => await service.close());

/** Returns the row that is written if its members contain these texts. */
async function writtenOf(texts: readonly string[]): Promise<string> {
  const [id = ""] = await record(service, scope, {
    ...RUN,
    prompt: texts.join(" | "),
    parameters: texts,
    result: { texts },
  });
  return (await service.api("GET", `/v1/audit/${id}`)).text;
}

async function secretsOf(): Promise<Record<string, string>> {
  const endpoint = await service.endpoint("http://127.0.0.1:9/", {
    events: ["test.nothing"],
    headers: { Authorization: "Bearer sesame-4711", "X-Tenant": "acme" },
  });
  const source = await service.api("POST", "/v1/inbound-endpoints", { name: "S", secret: "dictated by them" });
  await service.api("PUT", "/v1/secrets/backend", { value: "what the backend wants" });
  const key = await service.api("POST", "/v1/keys", { name: "signs", permission_mode: "all", signing_secret: true });
  return {
    "an endpoint's secret": endpoint.secret,
    "an endpoint's secret without its prefix": endpoint.secret.slice("whsec_".length),
    "a header's credential": "sesame-4711",
    "a source's secret": "dictated by them",
    "a source's token": new URL(source.body.url as string).searchParams.get("t") ?? "",
    "a backend's credential": "what the backend wants",
    "a key": service.key,
    "a key's signing secret": key.body.signing_secret,
  };
}

test("the workspace's own secrets are redacted everywhere, as soon as they exist", async () => {
  const secrets = await secretsOf();
  const written = await writtenOf(Object.values(secrets));
  for (const [what, secret] of Object.entries(secrets)) expect([what, written.includes(secret)]).toEqual([what, false]);
  expect(written).toContain("[redacted] | [redacted]");
  expect(await writtenOf(["acme"])).toContain("acme");
});

test("the workspace's own secrets are redacted in the short members of audit entries too", async () => {
  const secret = "the short one of them";
  await service.api("POST", "/v1/inbound-endpoints", { name: "Short", secret });
  const [id = ""] = await record(service, scope, {
    ...RUN,
    action: `run ${secret}`,
    status: `ended ${secret}`,
    errorCode: `failed ${secret}`,
    actor: { ...RUN.actor, display: `Helper ${secret}` },
    approver: { type: "user", id: "mem_1", display: `Ann ${secret}`, keyId: null, ip: null },
    backend: { host: `${secret}.example.com`, status: 200 },
    requestId: `req ${secret}`,
  });
  const { text, body } = await service.api("GET", `/v1/audit/${id}`);
  expect(text).not.toContain(secret);
  expect(body).toMatchObject({ action: "run [redacted]", actor: { display: "Helper [redacted]", id: "key_1" } });
});

test("the workspace's own secrets are redacted in the results of the AI history", async () => {
  const secret = "the secret of a result";
  await service.api("POST", "/v1/inbound-endpoints", { name: "Result", secret });
  const { db, audit } = service.service;
  const id = await db.transaction(async (tx) => {
    const exchange = audit.history.record(tx, scope, EXCHANGE);
    const result = { toolCallId: `call ${secret}`, errorCode: `failed ${secret}`, action: "a.b", status: "failed" };
    audit.history.addResult(tx, scope, exchange, result);
    return await Promise.resolve(exchange);
  });
  const { results } = (await service.api("GET", `/v1/ai-history/${wireId("air", scope.tag, id)}`)).body;
  expect(results).toMatchObject([{ tool_call_id: "call [redacted]", error_code: "failed [redacted]" }]);
});

test("a changed secret is redacted in the next row, and unchanged ones are cached", async () => {
  const source = await service.api("POST", "/v1/inbound-endpoints", { name: "T", secret: "the first of them" });
  const path = `/v1/inbound-endpoints/${source.body.id}/secret/regenerate`;
  expect(await writtenOf(["the first of them", "the second of them"])).toContain("the second of them");
  await service.api("POST", path, { secret: "the second of them" });
  const written = await writtenOf(["the first of them", "the second of them"]);
  expect(written).not.toContain("the second of them");
  expect(written).toContain("the first of them");
  const version = async (): Promise<unknown> => await service.database.query("select version from secret_version");
  const before = await version();
  await mintKey(service);
  await service.fire();
  await writtenOf(["x"]);
  expect(await version()).toEqual(before);
});

test("concurrent transactions after changes get redactors without waiting for the pool's connections", async () => {
  await Promise.all(
    Array.from({ length: 40 }, async (_, at) => {
      const secret = `secret number ${at} of many`;
      await service.api("POST", "/v1/inbound-endpoints", { name: "U", secret });
      expect(await writtenOf([secret])).not.toContain(secret);
    }),
  );
});

test("other modules redact their texts with the same redactor", async () => {
  const redactor = await service.service.audit.redactorOf(scope);
  expect(redactor.text("please use dictated by them today")).toBe("please use [redacted] today");
});

test("every column with an encrypted secret is watched, so that no change is missed", async () => {
  const columns = await service.database.query<{ name: string; watched: boolean }>(
    `select c.relname || '.' || a.attname as name, exists (select from pg_trigger t
        where t.tgrelid = c.oid and t.tgname = 'secret_changed' and (a.attnum = any(t.tgattr::int2[]))) as watched
      from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and a.attname like '%sealed' and a.attname not like 'parameters%'`,
  );
  const missed = columns.filter(({ name, watched }) => !watched && !NOT_WORKSPACE_SECRETS.has(name));
  expect(missed).toEqual([]);
});

test("planted secrets in prompts, parameters, results and calls reach no table, export or log", async () => {
  const canaries = [
    "canary-password-1",
    `jn_live_${"c4n".repeat(17)}`.slice(0, 57),
    "4242424242424242",
    "canary dictated",
  ];
  const [password = "", key = "", card = "", dictated = ""] = canaries;
  const node = startProcess(
    { DATABASE_URL: service.database.url, JUNCTION_MASTER_KEY: MASTER_KEY, JUNCTION_LOG_LEVEL: "trace" },
    await freePort(),
  );
  await node.ready();
  await service.api("POST", "/v1/inbound-endpoints", { name: "C", secret: dictated });
  await record(service, scope, {
    ...RUN,
    prompt: `use ${key} and pay with ${card}, say ${dictated}, password=${password}`,
    parameters: { password, deep: [{ card_number: card, text: JSON.stringify({ token: password, other: [key] }) }] },
    result: `Authorization: Bearer ${password}\n${dictated}`,
    errorCode: key,
    actor: { ...RUN.actor, display: `Ann ${key}` },
  });
  const { db, audit } = service.service;
  await db.transaction(async (tx) => {
    const made = audit.history.record(tx, scope, {
      ...EXCHANGE,
      prompt: `${key} ${dictated}`,
      response: `password: ${password}`,
      toolCalls: [{ id: "1", name: "pay", arguments: { card, note: dictated } }],
    });
    audit.history.addResult(tx, scope, made, { action: "pay", status: "failed", result: { password, text: key } });
    await Promise.resolve();
  });
  const calls: readonly [string, string, object][] = [
    ["POST", "/v1/auth/sign-in", { email: "owner@example.com", password }],
    ["PUT", "/v1/secrets/canary", { value: dictated }],
    ["POST", "/v1/keys", { name: key, permission_mode: "all", token: password }],
    ["POST", `/v1/keys/${key}/revoke?card=${card}`, {}],
  ];
  for (const [method, path, body] of calls)
    await fetch(node.baseUrl + path, {
      method,
      headers: { Authorization: `Bearer ${service.key}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  await node.stop();
  await service.endpoint("http://127.0.0.1:9/", { events: ["test.nothing"], headers: { "X-Any": key } });
  await allRows(service);
  const tables = ["audit_row", "audit_head", "audit_digest", "ai_history", "ai_history_result"];
  const dumped = await Promise.all(
    tables.map(async (table) => await service.database.query<{ row: string }>(`select t::text as row from ${table} t`)),
  );
  const seen = [...dumped.flat().map(({ row }) => row), await exportCsv(service), node.output()].join("\n");
  expect(seen).toContain("[redacted]");
  for (const canary of canaries) expect([canary, seen.includes(canary)]).toEqual([canary, false]);
});
