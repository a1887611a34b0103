import { isIPv6 } from "node:net";
import type { Socket } from "node:net";
import { once } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import { blockAdvice } from "./block-advice.ts";
import { openSocket } from "./connector.ts";
import { createEgress } from "./egress-proxy.ts";
import type { EgressSettings } from "./egress-proxy.ts";
import { faultOfConnecting } from "./outbound-fault.ts";
import type { ConnectError } from "./outbound-fault.ts";
import { createSecureContexts } from "./secure-contexts.ts";
import { openSecureSocket } from "./secure-socket.ts";
import { createSessions } from "./sessions.ts";
import type { Aim } from "./target-guard.ts";
import type { BlockReason } from "./target.ts";

/** An address that a customer, or a server of theirs, named. */
export interface DialTarget {
  readonly host: string;
  readonly port: number;
  /** `later`: the server greets before TLS, which `secure` begins. */
  readonly tls: boolean | "later";
  readonly withinMs: number;
}

/** Why there is no connection. The message is a sentence for people, without addresses of names. */
export class DialError extends Error {
  readonly step: "proxy" | "resolve" | "guard" | "connect" | "tls";
  readonly address: string | null;

  constructor(step: DialError["step"], message: string, address: string | null) {
    super(message);
    this.name = "DialError";
    this.step = step;
    this.address = address;
  }
}

export interface DialerDeps {
  readonly clock: Clock;
  readonly ca?: readonly string[];
  readonly egress?: EgressSettings | null;
  readonly aimAt: (url: string, withinMs: number) => Promise<Aim>;
}

/** The addresses of a name that are tried. */
const MOST_ADDRESSES = 3;
const LEAST_MS = 50;

/**
 * Opens connections of other protocols than HTTP, as requests are sent: each is resolved and judged again, and goes through the egress
 * proxy where there is one. What connections share is made at the first.
 */
export function createDialer(deps: DialerDeps) {
  const { clock, aimAt } = deps;
  const shared = once(() => ({
    contexts: createSecureContexts(deps.ca)(),
    sessions: createSessions(clock),
    egress: deps.egress === undefined || deps.egress === null ? null : createEgress(clock, deps.egress),
  }));

  async function open(to: DialTarget, address: string): Promise<Socket | DialError> {
    const { contexts, sessions, egress } = shared();
    const { host, port, tls, withinMs } = to;
    const isDirect = egress === null || egress.isDirect(host, address, port);
    const wanted = {
      clock,
      address,
      port,
      contexts,
      sessions,
      origin: urlOf(to),
      tlsName: tls === true ? nameOf(host) : null,
      connectTimeoutMs: Math.max(1, Math.ceil(withinMs)),
      peer: `${nameOf(host)} ${address} ${port}`,
      trusted: contexts.full,
      egress: isDirect ? null : egress,
      isHttp: false,
      verified: () => undefined,
    };
    const { promise, resolve } = Promise.withResolvers<Socket | DialError>();
    openSocket(wanted, (error, socket) => resolve(socket ?? errorOf(to, address, error)));
    const opened = await promise;
    return opened instanceof DialError ? opened : readableAgain(opened);
  }

  return {
    /** Connects. Throws DialError. */
    async dial(to: DialTarget): Promise<Socket> {
      const endMs = clock.monotonicMs() + to.withinMs;
      const addresses = vettedOf(to, await aimAt(urlOf(to), to.withinMs));
      let failed = new DialError("connect", `There was no time to connect to ${placeOf(to)}.`, null);
      for (const address of addresses.slice(0, MOST_ADDRESSES)) {
        const leftMs = endMs - clock.monotonicMs();
        if (leftMs < LEAST_MS) break;
        const opened = await open({ ...to, withinMs: leftMs }, address);
        if (!(opened instanceof DialError)) return opened;
        failed = opened;
        if (failed.step !== "connect") break;
      }
      throw failed;
    },
    /** Begins TLS on a connection, with the name checked against the certificate. Throws DialError. */
    async secure(raw: Socket, { host, withinMs }: Pick<DialTarget, "host" | "withinMs">): Promise<Socket> {
      const { contexts, sessions } = shared();
      const address = raw.remoteAddress ?? null;
      const port = raw.remotePort ?? 0;
      const { promise, resolve } = Promise.withResolvers<DialError | null>();
      const socket = openSecureSocket({
        clock,
        address: host,
        port,
        tlsName: nameOf(host),
        contexts,
        sessions,
        peer: `${nameOf(host)} later ${port}`,
        isHttp: false,
        socket: raw,
        verified: () => resolve(null),
      });
      const fail = (detail: string): void => resolve(new DialError("tls", tlsSentence(host, detail), address));
      const timer = setTimeout(() => fail(`no TLS within ${withinMs / 1000} s`), withinMs);
      // The listeners stay for the life of the socket, so that no error is uncaught.
      socket.on("error", (error) => fail(faultOfConnecting(error, "tls").detail));
      socket.once("close", () => fail("connection closed during the TLS handshake"));
      const failed = await promise;
      clearTimeout(timer);
      if (failed === null) return socket;
      socket.destroy();
      throw failed;
    },
  };
}

function nameOf(host: string): string {
  return host.replace(/\.$/, "");
}

function placeOf({ host, port }: Pick<DialTarget, "host" | "port">): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** Returns the place as a URL, which the guard reads. A host that is more than a host becomes an empty text, which is refused. */
function urlOf(to: DialTarget): string {
  const scheme = to.tls === false ? "http" : "https";
  return /^[\w.:-]{1,253}$/.test(to.host) ? `${scheme}://${placeOf(to)}` : "";
}

function vettedOf(to: DialTarget, aim: Aim): readonly string[] {
  if (aim.kind === "vetted") return aim.addresses;
  if (aim.kind === "refused") throw new DialError("guard", guardSentence(to, aim.reason), null);
  throw new DialError("resolve", `The name ${to.host} does not resolve (${aim.failure}).`, null);
}

function guardSentence(to: DialTarget, reason: BlockReason): string {
  const advice =
    reason === "not_https"
      ? "Without TLS, connections go only to addresses that JUNCTION_ALLOW_TARGETS allows. Use TLS."
      : blockAdvice(reason, urlOf(to)).replace("The URL", "The address");
  return `The guard refused ${placeOf(to)}. ${advice}`;
}

function errorOf(to: DialTarget, address: string, error: ConnectError | null): DialError {
  const { errorClass, detail } = error?.fault ?? { errorClass: "connect", detail: "connect failed" };
  if (errorClass === "proxy") return new DialError("proxy", detail, null);
  const isTls = errorClass === "tls" || (to.tls === true && (error?.tlsMs ?? 0) > 0);
  if (isTls) return new DialError("tls", tlsSentence(placeOf(to), detail), address);
  return new DialError("connect", `There is no connection to ${placeOf(to)}: ${detail}.`, address);
}

function tlsSentence(place: string, detail: string): string {
  return `TLS with ${place} failed: ${detail}.`;
}

/** A tunnel is paused until its owner listens. */
function readableAgain(socket: Socket): Socket {
  if (!socket.isPaused()) return socket;
  socket.on("newListener", function resume(name: string | symbol) {
    if (name !== "data") return;
    socket.off("newListener", resume);
    process.nextTick(() => socket.resume());
  });
  return socket;
}
