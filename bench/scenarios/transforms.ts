import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createScripts } from "../../apps/service/src/connectors/scripts/scripts.ts";
import { systemClock } from "../../apps/service/src/lib/lib.ts";
import type { Tag } from "../../apps/service/src/lib/lib.ts";
import { createTelemetry } from "../../apps/service/src/platform/telemetry/telemetry.ts";
import { createTransformRunner } from "../../apps/service/src/webhooks/transforms/run-transform.ts";
import type { TransformRunner } from "../../apps/service/src/webhooks/transforms/run-transform.ts";
import { descendantsMs } from "../meter.ts";
import { costOf, warm } from "../scenario.ts";
import { startStage } from "../stage.ts";
import { custom, SAMPLES } from "../workload.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

const TRANSFORMED = "bench.transformed";
const AT_ONCE = 64;
/** The most that a transformation may cost a delivery, in microseconds. */
const MOST_TEMPLATE = 30;
const MOST_SCRIPT = 300;

const TEMPLATE = JSON.stringify({
  kind: "template",
  body: { text: "${$.event} of ${$.timestamp}", id: "${$.id}", data: "${$.data}" },
});
const SCRIPT = JSON.stringify({
  kind: "script",
  source:
    "export function transform({ event, data, id, timestamp }) {\n  return { body: { text: `${event} of ${timestamp}`, id, data } };\n}",
});

/** Measures what a template and a script cost: alone, 64 at once, and as a part of deliveries with the bytes that are kept. */
export async function transforms(bench: Bench): Promise<Row[]> {
  return [...(await alone(bench)), ...(await inDeliveries(bench))];
}

async function alone(bench: Bench): Promise<Row[]> {
  const directory = await mkdtemp(join(tmpdir(), "junction-transforms-bench-"));
  const scripts = createScripts({ log: createTelemetry("error").log, clock: systemClock, directory });
  const runner = createTransformRunner(() => scripts);
  try {
    const forMs = (bench.seconds * 1000) / 3;
    return [
      row(`Template, ${AT_ONCE} at once: processor time a delivery`, await microsEach(runner, TEMPLATE, forMs), "µs", {
        goal: { atMost: MOST_TEMPLATE },
      }),
      row(
        `Script, ${AT_ONCE} at once: processor time a delivery, its process included`,
        await microsEach(runner, SCRIPT, forMs),
        "µs",
        { goal: { atMost: MOST_SCRIPT } },
      ),
    ];
  } finally {
    await scripts.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

async function microsEach(runner: TransformRunner, text: string, forMs: number): Promise<number> {
  await repeat(runner, text, forMs / 4);
  const children = descendantsMs(process.pid);
  const own = process.cpuUsage();
  const count = await repeat(runner, text, forMs);
  const { user, system } = process.cpuUsage(own);
  return (user + system + (descendantsMs(process.pid) - children) * 1000) / count;
}

/** Returns the number of deliveries that were transformed. */
async function repeat(runner: TransformRunner, text: string, forMs: number): Promise<number> {
  const endMs = performance.now() + forMs;
  const input = {
    event: TRANSFORMED,
    id: "evt_bench",
    timestamp: "2026-01-01T00:00:00.000Z",
    tenant: null,
    attempt: 1,
  } as const;
  let count = 0;
  const work = async (at: number): Promise<void> => {
    for (; performance.now() < endMs; count += 1) {
      const data = SAMPLES[(at + count) % SAMPLES.length] ?? "{}";
      const { kind } = await runner.run({ tag: "benchtag" as Tag, tenant: null, text }, { ...input, data });
      if (kind !== "request") throw new Error(`the transformation was ${kind}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, async (_one, at) => await work(at)));
  return count;
}

async function inDeliveries(bench: Bench): Promise<Row[]> {
  const stage = await startStage(bench);
  await stage.endpoint({ path: "transformed", events: [TRANSFORMED], maxInFlight: 256 });
  const forMs = bench.seconds * 1000;
  const measured = async (name: string): Promise<number> => {
    await warm(stage, custom(TRANSFORMED));
    return await costOf(stage, custom(TRANSFORMED), { name, forMs });
  };
  const plain = await measured("no transformation");
  const rows = [];
  for (const [name, text] of [
    ["template", TEMPLATE],
    ["script", SCRIPT],
  ] as const) {
    await stage.sql.query("update endpoint set transform = $1, transform_version = 1", [text]);
    const value = await measured(name);
    rows.push(
      row(`The same with a ${name}, whose bytes are kept`, value, "ms", { against: [plain, "no transformation"] }),
    );
  }
  return [row("One endpoint, no transformation: service's processor time an event", plain, "ms"), ...rows];
}
