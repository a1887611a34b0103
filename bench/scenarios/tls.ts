import { quantile } from "../histogram.ts";
import { startReceiverNames } from "../receiver-names.ts";
import type { ReceiverNames } from "../receiver-names.ts";
import { CLOSING } from "../receiver-paths.ts";
import type { Secure } from "../receiver.ts";
import { assertAccepted, assertArrived, CONNECTIONS, settle, warm } from "../scenario.ts";
import { startEnds, startStage } from "../stage.ts";
import type { Stage } from "../stage.ts";
import { custom } from "../workload.ts";
import type { Workload } from "../workload.ts";
import { row } from "../bench.ts";
import type { Bench, Row } from "../bench.ts";

const HOSTS = { short: 1000, full: 5000 };
const AT_ONCE = 16;
const FAR_MS = 50;
const MANY = "bench.many";
/** Cold deliveries a second during which accepting is measured. */
const COLD_PER_SECOND = 300;
/** The cost of a resumed handshake, relative to a full one. */
const MOST_OF_FULL = 0.6;

/** Deliveries to one receiver, by how its port behaves. */
interface Kind {
  readonly what: string;
  readonly event: string;
  readonly path: string;
  readonly port: Pick<Secure, "version" | "isResumable" | "roundTripMs"> | null;
}

const PLAIN: Kind = { what: "Plain HTTP, kept", event: "bench.plain", path: "order", port: null };
const KEPT: Kind = { what: "TLS, kept", event: "bench.kept", path: "order", port: port("TLSv1.3", true) };
const FULL: Kind = {
  what: "TLS 1.3, a full handshake each",
  event: "bench.full",
  path: CLOSING,
  port: port("TLSv1.3", false),
};
const RESUMED: Kind = {
  what: "TLS 1.3, a resumed session each",
  event: "bench.resumed",
  path: CLOSING,
  port: port("TLSv1.3", true),
};
const FULL_2: Kind = {
  what: "TLS 1.2, a full handshake each",
  event: "bench.full2",
  path: CLOSING,
  port: port("TLSv1.2", false),
};
const RESUMED_2: Kind = {
  what: "TLS 1.2, a resumed session each",
  event: "bench.resumed2",
  path: CLOSING,
  port: port("TLSv1.2", true),
};
const FAR: Kind = {
  what: `TLS, kept, ${FAR_MS} ms away`,
  event: "bench.far",
  path: "order",
  port: { ...port("TLSv1.3", true), roundTripMs: FAR_MS },
};

function port(version: Secure["version"], isResumable: boolean): NonNullable<Kind["port"]> {
  return { version, isResumable };
}

/** Measures deliveries as the internet has them: with TLS, on kept and on new connections, to one receiver and to many hosts. */
export async function tls(bench: Bench): Promise<Row[]> {
  const names = await startReceiverNames(bench.full ? HOSTS.full : HOSTS.short);
  try {
    const ceiling = await ceilingOf(bench, names);
    const stage = await startStage(bench, { environment: names.environment });
    await stage.endpoint({ path: "order", events: ["bench.order"] });
    await warm(stage);
    const rows = [row("Raw ceiling with TLS: signed POSTs without the service", ceiling, "/s")];
    const costs = new Map<Kind, number>();
    for (const kind of [PLAIN, KEPT, FAR, FULL, RESUMED, FULL_2, RESUMED_2]) {
      await endpointOf(stage, names, kind);
      const found = await deliver(stage, bench, kind.what, custom(kind.event));
      costs.set(kind, found.serviceMs);
      rows.push(...rowsOf(kind, found, kind === PLAIN ? undefined : ceiling));
    }
    rows.push(...resumptionRows(costs));
    rows.push(...(await acceptRows(stage, bench)));
    rows.push(...(await manyRows(stage, bench, names)));
    return rows;
  } finally {
    await names.stop();
  }
}

async function ceilingOf(bench: Bench, { ca, certificate, names }: ReceiverNames): Promise<number> {
  const ends = await startEnds();
  const secured = await ends.secure({ ...certificate, ...port("TLSv1.3", true) });
  const options = { port: secured, connections: CONNECTIONS, tls: { ca, servername: names[0] ?? "" } };
  await ends.raw({ ...options, forMs: 1000 });
  await ends.reset();
  const load = await ends.raw({ ...options, forMs: bench.seconds * 250 });
  assertArrived(load, (await ends.received()).requests);
  await ends.stop();
  return (load.accepted / load.wallMs) * 1000;
}

