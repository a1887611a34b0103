import { appendFile, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeSource } from "../../service/src/testing/inbound.ts";
import { mintKey, otherWorkspace, setKey } from "../../service/src/testing/keys.ts";
import { startReceiver } from "../../service/src/testing/receiver.ts";
import type { Receiver } from "../../service/src/testing/receiver.ts";
import { startService } from "../../service/src/testing/service.ts";
import type { Parsed, TestService } from "../../service/src/testing/test-service.ts";
import { EXIT } from "./exit.ts";
import { exportEverything } from "./exports/everything.ts";
import type { Manifest } from "./exports/everything.ts";
import { createReader } from "./exports/reader.ts";
import type { Reader } from "./exports/reader.ts";
import { verifyExport } from "./exports/verify.ts";
import { cli, home } from "./testing/cli.ts";

let service: TestService;
let receiver: Receiver;
let folders: string;
let folderCount = 0;

beforeAll(async () => {
  service = await startService();
  folders = await home();
  receiver = await startReceiver();
  await service.endpoint(receiver.url, { events: ["*"] });
  const source = await makeSource(service, {
    name: "Shop",
    event_type_path: "$.type",
    contact_email_path: "$.email",
  });
  for (const email of ["ada@example.com", "ben@example.com"])
    await source.send(JSON.stringify({ type: "order.paid", email, total: 10 }));
  for (const [name, data] of fc.sample(events, { numRuns: 40, seed: 7 })) await fired(name, data);
  for (let at = 0; at < 6; at += 1) await fired("large.event", JSON.stringify({ text: "x".repeat(200_000), at }));
  await service.api("GET", "/v1/me", undefined, { key: service.sandboxKey });
  await fired("sandbox.only", '{"sandbox":true}', service.sandboxKey);
});
afterAll(async () => {
  await service.close();
  await receiver.close();
});

/** Texts of JSON as customers write them: large numbers, spacing, line ends of Unicode, names of paths. */
const value = fc.oneof(
  fc.constantFrom(
    "12345678901234567890",
    "1e400",
    "-0",
    "10.50",
    '"\u2028 \u2029"',
    '"\\u0000"',
    '{"__proto__": [ 1 ]}',
  ),
  fc.string().map((text) => JSON.stringify(text)),
  fc.constantFrom("[1,\n  2,\r\n\t3]", '"},{\\"data\\":["', '"a\\\\"', '{ "data" : [ ] }'),
);
const name = fc.constantFrom("order.paid", "a..b".replace("..", "."), "con", "x-y_z.0", "etc.passwd");
const events = fc.tuple(
  name,
  fc.array(value, { maxLength: 4 }).map((values) => `{ ${values.map((one, at) => `"m${at}" :${one}`).join(",\n")} }`),
);

async function fired(event: string, data: string, key = service.key): Promise<void> {
  const made = await service.api("POST", "/v1/events/fire", `{"event":${JSON.stringify(event)},"data":${data}}`, {
    key,
  });
  if (made.status >= 300) throw new Error(`${made.text} ${data}`);
}

function newFolder(): string {
  folderCount += 1;
  return join(folders, `export-${folderCount}`);
}

interface With {
  readonly key?: string;
  wrap?(reader: Reader): Reader;
}

async function exported(
  folder: string,
  { key = service.key, wrap = (reader) => reader }: With = {},
): Promise<Manifest> {
  const io = { signal: new AbortController().signal, err: () => undefined };
  const account = async () => await Promise.resolve({ apiKey: key, baseUrl: service.baseUrl, from: "test" });
  const reader = wrap(await createReader({ account, io } as unknown as Parameters<typeof createReader>[0]));
  return await exportEverything({ io, reader, folder, bar: { at: () => undefined, end: () => undefined } });
}

async function linesIn(folder: string, kind: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((file) =>
    new RegExp(`^${kind}(-\\d{4}-\\d{2})?\\.jsonl\\.gz$`).test(file),
  );
  const texts = await Promise.all(names.map(async (file) => gunzipSync(await readFile(join(folder, file))).toString()));
  return texts.flatMap((text) => text.split("\n").filter((line) => line !== ""));
}

