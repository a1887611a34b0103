import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { covers } from "../../../../requirements/covers.ts";
import { canonicalJson, sha256 } from "../lib/lib.ts";
import { allRows, exportCsv, readScope, record, RUN, tamper, verify } from "../testing/audit.ts";
import { otherWorkspace } from "../testing/keys.ts";
import { startService } from "../testing/service.ts";
import type { TestService } from "../testing/test-service.ts";

const TOOL = fileURLToPath(new URL("../../../../tools/verify-audit.mjs", import.meta.url));
/** Without the project's own Node.js. */
const SYSTEM = { PATH: "/usr/local/bin:/usr/bin:/bin" };
const ODD = 'x,"y"\r\n\t=1+1 é🎉 \'q';

let service: TestService;
let length = 0;
let folder: string;
beforeAll(async () => {
  // Without a worker, digests are signed only on request.
  service = await startService({ env: { JUNCTION_ROLES: "api" } });
  const scope = await readScope(service);
  for (let at = 0; at < 12; at += 1) await record(service, scope, { ...RUN, parameters: { at } });
  const { approver: _approver, backend: _backend, ...bare } = RUN;
  await record(service, scope, { ...bare, prompt: ODD, parameters: [ODD, -1, "", null], result: -5, errorCode: "" });
  await record(service, scope, { ...RUN, prompt: "", parameters: "=1", result: "'", status: "-7", errorCode: "@x" });
  length = (await verify(service)).checked;
  folder = await mkdtemp(join(tmpdir(), "junction-audit-"));
});
afterAll(async () => {
  await service.close();
  await rm(folder, { recursive: true });
});

/** Applies the damage, runs the check, and restores the tables. */
async function after<Seen>(damage: string, look: () => Promise<Seen>): Promise<Seen> {
  const tables = ["row", "head", "digest"];
  for (const table of tables) await service.database.query(`create table kept_${table} as table audit_${table}`);
  await tamper(service, damage);
  const seen = await look();
  const undo = tables.map(
    (one) => `delete from audit_${one}; insert into audit_${one} table kept_${one}; drop table kept_${one}`,
  );
  await tamper(service, undo.join("; "));
  return seen;
}

async function found(damage: string, query = ""): Promise<unknown> {
  return await after(damage, async () => await verify(service, query));
}

/** Returns the exit code and the output of the tool for a current export. */
async function offline(...options: string[]): Promise<[number, string]> {
  const file = join(folder, "audit.csv");
  await writeFile(file, await exportCsv(service));
  return await run(...options, file);
}

async function run(...args: string[]): Promise<[number, string]> {
  return await new Promise((resolve) => {
    execFile(process.execPath, [TOOL, ...args], (error, stdout, stderr) => {
      const code = typeof error?.code === "number" ? error.code : 0;
      resolve([code, stdout + stderr]);
    });
  });
}

async function digestFile(): Promise<string> {
  const file = join(folder, "digests.json");
  await writeFile(file, (await service.api("GET", "/v1/audit/digests?limit=100")).text);
  return file;
}

async function rowFile(rows: readonly object[]): Promise<string> {
  const file = join(folder, "audit.ndjson");
  await writeFile(file, rows.map((row) => JSON.stringify(row)).join("\n"));
  return file;
}

/**
 * Returns SQL that rewrites the last row and everything derived from it, with full access to the database but without
 * the signing key.
 */
async function madeAnew(): Promise<string> {
  const { hash: _hash, ...row } = (await allRows(service)).at(-1);
  const forged = { ...row, actor: { ...row.actor, display: "Eve" } };
  const hash = sha256(`${row.prev_hash}\n${canonicalJson(forged)}`).toString("hex");
  return `update audit_row set actor_display = 'Eve', hash = '\\x${hash}' where seq = ${row.seq};
    update audit_head set hash = '\\x${hash}' where seq = ${row.seq}`;
}

const cut = (left: number): string => `delete from audit_row where seq > ${left}`;
const cutWithHead = (left: number): string => `update audit_head h set seq = r.seq, hash = r.hash from audit_row r
  where r.tag = h.tag and r.seq = ${left}; ${cut(left)}`;
const swap = `update audit_row set seq = -seq where seq in (5, 9);
  update audit_row set seq = case seq when -5 then 9 else 5 end where seq < 0`;
const renumbered = `delete from audit_row where seq = 5; update audit_row set seq = -seq where seq > 5;
  update audit_row set seq = -seq - 1 where seq < 0;
  update audit_head set seq = seq - 1`;

test("an untouched chain is valid", async () => {
  expect(await verify(service)).toEqual({ ok: true, checked: length, first_bad_seq: null, reason: null });
});

