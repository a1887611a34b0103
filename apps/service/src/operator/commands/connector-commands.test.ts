import { execFile, execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { covers } from "../../../../../requirements/covers.ts";
import { connectorFiles, drop, newSigner } from "../../testing/connectors.ts";
import { cloneDatabase } from "../../testing/database.ts";
import type { TestDatabase } from "../../testing/database.ts";

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const MAIN = fileURLToPath(new URL("../../main.ts", import.meta.url));
const masterKey = randomBytes(32).toString("base64");
let database: TestDatabase;
let root: string;

beforeAll(async () => {
  database = await cloneDatabase();
  root = await mkdtemp(join(tmpdir(), "junction-author-"));
});
afterAll(async () => {
  await database.drop();
  await rm(root, { recursive: true, force: true });
});

/** Runs a command in the environment of an author, who has no database. */
async function run(
  args: readonly string[],
  env: Readonly<Record<string, string>> = { DATABASE_URL: "nowhere" },
): Promise<Ran> {
  const options = { env: { PATH: process.env["PATH"] ?? "", ...env }, cwd: root };
  return await new Promise((resolve) => {
    execFile(process.execPath, [MAIN, "connector", ...args], options, (error, out, err) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, out, err });
    });
  });
}

async function runHere(...args: string[]): Promise<Ran> {
  return await run(args, { DATABASE_URL: database.url, JUNCTION_MASTER_KEY: masterKey });
}

covers(
  "connector.folder.signed",
  "an author creates a key, then signs, verifies and packs a folder with progress",
  async () => {
    const made = await run(["keygen", "--name", "author", "--out", "keys"]);
    expect([made.code, made.err]).toEqual([0, "creating an Ed25519 key pair; keep the private key file secret\n"]);
    const { key_id: keyId, public_key: publicKey } = JSON.parse(made.out);
    expect((await stat(join(root, "keys/author.key"))).mode & 0o777).toBe(0o600);
    expect((await run(["keygen", "--name", "author", "--out", "keys"])).code).toBe(1);
    const folder = await drop(join(root, "acme"), connectorFiles("acme"));
    const signed = await run(["sign", "acme", "--key", "keys/author.key"]);
    expect([signed.code, JSON.parse(signed.out)]).toMatchObject([
      0,
      { key: "acme", version: "1.0.0", signers: [keyId], files: 8 },
    ]);
    expect(signed.err).toContain("signed 8 files");
    for (const key of [publicKey, "keys/author.pub"]) {
      const verified = await run(["verify", "acme", "--public-key", key]);
      expect([verified.code, JSON.parse(verified.out)]).toEqual([0, JSON.parse(signed.out)]);
    }
    const packed = await run(["pack", "acme", "--public-key", publicKey, "--out", "."]);
    expect([packed.code, JSON.parse(packed.out).file]).toEqual([0, "acme-1.0.0.tar.gz"]);
    const first = await readFile(join(root, "acme-1.0.0.tar.gz"));
    await run(["pack", "acme", "--public-key", publicKey]);
    expect((await readFile(join(root, "acme-1.0.0.tar.gz"))).equals(first)).toBe(true);
    await rm(folder, { recursive: true });
    execFileSync("tar", ["-xzf", "acme-1.0.0.tar.gz"], { cwd: root });
    expect((await run(["verify", "acme", "--public-key", publicKey])).code).toBe(0);
  },
);

test("failures report a reason and end with 1; invalid commands end with 64", async () => {
  await drop(join(root, "broken"), { ...connectorFiles("broken"), "actions.json": "{}" });
  const author = newSigner();
  await writeFile(join(root, "broken.key"), author.privatePem);
  const refused = await run(["sign", "broken", "--key", "broken.key"]);
  expect([refused.code, refused.out]).toEqual([1, ""]);
  expect(refused.err).toContain("refused, actions_malformed (actions.json#)");
  const unsigned = await run(["verify", "broken", "--public-key", author.publicKey.toString("base64")]);
  expect([unsigned.code, unsigned.err]).toEqual([1, expect.stringContaining("refused, unsigned (MANIFEST.json)")]);
  const noKey = await run(["sign", "broken", "--key", "broken/README.md"]);
  expect([noKey.code, noKey.err]).toEqual([1, expect.stringContaining("is not an Ed25519 private key")]);
  const privateKey = await run(["verify", "broken", "--public-key", "broken.key"]);
  expect([privateKey.code, privateKey.err.includes("PRIVATE KEY")]).toEqual([1, false]);
  expect((await run(["verify", "nowhere", "--public-key", author.publicKey.toString("base64")])).err).toContain(
    "refused, unreadable",
  );
  for (const args of [[], ["sign"], ["sign", "a", "b"], ["verify", "a"], ["keygen"], ["trust", "--public-key", "x"]]) {
    const wrong = await run(args);
    expect([args.join(" "), wrong.code, wrong.err.includes("connector keygen --name <name>")]).toEqual([
      args.join(" "),
      64,
      true,
    ]);
  }
  for (const args of [
    ["keygen", "--name", "../x"],
    ["trust", "--revoke", "x"],
  ]) {
    const { code, err } = await run(args);
    expect([code, err]).toEqual([64, expect.stringMatching(/^--(?:name|revoke) must be [^\n]+; got "[^\n]+"\.\n$/)]);
  }
});

test("an operator trusts a key, lists the trusted keys, and revokes it", async () => {
  const author = newSigner();
  const publicKey = author.publicKey.toString("base64");
  const trusted = await runHere(
    "trust",
    "--name",
    "Acme Ltd",
    "--public-key",
    publicKey,
    "--connectors",
    "acme,crm-mirror",
    "--development",
  );
  const key = {
    key_id: author.keyId,
    name: "Acme Ltd",
    public_key: publicKey,
    connectors: ["acme", "crm-mirror"],
    development: true,
    revoked_at: null,
  };
  expect([trusted.code, JSON.parse(trusted.out)]).toEqual([0, key]);
  // The list also contains the repository's key, which is trusted by default.
  const [own, ...others] = JSON.parse((await runHere("trust")).out).keys;
  expect([own.name, others]).toEqual(["JUNCTION_CONNECTOR_TRUST", [key]]);
  const revoked = await runHere("trust", "--revoke", author.keyId);
  expect([revoked.code, JSON.parse(revoked.out)]).toEqual([
    0,
    { ...key, revoked_at: expect.any(String), quarantined: 0 },
  ]);
  const unknown = await runHere("trust", "--revoke", "0".repeat(32));
  expect([unknown.code, unknown.err]).toEqual([
    64,
    expect.stringContaining("The key 00000000000000000000000000000000 is unknown."),
  ]);
  const wrong = await runHere("trust", "--name", "x", "--public-key", "not a key");
  expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining("is not an Ed25519 public key")]);
});
