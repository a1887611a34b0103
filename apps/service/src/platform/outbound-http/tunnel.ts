import { connect as connectPlain, isIPv6 } from "node:net";
import type { Socket } from "node:net";
import { connect as connectSecure, createSecureContext } from "node:tls";
import type { SecureContext } from "node:tls";
import { systemClock } from "../../lib/lib.ts";
import { createEgress } from "./egress-proxy.ts";
import type { Egress, EgressSettings, ProxyAnswer } from "./egress-proxy.ts";
import type { Fault } from "./outbound-fault.ts";

export interface TunnelDeps {
  readonly egress: Egress;
  readonly address: string;
  readonly port: number;
  /** The certificates that the connection to the proxy trusts, if it uses TLS. */
  readonly trusted: SecureContext;
  /** False: the connection speaks another protocol than HTTP, in which the receiver may speak first. */
  readonly isHttp?: boolean;
}

/** A tunnel that is being opened. */
export type Tunnel = ReturnType<typeof openTunnel>;

interface Listener {
  open(socket: Socket): void;
  failed(fault: Fault): void;
}

const MOST_HEAD_BYTES = 16_384;

/** Opens a tunnel to a vetted address through the proxy. Calls the listener once, unless the tunnel expires or is destroyed. */
export function openTunnel({ egress, address, port, trusted, isHttp }: TunnelDeps, { open, failed }: Listener) {
  const { proxy } = egress;
  const target = isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;
  const socket = connectProxy(proxy, trusted);
  let head = "";
  let isAsked = false;
  let isOver = false;

  function end(fault: Fault): void {
    if (isOver) return;
    isOver = true;
    socket.destroy();
    failed(fault);
  }

  function ask(): void {
    isAsked = true;
    const authorization =
      proxy.authorization === null ? "" : `Proxy-Authorization: ${proxy.authorization.reveal()}\r\n`;
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization}\r\n`);
  }

  function read(chunk: Buffer): void {
    head += chunk.toString("latin1");
    const endOfHead = head.indexOf("\r\n\r\n");
    if (endOfHead === -1) {
      if (head.length > MOST_HEAD_BYTES) end(NONSENSE);
      return;
    }
    const answer = answerOf(head.slice(0, endOfHead));
    if (answer === undefined) return end(NONSENSE);
    if (answer.status < 200 || answer.status >= 300) return end(egress.faultOf(target, answer));
    const early = head.slice(endOfHead + 4);
    // A receiver of HTTP is silent until it is spoken to.
    if (early !== "" && isHttp !== false) return end(NONSENSE);
    isOver = true;
    socket.off("data", read);
    socket.pause();
    if (early !== "") socket.unshift(Buffer.from(early, "latin1"));
    egress.opened(target);
    open(socket);
  }

  function broken(error?: unknown): void {
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    end({
      errorClass: "proxy",
      detail: isAsked ? `the egress proxy closed the connection${code}` : `the egress proxy cannot be reached${code}`,
    });
  }

  socket.once(proxy.secure ? "secureConnect" : "connect", ask);
  socket.on("data", read);
  // The listener stays for the life of the socket: an error below TLS must not be uncaught.
  socket.on("error", broken);
  socket.on("close", broken);
  return {
    /** Ends it, and returns whose fault it was that it took too long. */
    expire(): Fault {
      isOver = true;
      socket.destroy();
      return isAsked
        ? egress.faultOf(target, { status: null, headers: new Map() })
        : { errorClass: "proxy", detail: "the egress proxy cannot be reached in time" };
    },
    destroy(): void {
      isOver = true;
      socket.destroy();
    },
  };
}

const NONSENSE: Fault = { errorClass: "proxy", detail: "the egress proxy did not answer as an HTTP proxy" };

function connectProxy({ host, port, secure }: Egress["proxy"], trusted: SecureContext): Socket {
  const place = { host, port, noDelay: true, keepAlive: true, autoSelectFamily: true };
  if (!secure) return connectPlain(place);
  return connectSecure({
    host,
    port,
    secureContext: trusted,
    ALPNProtocols: ["http/1.1"],
    rejectUnauthorized: true,
    ...(isName(host) ? { servername: host } : {}),
  });
}

function isName(host: string): boolean {
  return !/^[\d.]+$/.test(host) && !host.includes(":");
}

function answerOf(head: string): (ProxyAnswer & { readonly status: number }) | undefined {
  const [first = "", ...lines] = head.split("\r\n");
  const [, status] = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first) ?? [];
  if (status === undefined) return undefined;
  const headers = lines.flatMap((line) => {
    const colon = line.indexOf(":");
    return colon < 1 ? [] : [[line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const];
  });
  return { status: Number(status), headers: new Map(headers) };
}

/** Opens a tunnel as a delivery does, and closes it at once. Returns why it cannot be opened. A direct target needs none. */
export async function tunnelFault(
  settings: EgressSettings,
  { host, address, port, timeoutMs }: { host: string; address: string; port: number; timeoutMs: number },
): Promise<{ readonly isDirect: boolean; readonly fault?: string }> {
  const egress = createEgress(systemClock, settings);
  if (egress.isDirect(host, address, port)) return { isDirect: true };
  return await new Promise((settle) => {
    const tunnel = openTunnel(
      { egress, address, port, trusted: createSecureContext() },
      {
        open(socket) {
          clearTimeout(timer);
          socket.destroy();
          settle({ isDirect: false });
        },
        failed(fault) {
          clearTimeout(timer);
          settle({ isDirect: false, fault: fault.detail });
        },
      },
    );
    const timer = setTimeout(() => settle({ isDirect: false, fault: tunnel.expire().detail }), timeoutMs);
  });
}
