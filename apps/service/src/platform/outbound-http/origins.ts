import type { Client } from "undici";
import type { Clock } from "../../lib/lib.ts";

/** A client with at most one connection and one request. */
export interface Connection {
  readonly client: Client;
  readonly origin: Origin;
  readonly address: string;
  /** The port and the client certificate, in which connections of one origin to one address may differ. */
  readonly identity: string;
  /** The time from which the receiver's certificate must be verified again; infinite for plain HTTP. */
  verifiedUntil: number;
}

/** An origin while it has connections. */
interface Origin {
  readonly key: string;
  /** The addresses that were vetted last. */
  vetted: readonly string[];
  readonly open: Set<Connection>;
  /** In order of their last use. */
  readonly idle: Connection[];
}

/** Knows the connections of each origin, and which of them are idle. `end` closes one that may not be used anymore. */
export function createOrigins(clock: Clock, end: (connection: Connection) => void) {
  const origins = new Map<string, Origin>();
  /** In order of their last use. */
  const idle = new Set<Connection>();

  function isUsable({ origin, address, verifiedUntil }: Connection): boolean {
    return verifiedUntil > clock.now() && origin.vetted.includes(address);
  }

  /** Ends the idle connections to addresses that are not vetted anymore. Those in use end after their request. */
  function vet(origin: Origin, vetted: readonly string[]): void {
    const hasLost = origin.vetted.some((address) => !vetted.includes(address));
    origin.vetted = vetted;
    if (hasLost) for (const connection of origin.idle.filter((one) => !isUsable(one))) end(connection);
  }

  return {
    isUsable,
    /** Returns an origin, for which these addresses were just vetted. */
    at(key: string, vetted: readonly string[]): Origin {
      const origin = origins.get(key) ?? { key, vetted, open: new Set(), idle: [] };
      vet(origin, vetted);
      return origin;
    },
    opened(connection: Connection): void {
      origins.set(connection.origin.key, connection.origin);
      connection.origin.open.add(connection);
    },
    closed(connection: Connection): void {
      const { origin } = connection;
      if (idle.delete(connection)) origin.idle.splice(origin.idle.indexOf(connection), 1);
      origin.open.delete(connection);
      if (origin.open.size === 0) origins.delete(origin.key);
    },
    keep(connection: Connection): void {
      idle.add(connection);
      connection.origin.idle.push(connection);
    },
    /** Takes the idle connection that was used last. */
    take(
      { idle: kept }: Origin,
      { address, identity }: Pick<Connection, "address" | "identity">,
    ): Connection | undefined {
      const found = kept.findLastIndex((one) => one.address === address && one.identity === identity);
      const connection = kept[found];
      if (connection === undefined) return undefined;
      kept.splice(found, 1);
      idle.delete(connection);
      return connection;
    },
    isIdle: (connection: Connection): boolean => idle.has(connection),
    /** Returns the connection that was idle longest. */
    oldest: (): Connection | undefined => idle.values().next().value,
  };
}
