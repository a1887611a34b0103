import { connect as connectPlain } from "node:net";
import type { Socket } from "node:net";
import { connect as connectSecure } from "node:tls";
import type { SecureContext } from "node:tls";
import type { buildConnector } from "undici";
import type { Clock } from "../../lib/lib.ts";
import { ConnectError, faultOfConnecting } from "./fault.ts";
import type { Fault } from "./fault.ts";
import { createInterimFilter } from "./interim.ts";

/** The state of one connection. Durations are in milliseconds. */
export interface Wire {
  connectMs: number;
  tlsMs: number;
  /** The number of requests written to the connection so far. */
  uses: number;
  /** True while a request waits for the first byte of its response. */
  awaiting: boolean;
  /** The monotonic time of the first byte since the last request was written. */
  firstByteAt: number | null;
}

export interface WireDeps {
  readonly clock: Clock;
  readonly address: string;
  readonly port: number;
  /** The name in the URL, for SNI and the certificate; null for plain HTTP. */
  readonly tlsName: string | null;
  readonly secureContext: SecureContext;
  readonly connectTimeoutMs: number;
}

const wires = new WeakMap<object, Wire>();

export function wireOf(socket: object): Wire | undefined {
  return wires.get(socket);
}

/**
 * Connects to exactly one address. The URL's name is never looked up here, so that its current addresses do not matter.
 * The timeout covers TCP and TLS. Fails with `ConnectError` only.
 */
export function createConnector(deps: WireDeps): buildConnector.connector {
  const { clock, connectTimeoutMs, tlsName } = deps;
  let session: Buffer | undefined;

  return (_options, callback) => {
    const wire: Wire = { connectMs: 0, tlsMs: 0, uses: 0, awaiting: false, firstByteAt: null };
    const startedAt = clock.monotonicMs();
    let connectedAt: number | null = null;
    let settled = false;
    const socket = tlsName === null ? openPlain(deps) : openSecure({ ...deps, tlsName, session });
    const timer = setTimeout(() => {
      const seconds = connectTimeoutMs / 1000;
      fail({ errorClass: "timeout", detail: `no connection within ${seconds} s` });
    }, connectTimeoutMs);

    function fail(fault: Fault): void {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      const now = clock.monotonicMs();
      const connectMs = (connectedAt ?? now) - startedAt;
      callback(new ConnectError(fault, { connectMs, tlsMs: connectedAt === null ? 0 : now - connectedAt }), null);
      socket.destroy();
    }

    function ready(): void {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      if (tlsName !== null && connectedAt !== null) wire.tlsMs = clock.monotonicMs() - connectedAt;
      wires.set(socket, wire);
      filterReads(socket, wire, clock);
      callback(null, socket);
    }

    socket.once("connect", () => {
      connectedAt = clock.monotonicMs();
      wire.connectMs = connectedAt - startedAt;
    });
    socket.once(tlsName === null ? "connect" : "secureConnect", ready);
    socket.on("session", (ticket: Buffer) => (session = ticket));
    // The listener stays for the life of the socket: an error between here and undici's own listener must not be
    // uncaught.
    socket.on("error", (error) => {
      // The session ticket may be what the peer rejected: the next connection starts without one.
      session = undefined;
      fail(faultOfConnecting(error, connectedAt === null ? "connect" : "tls"));
    });
    socket.once("close", () => fail({ errorClass: "reset", detail: "connection closed before it was ready" }));
    return socket;
  };
}

const KEEP_ALIVE_PROBE_MS = 60_000;

function openPlain(deps: WireDeps): Socket {
  const { address, port } = deps;
  return connectPlain({
    host: address,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
  });
}

function openSecure(deps: WireDeps & { readonly tlsName: string; readonly session: Buffer | undefined }): Socket {
  const { address, port, tlsName, secureContext, session } = deps;
  const socket = connectSecure({
    host: address,
    port,
    // An IP literal has no SNI. The certificate is then checked against `host`.
    servername: tlsName === address ? "" : tlsName,
    secureContext,
    ALPNProtocols: ["http/1.1"],
    // The default is set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED=0 in the environment changes it.
    rejectUnauthorized: true,
    ...(session === undefined ? {} : { session }),
  });
  socket.setNoDelay(true);
  socket.setKeepAlive(true, KEEP_ALIVE_PROBE_MS);
  return socket;
}

/**
 * Wraps `read()`, with which undici pulls data. The wrapper records the time of the first byte and removes interim
 * responses.
 */
function filterReads(socket: Socket, wire: Wire, clock: Clock): void {
  const read = socket.read.bind(socket);
  const filter = createInterimFilter();
  socket.read = (size?: number): Buffer | null => {
    for (;;) {
      const chunk: Buffer | null = read(size);
      if (chunk === null || !wire.awaiting) return chunk;
      wire.firstByteAt ??= clock.monotonicMs();
      const kept = filter(chunk);
      if (kept === null) continue;
      wire.awaiting = false;
      return kept;
    }
  };
}
