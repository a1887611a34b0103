import { createSecureContext, getCACertificates } from "node:tls";
import { Client, Pool } from "undici";
import type { Clock } from "../../lib/lib.ts";
import type { ClientIdentity } from "./client-certificate.ts";
import { createEgress } from "./egress-proxy.ts";
import type { EgressSettings } from "./egress-proxy.ts";
import { createConnector } from "./connector.ts";

/** One route to a receiver: a URL's origin at one vetted address. */
export interface Route {
  /** Scheme, name and port as shown in `Host`. */
  readonly origin: string;
  readonly address: string;
  readonly port: number;
  /** The TLS name; null for plain HTTP. */
  readonly tlsName: string | null;
  readonly connectTimeoutMs: number;
  /** The certificate that the connection presents, if any. */
  readonly client?: ClientIdentity;
  /** True for the service itself, which no proxy is asked for. */
  readonly direct?: boolean;
}

export interface PoolDeps {
  readonly clock: Clock;
  readonly ca?: readonly string[] | undefined;
  readonly egress?: EgressSettings | null | undefined;
}

export type Pools = ReturnType<typeof createPools>;

export interface Lease {
  readonly pool: Pool;
  inFlight: number;
  lastUsedAt: number;
}

const IDLE_MS = 60_000;
const SWEEP_MS = 10_000;
const MAX_POOLS = 1000;

const CLIENT_OPTIONS = {
  allowH2: false,
  // One timer of ours covers the whole exchange instead.
  headersTimeout: 0,
  bodyTimeout: 0,
  maxHeaderSize: 16 * 1024,
  keepAliveTimeout: 30_000,
  keepAliveMaxTimeout: IDLE_MS,
  pipelining: 1,
} as const;

/**
 * Keeps connections alive, in one undici pool per route. A pool is closed after 60 s without use; beyond 1000, the
 * oldest idle one is closed.
 */
export function createPools(deps: PoolDeps) {
  const { clock, ca, egress: settings = null } = deps;
  const egress = settings === null ? null : createEgress(clock, settings);
  const trusted = ca === undefined ? {} : { ca: [...getCACertificates("default"), ...ca] };
  const shared = createSecureContext(trusted);
  /** The leases in order of last use. */
  const leases = new Map<string, Lease>();
  const sweeper = setInterval(() => sweep(clock.monotonicMs() - IDLE_MS), SWEEP_MS);
  sweeper.unref();

  function connector(route: Route) {
    const { client } = route;
    const secureContext =
      client === undefined ? shared : createSecureContext({ ...trusted, cert: client.cert, key: client.key });
    const isDirect =
      egress === null || route.direct === true || egress.isDirect(hostOf(route), route.address, route.port);
    return createConnector({ ...route, clock, secureContext, trusted: shared, egress: isDirect ? null : egress });
  }

  function openPool(route: Route): Lease {
    if (leases.size >= MAX_POOLS) closeOldestIdle();
    const pool = new Pool(route.origin, { ...CLIENT_OPTIONS, connect: connector(route) });
    return { pool, inFlight: 0, lastUsedAt: clock.monotonicMs() };
  }

  function sweep(unusedSince: number): void {
    for (const [key, lease] of leases) {
      if (lease.inFlight === 0 && lease.lastUsedAt <= unusedSince) retire(key, lease);
    }
  }

  function closeOldestIdle(): void {
    for (const [key, lease] of leases) {
      if (lease.inFlight > 0) continue;
      retire(key, lease);
      return;
    }
  }

  function retire(key: string, lease: Lease): void {
    leases.delete(key);
    void lease.pool.close();
  }

  return {
    /** Borrows the route's pool. The borrower returns it with `release`, once. */
    acquire(route: Route): Lease {
      const key = `${route.origin} ${route.address} ${route.port} ${route.connectTimeoutMs} ${route.client?.id ?? ""}${route.direct === true ? " direct" : ""}`;
      const lease = leases.get(key) ?? openPool(route);
      leases.delete(key);
      leases.set(key, lease);
      lease.inFlight += 1;
      return lease;
    },
    release(lease: Lease): void {
      lease.inFlight -= 1;
      lease.lastUsedAt = clock.monotonicMs();
    },
    /** Returns a client that shares no connection with any pool. The borrower closes it. */
    single: (route: Route): Client => new Client(route.origin, { ...CLIENT_OPTIONS, connect: connector(route) }),
    /** Waits for requests in progress. */
    async close(): Promise<void> {
      clearInterval(sweeper);
      const open = [...leases.values()];
      leases.clear();
      await Promise.all(open.map(async ({ pool }) => await pool.close()));
    },
  };
}

/** Returns the name in a route's URL. */
function hostOf({ origin }: Route): string {
  return new URL(origin).hostname.replaceAll(/^\[|\]$/g, "");
}
