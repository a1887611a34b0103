import { existsSync } from "node:fs";
import { readFile, watch } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { keygen, ConnectorRefusedError, signFolder } from "../registry/connectors.ts";
import { isRecord, systemClock, toRfc3339 } from "../../lib/lib.ts";
import { askOwnService } from "../../platform/outbound-http/outbound-http.ts";

export interface Development {
  /** A folder inside of the folder that the service scans. */
  readonly folder: string;
  readonly baseUrl: string;
  /** A sandbox key, because development keys are valid only there. */
  readonly apiKey: string;
  /** The path of the development key without its extension. The key is created if it does not exist. */
  readonly keyName: string;
  /** A JSON file with the settings for enabling. */
  readonly settingsFile: string | null;
  print(line: string): void;
  readonly signal: AbortSignal;
}

const QUIET_MS = 150;
const TAIL_MS = 500;
const TRIES = 5;
const PAUSE_MS = 2000;

/** Thrown if the service refuses a request. The message is the service's own. */
class Refused extends Error {
  /** True if a retry may succeed. */
  readonly isPassing: boolean;

  constructor(message: string, isPassing: boolean) {
    super(message);
    this.name = "Refused";
    this.isPassing = isPassing;
  }
}

/**
 * Signs, rescans and enables the connector in the sandbox of a running service after each change of its files, and
 * shows its runs.
 */
export async function develop(development: Development): Promise<void> {
  const { folder, signal, print, keyName } = development;
  const privateFile = `${keyName}.key`;
  if (!existsSync(privateFile)) {
    await keygen(dirname(resolve(privateFile)), basename(keyName));
    print(`created a development key: ${privateFile}`);
  }
  const tail = follow(development);
  try {
    await publish(development);
    for await (const _change of changesOf(folder, signal)) await publish(development);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await tail;
  }
}

/** Yields once for changes that occur together. Files that signing writes are ignored. */
async function* changesOf(folder: string, signal: AbortSignal): AsyncGenerator<string> {
  for await (const { filename } of watch(folder, { recursive: true, signal })) {
    if (filename === null || basename(filename).startsWith("MANIFEST.")) continue;
    await sleep(QUIET_MS, undefined, { signal });
    yield filename;
  }
}

async function publish(development: Development): Promise<void> {
  const { folder, keyName, print } = development;
  try {
    const issuedAt = toRfc3339(systemClock.now());
    const signed = await signFolder(folder, { privateKeys: [await readFile(`${keyName}.key`, "utf8")], issuedAt });
    print(`signed ${signed.key} ${signed.version}, ${signed.files} files`);
    await enableAtLast(development, signed.key, signed.digest);
  } catch (error) {
    if (error instanceof ConnectorRefusedError) print(`refused: ${error.reason.path ?? ""} ${error.reason.message}`);
    else if (error instanceof Error) print(error.message);
    else throw error;
  }
}

/** Retries if the service is temporarily busy. */
async function enableAtLast(development: Development, key: string, digest: string): Promise<void> {
  for (let left = TRIES; ; left -= 1) {
    try {
      return await enable(development, key, digest);
    } catch (error) {
      if (!(error instanceof Refused) || !error.isPassing || left === 1) throw error;
      development.print(`${error.message}\n  retrying`);
      await sleep(PAUSE_MS, undefined, { signal: development.signal });
    }
  }
}

async function enable(development: Development, key: string, digest: string): Promise<void> {
  const { print, settingsFile, keyName } = development;
  await call(development, "POST", "/v1/connectors/rescan");
  const { folder } = (await call(development, "GET", `/v1/connectors/${key}`)) as unknown as ConnectorStatus;
  if (folder.status !== "verified" || folder.digest !== digest) {
    print(
      `the service did not accept the connector: ${folder.reason?.message ?? "the service does not scan its folder"}`,
    );
    if (folder.reason?.code === "key_unknown")
      print(`trust the key once: connector trust --name development --public-key ${keyName}.pub --development`);
    return;
  }
  const settings =
    settingsFile === null ? {} : { settings: JSON.parse(await readFile(settingsFile, "utf8")) as unknown };
  await call(development, "POST", `/v1/connectors/${key}/enable`, { digest, allow_downgrade: true, ...settings });
  print(`enabled ${key} in the sandbox`);
}

interface ConnectorStatus {
  readonly folder: {
    readonly status: string;
    readonly digest: string | null;
    readonly reason: { readonly code: string; readonly message: string } | null;
  };
}

interface Run {
  readonly id: string;
  readonly hook: string;
  readonly name: string;
  readonly outcome: string;
  readonly error: string | null;
  readonly log: readonly { readonly level: string; readonly message: string }[];
}

/** Prints new runs as they end, until the signal is aborted. */
async function follow(development: Development): Promise<void> {
  const { folder, signal, print } = development;
  const path = `/v1/connectors/${basename(resolve(folder))}/runs?limit=20`;
  let seen: Set<string> | undefined;
  while (!signal.aborted) {
    const page = await call(development, "GET", path).catch(() => undefined);
    const runs = (page?.["data"] ?? []) as unknown as readonly Run[];
    if (seen !== undefined)
      for (const run of runs.toReversed()) if (!seen.has(run.id)) for (const line of linesOf(run)) print(line);
    if (page !== undefined) seen = new Set(runs.map(({ id }) => id));
    await sleep(TAIL_MS, undefined, { signal }).catch(() => undefined);
  }
}

function linesOf({ hook, name, outcome, error, log }: Run): string[] {
  const title = `${hook}${name === "" ? "" : ` ${name}`}: ${outcome}${error === null ? "" : `, ${error}`}`;
  return [title, ...log.map(({ level, message }) => `  ${level}: ${message}`)];
}

/** Throws Error with the service's message. */
async function call(
  { baseUrl, apiKey, signal }: Development,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const { status, body: answer } = await askOwnService({
    method,
    url: baseUrl.replace(/(?<!\/)\/+$/, "") + path,
    signal,
    headers: {
      Authorization: `Bearer ${apiKey}`,
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const told = isRecord(answer) ? answer : {};
  if (status < 400) return told;
  const faults = Array.isArray(told["errors"]) ? told["errors"].map(testFaultText) : [];
  const words = `the service refused the request (${status}): ${String(told["detail"] ?? told["title"])}`;
  const isPassing = status >= 500 || status === 429 || told["reason"] === "runtime_unavailable";
  throw new Refused([words, ...faults].join("\n  "), isPassing);
}

function testFaultText(fault: unknown): string {
  return isRecord(fault) ? `${String(fault["pointer"])} ${String(fault["message"])}` : String(fault);
}
