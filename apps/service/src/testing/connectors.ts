import { generateKeyPairSync, sign } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { canonicalJson, randomText, sha256 } from "../lib/lib.ts";
import type { ApiAnswer, Parsed, TestService } from "./test-service.ts";

type Args = Record<string, unknown>;
type Make = (service: TestService) => Promise<Args> | Args;

export interface Signer {
  readonly keyId: string;
  readonly publicKey: Buffer;
  readonly privatePem: string;
  readonly privateKey: KeyObject;
}

/** The files of a folder, as text by path. */
export type Files = Record<string, string>;

/** The connector folder of this process. It is emptied before each test file (fresh-connectors.ts) and deleted when the process ends. */
export const ROOT = join(tmpdir(), `junction-connectors-${randomText(12)}`);
export const CONNECTORS = join(ROOT, "connectors");
export const DATA = join(ROOT, "data");
/** The signer that every test service trusts. */
export const signer = newSigner();

process.on("exit", () => rmSync(ROOT, { recursive: true, force: true }));

export const connectorsEnvironment = {
  JUNCTION_DATA_DIR: DATA,
  JUNCTION_CONNECTORS_DIR: CONNECTORS,
  JUNCTION_CONNECTOR_TRUST: signer.publicKey.toString("base64"),
};

export function newSigner(): Signer {
  const { privateKey, publicKey: made } = generateKeyPairSync("ed25519");
  const publicKey = made.export({ format: "der", type: "spki" }).subarray(-32);
  const privatePem = privateKey.export({ format: "pem", type: "pkcs8" });
  return { keyId: sha256(publicKey).toString("hex", 0, 16), publicKey, privatePem, privateKey };
}

const SETTINGS = {
  type: "object",
  properties: {
    base_url: { type: "string", format: "uri", title: "Address" },
    api_key: { type: "string", writeOnly: true, minLength: 4 },
    region: { type: "string", enum: ["eu", "us"], default: "eu" },
    page_size: { type: "integer", minimum: 1, maximum: 100, default: 50 },
    verbose: { type: "boolean" },
  },
  required: ["base_url", "api_key"],
  groups: [{ title: "Connection", properties: ["base_url", "api_key"] }],
  test: "testConnection",
};
/** Values for the settings above. */
export const GIVEN = { base_url: "http://127.0.0.1:9/api", api_key: "a very secret key" };

/** Returns the files of an unsigned connector in either language. */
export function connectorFiles(key: string, description: Record<string, unknown> = {}, actions?: unknown[]): Files {
  const told = {
    name: "Acme",
    version: "1.0.0",
    runtime: "ts",
    egress: ["127.0.0.1:9", "settings.base_url"],
    events: ["order.created"],
    fires: ["payment.completed"],
    reads: ["contacts"],
    ...description,
  };
  const code: Files =
    told.runtime === "php"
      ? { "connector.php": "<?php\nfinal class Acme extends \\Junction\\AbstractConnector {}\n" }
      : { "connector.ts": codeOf(key, told.events) };
  return {
    ...code,
    "connector.json": JSON.stringify(told),
    "settings.json": JSON.stringify(SETTINGS),
    "actions.json": JSON.stringify(actions ?? [actionOf(key)]),
    "README.md": "# Acme\n",
    "fixtures/charge.json": "{}",
  };
}

/** Returns a class that subscribes to exactly these events, with the members that a test adds. */
export function codeOf(key: string, events: readonly string[], members = "async hear() {}"): string {
  return `import { AbstractConnector } from "@junction/connector";
export class Acme extends AbstractConnector {
  key() { return ${JSON.stringify(key)}; }
  subscribers() { return ${JSON.stringify(Object.fromEntries(events.map((name) => [name, ["hear"]])))}; }
  async testConnection() { return { ok: true, message: "Connected" }; }
  ${members}
}
`;
}

export function actionOf(key: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    key: `${key.replaceAll("-", "_")}.refund`,
    label: "Refund",
    surface: ["api"],
    roles: ["owner"],
    requires_confirmation: false,
    audit: true,
    params: {},
    endpoint: "http://127.0.0.1:9/refund",
    ...more,
  };
}

/** Signs files by the reference documentation, independently of the code under test. `change` alters the manifest before it is signed. */
export function signed(
  key: string,
  files: Files,
  { by = [signer], change = {} }: { readonly by?: readonly Signer[]; readonly change?: Record<string, unknown> } = {},
): Files {
  const listed = Object.entries(files).map(([path, text]) => [
    path,
    { sha256: sha256(text).toString("hex"), size: Buffer.byteLength(text) },
  ]);
  const manifest = canonicalJson({
    format: "junction-connector-1",
    key,
    version: JSON.parse(files["connector.json"] ?? "{}").version ?? "1.0.0",
    key_id: by[0]?.keyId,
    issued_at: "2026-11-21T13:00:00.000Z",
    files: Object.fromEntries(listed),
    ...change,
  });
  return { ...files, "MANIFEST.json": manifest, "MANIFEST.sig": signatureOf(manifest, by) };
}

export function signatureOf(manifest: string, by: readonly Signer[]): string {
  const signatures = by.map(({ keyId, privateKey }) => ({
    key_id: keyId,
    signature: sign(null, Buffer.from(`junction-connector-manifest-v1\n${manifest}`), privateKey).toString("base64"),
  }));
  return canonicalJson({ format: "junction-connector-signature-1", signatures });
}

/** Replaces the content of the folder with these files. */
export async function drop(folder: string, files: Files): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

