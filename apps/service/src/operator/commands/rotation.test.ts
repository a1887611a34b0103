import { fork } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSealer } from "../../lib/lib.ts";
import type { SealedColumn } from "../../lib/lib.ts";
import { allRows } from "../../testing/audit.ts";
import { inboundBody, makeSource } from "../../testing/inbound.ts";
import type { TestSource } from "../../testing/inbound.ts";
import { startReceiver } from "../../testing/receiver.ts";
import type { Receiver } from "../../testing/receiver.ts";
import { MASTER_KEY, startService } from "../../testing/service.ts";
import { macHex, unsigned } from "../../testing/signature.ts";
import type { TestService } from "../../testing/test-service.ts";

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));
const NEW = randomBytes(32).toString("base64");
const old = createSealer(Buffer.from(MASTER_KEY, "base64"));
const fresh = createSealer(Buffer.from(NEW, "base64"));

const running: TestService[] = [];
let before: TestService;
let receiver: Receiver;
let source: TestSource;
let endpoint: { readonly id: string; readonly secret: string };

beforeAll(async () => {
  before = await started({ env: { JUNCTION_MASTER_KEY_PREVIOUS: NEW } });
  receiver = await startReceiver();
  endpoint = await before.endpoint(receiver.url);
  source = await makeSource(before);
  await before.api("POST", "/v1/keys", { name: "signs", permission_mode: "all", signing_secret: true });
  await before.api("PUT", "/v1/secrets/backend", { value: "what the backend wants" });
  for (const column of before.service.encryptedColumns) await plant(column);
});
afterAll(async () => {
  await receiver.close();
  for (const service of running) await service.service.stop();
  await before.database.drop();
});

async function started(options: Parameters<typeof startService>[0]): Promise<TestService> {
  const service = await startService(options);
  running.push(service);
  return service;
}

async function stop(service: TestService): Promise<void> {
  running.splice(running.indexOf(service), 1);
  await service.service.stop();
}

/** SQL values for each type that a column may have. */
const FILLING: readonly (readonly [RegExp, string])[] = [
  [/\[\]$|^ARRAY/, "'{}'"],
  [/^(?:smallint|integer|bigint|numeric)/, "1"],
  [/^uuid/, "gen_random_uuid()"],
  [/^timestamp|^date/, "now()"],
  [/^boolean/, "false"],
  [/^json/, "'{}'"],
  [/^bytea/, "'\\x00'"],
  [/./, "left(md5(random()::text), 4)"],
];

