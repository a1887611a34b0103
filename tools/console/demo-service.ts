import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../apps/service/src/testing/process.ts";
import { startProgram } from "../program.ts";

/** A service with demo data, for pictures and figures of the console. */
export interface DemoService {
  readonly baseUrl: string;
  readonly owner: { readonly email: string; readonly password: string };
  /** Null for a service that was running before. */
  readonly sandboxKey: string | null;
  /** Data folder of the embedded PostgreSQL; null for a service that was running before. */
  readonly dataDir: string | null;
  stop(): Promise<void>;
}

const START = fileURLToPath(new URL("../start.ts", import.meta.url));
const PATIENCE_MS = 180_000;
/** The short schedule lets failing deliveries reach their final state before the console is shown. */
const LADDER = "500ms,1s,1s,2s,3s";

/** Returns the service at JUNCTION_BASE_URL, with the JUNCTION_EMAIL and JUNCTION_PASSWORD of a member; otherwise starts one on a new data folder. */
export async function demoService(env: Readonly<Record<string, string>> = {}): Promise<DemoService> {
  const baseUrl = process.env["JUNCTION_BASE_URL"];
  return baseUrl === undefined ? await startOwn(env) : running(baseUrl);
}

function running(baseUrl: string): DemoService {
  const [email, password] = [process.env["JUNCTION_EMAIL"], process.env["JUNCTION_PASSWORD"]];
  if (email === undefined || password === undefined)
    throw new Error("Set JUNCTION_EMAIL and JUNCTION_PASSWORD to somebody's of that service.");
  return { baseUrl, owner: { email, password }, sandboxKey: null, dataDir: null, stop: async () => undefined };
}

async function startOwn(env: Readonly<Record<string, string>>): Promise<DemoService> {
  const folder = await mkdtemp(join(tmpdir(), "junction-demo-"));
  const [dataDir, bootstrap, port] = [join(folder, "data"), join(folder, "bootstrap.json"), await freePort()];
  const program = startProgram(process.execPath, [START, "--demo"], {
    isShown: true,
    env: {
      PATH: process.env["PATH"],
      JUNCTION_DATA_DIR: dataDir,
      JUNCTION_BOOTSTRAP: bootstrap,
      JUNCTION_PORT: String(port),
      JUNCTION_RETRY_LADDER: LADDER,
      JUNCTION_LOG_LEVEL: "warn",
      ...env,
    },
  });
  const isFilled = (): boolean => program.output().includes("the sandbox has demo data");
  await program.until(async () => await Promise.resolve(isFilled()), PATIENCE_MS);
  const made = JSON.parse(await readFile(bootstrap, "utf8")) as {
    readonly owner: DemoService["owner"];
    readonly sandbox_key: string;
  };
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    owner: made.owner,
    sandboxKey: made.sandbox_key,
    dataDir,
    async stop() {
      await program.end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
