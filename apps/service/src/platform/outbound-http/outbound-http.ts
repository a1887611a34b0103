import { ServiceError } from "../../lib/lib.ts";
import type { Clock } from "../../lib/lib.ts";
import { blockAdvice } from "./block-advice.ts";
import { createAim } from "./target-guard.ts";
import type { InboxPlace, Vetted } from "./target-guard.ts";
import type { AllowEntry } from "./allowlist.ts";
import { identityOf } from "./client-certificate.ts";
import type { ClientCertificate } from "./client-certificate.ts";
import type { EgressSettings } from "./egress-proxy.ts";
import { createDialer } from "./dial.ts";
import { createExchanger } from "./exchange.ts";
import { createHostsFile } from "./hosts-file.ts";
import { round } from "./request-attempt.ts";
import { unsent } from "./unsent.ts";
import type { Exchange, Order } from "./request-attempt.ts";
import type { NameServers } from "./name-servers.ts";
import { createResolver } from "./resolver.ts";
import type { BlockReason } from "./target.ts";

export type { InboxPlace } from "./target-guard.ts";
export type { AllowEntry } from "./allowlist.ts";
export { DialError } from "./dial.ts";
export type { DialTarget } from "./dial.ts";
export type { ErrorClass } from "./outbound-fault.ts";
export type { Cut, Exchange, Latency } from "./request-attempt.ts";
export { unsent } from "./unsent.ts";
export type { Unsent } from "./unsent.ts";
export type { NameServers } from "./name-servers.ts";
export type { SignedRequest } from "./signing.ts";
export type { BlockReason } from "./target.ts";
export { createAccessTokens } from "./access-tokens.ts";
export type { AccessTokens } from "./access-tokens.ts";
export { authHeaders, encodedParameter, keyHeader, secretForms, withKeyParameter } from "./credentials.ts";
export type { Proof } from "./credentials.ts";
export { readCertificate } from "./client-certificate.ts";
export type { ClientCertificate } from "./client-certificate.ts";
export { tunnelFault } from "./tunnel.ts";
export { parseEgressProxy, parseNoProxy } from "./egress-proxy.ts";
export type { EgressProxy, EgressSettings } from "./egress-proxy.ts";
export { parseAllowTargets } from "./allowlist.ts";
export { parseNameServers } from "./name-servers.ts";
export { checkName } from "./name-check.ts";
export { askOwnService } from "./own-service.ts";
export type { ResolutionFailure } from "./resolver.ts";
export { bodyWithSignature, hmacHex, signRequest, signStandard, standardHeaders, stringToSign } from "./signing.ts";

export interface OutboundPost {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array;
  /** The timeout of TCP and TLS together. Default 5000. */
  readonly connectTimeoutMs?: number;
  /** The timeout of the whole exchange, including DNS and the response's body. Default 15 000. */
  readonly totalTimeoutMs?: number;
  /** The maximum size of the decoded body. Default 64 KiB. */
  readonly maxBodyBytes?: number;
  /**
   * Uses a separate connection, so that the request is never written twice: an idle connection may close at that
   * moment.
   */
  readonly once?: boolean;
  /** The certificate that the connection presents. Connections with it are used for no other one. */
  readonly client?: ClientCertificate;
}

/** The HTTP methods. Those that have no body are sent without one. */
export type Method = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface OutboundRequest extends Omit<OutboundPost, "body"> {
  readonly method: Method;
  readonly body: string | Uint8Array | null;
}

export type Net = ReturnType<typeof createNet>;

export interface NetDeps {
  readonly clock: Clock;
  readonly allow: readonly AllowEntry[];
  /** The inbox that is exempt from the guard; null if there is none. */
  readonly inbox: InboxPlace | null;
  /** The name servers to use. Null means the system's resolver, with its hosts file and search domains. */
  readonly dnsServers: NameServers | null;
  /** PEM certificates that are trusted in addition to the system's. */
  readonly ca?: readonly string[];
  /** The proxy through which requests go. Without it, they go directly. */
  readonly egress?: EgressSettings | null;
}

