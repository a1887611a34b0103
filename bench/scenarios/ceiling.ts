import {
  bodyWithSignature,
  hmacHex,
  signStandard,
} from "../../apps/service/src/platform/outbound-http/outbound-http.ts";
import { assertArrived, CONNECTIONS } from "../scenario.ts";
import { startEnds } from "../stage.ts";
import { CATALOGUE, SAMPLES } from "../workload.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

const WARM_MS = 2000;
const SIGNED = 100_000;
/** Microseconds for the three signatures of a delivery. */
const SIGNING_GOAL = 10;

/** Measures the best that this machine can do: the same signed POSTs from generator to receiver, with no service between them. */
export async function ceiling(bench: Bench): Promise<Row[]> {
  const forMs = (bench.seconds * 1000) / 2;
  const ends = await startEnds();
  await ends.raw({ connections: CONNECTIONS, forMs: WARM_MS });
  await ends.reset();
  const load = await ends.raw({ connections: CONNECTIONS, forMs });
  const { requests, bytesEach } = await ends.received();
  assertArrived(load, requests);
  await ends.fire(CATALOGUE, { connections: CONNECTIONS, forMs: WARM_MS });
  const fired = await ends.fire(CATALOGUE, { connections: CONNECTIONS, forMs });
  bench.found.ceiling = (load.accepted / load.wallMs) * 1000;
  bench.found.fireCeiling = (fired.accepted / fired.wallMs) * 1000;
  return [
    row("Raw ceiling: signed POSTs without the service", bench.found.ceiling, "/s"),
    row("Size of one of these requests", bytesEach, "bytes"),
    row("Events that the generator can fire, each answered at once", bench.found.fireCeiling, "/s"),
    row("The three signatures of a delivery: processor time", signingMicros(), "µs", {
      goal: { atMost: SIGNING_GOAL },
    }),
  ];
}

/** Measures what the service signs for each delivery: the value in the body, the service's header and that of Standard Webhooks. */
function signingMicros(): number {
  const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
  const before = `{"data":${SAMPLES[0] ?? ""},"signature":""}`;
  let usedAt = process.cpuUsage();
  for (let n = -SIGNED; n < SIGNED; n += 1) {
    if (n === 0) usedAt = process.cpuUsage();
    const body = bodyWithSignature(secret, before);
    hmacHex(secret, body);
    signStandard(secret, "dlv_bench", n, body);
  }
  const { user, system } = process.cpuUsage(usedAt);
  return (user + system) / SIGNED;
}
