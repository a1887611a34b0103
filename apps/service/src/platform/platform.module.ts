import { hostname } from "node:os";
import type { Config } from "../config/config.ts";
import { createDb } from "./db/db.ts";
import type { Db } from "./db/db.ts";
import { createIdMaker, createSealer, fingerprintOf, randomText, systemClock } from "../lib/lib.ts";
import type { Clock, IdMaker, Sealer } from "../lib/lib.ts";
import { defineModule, givenModule } from "../composition/module.ts";
import type { Module } from "../composition/module.ts";
import { createNet } from "./outbound-http/outbound-http.ts";
import type { Net } from "./outbound-http/outbound-http.ts";
import { merged } from "../composition/points.ts";
import type { Worker } from "../composition/points.ts";
import { createTasks } from "./tasks/tasks.ts";
import type { Tasks } from "./tasks/tasks.ts";
import { createTelemetry, createTraces } from "./telemetry/telemetry.ts";
import type { Gauges, Log, Signals, Telemetry, Traces } from "./telemetry/telemetry.ts";

/** The parameters of a service. */
export interface ServiceDeps {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly masterKey: Uint8Array;
  readonly version: { readonly version: string; readonly node: string; readonly git_sha: string | null };
  readonly clock?: Clock;
  /** The time for which a stop keeps recently used connections. Tests set it, because they do not need it. */
  readonly lingerMs?: number;
  /** False: the schemas of routes are compiled by the first request alone. Tests set it, because most of them use few routes. */
  readonly warmsUp?: boolean;
  readonly telemetry?: Telemetry;
  /** Modules in addition to the service's own. Their contributions come first. */
  readonly modules?: readonly Module[];
}

/** The services that all other modules use. */
export interface Platform {
  readonly config: Config;
  readonly baseUrl: string;
  /** True if this process handles due work. */
  readonly works: boolean;
  readonly version: ServiceDeps["version"];
  /** The name of this process. */
  readonly instanceId: string;
  readonly clock: Clock;
  readonly ids: IdMaker;
  readonly sealer: Sealer;
  readonly telemetry: Telemetry;
  readonly log: Log;
  readonly signals: Signals;
  readonly traces: Traces;
  readonly db: Db;
  readonly net: Net;
  readonly tasks: Tasks;
}

const POOL_SIZE = 12;

export const settings = givenModule<ServiceDeps>("settings");

export const platform = defineModule({
  name: "platform",
  needs: { settings },
  async create({ settings: deps }): Promise<Platform> {
    const { config, clock = systemClock, databaseUrl, masterKey, version } = deps;
    const telemetry = deps.telemetry ?? createTelemetry(config.logLevel, config.logFormat, config.metricsTenants);
    const { log, signals } = telemetry;
    const ids = createIdMaker(clock);
    const works = config.roles.worker;
    // The mark shows other processes which master key this process uses, for a key rotation.
    const db = createDb({ url: databaseUrl, poolSize: POOL_SIZE, log, mark: fingerprintOf(masterKey) });
    const inbox = {
      origin: new URL(config.baseUrl).origin,
      pathPrefix: "/inbox/" as const,
      connectTo: { address: loopbackOf(config.host), port: config.port },
    };
    return {
      config,
      baseUrl: config.baseUrl,
      works,
      version,
      instanceId: `${hostname()}/${randomText(8)}`,
      clock,
      ids,
      sealer: createSealer(masterKey, config.previousMasterKeys),
      telemetry,
      log,
      signals,
      traces: await createTraces({ endpoint: config.otlpEndpoint, clock, telemetry }),
      db,
      tasks: createTasks({ db, ids, log, works }),
      net: createNet({
        clock,
        allow: config.allowTargets,
        inbox,
        dnsServers: config.dnsServers,
        egress: config.egress,
      }),
    };
  },
  provides: ({ db, net, tasks, traces, telemetry }) => ({
    workers: [
      loopWatch(telemetry),
      { name: "database", phase: "base", stop: db.close },
      { name: "outbound HTTP", phase: "base", stop: net.close },
      { name: "traces", phase: "base", stop: traces.stop },
    ],
    gauges: [{ pool: () => db.stats(), taskLags: tasks.lags }],
  }),
});

/** Passes the measurements and signal listeners of the other modules to telemetry. */
export const measurements = defineModule({
  name: "measurements",
  needs: { platform },
  readsPoints: true,
  create({ platform: { telemetry } }, { points }) {
    telemetry.watch(merged<Gauges>(points.gauges()));
    for (const listener of points.signalListeners()) telemetry.addListener(listener);
  },
});

function loopWatch(telemetry: Telemetry): Worker {
  let end = (): void => undefined;
  return {
    name: "event loop",
    phase: "base",
    start: () => {
      end = telemetry.watchLoop();
    },
    stop: () => end(),
  };
}

/** Returns the address at which this process reaches itself, for any listening address. */
function loopbackOf(host: string): string {
  return host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
}
