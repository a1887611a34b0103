import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHosts, nodeBackend } from "../../apps/service/src/hosts/hosts.ts";
import type { Backend, Hosts, Json, Program, Runtime } from "../../apps/service/src/hosts/hosts.ts";
import { createTelemetry } from "../../apps/service/src/telemetry/telemetry.ts";
import { createHistogram } from "../histogram.ts";
import type { Histogram } from "../histogram.ts";
import { latencyRows } from "../scenario.ts";
import type { Bench, Row } from "../scenario.ts";

/** One language of connectors: the same two providers, `echo`, which answers its argument, and `ask`, which asks `kv.get` first. */
interface Language {
  readonly name: string;
  readonly backend: Backend;
  readonly runtime: Runtime;
  readonly file: string;
  readonly source: string;
  /** Hook calls a second that we promise. */
  readonly goal: number;
}

const LANGUAGES: readonly Language[] = [
  {
    name: "TypeScript",
    backend: nodeBackend(),
    runtime: "ts",
    file: "connector.ts",
    source: `import { AbstractConnector } from "@junction/connector";
export class Bench extends AbstractConnector {
  key() { return "bench"; }
  contextProviders() { return { echo: "echo", ask: "ask" }; }
  echo(customer: unknown) { return customer; }
  async ask(customer: unknown) { await this.kv.get("cursor"); return customer; }
}`,
    goal: 10_000,
  },
];

const AT_ONCE = 64;
const STARTS = 5;
const WARM_MS = 1000;
const CUSTOMER = {
  id: "cus_bench",
  external_ids: { shop: "10482" },
  email: "ada@example.com",
  phone: null,
  name: "Ada",
};

/** What a hook in a connector's own process costs: from the call to its answer, with and without a service in between. */
export async function connectors(bench: Bench): Promise<Row[]> {
  const directory = await mkdtemp(join(tmpdir(), "junction-hosts-bench-"));
  const hosts = createHosts({
    log: createTelemetry("error").log,
    directory,
    backends: LANGUAGES.map(({ backend }) => backend),
  });
  try {
    const { wall } = await hosts.report();
    const rows: Row[] = [];
    for (const language of LANGUAGES) rows.push(...(await measure(bench, hosts, language, wall)));
    return rows;
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
  return [
    {
      what: `${what}: hook calls of one process`,
      value: await repeat(AT_ONCE, forMs, async () => await call(hosts, program, "echo")),
      unit: "/s",
      goal: { atLeast: language.goal },
    },
    {
      what: `${what}: the same with a service each`,
      value: await repeat(AT_ONCE, forMs, async () => await call(hosts, program, "ask")),
      unit: "/s",
    },
    ...latencyRows(`${what}: one call after the other`, single.read()),
    {
      what: `${what}: process started, first call answered (${wall})`,
      value: await firstCallMs(hosts, language),
      unit: "ms",
    },
  ];
}

/** Calls by so many at once, a second. */
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

/** The quickest of a few: others on the machine only add to it. */
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
