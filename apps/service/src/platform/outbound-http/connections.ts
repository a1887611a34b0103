import { Client } from "undici";
import type { Clock } from "../../lib/lib.ts";
import type { ClientIdentity } from "./client-certificate.ts";
import { connectionLimit } from "./connection-limit.ts";
import { createConnector } from "./connector.ts";
import { createEgress } from "./egress-proxy.ts";
import type { EgressSettings } from "./egress-proxy.ts";
import { createSecureContexts } from "./secure-contexts.ts";
import { createOrigins } from "./origins.ts";
import type { Connection } from "./origins.ts";
import { createSessions } from "./sessions.ts";

/** One route to a receiver: a URL's origin at one vetted address. */
export interface Route {
  /** Scheme, name and port as shown in `Host`. */
  readonly origin: string;
  readonly address: string;
  /** All addresses that were just vetted for the name. */
  readonly vetted: readonly string[];
  readonly port: number;
  /** The TLS name; null for plain HTTP. */
  readonly tlsName: string | null;
  readonly connectTimeoutMs: number;
  /** The certificate that the connection presents, if any. */
  readonly client?: ClientIdentity;
  /** True for the service itself, which no proxy is asked for. */
  readonly direct?: boolean;
}

export interface ConnectionDeps {
  readonly clock: Clock;
  readonly ca?: readonly string[] | undefined;
  readonly egress?: EgressSettings | null | undefined;
  /** The number of open connections above which idle ones are closed. */
  readonly limit?: number;
}

/** Longer than servers and load balancers keep idle connections, so that they decide. Probes of TCP find those that are lost. */
const IDLE_MS = 15 * 60_000;

const CLIENT_OPTIONS = {
  allowH2: false,
  // One timer of ours covers the whole exchange instead.
  headersTimeout: 0,
  bodyTimeout: 0,
  maxHeaderSize: 16 * 1024,
  keepAliveTimeout: IDLE_MS,
  keepAliveMaxTimeout: IDLE_MS,
  pipelining: 1,
} as const;

/**
 * Keeps connections as long as receivers keep them. A kept one is used only while its address is vetted for the name, and its
 * certificate valid. Above the limit, the one that was idle longest is closed.
 */
export function createConnections(deps: ConnectionDeps) {
  const { clock, limit = connectionLimit() } = deps;
  const clientOf = createClients(deps);
  const origins = createOrigins(clock, (connection) => void end(connection));
  const open = new Set<Connection>();
  let isClosed = false;

  function openAt(origin: Connection["origin"], route: Route): Connection {
    const oldest = open.size < limit ? undefined : origins.oldest();
    if (oldest !== undefined) void end(oldest);
    const client = clientOf(route, (until) => void (connection.verifiedUntil = until));
    const { address } = route;
    const connection: Connection = { client, origin, address, identity: identityOf(route), verifiedUntil: Infinity };
    client.on("disconnect", () => {
      if (origins.isIdle(connection)) void end(connection);
    });
    open.add(connection);
    origins.opened(connection);
    return connection;
  }

  async function end(connection: Connection): Promise<void> {
    if (!open.delete(connection)) return;
    origins.closed(connection);
    await connection.client.close();
  }

  function originOf(route: Route): Connection["origin"] {
    return origins.at(originKey(route.origin, route.direct === true), route.vetted);
  }

  return {
    /** Borrows a connection of the route, or a new one. The borrower releases it once. */
    acquire(route: Route): Connection {
      const origin = originOf(route);
      const kept = origins.take(origin, { address: route.address, identity: identityOf(route) });
      if (kept !== undefined && origins.isUsable(kept)) return kept;
      if (kept !== undefined) void end(kept);
      return openAt(origin, route);
    },
    /** Borrows a connection that carried no request yet. The borrower releases or ends it. */
    fresh: (route: Route): Connection => openAt(originOf(route), route),
    /** Keeps a connection whose request has ended, if the receiver keeps it too. */
    release(connection: Connection): void {
      // undici closes a connection, and offers it again, after it has reported the end of the response.
      setImmediate(() => {
        const isKept = !isClosed && connection.client.stats.connected && origins.isUsable(connection);
        if (isKept && open.has(connection)) origins.keep(connection);
        else void end(connection);
      });
    },
    /** Closes a connection. A request in progress ends first. */
    end: (connection: Connection): void => void end(connection),
    /** Ends the connections of an origin that the guard refuses. */
    refuse: (origin: string): void => void origins.at(originKey(origin, false), []),
    /** Waits for requests in progress. */
    async close(): Promise<void> {
      isClosed = true;
      await Promise.all([...open].map(end));
    },
  };
}

/** Returns a function that creates a client for a route. `verified` is called when its connection is ready. */
function createClients({ clock, ca, egress: settings = null }: ConnectionDeps) {
  const egress = settings === null ? null : createEgress(clock, settings);
  const contextsOf = createSecureContexts(ca);
  const trusted = contextsOf().full;
  const sessions = createSessions(clock);

  return (route: Route, verified: (until: number) => void): Client => {
    const { client, tlsName, address, port } = route;
    const isDirect = egress === null || route.direct === true || egress.isDirect(hostOf(route), address, port);
    const connect = createConnector({
      ...route,
      clock,
      contexts: contextsOf(client),
      sessions,
      peer: `${tlsName} ${address} ${identityOf(route)}`,
      trusted,
      egress: isDirect ? null : egress,
      verified,
    });
    return new Client(route.origin, { ...CLIENT_OPTIONS, connect });
  };
}

function originKey(origin: string, isDirect: boolean): string {
  return isDirect ? `${origin} direct` : origin;
}

function identityOf({ port, client }: Route): string {
  return `${port} ${client?.id ?? ""}`;
}

/** Returns the name in a route's URL. */
function hostOf({ origin }: Route): string {
  return new URL(origin).hostname.replaceAll(/^\[|\]$/g, "");
}
