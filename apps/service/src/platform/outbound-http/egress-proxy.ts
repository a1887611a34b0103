import { isIP } from "node:net";
import { commaList, hide } from "../../lib/lib.ts";
import type { Clock, Hidden } from "../../lib/lib.ts";
import { createAllowlist, parseAllowTargets } from "./allowlist.ts";
import type { Fault } from "./outbound-fault.ts";

/** The proxy of JUNCTION_EGRESS_PROXY, through which all outbound requests go. */
export interface EgressProxy {
  readonly host: string;
  readonly port: number;
  /** True if the connection to the proxy itself uses TLS. */
  readonly secure: boolean;
  /** The value of `Proxy-Authorization`; null for none. */
  readonly authorization: Hidden | null;
}

export interface EgressSettings {
  readonly proxy: EgressProxy;
  /** The names and addresses to which requests go directly. */
  readonly direct: readonly string[];
}

/** Reads JUNCTION_EGRESS_PROXY. Throws an Error if it is not the address of a proxy. */
export function parseEgressProxy(text: string): EgressProxy {
  const url = URL.parse(text);
  const isAddress = url !== null && /^https?:$/.test(url.protocol) && url.hostname !== "";
  if (!isAddress || !/^\/?$/.test(url.pathname) || url.search !== "" || url.hash !== "")
    throw new Error("not the address of a proxy");
  const { protocol, hostname, port, username, password } = url;
  const secure = protocol === "https:";
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    host: hostname.replaceAll(/^\[|\]$/g, ""),
    port: port === "" ? (secure ? 443 : 80) : Number(port),
    secure,
    authorization: username === "" ? null : hide(`Basic ${Buffer.from(credentials).toString("base64")}`),
  };
}

const NAME = /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i;

/** Reads JUNCTION_EGRESS_NO_PROXY: names, `*.` patterns, addresses and CIDRs. Throws an Error that names the first wrong entry. */
export function parseNoProxy(text: string): string[] {
  return commaList(text).map((entry) => {
    if (!isName(entry)) parseAllowTargets(entry);
    return entry.toLowerCase();
  });
}

function isName(entry: string): boolean {
  return NAME.test(entry) && isIP(entry) === 0 && !/^[\d.]+$/.test(entry);
}

/** The state that this process knows of the proxy. */
export type Egress = ReturnType<typeof createEgress>;

/** The proxy's answer to CONNECT. `status` is null if it did not answer in time. */
export interface ProxyAnswer {
  readonly status: number | null;
  readonly headers: ReadonlyMap<string, string>;
}

export function createEgress(clock: Clock, { proxy, direct }: EgressSettings) {
  const names = direct.filter(isName);
  const blocks = createAllowlist(direct.filter((entry) => !isName(entry)).flatMap(parseAllowTargets));
  const doubts = createDoubts(clock);

  return {
    proxy,
    /** Returns true if requests to this target go directly. */
    isDirect: (host: string, address: string, port: number): boolean =>
      blocks.allows(address, port) || names.some((name) => covers(name, host)),
    /** Records that the proxy opened a tunnel. */
    opened: doubts.opened,
    /** Returns the fault of a proxy that did not open a tunnel: its own, or the receiver's. */
    faultOf(target: string, answer: ProxyAnswer): Fault {
      const blame = blameOf(answer);
      if (blame === "proxy" || (blame === "unknown" && !doubts.isReceivers(target)))
        return { errorClass: "proxy", detail: detailOf(answer) };
      const said = answer.status === null ? "in time" : `(${answer.status})`;
      return answer.status === 504 || answer.status === null
        ? { errorClass: "timeout", detail: `the egress proxy could not connect to the receiver ${said}` }
        : { errorClass: "connect", detail: `the egress proxy could not connect to the receiver ${said}` };
    },
  };
}

function covers(name: string, host: string): boolean {
  const bare = host.toLowerCase().replace(/\.$/, "");
  return name.startsWith("*.") ? bare.endsWith(name.slice(1)) : bare === name;
}

const UNKNOWN_STATUS: ReadonlySet<number | null> = new Set([null, 500, 502, 503, 504]);
/** Errors about the receiver: of RFC 9209, section 2.3, and of Squid. */
const OF_RECEIVER =
  /^(?:connection_(?:refused|timeout|terminated|read_timeout|write_timeout)|destination_(?:unavailable|ip_unroutable|not_found)|ERR_CONNECT_FAIL|ERR_READ_TIMEOUT)$/;

function blameOf({ status, headers }: ProxyAnswer): "proxy" | "receiver" | "unknown" {
  if (!UNKNOWN_STATUS.has(status)) return "proxy";
  const [, standard] = /(?:^|[;,\s])error=([a-z_]+)/.exec(headers.get("proxy-status") ?? "") ?? [];
  const [squid] = (headers.get("x-squid-error") ?? "").split(" ", 1);
  const error = standard ?? squid ?? "";
  if (error === "") return "unknown";
  return OF_RECEIVER.test(error) ? "receiver" : "proxy";
}

function detailOf({ status }: ProxyAnswer): string {
  if (status === null) return "the egress proxy opened no connection in time";
  if (status === 407) return "the egress proxy requires other credentials (407): check JUNCTION_EGRESS_PROXY";
  return `the egress proxy refused the connection (${status})`;
}

/** The time after which a receiver that alone is unreachable is taken for the cause. */
const PATIENCE_MS = 300_000;
const MOST_DOUBTS = 10_000;

/**
 * Distinguishes a receiver that is down from a proxy that is, where the proxy does not say which. The receiver is the cause if the proxy
 * has connected to others since the first failure, or if failures last for minutes.
 */
function createDoubts(clock: Clock): { opened(target: string): void; isReceivers(target: string): boolean } {
  const since = new Map<string, number>();
  let openedAtMs = -Infinity;
  return {
    opened(target) {
      openedAtMs = clock.monotonicMs();
      since.delete(target);
    },
    isReceivers(target) {
      const now = clock.monotonicMs();
      const first = since.get(target);
      if (first !== undefined) return openedAtMs > first || now - first > PATIENCE_MS;
      const [oldest] = since.keys();
      if (since.size >= MOST_DOUBTS && oldest !== undefined) since.delete(oldest);
      since.set(target, now);
      return false;
    },
  };
}
