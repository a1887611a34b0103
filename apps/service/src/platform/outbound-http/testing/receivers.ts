import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Server as SecureServer } from "node:https";
import { createServer as createRawServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import type { TLSSocket, TlsOptions } from "node:tls";

export interface Received {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The name that TLS requested; undefined without TLS, false if no name was sent. */
  readonly sni: string | false | undefined;
}

export interface Receiver {
  readonly port: number;
  /** Returns the number of connections accepted so far. */
  connections(): number;
  /** Returns the number of connections that are open now. */
  open(): number;
  close(): Promise<void>;
}

export interface HttpReceiver extends Receiver {
  readonly received: Received[];
  /** For each TLS connection so far, whether it resumed a session. */
  readonly resumed: boolean[];
  /** Takes another key for its session tickets, so that it rejects those it gave. */
  changeTicketKeys(): void;
}

export interface ReceiverOptions {
  /** The response. Default: 200 "ok". */
  readonly answer?: RequestListener;
  /** The certificate of an HTTPS receiver, and its key (PEM). Without it, the receiver uses HTTP. */
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** Settings of TLS besides the certificate. */
  readonly tls?: TlsOptions;
  /** The address and port. Default: 127.0.0.1 and a free port. */
  readonly listen?: { readonly address: string; readonly port: number };
}

/** Starts a real HTTP or HTTPS receiver. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<HttpReceiver> {
  const received: Received[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url: path, headers } = request;
      const sni = (request.socket as Partial<TLSSocket>).servername ?? undefined;
      received.push({ method, path, headers, body: Buffer.concat(chunks).toString(), sni });
      if (options.answer === undefined) response.end("ok");
      else options.answer(request, response);
    });
  };
  const resumed: boolean[] = [];
  const secure = createSecureServer({ ...options.certificate, ...options.tls }, listener);
  secure.on("secureConnection", (socket) => resumed.push(socket.isSessionReused()));
  keepSessionIds(secure);
  const server = options.certificate === undefined ? createServer(listener) : secure;
  const changeTicketKeys = (): void => secure.setTicketKeys(randomBytes(48));
  return { ...(await listen(server, options.listen)), received, resumed, changeTicketKeys };
}

/** Remembers sessions by their ids, for TLS 1.2 without tickets. */
function keepSessionIds(server: SecureServer): void {
  const sessions = new Map<string, Buffer>();
  server.on("newSession", (id, session, done) => {
    sessions.set(id.toString("hex"), session);
    done();
  });
  server.on("resumeSession", (id, done) => done(null, sessions.get(id.toString("hex"))));
}

/** Starts a receiver that exchanges bytes: `talk` gets each connection and its number, from 1. */
export async function startRawReceiver(talk: (socket: Socket, nth: number) => void, port = 0): Promise<Receiver> {
  let nth = 0;
  const server = createRawServer((socket) => {
    nth += 1;
    talk(socket, nth);
  });
  return await listen(server, { address: "127.0.0.1", port });
}

/** Returns a response with the line ends of HTTP. */
export function http(response: string): string {
  return response.replaceAll("\n", "\r\n");
}

/** Answers each request of a connection. `talk` answers the nth request, from 1. */
export function perRequest(socket: Socket, talk: (nth: number) => void): void {
  let nth = 0;
  socket.on("data", () => {
    nth += 1;
    talk(nth);
  });
}

/** Returns a port on 127.0.0.1 without a listener. */
export async function closedPort(): Promise<number> {
  const receiver = await startRawReceiver((socket) => socket.destroy());
  await receiver.close();
  return receiver.port;
}

async function listen(server: Server, { address, port } = { address: "127.0.0.1", port: 0 }): Promise<Receiver> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on("connection", (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(port, address);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    open: () => sockets.size,
    async close() {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
