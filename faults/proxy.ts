import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { Transform } from "node:stream";
import { tracked } from "./running.ts";

export interface Proxy {
  readonly port: number;
  /** Sends new connections to this target from now on. Open connections stay. */
  aim(port: number): void;
  /** Ends every connection, and every new one at once. */
  cut(): void;
  /** Keeps every connection, and takes new ones, without passing on a byte: as a network that swallows packets. */
  hold(): void;
  /** Delays each piece of data of both directions. 0 ends it. */
  slow(ms: number): void;
  /** Passes on again; what was open while nothing passed is ended, as its peers have given it up. */
  restore(): void;
}

/** A way to a port that can be disturbed. */
export async function startProxy(port: number): Promise<Proxy> {
  let target = port;
  let mode: "through" | "cut" | "held" = "through";
  let delayMs = 0;
  const sockets = new Set<Socket>();
  const own = await listen((socket) => {
    keep(sockets, socket);
    if (mode === "cut") socket.destroy();
    if (mode === "through") join(socket, keep(sockets, connect(target, "127.0.0.1")), () => delayMs);
  });
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: own,
    aim: (next) => {
      target = next;
    },
    cut: () => {
      mode = "cut";
      endAll();
    },
    hold: () => {
      mode = "held";
      for (const socket of sockets) socket.unpipe().pause();
    },
    slow: (ms) => {
      delayMs = ms;
    },
    restore: () => {
      mode = "through";
      endAll();
    },
  };
}

/**
 * A balancer of connections over nodes that say that they are ready. One whose node refuses the connection goes to the next node: no byte of it
 * was sent yet.
 */
export async function startBalancer(
  nodes: readonly { readonly port: number; isReady(): Promise<boolean> }[],
): Promise<number> {
  const ready = new Map<number, boolean>(nodes.map(({ port }) => [port, true]));
  let turn = 0;
  const timer = setInterval(() => {
    for (const node of nodes) void node.isReady().then((is) => ready.set(node.port, is));
  }, LOOK_MS);
  tracked(async () => {
    clearInterval(timer);
    await Promise.resolve();
  });
  const next = (): number => {
    const able = nodes.filter(({ port }) => ready.get(port) === true);
    turn += 1;
    return (able[turn % Math.max(1, able.length)] ?? nodes[turn % nodes.length])?.port ?? 0;
  };
  const onward = (socket: Socket, triesLeft: number): void => {
    const port = next();
    const there = connect(port, "127.0.0.1");
    there.once("error", () => {
      ready.set(port, false);
      if (there.remoteAddress !== undefined || triesLeft === 0) socket.destroy();
      else onward(socket, triesLeft - 1);
    });
    there.once("connect", () => {
      there.removeAllListeners("error");
      join(
        socket,
        there.on("error", () => undefined),
      );
    });
  };
  return await listen((socket) =>
    onward(
      socket.on("error", () => undefined),
      nodes.length,
    ),
  );
}

const LOOK_MS = 200;

async function listen(taken: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => taken(keep(sockets, socket))).listen(0, "127.0.0.1");
  await once(server, "listening");
  tracked(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await Promise.resolve();
  });
  return (server.address() as AddressInfo).port;
}

function keep(sockets: Set<Socket>, socket: Socket): Socket {
  sockets.add(socket);
  return socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
}

/** Passes the end of one half on after all data before it. */
function join(one: Socket, other: Socket, delayMs = (): number => 0): void {
  one.once("close", () => other.end());
  other.once("close", () => one.end());
  one.pipe(delayed(delayMs)).pipe(other).pipe(delayed(delayMs)).pipe(one);
}

function delayed(delayMs: () => number): Transform {
  return new Transform({
    transform: (chunk, _encoding, done) => {
      const ms = delayMs();
      if (ms === 0) done(null, chunk);
      else setTimeout(() => done(null, chunk), ms);
    },
  });
}
