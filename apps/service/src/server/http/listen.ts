import cluster from "node:cluster";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo, ListenOptions, Server } from "node:net";
import type { App } from "../../accounts/accounts.ts";

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * The number of connections that wait to be accepted. With Node's 511, the kernel drops connections of a flood, and
 * their clients retry after one, three and seven seconds.
 */
const BACKLOG = 4096;

/**
 * The number of listening sockets. In one turn of the event loop, libuv accepts one connection per listening socket,
 * and a turn under load takes 10 to 50 ms. With one socket, clients that connect for each request would be limited to
 * some fifty a second (decision 0257).
 */
const SOCKETS = 16;

/** Listens, on Linux with several sockets of the address. Throws the system's error if the address cannot be used. */
export async function listen(app: App, { host, port }: ListenAddress): Promise<void> {
  // In a fleet, the first process accepts the connections and distributes them.
  const sharesPort = process.platform === "linux" && !cluster.isWorker;
  const options = { backlog: BACKLOG, reusePort: sharesPort };
  const [first = host, ...others] = await addressesOf(host);
  const held = sharesPort && port !== 0 ? [await holdAddress(first, port)] : [];
  closeTogether(app, held);
  await app.listen({ host: first, port, ...options }).catch((error: unknown) => {
    for (const server of held) server.close();
    throw error;
  });
  const bound = app.server.address() as AddressInfo;
  const more = Array.from({ length: sharesPort ? SOCKETS - 1 : 0 }, () => first);
  for (const address of [...more, ...others]) {
    const socket = await openSocket(app.server, { host: address, port: bound.port, ...options }).catch(
      (error: unknown) => {
        // A name may have an address that this machine does not use, such as ::1.
        if (address === first) throw error;
      },
    );
    if (socket !== undefined) held.push(socket);
  }
}

async function addressesOf(host: string): Promise<string[]> {
  if (host !== "localhost") return [host];
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
}

/**
 * Keeps other processes from the address. Sockets that share a port would also share it with another Junction of the
 * same user, and each would get half of the connections. Only one process can hold this name in the network namespace
 * of the port. The kernel frees it with the process.
 */
async function holdAddress(host: string, port: number): Promise<Server> {
  const holder = createServer((socket) => socket.destroy());
  holder.listen(`\0junction:${host}:${port}`);
  await once(holder, "listening");
  return holder.unref();
}

/** Opens a socket that passes each connection to the HTTP server. */
async function openSocket(http: Server, options: ListenOptions): Promise<Server> {
  const socket = createServer({ allowHalfOpen: true, noDelay: true }, (connection) =>
    http.emit("connection", connection),
  );
  socket.listen(options);
  await once(socket, "listening");
  return socket.on("error", (error) => http.emit("error", error));
}

/** Ends the HTTP server when all sockets have ended, including those that join `others` later. */
function closeTogether(app: App, others: readonly Server[]): void {
  const { server } = app;
  const close = server.close.bind(server);
  server.close = (done) => {
    let open = others.length + 1;
    const ended = (error?: Error): void => {
      open -= 1;
      if (open === 0) done?.(error);
    };
    for (const other of others) other.close(() => ended());
    return close(ended);
  };
}
