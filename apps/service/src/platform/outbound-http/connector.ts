import { connect as connectPlain } from "node:net";
import type { Socket } from "node:net";
import type { SecureContext } from "node:tls";
import type { buildConnector } from "undici";
import type { Clock } from "../../lib/lib.ts";
import type { Egress } from "./egress-proxy.ts";
import { ConnectError, faultOfConnecting } from "./outbound-fault.ts";
import type { Fault } from "./outbound-fault.ts";
import { createInterimFilter } from "./interim.ts";
import { speaksPlainHttp } from "./plain-port.ts";
import { openSecureSocket } from "./secure-socket.ts";
import type { SecureSocketDeps } from "./secure-socket.ts";
import { openTunnel } from "./tunnel.ts";
import type { Tunnel } from "./tunnel.ts";

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
  /** The part of the response's head that has arrived; null when the head is complete. */
  head: Buffer[] | null;
}

export interface WireDeps extends Omit<SecureSocketDeps, "tlsName" | "socket"> {
  /** Scheme, name and port as shown in `Host`. */
  readonly origin: string;
  /** The name in the URL, for SNI and the certificate; null for plain HTTP. */
  readonly tlsName: string | null;
  readonly connectTimeoutMs: number;
  /** The proxy through which the connection goes; null for a direct one. */
  readonly egress: Egress | null;
  /** The certificates that the connection to the proxy trusts. */
  readonly trusted: SecureContext;
}

/** A socket that is ready, or why there is none. */
export type Opened = (error: ConnectError | null, socket: Socket | null, wire: Wire) => void;

const wires = new WeakMap<object, Wire>();

export function wireOf(socket: object): Wire | undefined {
  return wires.get(socket);
}

/**
 * Connects to exactly one address, directly or through the proxy. The URL's name is never looked up here, so that its current
 * addresses do not matter. The timeout covers TCP and TLS. Fails with `ConnectError` only.
 */
export function createConnector(deps: WireDeps): buildConnector.connector {
  return (_options, callback) =>
    openSocket(deps, (error, socket, wire) => {
      if (socket === null) return callback(error ?? new Error("no connection"), null);
      wires.set(socket, wire);
      filterReads(socket, wire, deps.clock);
      callback(null, socket);
    });
}

/** Does the same for one connection of any protocol. */
export function openSocket(deps: WireDeps, opened: Opened): void {
  const { clock, connectTimeoutMs, tlsName, egress } = deps;
  const wire: Wire = { connectMs: 0, tlsMs: 0, uses: 0, awaiting: false, firstByteAt: null, head: null };
  const startedAt = clock.monotonicMs();
  let connectedAt: number | null = null;
  let settled = false;
  let socket: Socket | undefined;
  let tunnel: Tunnel | undefined;
  const timer = setTimeout(() => {
    if (socket === undefined && tunnel !== undefined) return fail(tunnel.expire());
    const seconds = connectTimeoutMs / 1000;
    fail({ errorClass: "timeout", detail: `no connection within ${seconds} s` });
  }, connectTimeoutMs);
  const doubt = setTimeout(() => void judgeSilence(), SILENT_MS);

  /** Tells a port without TLS from one that takes its time. */
  async function judgeSilence(): Promise<void> {
    const isSilent =
      deps.isHttp !== false && egress === null && tlsName !== null && connectedAt !== null && socket?.bytesRead === 0;
    if (settled || !isSilent || !(await speaksPlainHttp({ ...deps, host: new URL(deps.origin).host }))) return;
    if (socket?.bytesRead === 0) fail({ errorClass: "tls", detail: "the port speaks plain HTTP, not TLS" });
  }

  function fail(fault: Fault): void {
    if (settled) return;
    settled = true;
    clearTimeout(timer);
    clearTimeout(doubt);
    const now = clock.monotonicMs();
    const connectMs = (connectedAt ?? now) - startedAt;
    opened(new ConnectError(fault, { connectMs, tlsMs: connectedAt === null ? 0 : now - connectedAt }), null, wire);
    tunnel?.destroy();
    socket?.destroy();
  }

  function ready(made: Socket): void {
    if (settled) return;
    settled = true;
    clearTimeout(timer);
    clearTimeout(doubt);
    if (tlsName !== null && connectedAt !== null) wire.tlsMs = clock.monotonicMs() - connectedAt;
    opened(null, made, wire);
  }

  function connected(): void {
    connectedAt = clock.monotonicMs();
    wire.connectMs = connectedAt - startedAt;
  }

  function watch(made: Socket): void {
    socket = made;
    // The listener stays for the life of the socket: an error between here and undici's own listener must not be
    // uncaught.
    made.on("error", (error) => fail(faultOfConnecting(error, connectedAt === null ? "connect" : "tls")));
    made.once("close", () => fail({ errorClass: "reset", detail: "connection closed before it was ready" }));
  }

  tunnel = begin(deps, { connected, failed: fail, ready, watch });
}

/** The steps of a connection. */
interface Steps {
  /** Called with each new socket, so that its errors are handled. */
  watch(socket: Socket): void;
  connected(): void;
  ready(socket: Socket): void;
  failed(fault: Fault): void;
}

/** Begins a connection. Returns the tunnel through which it goes, if it does not go directly. */
function begin(deps: WireDeps, steps: Steps): Tunnel | undefined {
  const { egress, tlsName } = deps;
  const secured = tlsName === null ? null : { ...deps, tlsName };
  if (egress === null) {
    const made = secured === null ? openPlain(deps) : openSecure(secured);
    steps.watch(made);
    made.once("connect", steps.connected);
    made.once(secured === null ? "connect" : "secureConnect", () => steps.ready(made));
    return undefined;
  }
  return openTunnel(
    { ...deps, egress },
    {
      failed: steps.failed,
      open(raw) {
        steps.connected();
        const made = secured === null ? raw : openSecure({ ...secured, socket: raw });
        steps.watch(made);
        if (secured === null) steps.ready(made);
        else made.once("secureConnect", () => steps.ready(made));
      },
    },
  );
}

/** How long a TLS handshake may be silent before the port is asked whether it speaks plain HTTP. */
const SILENT_MS = 1000;
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

function openSecure(deps: SecureSocketDeps): Socket {
  const socket = openSecureSocket(deps);
  socket.setNoDelay(true);
  socket.setKeepAlive(true, KEEP_ALIVE_PROBE_MS);
  return socket;
}

/**
 * Wraps `read()`, with which undici pulls data. The wrapper records the time of the first byte and the head, and removes
 * interim responses.
 */
function filterReads(socket: Socket, wire: Wire, clock: Clock): void {
  const read = socket.read.bind(socket);
  const filter = createInterimFilter();
  socket.read = (size?: number): Buffer | null => {
    for (;;) {
      const chunk: Buffer | null = read(size);
      if (chunk === null) return chunk;
      if (!wire.awaiting) {
        wire.head?.push(chunk);
        return chunk;
      }
      wire.firstByteAt ??= clock.monotonicMs();
      const kept = filter(chunk);
      if (kept === null) continue;
      wire.awaiting = false;
      wire.head = [kept];
      return kept;
    }
  };
}
