import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cloneDatabase } from "../../testing/database.ts";
import type { TestDatabase } from "../../testing/database.ts";
import { freePort, startProcess } from "../../testing/process.ts";

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));
const masterKey = randomBytes(32).toString("base64");
let database: TestDatabase;

beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(async () => await database.drop());

/** Runs a command in a process of its own, as an operator types it. */
async function run(env: Readonly<Record<string, string>>, ...args: string[]): Promise<Ran> {
  const options = { env: { PATH: process.env["PATH"] ?? "", ...env } };
  return await new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], options, (error, out, err) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, out, err });
    });
  });
}

async function runHere(...args: string[]): Promise<Ran> {
  return await run({ DATABASE_URL: database.url, JUNCTION_MASTER_KEY: masterKey }, ...args);
}

async function post(baseUrl: string, path: string, body: unknown, key?: string): Promise<Response> {
  const headers = {
    "Content-Type": "application/json",
    ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
  };
  return await fetch(baseUrl + path, { method: "POST", headers, body: JSON.stringify(body) });
}

test("--help prints the usage on standard output, with and without a command", async () => {
  for (const args of [["--help"], ["-h"], ["doctor", "--help"]])
    expect(await run({}, ...args)).toMatchObject({
      code: 0,
      out: expect.stringContaining("workspace create --name <name> --owner-email <email>") as string,
      err: "",
    });
});

test("an unknown or incomplete command prints the usage and ends with 64", async () => {
  const wrong = [
    ["workspace"],
    ["workspace", "create"],
    ["workspace", "create", "--nmae", "x"],
    ["member", "reset-link", "--email", "ghost@example.com"],
  ];
  for (const args of wrong) {
    const { code, out, err } = await runHere(...args);
    expect([args.join(" "), code, out]).toEqual([args.join(" "), 64, ""]);
    expect(err).toContain("workspace create --name <name> --owner-email <email>");
  }
  const [row] = await database.query<{ n: number }>("select count(*)::int as n from workspace");
  expect(row?.n).toBe(0);
});

test("an option with an invalid value is refused in one line with its form", async () => {
  const wrong: [string[], string][] = [
    [
      ["workspace", "create", "--name", "x", "--owner-email", "nobody"],
      '--owner-email must be an email address; got "nobody".',
    ],
    [
      ["workspace", "sandbox-key", "--name", ""],
      '--name must be 1 to 100 characters without control characters; got "".',
    ],
    [["connector", "create", "acme", "--runtime", "go"], '--runtime must be ts or php; got "go".'],
    [
      ["connector", "keygen", "--name", "keys/author"],
      '--name must be a file name of letters, digits and . _ - without a folder (set the folder with --out); got "keys/author".',
    ],
  ];
  for (const [args, line] of wrong) expect(await runHere(...args)).toEqual({ code: 64, out: "", err: `${line}\n` });
});

test("a setup link is refused with the reason before the first start", async () => {
  const { code, err } = await runHere("setup", "link");
  expect([code, err]).toEqual([1, "There is no workspace yet. Start the service once.\n"]);
});

test("a command in a folder without an installation fails and creates none", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "junction-nothing-"));
  for (const args of [
    ["workspace", "sandbox-key"],
    ["connector", "trust"],
    ["backup"],
    ["migrate"],
    ["setup", "link"],
  ]) {
    const { code, out, err } = await run({ JUNCTION_DATA_DIR: dataDir }, ...args);
    expect([args, code, out]).toEqual([args, 78, ""]);
    expect(err).toBe(
      `There is no database in ${dataDir}. Set \`JUNCTION_DATA_DIR\` or \`DATABASE_URL\` as the service has it, or start the service once.\n`,
    );
  }
  expect(await readdir(dataDir)).toEqual([]);
  await rm(dataDir, { recursive: true });
});

test("a command next to a running service creates a workspace with an invitation link", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "junction-commands-"));
  const port = await freePort();
  const service = startProcess({ JUNCTION_DATA_DIR: dataDir }, port);
  const env = { JUNCTION_DATA_DIR: dataDir, JUNCTION_PORT: String(port) };
  try {
    await service.ready();
    const { code, out, err } = await run(
      env,
      "workspace",
      "create",
      "--name",
      "Second",
      "--owner-email",
      "ada@example.com",
    );
    expect([code, err]).toEqual([0, ""]);
    const made = JSON.parse(out);
    expect(Object.keys(made)).toEqual([
      "workspace_id",
      "name",
      "sandbox_key",
      "owner_email",
      "invite_url",
      "expires_at",
    ]);
    const fired = await post(
      service.baseUrl,
      "/v1/events/fire",
      { event: "order.created", data: {} },
      made.sandbox_key,
    );
    expect(fired.status).toBe(202);
    const token = new URL(made.invite_url).searchParams.get("token");
    const acceptance = { token, name: "Ada", password: "a long enough password" };
    const accepted = await post(service.baseUrl, "/v1/members/accept", acceptance);
    expect([accepted.status, JSON.parse(await accepted.text()).member.role]).toEqual([201, "owner"]);
    const minted = await run(env, "workspace", "sandbox-key", "--name", "For a moment");
    const { workspace_id, sandbox_key } = JSON.parse(minted.out);
    expect(workspace_id).not.toBe(made.workspace_id);
    const own = { headers: { Authorization: `Bearer ${sandbox_key}` } };
    const me = JSON.parse(await (await fetch(`${service.baseUrl}/v1/me`, own)).text());
    expect(me).toMatchObject({ environment: "sandbox", role: "admin", key: { name: "For a moment" } });
    const revoked = await post(service.baseUrl, `/v1/keys/${me.key.id}/revoke`, {}, sandbox_key);
    expect(revoked.status).toBe(200);
    expect((await fetch(`${service.baseUrl}/v1/me`, own)).status).toBe(401);
    const link = await run(env, "member", "reset-link", "--email", "ADA@example.com", "--clear-totp");
    const reset = {
      token: new URL(JSON.parse(link.out).reset_url).searchParams.get("token"),
      password: "another long password",
    };
    expect((await post(service.baseUrl, "/v1/auth/reset", reset)).status).toBe(204);
    const proof = { email: "ada@example.com", password: reset.password };
    expect((await post(service.baseUrl, "/v1/auth/sign-in", proof)).status).toBe(200);
    const unlinked = await run(env, "member", "unlink", "--email", "ada@example.com");
    expect(JSON.parse(unlinked.out)).toEqual({ object: "identity_unlink", email: "ada@example.com", removed: 0 });
    const allowed = await run(env, "workspace", "allow-passwords", "--workspace", workspace_id);
    expect(JSON.parse(allowed.out)).toMatchObject({ id: workspace_id, settings: { password_sign_in: true } });
    expect((await run(env, "workspace", "allow-passwords", "--workspace", "ws_none")).err).toContain("ws_none");
  } finally {
    expect(await service.stop()).toBe(0);
  }
  // Without a running service, the command starts the database itself and stops it again.
  const alone = await run(env, "workspace", "create", "--name", "Third", "--owner-email", "ada@example.com");
  expect([alone.code, JSON.parse(alone.out).name]).toEqual([0, "Third"]);
  await rm(dataDir, { recursive: true, force: true });
});
