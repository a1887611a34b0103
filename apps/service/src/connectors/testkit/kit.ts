import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { describeCode, readContents, readFolder, ConnectorRefusedError } from "../registry/connectors.ts";
import type { Contents, Version } from "../registry/connectors.ts";
import { FIXTURES, readFixtures } from "../runtime/connector-runs.ts";
import { createHosts, nodeBackend, phpBackends } from "../sandbox/hosts.ts";
import type { Hosts } from "../sandbox/hosts.ts";
import { ServiceError, sha256, systemClock } from "../../lib/lib.ts";
import { createTelemetry } from "../../platform/telemetry/telemetry.ts";
import { createBench } from "./bench.ts";
import type { Bench } from "./bench.ts";
import {
  checkActions,
  checkContext,
  checkDeclared,
  checkEvents,
  checkIdentity,
  checkSecrets,
  checkSettings,
  checkWebhook,
  failed,
  passed,
} from "./connector-checks.ts";
import type { CheckResult, Listener, Twice } from "./connector-checks.ts";
import { checkLimits } from "./limits.ts";
import { readSamples, SAMPLES } from "./samples.ts";
import { createStandIn } from "./fake-host.ts";
import type { Check, KitReport } from "./report.ts";

export { reportText } from "./report.ts";
export { createConnector } from "./scaffold.ts";

export interface KitOptions {
  /** The program that runs connectors in PHP; null means PHP.wasm. */
  readonly php: string | null;
}

/** Thrown if this machine lacks the runtime of the connector's language. */
export class KitUnavailableError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "KitUnavailableError";
  }
}

/**
 * Tests a connector's folder without a service, signed or not: its files, its class, and every hook with its fixtures.
 * Most calls are made twice. Throws KitUnavailableError.
 */