async function kindsIn(folder: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const kind of ["events", "deliveries", "attempts", "contacts", "activities", "inbound-receipts", "audit"])
    counts[kind] = (await linesIn(folder, kind)).length;
  return counts;
}

/** The number of rows in the database that an export with the live key has. */
async function rowsInDatabase(): Promise<Record<string, number>> {
  const [workspace] = await service.database.query<{ tag: string; bucket: number }>(
    "select tag, bucket from workspace",
  );
  const of = async (table: string, where = "true"): Promise<number> => {
    const [row] = await service.database.query<{ n: number }>(
      `select count(*)::int as n from ${table} where tag = $1 and ${where}`,
      [workspace?.tag],
    );
    return row?.n ?? 0;
  };
  return {
    events: await of("event"),
    // Those that are not complete are in a table of their own.
    deliveries: (await of("delivery")) + (await of("pending_delivery")),
    attempts: await of("attempt"),
    contacts: await of("contact"),
    activities: await of("activity"),
    "inbound-receipts": await of("inbound_receipt"),
    audit: await of("audit_row"),
  };
}

test("an export has every row, with its digits and spacing", async () => {
  await service.until("/v1/deliveries?state=pending", ({ data }) => data.length === 0);
  const folder = newFolder();
  const manifest = await exported(folder);
  expect(manifest.refused).toEqual([]);
  expect(await kindsIn(folder)).toEqual(await rowsInDatabase());
  const stored = await service.database.query<{ data: string }>("select data from event where name <> 'sandbox.only'");
  const lines = await linesIn(folder, "events");
  const whole = lines.join("\n");
  for (const { data } of stored) expect(whole).toContain(data.replaceAll(/[\r\n]/g, " "));
  expect(whole).not.toContain("sandbox.only");
  expect((await linesIn(folder, "inbound-requests")).map((line) => JSON.parse(line).raw_payload)).toContain(
    '{"type":"order.paid","email":"ada@example.com","total":10}',
  );
  expect(await verifyExport(folder)).toMatchObject({ ok: true, audit_rows: (await rowsInDatabase())["audit"] });
  for (const secret of [service.key, "whsec_"]) expect(await allText(folder)).not.toContain(secret);
});

async function allText(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((file) => file.endsWith(".gz"));
  return (await Promise.all(names.map(async (file) => gunzipSync(await readFile(join(folder, file))).toString()))).join(
    "",
  );
}

test("an export that is killed again and again has the same files", async () => {
  const [whole, pieces] = [newFolder(), newFolder()];
  const first = await exported(whole);
  let runs = 0;
  for (let done: Manifest | undefined; done === undefined; runs += 1) {
    done = await exported(pieces, { wrap: (reader) => cut(reader, 26 + (runs % 9)) }).catch(() => undefined);
    for (const part of (await readdir(pieces)).filter((file) => file.endsWith(".part")))
      await appendFile(join(pieces, part), "what a crash left");
  }
  expect(runs).toBeGreaterThan(3);
  const sums = ({ files }: Manifest) => files.filter((file) => !file.name.startsWith("keys"));
  const again: Manifest = JSON.parse(await readFile(join(pieces, "manifest.json"), "utf8"));
  expect(sums(again)).toEqual(sums(first));
  expect(await verifyExport(pieces)).toMatchObject({ ok: true });
});

function cut(reader: Reader, most: number): Reader {
  let reads = 0;
  return {
    async read(path, query) {
      reads += 1;
      if (reads > most) throw new Error("killed");
      return await reader.read(path, query);
    },
  };
}

test("a restricted key exports what it may read, and the manifest names the rest", async () => {
  const { key } = await mintKey(service, { scopes: ["events:read"], role: "operator", actor_type: "service" });
  const folder = newFolder();
  const { refused, files } = await exported(folder, { key });
  expect(refused.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["audit", "contacts", "members"]));
  expect(files.map((file) => file.name)).toEqual(expect.arrayContaining([expect.stringMatching(/^events-/)]));
  expect((await readdir(folder)).filter((file) => file.endsWith(".part"))).toEqual([]);
  expect(await verifyExport(folder)).toMatchObject({ ok: true, audit_rows: null });
});