async function endpointOf(stage: Stage, { certificate, names }: ReceiverNames, kind: Kind): Promise<void> {
  const origin =
    kind.port === null ? {} : { origin: `https://${names[0]}:${await stage.secure({ ...certificate, ...kind.port })}` };
  await stage.endpoint({ path: kind.path, events: [kind.event], maxInFlight: 256, ...origin });
}

interface Delivered {
  readonly perSecond: number;
  readonly serviceMs: number;
  readonly machineMs: number;
  /** New connections for each delivery. */
  readonly connections: number;
  readonly resumed: number;
}

async function deliver(stage: Stage, bench: Bench, name: string, workload: Workload): Promise<Delivered> {
  await stage.closed(workload, { connections: CONNECTIONS, forMs: 500 });
  await settle(stage);
  await stage.reset();
  const stopMeter = stage.meter(name);
  const load = await stage.closed(workload, { connections: CONNECTIONS, forMs: bench.seconds * 250 });
  await settle(stage);
  const { wallMs, serviceMs, machineMs } = stopMeter();
  const { requests, connections, resumed } = await stage.received();
  assertArrived(load, requests);
  return {
    perSecond: (requests / wallMs) * 1000,
    serviceMs: serviceMs / requests,
    machineMs: machineMs / requests,
    connections: connections / requests,
    resumed: connections === 0 ? 0 : resumed / connections,
  };
}

function rowsOf({ what }: Pick<Kind, "what">, found: Delivered, ceiling: number | undefined): Row[] {
  const resumed = found.resumed > 0.01 ? `, ${Math.round(found.resumed * 100)} % of them resumed` : "";
  return [
    row(`${what}: sustained`, found.perSecond, "/s", { against: [ceiling, "TLS ceiling"] }),
    row(`· processor time of the whole machine per delivery`, found.machineMs, "ms"),
    row(`· of it the service`, found.serviceMs, "ms"),
    row(`· new connections per delivery${resumed}`, found.connections, ""),
  ];
}

/** The handshake's cost is what a delivery costs beyond one on a kept connection. */
function resumptionRows(costs: ReadonlyMap<Kind, number>): Row[] {
  const handshake = (kind: Kind): number => (costs.get(kind) ?? Number.NaN) - (costs.get(KEPT) ?? Number.NaN);
  return [[FULL, RESUMED, "1.3"] as const, [FULL_2, RESUMED_2, "1.2"] as const].map(([full, resumed, version]) =>
    row(`TLS ${version}: a resumed connection's processor time in the service`, handshake(resumed), "ms", {
      against: [handshake(full), "a full one"],
      goal: { atMost: MOST_OF_FULL, of: "ratio" },
    }),
  );
}

/** Measures how long accepting takes during cold deliveries, and during as many on kept connections. */
async function acceptRows(stage: Stage, bench: Bench): Promise<Row[]> {
  const accept = async ({ event }: Kind): Promise<number> => {
    const load = await stage.open(custom(event), { perSecond: COLD_PER_SECOND, forMs: bench.seconds * 250 });
    assertAccepted(load);
    await settle(stage);
    return quantile(load.latencies, 0.99);
  };
  const kept = await accept(KEPT);
  return [
    row(`Accept next to ${COLD_PER_SECOND} kept TLS deliveries a second, p99`, kept, "ms"),
    row(`Accept next to ${COLD_PER_SECOND} cold ones, p99`, await accept(FULL), "ms", { against: [kept, "kept"] }),
  ];
}

/** Measures events of many tenants, each of which has a host of its own that keeps its connections. */
async function manyRows(stage: Stage, bench: Bench, { certificate, names }: ReceiverNames): Promise<Row[]> {
  const secured = await stage.secure({ ...certificate, ...port("TLSv1.3", true) });
  bench.say(`making ${names.length} endpoints`);
  const left = names.entries();
  const make = async (): Promise<void> => {
    for (const [n, name] of left) {
      const tenant = `t${String(n).padStart(4, "0")}`;
      await stage.endpoint({ path: "order", events: [MANY], origin: `https://${name}:${secured}`, tenant });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, make));
  const workload = { ...custom(MANY), tenants: names.length };
  const first = await deliver(stage, bench, "many hosts", workload);
  const again = await deliver(stage, bench, "many hosts again", workload);
  return [
    ...rowsOf({ what: `${names.length} hosts with TLS of their own` }, first, undefined),
    ...rowsOf({ what: "The same, again" }, again, undefined),
  ];
}
