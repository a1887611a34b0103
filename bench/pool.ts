import { openConnection } from "./connection.ts";
import type { Connection } from "./connection.ts";

/** Keep-alive connections to one port. */
export interface Pool {
  /** An idle connection or a new one. Waits while `limit` of them are in use. */
  take(): Promise<Connection>;
  /** Gives a connection back, whether it is still open or not. */
  give(connection: Connection): void;
  close(): void;
}

export async function createPool(
  port: number,
  { size, limit }: { readonly size: number; readonly limit: number },
): Promise<Pool> {
  const idle = await Promise.all(Array.from({ length: size }, async () => await openConnection(port)));
  /** First come, first served: an event that has waited is never overtaken by one that was due later. */
  const waiting: ((connection: Connection | undefined) => void)[] = [];
  let opened = size;

  /** The next who waits opens another. */
  function left(): void {
    opened -= 1;
    waiting.shift()?.(undefined);
  }

  /** Connections are used in turn, so that none is idle until the service closes it. */
  function nextIdle(): Connection | undefined {
    for (let connection = idle.shift(); connection !== undefined; connection = idle.shift()) {
      if (connection.isOpen()) return connection;
      left();
    }
    return undefined;
  }

  async function open(): Promise<Connection> {
    opened += 1;
    try {
      return await openConnection(port);
    } catch (error) {
      left();
      throw error;
    }
  }

  return {
    async take() {
      const connection = nextIdle();
      if (connection !== undefined) return connection;
      if (opened < limit) return await open();
      const given = await new Promise<Connection | undefined>((resolve) => {
        waiting.push(resolve);
      });
      return given ?? (await open());
    },
    give(connection) {
      if (!connection.isOpen()) {
        left();
        return;
      }
      const next = waiting.shift();
      if (next === undefined) idle.push(connection);
      else next(connection);
    },
    close() {
      for (const connection of idle) connection.close();
    },
  };
}