export async function testConnector(folder: string, options: KitOptions): Promise<KitReport> {
  const key = basename(resolve(folder));
  const checks: Check[] = [];
  const read = await readAll(key, folder, checks);
  if (read === undefined) return reportOf({ key, checks });
  const directory = await mkdtemp(join(tmpdir(), "junction-kit-"));
  const hosts = createHosts({
    log: createTelemetry("silent").log,
    directory,
    backends: [nodeBackend(), ...phpBackends(options.php)],
    startMs: START_MS,
    waitMs: START_MS,
  });
  try {
    await checkCode({ key, hosts, checks, ...read });
    return reportOf({ key, checks, contents: read.contents, hosts: await hosts.report() });
  } finally {
    await hosts.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

const START_MS = 60_000;

interface ConnectorFolder {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly contents: Contents;
}

async function readAll(key: string, folder: string, checks: Check[]): Promise<ConnectorFolder | undefined> {
  try {
    const files = await readFolder(folder);
    const contents = readContents(key, files);
    note(checks, "files", passed(`${files.size} valid files`));
    const readme = files.get("README.md")?.toString("utf8").trim() ?? "";
    note(
      checks,
      "readme",
      readme === ""
        ? failed(["README.md is missing: it must explain how to set up the connector"])
        : passed("README.md"),
    );
    return { files, contents };
  } catch (error) {
    if (!(error instanceof ConnectorRefusedError)) throw error;
    const { code, message, path } = error.reason;
    note(checks, "files", failed([`${path === null ? "" : `${path}: `}${message} (${code})`]));
    return undefined;
  }
}

interface Trying extends ConnectorFolder {
  readonly key: string;
  readonly hosts: Hosts;
  readonly checks: Check[];
}

async function checkCode({ key, hosts, checks, files, contents }: Trying): Promise<void> {
  const bench = benchOf({ key, hosts, checks, files, contents });
  if (bench === undefined) return;
  const listeners = await describe(bench, checks);
  if (listeners === undefined) return;
  const twice: Twice = { faults: [], count: 0 };
  note(checks, "settings", await checkSettings(bench));
  note(checks, "events", await checkEvents(bench, listeners, twice));
  note(checks, "identity", await checkIdentity(bench));
  note(checks, "context", await checkContext(bench));
  note(checks, "actions", await checkActions(bench, twice));
  note(checks, "webhook", await checkWebhook(bench, twice));
  note(checks, "duplicates", duplicatesFound(twice));
  note(checks, "declared", checkDeclared(bench));
  note(checks, "secrets", checkSecrets(bench));
  note(checks, "limits", await checkLimits(hosts, bench.version));
  const [fault] = bench.standIn.faults;
  if (fault !== undefined) throw new Error(`the kit itself failed: ${fault}`);
}

function benchOf({ key, hosts, checks, files, contents }: Trying): Bench | undefined {
  try {
    const fixtures = readFixtures(files.get(FIXTURES));
    const samples = readSamples(contents, files.get(SAMPLES));
    note(
      checks,
      "fixtures",
      fixtures === null ? { skipped: `${FIXTURES} does not exist` } : passed(`${fixtures.length} answers`),
    );
    return createBench({
      version: versionOf(key, files, contents),
      files,
      samples,
      standIn: createStandIn(fixtures),
      hosts,
    });
  } catch (error) {
    note(checks, "fixtures", failed([error instanceof Error ? error.message : String(error)]));
    return undefined;
  }
}

async function describe(bench: Bench, checks: Check[]): Promise<readonly Listener[] | undefined> {
  const { version, files, samples, hosts, scope } = bench;
  try {
    const deps = { hosts, clock: systemClock, files: async () => await Promise.resolve(files) };
    const listeners = await describeCode(deps, scope, { version, values: samples.values });
    note(checks, "class", passed("the hooks match connector.json and actions.json"));
    return listeners;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const words = error.details.detail ?? error.message;
    if (error.details.extra?.["reason"] === "runtime_unavailable") throw new KitUnavailableError(words, error);
    note(checks, "class", failed([words]));
    return undefined;
  }
}

function duplicatesFound({ faults, count }: Twice): CheckResult {
  if (faults.length > 0) return failed(faults);
  return count === 0
    ? { skipped: "the connector receives nothing that could be repeated" }
    : passed(`${count} repeated calls had no second effect`);
}

function versionOf(key: string, files: ReadonlyMap<string, Buffer>, contents: Contents): Version {
  const bytes = Buffer.concat([...files].flatMap(([path, content]) => [Buffer.from(`${path}\n`), sha256(content)]));
  const digest = sha256(bytes).toString("hex");
  const { version } = contents.description;
  const manifest = { format: "junction-connector-1", key, version, key_id: "", issued_at: "", files: {} } as never;
  return { ...contents, key, digest, version, manifest, signers: [] };
}

function note(checks: Check[], name: string, found: CheckResult): void {
  if ("skipped" in found) checks.push({ name, outcome: "skipped", details: [found.skipped] });
  else if (found.faults.length > 0) checks.push({ name, outcome: "failed", details: found.faults });
  else checks.push({ name, outcome: "passed", details: [found.told] });
}

function reportOf({
  key,
  checks,
  contents,
  hosts,
}: {
  readonly key: string;
  readonly checks: readonly Check[];
  readonly contents?: Contents;
  readonly hosts?: Awaited<ReturnType<Hosts["report"]>>;
}): KitReport {
  const { runtime = null, version = null } = contents?.description ?? {};
  return {
    ok: checks.every(({ outcome }) => outcome !== "failed"),
    key,
    version,
    runtime,
    backend: runtime === null ? null : backendOf(hosts?.runtimes[runtime]),
    wall: hosts?.wall ?? null,
    checks,
  };
}

function backendOf(found: Awaited<ReturnType<Hosts["report"]>>["runtimes"]["ts"] | undefined): string | null {
  return found === undefined || "missing" in found ? null : `${found.backend} ${found.version}`;
}