/** Inserts a row with a value in this column, encrypted with the old key. Its other values are arbitrary. */
async function plant(of: SealedColumn): Promise<void> {
  const { query } = before.database;
  const fields = await query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped and attnotnull and not atthasdef and attgenerated = ''`,
    [of.table],
  );
  const chosen: Record<string, string> = {
    id: "019aa000-0000-7000-8000-000000000001",
    owner: "workflow",
    state: "done",
    version: "1",
  };
  const row = Object.fromEntries(of.by.map((name) => [name, chosen[name] ?? `p${randomBytes(4).toString("hex")}`]));
  for (const name of of.by) if (/(?:^|_)id$/.test(name)) row[name] = crypto.randomUUID();
  const texts = Object.entries(row).map(([name, text]) => [name, `'${text}'`] as const);
  const siblings = before.service.encryptedColumns.filter(
    ({ table, by }) => table === of.table && by.every((name) => name in row),
  );
  const sealed = siblings.map(
    (one) => [one.column, `'\\x${old.seal("planted", one.place(row)).toString("hex")}'`] as const,
  );
  const values = Object.fromEntries([...texts, ...sealed]);
  const named = Object.keys(values);
  const filled = fields.filter(({ name }) => !named.includes(name));
  const fillings = filled.map(({ type }) => FILLING.find(([form]) => form.test(type))?.[1] ?? "null");
  const names = [...named, ...filled.map(({ name }) => name)].map((name) => `"${name}"`).join(", ");
  const contents = [...Object.values(values), ...fillings].join(", ");
  const checks = await query<{ name: string }>(
    "select conname as name from pg_constraint where conrelid = $1::regclass and contype = 'c'",
    [of.table],
  );
  const dropped = checks.map(({ name }) => `alter table ${of.table} drop constraint if exists "${name}";`).join(" ");
  const insert = `insert into ${of.table} (${names}) values (${contents}) on conflict do nothing;`;
  await query(`set session_replication_role = replica; ${dropped} ${insert} set session_replication_role = origin`);
}

/** Returns how many values of each column a sealer decrypts, and how many there are. */
async function census(sealer: typeof old): Promise<Record<string, readonly [opened: number, all: number]>> {
  const counted: Record<string, readonly [number, number]> = {};
  for (const of of before.service.encryptedColumns) {
    const by = of.by.map((name) => `${name}::text`);
    const rows = await before.database.query<{ at: string[]; sealed: Buffer }>(
      `select array[${by.join(", ")}]::text[] as at, ${of.column} as sealed from ${of.table} where ${of.column} is not null`,
    );
    const opened = rows.filter(({ at, sealed }) => {
      try {
        sealer.open(sealed, of.place(Object.fromEntries(of.by.map((name, n) => [name, at[n] ?? ""]))));
        return true;
      } catch {
        return false;
      }
    });
    counted[`${of.table}.${of.column}`] = [opened.length, rows.length];
  }
  return counted;
}

interface Rotated {
  readonly code: number | null;
  readonly output: string;
  readonly answer: Record<string, unknown>;
}

/** Runs the operator's command in a process of its own, which the callback may end. */
async function rotate(env: Record<string, string>, meanwhile?: (kill: () => void) => Promise<void>): Promise<Rotated> {
  const child = fork(MAIN, ["master-key", "rotate"], {
    env: { PATH: process.env["PATH"] ?? "", DATABASE_URL: before.database.url, ...env },
    silent: true,
  });
  let output = "";
  let out = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (out += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (output += text));
  const ended = once(child, "close");
  await meanwhile?.(() => child.kill("SIGKILL"));
  const [code] = (await ended) as [number | null];
  return { code, output: output + out, answer: out.startsWith("{") ? JSON.parse(out) : {} };
}

const BOTH = { JUNCTION_MASTER_KEY: NEW, JUNCTION_MASTER_KEY_PREVIOUS: MASTER_KEY };

async function waitsForLock(): Promise<void> {
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  while ((await before.database.query(waiting)).length === 0) await sleep(20);
}

async function expectSigned(service: TestService): Promise<void> {
  const count = receiver.received.length;
  await service.fire();
  const sent = (await receiver.count(count + 1)).at(-1);
  const { before: body, signature } = unsigned(sent?.body ?? "");
  expect(signature).toBe(`sha256=${macHex(endpoint.secret, body)}`);
  const received = await fetch(service.baseUrl + source.target, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Service-Inbound-Signature": macHex(source.secret, BODY) },
    body: BODY,
  });
  expect(received.status).toBeLessThan(300);
}

const BODY = inboundBody();

test("every column of encrypted values is registered for the rotation", async () => {
  const columns = await before.database.query<{ name: string }>(
    `select c.relname || '.' || a.attname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and a.attname like '%sealed' and not a.attisdropped`,
  );
  const known = before.service.encryptedColumns.map(({ table, column }) => `${table}.${column}`);
  expect(known.toSorted()).toEqual(columns.map(({ name }) => name).toSorted());
});

test("a rotation refuses processes with another key, survives kill -9, and completes during operation", async () => {
  const planted = await census(old);
  for (const [name, [opened, all]] of Object.entries(planted))
    expect([name, opened === all && all > 0]).toEqual([name, true]);

  // In the first step of a rolling start, the new key only decrypts.
  const alone = await rotate({ JUNCTION_MASTER_KEY: NEW });
  expect([alone.code, alone.output.includes("JUNCTION_MASTER_KEY_PREVIOUS")]).toEqual([1, true]);
  const refused = await rotate(BOTH);
  expect([refused.code, refused.output]).toEqual([1, expect.stringContaining("with a different master key")]);
  expect(await census(fresh)).toEqual(
    Object.fromEntries(Object.entries(planted).map(([name, [, all]]) => [name, [0, all]])),
  );

  await stop(before);
  const during = await started({ on: before, env: BOTH });
  await expectSigned(during);

  // The rotation is killed while it waits for a row: earlier values are under the new key, the others under the old
  // one.
  const killed = await during.service.db.transaction(async (tx) => {
    await tx.query.selectFrom("endpoint").select("id").forUpdate().execute();
    return await rotate(BOTH, async (kill) => {
      await waitsForLock();
      kill();
    });
  });
  expect(killed.code).toBeNull();
  const half = Object.values(await census(fresh));
  expect(half.some(([opened]) => opened > 0)).toBe(true);
  expect(half.some(([opened, all]) => opened < all)).toBe(true);
  await expectSigned(during);

  const stranger = randomBytes(32).toString("base64");
  const wrong = await rotate({ ...BOTH, JUNCTION_MASTER_KEY_PREVIOUS: stranger });
  expect([wrong.code, wrong.answer["complete"], wrong.answer["resealed"]]).toEqual([1, false, 0]);
  expect(Object.keys(wrong.answer["unreadable"] as object).length).toBeGreaterThan(0);

  const [done] = await Promise.all([rotate(BOTH), expectSigned(during)]);
  expect([done.code, done.answer["complete"], done.answer["unreadable"]]).toEqual([0, true, {}]);
  for (const [name, [opened, all]] of Object.entries(await census(fresh))) expect([name, opened]).toEqual([name, all]);
  for (const [name, [opened]] of Object.entries(await census(old))) expect([name, opened]).toEqual([name, 0]);
  await expectSigned(during);
  const again = await rotate(BOTH);
  expect([again.code, again.answer["resealed"]]).toEqual([0, 0]);

  const told = (await allRows(during)).filter((row: { action: string }) => row.action === "master_key.rotate");
  expect(told.map((row: { actor: { display: string } }) => row.actor.display)).toContain("operator");
  const printed =
    [alone, refused, killed, wrong, done, again].map(({ output }) => output).join("\n") + JSON.stringify(told);
  for (const key of [MASTER_KEY, NEW, stranger]) expect(printed).not.toContain(key);
  await stop(during);

  const after = await started({ on: before, env: { JUNCTION_MASTER_KEY: NEW } });
  await expectSigned(after);
  await stop(after);
  const late = await started({ on: before });
  const shown = await late.api("GET", `/v1/webhook-endpoints/${endpoint.id}/secret`);
  expect([shown.status, shown.text.includes(endpoint.secret)]).toEqual([500, false]);
  await stop(late);
}, 600_000);