test("a changed row is reported, whichever column has changed", async () => {
  for (const change of [
    "status = 'refused'",
    "params_redacted = '{\"at\":99}'",
    "actor_display = 'Eve'",
    "occurred_at = occurred_at + interval '1 ms'",
    "created_at = created_at + interval '1 ms'",
    "run_id = id",
    "approver = null",
    "hash = prev_hash",
    "prev_hash = hash",
    "id = gen_random_uuid()",
    "deployment = replace(deployment, 'test', 'x')",
  ])
    expect([change, await found(`update audit_row set ${change} where seq = 7`)]).toEqual([
      change,
      { ok: false, checked: 6, first_bad_seq: 7, reason: "changed" },
    ]);
});

test("missing, swapped and renumbered rows are reported", async () => {
  const missing = { ok: false, checked: 4, first_bad_seq: 5, reason: "missing" };
  expect(await found("delete from audit_row where seq = 5")).toEqual(missing);
  expect(await found(swap)).toMatchObject({ ok: false, first_bad_seq: 5, reason: "changed" });
  expect(await found(renumbered)).toMatchObject({ ok: false, first_bad_seq: 5, reason: "changed" });
});

test("a truncated chain is detected by its head, later rows or a signed digest", async () => {
  const left = length - 2;
  expect(await found(cut(left))).toEqual({ ok: false, checked: left, first_bad_seq: left + 1, reason: "cut" });
  const headBack = cutWithHead(left).replace(cut(left), "");
  expect(await found(headBack)).toMatchObject({ ok: false, first_bad_seq: left + 1, reason: "cut" });
  await service.service.audit.digests.sign();
  expect(await found(cutWithHead(left))).toMatchObject({ ok: false, first_bad_seq: left + 1, reason: "cut" });
  expect(await found("delete from audit_head; delete from audit_row")).toMatchObject({ ok: false, first_bad_seq: 1 });
});

test("a signed digest reveals a rewritten chain, and an unsigned digest is detected", async () => {
  const anew = await madeAnew();
  expect(await found(anew)).toMatchObject({ ok: false, first_bad_seq: length, reason: "digest" });
  const [hash = ""] = /\\x\w+/.exec(anew) ?? [];
  const forged = `${anew}; update audit_digest set hash = '${hash}' where seq = ${length}`;
  expect(await found(forged)).toMatchObject({ ok: false, first_bad_seq: length, reason: "digest" });
});

test("a range is verified by itself, and the row before it is trusted", async () => {
  expect(await verify(service, "?from_seq=3&to_seq=8")).toMatchObject({ ok: true, checked: 6 });
  expect(await verify(service, `?from_seq=${length + 1}`)).toMatchObject({ ok: true, checked: 0 });
  expect(await verify(service, `?from_seq=${length + 5}`)).toMatchObject({ ok: true, checked: 0 });
  expect(await found("update audit_row set status = 'x' where seq = 4", "?from_seq=5")).toMatchObject({ ok: true });
  const missing = { ok: false, checked: 0, first_bad_seq: 4, reason: "missing" };
  expect(await found("delete from audit_row where seq = 4", "?from_seq=5")).toEqual(missing);
});

