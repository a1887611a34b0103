import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { Junction } from "../../sdks/node/src/index.ts";
import { startChild } from "../child.ts";
import { median } from "../histogram.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

const API_KEY = "jn_test_00000000000000000000000000000000000000000002X4FHy";
const DATA = { order: { external_id: "10482", total_minor: 8900, currency: "EUR" } };
const CALLS_A_TURN = 100;
const WARM_TURNS = 30;
const IMPORTS = 15;
const SDK = fileURLToPath(new URL("../../sdks/node/", import.meta.url));

/** Measures the cost of the Node SDK: a call in comparison with a bare `fetch` of the same request, and the import. */
export async function sdkNode(bench: Bench): Promise<Row[]> {
  const dist = await mkdtemp(join(tmpdir(), "junction-sdk-bench-"));
  const answerer = startChild(new URL("../answerer.ts", import.meta.url));
  try {
    const baseUrl = await answerer.ask<string>("listen");
    return [...(await overhead(bench, baseUrl)), ...(await imports(dist))];
  } finally {
    await answerer.stop();
    await rm(dist, { recursive: true, force: true });
  }
}

interface Turn {
  readonly wallUs: number;
  readonly processorUs: number;
}

/** Alternates the two calls, so that both meet the same conditions. The quietest turns count, because other programs only add time. */
async function overhead(bench: Bench, baseUrl: string): Promise<Row[]> {
  const junction = new Junction({ apiKey: API_KEY, baseUrl });
  const bySdk = async (): Promise<unknown> => await junction.events.fire("order.created", DATA);
  const bare = bareCall(baseUrl);
  for (let turn = 0; turn < WARM_TURNS; turn += 1) {
    await take(bare);
    await take(bySdk);
  }
  const turns: { readonly bare: Turn; readonly sdk: Turn }[] = [];
  const endsAt = performance.now() + bench.seconds * 1000;
  while (performance.now() < endsAt) turns.push({ bare: await take(bare), sdk: await take(bySdk) });
  const quiet = (of: (turn: (typeof turns)[number]) => number): number =>
    turns.map(of).toSorted((a, b) => a - b)[Math.floor(turns.length / 10)] ?? Number.NaN;
  const bareUs = quiet((turn) => turn.bare.processorUs);
  const sdkUs = quiet((turn) => turn.sdk.processorUs);
  return [
    row("A bare fetch of events.fire: processor time", bareUs, "µs"),
    row("Node SDK: processor time of a call above that", sdkUs - bareUs, "µs", { goal: { atMost: 50 } }),
    row(
      "Node SDK: time of a call above that",
      quiet((turn) => turn.sdk.wallUs) - quiet((turn) => turn.bare.wallUs),
      "µs",
    ),
  ];
}

async function take(call: () => Promise<unknown>): Promise<Turn> {
  const processor = process.cpuUsage();
  const startedAt = performance.now();
  for (let made = 0; made < CALLS_A_TURN; made += 1) await call();
  const wallUs = ((performance.now() - startedAt) * 1000) / CALLS_A_TURN;
  const { user, system } = process.cpuUsage(processor);
  return { wallUs, processorUs: (user + system) / CALLS_A_TURN };
}

/** Returns a call with the same request, whose headers are computed in advance. */
function bareCall(baseUrl: string): () => Promise<unknown> {
  const headers = {
    authorization: `Bearer ${API_KEY}`,
    "user-agent": "junction-sdk-node/0.1.0 node/v26.10.0",
    "x-service-version": "2026-11-21",
    "content-type": "application/json",
    "idempotency-key": "8e03978e-40d5-43e8-bc93-6894a57f9324",
    "x-service-timestamp": "1795262400",
    "x-service-signature": "0".repeat(64),
  };
  return async () => {
    const body = JSON.stringify({ event: "order.created", data: DATA });
    const response = await fetch(`${baseUrl}/v1/events/fire`, { method: "POST", headers, body });
    return await response.json();
  };
}

/** Measures imports of the package as it is published. */
async function imports(dist: string): Promise<Row[]> {
  await promisify(execFile)(process.execPath, [join(SDK, "build.ts"), dist]);
  const program = join(dist, "import.mjs");
  const code = 'const at = performance.now();\nawait import("./esm/index.js");\nconsole.log(performance.now() - at);\n';
  await writeFile(program, code);
  const times: number[] = [];
  for (let run = 0; run < IMPORTS; run += 1) {
    const { stdout } = await promisify(execFile)(process.execPath, [program]);
    times.push(Number(stdout));
  }
  const script = await loaded(join(dist, "esm"));
  return [
    row("Node SDK: import, median of fresh processes", median(times), "ms"),
    row("Node SDK: code that an import loads", script.length / 1024, "KiB"),
    row("Node SDK: the same, gzipped", gzipSync(script).length / 1024, "KiB"),
    row("Node SDK: installed, both formats and types", (await sizeOf(dist)) / 1024, "KiB"),
  ];
}

/** Returns the code that an import loads. Only tests load the fixtures. */
async function loaded(folder: string): Promise<Buffer> {
  const names = await readdir(folder, { recursive: true });
  const files = names.filter((name) => name.endsWith(".js") && !/testing|fixtures/.test(name));
  return Buffer.concat(await Promise.all(files.map(async (name) => await readFile(join(folder, name)))));
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const sizes = await Promise.all(names.map(async (name) => await stat(join(folder, name))));
  return sizes.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
}