test("an export of one workspace is not continued with the key of another", async () => {
  const folder = newFolder();
  await exported(folder, { wrap: (reader) => cut(reader, 9) }).catch(() => undefined);
  const other = await otherWorkspace(service);
  for (const key of [other.key, service.sandboxKey])
    await expect(exported(folder, { key })).rejects.toThrow("another workspace, environment or tenant");
  const { files } = await exported(newFolder(), { key: other.key });
  expect(files.filter((file) => /^(?:events|deliveries|contacts)/.test(file.name))).toEqual([]);
});

test("a revoked key ends the export, and a new key continues it", async () => {
  const made = await mintKey(service);
  const folder = newFolder();
  const revoking = (reader: Reader): Reader => {
    let reads = 0;
    return {
      async read(path, query) {
        reads += 1;
        if (reads === 25) await setKey(service, made, { revoked_at: new Date() });
        return await reader.read(path, query);
      },
    };
  };
  await expect(exported(folder, { key: made.key, wrap: revoking })).rejects.toMatchObject({ exit: EXIT.denied });
  await expect(verifyExport(folder)).rejects.toThrow("no manifest");
  await exported(folder);
  expect(await verifyExport(folder)).toMatchObject({ ok: true });
});

test("links in the folder lead nowhere, and other folders are refused", async () => {
  const victim = join(folders, "victim");
  await writeFile(victim, "mine");
  const folder = newFolder();
  await mkdir(folder);
  await symlink(victim, join(folder, "workspace.jsonl.gz.part"));
  await expect(exported(folder)).rejects.toMatchObject({ exit: EXIT.output, message: expect.stringContaining("link") });
  const linked = newFolder();
  await mkdir(linked);
  for (const file of ["progress.json.next", "manifest.json"]) await symlink(victim, join(linked, file));
  await exported(linked);
  expect(await readFile(victim, "utf8")).toBe("mine");
  await writeFile(join(linked, "notes.txt"), "");
  await expect(exported(linked)).rejects.toMatchObject({ exit: EXIT.data });
});

test("verification finds each change, and never leaves the folder", async () => {
  const folder = newFolder();
  const manifest = await exported(folder);
  const audit = manifest.files.find((file) => /^audit-\d/.test(file.name))?.name ?? "";
  const text = gunzipSync(await readFile(join(folder, audit))).toString();
  const rows = text.split("\n").filter((line) => line !== "");
  const changes: [string[], RegExp][] = [
    [rows.with(1, rows[1]?.replace('"status":"ok"', '"status":"no"') ?? ""), /was changed/],
    [rows.toSpliced(1, 1), /is missing/],
    [rows.slice(0, -1), /before 2 are missing/],
  ];
  for (const [changed, why] of changes) {
    await writeFile(join(folder, audit), gzipSync(`${changed.join("\n")}\n`));
    const { ok, faults } = await verifyExport(folder);
    expect([ok, faults.some(({ fault }) => why.test(fault))]).toEqual([false, true]);
  }
  await writeFile(join(folder, audit), "not gzip");
  expect((await verifyExport(folder)).ok).toBe(false);
  const outside = { ...manifest, files: [{ ...manifest.files[0], name: "../victim" }] };
  await writeFile(join(folder, "manifest.json"), JSON.stringify(outside));
  await expect(verifyExport(folder)).rejects.toMatchObject({ exit: EXIT.data });
});

test("the command obeys the rate limit, and files are verified without a key", async () => {
  const { key, ...made } = await mintKey(service);
  await setKey(service, made as Parameters<typeof setKey>[1], { rate_limit_per_hour: 1_000_000 });
  const folder = newFolder();
  const env = { JUNCTION_API_KEY: key, JUNCTION_BASE_URL: service.baseUrl };
  expect((await cli(["export", "everything"], { env })).status).toBe(EXIT.usage);
  const ran = await cli(["export", "everything", "--to", folder], { env });
  expect([ran.status, ran.stderr]).toEqual([EXIT.done, ""]);
  const manifest: Parsed = JSON.parse(ran.stdout);
  expect(manifest).toMatchObject({ object: "export", environment: "live", tenant: null });
  const verified = await cli(["export", "verify", folder]);
  expect([verified.status, JSON.parse(verified.stdout).ok]).toEqual([EXIT.done, true]);
});
