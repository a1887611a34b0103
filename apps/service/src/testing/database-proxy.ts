import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { Socket } from "node:net";
import { Transform } from "node:stream";
import { expect, onTestFinished } from "vitest";

export interface DatabaseProxy {
  /** The database's URL through the proxy. */
  readonly url: string;
  /** Closes every connection, and every new one at once, like a server that is down. */
  cut(): void;
  /** Accepts new connections without a response, like a network that drops packets. */
  hold(): void;
  /** Stops all traffic in both directions, and accepts new connections without a response. `restore` then closes the earlier ones. */
  swallow(): void;
  /** Passes the next `count` statements of all connections together, drops everything that clients send after them, and calls `onDrop` once. */
  dropAfter(count: number, onDrop: () => void): void;
  /** Returns the ports of the connections to the database that were made since the last call, as `pg_stat_activity` shows them. */
  takePorts(): readonly number[];
  /** Resolves when this number of connections wait. */
  waiting(wanted: number): Promise<void>;
  /** Connects waiting connections, and all new ones. */
  restore(): void;
}

/** Starts a proxy in front of the database that a test can disturb. It ends with the test. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let mode: "through" | "cut" | "held" = "through";
  let held: Socket[] = [];
  const swallowed: Socket[] = [];
  let ports: number[] = [];
  let limit: { left: number; readonly onDrop: () => void } | undefined;

  function mayPass(): boolean {
    if (limit === undefined) return true;
    limit.left -= 1;
    if (limit.left === -1) limit.onDrop();
    return limit.left >= 0;
  }

  function join(socket: Socket): void {
    const onward = connect(Number(target.port), target.hostname);
    sockets.add(onward);
    onward.once("connect", () => ports.push(onward.localPort ?? 0));
    onward.on("error", () => undefined).once("close", () => socket.destroy());
    socket.once("close", () => onward.destroy());
    socket.pipe(statementGate(mayPass)).pipe(onward).pipe(socket);
  }

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    if (mode === "cut") socket.destroy();
    if (mode === "held") held.push(socket);
    if (mode === "through") join(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  onTestFinished(async () => {
    cut();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = new URL(databaseUrl);
  const address = server.address();
  url.port = String(typeof address === "object" && address !== null ? address.port : 0);
  return {
    url: url.href,
    cut: () => {
      mode = "cut";
      cut();
    },
    hold: () => {
      mode = "held";
    },
    swallow: () => {
      mode = "held";
      for (const socket of sockets) swallowed.push(socket.unpipe().pause());
    },
    dropAfter: (count, onDrop) => {
      limit = { left: count, onDrop };
    },
    takePorts: () => {
      const taken = ports;
      ports = [];
      return taken;
    },
    waiting: async (wanted) => await expect.poll(() => held.length).toBe(wanted),
    restore: () => {
      mode = "through";
      for (const socket of swallowed.splice(0)) socket.destroy();
      for (const socket of held) join(socket);
      held = [];
    },
  };
}

/** The first bytes of a simple query, and of the message that ends an extended one. */
const QUERY = 0x51;
const SYNC = 0x53;

/** Forwards the messages of a PostgreSQL client one by one, until `mayPass` refuses a statement. */
function statementGate(mayPass: () => boolean): Transform {
  let rest = Buffer.alloc(0);
  // The startup message has no type.
  let typeBytes = 0;
  let isClosed = false;

  /** Returns the length of the message at `at`, or 0 if a part of it is missing. */
  function lengthAt(at: number): number {
    if (rest.length < at + typeBytes + 4) return 0;
    const length = typeBytes + rest.readInt32BE(at + typeBytes);
    return rest.length < at + length ? 0 : length;
  }

  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      rest = Buffer.concat([rest, chunk]);
      let end = 0;
      for (let length = lengthAt(0); length > 0 && !isClosed; length = lengthAt(end)) {
        const type = typeBytes === 0 ? undefined : rest[end];
        isClosed = (type === QUERY || type === SYNC) && !mayPass();
        if (!isClosed) end += length;
        typeBytes = 1;
      }
      this.push(rest.subarray(0, end));
      rest = rest.subarray(end);
      done();
    },
  });
}