describe("without the service", () => {
  const says = (text: string): unknown => [expect.any(Number), expect.stringContaining(text)];

  covers("audit.export.csv", "an export is sufficient to verify the chain, for any text in it", async () => {
    expect(await offline()).toEqual([
      0,
      `ok: ${length} rows, the last seq is ${length}, 0 digests; the end is signed\n`,
    ]);
    expect(await offline("--digests", await digestFile())).toEqual([0, expect.stringContaining(", 1 digests")]);
  });

  test("rows of the API, one per line, can be verified too", async () => {
    expect((await run(await rowFile(await allRows(service))))[0]).toBe(0);
  });

  test("changed, missing and moved rows are reported", async () => {
    for (const [damage, seq] of [
      ["update audit_row set actor_display = 'Eve' where seq = 7", 7],
      ["delete from audit_row where seq = 5", 5],
      [swap, 5],
      [renumbered, 5],
    ] as const) {
      const [code, said] = await after(damage, offline);
      expect([damage, code, said]).toEqual([damage, 1, expect.stringContaining(`first bad seq: ${seq} (`)]);
    }
  });

  test("a file with edited lines is detected", async () => {
    const lines = (await exportCsv(service)).split(/\r\n(?=\d+,aud_)/);
    const file = join(folder, "edited.csv");
    const checked = async (edited: readonly (string | undefined)[], ...options: string[]): Promise<unknown> => {
      await writeFile(file, `${edited.join("\r\n")}\r\n`);
      return await run(...options, file);
    };
    expect(await checked(lines.toSpliced(4, 1))).toEqual(says("first bad seq: 4 (the row is missing"));
    expect(await checked(lines.with(3, lines[4] ?? "").with(4, lines[3] ?? ""))).toEqual(says("first bad seq: 3 ("));
    expect(await checked(lines.with(6, lines[6]?.replace("executed", "refused") ?? ""))).toEqual(
      says("first bad seq: 6 (the row was changed"),
    );
    // Newcomer A17: a truncated file is not "ok", with or without digests.
    expect(await checked(lines.slice(0, 10))).toEqual([
      1,
      expect.stringContaining("first bad seq: 10 (the end of the export"),
    ]);
    expect(await checked(lines.slice(0, -1))).toEqual([1, expect.stringContaining("the end of the export is missing")]);
    const [end = ""] = /,"\{""at"".*$/s.exec(lines.at(-1) ?? "") ?? [];
    const lastOf = (count: number): string => `${(lines[count] ?? "").replace(/,$/, "")}${end}`.trimEnd();
    expect(end).not.toBe("");
    expect(await checked([...lines.slice(0, 10), lastOf(10)])).toEqual([
      1,
      expect.stringContaining("the signed end is of"),
    ]);
    const fewer = lastOf(10)
      .replace(/""rows"":\d+/, '""rows"":10')
      .replace(/""seq"":\d+/, '""seq"":10');
    expect(await checked([...lines.slice(0, 10), fewer])).toEqual([
      1,
      expect.stringContaining("the signature of the export's end"),
    ]);
    expect(await checked(lines.slice(0, 10), "--digests", await digestFile())).toEqual(
      says("first bad seq: 10 (the tail is missing"),
    );
  });

  test("a rewritten chain contradicts the digests, and digests contradict a separately stored key", async () => {
    const rows = await allRows(service);
    let previous = "0".repeat(64);
    const anew = rows.map(({ hash: _hash, ...row }) => {
      const forged = { ...row, prev_hash: previous, ...(row.seq === 3 ? { status: "refused" } : {}) };
      previous = sha256(`${previous}\n${canonicalJson(forged)}`).toString("hex");
      return { ...forged, hash: previous };
    });
    const file = await rowFile(anew);
    expect((await run(file))[0]).toBe(0);
    expect(await run("--digests", await digestFile(), file)).toEqual(says(`first bad seq: ${length} (a signed digest`));
    const key = join(folder, "key.pem");
    await writeFile(key, generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "pem" }));
    expect(await offline("--digests", await digestFile(), "--public-key", key)).toEqual(says("signature"));
  });

  test("an export with a filter is verified row by row with --partial", async () => {
    const file = join(folder, "part.csv");
    await writeFile(file, await exportCsv(service, "?kind=run"));
    expect((await run(file))[0]).toBe(1);
    expect((await run("--partial", file))[0]).toBe(0);
    const lines = (await exportCsv(service, "?kind=run")).split(/\r\n(?=\d+,aud_)/);
    await writeFile(file, lines.toSpliced(3, 1).join("\r\n"));
    expect(await run("--partial", file)).toEqual(says("the signed end is of"));
  });

  test("an export without rows has a signed end, which reveals a cut file", async () => {
    const file = join(folder, "empty.csv");
    const empty = await exportCsv(service, "?action=nothing.matches");
    await writeFile(file, empty);
    expect(await run("--partial", file)).toEqual([0, expect.stringContaining("ok: 0 rows")]);
    expect(await run(file)).toEqual(says("the export was made with filters"));
    await writeFile(file, `${empty.split("\r\n")[0]}\r\n`);
    expect(await run("--partial", file)).toEqual(says("the end of the export is missing"));
    const { key } = await otherWorkspace(service);
    await writeFile(file, await exportCsv(service, "", key));
    expect(await run(file)).toEqual([0, expect.stringContaining("ok: 0 rows")]);
  });

  test("wrong arguments print the usage, and other files are rejected by name", async () => {
    expect(await run("--help")).toEqual([0, expect.stringContaining("node tools/verify-audit.mjs [--digests file]")]);
    for (const args of [[], ["--nonsense", "x"], ["a", "b"]])
      expect(await run(...args)).toEqual([2, expect.stringContaining("Exits with 0 if the chain is intact")]);
    const file = join(folder, "odd.csv");
    for (const [text, why] of [
      ["", "it is empty"],
      ["<html>Sign in</html>", "its first line is not the header"],
      ["a,b\r\n1,2\r\n", "its first line is not the header"],
    ] as const) {
      await writeFile(file, text);
      expect(await run(file)).toEqual([2, expect.stringContaining(`is not an export of the audit: ${why}`)]);
    }
    expect(await run(join(folder, "absent.csv"))).toEqual([2, expect.stringContaining("cannot be read: ENOENT")]);
  });

  test("the tool runs with the oldest Node.js version that the README names", async () => {
    const file = join(folder, "audit.csv");
    await writeFile(file, await exportCsv(service));
    const major = await new Promise((resolve) =>
      execFile("/usr/bin/env", ["node", "--version"], { env: SYSTEM }, (_error, stdout) => resolve(stdout)),
    );
    const said = await new Promise((resolve) =>
      execFile("/usr/bin/env", ["node", TOOL, file], { env: SYSTEM }, (_error, stdout) => resolve(stdout)),
    );
    expect([major, said]).toEqual([expect.stringMatching(/^v\d+/), expect.stringMatching(/^ok: /)]);
  });
});