export const PATH = "/v1/connectors";

/** Operations on connectors, by default with the owner's key. */
export interface ConnectorApi {
  /** Replaces a connector's folder and rescans. */
  put(key: string, files: Files): Promise<void>;
  show(key: string, as?: string): Promise<Parsed>;
  enable(key: string, body?: object, as?: string): Promise<ApiAnswer>;
  disable(key: string, as?: string): Promise<ApiAnswer>;
  patch(key: string, settings: object, as?: string): Promise<ApiAnswer>;
  /** Returns the contract of the action in `connectorFiles`. */
  contract(key: string): Promise<ApiAnswer>;
}

export function connectorApi(service: TestService): ConnectorApi {
  return {
    async put(key, files) {
      await drop(join(CONNECTORS, key), files);
      await rescan(service);
    },
    show: async (key, as = service.key) => (await service.api("GET", `${PATH}/${key}`, undefined, { key: as })).body,
    enable: async (key, body = { settings: GIVEN }, as = service.key) =>
      await service.api("POST", `${PATH}/${key}/enable`, body, { key: as }),
    disable: async (key, as = service.key) =>
      await service.api("POST", `${PATH}/${key}/disable`, undefined, { key: as }),
    patch: async (key, settings, as = service.key) =>
      await service.api("PATCH", `${PATH}/${key}`, { settings }, { key: as }),
    contract: async (key) => await service.api("GET", `/v1/action-contracts/${key.replaceAll("-", "_")}.refund`),
  };
}

async function rescan(service: TestService): Promise<void> {
  const scanned = await service.api("POST", `${PATH}/rescan`);
  if (scanned.status !== 200) throw new Error(`not scanned: ${scanned.text}`);
}

let count = 0;

/** Returns a key that no other test of the file has. */
export function freshKey(): string {
  count += 1;
  return `acme-${count}`;
}

/** Installs a signed connector. */
export async function freshConnector(
  service: TestService,
  description: Record<string, unknown> = {},
): Promise<{ key: string }> {
  const key = freshKey();
  await drop(join(CONNECTORS, key), signed(key, connectorFiles(key, description)));
  await rescan(service);
  return { key };
}

/** Connectors that are enabled for one operation's calls do not receive the events of other calls. */
const QUIET = { events: [] };

async function quietConnector(service: TestService): Promise<Args> {
  return await freshConnector(service, QUIET);
}

async function enabledConnector(service: TestService): Promise<Args> {
  const { key } = await freshConnector(service, QUIET);
  await service.api("POST", `/v1/connectors/${key}/enable`, { settings: GIVEN });
  return { key };
}

/** Enables a connector for the sandbox alone. */
async function sandboxConnector(service: TestService): Promise<Args> {
  const { key } = await freshConnector(service, QUIET);
  await service.api("POST", `/v1/connectors/${key}/enable`, { settings: GIVEN }, { key: service.sandboxKey });
  return { key };
}

/** Installs and enables a connector that receives webhooks. */
async function hookedConnector(service: TestService): Promise<Args> {
  const key = freshKey();
  const files = connectorFiles(
    key,
    { ...QUIET, webhook: { verify: "hex", header: "X-Signature", secret: "settings.api_key" } },
    [],
  );
  const code = codeOf(key, [], "async handleWebhook() {}");
  await drop(join(CONNECTORS, key), signed(key, { ...files, "connector.ts": code }));
  await rescan(service);
  await service.api("POST", `/v1/connectors/${key}/enable`, { settings: GIVEN });
  return { key };
}

async function freshTried(service: TestService): Promise<Args> {
  const { key } = await freshConnector(service, QUIET);
  await service.api("PATCH", `/v1/connectors/${key}`, { settings: GIVEN });
  return { key };
}

/** The rows of testing/calls.ts for connectors. */
export const connectorCalls: Readonly<Record<string, { readonly good: Make; readonly bad: Make }>> = {
  "connectors.list": { good: () => ({ limit: 1 }), bad: () => ({ cursor: "x" }) },
  "connectors.get": { good: freshConnector, bad: () => ({ key: "no-such" }) },
  "connectors.enable": {
    good: async (service) => ({ ...(await freshConnector(service, QUIET)), settings: GIVEN }),
    bad: async (service) => ({ ...(await freshConnector(service, QUIET)), settings: { base_url: 1 } }),
  },
  "connectors.disable": { good: enabledConnector, bad: quietConnector },
  "connectors.update": {
    good: async (service) => ({ ...(await freshConnector(service, QUIET)), settings: { region: "us" } }),
    bad: async (service) => ({ ...(await freshConnector(service, QUIET)), settings: { region: "mars" } }),
  },
  "connectors.promote": {
    good: async (service) => ({ ...(await sandboxConnector(service)), settings: GIVEN }),
    bad: quietConnector,
  },
  "connectors.sandbox.delete": { good: sandboxConnector, bad: quietConnector },
  "connectors.test": { good: freshTried, bad: quietConnector },
  "connectors.runs.list": {
    good: async (service) => ({ ...(await freshConnector(service, QUIET)), limit: 1 }),
    bad: () => ({ key: "no-such" }),
  },
  "connectors.webhook": {
    good: async (service) => ({ ...(await hookedConnector(service)), id: "evt_1", type: "charge.succeeded" }),
    bad: () => ({ key: "no-such", id: "evt_1" }),
  },
  "connectors.rescan": { good: () => ({}), bad: () => ({ folder: "/etc" }) },
};
