import { afterAll, beforeAll, expect, test } from "vitest";
import { exportCsv } from "../testing/audit.ts";
import { apiCall, callOf, calls } from "../testing/calls.ts";
import { connectorsEnvironment } from "../testing/connectors.ts";
import { everythingShown } from "../testing/crawl.ts";
import { dump } from "../testing/dump.ts";
import { mintKey } from "../testing/keys.ts";
import { canary, plantingsOf, SUNG, withValue } from "../testing/plantings.ts";
import type { Planting } from "../testing/plantings.ts";
import { freePort, startProcess } from "../testing/process.ts";
import type { ServiceProcess } from "../testing/process.ts";
import { startReceiver } from "../testing/receiver.ts";
import type { Receiver } from "../testing/receiver.ts";
import { bodyFields, fieldName } from "../testing/secret-fields.ts";
import type { BodyField } from "../testing/secret-fields.ts";
import { serviceAt } from "../testing/service-at.ts";
import { MASTER_KEY, startService } from "../testing/service.ts";
import { UNLIMITED } from "../testing/subscription.ts";
import type { Parsed, TestService } from "../testing/test-service.ts";

const METRICS_TOKEN = "token-of-the-metrics";

/** Secrets that callers choose, and that the response to the call contains once. */
const SHOWN_ONCE = ["inbound_endpoints.create secret", "inbound_endpoints.secret.regenerate secret"];

/** Operations that show secrets to owners and refuse all other callers. */
const REVEALS = ["webhook_endpoints.headers", "rules.headers", "workflows.headers"];

/** The operation that is tested on its own, because its link works once per installation. */
const CLAIM = "claimWorkspace";

let service: TestService;
let process: ServiceProcess;
let node: TestService;
let backend: Receiver;
let collector: Receiver;
let document: Parsed;
let byOperation: ReadonlyMap<string, BodyField[]>;

beforeAll(async () => {
  // Background work runs in the other process, which logs everything.
  service = await startService({ env: { ...UNLIMITED, JUNCTION_ROLES: "api" } });
  backend = await startReceiver();
  backend.answer((response) => response.end("{}"));
  collector = await startReceiver();
  process = startProcess(
    {
      ...connectorsEnvironment,
      ...UNLIMITED,
      DATABASE_URL: service.database.url,
      JUNCTION_MASTER_KEY: MASTER_KEY,
      JUNCTION_LOG_LEVEL: "trace",
      JUNCTION_ALLOW_TARGETS: "127.0.0.0/8",
      JUNCTION_METRICS_TOKEN: METRICS_TOKEN,
      OTEL_EXPORTER_OTLP_ENDPOINT: new URL(collector.url).origin,
    },
    await freePort(),
  );
  await process.ready();
  node = serviceAt(service, process);
  document = (await node.api("GET", "/openapi.json")).body;
  byOperation = Map.groupBy(bodyFields(document), ({ operation }) => operation);
});
afterAll(async () => {
  await process.kill();
  await service.close();
  await backend.close();
  await collector.close();
});

type Secrets = Record<string, string>;

function routeOf({ operation, method, route }: BodyField): Parameters<typeof apiCall>[0] {
  return { operation, method, access: "write", path: route, query: new Set() };
}

async function send(field: BodyField, { args, key, send: sendAs }: Planting) {
  const call = apiCall(routeOf(field), args);
  if (sendAs !== undefined) return await sendAs(call);
  return await node.api(call.method, call.path, call.body, key === undefined ? {} : { key });
}

/** Plants a canary in every secret of an operation. Returns the canaries to look for, and the faults. */
async function plant(fields: readonly BodyField[]): Promise<{ secrets: Secrets; faults: string[] }> {
  const [first] = fields;
  if (first === undefined) return { secrets: {}, faults: [] };
  const plantings = await plantingsOf({ node, backend }, fields);
  const secrets: Secrets = Object.assign({}, ...plantings.map((one) => one.secrets));
  const faults = fields.flatMap((field) =>
    fieldName(field) in secrets ? [] : [`nothing is planted in ${fieldName(field)}`],
  );
  for (const planting of plantings) {
    const { status, text } = await send(first, planting);
    if (status >= 300) faults.push(`${first.operation} was answered ${status}: ${text}`);
    for (const [name, secret] of Object.entries(planting.secrets))
      if (holds(text, secret) && !SHOWN_ONCE.includes(name)) faults.push(`${name} is in the answer`);
  }
  return { secrets, faults };
}

/** Claims the installation for its first owner, as if it had none. */
async function claim(): Promise<Secrets> {
  await service.database.query("update api_key set member_id = null");
  for (const table of ["invitation", "reset_link", "member"]) await service.database.query(`delete from ${table}`);
  const token = (await service.service.workspaces.newSetupToken()) ?? "";
  const password = canary();
  const body = { token, password, email: "claims@example.com", name: "Claims" };
  const answer = await node.api("POST", "/v1/auth/setup", body, { key: null });
  expect(answer.status).toBe(201);
  return { [`${CLAIM} token`]: token, [`${CLAIM} password`]: password };
}