/** Sends all outbound requests: every request to an address that a customer chose goes through here. */
export function createNet(deps: NetDeps) {
  const { clock, allow, inbox } = deps;
  const aimAt = createAim({
    resolver: createResolver({ servers: deps.dnsServers, hostsFile: createHostsFile({ clock }) }),
    allow,
    inbox,
  });
  const exchanger = createExchanger(deps);
  const { dial, secure } = createDialer({ ...deps, aimAt });

  async function send(request: OutboundRequest): Promise<Exchange> {
    const startedAt = clock.monotonicMs();
    const aim = await aimAt(request.url, request.totalTimeoutMs ?? TOTAL_TIMEOUT_MS);
    const spentMs = clock.monotonicMs() - startedAt;
    if (aim.kind === "unresolved") return unsent("dns", aim.failure, { dns: round(spentMs), total: round(spentMs) });
    if (aim.kind === "refused") {
      exchanger.refuse(URL.parse(request.url)?.origin ?? "");
      return {
        ...unsent("target_refused", `target refused: ${aim.reason}`, { total: round(spentMs) }),
        blockReason: aim.reason,
      };
    }

    const [first, ...others] = aim.addresses;
    const order = { request, aim, startedAt, dnsMs: spentMs };
    let exchange = await exchanger.send(orderOf(order, first));
    // Nothing was sent if no connection was made, so that another of the vetted addresses may be tried.
    for (const address of others.slice(0, OTHER_ADDRESSES)) {
      if (exchange.errorClass !== "connect") break;
      exchange = await exchanger.send(orderOf(order, address));
    }
    return exchange;
  }

  return {
    /** Does the same with any method. */
    send,
    /** Connects for another protocol than HTTP, with a new check by the guard. Throws DialError. */
    dial,
    /** Begins TLS on a connection that was dialed with `later`. Throws DialError. */
    secure,
    /**
     * Sends one POST, with a new check by the guard. Never throws because of the target's behavior. A refusal by the
     * guard is `errorClass` `target_refused`, or `dns` if the name does not resolve. Contract section 5.
     */
    post: async (request: OutboundPost): Promise<Exchange> => await send({ ...request, method: "POST" }),
    /** Checks a URL when it is saved. Throws ServiceError `url_blocked` (422, `reason`). Contract sections 4 and 5. */
    async vet(url: string): Promise<void> {
      const aim = await aimAt(url, TOTAL_TIMEOUT_MS);
      if (aim.kind === "refused") throw blocked(aim.reason, url);
      if (aim.kind === "unresolved") throw blocked("dns_failed", url, aim.failure);
    },
    /** Waits for requests in progress. */
    async close(): Promise<void> {
      await exchanger.close();
    },
  };
}

const CONNECT_TIMEOUT_MS = 5000;
const TOTAL_TIMEOUT_MS = 15_000;
const MAX_BODY_BYTES = 64 * 1024;
const OTHER_ADDRESSES = 2;

function orderOf(
  from: { readonly request: OutboundRequest; readonly aim: Vetted; readonly startedAt: number; readonly dnsMs: number },
  address: string,
): Order {
  const { request, aim, startedAt, dnsMs } = from;
  const { url, host, port, secure } = aim.target;
  return {
    route: {
      origin: `${secure ? "https" : "http"}://${url.host}`,
      address,
      vetted: aim.addresses,
      port,
      // A name in TLS has no trailing dot.
      tlsName: secure ? host.replace(/\.$/, "") : null,
      connectTimeoutMs: request.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
      ...(request.client === undefined ? {} : { client: identityOf(request.client) }),
      ...(aim.direct === true ? { direct: true } : {}),
    },
    method: request.method,
    path: url.pathname + url.search,
    headers: request.headers,
    body: request.body,
    startedAt,
    dnsMs,
    totalTimeoutMs: request.totalTimeoutMs ?? TOTAL_TIMEOUT_MS,
    maxBodyBytes: request.maxBodyBytes ?? MAX_BODY_BYTES,
    once: request.once ?? false,
  };
}

function blocked(reason: BlockReason, url: string, internal?: string): ServiceError {
  const details = { detail: blockAdvice(reason, url), extra: { reason } };
  return new ServiceError("url_blocked", internal === undefined ? details : { ...details, internal });
}
