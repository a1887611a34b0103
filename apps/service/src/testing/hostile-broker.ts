import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";

/** A listener in the place of a broker. */
export interface Listener {
  readonly port: number;
  close(): Promise<void>;
}

/** Listens, and gives each connection to `serve`. */
export async function listening(serve: (socket: Socket) => void): Promise<Listener> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    serve(socket);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Stands before a broker, and keeps what it says, in the pieces in which it arrived. */
export async function recording(port: number): Promise<Listener & { readonly said: Buffer[] }> {
  const said: Buffer[] = [];
  const listener = await listening((socket) => {
    const broker = connect({ host: "127.0.0.1", port });
    broker.on("error", () => socket.destroy());
    broker.on("data", (bytes: Buffer) => void said.push(bytes));
    broker.pipe(socket);
    socket.pipe(broker);
  });
  return { ...listener, said };
}

/** Says the pieces one after the other: the first at once for brokers that greet, each other one after what the client sends. */
export function replaying(pieces: readonly Buffer[], greets: boolean): (socket: Socket) => void {
  return (socket) => {
    let at = 0;
    const next = (): void => {
      const piece = pieces[at];
      at += 1;
      if (piece !== undefined) socket.write(piece);
    };
    if (greets) next();
    socket.on("data", next);
  };
}

/** Returns a copy with some bytes changed, cut, doubled or put in. The same seed gives the same copy. */
export function damaged(pieces: readonly Buffer[], seed: number): Buffer[] {
  let state = seed * 2_654_435_761 + 1;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  const victim = random(pieces.length);
  return pieces.map((piece, at) => {
    if (at !== victim) return piece;
    const from = random(piece.length);
    const copy = Buffer.from(piece);
    const ways = [
      () => Buffer.concat([copy.subarray(0, from), Buffer.from([random(256)]), copy.subarray(from + 1)]),
      () => copy.subarray(0, from),
      () => Buffer.concat([copy.subarray(0, from), copy]),
      () => Buffer.concat([copy.subarray(0, from), Buffer.alloc(random(64), random(256)), copy.subarray(from)]),
      () => Buffer.concat([copy.subarray(0, from), Buffer.alloc(4, 0xff), copy.subarray(from + 4)]),
    ];
    return ways[random(ways.length)]?.() ?? copy;
  });
}