async function shownTo(): Promise<Record<string, string>> {
  const keys: Record<string, string> = { owner: service.key, "the sandbox": service.sandboxKey };
  for (const role of ["admin", "developer", "operator", "viewer", "ai"])
    keys[role] = (await mintKey(service, { role })).key;
  const shown: Record<string, string> = {};
  for (const [who, key] of Object.entries(keys))
    shown[`what is shown to ${who}`] = await everythingShown(node, document, {
      key,
      but: who === "owner" ? REVEALS : [],
    });
  return shown;
}

async function metrics(): Promise<string> {
  const headers = { Authorization: `Bearer ${METRICS_TOKEN}` };
  return await (await fetch(`${node.baseUrl}/metrics`, { headers })).text();
}

function traces(): string {
  return collector.received.map(({ body }) => body).join("\n");
}

/** Returns a dump with each row after the name of its table. */
async function wholeDump(): Promise<string> {
  return [...(await dump(service))].map(([table, rows]) => `${table} ${rows}`).join("\n");
}

/** Finds codes of six digits only where they are separate words. */
function holds(text: string, secret: string): boolean {
  return /^\d{6}$/.test(secret) ? new RegExp(`(?<![\\w.])${secret}(?![\\w.])`).test(text) : text.includes(secret);
}

/** Returns the places of the secrets, each with its line. */
function foundIn(secrets: Secrets, places: Secrets): string[] {
  return Object.entries(secrets).flatMap(([what, secret]) =>
    Object.entries(places).flatMap(([where, text]) => {
      const line = text.split("\n").find((one) => holds(one, secret));
      return line === undefined ? [] : [`${what} in ${where}: ${line.slice(0, 300)}`];
    }),
  );
}

/** Returns the text in the form that the contract requires for the field, or undefined if none is valid. */
function valueFor({ path, schema, open }: BodyField, text: string): unknown {
  if (open) return { note: text };
  const name = path.findLast((step) => step !== "0" && step !== "*") ?? "";
  if (schema.format !== undefined || schema.maxLength < text.length) return undefined;
  if (/email/.test(name)) return `${text}@example.com`;
  if (/url|endpoint$/.test(name)) return `http://127.0.0.1:9/${text}`;
  return name.endsWith("_path") ? `$.${text}` : text;
}

test("a canary in any other field never appears in logs or metrics", async () => {
  const texts: Secrets = {};
  const statuses: number[] = [];
  for (const [operation, all] of byOperation) {
    const isCalled = Object.hasOwn(calls, operation);
    const { args, send: sendAs } = isCalled ? await callOf(node, operation, "good") : { args: {} };
    for (const field of all.filter(({ secret }) => !secret)) {
      const text = canary();
      const value = valueFor(field, text);
      if (value === undefined) continue;
      texts[fieldName(field)] = text;
      const changed = withValue(args, field.path, value) as Planting["args"];
      const planting = { args: changed, secrets: {}, ...(sendAs !== undefined && { send: sendAs }) };
      statuses.push((await send(field, planting)).status);
    }
  }
  await node.api("POST", "/v1/events/fire", { event: "test.nothing", data: { n: 1 } });
  // Many values are refused, by a pattern or as an unknown name. They must not be logged either.
  expect(statuses.filter((status) => status < 300).length).toBeGreaterThan(100);
  expect(foundIn(texts, { "the log": process.output(), "the metrics": await metrics() })).toEqual([]);
}, 600_000);

// This test comes last, because the claim removes the members.
test("a canary in every secret field of every operation is accepted and never exposed", async () => {
  const secrets: Secrets = {};
  const faults: string[] = [];
  for (const [operation, all] of byOperation) {
    const fields = all.filter(({ secret }) => secret);
    if (fields.length === 0 || operation === CLAIM) continue;
    const done = await plant(fields);
    Object.assign(secrets, done.secrets);
    faults.push(...done.faults);
  }
  expect(Object.keys(secrets).length).toBeGreaterThan(20);
  await node.api("POST", "/v1/events/fire", { event: SUNG, data: { n: 1 } });
  await node.api("POST", "/v1/events/fire", { event: "test.nothing", data: { n: 1 } });
  const places: Secrets = {
    ...(await shownTo()),
    "the export of the audit": await exportCsv(service),
    "the database": await wholeDump(),
  };
  Object.assign(secrets, await claim());
  places["the database after the claim"] = await wholeDump();
  places["the metrics"] = await metrics();
  places["the traces"] = traces();
  places["the log"] = process.output();
  expect(Object.entries(places).flatMap(([where, text]) => (text.length > 500 ? [] : [where]))).toEqual([]);
  expect([...faults, ...foundIn(secrets, places)]).toEqual([]);
}, 600_000);
