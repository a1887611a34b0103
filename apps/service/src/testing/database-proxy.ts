import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { Socket } from "node:net";
import { expect, onTestFinished } from "vitest";

export interface DatabaseProxy {
  /** The database's URL by way of the proxy. */
  readonly url: string;
  /** Ends every connection, and every new one at once, as a server that is away does. */
  cut(): void;
  /** Takes new connections without a word, as a network that swallows packets does. */
  hold(): void;
  /** Passes nothing on any more, in any direction, and takes new connections without a word; then `restore` ends those that were open. */
  swallow(): void;
  /** Resolves when so many connections wait. */
  waiting(wanted: number): Promise<void>;
  /** Lets through what waits, and all that comes. */
  restore(): void;
}

/** A way to the database that a test can disturb. Ends with the test. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let mode: "through" | "cut" | "held" = "through";
  let held: Socket[] = [];
  const swallowed: Socket[] = [];

  function join(socket: Socket): void {
    const onward = connect(Number(target.port), target.hostname);
    sockets.add(onward);
    onward.on("error", () => undefined).once("close", () => socket.destroy());
    socket.once("close", () => onward.destroy());
    socket.pipe(onward).pipe(socket);
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
    waiting: async (wanted) => await expect.poll(() => held.length).toBe(wanted),
    restore: () => {
      mode = "through";
      for (const socket of swallowed.splice(0)) socket.destroy();
      for (const socket of held) join(socket);
      held = [];
    },
  };
}
