import { constants } from "node:crypto";
import { connect, createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { createServer as createSecureServer } from "node:tls";
import { serveCommands } from "./child.ts";
import { createHistogram } from "./histogram.ts";
import type { Histogram, Latencies } from "./histogram.ts";
import { CLOSING, HALF, LATENT, LATENT_MS } from "./receiver-paths.ts";
import { machineMicros } from "./wire.ts";
import { STAMP_DIGITS, STAMP_MARK } from "./workload.ts";

/** Requests that arrived since the last reset. */
export interface Received {
  readonly requests: number;
  /** Connections that were opened, with TLS those whose handshake ended. */
  readonly connections: number;
  /** Those of them that resumed a TLS session. */
  readonly resumed: number;
  /** Mean size of a request, head and body. */
  readonly bytesEach: number;
  /** Times from the stamp in `data` to the arrival, by the first part of the path. */
  readonly paths: Readonly<Record<string, Latencies>>;
  /** Times from the stamp to the arrival of the last of `fan` requests with that stamp. */
  readonly complete: Latencies;
}

/** How a port with TLS behaves. */
export interface Secure {
  /** PEM. */
  readonly cert: string;
  /** PEM. */
  readonly key: string;
  readonly version: "TLSv1.2" | "TLSv1.3";
  /** False for a receiver that knows no session again. */
  readonly isResumable: boolean;
  /** The time of one round trip to the receiver, beyond that of the machine. */
  readonly roundTripMs?: number;
}

interface Parsed {
  readonly path: string;
  readonly stamp: string;
  readonly length: number;
}

const HEAD_END = Buffer.from("\r\n\r\n");
const MARK = Buffer.from(STAMP_MARK);
const OK = Buffer.from("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
const OK_AND_CLOSE = Buffer.from(OK.toString("latin1").replace("\r\n", "\r\nConnection: close\r\n"), "latin1");
const HALF_OF_OK = OK.subarray(0, -1);
const HANGING = "hang";
const WAITS: Readonly<Record<string, number>> = { slow: 500, [LATENT]: LATENT_MS };

const sockets = new Set<Socket>();
const paths = new Map<string, Histogram>();
const complete = createHistogram();
const fans = new Map<string, number>();
let fan = 1;
let requests = 0;
let connections = 0;
let resumed = 0;
let bytes = 0;

/** Responds 200 to every request, below `/slow` and `/latent` after a time, below `/hang` never and below `/half` in part; below `/close` it closes the connection. It parses HTTP by hand, because it must cost less than the service that is measured. */
function serve(socket: Socket): void {
  let rest: Buffer | undefined;
  connections += 1;
  sockets.add(socket);
  socket.on("close", () => sockets.delete(socket));
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: Buffer) => {
    let buffer = rest === undefined ? chunk : Buffer.concat([rest, chunk]);
    for (let parsed = parse(buffer); parsed !== undefined; parsed = parse(buffer)) {
      record(parsed);
      answer(socket, parsed.path);
      buffer = buffer.subarray(parsed.length);
    }
    rest = buffer.length === 0 ? undefined : buffer;
  });
}

async function secure({ cert, key, version, isResumable, roundTripMs = 0 }: Secure): Promise<number> {
  const server = createSecureServer(
    {
      cert,
      key,
      minVersion: version,
      maxVersion: version,
      noDelay: true,
      secureOptions: isResumable ? 0 : constants.SSL_OP_NO_TICKET,
    },
    (socket) => {
      if (socket.isSessionReused()) resumed += 1;
      serve(socket);
    },
  );
  const port = await listen(server);
  return roundTripMs === 0 ? port : await listen(distant(port, roundTripMs / 2));
}

/** Passes bytes on after a time, as a long line does. */
function distant(port: number, oneWayMs: number): Server {
  return createServer({ noDelay: true }, (near) => {
    const far = connect({ port, host: "127.0.0.1", noDelay: true });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on("data", (chunk: Buffer) => void setTimeout(() => to.destroyed || to.write(chunk), oneWayMs));
      from.on("close", () => void setTimeout(() => to.destroy(), oneWayMs));
      from.on("error", () => undefined);
    }
  });
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** Accepts connections and says nothing. */
async function silent(): Promise<number> {
  return await listen(
    createServer((socket) => {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
      socket.on("error", () => socket.destroy());
      socket.resume();
    }),
  );
}

serveCommands({
  silent,
  listen: async () => await listen(createServer({ noDelay: true }, serve)),
  secure,
  reset: (options: { readonly fan?: number }) => {
    paths.clear();
    fans.clear();
    complete.reset();
    fan = options.fan ?? 1;
    requests = 0;
    connections = 0;
    resumed = 0;
    bytes = 0;
  },
  count: () => requests,
  read: (): Received => ({
    requests,
    connections,
    resumed,
    bytesEach: requests === 0 ? 0 : bytes / requests,
    paths: Object.fromEntries([...paths].map(([path, histogram]) => [path, histogram.read()])),
    complete: complete.read(),
  }),
  hangUp: () => {
    for (const socket of sockets) socket.destroy();
  },
});

function answer(socket: Socket, path: string): void {
  if (path === HANGING) return;
  if (path === HALF) {
    socket.write(HALF_OF_OK);
    return;
  }
  if (path === CLOSING) {
    socket.end(OK_AND_CLOSE);
    return;
  }
  const waitMs = WAITS[path];
  if (waitMs === undefined) socket.write(OK);
  else setTimeout(() => socket.destroyed || socket.write(OK), waitMs);
}

function parse(buffer: Buffer): Parsed | undefined {
  const headEnd = buffer.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const head = buffer.toString("latin1", 0, headEnd);
  const size = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (size === undefined) throw new Error(`a request without a length:\n${head}`);
  const length = headEnd + HEAD_END.length + Number(size);
  if (buffer.length < length) return undefined;
  const path = head.slice(head.indexOf("/") + 1, head.indexOf(" ", head.indexOf("/"))).split("/")[0] ?? "";
  const mark = buffer.indexOf(MARK, headEnd);
  const stamp = mark < 0 ? "" : buffer.toString("latin1", mark + MARK.length, mark + MARK.length + STAMP_DIGITS);
  return { path, stamp, length };
}

function record({ path, stamp, length }: Parsed): void {
  requests += 1;
  bytes += length;
  const ms = (machineMicros() - Number(stamp)) / 1000;
  let histogram = paths.get(path);
  if (histogram === undefined) {
    histogram = createHistogram();
    paths.set(path, histogram);
  }
  histogram.add(ms);
  if (fan === 1) return;
  const seen = (fans.get(stamp) ?? 0) + 1;
  if (seen < fan) {
    fans.set(stamp, seen);
    return;
  }
  fans.delete(stamp);
  complete.add(ms);
}
