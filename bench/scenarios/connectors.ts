import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHosts, nodeBackend, phpBackends } from "../../apps/service/src/connectors/sandbox/hosts.ts";
import type { Backend, Hosts, Program, Runtime } from "../../apps/service/src/connectors/sandbox/hosts.ts";
import type { Json } from "../../apps/service/src/lib/lib.ts";
import { residentBytes } from "../../apps/service/src/connectors/sandbox/memory.ts";
import { createTelemetry } from "../../apps/service/src/platform/telemetry/telemetry.ts";
import { php84, whyNoPhp84 } from "../../tools/php/php84.ts";
import { createHistogram } from "../histogram.ts";
import type { Histogram } from "../histogram.ts";
import { descendantsMs } from "../meter.ts";
import { latencyRows } from "../scenario.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

/** One language of connectors: the same two providers, `echo`, which answers its argument, and `ask`, which asks `kv.get` first. */
interface Language {
  readonly name: string;
  readonly backends: readonly Backend[];
  readonly runtime: Runtime;
  readonly file: string;
  readonly source: string;
  /** Promised number of hook calls a second. */
  readonly goal?: number;
}

const TYPESCRIPT = `import { AbstractConnector } from "@junction/connector";
export class Bench extends AbstractConnector {
  key() { return "bench"; }
  contextProviders() { return { echo: "echo", ask: "ask" }; }
  echo(customer: unknown) { return customer; }
  async ask(customer: unknown) { await this.kv.get("cursor"); return customer; }
}`;
const PHP = `<?php
class Bench extends Junction\\AbstractConnector
{
    public function key(): string { return 'bench'; }
    public function contextProviders(): array { return ['echo' => 'echo', 'ask' => 'ask']; }
    protected function echo(array $customer): array { return $customer; }
    protected function ask(array $customer): array { $this->kv->get('cursor'); return $customer; }
}
`;

const AT_ONCE = 64;
const STARTS = 5;
const WARM_MS = 1000;
const START_MS = 60_000;
const CUSTOMER = {
  id: "cus_bench",
  external_ids: { shop: "10482" },
  email: "ada@example.com",
  phone: null,
  name: "Ada",
};

/** Measures a hook in a connector's own process, from the call to its answer, with and without a service in between. */
export async function connectors(bench: Bench): Promise<Row[]> {
  const rows: Row[] = [];
  for (const language of await languages(bench)) rows.push(...(await inHosts(bench, language)));
  return rows;
}

async function languages(bench: Bench): Promise<Language[]> {
  const php = { runtime: "php", file: "connector.php", source: PHP } as const;
  const found: Language[] = [
    {
      name: "TypeScript",
      backends: [nodeBackend()],
      runtime: "ts",
      file: "connector.ts",
      source: TYPESCRIPT,
      goal: 10_000,
    },
    { name: "PHP on PHP.wasm", backends: phpBackends(null), ...php, goal: 5000 },
  ];
  const missing = await whyNoPhp84();
  if (missing !== undefined) bench.say(`a real PHP is left out: ${missing}`);
  else found.push({ name: "PHP on a real PHP 8.4", backends: phpBackends((await php84()).program), ...php });
  return found;
}

async function inHosts(bench: Bench, language: Language): Promise<Row[]> {
  const directory = await mkdtemp(join(tmpdir(), "junction-hosts-bench-"));
  const log = createTelemetry("error").log;
  const hosts = createHosts({ log, directory, backends: language.backends, startMs: START_MS });
  try {
    const { wall } = await hosts.report();
    return await measure(bench, hosts, language, wall);
  } finally {
    await hosts.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function measure(bench: Bench, hosts: Hosts, language: Language, wall: string): Promise<Row[]> {
  const what = `Connectors in ${language.name}`;
  const program = programOf(language, 0);
  const forMs = (bench.seconds * 1000) / 3;
  await repeat(AT_ONCE, WARM_MS, async () => await call(hosts, program, "ask"));
  const single = createHistogram();
  await repeat(1, forMs, async () => await call(hosts, program, "echo"), single);
  const usedBefore = descendantsMs(process.pid);
  const rate = await repeat(AT_ONCE, forMs, async () => await call(hosts, program, "echo"));
  const usedMs = descendantsMs(process.pid) - usedBefore;
  const resident = residentBytes(process.pid) - process.memoryUsage.rss();
  return [
    row(
      `${what}: hook calls of one process`,
      rate,
      "/s",
      language.goal === undefined ? {} : { goal: { atLeast: language.goal } },
    ),
    row(`${what}: the process's time for each`, (usedMs * 1000) / (rate * (forMs / 1000)), "µs"),
    row(`${what}: resident memory of the process`, resident / 1024 ** 2, "MiB"),
    row(
      `${what}: the same with a service each`,
      await repeat(AT_ONCE, forMs, async () => await call(hosts, program, "ask")),
      "/s",
    ),
    ...latencyRows(`${what}: one call after the other`, single.read()),
    row(`${what}: process started, first call answered (${wall})`, await firstCallMs(hosts, language), "ms"),
  ];
}

/** Returns the calls per second of `atOnce` concurrent callers. */
async function repeat(atOnce: number, forMs: number, work: () => Promise<Json>, times?: Histogram): Promise<number> {
  const startedAt = performance.now();
  let calls = 0;
  const one = async (): Promise<void> => {
    for (let at = performance.now(); at - startedAt < forMs; at = performance.now()) {
      await work();
      calls += 1;
      times?.add(performance.now() - at);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return (calls / (performance.now() - startedAt)) * 1000;
}

/** Returns the quickest of several first calls, because other programs on the machine only add time. */
async function firstCallMs(hosts: Hosts, language: Language): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let time = 1; time <= STARTS; time += 1) {
    const program = programOf(language, time);
    const startedAt = performance.now();
    await call(hosts, program, "echo");
    best = Math.min(best, performance.now() - startedAt);
    await hosts.end(program.id);
  }
  return best;
}

function programOf({ name, runtime, file, source }: Language, which: number): Program {
  const files = new Map([[file, Buffer.from(source)]]);
  const id = `${name}-${which}`;
  return { id, digest: id, runtime, key: "bench", files: async () => await Promise.resolve(files) };
}

async function call(hosts: Hosts, program: Program, name: string): Promise<Json> {
  return await hosts.call(program, {
    hook: "context",
    name,
    args: [CUSTOMER],
    deadlineMs: 10_000,
    facts: { event: null, settings: { region: "eu" }, environment: "live", now: "2026-11-21T13:00:00.000Z" },
    service: async () => await Promise.resolve(null),
    log: () => {},
  });
}
